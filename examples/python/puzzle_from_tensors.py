"""The published puzzle from tensors: pieces as torch loads them, rows as pandas or NumPy would.

puzzle_from_tensors.py [FOLDER]      FOLDER: historical_data_and_pieces; without it, a small net
"""

import pathlib
import sys
import tempfile

import numpy as np
import torch

import humpty


def a_puzzle_of_our_own(folder):
    x, y = humpty.task(rows=1000, features=16)
    net = humpty.train(x, y, blocks=8, hidden=32, init="zero", epochs=60, lr=7e-3)
    humpty.drop(net, x).write(folder)
    return folder


folder = pathlib.Path(
    sys.argv[1] if len(sys.argv) > 1 else a_puzzle_of_our_own(tempfile.mkdtemp() + "/puzzle")
)

# Pieces are state dicts by number, rows a table whose last columns are the answers.
pieces = {
    int(file.stem.split("_")[1]): torch.load(file, map_location="cpu")
    for file in (folder / "pieces").glob("piece_*.pth")
}
(csv,) = folder.glob("*.csv")
names = csv.open().readline().strip().split(",")
table = np.loadtxt(csv, delimiter=",", skiprows=1, dtype=np.float32)
x = table[:, [name.startswith("measurement") for name in names]]
pred = table[:, names.index("pred")]

s = humpty.solve(pieces, x, pred)
print(s.verdict, f"{s.mse:.3g}", s.permutation_text[:40] + "…")

# The whole net, as tensors, because the pieces were.
state = s.state_dict()
print(len(state), "tensors:", ", ".join(list(state)[:4]), "…", list(state)[-1])
