"""puzzle_check.py's questions to real PyTorch, which lives in another Python.

torch_puzzle.py unpack PUZZLE PIECES.npz       the published pieces as w0, b0, w1, b1, …
torch_puzzle.py make TENSORS.npz FOLDER        legacy.pt, float16.pt and bfloat16.pt from tensors
torch_puzzle.py run MODEL.pth ROWS.npz LIMIT   the model in the paper's modules, on rows
"""

import pathlib
import re
import sys

import numpy as np
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, in_dim, hidden_dim):
        super().__init__()
        self.inp = nn.Linear(in_dim, hidden_dim)
        self.activation = nn.ReLU()
        self.out = nn.Linear(hidden_dim, in_dim)

    def forward(self, x):
        return x + self.out(self.activation(self.inp(x)))


class LastLayer(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.layer = nn.Linear(in_dim, out_dim)

    def forward(self, x):
        return self.layer(x)


class Net(nn.Module):
    def __init__(self, state):
        super().__init__()
        hidden = [w.shape for key, w in state.items() if key.endswith(".inp.weight")]
        self.blocks = nn.ModuleList(Block(d, h) for h, d in hidden)
        outputs, width = state["last.layer.weight"].shape
        self.last = LastLayer(width, outputs)
        self.load_state_dict(state)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.last(x)


def unpack(puzzle, target):
    arrays = {}
    for file in pathlib.Path(puzzle, "pieces").glob("*.pth"):
        number = re.findall(r"\d+", file.stem)[-1]
        piece = torch.load(file, map_location="cpu", weights_only=True)
        arrays["w" + number], arrays["b" + number] = piece["weight"].numpy(), piece["bias"].numpy()
    np.savez(target, **arrays)


def make(source, folder):
    tensors = {name: torch.from_numpy(array) for name, array in np.load(source).items()}
    torch.save(tensors, folder + "/legacy.pt", _use_new_zipfile_serialization=False)
    for dtype in [torch.float16, torch.bfloat16]:
        halves = {name: tensor.to(dtype) for name, tensor in tensors.items()}
        torch.save(halves, f"{folder}/{str(dtype).removeprefix('torch.')}.pt")


def run(model, rows, limit):
    net = Net(torch.load(model, weights_only=True))
    rows = np.load(rows)
    with torch.no_grad():
        answers = net(torch.from_numpy(rows["features"]))[:, 0].numpy()
    error = np.abs(answers - rows["target"]).max()
    assert error <= float(limit), f"{model}: largest error {error}"
    print(f"puzzle: net.pth in Block and LastLayer: largest error {error:.3g}")


task, *arguments = sys.argv[1:]
{"unpack": unpack, "make": make, "run": run}[task](*arguments)
