# SPDX-License-Identifier: MIT
"""heddle.RenderTarget: writes, blending, depth, stencil, samples, resolve; what is refused."""

import numpy as np
import pytest

import heddle


def floats(width=4, height=4, **more):
    return heddle.Image.empty(width=width, height=height, format="R32G32B32A32_FLOAT", **more)


def test_arrays_are_targets():
    color, depth, stencil = np.zeros((2, 2, 4), np.uint8), np.ones((2, 2), np.float32), np.zeros((2, 2), np.uint8)
    target = heddle.RenderTarget(color, depth=depth, stencil=stencil, depth_test=True, depth_write=True)
    target.write([0, 1], [0, 0], [[1, 0, 0, 1], [0, 1, 0, 1]], depth=[0.5, 2])
    assert color[0].tolist() == [[255, 0, 0, 255], [0, 0, 0, 0]] and depth[0].tolist() == [0.5, 1]
    for lost in (color[:, ::2], np.broadcast_to(color[:1], (2, 2, 4))):
        with pytest.raises(heddle.Error, match="not contiguous and writable"):
            heddle.RenderTarget(lost)


def test_pixels_are_written_in_order(rng):
    image = floats()
    target = heddle.RenderTarget(image, blend=dict(src_color="one", dst_color="one", src_alpha="one", dst_alpha="zero"))
    target.write([0, 1, 1, 9], [0, 1, 1, 0], np.arange(16, dtype=np.float32).reshape(4, 4))
    pixels = np.asarray(image)
    assert np.array_equal(pixels[0, 0], [0, 1, 2, 3])
    assert np.array_equal(pixels[1, 1], [4 + 8, 5 + 9, 6 + 10, 11])
    assert np.count_nonzero(pixels.any(-1)) == 2


def test_a_picture_at_once_broadcasts(rng):
    image = heddle.Image(np.zeros((5, 7, 4), np.uint8))
    colors = rng.random((5, 7, 4))
    heddle.RenderTarget(image).write(np.arange(7), np.arange(5)[:, None], colors)
    assert np.array_equal(np.asarray(image), np.rint(colors.astype(np.float32) * np.float32(255)).astype(np.uint8))


def test_the_bits_of_batch(oracle, rng):
    """Blended bytes against the render target of `heddle batch`."""
    before = rng.integers(0, 256, (2, 2, 4), np.uint8)
    colors = rng.random((4, 4), np.float32)
    image = heddle.Image(before.copy())
    blend = dict(src_color="src_alpha", dst_color="inv_src_alpha", src_alpha="one", dst_alpha="inv_src_alpha")
    heddle.RenderTarget(image, blend=blend).write([0, 1, 0, 1], [0, 0, 1, 1], colors)
    source, alpha, old = colors[:, :3], colors[:, 3:], before.reshape(4, 4).astype(np.float32) / np.float32(255)
    expected = np.concatenate([source * alpha + old[:, :3] * (1 - alpha), alpha + old[:, 3:] * (1 - alpha)], -1)
    assert np.abs(np.asarray(image).reshape(4, 4) - np.rint(np.clip(expected, 0, 1) * 255)).max() <= 1


def test_factors_by_the_words_of_vulkan():
    pictures = []
    for word in ("inv_src_alpha", "one_minus_src_alpha"):
        image = heddle.Image(np.full((2, 2, 4), 200, np.uint8))
        heddle.RenderTarget(image, blend=dict(src_color="src_alpha", dst_color=word)).write([0], [0], [[1, .5, 0, .25]])
        pictures.append(np.asarray(image).tolist())
    assert pictures[0] == pictures[1]
    with pytest.raises(heddle.Error, match="unknown dst_color 'one_minus_one'; one of"):
        heddle.RenderTarget(image, blend=dict(dst_color="one_minus_one"))


def test_depth_and_stencil():
    color, depth, stencil = floats(), heddle.Image(np.full((4, 4), .5, np.float32)), heddle.Image(np.zeros((4, 4), np.uint8), format="R8_UINT")
    target = heddle.RenderTarget(color, depth=depth, stencil=stencil, depth_test=True, depth_write=True, depth_compare="less",
                                 stencil_test=dict(compare="always", **{"pass": "increment_and_clamp", "depth_fail": "replace"}, reference=9))
    target.write([0, 1], [0, 0], [1, 1, 1, 1], depth=[.25, .75])
    assert np.asarray(color)[0, :2, 0].tolist() == [1, 0]
    assert np.asarray(depth)[0, :2, 0].tolist() == [.25, .5]
    assert np.asarray(stencil)[0, :2, 0].tolist() == [1, 9]


def test_samples_are_covered_and_resolved():
    image = floats(samples=4)
    heddle.RenderTarget(image).write(1, 2, [4, 8, 0, 1], coverage=0b0011)
    assert np.asarray(image)[:, 2, 1, 0].tolist() == [4, 4, 0, 0]
    assert heddle.RenderTarget(image).resolve().decode()[2, 1].tolist() == [2, 4, 0, .5]


def test_layers_integers_and_several_targets():
    one = heddle.Image.empty(width=2, height=2, layers=3, format="R32G32B32A32_UINT")
    two = floats(2, 2, layers=3)
    heddle.RenderTarget([one, two]).write(0, 1, [1, 2, 3, 4294967295], [.5, 0, 0, 0], layer=[0, 2])
    assert np.asarray(one)[:, 1, 0, 3].tolist() == [4294967295, 0, 4294967295]
    assert np.asarray(two)[:, 1, 0, 0].tolist() == [.5, 0, .5]


@pytest.mark.parametrize("wrong, kind", [
    (lambda i: heddle.RenderTarget(i, blend=dict(src_color="red")), heddle.Error), (lambda i: heddle.RenderTarget(i, blend=dict(color=1)), heddle.Error),
    (lambda i: heddle.RenderTarget([i] * 9), heddle.Error), (lambda i: heddle.RenderTarget([1]), TypeError),
    (lambda i: heddle.RenderTarget(i, stencil_test=dict(reference=1000)), (heddle.Error, RuntimeError, TypeError)),
    (lambda i: heddle.RenderTarget(i).write(0, 0), heddle.Error), (lambda i: heddle.RenderTarget(i).write(0, 0, [1, 2, 3]), heddle.Error),
    (lambda i: heddle.RenderTarget(i).write(.5, 0, [1, 2, 3, 4]), TypeError), (lambda i: heddle.RenderTarget(i).write([0, 1], [0, 1, 2], [1, 2, 3, 4]), heddle.Error),
    (lambda i: heddle.RenderTarget(i).write(0, 0, ["a"] * 4), TypeError), (lambda i: heddle.RenderTarget(i, depth_compare="perhaps"), heddle.Error)])
def test_wrong_arguments_are_exceptions(wrong, kind):
    with pytest.raises(kind):
        wrong(floats())
