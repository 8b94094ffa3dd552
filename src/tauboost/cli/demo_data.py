"""The made-up data of the tour: messages to a shop, customers of a phone company, web pages.

They are files, as people have them: JSON lines, CSV, svmlight text. What should be found in them is
known, as it was put there.
"""

import csv
import io
import json
import math
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..datasets.generators import make_w8a_like
from ..io.atomic import new_file
from ..io.svmlight_writer import SvmlightWriter

__all__ = ["write_customers", "write_messages", "write_pages"]

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
