"""Three hosts in network namespaces, 10 ms apart, that lose one packet in a hundred.

    sudo pytest -m slow tests/cluster/test_network.py

Needs root, /dev/net/tun and `ip` (Debian: apt install iproute2); skipped otherwise. The delay and
the loss are made by lossy_network.py, as many kernels have no `tc netem`.
"""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")

import os
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from distributed import Client

import tauboost as tb
import tauboost.dask as td
from dask_parts import pieces
from problems import CASES

NET = "10.213.7"
HASTY = td.Patience(silence=1.0, pulse=6.0, workers=30.0)
OPTIONS = {"random_state": 1, "tau": 13, "max_epochs": 6, "tol": 0}


def run(command, check=True):
    return subprocess.run(command.split(), check=check, capture_output=True, text=True)


@pytest.fixture
def hosts():
    """Namespaces tb1 to tb3, and the driver, 10 ms from each other; one packet in 100 is lost."""
    if os.geteuid() != 0 or not shutil.which("ip") or not Path("/dev/net/tun").exists():
        pytest.skip("needs root, /dev/net/tun and ip (apt install iproute2)")
    script = Path(__file__).parents[1] / "helpers/lossy_network.py"
    addresses = [f"{NET}.254=tbtun0", *(f"{NET}.{k}=tbtun{k}" for k in (1, 2, 3))]
    with ExitStack() as stack:
        network = subprocess.Popen(
            [sys.executable, script, "0.01", "0.01", *addresses], stdout=subprocess.PIPE, text=True
        )
        stack.enter_context(network)
        stack.callback(network.kill)
        assert network.stdout.readline() == "ready\n"
        run(f"ip addr add {NET}.254/24 dev tbtun0")
        run("ip link set tbtun0 up")
        for k in (1, 2, 3):
            if run(f"ip netns add tb{k}", check=False).returncode:
                pytest.skip("no network namespaces here")
            stack.callback(run, f"ip netns del tb{k}", check=False)
            run(f"ip link set tbtun{k} netns tb{k}")
            run(f"ip -n tb{k} addr add {NET}.{k}/24 dev tbtun{k}")
            run(f"ip -n tb{k} link set tbtun{k} up")
            run(f"ip -n tb{k} link set lo up")
        yield [f"tb{k}" for k in (1, 2, 3)]


@pytest.fixture
def client(hosts):
    """A scheduler on the bridge, and a worker on every host."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    scheduler = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker"]
    address = f"tcp://{NET}.254:8791"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment}
    with ExitStack() as stack:

        def start(command):
            process = subprocess.Popen(command, **quiet)
            stack.callback(process.wait)
            stack.callback(process.kill)

        start([*scheduler, "--host", f"{NET}.254", "--port", "8791", "--no-dashboard"])
        for host in hosts:
            alone = ["--nthreads", "1", "--no-nanny", "--no-dashboard"]
            start(["ip", "netns", "exec", host, *worker, address, *alone])
        with Client(address, timeout="30s", set_as_default=False) as client:
            client.wait_for_workers(3, timeout=60)
            yield client


@pytest.mark.slow
def test_far_apart_and_losing_packets(client):
    problem = td.DaskProblem(pieces("mixed", 3), client=client, fit_intercept=True)
    assert len(problem.pool.members) == 3
    found = tb.solve(problem, **OPTIONS)
    expected = tb.solve(CASES["mixed"].problem(), **OPTIONS)
    assert found.objective == pytest.approx(expected.objective, abs=1e-9)
    np.testing.assert_allclose(found.lam, expected.lam, atol=1e-8)


@pytest.mark.slow
def test_a_host_that_vanishes_from_the_network(client, hosts):
    problem = td.DaskProblem(pieces("mixed", 3), client=client, fit_intercept=True, patience=HASTY)
    ask = problem.pool.ask

    def ask_and_cut(name, *arguments, **how):
        if problem.pool.done == 20:
            gone = problem.pool.members[1].address.split(":")[1].rpartition(".")[2]
            run(f"ip -n tb{gone} link set tbtun{gone} down")
            problem.pool.ask = ask
        return ask(name, *arguments, **how)

    problem.pool.ask = ask_and_cut
    begin = time.monotonic()
    found = tb.solve(problem, **OPTIONS)
    expected = tb.solve(CASES["mixed"].problem(), **OPTIONS)
    assert problem.pool.rebuilt >= 1
    assert time.monotonic() - begin < 60
    assert found.objective == pytest.approx(expected.objective, abs=1e-9)
