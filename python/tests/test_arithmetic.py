"""Beside NumPy and torch: scores, delta-norms, forward passes, adjoints."""

import numpy as np
import pytest

import humpty


def relu(x):
    return np.maximum(x, 0)


def in_float64(layers):
    return [(weight.astype(np.float64), bias.astype(np.float64)) for weight, bias in layers]


def states(layers, x):
    """x_0 … x_n in float64."""
    xs = [np.float64(x)]
    for (w_in, b_in), (w_out, b_out) in zip(layers[0:-1:2], layers[1:-1:2]):
        xs.append(xs[-1] + relu(xs[-1] @ w_in.T + b_in) @ w_out.T + b_out)
    return xs


def test_forward_is_numpys(small):
    layers = in_float64(small.layers())
    expected = states(layers, small.x)[-1] @ layers[-1][0].T + layers[-1][1]
    found = humpty.forward(small.layers(), small.x)
    assert found.dtype == np.float32 and found.shape == expected.shape
    assert np.abs(found - expected).max() < 1e-5 * np.abs(expected).max()


def test_ratio_scores_are_numpys(small):
    layers = in_float64(small.layers())
    expected = np.array([
        [abs(np.trace(w_out @ w_in)) / np.linalg.norm(w_out @ w_in) for w_out, _ in layers[1:-1:2]]
        for w_in, _ in layers[0:-1:2]
    ])
    report = humpty.pair(small.layers()[0:-1:2], small.layers()[1:-1:2], signal="ratio")
    assert report.scores == pytest.approx(expected, abs=1e-5)


def test_delta_norms_are_numpys(small):
    blocks, _ = small.blocks()
    expected = [
        np.linalg.norm(relu(small.x @ np.float64(w_in).T + b_in) @ np.float64(w_out).T + b_out,
                       axis=1).mean()
        for (w_in, b_in), (w_out, b_out) in blocks
    ]
    assert humpty.delta_norms(blocks, small.x) == pytest.approx(expected, rel=1e-5)


def test_adjoints_are_numpys(small):
    layers = in_float64(small.layers())
    xs = states(layers, small.x)
    g = np.broadcast_to(layers[-1][0][0], xs[-1].shape)
    expected = [g]
    for t in reversed(range(len(layers) // 2)):
        (w_in, b_in), (w_out, _) = layers[2 * t], layers[2 * t + 1]
        g = g + ((xs[t] @ w_in.T + b_in > 0) * (g @ w_out)) @ w_in
        expected.insert(0, g)
    found = humpty.gradients(small.layers(), small.x)
    # A unit at its kink may fall on either side in float32: nearly all rows agree.
    error = np.abs(found - np.array(expected)).max(axis=(0, 2))
    assert found.shape == (7, 600, 12)
    assert np.mean(error < 1e-4 * np.abs(expected).max()) > 0.99


ACTIVATIONS = ["relu", "leaky", "gelu", "gelu-tanh", "silu", "tanh", "identity"]


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


def torch_activation(torch, name):
    F = torch.nn.functional
    return {
        "relu": F.relu,
        "leaky": F.leaky_relu,
        "gelu": F.gelu,
        "gelu-tanh": lambda x: F.gelu(x, approximate="tanh"),
        "silu": F.silu,
        "tanh": torch.tanh,
        "identity": lambda x: x,
    }[name]


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_forward_and_adjoints_are_torchs(torch, small, activation):
    act = torch_activation(torch, activation)
    layers = [tuple(map(torch.from_numpy, layer)) for layer in small.layers()]
    F = torch.nn.functional
    x = torch.from_numpy(np.array(small.x)).requires_grad_()
    xs = [x]
    for inside, outside in zip(layers[0:-1:2], layers[1:-1:2]):
        xs.append(xs[-1] + F.linear(act(F.linear(xs[-1], *inside)), *outside))
    answer = F.linear(xs[-1], *layers[-1])
    expected = torch.stack(torch.autograd.grad(answer.sum(), xs)).numpy()
    answer = answer.detach().numpy()
    found = humpty.forward(small.layers(), small.x, activation=activation)
    assert np.abs(found - answer).max() < 1e-5 * np.abs(answer).max()
    adjoint = humpty.gradients(small.layers(), small.x, activation=activation)
    error = np.abs(adjoint - expected).max(axis=(0, 2))
    assert np.mean(error < 1e-4 * np.abs(expected).max()) > 0.99


def test_two_outputs_have_gradients_of_their_own():
    rng = np.random.default_rng(1)
    layers = [rng.normal(size=shape).astype(np.float32) for shape in [(8, 4), (4, 8), (2, 4)]]
    x = rng.normal(size=(33, 4)).astype(np.float32)
    for output in range(2):
        found = humpty.gradients(layers, x, output=output)
        assert np.array_equal(found[1], np.broadcast_to(layers[2][output], (33, 4)))
