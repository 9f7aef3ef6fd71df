"""What the tests share."""

import os
import pathlib

import numpy as np
import pytest

import humpty

SHARED = pathlib.Path(os.environ.get("HUMPTY_SHARED", pathlib.Path(__file__).parents[3] / "shared"))


def shared(path):
    """A path under ../shared; in CI it must be there, elsewhere a test without it is skipped."""
    found = SHARED / path
    if not found.exists():
        if os.environ.get("CI"):
            pytest.fail(f"{found} is missing; it must stand beside the checkout")
        pytest.skip(f"{found} is not here")
    return found


@pytest.fixture(scope="session")
def program():
    """The program that `make build` makes."""
    path = os.environ.get("HUMPTY_PROGRAM", "")
    if not path:
        pytest.skip("HUMPTY_PROGRAM does not name the program")
    return path


@pytest.fixture(scope="session")
def jane_street():
    return shared("jane-street")


class Small:
    """A small net that is solved in milliseconds, trained here, and dropped."""

    def __init__(self):
        self.x, self.y = humpty.task(600, 12, rng=3)
        self.net = humpty.train(
            self.x, self.y, blocks=6, hidden=24, init="zero", epochs=40, lr=7e-3, rng=3
        )
        self.pred = self.net(self.x)
        self.dropped = humpty.drop(self.net, self.x, rng=5)

    def pieces(self):
        """State dicts by id, in no order."""
        return {
            piece.id: {"weight": np.array(piece.weight), "bias": np.array(piece.bias)}
            for piece in self.dropped.puzzle.pieces
        }

    def layers(self):
        """(weight, bias) as applied."""
        return [(np.array(piece.weight), np.array(piece.bias)) for piece in self.net.pieces]

    def blocks(self):
        layers = self.layers()
        return list(zip(layers[0:-1:2], layers[1:-1:2])), layers[-1]


@pytest.fixture(scope="session")
def small():
    return Small()
