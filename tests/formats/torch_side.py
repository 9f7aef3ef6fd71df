"""The part of cross_check.py that needs torch, run by a Python of its own.

torch_side.py make EXPECTED FOLDER     saves the expected tensors in every way torch knows
torch_side.py check EXPECTED FILE…     loads each .pth and compares it with what is expected

EXPECTED is an .npz of float32 arrays, with the tensors' types in EXPECTED.json.
"""

import json
import sys

import numpy as np
import torch


def as_type(array, name):
    tensor = torch.tensor(array)
    if name == "bfloat16":  # the upper half of a float32; torch's own conversion changes NaNs
        return (tensor.view(torch.int32) >> 16).to(torch.int16).view(torch.bfloat16)
    return tensor.to(getattr(torch, name))


def load_expected(path):
    types = json.load(open(path + ".json"))
    return {name: as_type(array, types[name]) for name, array in np.load(path).items()}


def bits(tensor):
    return bytes(tensor.detach().contiguous().reshape(-1).view(torch.uint8).tolist())


class Holder(torch.nn.Module):
    """A module whose state dict is the given one."""

    def __init__(self, tensors):
        super().__init__()
        for name, tensor in tensors.items():
            self.register_buffer(name, tensor)

    def forward(self, x):
        return x


def make(tensors, folder):
    turned = {  # not row-major in their storages, which they share
        name: tensor.t().contiguous().t() if tensor.dim() == 2 else tensor
        for name, tensor in tensors.items()
    }
    turned["steps"] = torch.tensor(3)
    torch.save(turned, folder + "/zip.pt")
    torch.save(turned, folder + "/protocol4.pt", pickle_protocol=4)
    torch.save(turned, folder + "/legacy.bin", _use_new_zipfile_serialization=False)
    torch.jit.script(Holder(tensors)).save(folder + "/script.pt")


def check(tensors, files):
    for file in files:
        loaded = torch.load(file, weights_only=True)
        assert list(loaded) == list(tensors), f"{file}: {list(loaded)}"
        for name, tensor in tensors.items():
            assert loaded[name].dtype == tensor.dtype, f"{file}: {name}"
            assert loaded[name].shape == tensor.shape, f"{file}: {name}"
            assert bits(loaded[name]) == bits(tensor), f"{file}: {name}"


task, expected, *rest = sys.argv[1:]
tensors = load_expected(expected)
if task == "make":
    make(tensors, *rest)
else:
    check(tensors, rest)
