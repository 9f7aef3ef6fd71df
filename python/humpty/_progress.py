"""progress=True, or a callable."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Callable, Optional, Union

OnProgress = Callable[[str, float, str], Any]
"""Called with the stage ("pair", "order", …), what share of it is done (negative where nobody can
tell) and a note, in the calling thread, at most fifty times a second. False asks for a stop: the
search then ends with the best it has."""

Progress = Union[None, bool, OnProgress]


class _Bar:
    """tqdm's bar, a new one for each stage."""

    def __init__(self, tqdm: Any) -> None:
        self.tqdm, self.bar, self.stage = tqdm, None, ""

    def __call__(self, stage: str, done: float, note: str) -> None:
        if stage != self.stage:
            self.close()
            self.stage = stage
            self.bar = self.tqdm(
                total=100, desc=stage, leave=False, bar_format="{desc} {bar} {elapsed} {postfix}"
            )
        assert self.bar is not None
        if done >= 0:
            self.bar.n = 100 * done
        self.bar.set_postfix_str(note)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


@contextlib.contextmanager
def listening(progress: Progress) -> Iterator[Optional[OnProgress]]:
    """What the library calls, for as long as it works."""
    if callable(progress):
        yield progress
        return
    if not progress:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:  # as promised: a bar where there is one
        yield None
        return
    bar = _Bar(tqdm)
    try:
        yield bar
    finally:
        bar.close()
