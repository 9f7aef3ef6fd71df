"""A checkpoint saved by real PyTorch is dropped by humpty; real PyTorch loads every piece.

    /usr/bin/python3 tests/torch/drop_and_load.py build/humpty

Each piece must load with weights_only=True, be bit-equal to the layer it came from, and the data's
`pred` must be what PyTorch's own forward pass gives. A net with a stem, trained here, is solved too.
"""
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inp = nn.Linear(dim, hidden)
        self.out = nn.Linear(hidden, dim)

    def forward(self, x):
        return x + self.out(torch.relu(self.inp(x)))


class Net(nn.Module):
    def __init__(self, blocks, dim, hidden, outputs, features=None):
        super().__init__()
        self.stem = nn.Linear(features, dim) if features else None
        self.blocks = nn.ModuleList(Block(dim, hidden) for _ in range(blocks))
        self.last = nn.Linear(dim, outputs)

    def forward(self, x):
        if self.stem:
            x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.last(x)

    def layers(self):
        if self.stem:
            yield self.stem
        for block in self.blocks:
            yield from (block.inp, block.out)
        yield self.last


def train(net, features, outputs):
    x = torch.randn(1000, features)
    y = torch.tanh(x @ torch.randn(features, outputs))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    for _ in range(200):
        optimizer.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()


def check(program, folder, blocks, dim, hidden, outputs, stem=None):
    torch.manual_seed(blocks)
    net = Net(blocks, dim, hidden, outputs, stem)
    features = stem or dim
    if stem:
        train(net, features, outputs)
    torch.save(net.state_dict(), folder / "model.pth")
    subprocess.run([program, "drop", folder / "model.pth", "-o", folder / "net", "--rows", "200"], check=True, stderr=subprocess.DEVNULL)
    answer = json.loads((folder / "net/answer.json").read_text())
    for layer, piece_id in zip(net.layers(), answer["permutation"], strict=True):
        piece = torch.load(folder / f"net/pieces/piece_{piece_id}.pth", weights_only=True)
        assert list(piece) == ["weight", "bias"], piece.keys()
        assert torch.equal(piece["weight"], layer.weight) and torch.equal(piece["bias"], layer.bias), piece_id
    with open(folder / "net/data.csv") as file:
        rows = [[float(cell) for cell in row] for row in list(csv.reader(file))[1:]]
    table = torch.tensor(rows)
    with torch.no_grad():
        error = (net(table[:, :features]) - table[:, features : features + outputs]).abs().max().item()
    assert error <= 1e-5, error
    if stem:
        found = subprocess.run([program, "solve", folder / "net"], check=True, capture_output=True, text=True)
        assert found.stdout.strip() == ",".join(map(str, answer["permutation"])), found
    print(f"{blocks} blocks, {dim}/{hidden}, {outputs} outputs: bit-equal, pred within {error:.1e}")


for shape in [(12, 16, 24, 1), (3, 7, 40, 5), (1, 5, 3, 2), (6, 12, 20, 1, 9)]:
    with tempfile.TemporaryDirectory() as name:
        check(sys.argv[1], Path(name), *shape)
