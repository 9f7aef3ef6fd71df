"""What bench/read.sh compares with.

read_python.py cat FILE         cat of the file to nowhere, GB/s
read_python.py puzzle FOLDER    torch.load of every piece and pandas.read_csv of the rows, ms
"""

import os
import pathlib
import subprocess
import sys
import time


def best_seconds(times, work):
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def cat(file):
    def work():
        with open(os.devnull, "wb") as nowhere:
            subprocess.run(["cat", file], stdout=nowhere, check=True)

    print(f"{os.path.getsize(file) / best_seconds(5, work) / 1e9:.2f}")


def puzzle(folder):
    import pandas
    import torch

    def work():
        for piece in pathlib.Path(folder, "pieces").glob("*.pth"):
            torch.load(piece, map_location="cpu")
        for table in pathlib.Path(folder).glob("*.csv"):
            pandas.read_csv(table)

    work()
    print(f"{1e3 * best_seconds(10, work):.1f}")


{"cat": cat, "puzzle": puzzle}[sys.argv[1]](sys.argv[2])
