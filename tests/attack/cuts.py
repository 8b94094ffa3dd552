"""Cut and overwrite files at random moments while commands read them.

    python -m attack.cuts --cuts 200   # from the folder tests; some minutes

As log rotation does it: the file is copied elsewhere, cut short in place, and written on. Each
command is forked from this process, which has everything imported. It must end with a result, or
with one line and exit code 2; never by a signal.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tauboost.cli import main as command_line
from tauboost.io import load_svmlight
from tauboost.io.tables import read_table
from tauboost.io.texts import read_texts

LINES = {
    "log.svm": ["1 1:1 20:1 301:0.5", "-1 2:1 20:1", "1 1:1 7:2", "-1 2:1 301:1"],
    "log.csv": ["1,red,yes", "2,blue,no", "3,red,yes", "4,blue,no"],
    "log.jsonl": ['{"text": "good and new", "label": 1}', '{"text": "bad, old", "label": 0}'],
    "log.txt": ["good and new", "bad, old", "neither"],
}
HEADS = {"log.csv": "size,colour,label\n"}
MODELS = {
    "rows": ("fit", "log.svm", "--alpha", "1e-2"),
    "table": ("fit", "log.csv", "--label", "label", "--alpha", "1e-2"),
    "texts": ("fit", "log.jsonl", "--text", "text", "--label", "label", "--alpha", "1e-2"),
}
COMMANDS = {
    **{f"fit {name}": (*words, "--out", "new") for name, words in MODELS.items()},
    "predict rows": ("predict", "rows", "log.svm", "--out", "answers"),
    "predict table": ("predict", "table", "log.csv", "--out", "answers"),
    "predict texts": ("predict", "texts", "log.jsonl", "--out", "answers"),
    "predict lines": ("predict", "texts", "log.txt", "--out", "answers"),
    "inspect rows": ("inspect", "log.svm"),
    "inspect table": ("inspect", "log.csv"),
    "convert": ("convert", "log.svm", "store", "--overwrite"),
}
READERS = {
    "load_svmlight": lambda: load_svmlight("log.svm"),
    "read_texts": lambda: read_texts(["log.jsonl"], "text", "label"),
    "read_table": lambda: read_table("log.csv"),
}
FILES = {"load_svmlight": "log.svm", "read_texts": "log.jsonl", "read_table": "log.csv"}


def write(name: str, n_bytes: int) -> None:
    """Write a sound file, into what is there of it."""
    text = "".join(line + "\n" for line in LINES[name])
    Path(name).write_text(HEADS.get(name, "") + text * (n_bytes // len(text)))


def start(name: str) -> int:
    """Run a command or a reader in a child, whose complaints go to a file."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(os.open("complaints", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        if name in READERS:
            code = read(name)
        else:
            sys.argv = ["tauboost", *COMMANDS[name]]
            command_line()
            code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stderr.flush()
        os._exit(code)


def read(name: str) -> int:
    """Call a reader of Python."""
    try:
        READERS[name]()
    except (ValueError, OSError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    return 0


def disturb(rng: random.Random, name: str, n_bytes: int) -> None:
    """Cut the file short, or overwrite it; perhaps write on."""
    with Path(name).open("r+b") as file:
        if rng.random() < 0.8:
            file.truncate(rng.choice([0, rng.randrange(n_bytes)]))
        if rng.random() < 0.5:
            file.seek(rng.choice([0, rng.randrange(n_bytes)]))
            file.write(rng.choice([b"1:", b"\n", b"1 1:1\n", b'"', b"a,b,c\n"]) * (n_bytes // 8))


def outcome(pid: int) -> str:
    """Return how a child ended; what must not be begins with a capital."""
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code < 0:
        return f"SIGNAL {-code}"
    lines = Path("complaints").read_text(errors="replace").splitlines()
    if code == 2 and len(lines) == 1 and lines[0].startswith("error: "):
        return "one line"
    return "result" if code == 0 else f"EXIT CODE {code} " + " ".join(lines)[-200:]


def main(cuts: int, seed: int, n_bytes: int) -> dict[str, Counter[str]]:
    """Cut so often in all, each command and reader by turns."""
    rng = random.Random(seed)
    names = [*COMMANDS, *READERS]
    seen: dict[str, Counter[str]] = {name: Counter() for name in names}
    for file in LINES:
        write(file, n_bytes)
    for model, words in MODELS.items():
        COMMANDS["make"] = (*words, "--out", model)
        assert outcome(start("make")) == "result", Path("complaints").read_text()
    lengths: dict[str, float] = {}
    for k in range(cuts):
        name = names[k % len(names)]
        file = FILES.get(name) or next(word for word in COMMANDS[name] if word in LINES)
        write(file, n_bytes)
        if name not in lengths:
            began = time.monotonic()
            assert outcome(start(name)) == "result", Path("complaints").read_text()
            lengths[name] = time.monotonic() - began
        pid = start(name)
        time.sleep(rng.uniform(0, lengths[name]) * rng.choice([0.3, 1]))  # reading comes first
        disturb(rng, file, n_bytes)
        seen[name][outcome(pid)] += 1
    return seen


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuts", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--megabytes", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        found = main(given.cuts, given.seed, given.megabytes << 20)
        sys.stdout.write(json.dumps(found) + "\n")
        os.chdir("/")
    harm = [name for counts in found.values() for name in counts if name[0].isupper()]
    sys.exit(1 if harm else 0)
