"""The comparison with other classifiers runs in its quick form and writes what it promises."""

from __future__ import annotations

import math

import pytest

from benchmark_runs import BENCHMARKS, complaints, is_gone, quick_run, rows_of, run

pytest.importorskip("matplotlib")
SCORES = ("auc", "accuracy", "log_loss", "brier")
OURS = {"tauboost", "tauboost, quick fit"}
quick = quick_run("peers.py")


@pytest.mark.slow
def test_two_classes(quick):
    out, printed = quick
    rows = {row["model"]: row for row in rows_of(out / "peers_w8a-like.csv")}
    assert rows.keys() == OURS | {"LIBLINEAR logistic, C=0.3", "LogisticRegression lbfgs"}
    for row in rows.values():
        assert float(row["seconds"]) > 0
        assert all(0 < float(row[score]) < 1 for score in SCORES)
        assert (row["n_samples"], row["n_test"]) == ("1400", "600")
        assert not row["failure"]
    assert "w8a-like: 1,400 samples" in printed


@pytest.mark.slow
def test_many_classes_have_no_auc(quick):
    out, _ = quick
    rows = {row["model"]: row for row in rows_of(out / "peers_topics_tfidf.csv")}
    assert rows.keys() == OURS | {"LogisticRegression lbfgs"}
    for row in rows.values():
        assert row["n_classes"] == "3"
        assert math.isnan(float(row["auc"]))
        assert float(row["accuracy"]) > 0.6


@pytest.mark.slow
def test_summary_and_pictures(quick):
    out, printed = quick
    figures = {(row["data"], row["what"]) for row in rows_of(out / "peers_summary.csv")}
    assert ("w8a-like", "AUC - best peer's") in figures
    assert ("w8a-like", "time of the fastest LIBLINEAR / ours") in figures
    assert ("topics_tfidf", "accuracy - LogisticRegression's") in figures
    assert "Summary" in printed
    for name in ("w8a-like", "topics_tfidf"):
        assert (out / f"peers_{name}.png").read_bytes().startswith(b"\x89PNG")


def test_a_slow_peer_is_a_row_that_says_so(tmp_path):
    data = tmp_path / "tiny.svm"
    data.write_text("".join(f"{k % 2} {k % 5 + 1}:1 {k % 7 + 6}:0.5\n" for k in range(200)))
    printed = run("peers.py", tmp_path, str(data), "--peers", "quick fit", "--time-limit", "1e-9")
    (row,) = rows_of(tmp_path / "peers_tiny.csv")
    assert row["failure"] == "the fit took more than 1e-09 s"
    assert math.isnan(float(row["seconds"]))
    assert "* tauboost, quick fit: the fit took more than" in printed


def test_a_peer_that_is_stopped_leaves_no_process_behind(tmp_path, monkeypatch):
    """Some libraries fit in processes of their own, which would slow down whoever comes next."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.syspath_prepend(str(tmp_path))
    import peers_models  # noqa: PLC0415
    import peers_worker  # noqa: PLC0415

    (tmp_path / "with_children.py").write_text(
        "import subprocess, sys, time\n"
        "class Model:\n"
        "    def fit(self, X, y):\n"
        "        child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"        open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\n"
        "        time.sleep(60)\n"
    )
    peer = peers_models.Peer("with children", "none", "with_children", "Model", seed="")
    peers_worker.save_split(tmp_path, dict.fromkeys(("train", "test"), ([[1.0]], [1.0])))
    worker = peers_worker.Worker(peer, 1, 0, limit=1.0)
    try:
        worker.load(tmp_path)
        worker.is_ready()
        with pytest.raises(peers_worker.NoResultError, match="more than 1 s"):
            worker.fit(score=False)
    finally:
        worker.close()
    assert is_gone(int((tmp_path / "pid").read_text()))


def test_a_mistake_is_one_clear_line(tmp_path):
    complaints("peers.py", tmp_path, ["nothing"], ["--peers", "nobody"])


@pytest.mark.parametrize(
    ("module", "word"), [("liblinear", "multi-core"), ("snapml", "snap"), ("xgboost", "gblinear")]
)
def test_peers_that_are_installed_work(tmp_path, module, word):
    pytest.importorskip(module)
    run("peers.py", tmp_path, "--peers", word)
    for name, score in (("w8a-like", "auc"), ("topics_tfidf", "accuracy")):
        rows = rows_of(tmp_path / f"peers_{name}.csv")
        assert not any(row["failure"] for row in rows)
        assert max(float(row[score]) for row in rows) > 0.8
