"""Generated sets written to disk, at any size and in bounded memory.

The rows are those of `make_url_like` and `make_w8a_like`, written as a store or as svmlight text.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import numpy as np

from ..base.messages import shown
from ..base.progress import progress_bar
from ..base.threads import resolve_threads
from ..io import StoreWriter
from ..io.svmlight import SvmlightWriter
from ..validation import check_real
from . import url_like as _url_like
from .generators import URL_BLOCK_ROWS, make_w8a_like
from .url_like import Block

__all__ = ["generate_url", "generate_w8a"]


W8A_SAMPLES: Final = 49_749
W8A_BLOCK_ROWS: Final = 2**17


def generate_url(
    path: str | os.PathLike[str],
    *,
    scale: float = 1.0,
    random_state: int | None = 0,
    as_text: bool = False,
    n_threads: int | None = None,
    progress: bool = False,
    overwrite: bool = False,
) -> Path:
    """Write a set with the shape of the URL reputation data, by default at its full size.

    That is 2,396,130 samples, 3,231,961 features and 277 million nonzeros: 1.5 GB as a store, made
    in less than 1 GiB of memory.

    Parameters
    ----------
    path : path
        The store, or the text file, to make.
    scale : float
        Multiplies the numbers of samples and of features.
    random_state : int, optional
        The same int gives the same data (for one version of NumPy); None gives new ones.
    as_text : bool
        Write svmlight text in place of a store.
    n_threads : int, optional
        None means every core this process may use. The data do not depend on it.
    progress : bool
        Show a progress bar, if stderr is a terminal.
    overwrite : bool
        Whether a store (or text file) of that name may be replaced.

    Returns
    -------
    Path
        The path, as given.

    See Also
    --------
    make_url_like : the same rows in memory.

    Examples
    --------
    >>> import tauboost as tb
    >>> tb.open_store(tb.generate_url("url.store", scale=0.001, random_state=0)).shape
    (2396, 3232)
    """
    m = _scaled(_url_like.FULL_SHAPE[0], scale)
    n = _url_like.default_width(m)
    seed = _seed(random_state)
    threads = resolve_threads(n_threads)

    def blocks() -> Generator[Block]:
        tables = _url_like.make_tables(n, np.random.SeedSequence(seed))

        def make(k: int) -> Block:
            return _url_like.make_block(tables, k, min(URL_BLOCK_ROWS, m - k * URL_BLOCK_ROWS))

        return _in_order(make, -(-m // URL_BLOCK_ROWS), threads)

    origin = {"made_from": "generate url", "scale": scale, "random_state": seed}
    return _write(path, blocks, (m, n), origin, as_text, progress, overwrite)


def generate_w8a(
    path: str | os.PathLike[str],
    *,
    scale: float = 1.0,
    random_state: int | None = 0,
    as_text: bool = False,
    progress: bool = False,
    overwrite: bool = False,
) -> Path:
    """Write a set with the shape of w8a, by default 49,749 samples and 300 features.

    Parameters
    ----------
    path, random_state, as_text, progress, overwrite
        As for `generate_url`.
    scale : float
        Multiplies the number of samples. The set is made in memory: some 200 bytes a sample.

    Returns
    -------
    Path
        The path, as given.

    Examples
    --------
    >>> import tauboost as tb
    >>> path = tb.generate_w8a("w8a.svm", scale=0.01, as_text=True, random_state=0)
    >>> tb.load_svmlight(path, n_features=300)[0].shape
    (497, 300)
    """
    m = _scaled(W8A_SAMPLES, scale)
    seed = _seed(random_state)

    def blocks() -> Generator[Block]:
        X, y = make_w8a_like(m, random_state=seed)
        for start in range(0, m, W8A_BLOCK_ROWS):
            rows = slice(start, start + W8A_BLOCK_ROWS)
            yield Block(X[rows].data, X[rows].indices, X[rows].indptr, y[rows])

    origin = {"made_from": "generate w8a", "scale": scale, "random_state": seed}
    return _write(path, blocks, (m, 300), origin, as_text, progress, overwrite)


def _write(
    path: str | os.PathLike[str],
    blocks: Callable[[], Generator[Block]],
    shape: tuple[int, int],
    origin: dict[str, Any],
    as_text: bool,
    progress: bool,
    overwrite: bool,
) -> Path:
    writing: StoreWriter | SvmlightWriter
    if as_text:
        writing = SvmlightWriter(path, overwrite=overwrite)
    else:
        writing = StoreWriter(path, n_features=shape[1], overwrite=overwrite, source=origin)
    bar = progress_bar("generating", shape[0], "rows", visible=progress)
    # Nothing is generated before the path is known to be good.
    with writing as writer, bar as show, closing(blocks()) as rows:
        for block in rows:
            writer.append_arrays(block.indptr, block.indices, block.data, block.y)
            show(writer.n_samples)
    return Path(path)


def _in_order(make: Callable[[int], Block], count: int, n_threads: int) -> Generator[Block]:
    """Yield make(0), make(1), ..., made by several threads, but not far ahead."""
    with ThreadPoolExecutor(n_threads) as pool:
        waiting: deque[Future[Block]] = deque()
        try:
            for k in range(count):
                waiting.append(pool.submit(make, k))
                if len(waiting) > n_threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _scaled(size: int, scale: float) -> int:
    number = check_real(scale, "scale", least=0.0, above=True)
    if number > 1e6:
        raise ValueError(f"scale must be at most 1e6, got {number:g}")
    return max(1, round(size * number))


def _seed(random_state: int | None) -> int:
    if random_state is None:
        return int(np.random.SeedSequence().entropy)  # type: ignore[arg-type]
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer):
        raise TypeError(f"random_state must be an integer >= 0 or None, got {shown(random_state)}")
    if random_state < 0:
        raise ValueError(f"random_state must be an integer >= 0 or None, got {random_state}")
    return int(random_state)
