"""Models whose names, labels, categories and texts would like to be more than text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import tauboost as tb

MEGABYTE = 2**20
HOSTILE = (
    "<script>alert('ran')</script>",
    "<img src=x onerror=alert('ran')>",
    "</style></title></svg><svg onload=alert('ran')>",
    "\" onmouseover='alert(1)' autofocus onfocus='alert(1)",
    "</script><script>alert('ran')</script>",
    "<iframe src='https://example.org/'></iframe><link rel=stylesheet href='//example.org/x.css'>",
    "javascript:alert('ran')",
    "&lt;script&gt;alert('ran')&lt;/script&gt;",
    "right to left: \u202egnp.exe \u2066 שלום \u2069",
    "zero \x00 bell \x07 escape \x1b[31m new\nline",
    "half \ud800 and no character \uffff",
    "{{7*7}} ${7*7} <!-- --> ]]>",
    "",
    "   ",
)
LONG = "<b>" + "long " * (MEGABYTE // 5)


def linear() -> tuple[Any, Any, Any]:
    """Return a linear model with hostile columns and labels, and rows for it."""
    rng = np.random.default_rng(0)
    names = [*HOSTILE[:10], *HOSTILE[11:], LONG]
    X = rng.normal(size=(300, len(names)))
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=300) > 0, HOSTILE[0], HOSTILE[8])
    clf = tb.TauBoostClassifier(random_state=0).fit(pd.DataFrame(X, columns=names), y)
    return clf, pd.DataFrame(X[:200], columns=names), y[:200]


def table() -> tuple[Any, Any, Any]:
    """Return a table model with hostile columns, categories and three labels, and rows for it."""
    rng = np.random.default_rng(0)
    words = np.array([*HOSTILE[:10], *HOSTILE[11:13], LONG], dtype=object)
    frame = pd.DataFrame(
        {
            HOSTILE[0]: words[rng.integers(len(words), size=400)],
            HOSTILE[2]: rng.normal(size=400),
            LONG: rng.normal(size=400),
            HOSTILE[8]: words[rng.integers(4, size=400)],
        }
    )
    number = frame[HOSTILE[2]].to_numpy() + (frame[HOSTILE[0]] == HOSTILE[1]).to_numpy()
    y = np.array([HOSTILE[1], HOSTILE[4], HOSTILE[9]], dtype=object)[
        np.digitize(number, [-0.4, 0.5])
    ]
    clf = tb.TableClassifier(random_state=0, interactions=2).fit(frame, y)
    return clf, frame[:300], y[:300]


def texts() -> tuple[Any, Any, Any]:
    """Return a text model of hostile texts, and texts for it, one of a megabyte."""
    good = [f"{text} good film {text}" for text in HOSTILE]
    bad = [f"bad film {text} {text}" for text in HOSTILE]
    given = (good + bad) * 4
    y = np.array((["<i>good</i>"] * len(good) + ["'\"><u>bad"] * len(bad)) * 4)
    clf = tb.TextClassifier(random_state=0, token_pattern=r"\S+").fit(given, y)
    # Sure and wrong, so that they are shown.
    return (
        clf,
        [*given, LONG + " good film good", HOSTILE[0] + " bad film bad"],
        np.append(y, [y[-1], y[0]]),
    )


KINDS = {"linear": linear, "table": table, "texts": texts}
