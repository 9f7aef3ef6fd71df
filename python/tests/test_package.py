"""The package itself: its command line, its types, its docstrings, its version."""

import inspect
import os
import pathlib
import subprocess
import sys

import pytest

import humpty
from humpty import _core

ROOT = pathlib.Path(__file__).parents[2]


def humpty_program(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "humpty", *map(str, arguments)], capture_output=True, text=True
    )


def test_the_version_is_the_one_in_the_file():
    assert humpty.__version__ == (ROOT / "VERSION").read_text(encoding="ascii").strip()
    assert humpty_program("--version").stdout.strip() == humpty.__version__


def test_the_command_line_solves(small, tmp_path):
    small.dropped.write(tmp_path / "puzzle")
    done = humpty_program("solve", tmp_path / "puzzle")
    assert done.returncode == 0
    assert done.stdout.strip() == ",".join(map(str, small.dropped.permutation))
    assert "verdict  exact" in done.stderr


def test_the_command_line_fails_as_the_program_does(tmp_path):
    done = humpty_program("solve", tmp_path / "nowhere")
    assert done.returncode == 2 and done.stderr.startswith("humpty: error: ")


def test_everything_has_a_docstring():
    for name in humpty.__all__:
        value = getattr(humpty, name)
        if name != "__version__":
            assert inspect.getdoc(value), name
    # those of the library's own types are the header's comments
    assert _core.Certificate.mse.__doc__ == "Float64, all rows."
    assert _core.Block.score.__doc__ == "Diagonal dominance ratio."


def test_types_are_checked(tmp_path):
    pytest.importorskip("mypy")
    folder = pathlib.Path(humpty.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_core.pyi").exists()
    user = tmp_path / "user.py"
    user.write_text(
        "import numpy as np\n"
        "import humpty\n"
        "s = humpty.solve('folder', threads=2)\n"
        "ids: list[int] = s.permutation\n"
        "mse: float = s.certificate.mse\n"
        "shape: tuple[int, ...] = humpty.pair('folder').scores.shape\n"
        "wrong: int = s.verdict\n"
    )
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"),
         "--cache-dir", str(tmp_path), "-p", "humpty"],
        capture_output=True, text=True, cwd=tmp_path,
    )
    assert checked.returncode == 0, checked.stdout
    used = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(user)],
        capture_output=True, text=True, cwd=tmp_path,
    )
    assert used.stdout.count("error:") == 1, used.stdout
    assert "user.py:7: error: Incompatible types in assignment" in used.stdout


EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_run(example, tmp_path):
    text = example.read_text(encoding="utf-8")
    if "import torch" in text:
        pytest.importorskip("torch")
    if "matplotlib" in text:
        pytest.importorskip("matplotlib")
    done = subprocess.run(
        [sys.executable, str(example)], capture_output=True, text=True, cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "Agg"},
    )
    assert done.returncode == 0, done.stderr
    assert "exact" in done.stdout


def test_there_are_examples():
    assert len(EXAMPLES) == 3
