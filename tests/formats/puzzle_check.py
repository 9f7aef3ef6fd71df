"""The published puzzle out of files that the real libraries wrote, and back into models that they run.

puzzle_check.py HUMPTY TORCH_PYTHON PUZZLE

Each container must give the one true order, through the map from ids to names. The models that
`solve --model` writes must load where they belong and give the target back, to 1e-5 at most.
"""

import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
import safetensors
import safetensors.numpy
from onnx import TensorProto, helper, numpy_helper

HUMPTY, TORCH_PYTHON, PUZZLE = sys.argv[1:]
HERE = pathlib.Path(__file__).parent
SHA256 = "093be1cf2d24094db903cbc3e8d33d306ebca49c6accaa264e44b0b675e7d9c4"
LARGEST_ERROR = 1e-5
random = np.random.default_rng(7)


def torch_side(*arguments):
    subprocess.run([TORCH_PYTHON, HERE / "torch_puzzle.py", *map(str, arguments)], check=True)


def solve(source, *options, exact=True):
    """The solution as JSON, with the names of the pieces' weights in their order."""
    command = [HUMPTY, "solve", str(source), "--json", "-", *map(str, options)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == (0 if exact else 1), f"{source}: {run.stderr}"
    solution = json.loads(run.stdout)
    assert (solution["verdict"] == "exact") == exact, f"{source}: {solution['why']}"
    sources = [solution["pieces"][str(i)] for i in solution["permutation"]]
    solution["weights"] = [s.split(": ")[-1].split(" with ")[0] for s in sources]
    return solution


def expect_true_order(solution, number_of, what):
    order = ",".join(str(number_of[name]) for name in solution["weights"])
    assert hashlib.sha256(order.encode()).hexdigest() == SHA256, f"{what}: {order}"
    print(f"puzzle: {what}: {solution['verdict']}, error {solution['mse']:.3g}, the true order")


# --------------------------------------------------------------------------------- into containers


def scrambled(pieces):
    """Names that mean nothing; biases are told by the stem alone."""
    number_of, tensors = {}, {}
    for number in random.permutation(sorted(pieces)):
        stem = "".join(random.choice(list("acdefghijk"), 10))
        number_of[f"{stem}.weight"] = number
        tensors[f"{stem}.weight"], tensors[f"{stem}.bias"] = pieces[number]
    return tensors, number_of


def as_safetensors(pieces, folder):
    tensors, number_of = scrambled(pieces)
    safetensors.numpy.save_file(tensors, folder / "scrambled.safetensors")
    return folder / "scrambled.safetensors", number_of


def as_npz(pieces, folder):
    """Bare weights, then bare biases; only the order tells which belong together."""
    numbers = random.permutation(sorted(pieces))
    arrays = [pieces[n][0] for n in numbers] + [pieces[n][1] for n in numbers]
    np.savez_compressed(folder / "bare.npz", *arrays)
    return folder / "bare.npz", {f"arr_{i}": n for i, n in enumerate(numbers)}


def as_onnx(pieces, folder):
    """As exporters write it: weights in × out under numbers, biases under names."""
    nodes, stored, number_of = [], [], {}
    for i, number in enumerate(random.permutation(sorted(pieces))):
        weight, bias = pieces[number]
        name = f"onnx::MatMul_{500 + i}"
        number_of[name] = number
        stored.append(numpy_helper.from_array(np.ascontiguousarray(weight.T), name))
        stored.append(numpy_helper.from_array(bias, f"fc.{i}.bias"))
        nodes.append(helper.make_node("MatMul", [f"x{weight.shape[1]}", name], [f"product{i}"]))
        nodes.append(helper.make_node("Add", [f"product{i}", f"fc.{i}.bias"], [f"y{i}"]))
    widths = sorted({pieces[n][0].shape[1] for n in pieces})
    value = helper.make_tensor_value_info
    inputs = [value(f"x{w}", TensorProto.FLOAT, ["rows", w]) for w in widths]
    outputs = [value(f"y{i}", TensorProto.FLOAT, None) for i in range(len(pieces))]
    graph = helper.make_graph(nodes, "layers", inputs, outputs, stored)
    onnx.save(helper.make_model(graph, ir_version=8), folder / "layers.onnx")
    return folder / "layers.onnx", number_of


def check_containers(pieces, folder):
    csv, pt = f"{PUZZLE}/historical_data.csv", f"{PUZZLE}/historical_data.pt"
    for make, data in [(as_safetensors, csv), (as_npz, pt), (as_onnx, csv)]:
        source, number_of = make(pieces, folder)
        expect_true_order(solve(source, "--data", data), number_of, source.name)


def check_torch_containers(pieces, folder):
    """What torch saves: the format from before 1.6, and weights of half precision.

    The target was computed from float32 weights, so from halves nothing may be called exact.
    """
    tensors, number_of = scrambled(pieces)
    np.savez(folder / "scrambled.npz", **tensors)
    torch_side("make", folder / "scrambled.npz", folder)
    data = ["--data", f"{PUZZLE}/historical_data.csv"]
    expect_true_order(solve(folder / "legacy.pt", *data), number_of, "legacy.pt")
    for name in ["float16.pt", "bfloat16.pt"]:
        found = solve(folder / name, *data, "--time-limit", 20, exact=False)
        assert 1e-9 < found["mse"] < 1e-5, found["mse"]
        assert any(name[:-3] in note for note in found["notes"]), found["notes"]
        expect_true_order(found, number_of, name)


# ------------------------------------------------------------------------------------- into models


def rows_in(file):
    table = np.genfromtxt(file, delimiter=",", names=True)
    features = [name for name in table.dtype.names if name not in ("pred", "true")]
    return np.stack([table[name] for name in features], 1).astype(np.float32), table["pred"]


def check_error(predictions, target, what):
    error = np.abs(predictions - target).max()
    assert error <= LARGEST_ERROR, f"{what}: largest error {error}"
    print(f"puzzle: {what}: largest error {error:.3g} on {len(target)} rows")


def run_onnx(file, features):
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    return session.run(None, {"features": features})[0][:, 0]


def check_activations(folder):
    """Small nets with each nonlinearity; the order is known from when they were dropped."""
    for activation in ["relu", "leaky", "gelu", "gelu-tanh", "silu", "tanh", "identity"]:
        net, common = folder / activation, ["--activation", activation]
        train = ["train", "-o", net, "--blocks", 3, "--dim", 8, "--hidden", 16, "--rows", 200]
        rename = ["rename", net / "pieces", "--order", net / "answer.json", "-o", net / "net.onnx"]
        for command in [[*train, "--epochs", 3], rename]:
            subprocess.run([HUMPTY, *map(str, command + common)], check=True, capture_output=True)
        features, target = rows_in(net / "data.csv")
        check_error(run_onnx(net / "net.onnx", features), target, f"{activation} as ONNX")


def check_models(folder):
    features, target = rows_in(f"{PUZZLE}/historical_data.csv")
    for name in ["net.onnx", "net.safetensors", "net.npz", "net.pth"]:
        solve(PUZZLE, "--model", folder / name)
    onnx.checker.check_model(onnx.load(folder / "net.onnx"), full_check=True)
    check_error(run_onnx(folder / "net.onnx", features), target, "net.onnx")
    with safetensors.safe_open(folder / "net.safetensors", "np") as model:
        assert model.metadata()["sha256"] == SHA256, model.metadata()
        assert hashlib.sha256(model.metadata()["permutation"].encode()).hexdigest() == SHA256
        arrays = np.load(folder / "net.npz")
        assert sorted(model.keys()) == sorted(arrays.files)
        assert all((model.get_tensor(key) == arrays[key]).all() for key in arrays.files)
    np.savez(folder / "rows.npz", features=features, target=target)
    torch_side("run", folder / "net.pth", folder / "rows.npz", LARGEST_ERROR)


def main():
    with tempfile.TemporaryDirectory(prefix="humpty-puzzle-") as name:
        folder = pathlib.Path(name)
        torch_side("unpack", PUZZLE, folder / "pieces.npz")
        arrays = np.load(folder / "pieces.npz")
        numbers = sorted(int(key[1:]) for key in arrays.files if key[0] == "w")
        pieces = {n: (arrays[f"w{n}"], arrays[f"b{n}"]) for n in numbers}
        check_containers(pieces, folder)
        check_torch_containers(pieces, folder)
        check_models(folder)
        check_activations(folder)


main()
