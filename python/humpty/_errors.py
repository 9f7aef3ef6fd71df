"""What goes wrong, as exceptions."""

from __future__ import annotations

import errno
import os
from typing import Any, NamedTuple, Optional


class Where(NamedTuple):
    """Where an error is: whatever of it is known."""

    file: Optional[str] = None
    tensor: Optional[str] = None
    offset: Optional[int] = None
    """Byte in the file (or in the archive's entry)."""
    line: Optional[int] = None
    column: Optional[int] = None


class Error(Exception):
    """Whatever humpty has to say against its input; str() is one line with the place in it.

    `code` is a word: usage, not_found, unreadable, bad_format, unsafe, too_large, bad_shape,
    bad_value, bad_data, not_writable. `where` says where, `message` is the line without the place.
    """

    def __init__(
        self, text: str, code: str = "usage", where: Where = Where(), message: Optional[str] = None
    ) -> None:
        super().__init__(text)
        self.code = code
        self.where = where
        self.message = text if message is None else message

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> Any:
        return type(self), (self.args[0], self.code, self.where, self.message)


class ArgumentError(Error, ValueError):
    """An argument does not fit: the message says which, and what to do."""


class FileError(Error, OSError):
    """The operating system would not let a file be read or written."""

    def __init__(
        self, text: str, code: str = "unreadable", where: Where = Where(),
        message: Optional[str] = None,
    ) -> None:
        super().__init__(text, code, where, message)
        self.filename = where.file
        self.errno = errno.ENOENT if code == "not_found" else errno.EIO
        self.strerror = os.strerror(self.errno)


class MissingFileError(FileError, FileNotFoundError):
    """A path does not exist."""


_CLASSES = {
    "usage": ArgumentError,
    "bad_shape": ArgumentError,
    "bad_value": ArgumentError,
    "bad_data": ArgumentError,
    "unreadable": FileError,
    "not_writable": FileError,
    "not_found": MissingFileError,
}


def make(
    code: str, text: str, message: str, file: str, tensor: str, offset: Optional[int],
    line: Optional[int], column: Optional[int],
) -> Error:
    """The C++ library's error: what src/errors.cpp raises."""
    where = Where(file or None, tensor or None, offset, line, column)
    return _CLASSES.get(code, Error)(text, code, where, message)
