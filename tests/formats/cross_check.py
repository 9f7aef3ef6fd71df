"""Files written by the libraries that own the formats, read here; files written here, read there.

cross_check.py CONVERT TORCH_PYTHON

CONVERT is the program made from convert.cpp: it reads any container and writes any other. So each
file of theirs is converted into each of our formats, and the result is loaded by the library that
owns that format: if names, shapes, types and bits are the same, both our reader and our writer did
right.
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

import gguf
import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import safetensors.numpy
from onnx import TensorProto, helper, numpy_helper

CONVERT, TORCH_PYTHON = sys.argv[1:]
HERE = pathlib.Path(__file__).parent
BRAIN = np.dtype(ml_dtypes.bfloat16)
checked = 0


def expected_tensors():
    """Every type and awkward shape; float64 values that float32 can hold."""
    random = np.random.default_rng(1)

    def normal(*shape):
        return random.standard_normal(shape).astype(np.float32)

    odd = [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan]
    return {
        "weight": normal(7, 5),
        "bias": normal(7),
        "cube": normal(2, 3, 4),
        "scalar": np.array(2.5, np.float32),
        "empty": np.zeros((0, 4), np.float32),
        "odd_float32": np.array(odd + [3e38, 1e-45, 1.1754944e-38], np.float32),
        "odd_float64": np.array(odd + [3e38, 1e-45, 0.1], np.float32).astype(np.float64),
        "odd_float16": np.array(odd + [65504, 6e-8, 6.1e-5], np.float16),
        "odd_bfloat16": np.array(odd + [3e38, 1e-40, 0.1], BRAIN),
        "half_matrix": normal(3, 4).astype(np.float16),
        "brain_matrix": normal(3, 4).astype(BRAIN),
    }


def bits(array):
    return np.ascontiguousarray(array).tobytes()


def same(found, expected, what):
    global checked
    assert sorted(found) == sorted(expected), f"{what}: {sorted(found)}"
    for name, array in expected.items():
        assert found[name].dtype == array.dtype, f"{what}: {name} is {found[name].dtype}"
        assert found[name].shape == array.shape, f"{what}: {name} is {found[name].shape}"
        assert bits(found[name]) == bits(array), f"{what}: {name} differs"
    checked += 1


def convert(source, target, fails=False):
    run = subprocess.run([CONVERT, source, target], capture_output=True, text=True)
    assert (run.returncode != 0) == fails, f"{source} to {target}: {run.stderr}"
    return run.stderr if fails else run.stdout


# ---------------------------------------------------------------------------- our files, read there


def load_safetensors(path):
    return safetensors.numpy.load_file(path)


def load_npz(path):
    return dict(np.load(path))


def load_onnx(path):
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    tensors = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    run_in_onnxruntime(path, tensors)
    return tensors


def run_in_onnxruntime(path, tensors):
    """Each initialiser goes to an output; those that Python can take must come out the same."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    outputs = [name + "/out" for name, array in tensors.items() if array.dtype != BRAIN]
    for name, array in zip(outputs, session.run(outputs, {})):
        assert bits(array) == bits(tensors[name.removesuffix("/out")]), f"{path}: {name}"


def without_brain(tensors):
    """NumPy has no bfloat16: our .npz holds it as float32."""
    return {n: a.astype(np.float32) if a.dtype == BRAIN else a for n, a in tensors.items()}


LOADERS = {
    "safetensors": (load_safetensors, lambda tensors: tensors),
    "npz": (load_npz, without_brain),
    "onnx": (load_onnx, lambda tensors: tensors),
}


def check_conversions(source, expected, folder):
    for extension, (load, as_stored) in LOADERS.items():
        target = f"{folder}/{pathlib.Path(source).name}-ours.{extension}"
        convert(source, target)
        same(load(target), as_stored(expected), f"{source} to {extension}")


# -------------------------------------------------------------------------- their files, read here


def their_safetensors(tensors, folder):
    safetensors.numpy.save_file(tensors, f"{folder}/model.safetensors", {"format": "np"})
    yield f"{folder}/model.safetensors", tensors


def their_shards(tensors, folder):
    half = len(tensors) // 2
    weight_map = {}
    pathlib.Path(f"{folder}/shards").mkdir()
    for number, part in enumerate([list(tensors)[:half], list(tensors)[half:]], start=1):
        shard = f"model-{number:05}-of-00002.safetensors"
        shard_tensors = {name: tensors[name] for name in part}
        safetensors.numpy.save_file(shard_tensors, f"{folder}/shards/{shard}")
        weight_map.update(dict.fromkeys(part, shard))
    yield f"{folder}/shards", tensors
    index = f"{folder}/shards/model.safetensors.index.json"
    json.dump({"metadata": {"total_size": 0}, "weight_map": weight_map}, open(index, "w"))
    yield index, tensors


def their_npz(tensors, folder):
    plain = without_brain(tensors)
    fortran = {name: np.array(array, order="F") for name, array in plain.items()}
    big = {name: array.astype(array.dtype.newbyteorder(">")) for name, array in fortran.items()}
    np.savez(f"{folder}/stored.npz", **plain)
    np.savez_compressed(f"{folder}/deflated.npz", **fortran)
    np.savez(f"{folder}/big.npz", steps=np.arange(3), **big)
    for name in ["stored", "deflated", "big"]:
        yield f"{folder}/{name}.npz", plain


def onnx_model(tensors, raw):
    def proto(name, array):
        if raw:
            return numpy_helper.from_array(array, name)
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        return helper.make_tensor(name, kind, array.shape, array.flatten())

    constants = [n for i, n in enumerate(tensors) if i % 2]
    nodes = [helper.make_node("Constant", [], [n], value=proto("", tensors[n])) for n in constants]
    nodes.append(helper.make_node("Identity", ["weight"], ["y"]))
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, tensors["weight"].shape)
    stored = [proto(name, array) for name, array in tensors.items() if name not in constants]
    graph = helper.make_graph(nodes, "theirs", [], [y], stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def their_onnx(tensors, folder):
    for name, raw in [("raw", True), ("typed", False)]:
        onnx.save(onnx_model(tensors, raw), f"{folder}/{name}.onnx")
        yield f"{folder}/{name}.onnx", tensors
    options = dict(save_as_external_data=True, size_threshold=0, convert_attribute=True)
    onnx.save(onnx_model(tensors, True), f"{folder}/external.onnx", location="w.bin", **options)
    yield f"{folder}/external.onnx", tensors


def their_gguf(tensors, folder):
    # GGUF knows neither scalars nor, in this library, bfloat16 arrays: those go as raw bytes.
    fitting = {n: a for n, a in tensors.items() if a.ndim > 0 and a.size > 0}
    writer = gguf.GGUFWriter(f"{folder}/model.gguf", "humpty")
    writer.add_array("words", ["all", "the", "king's", "horses"])
    for name, array in fitting.items():
        if array.dtype == BRAIN:
            kind = gguf.GGMLQuantizationType.BF16
            writer.add_tensor(name, array.view(np.uint8), raw_dtype=kind)
        else:
            writer.add_tensor(name, array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    yield f"{folder}/model.gguf", fitting


def torch_side(task, tensors, folder, *files):
    expected = f"{folder}/expected-{task}.npz"
    np.savez(expected, **{name: array.astype(np.float32) for name, array in tensors.items()})
    json.dump({name: array.dtype.name for name, array in tensors.items()}, open(f"{expected}.json", "w"))
    subprocess.run([TORCH_PYTHON, HERE / "torch_side.py", task, expected, *files], check=True)


def their_torch(tensors, folder):
    torch_side("make", tensors, folder, folder)
    for name in ["zip.pt", "protocol4.pt", "legacy.bin", "script.pt"]:
        yield f"{folder}/{name}", tensors


# --------------------------------------------------------------------------------- single questions


def check_torch_loads_ours(tensors, folder):
    """From an .npz, as that keeps the order of the tensors; so without bfloat16."""
    global checked
    plain = without_brain(tensors)
    np.savez(f"{folder}/for-torch.npz", **plain)
    convert(f"{folder}/for-torch.npz", f"{folder}/ours.pth")
    torch_side("check", plain, folder, f"{folder}/ours.pth")
    brains = {name: array for name, array in tensors.items() if array.dtype == BRAIN}
    safetensors.numpy.save_file(brains, f"{folder}/brains.safetensors")
    convert(f"{folder}/brains.safetensors", f"{folder}/brains.pth")
    torch_side("check", dict(sorted(brains.items())), folder, f"{folder}/brains.pth")
    checked += 2


def check_rounding(folder):
    """float64 is read as the nearest float32, as NumPy rounds it."""
    exact = np.random.default_rng(2).standard_normal(1000) * 10.0 ** np.arange(-50, 50).repeat(10)
    np.save(f"{folder}/exact.npy", exact)
    convert(f"{folder}/exact.npy", f"{folder}/rounded.npy")
    with np.errstate(over="ignore", under="ignore"):
        rounded = exact.astype(np.float32).astype(np.float64)
    same({"": np.load(f"{folder}/rounded.npy")}, {"": rounded}, "rounding")


def check_metadata(folder):
    said = {"permutation": "3,1,2", "quote": '"\\\n\t é 🥚'}
    source, target = f"{folder}/said.safetensors", f"{folder}/said-ours.safetensors"
    safetensors.numpy.save_file({"a": np.zeros(1, np.float32)}, source, said)
    convert(source, target)
    with safetensors.safe_open(target, "np") as file:
        assert file.metadata() == said, file.metadata()


def check_quantised_is_refused(folder):
    writer = gguf.GGUFWriter(f"{folder}/quantised.gguf", "humpty")
    blocks = gguf.quantize(np.ones((2, 32), np.float32), gguf.GGMLQuantizationType.Q8_0)
    writer.add_tensor("w", blocks, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    said = convert(f"{folder}/quantised.gguf", f"{folder}/q.npz", fails=True)
    assert "is quantised (Q8_0); dequantise it first" in said, said


def check_graphs(folder):
    """The graph that convert makes by itself: a layer and every activation, for each opset."""
    global checked
    x = np.linspace(-4, 4, 12, dtype=np.float32).reshape(4, 3)
    weight = np.array([[0.5, -1, 2], [1.5, 0.25, -0.75]], np.float32)
    h = (x @ weight.T + np.array([0.125, -0.5], np.float32)).astype(np.float64)
    erf = np.vectorize(math.erf)
    expected = {
        "relu": np.maximum(h, 0),
        "leaky": np.where(h > 0, h, 0.125 * h),
        "gelu": 0.5 * h * (1 + erf(h / math.sqrt(2))),
        "silu": h / (1 + np.exp(-h)),
        "tanh": np.tanh(h),
        "residual": x @ np.eye(3) + np.maximum(h, 0) @ weight,
    }
    for opset in range(13, 18):
        path = f"{folder}/graph-{opset}.onnx"
        subprocess.run([CONVERT, f"--graph={opset}", path], check=True)
        model = onnx.load(path)
        onnx.checker.check_model(model, full_check=True)
        assert model.opset_import[0].version == opset
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        for name, values in zip(expected, session.run(list(expected), {"x": x})):
            assert np.abs(values - expected[name]).max() < 1e-5, f"{path}: {name}"
            checked += 1


def main():
    tensors = expected_tensors()
    with tempfile.TemporaryDirectory(prefix="humpty-formats-") as folder:
        for make in [their_safetensors, their_shards, their_npz, their_onnx, their_gguf, their_torch]:
            for source, expected in make(tensors, folder):
                check_conversions(source, expected, folder)
        check_torch_loads_ours(tensors, folder)
        check_rounding(folder)
        check_metadata(folder)
        check_quantised_is_refused(folder)
        check_graphs(folder)
    print(f"formats: {checked} comparisons with the real libraries, all the same")


main()
