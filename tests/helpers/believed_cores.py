"""A plugin of pytest: every test believes in 1, 2, 3, 8 or 64 cores, whatever the machine has.

Which number follows from a seed and the name of the test. The seed is new in every run unless
`--cores-seed` or TAUBOOST_CORES_SEED gives it; it is printed above the tests, and below each that
fails. Where TAUBOOST_CORES is set, all tests believe in that number. What a test starts, fixtures
and processes included, believes the same; what a file does as it is imported has a number of its
own.

Cores are not threads: a thread is woken for much work only, and data of tests are small. So the
seed also decides how many nonzeros are worth a thread: as always, one, or so many that the number
of threads changes during a fit. This holds within the process of the test.
"""

from __future__ import annotations

import os
import random
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tauboost.base.threads import BELIEVED, NONZEROS_WORTH_A_THREAD

__all__ = ["BELIEVED", "CORES", "cores_of", "worth_of"]

CORES = (1, 2, 3, 8, 64)
WORTH = (None, 1, 64)  # nonzeros; None: as always
SEED_VARIABLE = "TAUBOOST_CORES_SEED"
GIVEN, SEED = pytest.StashKey[str | None](), pytest.StashKey[int]()


def cores_of(seed: int, name: str) -> int:
    """Return the number of cores that a test of this name believes in."""
    return CORES[zlib.crc32(f"{seed} {name}".encode()) % len(CORES)]


def worth_of(seed: int, name: str) -> int | None:
    """Return how many nonzeros are worth a thread in a test of this name."""
    return WORTH[zlib.crc32(f"{seed} {name} worth".encode()) % len(WORTH)]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--cores-seed",
        type=int,
        metavar="N",
        help="decides which test believes in how many cores; a new one in each run if not given",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[GIVEN] = os.environ.get(BELIEVED)
    config.stash[SEED] = chosen_seed(config)


def chosen_seed(config: pytest.Config) -> int:
    """Return the seed: that of the parent for workers of xdist, one that is given, or a new one."""
    if hasattr(config, "workerinput"):
        return config.workerinput["cores_seed"]
    if config.option.cores_seed is not None:
        return config.option.cores_seed
    text = os.environ.get(SEED_VARIABLE)
    try:
        return int(text) if text else random.SystemRandom().randrange(10**6)
    except ValueError:
        raise pytest.UsageError(f"{SEED_VARIABLE} must be an integer, got {text!r}") from None


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Hand the seed to a worker of xdist."""
    node.workerinput["cores_seed"] = node.config.stash[SEED]


def pytest_report_header(config: pytest.Config) -> str:
    if config.stash[GIVEN] is not None:
        numbers = f"{config.stash[GIVEN]}, as {BELIEVED} says"
    else:
        numbers = f"{', '.join(map(str, CORES))}, by test"
    return f"believed cores: {numbers}; again with --cores-seed {config.stash[SEED]}"


def belief(node: pytest.Item | pytest.Collector) -> str:
    """Return what a test or file believes."""
    given = node.config.stash[GIVEN]
    return str(cores_of(node.config.stash[SEED], node.nodeid)) if given is None else given


@contextmanager
def believing(node: pytest.Item | pytest.Collector) -> Iterator[None]:
    """Set it for as long as the test or file runs, and what is worth a thread."""
    before, usual = os.environ.get(BELIEVED), dict(NONZEROS_WORTH_A_THREAD)
    os.environ[BELIEVED] = belief(node)
    worth = worth_of(node.config.stash[SEED], node.nodeid)
    if worth is not None:
        NONZEROS_WORTH_A_THREAD.update(dict.fromkeys(usual, worth))
    try:
        yield
    finally:
        NONZEROS_WORTH_A_THREAD.update(usual)
        os.environ.pop(BELIEVED, None)
        if before is not None:
            os.environ[BELIEVED] = before


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Any:
    with believing(collector):
        return (yield)


# Around setup and teardown too, so that fixtures of any scope are made with it.
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    with believing(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    report = yield
    if report.failed:
        seed = item.config.stash[SEED]
        worth = worth_of(seed, item.nodeid) or "the usual number of"
        text = f"{belief(item)}; {worth} nonzeros are worth a thread; --cores-seed {seed}"
        report.sections.append(("believed cores", text))
    return report
