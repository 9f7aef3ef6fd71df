"""Errors say which argument, and what to do."""

import pickle

import numpy as np
import pytest

import humpty


@pytest.fixture
def good(small):
    return small.pieces(), np.array(small.x), np.array(small.pred)


def refused(match, *arguments, error=humpty.ArgumentError, **options):
    with pytest.raises(error, match=match) as caught:
        humpty.solve(*arguments, **options)
    assert "\n" not in str(caught.value)
    return caught.value


def test_dtypes(good):
    pieces, x, pred = good
    refused(r"^x holds int64 beyond", pieces, np.full(x.shape, 2**24 + 1), pred)
    refused(r"^x holds uint64 beyond", pieces, np.full(x.shape, 2**64 - 1, np.uint64), pred)
    refused(r"^pred holds complex64", pieces, x, pred.astype(np.complex64))
    refused(r"^x holds object", pieces, np.array([["a", None]], dtype=object), pred)
    pieces[4]["weight"] = pieces[4]["weight"].astype(bool)
    refused(r"^pieces\[4\]\['weight'\] holds bool", pieces, x, pred)


def test_float64_and_float16_are_converted(small, good):
    pieces, x, pred = good
    wide = {i: {k: v.astype(np.float64) for k, v in p.items()} for i, p in pieces.items()}
    s = humpty.solve(wide, x.astype(np.float64), pred.astype(np.float64))
    assert s.permutation == small.dropped.permutation
    assert "float64 weights were rounded to float32" in s.puzzle.notes
    half = {i: {k: v.astype(np.float16) for k, v in p.items()} for i, p in pieces.items()}
    assert humpty.solve(half, x, pred, time_limit=1).state_dict()["last.layer.weight"].dtype == np.float16


def test_shapes(good):
    pieces, x, pred = good
    refused(r"^x has 1 dimensions, shape \(600,\); 2 are needed", pieces, x[:, 0], pred)
    refused(r"^pred has 3 dimensions", pieces, x, pred[None])
    refused(r"600 rows of features but 599 of the target", pieces, x, pred[1:])
    refused(r"the net takes 12 inputs but the data has 11", pieces, x[:, 1:], pred)
    refused(r"the net has 1 outputs but the data has 2", pieces, x, np.hstack([pred, pred]))
    pieces[4]["weight"] = pieces[4]["weight"][None]
    refused(r"^pieces\[4\]\['weight'\] has 3 dimensions", pieces, x, pred)


def test_what_is_not_contiguous_is_copied(small, good):
    pieces, x, pred = good
    turned = {i: {k: np.asfortranarray(v) for k, v in p.items()} for i, p in pieces.items()}
    wide = np.repeat(x, 2, axis=1)
    s = humpty.solve(turned, wide[:, ::2], pred[::-1][::-1])
    assert s.permutation == small.dropped.permutation


def test_read_only_arrays_will_do(small, good):
    _, x, pred = good
    x.flags.writeable = pred.flags.writeable = False
    assert humpty.solve(small.pieces(), x, pred).permutation == small.dropped.permutation


def test_nothing(good):
    pieces, x, pred = good
    refused(r"^x is empty, shape \(0, 12\)", pieces, x[:0], pred[:0])
    refused(r"^pieces is empty", [], x, pred)
    refused(r"^pieces is empty", {}, x, pred)
    refused(r"x and pred belong together", pieces, x)
    refused(r"^pieces is of the type int", 5, x, pred)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_no_numbers(good, value):
    pieces, x, pred = good
    x[17, 3] = value
    error = refused(rf"^x_3 is {value} in row 17; leave such rows out", pieces, x, pred)
    assert error.code == "bad_value"
    x[17, 3] = 0
    pred[5] = value
    refused(rf"^pred is {value} in row 5", pieces, x, pred)
    pred[5] = 0
    pieces[2]["bias"][0] = value
    refused(r"piece 2 has 1 NaN or infinite values in its bias", pieces, x, pred)


def test_a_gpu_array_that_is_not_torchs(good):
    class OnGpu:
        __cuda_array_interface__ = {}

    pieces, _, pred = good
    refused("^x is on a GPU; copy it to the CPU first", pieces, OnGpu(), pred)


def test_words_and_numbers(good):
    refused("no activation is called 'rellu'; there are relu, leaky", *good, activation="rellu")
    refused("no method is called 'worst'; there are best, paper", *good, method="worst")
    refused("no seed is called 'sprout'", *good, seed="sprout")
    refused("no certificate is called 'gold'", *good, certificate="gold")
    refused("threads=-1 is not of a kind that makes sense here", *good, threads=-1)
    refused("time_limit='long' is not of a kind", *good, time_limit="long")


@pytest.mark.parametrize(
    "option",
    [
        {"noise": np.nan}, {"noise": -1.0}, {"time_limit": np.inf}, {"time_limit": -1},
        {"temperature": 0.0}, {"temperature": np.nan}, {"threads": 10**6}, {"threads": -1},
        {"rng": -1}, {"rows": 1.5}, {"method": 3}, {"seed": None, "certificate": 1},
    ],
)
def test_numbers_that_cannot_be(good, option):
    with pytest.raises(humpty.ArgumentError) as caught:
        humpty.solve(*good, **option)
    assert next(reversed(option)) in str(caught.value)


def test_numbers_of_other_functions(good):
    pieces, x, pred = good
    for call in (
        lambda: humpty.task(-1, 3),
        lambda: humpty.task(3, "many"),
        lambda: humpty.train(x, pred, lr=np.nan),
        lambda: humpty.train(x, pred, hidden=0.5),
        lambda: humpty.train(x, pred, hidden=[4, "x"]),
        lambda: humpty.verify(pieces, x, pred, order=["first", "second"]),
        lambda: humpty.verify(pieces, x, pred, order=3),
        lambda: humpty.forward(pieces, x, threads=10**6),
    ):
        with pytest.raises(humpty.ArgumentError):
            call()


def test_orders(small, good):
    blocks, head = small.blocks()
    for seed, match in [
        ([0, 1, 2, 3, 4, 4], "twice"),
        ([0, 1, 2], "names 3 of 6 blocks"),
        ([0, 1, 2, 3, 4, 9], "no expand piece"),
    ]:
        with pytest.raises(humpty.ArgumentError, match=match):
            humpty.order(blocks, head, small.x, small.pred, seed=seed)
    with pytest.raises(humpty.ArgumentError, match=r"blocks\[1\] is no block"):
        humpty.order([blocks[0], blocks[1][0][0]], head, small.x, small.pred)
    with pytest.raises(humpty.ArgumentError, match="order is missing"):
        humpty.verify(*good)
    twice = list(small.dropped.permutation)
    twice[2] = twice[0]
    with pytest.raises(humpty.ArgumentError, match=f"names piece {twice[0]} twice"):
        humpty.verify(*good, order=twice)


def test_layers(small):
    layers = small.layers()
    with pytest.raises(humpty.ArgumentError, match=r"ins\[1\]: bias has 3 values, weight 24 rows"):
        humpty.pair([layers[0], (layers[2][0], layers[2][1][:3])], layers[1:4:2])
    with pytest.raises(humpty.ArgumentError, match="1 more expand than contract"):
        humpty.pair(layers[0:4:2], layers[1:2])
    with pytest.raises(humpty.ArgumentError, match=r"net\[1\]: piece 1 \(24×12\) cannot come after"):
        humpty.forward([layers[0], layers[2], layers[1], *layers[3:]], small.x)
    with pytest.raises(humpty.ArgumentError, match="takes 12 inputs but the rows have 3"):
        humpty.forward(layers, small.x[:, :3])


def test_files_are_oserrors_too(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        humpty.solve(tmp_path / "nowhere")
    assert isinstance(caught.value, humpty.Error) and isinstance(caught.value, OSError)
    assert caught.value.code == "not_found"
    assert caught.value.where.file.endswith("nowhere") and caught.value.filename
    (tmp_path / "broken.pth").write_bytes(b"PK\x03\x04 not a zip")
    with pytest.raises(humpty.Error) as caught:
        humpty.read(tmp_path / "broken.pth", no_data=True)
    assert caught.value.code == "bad_format" and "broken.pth" in caught.value.where.file


def test_a_folder_that_cannot_be_written(small, tmp_path):
    (tmp_path / "there").write_text("a file")
    with pytest.raises(humpty.FileError, match="is a file") as caught:
        small.dropped.write(tmp_path / "there")
    assert caught.value.code == "not_writable"


def test_errors_pickle(tmp_path):
    with pytest.raises(humpty.Error) as caught:
        humpty.solve(tmp_path / "nowhere")
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value) and str(again) == str(caught.value)
    assert again.where == caught.value.where
