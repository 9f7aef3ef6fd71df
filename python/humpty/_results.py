"""What solving, training and dropping give."""

from __future__ import annotations

import html
import os
import sys
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _core
from ._inputs import Path, as_features

Arrays = npt.NDArray[np.float32]


def _stored(array: Arrays, dtype: str, torch: bool) -> Any:
    """In the precision it came in: float16 as that, bfloat16 where there is such a thing."""
    if torch:
        module = sys.modules["torch"]
        tensor = module.from_numpy(np.array(array))
        return tensor.to(getattr(module, dtype)) if dtype in ("float16", "bfloat16") else tensor
    return array.astype(np.float16) if dtype == "float16" else array


def state_dict(applied: Sequence[_core.Piece], names: str, torch: bool) -> dict[str, Any]:
    state = {}
    for key, piece in zip(_core.layer_keys(names, len(applied)), applied):
        state[f"{key}.weight"] = _stored(piece.weight, piece.dtype, torch)
        if piece.bias.size:
            state[f"{key}.bias"] = _stored(piece.bias, piece.bias_dtype, torch)
    return state


class Solution(_core.Solution):
    """A net put back together. In a notebook it shows itself as its report."""

    def __init__(
        self, found: _core.Solution, puzzle: _core.Puzzle, torch: bool = False,
        inputs: Sequence[str] = (),
    ) -> None:
        super().__init__(found)
        self.puzzle = puzzle
        """What was solved."""
        self._torch = torch
        self._inputs = list(inputs)

    @property
    def order(self) -> list[int]:
        """The blocks' numbers in the order in which they run; a block has the number of its
        expand piece among all expand pieces by id."""
        number = {piece: i for i, piece in enumerate(self.pairing.expand)}
        return [number[block.inp] for block in self.blocks]

    @property
    def pieces(self) -> list[_core.Piece]:
        """The pieces in the order in which they are applied: (stem,) in, out, …, head."""
        by_id = {piece.id: piece for piece in self.puzzle.pieces}
        return [by_id[piece] for piece in self.permutation]

    def state_dict(self, names: str = "") -> dict[str, Any]:
        """The whole net: arrays, or tensors if the pieces were torch's.

        `names` names the layers: 'blocks.{i}.inp,blocks.{i}.out,last.layer,stem' is the default. Arrays
        are read-only views of the pieces; float16 and bfloat16 come back as such (NumPy has no
        bfloat16: float32), float64 as float32.
        """
        return state_dict(self.pieces, names, self._torch)

    def save(self, file: Path, names: str = "") -> None:
        """Writes the net: .safetensors, .pth, .onnx or .npz."""
        _core.write_model(os.fspath(file), self.pieces, names, self.activation, self.verdict)

    def report(self, file: Optional[Path] = None) -> str:
        """The report as one HTML page that needs no network; written to `file` if that is given."""
        page = _core.report_page(self, self.puzzle, self._inputs)
        if file is not None:
            _core.write_file(os.fspath(file), page)
        return page

    def to_json(self) -> str:
        """All of it as JSON text, as `humpty solve --json` writes it."""
        return _core.solution_json(self, self.puzzle)

    def _repr_html_(self) -> str:
        page = html.escape(self.report(), quote=True)
        return (
            f'<iframe srcdoc="{page}" style="width: 100%; height: 720px; border: 0" '
            'sandbox="allow-scripts allow-downloads"></iframe>'
        )

    def __repr__(self) -> str:
        text = self.permutation_text
        return (
            f"Solution({self.verdict}, {len(self.blocks)} blocks, mse {self.mse:.3g}, "
            f"{self.activation}, {text if len(text) <= 40 else text[:36] + ',…'})"
        )

    def __reduce__(self) -> Any:
        parts = (_core.Solution(self), self.puzzle, self._torch, self._inputs)
        return Solution, parts


class TrainedNet(_core.TrainedNet):
    """A net fresh from training: `humpty.drop(net, x)` takes it apart."""

    def __init__(self, found: _core.TrainedNet, activation: str) -> None:
        super().__init__(found)
        self.activation = activation

    def __call__(self, x: Any) -> Arrays:
        """What it answers: rows × outputs."""
        return _core.forward(self.pieces, as_features(x), self.activation, 0)

    def state_dict(self, names: str = "") -> dict[str, Any]:
        """The whole net as arrays; `names` as in Solution.state_dict."""
        return state_dict(self.pieces, names, False)

    def save(self, file: Path, names: str = "") -> None:
        """Writes the net: .safetensors, .pth, .onnx or .npz."""
        _core.write_model(os.fspath(file), self.pieces, names, self.activation, "")

    def __repr__(self) -> str:
        return f"TrainedNet({len(self.pieces) // 2} blocks, loss {self.loss:.3g})"

    def __reduce__(self) -> Any:
        return TrainedNet, (_core.TrainedNet(self), self.activation)


class Dropped(_core.Dropped):
    """A net taken apart: `puzzle`, to be solved, and `permutation`, the answer."""

    def __init__(self, found: _core.Dropped, torch: bool = False) -> None:
        super().__init__(found)
        self._torch = torch

    def write(self, folder: Path, force: bool = False) -> None:
        """Writes folder/pieces/piece_K.pth, folder/data.csv and folder/answer.json; a folder that
        holds something is refused unless `force`."""
        _core.write_puzzle(os.fspath(folder), self, "{}", force)

    def __repr__(self) -> str:
        return f"Dropped({self.puzzle!r})"

    def __reduce__(self) -> Any:
        return Dropped, (_core.Dropped(self), self._torch)
