"""The compiled thread pool seen from Python: signals, the GIL, Ctrl-C, teams of changing sizes."""

from __future__ import annotations

import signal
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import tauboost as tb
from tauboost import _core
from tauboost.texts.vocabulary import characters_of

FAULTS = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_faults_of_a_helper_can_be_reported():
    """A blocked SIGSEGV ends the process without a word of faulthandler."""
    _core.fill_with_ones(np.empty(2**20), 4)
    masks = []
    for task in Path("/proc/self/task").iterdir():
        facts = dict(line.split(":\t") for line in (task / "status").read_text().splitlines())
        if facts["Name"] == "tauboost":
            masks.append(int(facts["SigBlk"], 16))
    assert masks  # some may not have begun yet
    for mask in masks:
        blocked = {number for number in signal.valid_signals() if mask >> (number - 1) & 1}
        assert not FAULTS & blocked
        assert {signal.SIGINT, signal.SIGTERM, signal.SIGALRM} <= blocked


@contextmanager
def ticks(every=0.001):
    """Record the times at which another Python thread could run."""
    seen, done = [], threading.Event()

    def tick():
        while not done.is_set():
            seen.append(time.perf_counter())
            time.sleep(every)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        yield seen
    finally:
        done.set()
        thread.join()


SPLITTING = _core.Splitting(True, 2, 0, 0)


def many_texts():
    return _core.HeldTexts([" ".join(f"w{k}" for k in range(1000))] * 10_000)


def table_terms():
    table = _core.Table(np.zeros(2**28, dtype=np.uint8), 1, 2**28)
    return lambda: table.add_column_term(0, 1, 1)


def booster():
    n_rows, n_columns = 2**20, 20
    table = _core.Table(np.zeros(n_rows * n_columns, dtype=np.uint8), n_columns, n_rows)
    table.add_shard(0, n_rows, 0)
    for column in range(n_columns):
        table.add_column_term(column, 1, 1)
    weights = np.ones(n_rows)
    return lambda: _core.Booster(table, weights)


def sums_of_texts():
    hashing = _core.Hashing(2**12, False, False, 1, 1)
    rows = _core.hashed_rows(many_texts(), characters_of(1), SPLITTING, [], hashing, 1)
    return lambda: rows.n_texts


@pytest.mark.parametrize("prepare", [table_terms, booster, sums_of_texts])
def test_other_python_threads_run_meanwhile(prepare):
    """Some calls are short, and are made again: between them Python keeps the lock to itself."""
    call = prepare()
    before = sys.getswitchinterval()
    for _ in range(5):  # a busy machine may leave the other thread without a core for a while
        with ticks() as seen:
            time.sleep(0.01)
            sys.setswitchinterval(10.0)
            try:
                begin = end = time.perf_counter()
                while end - begin < 0.05:
                    call()
                    end = time.perf_counter()
            finally:
                sys.setswitchinterval(before)
        if any(begin + 0.002 < at < end - 0.002 for at in seen):
            return
    pytest.fail(f"no other thread ran during {end - begin:.3f} s")


@contextmanager
def alarms(every):
    """Count how often Python could serve a signal, which it is sent all the time."""
    served = []
    before = signal.signal(signal.SIGALRM, lambda *_: served.append(time.perf_counter()))
    signal.setitimer(signal.ITIMER_REAL, every, every)
    try:
        yield served
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def builds(n_threads, values):
    m, n = 2**20, 16
    indptr = np.arange(0, m * n + 1, n, dtype=np.int32)
    indices = np.tile(np.arange(n, dtype=np.int32), m)
    data = np.linspace(1.0, 2.0, m * n) if values else None
    place = np.arange(n, dtype=np.int32)
    positive = (np.arange(m) % 2).astype(np.uint8)
    cuts = np.linspace(0, m, 5).astype(np.int64)
    nothing = np.empty(0, dtype=np.int64), np.empty(0)
    parts = (indptr, indices, data, None, None, None)
    return lambda: _core.build_matrix(*parts, positive, place, *nothing, False, cuts, n_threads)


def reads(n_threads, columns=False):
    texts, characters = many_texts(), characters_of(1)

    def read():
        corpus = _core.TextCorpus(SPLITTING, [], columns)
        corpus.read(texts, characters, n_threads)
        return corpus

    return read


def counts(n_threads):
    read = reads(n_threads)
    return lambda: read().rows(False, n_threads)


def counts_pairs(n_threads):
    read = reads(n_threads, columns=True)
    return lambda: read().columns(1, 2, 1, 10**9, False, n_threads)


def hashes(n_threads):
    texts, hashing = many_texts(), _core.Hashing(2**12, False, False, 1, 1)
    return lambda: _core.hashed_rows(texts, characters_of(1), SPLITTING, [], hashing, n_threads)


LONG = {
    "build of ones": lambda n: builds(n, values=False),
    "build of values": lambda n: builds(n, values=True),
    "texts": reads,
    "words": counts,
    "word pairs": counts_pairs,
    "hashes": hashes,
}


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("name", LONG)
def test_signals_are_served_while_it_runs(name, n_threads):
    call = LONG[name](n_threads)
    with alarms(0.001) as served:
        begin = time.perf_counter()
        call()
        end = time.perf_counter()
    # One that came meanwhile is served when the call is over, whatever it does.
    assert sum(begin < at < begin + 0.9 * (end - begin) for at in served) >= 1


class StopNowError(Exception):
    pass


@contextmanager
def stopped(after):
    """Raise an error in the main thread after some seconds, from a signal; expect it."""

    def stop(*_):
        raise StopNowError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, after)
        with pytest.raises(StopNowError):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("name", LONG)
def test_what_a_signal_raises_ends_it(name, n_threads):
    call = LONG[name](n_threads)
    with stopped(0.002):
        call()
        time.sleep(1)
    call()  # and nothing is left behind


def test_an_interrupted_corpus_is_used_up():
    texts, characters = many_texts(), characters_of(1)
    corpus = _core.TextCorpus(SPLITTING, [], False)
    with stopped(0.005):
        corpus.read(texts, characters, 1)
        time.sleep(1)
    with pytest.raises(ValueError, match="used up"):
        corpus.read(texts, characters, 1)


def test_a_bad_entry_is_noticed_at_every_place():
    """Also where the team that looks for it is smaller than the one before."""
    X, y = tb.make_w8a_like(40, random_state=0)
    X = X.astype(np.float64)
    problem = tb.Problem(*tb.make_w8a_like(30_000, random_state=0))
    for k in range(X.nnz):
        tb.solve(problem, "fully-parallel", max_epochs=0.5, tol=0, n_threads=(8, 3, 5)[k % 3])
        value, X.data[k] = X.data[k], np.nan
        with pytest.raises(ValueError, match="NaN"):
            tb.Problem(X, y, n_threads=2)
        X.data[k] = value
        index, X.indices[k] = X.indices[k], X.shape[1]
        with pytest.raises(ValueError, match="ind"):
            tb.Problem(X, y, n_threads=2)
        X.indices[k] = index
