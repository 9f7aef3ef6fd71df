"""With torch's tensors and modules."""

import pickle
import warnings

import numpy as np
import pytest

import humpty

torch = pytest.importorskip("torch")
nn = torch.nn


class Block(nn.Module):
    def __init__(self, width, hidden, activation):
        super().__init__()
        self.inp = nn.Linear(width, hidden)
        self.activation = activation
        self.out = nn.Linear(hidden, width)

    def forward(self, x):
        return x + self.out(self.activation(self.inp(x)))


def residual_net(activation=nn.ReLU(), blocks=4, width=8):
    torch.manual_seed(1)
    return nn.Sequential(
        *(Block(width, 3 * width, activation) for _ in range(blocks)), nn.Linear(width, 1)
    )


@pytest.fixture(scope="module")
def rows():
    return torch.randn(400, 8, generator=torch.Generator().manual_seed(2))


def test_pieces_of_torch_give_tensors_back(small):
    pieces = {i: {k: torch.from_numpy(v) for k, v in p.items()} for i, p in small.pieces().items()}
    s = humpty.solve(pieces, torch.from_numpy(np.array(small.x)), torch.from_numpy(small.pred[:, 0].copy()))
    assert s.permutation == small.dropped.permutation
    state = s.state_dict()
    assert all(isinstance(value, torch.Tensor) for value in state.values())
    assert torch.equal(state["blocks.0.inp.weight"], pieces[s.permutation[0]]["weight"])


def test_what_requires_gradients_is_only_read(small):
    pieces = [
        {k: nn.Parameter(torch.from_numpy(v)) for k, v in small.pieces()[i].items()}
        for i in range(13)
    ]
    pred = torch.from_numpy(small.pred.copy()).requires_grad_()
    assert humpty.solve(pieces, small.x, pred).permutation == small.dropped.permutation


@pytest.mark.parametrize("activation", [nn.ReLU(), nn.GELU(), nn.Tanh()])
def test_a_module_is_dropped_and_solved(rows, activation):
    net = residual_net(activation)
    dropped = humpty.drop(net, rows)
    assert np.array_equal(dropped.puzzle.pred, net(rows).detach().numpy())
    s = humpty.solve(dropped)
    assert (s.verdict, s.permutation) == ("exact", dropped.permutation)


def test_a_module_is_solved_as_it_stands(rows):
    net = residual_net()
    s = humpty.solve(net, rows, net(rows))
    assert s.permutation == list(range(9))
    state = s.state_dict("{i}.inp,{i}.out,{i}")
    again = residual_net()
    again.load_state_dict(state)
    assert torch.equal(again(rows), net(rows))


def test_a_stem_comes_first(rows):
    net = nn.Sequential(nn.Linear(8, 6), *residual_net(width=6))
    dropped = humpty.drop(net, rows)
    s = humpty.solve(dropped)
    assert (s.verdict, s.permutation) == ("exact", dropped.permutation)
    assert s.stem == s.permutation[0] and s.puzzle.piece(s.stem).role == "stem"
    assert torch.equal(s.state_dict()["stem.weight"], net[0].weight)
    again = pickle.loads(pickle.dumps(s))
    assert again.stem == s.stem and again.state_dict().keys() == s.state_dict().keys()
    shuffled = [net[3], net[1], net[4], net[2]]
    found = humpty.order(shuffled, net[5], rows, net(rows), stem=net[0])
    assert (found.verdict, found.order) == ("exact", [1, 3, 0, 2])


def test_a_module_that_is_no_residual_net_is_refused(rows):
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8), nn.Linear(8, 1))
    with pytest.raises(humpty.ArgumentError, match="no residual net as humpty knows them"):
        humpty.drop(net, rows)


def test_half_precision_comes_back_as_such(small):
    halves = {
        i: {k: torch.from_numpy(v).to(torch.bfloat16) for k, v in piece.items()}
        for i, piece in small.pieces().items()
    }
    applied = [
        tuple(halves[i][k].float().numpy() for k in ("weight", "bias"))
        for i in small.dropped.permutation
    ]
    s = humpty.solve(halves, small.x, humpty.forward(applied, small.x))
    assert s.permutation == small.dropped.permutation
    assert s.state_dict()["last.layer.weight"].dtype == torch.bfloat16


def test_a_tensor_without_values_is_refused(small):
    with pytest.raises(humpty.ArgumentError, match="x is on the device 'meta'"):
        humpty.solve(small.pieces(), torch.empty(600, 12, device="meta"), small.pred)


def test_a_sparse_tensor_is_refused(small):
    with pytest.raises(humpty.ArgumentError, match="x is a sparse tensor"):
        humpty.solve(small.pieces(), torch.from_numpy(np.array(small.x)).to_sparse(), small.pred)


def test_a_tensor_elsewhere_is_copied_with_a_word(small):
    if not torch.cuda.is_available():
        pytest.skip("no GPU here")
    pieces = {
        i: {k: torch.from_numpy(v).cuda() for k, v in piece.items()}
        for i, piece in small.pieces().items()
    }
    x = torch.from_numpy(np.array(small.x)).cuda()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("default")
        s = humpty.solve(pieces, x, small.pred)
    assert s.permutation == small.dropped.permutation
    assert [(each.filename, str(each.message)) for each in said] == [
        (__file__, "tensors on cuda:0 are copied to the CPU; humpty computes there")
    ]


@pytest.mark.parametrize("kind", [{"dtype": torch.float64}, {"device": "cuda"}], ids=str)
def test_rows_go_to_where_the_module_is(rows, kind):
    if "device" in kind and not torch.cuda.is_available():
        pytest.skip("no GPU here")
    net = residual_net().to(**kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dropped = humpty.drop(net, rows.numpy())
    assert humpty.solve(dropped).permutation == dropped.permutation
