"""Solving, from files and from memory, and what comes out."""

import copy
import json
import pickle
import subprocess

import numpy as np
import pytest

import humpty
from conftest import shared

SHA256 = "093be1cf2d24094db903cbc3e8d33d306ebca49c6accaa264e44b0b675e7d9c4"


def test_the_five_lines_on_the_published_puzzle(jane_street, tmp_path):
    s = humpty.solve(str(jane_street))
    assert (s.verdict, s.sha256) == ("exact", SHA256)
    assert len(s.permutation) == 97 and len(s.blocks) == 48 and s.mse < 1e-12
    assert s.certificate.refuted == s.certificate.rivals > 0
    assert s.state_dict()["last.layer.weight"].shape == (1, 48)
    s.report(tmp_path / "out.html")
    assert SHA256 in (tmp_path / "out.html").read_text(encoding="utf-8")


def test_a_folder_may_be_a_path_object(small, tmp_path):
    small.dropped.write(tmp_path / "puzzle")
    s = humpty.solve(tmp_path / "puzzle")
    assert s.permutation == small.dropped.permutation and s.verdict == "exact"


def forms(small):
    """The same pieces in every form that is promised."""
    by_id = small.pieces()
    yield "dict of state dicts", by_id
    yield "list of state dicts", [by_id[i] for i in sorted(by_id)]
    yield "list of pairs", [tuple(by_id[i].values()) for i in sorted(by_id)]
    yield "by file name", {f"piece_{i}.pth": layer for i, layer in by_id.items()}
    yield "all in one", {
        f"t{i}.{key}": array for i, layer in by_id.items() for key, array in layer.items()
    }
    yield "pieces", small.dropped.puzzle.pieces


def test_pieces_may_come_in_many_forms(small):
    for form, pieces in forms(small):
        s = humpty.solve(pieces, small.x, small.pred)
        assert s.verdict == "exact", form
        assert s.permutation == small.dropped.permutation, form


def test_weights_without_biases_are_pieces_too(small):
    layers = [weight for weight, _ in small.layers()]
    pred = humpty.forward(layers, small.x)
    s = humpty.solve(layers, small.x, pred)
    assert s.permutation == list(range(len(layers)))


def test_pieces_from_files_and_rows_from_memory_go_together(small, tmp_path):
    small.dropped.write(tmp_path / "puzzle")
    s = humpty.solve(tmp_path / "puzzle" / "pieces", small.x, small.pred[:, 0])
    assert s.permutation == small.dropped.permutation


class Frame(dict):
    """As much of a DataFrame as is asked of one."""

    columns = property(lambda self: list(self))


def frame(small, **more):
    columns = {f"m_{i}": small.x[:, i] for i in range(small.x.shape[1])}
    return Frame(**columns, **more)


def test_one_table_may_hold_features_and_target(small):
    pred = np.array(small.pred[:, 0])
    s = humpty.solve(small.pieces(), frame(small, true=pred + 1, pred=pred))
    assert s.verdict == "exact" and s.permutation == small.dropped.permutation
    city = np.array(["Bonn"] * len(pred), dtype=object)
    table = frame(small, city=city, answer=pred)
    names = ",".join(f"m_{i}" for i in range(small.x.shape[1]))
    s = humpty.solve(small.pieces(), table, target="answer", features=names)
    assert s.permutation == small.dropped.permutation
    with pytest.raises(humpty.ArgumentError, match=r"^x\['city'\] holds object"):
        humpty.solve(small.pieces(), table, target="answer")
    with pytest.raises(humpty.ArgumentError, match="no column 'pred'"):
        humpty.solve(small.pieces(), frame(small))


def test_rows_that_lack_a_value_can_be_dropped(small):
    pred = np.array(small.pred[:, 0])
    pred[3] = np.nan
    table = frame(small, pred=pred)
    with pytest.raises(humpty.ArgumentError, match="'pred' has no value in row 3"):
        humpty.solve(small.pieces(), table)
    s = humpty.solve(small.pieces(), table, drop_missing=True)
    assert s.verdict == "exact" and any("1 of 600 rows" in note for note in s.puzzle.notes)


def test_a_data_frame_of_pandas(small):
    pandas = pytest.importorskip("pandas")
    pred = np.array(small.pred[:, 0])
    s = humpty.solve(small.pieces(), pandas.DataFrame(dict(frame(small, pred=pred))))
    assert s.permutation == small.dropped.permutation


def test_features_may_be_integers(small):
    x = np.round(3 * np.array(small.x)).astype(np.int64)
    pred = humpty.forward(small.layers(), x)
    s = humpty.solve(small.layers(), x, pred)
    assert s.permutation == list(range(13))


def test_the_state_dict_is_the_net(small):
    s = humpty.solve(small.pieces(), small.x, small.pred)
    state = s.state_dict(names="net.{i}.a,net.{i}.b,head")
    for block in range(6):
        assert np.array_equal(state[f"net.{block}.a.weight"], small.net.pieces[2 * block].weight)
        assert np.array_equal(state[f"net.{block}.b.bias"], small.net.pieces[2 * block + 1].bias)
    assert list(state)[-1] == "head.bias"


def test_a_saved_net_is_read_again(small, tmp_path):
    s = humpty.solve(small.dropped)
    s.save(tmp_path / "net.npz")
    again = humpty.drop(tmp_path / "net.npz", small.x)
    assert np.abs(again.puzzle.pred - small.pred).max() < 1e-6


def test_it_is_the_same_at_any_number_of_threads(small):
    one, two = (humpty.solve(small.dropped, threads=n) for n in (1, 2))
    assert one.permutation == two.permutation and one.mse == two.mse


def test_results_pickle_and_copy(small):
    s = humpty.solve(small.pieces(), small.x, small.pred)
    for again in (pickle.loads(pickle.dumps(s)), copy.deepcopy(s)):
        assert again.permutation == s.permutation and again.verdict == s.verdict
        assert again.certificate.mse == s.certificate.mse
        assert again.certificate.nearest.mse == s.certificate.nearest.mse
        assert np.array_equal(again.pairing.scores, s.pairing.scores)
        assert np.array_equal(again.puzzle.x, small.x)
        assert again.state_dict().keys() == s.state_dict().keys()
        assert json.loads(again.to_json()) == json.loads(s.to_json())
    for value in (small.dropped, small.net, humpty.pair(small.dropped), s.certificate, s.blocks[0]):
        assert repr(pickle.loads(pickle.dumps(value))) == repr(value)


def test_the_repr_says_what_matters(small):
    s = humpty.solve(small.dropped)
    assert repr(s).startswith("Solution(exact, 6 blocks, mse ")
    assert "exact" in repr(s.certificate) and "6 blocks" in repr(s.puzzle)


def test_a_notebook_shows_the_page_itself(small):
    shown = humpty.solve(small.dropped)._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "&lt;html" in shown and '"<' not in shown


def test_pair_gives_scores_as_an_array(small):
    layers = small.layers()
    report = humpty.pair(layers[0:-1:2], layers[1:-1:2], layers[-1], signal="ratio")
    assert report.scores.shape == (6, 6) and report.scores.dtype == np.float64
    assert report.match == [0, 1, 2, 3, 4, 5]
    assert report.pairs == [(i, i) for i in range(6)]


@pytest.mark.parametrize("seed", ["auto", "delta", "wout", "greedy", [5, 4, 3, 2, 1, 0]])
def test_order_takes_any_start(small, seed):
    blocks, head = small.blocks()
    shuffled = [2, 0, 5, 1, 4, 3]
    s = humpty.order([blocks[i] for i in shuffled], head, small.x, small.pred, seed=seed)
    assert [shuffled[i] for i in s.order] == [0, 1, 2, 3, 4, 5]
    assert s.verdict == "exact"
    if not isinstance(seed, str):
        assert s.seed == "the order given" and s.seed_order == [2 * i for i in seed]


def test_order_starts_from_the_answer_without_a_move(small):
    blocks, head = small.blocks()
    s = humpty.order(blocks, head, small.x, small.pred, seed=range(6))
    assert s.rounds == [] and s.order == [0, 1, 2, 3, 4, 5]


def test_verify_stands_alone(small):
    right = humpty.verify(small.pieces(), small.x, small.pred, order=small.dropped.permutation)
    assert right.verdict == "exact"
    wrong = list(small.dropped.permutation)
    wrong[0], wrong[1], wrong[2], wrong[3] = wrong[2], wrong[3], wrong[0], wrong[1]
    found = humpty.verify(small.dropped, order=wrong)
    assert found.verdict == "unsolved" and found.mse > 1e3 * right.mse
    assert right.differences(found) and not right.differences(right)
    assert humpty.verify(humpty.solve(small.dropped)).verdict == "exact"


def test_progress_is_told_and_may_stop(small):
    told = []
    x, y = humpty.task(4000, 24)
    net = humpty.train(
        x, y, blocks=8, hidden=48, epochs=100_000, progress=lambda *news: told.append(news) or
        len(told) < 3,
    )
    assert net.stopped and len(told) == 3
    stage, done, note = told[0]
    assert stage == "train" and 0 <= done <= 1 and note.startswith("epoch")


def test_progress_draws_a_bar_where_tqdm_is(capfd):
    pytest.importorskip("tqdm")
    x, y = humpty.task(2000, 16)
    humpty.train(x, y, blocks=4, hidden=32, epochs=1000, progress=True)
    assert "train" in capfd.readouterr().err


ZOO = ["t8-d16", "t16-d32", "t24-base", "t24-bf16", "t24-f16", "t24-gelu", "t24-out10",
       "t24-scaled", "t24-silu", "t24-tanh"]


@pytest.mark.parametrize("net", ["jane-street", *(f"zoo/{name}" for name in ZOO)])
def test_it_finds_what_the_program_finds(program, net, tmp_path):
    folder = str(shared(net))
    done = subprocess.run(
        [program, "solve", folder, "--json", str(tmp_path / "s.json")], capture_output=True
    )
    assert done.returncode in (0, 1), done.stderr
    by_program = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
    s = humpty.solve(folder)
    assert s.permutation == by_program["permutation"]
    assert s.verdict == by_program["verdict"]
    assert s.mse == pytest.approx(by_program["mse"], rel=1e-6, abs=0)
    scores = [block["score"] for block in by_program["blocks"]]
    assert [block.score for block in s.blocks] == pytest.approx(scores, abs=1e-6)


def test_pairs_are_scored_as_the_program_does(program, jane_street):
    done = subprocess.run(
        [program, "pair", str(jane_street), "--json", "-"], capture_output=True, check=True
    )
    by_program = json.loads(done.stdout)
    report = humpty.pair(jane_street)
    assert [list(pair) for pair in report.pairs] == by_program["pairs"]
    found = [report.scores[i, j] for i, j in enumerate(report.match)]
    assert found == pytest.approx(by_program["scores"], abs=1e-6)
    assert list(report.confidence) == pytest.approx(by_program["confidence"], abs=1e-6)
