#!/bin/sh
# Reading speed: a 1 GiB checkpoint against cat of the same file, and a puzzle's pieces and rows
# against Python's torch.load and pandas. All from memory, best of several.
#   bench/read.sh BUILD PUZZLE [MIB]
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
program=$1/bench/bench_read
puzzle=$2
mib=${3:-1024}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for kind in safetensors pth; do
  file=$folder/net.$kind
  "$program" make "$file" "$mib"
  cat=$(python3 "$here/read_python.py" cat "$file")
  echo "$mib MiB .$kind: humpty $("$program" weights "$file") GB/s, cat $cat GB/s"
  rm "$file"
done
if [ -d "$puzzle" ]; then
  echo "the puzzle's pieces and CSV: humpty $("$program" puzzle "$puzzle") ms," \
    "Python $(/usr/bin/python3 "$here/read_python.py" puzzle "$puzzle") ms"
fi
