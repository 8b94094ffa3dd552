"""A few kilobytes tell which share of any rows a model was trained on."""

from __future__ import annotations

import numpy as np
import pytest

import tauboost as tb
from tauboost.models import read_model, write_model
from tauboost.search.record import SIZE, RowSketch

RNG = np.random.default_rng(0)
PRINTS = RNG.integers(0, 2**64, 20_000, dtype=np.uint64)


def same(a: RowSketch, b: RowSketch) -> bool:
    return np.array_equal(a.prints, b.prints) and np.array_equal(a.counts, b.counts)


def test_it_is_of_the_rows_in_any_order_and_parts():
    prints = np.concatenate([PRINTS, PRINTS[:7000]])
    whole = RowSketch.of(prints)
    assert len(whole.prints) == SIZE
    assert set(whole.counts.tolist()) == {1, 2}
    assert same(whole, RowSketch.of(RNG.permutation(prints)))
    for cuts in ([5], [100, 9000], [2, 3, 20_000]):
        assert same(whole, RowSketch.merged([RowSketch.of(p) for p in np.split(prints, cuts)]))


@pytest.mark.parametrize("n_trained", [300, 20_000])
@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_it_finds_the_share(n_trained, share):
    trained = PRINTS[:n_trained]
    sketch = RowSketch.of(trained)
    n_known = int(share * n_trained)
    new = RNG.integers(0, 2**64, n_trained - n_known, dtype=np.uint64)
    seen = sketch.among(np.concatenate([trained[:n_known], new]))
    assert seen.by_chance == 0.0
    assert seen.known / seen.judged == pytest.approx(share, abs=0.05)


def test_few_different_rows_are_expected_among_new_ones():
    cells = RNG.integers(0, 150, (2, 2000)).astype(np.uint64)
    seen = RowSketch.of(cells[0]).among(cells[1])
    assert seen.known / seen.judged == pytest.approx(seen.by_chance, abs=0.01)


def fitted() -> dict[str, np.ndarray]:
    return RowSketch.of(PRINTS[:50]).to_data()


@pytest.mark.parametrize(
    "changes",
    [
        {"trained_rows": np.arange(50)},
        {"trained_rows": np.arange(50, dtype=np.uint64)[::-1].copy()},
        {"trained_rows": np.arange(49, dtype=np.uint64)},
        {"trained_rows": np.arange(2 * SIZE, dtype=np.uint64)},
        {"trained_rows": np.zeros((5, 10), dtype=np.uint64)},
        {"trained_rows": "many"},
        {"trained_rows": np.zeros(0, np.uint64), "trained_counts": np.zeros(0, np.uint8)},
        {"trained_counts": np.zeros(50, np.uint8)},
        {"trained_counts": np.full(50, 2**50, np.uint64)},
        {"trained_counts": np.ones(50)},
        {"trained_counts": None},
    ],
)
def test_what_a_file_may_not_say(changes, tmp_path):
    assert same(RowSketch.from_data(fitted()), RowSketch.of(PRINTS[:50]))
    assert RowSketch.from_data({}) is None
    with pytest.raises(ValueError, match="its trained_"):
        RowSketch.from_data(fitted() | changes)


def test_files_hold_it_and_old_ones_are_read(tmp_path):
    X, y = tb.make_w8a_like(3000, random_state=0)
    clf = tb.TauBoostClassifier(random_state=0, alpha=0.01).fit(X, y)
    tb.save_model(clf, tmp_path / "m")
    assert same(tb.load_model(tmp_path / "m").record_.sketch, clf.record_.sketch)
    data = read_model(tmp_path / "m")
    data.fitted["trained_rows"] = np.arange(3)
    write_model(data, tmp_path / "bad")
    with pytest.raises(ValueError, match="cannot be loaded: its trained_rows"):
        tb.load_model(tmp_path / "bad")
    del data.fitted["trained_rows"], data.fitted["trained_counts"]
    write_model(data, tmp_path / "old")
    old = tb.load_model(tmp_path / "old")
    assert old.record_.sketch is None
    assert "very rows" in tb.report(old, X, y).warnings[0]
    assert "On 2,000 rows" in tb.report(old, X[:2000], y[:2000]).verdict
