"""python -m humpty: the command line."""

import sys

from . import _core


def main() -> int:
    return _core.main(["humpty", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
