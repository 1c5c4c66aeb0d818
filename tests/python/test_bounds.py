# SPDX-License-Identifier: MIT
"""heddle.bounds, heddle.feedback and heddle.footprint_bytes: values by hand."""

import heddle
import numpy as np
import pytest


def test_bounds_of_a_line():
    image = heddle.Image(np.array([[0, 1]], np.float32))
    # u = 0.375 is a quarter of the way; 0.4 is 0.3: 4/16 to 5/16. A blend of floats may be off by 2^-16.
    low, high, rules = heddle.bounds(image, "linear,clamp_to_edge", [0.375, 0.4], 0.5)
    assert low.shape == (2, 4)
    np.testing.assert_allclose(low[:, 0], [0.25, 0.25], atol=2**-15)
    np.testing.assert_allclose(high[:, 0], [0.25, 0.3125], atol=2**-15)
    assert list(rules) == ["BND-5", "BND-5"]
    own = heddle.sample(image, "linear,clamp_to_edge", [0.375, 0.4], 0.5)
    assert np.all((own >= low) & (own <= high))
    tight = heddle.bounds(image, "linear,clamp_to_edge", 0.4, 0.5, sub_texel_bits=8)
    np.testing.assert_allclose([tight.low[0], tight.high[0]], [76 / 256, 77 / 256], atol=2**-15)


def test_bounds_of_gathers_and_open_values():
    image = heddle.Image(np.array([[1, 2, np.inf, 4]], np.float32))
    low, high, _ = heddle.bounds(image, "linear,clamp_to_edge", 0.25, 0.5, gather=0)
    assert (low[3], high[3]) == (1, 1)
    assert (low[2], high[2]) == (2, 2)
    low, high, _ = heddle.bounds(image, "linear,clamp_to_edge", 0.5, 0.5)
    assert (low[0], high[0]) == (-np.inf, np.inf)
    with pytest.raises(heddle.Error, match="api"):
        heddle.bounds(image, "linear", 0, 0, api="opengl")


def test_feedback():
    image = heddle.Image([np.zeros((16, 16), np.uint8), np.zeros((8, 8), np.uint8)])
    # u = 0 is between texels 15 and 0 of a repeated image.
    maps, bounds = heddle.feedback(image, "linear,repeat", 0, 0.25, region=(8, 8))
    np.testing.assert_array_equal(maps.used[0], [[255, 255], [0, 0]])
    np.testing.assert_array_equal(maps.min_mip, [[0, 0], [255, 255]])
    np.testing.assert_array_equal(bounds.least.min_mip, [[0, 255], [255, 255]])
    np.testing.assert_array_equal(bounds.greatest.used[1], [[0]])
    with pytest.raises(heddle.Error):
        heddle.feedback(image, "linear", 0, 0, region=(3, 8))
    with pytest.raises(heddle.Error, match="form"):
        heddle.feedback(image, "linear", 0, 0, region=(8, 8), form="round")


def test_footprint_bytes():
    image = heddle.Image(np.zeros((128, 128, 4), np.uint8))
    column = [(0, 0, 5, y) for y in range(32)]
    linear = heddle.footprint_bytes(image, column, tile="linear")
    assert (linear["elements"], len(linear["lines"]), len(linear["pages"])) == (32, 32, 4)
    tiled = heddle.footprint_bytes(image, column)
    assert (len(tiled["lines"]), tiled["pages"].tolist()) == (8, [[0, 128]])
    with pytest.raises(heddle.Error):
        heddle.footprint_bytes(image, [(0, 0, 128, 0)])
    with pytest.raises(heddle.Error, match="four integers"):
        heddle.footprint_bytes(image, [(0, 0, 1)])
