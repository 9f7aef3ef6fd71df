"""Numbers from callers, checked before they go into the library."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._errors import ArgumentError

MOST_THREADS = 1024


def whole(name: str, value: Any, least: int = 0, most: int = 2**64 - 1) -> int:
    """The value as an int, if it is one within the limits."""
    if isinstance(value, (str, bytes)) or not _is_whole(value) or not least <= int(value) <= most:
        limits = f"{least} or more" if most == 2**64 - 1 else f"{least} to {most}"
        raise ArgumentError(f"{name}={_short(value)} must be a whole number, {limits}")
    return int(value)


def threads_of(value: Any) -> int:
    return whole("threads", value, 0, MOST_THREADS)


def whole_list(name: str, values: Any, least: int = 0) -> list[int]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ArgumentError(f"{name}={_short(values)} must be a list of whole numbers")
    return [whole(f"{name}[{i}]", value, least) for i, value in enumerate(values)]


def _is_whole(value: Any) -> bool:
    try:
        return bool(int(value) == value)
    except (TypeError, ValueError, OverflowError):  # no number; NaN; infinity
        return False


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:40] + "..."
