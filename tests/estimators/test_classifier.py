"""TauBoostClassifier: scikit-learn's checks, and what it promises beyond them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import tauboost as tb
from conftest import real_data


@pytest.mark.filterwarnings("ignore:the values in column")  # the checks' own, around 100
@parametrize_with_checks(
    [
        tb.TauBoostClassifier(),
        tb.TauBoostClassifier(alpha=0.3, l1_ratio=0.5, loss="exponential"),
        tb.TauBoostClassifier(calibration="sigmoid", loss="auto", l1_ratio="auto"),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def words(m=2000, n=500, seed=0, n_classes=2):
    """Return samples of words: sparse, 0/1, learnable."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, m)
    share = rng.dirichlet(np.full(n, 0.1), n_classes) + 2.0 / n
    X = sp.csr_matrix((rng.random((m, n)) < 4 * share[y]).astype(float))
    return X, y


X, Y = words()
X3, Y3 = words(n_classes=3, seed=1)


def fitted(X=X, y=Y, **options):
    return tb.TauBoostClassifier(**({"random_state": 0} | options)).fit(X, y)


def test_auto_chooses_what_held_out_samples_like_best():
    clf = fitted()
    best = min(clf.selection_, key=lambda row: row["held_out_loss"])
    assert clf.held_out_loss_ == best["held_out_loss"]
    alphas = sorted(row["alpha"] for row in clf.selection_)
    nearest = min(alphas, key=lambda alpha: abs(np.log(alpha / clf.alpha_)))
    assert (nearest, clf.loss_) == (best["alpha"], "logistic")
    assert clf.record_.gap <= clf.tol * clf.objective_[0]
    assert "Chosen on held-out samples" in clf.message_
    assert "Converged: certified gap" in clf.message_


@pytest.mark.parametrize("options", [{}, {"loss": "exponential"}, {"alpha": 1e-3}, {"alpha": 0.0}])
@pytest.mark.parametrize("data", [(X, Y), (X3, Y3)])
def test_bits_do_not_depend_on_threads(options, data):
    first = fitted(*data, n_jobs=1, **options)
    for n_jobs in (2, 4, -1):
        again = fitted(*data, n_jobs=n_jobs, **options)
        assert np.array_equal(again.coef_, first.coef_)
        assert np.array_equal(again.decision_function(data[0]), first.decision_function(data[0]))


@pytest.mark.parametrize("data", [(X, Y), (X3, Y3)])
def test_the_order_of_samples_does_not_matter(data):
    X, y = data
    order = np.random.default_rng(0).permutation(len(y))
    first, again = fitted(X, y), fitted(X[order], y[order])
    assert (again.alpha_, again.n_iter_) == (first.alpha_, first.n_iter_)
    assert np.allclose(again.coef_, first.coef_, atol=1e-9)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_a_weight_is_a_number_of_copies(loss):
    X, y = words(300, 40, seed=3)
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    options = {"loss": loss, "random_state": 0, "tol": 1e-9, "max_iter": 10_000}
    weighted = tb.TauBoostClassifier(**options).fit(X, y, weights)
    rows = np.repeat(np.arange(len(y)), weights)
    copied = tb.TauBoostClassifier(**options).fit(X[rows], y[rows])
    assert (copied.alpha_, copied.n_iter_) == (weighted.alpha_, weighted.n_iter_)
    assert np.allclose(weighted.coef_, copied.coef_, atol=1e-6)


def test_copies_of_a_sample_are_never_on_both_sides():
    """At the alpha that is chosen for the copies, their fit holds out what that without does."""
    X, y = words(200, 30, seed=4)
    twice = sp.vstack([X, X]).tocsr()
    options = {"early_stopping": True, "penalty_factors": None}  # which count rows
    both = fitted(twice, np.concatenate([y, y]), **options)
    alone = fitted(X, y, alpha=both.alpha_, **options)
    assert alone.held_out_loss_ == pytest.approx(both.held_out_loss_, rel=1e-9)


@pytest.mark.filterwarnings("ignore:the model is no better:tauboost.FitWarning")
def test_class_weight_is_a_sample_weight():
    """But for the factors of the penalty: these count rows, and a weight is a number of them."""
    y = (np.arange(len(Y)) % 5 == 0).astype(int)
    weights = np.where(y == 1, 1.0, 0.25)  # no whole numbers: these would be copies
    for factors in ("auto", None):
        options = {"penalty_factors": factors, "random_state": 0}
        balanced = fitted(X, y, class_weight="balanced", **options)
        given = fitted(X, y, class_weight={0: 1 / 1600, 1: 1 / 400}, **options)
        assert np.allclose(balanced.coef_, given.coef_, atol=1e-9)
        weighted = tb.TauBoostClassifier(**options).fit(X, y, weights)
        p, q = (clf.predict_proba(X) for clf in (balanced, weighted))
        assert np.allclose(p, q, atol=1e-9 if factors is None else 0.02)


def test_early_stopping_keeps_the_best_sweep_and_no_more():
    clf = fitted(alpha=1e-6, early_stopping=True)
    losses = [row["held_out_loss"] for row in clf.selection_]
    assert clf.n_iter_ == 1 + int(np.argmin(losses))
    assert clf.held_out_loss_ == min(losses)


def test_a_given_alpha_is_solved_to_its_tolerance():
    options = {"alpha": 1e-2, "l1_ratio": 0.3}
    clf = fitted(tol=1e-12, penalty_factors=None, **options)
    problem = tb.Problem(X, Y, loss="logistic", fit_intercept=True)
    best = tb.solve(problem, tol=1e-8, **options)
    assert np.allclose(clf.coef_[0], -best.lam, atol=1e-5)
    assert clf.intercept_[0] == pytest.approx(-best.intercept, abs=1e-5)
    assert clf.objective_[0] == pytest.approx(best.objective, abs=1e-9)


def test_several_classes_are_one_against_the_rest():
    clf = fitted(X3, Y3, alpha=1e-2, tol=1e-8, max_iter=1000)
    for k in range(3):
        alone = fitted(X3, (k == Y3).astype(int), alpha=1e-2, tol=1e-8, max_iter=1000)
        assert np.allclose(clf.coef_[k], alone.coef_[0], atol=1e-5)
    assert np.allclose(clf.predict_proba(X3).sum(axis=1), 1.0)


def test_warm_start_goes_on_from_the_last_fit():
    clf = fitted(alpha=1e-3, l1_ratio=0.0, max_iter=2, warm_start=True, tol=0.0)
    before = clf.objective_[0]
    clf.fit(X, Y)
    assert clf.objective_[0] < before
    auto = fitted(warm_start=True)
    chosen = auto.alpha_
    auto.fit(X, Y)
    assert auto.alpha_ == chosen
    with pytest.raises(ValueError, match="warm_start needs the features and classes"):
        auto.fit(X[:, :10], Y)
    assert auto.alpha_ == chosen


def test_calibration_improves_what_needs_it():
    Xa, Xb, ya, yb = train_test_split(X, Y, random_state=0)
    plain = fitted(Xa, ya, loss="exponential", alpha=1e-6, max_iter=1)
    better = fitted(Xa, ya, loss="exponential", alpha=1e-6, max_iter=1, calibration="sigmoid")
    assert log_loss(yb, better.predict_proba(Xb)) < log_loss(yb, plain.predict_proba(Xb))


def test_time_limit_ends_with_a_model():
    clf = fitted(alpha=0.0, tol=0.0, max_iter=10**6, time_limit=0.1)
    assert clf.message_.startswith("Out of time")
    assert clf.score(X, Y) > 0.8
    assert fitted(time_limit=1e-9).n_iter_ < 10  # a millisecond is left to the last fit


def test_features_nobody_has_cost_nothing_and_get_nothing():
    wide = sp.csr_matrix((X.data, X.indices * 5000, X.indptr), shape=(len(Y), 500 * 5000))
    clf = fitted(wide)
    assert clf.coef_.shape == (1, 2_500_000)
    assert np.allclose(clf.decision_function(wide), fitted().decision_function(X))
    clf.sparsify()
    assert sp.issparse(clf.coef_)
    assert np.allclose(clf.decision_function(wide), fitted().decision_function(X))
    clf.densify()
    assert clf.coef_.shape == (1, 2_500_000)


def test_input_of_every_kind_gives_the_same_model(tmp_path):
    expected = fitted().coef_
    long = X.copy()
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    for name, array in (("data", X.data), ("indices", X.indices), ("indptr", X.indptr)):
        np.save(tmp_path / f"{name}.npy", array)
    parts = (np.load(tmp_path / f"{n}.npy", mmap_mode="r") for n in ("data", "indices", "indptr"))
    mapped = sp.csr_matrix(tuple(parts), shape=X.shape)
    for kind in (X.toarray(), sp.csr_array(X), X.tocsc(), X.tocoo(), long, mapped):
        assert np.allclose(fitted(kind).coef_, expected, atol=1e-12)


@pytest.mark.parametrize("valued", [False, True])
def test_a_store_is_as_good_as_a_matrix(tmp_path, valued):
    data = X.copy()
    if valued:
        data.data[::7] = np.random.default_rng(0).normal(size=len(data.data[::7]))
    with tb.StoreWriter(tmp_path / "store") as writer:
        writer.append(data[:1200], Y[:1200])
        writer.append(data[1200:], Y[1200:])
    store = tb.open_store(tmp_path / "store")
    clf, expected = fitted(store, None), fitted(data, Y)
    assert np.allclose(clf.coef_, expected.coef_, atol=1e-12)
    assert np.allclose(clf.decision_function(store), expected.decision_function(data))
    problem = tb.Problem(store, store.y)
    lam = np.random.default_rng(1).normal(size=problem.n_features)
    assert problem.value(lam) == tb.Problem(data, Y).value(lam)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables_and_their_names(library):
    module = pytest.importorskip(library)
    names = [f"word{k}" for k in range(X.shape[1])]
    columns = {name: X[:, k].toarray().ravel() for k, name in enumerate(names)}
    table = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    clf = fitted(table)
    assert np.allclose(clf.coef_, fitted().coef_, atol=1e-12)
    if library != "pyarrow":
        assert list(clf.feature_names_in_) == names
        with pytest.raises(ValueError, match="feature names"):
            clf.predict(table[names[::-1]])


def test_it_works_where_scikit_learn_puts_it():
    pipeline = make_pipeline(MaxAbsScaler(), tb.TauBoostClassifier(random_state=0))
    assert cross_val_score(pipeline, X, Y, cv=3, n_jobs=2).min() > 0.7
    grid = GridSearchCV(tb.TauBoostClassifier(max_iter=3), {"alpha": [1e-1, 1e-3]}, cv=3)
    assert grid.fit(X, Y).best_params_["alpha"] in (1e-1, 1e-3)


def test_digits_are_told_apart_as_well_as_by_logistic_regression():
    images, digits = load_digits(return_X_y=True)
    Xa, Xb, ya, yb = train_test_split(images, digits, test_size=0.3, random_state=0)
    peer = LogisticRegression(max_iter=3000).fit(Xa, ya).score(Xb, yb)
    assert fitted(Xa, ya).score(Xb, yb) >= peer - 0.005


def test_verbose_shows_one_line(capsys):
    fitted(verbose=1)
    assert capsys.readouterr().err.count("\n") == 1
    fitted()
    assert capsys.readouterr().err == ""


def test_scikit_learn_callbacks_see_every_sweep():
    callback = pytest.importorskip("sklearn.callback")

    class Count:
        seen = 0

        def setup(self, estimator, context): ...
        def teardown(self, estimator, context): ...
        def on_fit_task_begin(self, estimator, context, **kwargs): ...
        def on_fit_task_end(self, estimator, context, **kwargs):
            self.seen += context.task_name == "sweep"

    counter = Count()
    assert isinstance(counter, callback.FitCallback)
    clf = tb.TauBoostClassifier(alpha=1e-3, max_iter=4, tol=0.0).set_callbacks(counter).fit(X, Y)
    assert counter.seen >= clf.n_iter_ == 4


NAN_WEIGHT = np.where(np.arange(len(Y)) == 3, np.nan, 1.0)
BAD = [
    ({"alpha": "autoo"}, {}, "alpha must be 'auto' or a number, got 'autoo'"),
    ({"alpha": -1.0}, {}, "alpha must be at least 0"),
    ({"alpha": float("nan")}, {}, "alpha must be"),
    ({"l1_ratio": 1.5}, {}, "l1_ratio must be at least 0 and at most 1"),
    ({"l1_ratio": "lasso"}, {}, "l1_ratio must be 'auto' or a number"),
    ({"loss": "hinge"}, {}, "loss must be one of 'logistic', 'exponential', 'auto'"),
    ({"loss": "auto", "alpha": 1.0}, {}, "needs alpha='auto'"),
    ({"l1_ratio": "auto", "alpha": 1.0}, {}, "needs alpha='auto'"),
    ({"max_iter": 0}, {}, "max_iter must be at least 1"),
    ({"max_iter": 2.5}, {}, "max_iter must be an integer"),
    ({"tol": -1.0}, {}, "tol must be at least 0"),
    ({"validation_fraction": 0.0}, {}, "validation_fraction"),
    ({"validation_fraction": 1.0}, {}, "validation_fraction"),
    ({"early_stopping": "x"}, {}, "early_stopping must be True or False, got 'x'"),
    ({"fit_intercept": "no"}, {}, "fit_intercept must be True or False, got 'no'"),
    ({"warm_start": "x"}, {}, "warm_start must be True or False, got 'x'"),
    ({"verbose": "x"}, {}, "verbose must be an integer, got 'x'"),
    ({"verbose": -1}, {}, "verbose must be at least 0, got -1"),
    ({"calibration": "isotonic"}, {}, "calibration must be None or 'sigmoid'"),
    ({"time_limit": 0.0}, {}, "time_limit must be above 0"),
    ({"class_weight": "equal"}, {}, "class_weight must be a dict, 'balanced' or None"),
    ({"class_weight": {7: 1.0}}, {}, "class_weight names classes that are not in y"),
    ({}, {"sample_weight": NAN_WEIGHT}, "sample_weight contains NaN"),
    ({}, {"sample_weight": -np.ones(len(Y))}, "sample_weight must not be negative"),
    ({}, {"sample_weight": Y.astype(float)}, "leaves no samples of some classes"),
    ({}, {"y": np.ones(len(Y))}, "one class only"),
    ({}, {"y": np.array(["a", 1] * 1000, dtype=object)}, "labels"),
    ({}, {"y": np.linspace(0, 1, len(Y))}, "Unknown label type"),
]


@pytest.mark.parametrize(("options", "data", "message"), BAD)
def test_a_failed_fit_says_why_and_leaves_the_estimator_as_it_was(options, data, message):
    clf = fitted()
    before = dict(vars(clf))
    clf.set_params(**options)
    with pytest.raises((ValueError, TypeError), match=message):
        clf.fit(X, data.get("y", Y), data.get("sample_weight"))
    clf.set_params(**{name: before[name] for name in options})
    assert vars(clf) == before


@pytest.mark.parametrize(
    "fit",
    [
        lambda **how: tb.TauBoostClassifierCV(cv=2, n_alphas=5, **how).fit(X, Y),
        lambda **how: tb.TableClassifier(alpha=0.1, **how).fit(X[:, :3].toarray(), Y),
        lambda **how: tb.TextClassifier(alpha=0.1, **how).fit(["a word", "words"] * 9, [0, 1] * 9),
        lambda **how: tb.regularization_path(X, Y, n_alphas=2, **how),
    ],
)
def test_every_fit_says_what_verbose_may_be(fit):
    with pytest.raises(TypeError, match=r"^verbose must be an integer, got 'x'$"):
        fit(verbose="x")
    fit(verbose=False)


def test_another_number_of_features_is_refused():
    with pytest.raises(ValueError, match="500 features"):
        fitted().predict(X[:, :100])


def test_too_few_samples_to_hold_out():
    small = slice(0, 12)
    assert np.isnan(fitted(X[small], np.arange(12) % 2).held_out_loss_)
    with pytest.raises(ValueError, match="early_stopping needs samples to hold out"):
        fitted(X[small], np.arange(12) % 2, early_stopping=True)


@pytest.mark.parametrize(
    ("name", "least"), [("sms_spam.svm.xz", 0.980), ("w8a.xz", 0.957), ("a9a.xz", 0.899)]
)
def test_real_data_need_no_tuning(name, least):
    X, y = real_data(name)
    Xa, Xb, ya, yb = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    assert roc_auc_score(yb, fitted(Xa, ya).decision_function(Xb)) > least
