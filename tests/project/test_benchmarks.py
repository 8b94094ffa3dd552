"""The benchmarks run from end to end in their quick form and write what they promise."""

from __future__ import annotations

import pytest

from benchmark_runs import rows_of, run

SHAPE = {"data", "n_samples", "n_features", "nnz"}


def test_kernels(tmp_path):
    printed = run("kernels.py", tmp_path)
    assert "target at least 1.6 x" in printed
    rows = rows_of(tmp_path / "kernels.csv")
    columns = {"kernel", "threads", "nonzeros_met", "seconds", "ns_per_nonzero"}
    assert rows[0].keys() >= SHAPE | columns | {"ratio_to_pure_gather", "other_cores_busy"}
    assert {(row["kernel"], row["threads"]) for row in rows} >= {
        ("memory read", "1"),
        ("pure gather", "1"),
        ("pure gather", "2"),
        ("gather_columns", "1"),
        ("add_all", "1"),
        ("pcdm, tau = 1", "1"),
        ("pcdm, tau = 1, by solve", "1"),
        ("pcdm, tau = 16", "1"),
        ("pcdm-async", "1"),
        ("pcdm-async", "2"),
    }
    assert all(float(row["ns_per_nonzero"]) > 0 for row in rows)
    scaling = rows_of(tmp_path / "async_updates.csv")
    assert scaling[0].keys() >= SHAPE | {"threads", "updates", "updates_per_second"}
    assert float(scaling[0]["ratio_to_one_thread"]) == 1.0
    assert len({row["updates"] for row in scaling}) == 1


@pytest.mark.slow
def test_file_to_model(tmp_path):
    assert "CSR to Problem" in run("file_to_model.py", tmp_path)
    rows = rows_of(tmp_path / "file_to_model.csv")
    assert rows[0].keys() >= {"data", "threads", "what", "seconds", "ratio"}
    assert float(rows[0]["ratio"]) == 1.0
    assert all(float(row["seconds"]) > 0 for row in rows)


@pytest.mark.slow
def test_text_sizes(tmp_path):
    assert "predictions changed" in run("text_sizes.py", tmp_path)
    rows = rows_of(tmp_path / "text_sizes.csv")
    assert rows[0]["accuracy"] == rows[0]["accuracy_before"]
    sizes = [int(row["bytes"]) for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    assert all(int(row["bytes"]) <= int(row["max_bytes"]) for row in rows)


def test_reading(tmp_path):
    printed = run("reading.py", tmp_path)
    assert "target 12 x" in printed
    rows = rows_of(tmp_path / "reading.csv")
    columns = {"data", "bytes", "reader", "threads", "seconds", "megabytes_per_second"}
    assert rows[0].keys() >= columns | {"ratio_to_scikit_learn", "share_of_memory_read"}
    assert {(row["reader"], row["threads"]) for row in rows} >= {
        ("scikit-learn", "1"),
        ("load_svmlight", "1"),
        ("load_svmlight", "2"),
        ("read_rows", "2"),
        ("memory read", "1"),
    }
    assert float(rows[0]["ratio_to_scikit_learn"]) == 1.0


@pytest.mark.slow
def test_plan(tmp_path):
    pytest.importorskip("matplotlib")
    printed = run("plan.py", tmp_path, "--threads", "2")
    assert "predicted / truth" in printed
    assert "within 30 %:" in printed
    rows = {row["what"]: row for row in rows_of(tmp_path / "plan.csv")}
    assert rows.keys() >= {"building", "a sweep, one thread", "default fit", "memory: matrix"}
    assert all(float(row["predicted"]) > 0 for row in rows.values())
    assert float(rows["memory: matrix"]["ratio"]) == pytest.approx(1, abs=0.2)
    assert (tmp_path / "plan.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_paper_figures(tmp_path):
    pytest.importorskip("matplotlib")
    run("paper_figures.py", tmp_path)
    traces = rows_of(tmp_path / "figure1.csv")
    columns = {"data", "label", "method", "epoch", "updates", "seconds", "value", "objective"}
    assert traces[0].keys() >= columns
    paper = {"pcdm-async", "fully-parallel", "accelerated", "greedy"}
    assert {row["method"] for row in traces} == paper | {"pcdm", "lbfgs", "exact"}
    runs = rows_of(tmp_path / "figure3.csv")
    columns = {"method", "tau", "threads", "random_state", "beta", "target", "epochs"}
    assert runs[0].keys() >= SHAPE | columns | {"iterations", "seconds", "omega"}
    assert {row["method"] for row in runs} == {"pcdm", "pcdm-async"}
    assert len({row["data"] for row in runs}) == 2
    for name in ("figure1.png", "figure3.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_page_figures(tmp_path):
    pytest.importorskip("matplotlib")
    assert "drawn: tables_terms.png" in run("page_figures.py", tmp_path)
    assert (tmp_path / "tables_terms.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_paths(tmp_path):
    run("paths.py", tmp_path)
    rows = rows_of(tmp_path / "paths.csv")
    assert rows[0].keys() >= SHAPE | {"l1_ratio", "way", "threads", "seconds", "ratio"}
    assert {row["way"] for row in rows} == {"batched", "one by one", "separate fits"}


@pytest.mark.slow
def test_url_scale(tmp_path):
    pytest.importorskip("matplotlib")
    printed = run("url_scale.py", tmp_path, "--threads", "2")
    assert "at most 1/20" in printed
    facts = {row["what"]: float(row["value"]) for row in rows_of(tmp_path / "url_scale.csv")}
    assert 0 < facts["tauboost fit: peak memory"] < 4
    assert facts["sweep / gather, 2 threads"] > 0
    assert facts["objective of exact"] < facts["objective of pcdm-async"]
    traces = rows_of(tmp_path / "url_scale_traces.csv")
    assert {row["method"] for row in traces} >= {"exact", "pcdm-async", "greedy", "lbfgs"}
    assert (tmp_path / "url_scale.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".csv", ".csv", ".png"]


@pytest.mark.slow
def test_gaps(tmp_path):
    assert "gap is at most 1e-06" in run("gaps.py", tmp_path)
    rows = rows_of(tmp_path / "gaps.csv")
    assert {(row["loss"], row["status"]) for row in rows} == {
        ("exponential", "converged"),
        ("logistic", "converged"),
    }
    assert all(0 <= float(row["gap"]) <= 1e-6 for row in rows)
