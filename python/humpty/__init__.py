"""humpty puts dropped residual networks back together.

    import humpty
    s = humpty.solve("historical_data_and_pieces")    # or solve(pieces, x, pred)
    s.permutation, s.verdict, s.mse, s.blocks, s.certificate
    s.state_dict()                                    # the whole net
    s.report("out.html")

From the shuffled linear layers of a residual network and rows of data it finds which layers belong
together and in what order they run, and checks the answer independently.
"""

from ._core import (
    Block,
    Certificate,
    Pairing,
    PairReport,
    Piece,
    Puzzle,
    Rival,
    Rows,
    version,
)
from ._errors import ArgumentError, Error, FileError, MissingFileError, Where
from ._functions import (
    delta_norms,
    drop,
    forward,
    gradients,
    order,
    pair,
    puzzle,
    read,
    solve,
    task,
    train,
    verify,
)
from ._results import Dropped, Solution, TrainedNet

__version__ = version()

__all__ = [
    "ArgumentError",
    "Block",
    "Certificate",
    "Dropped",
    "Error",
    "FileError",
    "MissingFileError",
    "PairReport",
    "Pairing",
    "Piece",
    "Puzzle",
    "Rival",
    "Rows",
    "Solution",
    "TrainedNet",
    "Where",
    "__version__",
    "delta_norms",
    "drop",
    "forward",
    "gradients",
    "order",
    "pair",
    "puzzle",
    "read",
    "solve",
    "task",
    "train",
    "verify",
]
