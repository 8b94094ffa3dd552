"""Fixtures of the tests of files."""

from __future__ import annotations

import pytest

from tauboost.io import conversion as inputs
from tauboost.io import svmlight as blocks


@pytest.fixture
def short_blocks(monkeypatch):
    """Make a block of every line, so that few lines make many blocks."""
    whole = inputs.svmlight_blocks

    def by_line(*args, **kwargs):
        return whole(*args, **kwargs, block_bytes=1)

    monkeypatch.setattr(inputs, "svmlight_blocks", by_line)
    monkeypatch.setattr(blocks, "MOST_ENTRIES", 2)
