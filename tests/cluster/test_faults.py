"""Workers that die, freeze or vanish, in any round: the fit goes on, with the same result."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from importlib import import_module

import dask
import numpy as np
from distributed import Client, LocalCluster
from sklearn.datasets import make_classification

import tauboost as tb
import tauboost.dask as td
from clusters import local_cluster
from dask_parts import load_once, load_or_die, load_piece, pieces
from problems import CASES
from tauboost.io.checkpoint import SOLVE_FORMAT
from tauboost.io.tensors import read_file

HASTY = td.Patience(silence=0.5, pulse=5.0, workers=20.0)
OPTIONS = {"random_state": 1, "tau": 4, "max_epochs": 6, "tol": 0}


@pytest.fixture(scope="module")
def cluster():
    """Workers to be harmed; a nanny starts a new one in the place of a dead one."""
    with local_cluster(4) as client:
        client.run(import_module, "tauboost.dask")  # a worker that imports answers late
        yield client


def fill_up(client, n=3):
    """Wait for nannies to replace the dead; take new workers where they could not."""
    try:
        client.wait_for_workers(n, timeout=5)
    except TimeoutError:
        missing = n - len(client.ncores())
        client.cluster.scale(len(client.cluster.worker_spec) + missing)
        client.wait_for_workers(n, timeout=30)
    # New workers import in their own time, on a busy machine longer than a pulse may take.
    client.run(import_module, "tauboost.dask")


def pids(client, addresses):
    found = client.run(os.getpid, workers=list(addresses))
    return list(found.values())


def strike(problem, at, victims, sign=signal.SIGKILL, delay=None):
    """Signal the workers of some parts, or all, before a round or shortly after it began."""
    pool = problem.pool
    ask = pool.ask
    frozen = []

    def ask_and_strike(name, *arguments, **how):
        if pool.done == at:
            addresses = pool.client.scheduler_info()["workers"]
            if victims is not None:
                addresses = {pool.members[k].address for k in victims}
            frozen.extend(pids(pool.client, addresses))
            blow = threading.Timer(delay or 0, lambda: [os.kill(pid, sign) for pid in frozen])
            blow.start()
            if delay is None:
                blow.join()
            pool.ask = ask
        return ask(name, *arguments, **how)

    pool.ask = ask_and_strike
    return frozen


def spread(client, patience=HASTY, n=4, name="mixed"):
    fill_up(client)
    options = CASES[name].options if name in CASES else {}
    return td.DaskProblem(pieces(name, n), client=client, n_parts=n, patience=patience, **options)


def rounds_of(client, options):
    problem = spread(client)
    result = tb.solve(problem, **options)
    return problem.pool.done, result


def check(problem, options=OPTIONS, name="mixed", rebuilt=1):
    expected = tb.solve(CASES[name].problem(), **options)
    found = tb.solve(problem, **options)
    assert problem.pool.rebuilt >= rebuilt
    assert found.objective == pytest.approx(expected.objective, abs=1e-9)
    np.testing.assert_allclose(found.lam, expected.lam, atol=1e-8)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0], ids=["first", "middle", "last"])
def test_a_worker_killed_in_the_first_a_middle_and_the_last_round(cluster, share):
    rounds, _ = rounds_of(cluster, OPTIONS)
    problem = spread(cluster)
    strike(problem, int(share * (rounds - 1)), [1])
    check(problem)


@pytest.mark.parametrize(
    ("method", "at"), [("fully-parallel", 11), ("accelerated", 15), ("accelerated", 16)]
)
def test_a_worker_killed_in_the_middle_of_a_full_gradient_method(cluster, method, at):
    options = {"max_epochs": 12, "tol": 0}
    problem = spread(cluster)
    strike(problem, at, [1])
    expected = tb.solve(CASES["mixed"].problem(), method, **options)
    found = tb.solve(problem, method, **options)
    assert problem.pool.rebuilt >= 1
    assert found.objective == pytest.approx(expected.objective, abs=1e-9)
    np.testing.assert_allclose(found.lam, expected.lam, atol=1e-8)


def test_two_workers_killed_at_once(cluster):
    problem = spread(cluster)
    strike(problem, 20, [0, 3])
    check(problem, rebuilt=2)


@pytest.mark.slow
@pytest.mark.parametrize("at", range(1, 40, 2))
def test_a_worker_killed_in_any_round(cluster, at):
    """Loss in rounds of every kind: sweeps, undone bundles, Newton steps, refreshes."""
    options = {"random_state": 1, "tau": 13, "max_epochs": 6}
    problem = spread(cluster)
    strike(problem, at, [at % 4], delay=0.003 if at % 3 else None)
    check(problem, options, rebuilt=0)


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_every_worker_killed_one_after_the_other(cluster, loss):
    fill_up(cluster)
    problem = td.DaskProblem(
        pieces("binary", 4), client=cluster, n_parts=4, patience=HASTY, loss=loss
    )
    for at in (40, 30, 20, 10):
        strike(problem, at, [at // 10 - 1])
    expected = tb.solve(CASES["binary"].problem(loss=loss), **OPTIONS)
    found = tb.solve(problem, **OPTIONS)
    assert found.objective == pytest.approx(expected.objective, abs=1e-9)


def test_a_worker_killed_during_loading(cluster):
    fill_up(cluster)
    case = CASES["mixed"]
    victim = pids(cluster, cluster.scheduler_info()["workers"])[0]
    blow = threading.Timer(0.3, os.kill, (victim, signal.SIGKILL))
    blow.start()
    problem = td.DaskProblem(
        pieces("mixed", 4, seconds=0.8), client=cluster, n_parts=4, patience=HASTY, **case.options
    )
    blow.join()
    check(problem, rebuilt=0)


def test_a_frozen_worker_is_given_up(cluster):
    problem = spread(cluster)
    frozen = strike(problem, 20, [2], signal.SIGSTOP)
    try:
        check(problem)
    finally:
        for pid in frozen:
            os.kill(pid, signal.SIGKILL)


@pytest.mark.slow
def test_a_frozen_worker_is_given_up_within_a_minute_under_the_shipped_settings(cluster):
    problem = spread(cluster, patience=None)
    frozen = strike(problem, 20, [2], signal.SIGSTOP)
    begin = time.monotonic()
    try:
        check(problem)
    finally:
        for pid in frozen:
            os.kill(pid, signal.SIGKILL)
    assert time.monotonic() - begin < 60


@pytest.mark.slow
def test_a_worker_frozen_during_loading_is_given_up(cluster):
    fill_up(cluster)
    victim = pids(cluster, cluster.scheduler_info()["workers"])[0]
    blow = threading.Timer(0.3, os.kill, (victim, signal.SIGSTOP))
    blow.start()
    try:
        problem = td.DaskProblem(
            pieces("binary", 4, seconds=0.8), client=cluster, n_parts=4, patience=HASTY
        )
        check(problem, name="binary", rebuilt=0)
    finally:
        os.kill(victim, signal.SIGKILL)


def test_a_slow_call_is_no_frozen_worker(cluster):
    """A worker that computes for longer than the patience lasts still answers for itself."""
    problem = spread(cluster, td.Patience(silence=0.2, pulse=5.0))
    rebuilt = problem.pool.rebuilt
    assert problem.pool.tell_each("rest", lambda _: (1.0,)) == [None] * 4
    assert problem.pool.rebuilt == rebuilt


def test_a_call_that_arrives_twice_is_carried_out_once(cluster):
    problem = spread(cluster)
    rows = problem.rows(1)
    rows.refresh(np.zeros(13))
    pool, columns = problem.pool, np.arange(13, dtype=np.int32)
    pool.ask("round", 0.0, None, 0.0, columns)
    first = pool.ask("round", 0.0, np.full(13, 0.1), 1.0, None)
    pool.done -= 1  # as if the answers had been lost
    again = pool.ask("round", 0.0, np.full(13, 0.1), 1.0, None)
    assert [reply.change for reply in again] == [reply.change for reply in first]
    total = sum(reply.level.total for reply in first)
    assert sum(level.total for level in pool.ask("level")) == total
    pool.done += 5
    with pytest.raises(td.PartError, match="at round"):
        pool.ask("level")


def test_a_round_that_was_interrupted_leaves_nothing_behind(cluster):
    """After Ctrl-C in the midst of a round some parts have carried it out and others have not."""
    problem = spread(cluster)
    pool = problem.pool
    call = pool._call

    async def interrupted(member, name, *arguments, **how):
        if pool.done >= 9 and member.index > 1:
            raise RuntimeError("interrupted")
        return await call(member, name, *arguments, **how)

    pool._call = interrupted
    with pytest.raises(RuntimeError, match="interrupted"):
        tb.solve(problem, **OPTIONS)
    pool._call = call
    check(problem, rebuilt=0)


def test_a_part_that_cannot_be_built_again_ends_in_an_error(cluster, tmp_path):
    fill_up(cluster)
    once = dask.delayed(load_once)
    parts = [once(str(tmp_path), "binary", 0, 70), once(str(tmp_path), "binary", 70, 150)]
    problem = td.DaskProblem(parts, client=cluster, patience=HASTY)
    held_by = [member.address for member in problem.pool.members]
    # One worker may hold both: then both are lost, and whichever fails first is named.
    lost = "".join(str(k) for k in (0, 1) if held_by[k] == held_by[1])
    strike(problem, 12, [1])
    with pytest.raises(td.PartLostError, match=f"part [{lost}] of 2 was lost .* cannot be built"):
        tb.solve(problem, **OPTIONS)


def test_more_workers_die_of_a_part_than_dask_allows_a_task(cluster, tmp_path, monkeypatch):
    """Dask blames the task, though it may just have met them at the wrong time."""
    fill_up(cluster)
    monkeypatch.setattr(cluster.cluster.scheduler, "allowed_failures", 0)
    deaths = 2
    case = CASES["mixed"]
    parts = [
        dask.delayed(load_piece)("mixed", 0, 30),
        dask.delayed(load_or_die)(str(tmp_path), deaths, "mixed", 30, len(case.y)),
    ]
    problem = td.DaskProblem(parts, client=cluster, **case.options)
    assert len(list(tmp_path.iterdir())) == deaths
    check(problem, rebuilt=0)


@pytest.mark.slow
def test_a_task_that_is_done_before_dask_has_said_that_it_is_retried(cluster, monkeypatch):
    """What came of it must not be forgotten: it would be waited for in vain."""
    problem = spread(cluster)
    retry = cluster.scheduler.retry

    async def slow_retry(**how):
        answer = await retry(**how)
        await asyncio.sleep(3)
        return answer

    monkeypatch.setattr(cluster.scheduler, "retry", slow_retry, raising=False)
    strike(problem, 20, [2])
    check(problem)


def test_scattered_data_cannot_be_built_again(cluster):
    fill_up(cluster)
    parts = [cluster.scatter(load_piece("binary", a, b)) for a, b in ((0, 70), (70, 150))]
    problem = td.DaskProblem(parts, client=cluster, patience=HASTY)
    strike(problem, 12, None)
    with pytest.raises(td.PartLostError, match="was its data scattered"):
        tb.solve(problem, **OPTIONS)


def test_no_workers_left_ends_in_an_error():
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=":0", processes=False
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        problem = td.DaskProblem(
            pieces("binary", 1), client=client, patience=td.Patience(0.2, 0.5, 1.0)
        )
        cluster.scale(0)
        with pytest.raises(td.PartLostError, match="no worker has been there for 1 s"):
            tb.solve(problem, **OPTIONS)


def test_a_client_that_closes_ends_in_an_error():
    with LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=":0", processes=False
    ) as cluster:
        client = Client(cluster, set_as_default=False)
        problem = td.DaskProblem(pieces("binary", 1), client=client)
        client.close()
        with pytest.raises(RuntimeError, match="client is closed"):
            tb.solve(problem, **OPTIONS)


DRIVER = """
import sys
import time

from distributed import Client

import tauboost.dask as td
import tauboost.io.checkpoint as checkpoint
from dask_parts import pieces

checkpoint.SECONDS_BETWEEN_SAVES = 0
client = Client(sys.argv[1])
options = {"random_state": 1, "tau": 4, "max_epochs": 10**6, "tol": 0, "fit_intercept": True}
td.solve(
    client, pieces("mixed", 2), checkpoint=sys.argv[2], callback=lambda _: time.sleep(0.02),
    **options
)
"""


def test_a_new_driver_goes_on_where_a_killed_one_was(cluster, tmp_path):
    path = tmp_path / "where.checkpoint"
    address = cluster.scheduler.address
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER, address, str(path)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    while not path.exists():
        assert driver.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    _, saved = read_file(path, SOLVE_FORMAT)
    lam, epoch = saved["lam"], float(saved["epoch"])
    assert epoch > 0
    expected = tb.solve(CASES["mixed"].problem(), random_state=1)
    problem = spread(cluster, n=2)
    seen = []
    found = td.solve(
        None, problem, checkpoint=path, random_state=1, max_epochs=epoch + 100, callback=seen.append
    )
    np.testing.assert_array_equal(seen[0].lam, lam)
    assert found.objective == pytest.approx(expected.objective, abs=1e-8)


def test_a_classifier_whose_workers_die(cluster, monkeypatch):
    """One before each class is fitted, when the rows as loaded may be gone already."""
    fill_up(cluster)
    X, y = make_classification(300, n_informative=6, n_classes=3, random_state=0)
    options = {"alpha": 0.1, "tol": 1e-8, "max_iter": 1000, "random_state": 0}

    def struck_solve(client, problem, **options):
        [pid] = pids(client, {problem.pool.members[0].address})
        os.kill(pid, signal.SIGKILL)
        return td.solve(client, problem, **options)

    monkeypatch.setattr("tauboost.dask.estimators.solve", struck_solve)
    parts = [dask.delayed(lambda k: (X[k::2], y[k::2]))(k) for k in range(2)]
    clf = td.TauBoostClassifier(client=cluster, patience=HASTY, **options).fit(parts)
    local = tb.TauBoostClassifier(**options).fit(X, y)
    assert np.allclose(clf.coef_, local.coef_, atol=1e-5)
