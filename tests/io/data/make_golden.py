"""Makes the golden files beside this script, each with the library that owns its format.

Run it with a Python that has torch, and again with one that has the packages of
tests/formats/requirements.txt: each time it makes what it can. The tests know what is in the files;
they need not be made again.
"""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
WEIGHT = np.arange(1, 7, dtype=np.float32).reshape(2, 3)  # 1 … 6
BIAS = np.array([0.5, -2])
TAR = {"net/a.txt": b"hello\n", "net/" + 30 * "long/" + "b.txt": 600 * b"x", "empty": b""}


def with_python():
    import gzip
    import io
    import tarfile

    for name, kind in {"golden.tar": tarfile.PAX_FORMAT, "golden_gnu.tar": tarfile.GNU_FORMAT}.items():
        with tarfile.open(HERE / name, "w", format=kind) as archive:
            for path, content in TAR.items():
                member = tarfile.TarInfo(path)
                member.size = len(content)
                member.mtime = 1.5 if kind == tarfile.PAX_FORMAT else 1
                archive.addfile(member, io.BytesIO(content))
            folder = tarfile.TarInfo("net/empty")
            folder.type = tarfile.DIRTYPE
            archive.addfile(folder)
    with open(HERE / "golden.csv.gz", "wb") as file:
        with gzip.GzipFile("golden.csv", "wb", fileobj=file, mtime=0) as packed:
            packed.write(b"a,b\n1,2\n3,4\n")


def with_torch():
    import torch

    tensors = {
        "weight": torch.tensor(WEIGHT),
        "bias": torch.tensor(BIAS, dtype=torch.float16),
        "turned": torch.tensor(WEIGHT).t(),
        "steps": torch.tensor(7),
    }
    path = HERE / "golden_legacy.pt"
    torch.save(tensors, path, _use_new_zipfile_serialization=False)

    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inp = torch.nn.Linear(3, 2)
            self.names = ["a"]
            self.extra = [torch.tensor([9.0])]

        def forward(self, x):
            return self.inp(x)

    block = Block()
    block.inp.weight.data = torch.tensor(WEIGHT)
    block.inp.bias.data = torch.tensor(BIAS, dtype=torch.float32)
    torch.jit.script(block).save(HERE / "golden_script.pt")
    torch.jit.freeze(torch.jit.script(block.eval())).save(HERE / "golden_frozen.pt")


def with_numpy():
    np.save(HERE / "golden.npy", WEIGHT)
    with open(HERE / "golden_v2.npy", "wb") as file:
        np.lib.format.write_array(file, np.asfortranarray(WEIGHT.astype(">f8")), version=(2, 0))
    with open(HERE / "golden_v3.npy", "wb") as file:
        np.lib.format.write_array(file, WEIGHT[0].astype("<f2"), version=(3, 0))
    arrays = {"weight": WEIGHT.T, "blocks.0.bias": BIAS, "steps": np.array(7), "scalar": BIAS[0]}
    np.savez(HERE / "golden.npz", **arrays)
    np.savez_compressed(HERE / "golden_deflated.npz", **arrays)


def with_safetensors():
    import ml_dtypes
    import safetensors.numpy

    tensors = {
        "weight": WEIGHT,
        "bias": BIAS,
        "half": BIAS.astype(np.float16),
        "brain": BIAS.astype(ml_dtypes.bfloat16),
        "steps": np.array(7),
        "empty": np.zeros((0, 4), np.float32),
    }
    safetensors.numpy.save_file(tensors, HERE / "golden.safetensors", {"made": "by hand"})


def with_onnx():
    import onnx
    from onnx import TensorProto, helper

    weight, bias = WEIGHT.flatten().tolist(), BIAS.tolist()
    raw = onnx.numpy_helper.from_array(WEIGHT, "raw")
    kinds = [
        ("floats", TensorProto.FLOAT),
        ("doubles", TensorProto.DOUBLE),
        ("halves", TensorProto.FLOAT16),
        ("brains", TensorProto.BFLOAT16),
        ("steps", TensorProto.INT64),
    ]
    values = {"steps": [7, 8]}
    typed = [helper.make_tensor(name, kind, [2], values.get(name, bias)) for name, kind in kinds]
    nodes = [
        helper.make_node("Constant", [], ["constant"], value=raw),
        helper.make_node("Constant", [], ["number"], value_float=2.5),
        helper.make_node("Constant", [], ["row"], value_floats=weight),
        helper.make_node("Gemm", ["x", "raw", "floats"], ["y"], transB=1),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 3])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", 2])
    graph = helper.make_graph(nodes, "golden", [x], [y], [raw, *typed])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, HERE / "golden.onnx")


def with_gguf():
    import gguf

    writer = gguf.GGUFWriter(HERE / "golden.gguf", "humpty")
    writer.add_array("words", ["all", "the", "king's"])
    writer.add_array("numbers", [1, 2, 3])
    writer.add_float64("pi", 3.14)
    writer.add_tensor("weight", WEIGHT)
    writer.add_tensor("half", BIAS.astype(np.float16))
    writer.add_tensor("bias", BIAS)
    writer.add_tensor("steps", np.array([7]))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


for make in [with_python, with_torch, with_numpy, with_safetensors, with_onnx, with_gguf]:
    try:
        make()
    except ImportError as missing:
        print(f"{make.__name__}: {missing}")
