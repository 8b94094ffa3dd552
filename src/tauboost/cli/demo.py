"""``tauboost demo``: a tour of the commands, on made-up data, in half a minute.

Every step is a command that is shown before it is run, as people would type it on data of their
own. What a step writes is kept, so that it can be inspected afterwards. The data are files, as
people have them: JSON lines, CSV, svmlight text. What should be found in them is known, as it was
put there.
"""

from __future__ import annotations

import csv
import io
import json
import math
import random
import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ..base.messages import printable
from ..datasets.generators import make_w8a_like
from ..io.atomic import new_file
from ..io.svmlight import SvmlightWriter
from .app import app
from .terminal import Console

__all__ = ["EXAMPLES", "demo", "write_customers", "write_messages", "write_pages"]


EXAMPLES = {
    "demo": """Examples:

tauboost demo

tauboost demo --out tour --scale 0.2"""
}

ROWS = {"messages": 4000, "customers": 6000, "pages": 20_000}
KINDS = {"messages": ".jsonl", "customers": ".csv", "pages": ".svm"}
FIRST = "messages.jsonl"  # what is written first
FEWEST = 500
COMPARED_SECONDS = 2.0  # for each of the methods

DESKS = {
    "billing": (
        "you charged me twice", "the invoice is wrong", "my card was refused",
        "where is my refund", "the discount is missing", "the price went up",
    ),
    "delivery": (
        "the parcel never came", "the courier left it outside", "tracking shows nothing",
        "it went to the wrong address", "the box was open", "it is a week late",
    ),
    "returns": (
        "the lamp arrived broken", "it does not fit", "i want to send it back",
        "the colour is not the one shown", "a part is missing", "how do i get a label",
    ),
}  # fmt: skip
SMALL_TALK = (
    "hello", "please help", "i ordered on {day}", "order number {number}", "thank you",
    "i have been a customer for {number} weeks", "this is the second message", "best wishes",
)  # fmt: skip
DAYS = ("monday", "tuesday", "friday", "sunday")

CONTRACTS = {"monthly": 1.0, "one year": -0.6, "two years": -1.8}
LINES = ("fibre", "dsl", "none")
SATISFACTION_KNOWN = 0.5

Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder for all that the tour writes.")]
Scale = Annotated[
    float,
    typer.Option(
        metavar="X", min=0.01, help="Multiplies the rows of the data, and the time to compare."
    ),
]


@dataclass(frozen=True)
class Stop:
    """One stop of the tour: what there is to see, and the commands that show it."""

    title: str
    words: str
    commands: tuple[str, ...]


def demo(out: Out = Path("tauboost-demo"), scale: Scale = 1.0) -> None:
    """Take a tour: texts, a table and sparse data, with reports and a comparison.

    The data are made up. Everything is written to one folder; at the end it says what to open and
    what to type next.
    """
    started = time.perf_counter()
    out.mkdir(parents=True, exist_ok=True)
    check_folder(out)
    _say("Making up the data: messages to a shop, customers of a phone company, web pages.")
    write_data(out, scale)
    stops = list(tour(out, COMPARED_SECONDS * scale))
    for number, stop in enumerate(stops, start=1):
        _title(f"{number} of {len(stops)}: {stop.title}")
        _say(stop.words)
        for command in stop.commands:
            _run(command)
    _title(f"That was it, in {time.perf_counter() - started:.0f} s")
    _say(_farewell(out))


def check_folder(out: Path) -> None:
    """Refuse a folder with files that are not those of an earlier tour: they may be data."""
    known = {f"trace.{kind}" for kind in ("csv", "json", "png")}
    for name, kind in KINDS.items():
        known |= {f"{name}{kind}", f"new-{name}{kind}", f"{name}.tauboost", f"{name}.html"}
    found = {path.name for path in out.iterdir() if not path.name.startswith(".")}
    if found and (FIRST not in found or found - known):
        raise ValueError(f"--out: {out} holds files that are not of a tour: name a new folder")


def write_data(out: Path, scale: float) -> None:
    """Write the files: of each kind one to fit on, and one that the fit does not see."""
    rows = {name: max(int(n * scale), FEWEST) for name, n in ROWS.items()}
    for seed, (prefix, divisor) in enumerate((("", 1), ("new-", 4))):
        write_messages(out / f"{prefix}messages.jsonl", rows["messages"] // divisor, seed)
        write_customers(out / f"{prefix}customers.csv", rows["customers"] // divisor, seed)
    write_pages(out / "pages.svm", out / "new-pages.svm", rows["pages"])


def tour(out: Path, seconds: float) -> Iterator[Stop]:
    """Yield the stops, in order."""

    def at(name: str) -> str:
        return shlex.quote(str(out / name))

    def report(name: str, kind: str) -> str:
        model, new, page = at(f"{name}.tauboost"), at(f"new-{name}{kind}"), at(f"{name}.html")
        return f"report {model} {new} --out {page}"

    yield Stop(
        "texts",
        "Messages to a shop, each with the desk it belongs to: billing, delivery or returns. Words "
        "and pairs of words are counted, and alpha, the weight of the penalty, is chosen within "
        "the fit. The report shows which words contribute to which desk, and how good the model "
        "is on messages that it has not seen.",
        (
            f"fit {at('messages.jsonl')} --text text --label desk --out {at('messages.tauboost')}",
            report("messages", ".jsonl"),
        ),
    )
    yield Stop(
        "a table",
        "Customers of a phone company, and whether they left. Numbers, words and holes go in as "
        "they are. The model is a step function for each column, and a small table for each pair "
        "of columns that act together: here, the bill and the kind of internet.",
        (
            f"fit {at('customers.csv')} --label left --out {at('customers.tauboost')}",
            report("customers", ".csv"),
        ),
    )
    yield Stop(
        "sparse data",
        "Web pages as the keywords they hold, in svmlight format; one page in thirty is of the "
        "kind that is looked for. The same works for millions of columns.",
        (f"fit {at('pages.svm')} --out {at('pages.tauboost')}", report("pages", ".svm")),
    )
    yield Stop(
        "what is underneath",
        "All of this is one convex problem, and there are eight methods to solve it. Seven of "
        f"them get {seconds:g} s each, on the pages: how soon is each of them near the best?",
        (f"compare {at('pages.svm')} --time-limit {seconds:g} --out {at('')}",),
    )


def _run(command: str) -> None:
    """Show a command, and run it."""
    typer.secho(f"\n$ tauboost {printable(command)}", bold=True)
    code = typer.main.get_command(app).main(shlex.split(command), "tauboost", standalone_mode=False)
    if code:
        raise typer.Exit(code)


def _farewell(out: Path) -> str:
    pictures = [path for path in sorted(out.iterdir()) if path.suffix in {".html", ".png"}]
    shown = "\n".join(f"  {path}" for path in pictures)
    return (
        f"Open in a browser:\n{shown}\n\nType next, on data of your own:\n"
        "  tauboost fit YOUR.csv --label COLUMN --test 0.2 --out YOUR.tauboost\n"
        "  tauboost report YOUR.tauboost OTHER.csv --out YOUR.html\n"
        "  tauboost predict YOUR.tauboost NEW.csv --proba\n"
        "  tauboost --help"
    )


def _title(text: str) -> None:
    Console().print()
    Console().rule(text, align="left")


def _say(text: str) -> None:
    for line in text.split("\n"):
        Console().print(line)


@contextmanager
def _text_file(path: Path) -> Iterator[io.TextIOWrapper]:
    with new_file(path, overwrite=True) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        yield text
        text.detach()  # which writes what is left, and leaves the file open


def write_messages(path: Path, n: int, seed: int = 0) -> None:
    """Write messages to a shop, and the desk that each belongs to, as JSON lines.

    One sentence in seven is about another desk's matters.
    """
    rng = random.Random(seed)
    desks = list(DESKS)
    with _text_file(path) as file:
        for _ in range(n):
            desk = rng.choice(desks)
            about = [desk if rng.random() < 6 / 7 else rng.choice(desks) for _ in range(2)]
            sentences = [rng.choice(DESKS[topic]) for topic in about]
            sentences += [
                talk.format(day=rng.choice(DAYS), number=rng.randint(2, 900))
                for talk in rng.sample(SMALL_TALK, 2)
            ]
            rng.shuffle(sentences)
            text = ". ".join(sentence.capitalize() for sentence in sentences) + "."
            file.write(json.dumps({"text": text, "desk": desk}) + "\n")


def write_customers(path: Path, n: int, seed: int = 0) -> None:
    """Write customers of a phone company, and whether each has left, as CSV.

    New customers leave, long contracts hold, and a high bill matters to those with fibre only. Half
    of them never said how satisfied they are.
    """
    rng = random.Random(seed)
    with _text_file(path) as file:
        table = csv.writer(file)
        table.writerow(["months", "contract", "internet", "bill", "calls", "satisfaction", "left"])
        for _ in range(n):
            months = min(1 + int(rng.expovariate(1 / 30)), 72)
            contract, internet = rng.choice(list(CONTRACTS)), rng.choice(LINES)
            bill = round(rng.gammavariate(9.0, 7.5), 2)
            calls = sum(rng.random() < 0.2 for _ in range(6))
            satisfaction = rng.randint(1, 5)
            pull = CONTRACTS[contract] - 0.9 * math.log1p(months / 6) + 0.4 * calls
            pull += 0.8 * (satisfaction <= 2) + 1.8 * (internet == "fibre" and bill > 80)
            left = rng.random() < 1 / (1 + math.exp(-pull))
            shown = satisfaction if rng.random() < SATISFACTION_KNOWN else ""
            row = [months, contract, internet, bill, calls, shown, "yes" if left else "no"]
            table.writerow(row)


def write_pages(path: Path, new: Path, n: int, seed: int = 0) -> None:
    """Write web pages as the keywords they hold, 0 or 1, as svmlight text; a fifth of them apart.

    One page in thirty is of the kind that is looked for.
    """
    X, y = make_w8a_like(n, random_state=seed)
    cut = n - n // 5
    for file, rows in ((path, slice(None, cut)), (new, slice(cut, None))):
        with SvmlightWriter(file, overwrite=True) as writer:
            part = X[rows]
            writer.append_arrays(part.indptr, part.indices, None, y[rows])
