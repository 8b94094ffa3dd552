"""Pictures: short paths, labels, no colours of their own."""

from __future__ import annotations

import numpy as np

from html_reading import read
from tauboost.reporting.svg import Picture, coordinates, path_of


def test_places_are_short():
    assert coordinates([1.0, 2.25, -0.04, 100]) == ["1", "2.2", "-0", "100"]
    assert path_of(np.array([0.0, 1.5]), np.array([2.0, 3.0])) == "M0 2L1.5 3"


def test_a_picture_has_a_label_axes_and_shapes():
    picture = Picture("A <title>", (0.0, 1.0), (0.0, 2.0))
    picture.axes("across", "up & down")
    picture.line([0, 1], [0, 2])
    picture.band([0, 1], [0, 1], [1, 2])
    picture.steps([0, 0.5, 1], [1, 2])
    picture.dot(0.5, 1)
    svg = picture.svg()
    found = read(svg)
    assert found.tags[0][1]["aria-label"] == "A <title>"
    assert "up & down" in found.text
    assert {"path", "line", "circle", "text"} <= {name for name, _ in found.tags}
    assert not {"fill", "stroke", "style"} & {key for _, a in found.tags for key in a}
    picture.line([], [])
    assert picture.svg() == svg
