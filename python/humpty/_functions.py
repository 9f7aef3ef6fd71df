"""The functions of the package. Each takes what the others give, and can be used alone."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import ArgumentError
from ._inputs import (
    Path,
    as_block,
    as_features,
    as_layers,
    as_paths,
    as_piece,
    as_rows,
    as_table,
    has_torch,
    is_module,
    is_table,
    make_pieces,
)
from ._progress import Progress, listening
from ._results import Dropped, Solution, TrainedNet
from ._values import threads_of, whole, whole_list

Net = Any
"""Layers as applied, (stem,) in, out, in, out, …, head: a Solution, a TrainedNet, an nn.Module of residual
blocks, the path of a checkpoint, or a list of layers."""

_ACTIVATIONS = ("relu", "leaky", "gelu", "gelu-tanh", "silu", "tanh", "identity")


def read(
    *paths: Path,
    data: Optional[Path] = None,
    target_file: Optional[Path] = None,
    target: str = "pred",
    features: str = "",
    drop_missing: bool = False,
    key: str = "",
    transposed: bool = False,
    probabilities: bool = False,
    activation: str = "auto",
    roles: Optional[Path] = None,
    no_data: bool = False,
    threads: int = 0,
) -> _core.Puzzle:
    """A puzzle from files: a folder as published (`pieces/` and one `.csv`), or files and folders
    with pieces (PyTorch, safetensors, NumPy, ONNX, GGUF) and `data`, the file with the rows.

    The arguments are the options of `humpty solve`: `target` and `features` name columns,
    `target_file` is the file with the target where that is apart, `drop_missing` leaves out rows
    that lack a value, `key` is where in a training checkpoint the net is,
    `transposed` says that weights are stored in × out, `probabilities` that the target is their
    softmax, `roles` is a file that states the roles, `no_data` takes the weights alone.
    """
    found = as_paths(list(paths))
    if found is None:
        raise ArgumentError("give at least one path")
    return _core.read_puzzle(
        found,
        data=None if data is None else str(data),
        target_file=None if target_file is None else str(target_file),
        target=target,
        features=features,
        drop_missing=drop_missing,
        key=key,
        transposed=transposed,
        probabilities=probabilities,
        activation=activation,
        roles=None if roles is None else str(roles),
        no_data=no_data,
        threads=threads,
    )


def puzzle(
    pieces: Any,
    x: Any = None,
    pred: Any = None,
    *,
    data: Optional[Path] = None,
    target_file: Optional[Path] = None,
    target: str = "pred",
    features: str = "",
    drop_missing: bool = False,
    key: str = "",
    transposed: bool = False,
    probabilities: bool = False,
    activation: str = "auto",
    roles: Optional[Path] = None,
    threads: int = 0,
) -> _core.Puzzle:
    """A puzzle from whatever there is: see `solve` for what `pieces`, `x` and `pred` may be."""
    if isinstance(pieces, _core.Puzzle):
        return pieces
    if isinstance(pieces, _core.Dropped):
        return pieces.puzzle
    about_rows: list[str] = []
    if pred is None and is_table(x):
        rows, about_rows = _core.make_rows(
            *as_table(x, "x", features != ""), target=target, features=features,
            drop_missing=drop_missing,
        )
        x, pred = rows.features, rows.target
    if (x is None) != (pred is None):
        raise ArgumentError(
            "x and pred belong together; give both, neither, or one DataFrame that holds both"
        )
    paths = as_paths(pieces)
    if paths is not None and x is None:
        return read(
            *paths, data=data, target_file=target_file, target=target, features=features,
            drop_missing=drop_missing, key=key, transposed=transposed,
            probabilities=probabilities, activation=activation, roles=roles, threads=threads,
        )
    inputs = None if x is None else as_features(x)
    answers = None if pred is None else as_rows(pred, "pred")
    options = {"transposed": transposed}
    if paths is not None:
        found, notes = _core.read_pieces(paths, key=key, threads=threads, **options)
    else:
        found, notes = make_pieces(pieces, 0 if inputs is None else inputs.shape[1], options)
    return _core.make_puzzle(
        found, inputs, answers, about_rows + notes, target=target, probabilities=probabilities,
        activation=activation, roles=None if roles is None else str(roles),
    )


def solve(
    pieces: Any,
    x: Any = None,
    pred: Any = None,
    *,
    data: Optional[Path] = None,
    target_file: Optional[Path] = None,
    target: str = "pred",
    features: str = "",
    drop_missing: bool = False,
    key: str = "",
    transposed: bool = False,
    probabilities: bool = False,
    activation: str = "auto",
    roles: Optional[Path] = None,
    method: str = "best",
    seed: str = "auto",
    descending: bool = False,
    bradley_terry: bool = False,
    temperature: float = 0.001,
    rows: int = 2000,
    certificate: str = "auto",
    noise: float = 0.0,
    time_limit: float = 120.0,
    threads: int = 0,
    rng: int = 1,
    progress: Progress = None,
) -> Solution:
    """Pairs the pieces, orders the blocks, verifies the answer.

    `pieces`: a path, or several; a Puzzle; or from memory a list or dict of state dicts, nn.Linear
    or (weight, bias), a dict of tensors under whatever names, an nn.Module. Arrays are NumPy's or
    torch's. `x` are the rows (rows × features), `pred` is what the net answered (rows, or rows ×
    outputs); paths of folders bring their own. A DataFrame may hold both: its column `pred`, or
    those that `target` names, and whatever is no answer, or what `features` names.

    The other arguments are the options of `humpty solve`. `threads` 0 means all cores; the answer
    is the same at any number, and for the same `rng`. `progress`: True for tqdm's bar, or a
    callable (stage, done, note) that may return False to end the search with the best so far.
    """
    loaded = puzzle(
        pieces, x, pred, data=data, target_file=target_file, target=target, features=features,
        drop_missing=drop_missing, key=key, transposed=transposed, probabilities=probabilities,
        activation=activation, roles=roles, threads=threads,
    )
    with listening(progress) as listener:
        found = _core.solve(
            loaded, listener, method=method, seed=seed, descending=descending,
            bradley_terry=bradley_terry, temperature=temperature, rows=rows,
            certificate=certificate, noise=noise, time_limit=time_limit, threads=threads, rng=rng,
        )
    return Solution(found, loaded, has_torch(pieces), as_paths(pieces) or ())


def pair(
    ins: Any,
    outs: Any = None,
    head: Any = None,
    *,
    signal: str = "ensemble",
    threads: int = 0,
    rng: int = 1,
    progress: Progress = None,
) -> _core.PairReport:
    """Pairs from the weights alone: by all signals together, or by one ("ratio", the paper's;
    "norms", "whitened", "bilinear").

    `ins` and `outs` are lists of expand and contract layers (ids in the report are places in these
    lists), `head` helps where it is known; or `ins` alone is whatever `solve` takes.
    """
    options: dict[str, Any] = {"signal": signal, "threads": threads, "rng": rng}
    with listening(progress) as listener:
        if outs is None:
            return _core.pair(_without_rows(ins), listener, **options)
        return _core.pair_sides(
            as_layers(ins, "ins"), as_layers(outs, "outs"),
            None if head is None else as_piece(head, "head"), listener, **options,
        )


def _without_rows(pieces: Any) -> _core.Puzzle:
    paths = as_paths(pieces)
    return puzzle(pieces) if paths is None else read(*paths, no_data=True)


def order(
    blocks: Sequence[Any],
    head: Any,
    x: Any,
    pred: Any,
    *,
    stem: Any = None,
    seed: Union[str, Sequence[int]] = "auto",
    method: str = "best",
    activation: str = "auto",
    probabilities: bool = False,
    certificate: str = "auto",
    noise: float = 0.0,
    rows: int = 2000,
    time_limit: float = 120.0,
    threads: int = 0,
    rng: int = 1,
    progress: Progress = None,
) -> Solution:
    """Orders blocks whose pairs are known; `order` in the result is a list of places in `blocks`.

    `blocks` are pairs of an expand and a contract layer, `stem` is a layer that runs before all of
    them, if there is one. `seed` is where the search starts:
    "delta", "wout", "greedy", "auto" (all of them), or an order, a list of places in `blocks`.
    With method="paper" bubble repair alone goes on from there.
    """
    pairs = [as_block(block, f"blocks[{i}]") for i, block in enumerate(blocks)]
    loaded = _core.make_puzzle_of_blocks(
        pairs, as_piece(head, "head"), None if stem is None else as_piece(stem, "stem"),
        as_features(x), as_rows(pred, "pred"), activation=activation, probabilities=probabilities,
    )
    start = None if isinstance(seed, str) else [2 * place for place in whole_list("seed", seed)]
    with listening(progress) as listener:
        found = _core.solve(
            loaded, listener, pairs=[(2 * i, 2 * i + 1) for i in range(len(pairs))],
            seed=seed if isinstance(seed, str) else None, start=start, method=method,
            certificate=certificate, noise=noise, rows=rows, time_limit=time_limit,
            threads=threads, rng=rng,
        )
    return Solution(found, loaded, has_torch([list(blocks), head]))


def verify(
    pieces: Any,
    x: Any = None,
    pred: Any = None,
    *,
    order: Optional[Sequence[int]] = None,
    data: Optional[Path] = None,
    target_file: Optional[Path] = None,
    target: str = "pred",
    features: str = "",
    drop_missing: bool = False,
    key: str = "",
    transposed: bool = False,
    probabilities: bool = False,
    activation: str = "auto",
    roles: Optional[Path] = None,
    certificate: str = "auto",
    every_row: bool = False,
    noise: float = 0.0,
    threads: int = 0,
    progress: Progress = None,
) -> _core.Certificate:
    """Checks an order (piece ids as applied) independently of the search: own code, float64, all
    rows. The first arguments are those of `solve`; a Solution brings its puzzle and order along."""
    if isinstance(pieces, Solution):
        order = pieces.permutation if order is None else order
        activation = pieces.activation if activation == "auto" else activation
        pieces = pieces.puzzle
    if order is None:
        raise ArgumentError("order is missing: give the piece ids in the order they are applied")
    loaded = puzzle(
        pieces, x, pred, data=data, target_file=target_file, target=target, features=features,
        drop_missing=drop_missing, key=key, transposed=transposed, probabilities=probabilities,
        activation=activation, roles=roles, threads=threads,
    )
    with listening(progress) as listener:
        return _core.verify(
            loaded, whole_list("order", order), activation, listener, certificate=certificate,
            every_row=every_row, noise=noise, threads=threads,
        )


# ----------------------------------------------------------------------------- puzzles of your own


def task(
    rows: int, features: int, outputs: int = 1, *, kind: str = "regression", rng: int = 1
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """x and y to train on: standard normal features, and a random teacher's answer ("regression")
    or the number of the largest of several, one-hot ("classification")."""
    return _core.make_task(
        kind, whole("rows", rows, 1), whole("features", features, 1), whole("outputs", outputs, 1),
        whole("rng", rng),
    )


def train(
    x: Any,
    y: Any,
    *,
    blocks: int = 48,
    hidden: Union[int, Sequence[int]] = 96,
    activation: str = "relu",
    loss: str = "mse",
    optimizer: str = "adam",
    init: str = "default",
    epochs: int = 200,
    batch: int = 32,
    lr: float = 1e-4,
    weight_decay: float = 0.0,
    momentum: float = 0.0,
    threads: int = 0,
    rng: int = 1,
    progress: Progress = None,
) -> TrainedNet:
    """Trains a residual net: its stream is as wide as `x`, its head as wide as `y`.

    `hidden` is the width of the blocks, or a list of widths that they take in turn. `optimizer` is
    "adam", "adamw" or "sgd", `init` "default" (as PyTorch), "zero" (blocks start as the identity)
    or "scaled", `loss` "mse" or "cross_entropy".
    """
    with listening(progress) as listener:
        found = _core.train(
            as_features(x), as_rows(y, "y"), listener, blocks=blocks,
            hidden=[hidden] if isinstance(hidden, Integral) else whole_list("hidden", hidden, 1),
            activation=activation,
            loss=loss, optimizer=optimizer, init=init, epochs=epochs, batch=batch, lr=lr,
            weight_decay=weight_decay, momentum=momentum, threads=threads, rng=rng,
        )
    return TrainedNet(found, activation)


def _applied(net: Net) -> list[_core.Piece]:
    if isinstance(net, (Solution, TrainedNet)):
        return net.pieces
    paths = as_paths(net)
    return as_layers(net, "net") if paths is None else _core.read_checkpoint(paths[0], "")


def _module_answers(
    module: Any, applied: list[_core.Piece], x: Any, activation: str
) -> tuple[npt.NDArray[np.float32], str]:
    """What a module of torch's answers itself, and the activation under which its layers do."""
    import torch

    rows = x if isinstance(x, torch.Tensor) else torch.from_numpy(np.asarray(x, np.float32))
    with torch.no_grad():
        answers = as_rows(module(rows.to(next(module.parameters()))), "net(x)")
    size = float(np.abs(answers).max())
    errors = {}
    for each in _ACTIVATIONS if activation == "auto" else (activation,):
        ours = _core.forward(applied, as_features(x), each, 0)
        errors[each] = float(np.abs(ours - answers).max()) if ours.shape == answers.shape else np.inf
    best = min(errors, key=lambda name: errors[name])
    if not errors[best] <= 1e-3 * size:
        raise ArgumentError(
            "net is no residual net as humpty knows them: its nn.Linear layers, run as "
            f"x + W_out·{best}(W_in·x + b_in) + b_out and a head, give answers that are off by "
            f"{errors[best]:.3g}; give the layers as a list in the order they are applied, and "
            "activation=…",
            "bad_shape",
        )
    return answers, best


def drop(
    net: Net,
    x: Any,
    y: Any = None,
    *,
    activation: str = "auto",
    rng: int = 1,
    threads: int = 0,
) -> Dropped:
    """Takes a net apart: its pieces under shuffled ids, the rows `x`, and what it answers to them.

    An nn.Module is asked for its answers itself. `activation` is found by them; of a TrainedNet or
    a Solution it is known, otherwise "auto" is relu. `y`, the truth, is kept where it is given.
    """
    applied = _applied(net)
    answers = None
    if is_module(net):
        answers, activation = _module_answers(net, applied, x, activation)
    elif activation == "auto":
        activation = net.activation if isinstance(net, (Solution, TrainedNet)) else "relu"
    return Dropped(
        _core.drop(
            applied, as_features(x), None if y is None else as_rows(y, "y"), answers, activation,
            whole("rng", rng), threads_of(threads),
        ),
        has_torch(net),
    )


# --------------------------------------------------------------------------------------- arithmetic


def forward(
    net: Net, x: Any, *, activation: str = "relu", threads: int = 0
) -> npt.NDArray[np.float32]:
    """What the net answers: rows × outputs."""
    return _core.forward(_applied(net), as_features(x), activation, threads_of(threads))


def gradients(
    net: Net, x: Any, *, output: int = 0, activation: str = "relu", threads: int = 0
) -> npt.NDArray[np.float32]:
    """The adjoint: ∂ answer[output] / ∂ x_t, (blocks + 1) × rows × features, for the state x_t
    before block t and, last, before the head."""
    return _core.gradients(
        _applied(net), as_features(x), whole("output", output), activation, threads_of(threads)
    )


def delta_norms(
    blocks: Sequence[Any], x: Any, *, activation: str = "relu", threads: int = 0
) -> npt.NDArray[np.float64]:
    """How far each block moves the raw input: the mean over the rows of
    ‖W_out · act(W_in · x + b_in) + b_out‖."""
    pairs = [as_block(block, f"blocks[{i}]") for i, block in enumerate(blocks)]
    return _core.delta_norms(pairs, as_features(x), activation, threads_of(threads))
