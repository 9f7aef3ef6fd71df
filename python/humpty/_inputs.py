"""Whatever users have, as what the library takes: float32, C-contiguous, on the CPU.

float32 goes through as it is, without a copy. float64, float16 and bfloat16 are converted: weights
and rows are rounded to the nearest float32. Rows may be integers that float32 can hold. Whatever is not contiguous is copied. Tensors that
require gradients are only read, so they are taken without their history. Tensors on another device
are copied from there, with a warning. Everything else is refused with the argument's name.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import ArgumentError

Floats = npt.NDArray[np.float32]
Path = Union[str, "os.PathLike[str]"]

_CONVERTED = ("float64", "float16", "bfloat16")


class Tensor(NamedTuple):
    """An array as the library takes it, and the type that it had."""

    array: Floats
    dtype: str


def is_torch(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_module(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def is_linear(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Linear)


def is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def has_torch(value: Any) -> bool:
    """Is there a tensor of torch's in it?"""
    if is_torch(value) or is_module(value) or getattr(value, "_torch", False):
        return True
    if isinstance(value, Mapping):
        return any(has_torch(each) for each in value.values())
    if isinstance(value, (list, tuple)):
        return any(has_torch(each) for each in value)
    return False


def _warn(text: str) -> None:
    """In the name of the line that called the package: Python says the same of it only once."""
    here, level = os.path.dirname(__file__), 1
    while os.path.dirname(sys._getframe(level).f_code.co_filename) == here:
        level += 1
    warnings.warn(text, stacklevel=level + 1)


def _from_torch(value: Any, name: str) -> Any:
    if value.layout is not sys.modules["torch"].strided:
        raise ArgumentError(f"{name} is a sparse tensor; give {name}.to_dense()", "usage")
    value = value.detach()
    if value.device.type == "meta":
        raise ArgumentError(f"{name} is on the device 'meta' and has no values; load it first")
    if value.device.type != "cpu":
        _warn(f"tensors on {value.device} are copied to the CPU; humpty computes there")
        value = value.cpu()
    if str(value.dtype) == "torch.bfloat16":  # NumPy has none
        return value.float().numpy(), "bfloat16"
    return value.numpy(), str(value.dtype).replace("torch.", "")


def _as_array(value: Any, name: str) -> tuple[Any, str]:
    if is_torch(value):
        array, dtype = _from_torch(value, name)
        return array, dtype
    if hasattr(value, "__cuda_array_interface__"):
        raise ArgumentError(f"{name} is on a GPU; copy it to the CPU first")
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ArgumentError(f"{name} is no array: {error}") from error
    return array, array.dtype.name


def _from_whole(array: Any, name: str) -> Floats:
    """Integers or bools as float32, if that can hold each of them."""
    floats: Floats = array.astype(np.float32)
    with np.errstate(invalid="ignore"):  # 2⁶³ and beyond comes back as something else
        same = np.array_equal(floats.astype(array.dtype), array)
    if not same:
        raise ArgumentError(
            f"{name} holds {array.dtype.name} beyond what float32 can hold; convert it with "
            ".astype('float32'), or scale it"
        )
    return floats


def as_tensor(
    value: Any, name: str, dimensions: Sequence[int], whole: bool = False
) -> Tensor:
    """`value` as a float32 array of one of these numbers of dimensions; of whole numbers too, where
    these make sense."""
    array, dtype = _as_array(value, name)
    if whole and array.dtype.kind in "iub":
        array, dtype = _from_whole(array, name), "float32"
    if dtype != "float32" and dtype not in _CONVERTED:
        raise ArgumentError(
            f"{name} holds {dtype}; float32 is needed (float64, float16 and bfloat16 are "
            "converted): convert it with .astype('float32'), or .float() in torch"
        )
    if array.ndim not in dimensions:
        wanted = " or ".join(str(each) for each in dimensions)
        raise ArgumentError(
            f"{name} has {array.ndim} dimensions, shape {tuple(array.shape)}; {wanted} are needed",
            "bad_shape",
        )
    if array.size == 0:
        raise ArgumentError(f"{name} is empty, shape {tuple(array.shape)}", "bad_shape")
    return Tensor(np.ascontiguousarray(array, dtype=np.float32), dtype)


def as_rows(value: Any, name: str) -> Floats:
    """Rows × columns; a single column may come as a vector."""
    array = as_tensor(value, name, (1, 2), whole=True).array
    return array.reshape(-1, 1) if array.ndim == 1 else array


def as_features(value: Any, name: str = "x") -> Floats:
    return as_tensor(value, name, (2,), whole=True).array


def is_table(value: Any) -> bool:
    """A DataFrame: of pandas, or of whoever has columns that can be asked for by name."""
    return hasattr(value, "columns") and hasattr(value, "__getitem__")


def as_table(value: Any, name: str, choosy: bool) -> tuple[list[str], Floats]:
    """Its columns' names and values. Where the user has chosen some (`choosy`), those that hold no
    numbers are left out; otherwise they are refused."""
    names, columns = [], []
    for column in value.columns:
        array, dtype = _as_array(value[column], f"{name}[{column!r}]")
        if array.dtype.kind not in "fiub":
            if choosy:
                continue
            raise ArgumentError(
                f"{name}[{column!r}] holds {dtype}, not numbers; features='a,b' names the columns "
                "to use"
            )
        names.append(str(column))
        columns.append(as_tensor(array, f"{name}[{column!r}]", (1,), whole=True).array)
    if not columns:
        raise ArgumentError(f"{name} has no columns of numbers")
    return names, np.ascontiguousarray(np.stack(columns, axis=1))


# ------------------------------------------------------------------------------------------ pieces

Named = tuple[str, Floats, str]  # as make_pieces takes it


def _linear_tensors(layer: Any) -> dict[str, Any]:
    return {
        "weight": layer.weight,
        **({} if layer.bias is None else {"bias": layer.bias}),
    }


def _layer(value: Any, name: str) -> Mapping[str, Any]:
    """One layer in any of its forms as {"weight": …, "bias": …}."""
    if is_linear(value):
        return _linear_tensors(value)
    if isinstance(value, Mapping):
        return value
    if isinstance(value, (tuple, list)) and len(value) == 2 and not np.isscalar(value[0]):
        weight, bias = value
        return {"weight": weight} if bias is None else {"weight": weight, "bias": bias}
    return {"weight": value}


def as_piece(value: Any, name: str, number: int = 0) -> _core.Piece:
    """One layer: an nn.Linear, {"weight": W, "bias": b}, (W, b) or W alone, W being out × in."""
    if isinstance(value, _core.Piece):
        return value
    tensors = {key.rpartition(".")[2]: each for key, each in _layer(value, name).items()}
    if "weight" not in tensors or not set(tensors) <= {"weight", "bias"}:
        raise ArgumentError(
            f"{name} has {', '.join(map(repr, tensors))}; a layer is "
            "{'weight': W, 'bias': b}, (W, b), W alone, or an nn.Linear"
        )
    weight = as_tensor(tensors["weight"], f"{name}: weight", (2,))
    bias = None
    if tensors.get("bias") is not None:
        bias = as_tensor(tensors["bias"], f"{name}: bias", (1,))
        if bias.array.size != weight.array.shape[0]:
            raise ArgumentError(
                f"{name}: bias has {bias.array.size} values, weight {weight.array.shape[0]} rows "
                "(out × in)",
                "bad_shape",
            )
    return _core.make_piece(
        weight.array, None if bias is None else bias.array, name, weight.dtype,
        "float32" if bias is None else bias.dtype, number,
    )


def as_block(value: Any, name: str) -> tuple[_core.Piece, _core.Piece]:
    """The two layers of a block: a pair of them, or a module with two nn.Linear."""
    if is_module(value) and not is_linear(value):
        value = [layer for layer in value.modules() if is_linear(layer)]
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise ArgumentError(f"{name} is no block; give (expand layer, contract layer)")
    return as_piece(value[0], f"{name}[0]"), as_piece(value[1], f"{name}[1]")


def as_layers(value: Any, name: str) -> list[_core.Piece]:
    """A sequence of layers."""
    if is_module(value):
        value = linear_layers(value)
    if isinstance(value, Mapping) or not isinstance(value, Iterable) or is_torch(value):
        raise ArgumentError(f"{name} must be a list of layers")
    return [as_piece(each, f"{name}[{i}]", i) for i, each in enumerate(value)]


def linear_layers(module: Any) -> list[Any]:
    layers = [layer for layer in module.modules() if is_linear(layer)]
    if not layers:
        raise ArgumentError("the module holds no nn.Linear; a piece is a linear layer")
    return layers


def _tensors(layer: Mapping[Any, Any], name: str) -> list[Named]:
    named = []
    for key, value in layer.items():
        if value is not None:
            array, dtype = as_tensor(value, f"{name}[{key!r}]", (1, 2))
            named.append((str(key), array, dtype))
    return named


def _files(pieces: Any) -> list[tuple[str, list[Named]]]:
    """Pieces from memory as if they had come from files: see docs/python.md for the forms."""
    if is_module(pieces):
        return [
            (f"layer_{i}", _tensors(_linear_tensors(layer), f"pieces: layer {i}"))
            for i, layer in enumerate(linear_layers(pieces))
        ]
    if isinstance(pieces, Mapping):
        if any(isinstance(v, (Mapping, tuple, list)) or is_linear(v) for v in pieces.values()):
            return [
                (str(key), _tensors(_layer(value, ""), f"pieces[{key!r}]"))
                for key, value in pieces.items()
            ]
        return [("pieces", _tensors(pieces, "pieces"))]
    if not isinstance(pieces, Sequence) or isinstance(pieces, (bytes, str)):
        raise ArgumentError(
            f"pieces is of the type {type(pieces).__name__}; give paths, a list or dict of state "
            "dicts, a dict of tensors, or an nn.Module"
        )
    return [
        (f"piece_{i}", _tensors(_layer(value, ""), f"pieces[{i}]"))
        for i, value in enumerate(pieces)
    ]


def make_pieces(
    pieces: Any, features: int, options: Mapping[str, Any]
) -> tuple[list[_core.Piece], list[str]]:
    if isinstance(pieces, (list, tuple)) and pieces and all(
        isinstance(each, _core.Piece) for each in pieces
    ):
        return list(pieces), []
    if isinstance(pieces, (Mapping, Sequence)) and len(pieces) == 0:
        raise ArgumentError("pieces is empty")
    return _core.make_pieces(_files(pieces), features, **options)


def as_paths(value: Any) -> Optional[list[str]]:
    """Paths, if that is what it is."""
    if is_path(value):
        return [os.fspath(value)]
    if isinstance(value, (list, tuple)) and value and all(is_path(each) for each in value):
        return [os.fspath(each) for each in value]
    return None
