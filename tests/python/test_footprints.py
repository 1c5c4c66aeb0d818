# SPDX-License-Identifier: MIT
"""heddle.footprint: the bits of `heddle batch`, maps that add up; what is refused."""

import numpy as np
import pytest

import heddle

TRILINEAR = "linear,clamp_to_edge,mip=linear"


@pytest.fixture(scope="module")
def image():
    return heddle.Image(np.random.default_rng(5).integers(0, 256, (64, 64, 4), np.uint8)).mips()


def test_texels_of_the_mask_are_those_of_the_list(image, rng):
    s = heddle.Sampler(TRILINEAR)
    for u, v in rng.random((20, 2)):
        texels = heddle.footprint_texels(image, s, u, v, lod=0)
        one = heddle.footprint(image, s, u, v, lod=0)
        assert bin(int(one["mask"])).count("1") == len(texels["groups"])
        assert len(texels["texels"]) == 4


def test_maps_add_up_the_texels(image, rng):
    s = heddle.Sampler(TRILINEAR)
    u, v = rng.random((2, 50))
    maps = heddle.footprint_map(image, s, u, v, lod=0)
    assert [m.shape for m in maps] == [(64 >> k or 1, 64 >> k or 1) for k in range(7)]
    assert maps[0].sum() == 200 and not any(m.any() for m in maps[1:])
    expected = np.zeros((64, 64), np.uint32)
    for a, b in zip(u, v):
        for x, y, _ in heddle.footprint_texels(image, s, a, b, lod=0)["texels"]:
            expected[y, x] += 1
    assert np.array_equal(maps[0], expected)
    both = heddle.footprint_map(image, s, u, v, lod=.5)
    assert both[0].sum() == 200 and 190 <= both[1].sum() <= 200  # at the edge two texels are one
    assert heddle.footprint_map(image, s, u, v, lod=.5, coarse=True)[0].sum() == 0


def test_gradients_broadcast(image):
    found = heddle.footprint(image, heddle.Sampler("anisotropic,clamp_to_edge,mip=linear,max_anisotropy=8"), np.linspace(.2, .8, 5), np.linspace(.2, .8, 3)[:, None],
                             ddx=(.1, 0), ddy=(0, .01), granularity=2)
    assert found.shape == (3, 5) and found["mask"].all()
    assert found._repr_png_()[:4] == b"\x89PNG"
    assert heddle.group_size(2, 1) == (2, 2, 1) and heddle.group_size(2, 9) is None


@pytest.mark.parametrize("wrong, kind", [
    (dict(granularity=9), heddle.Error), (dict(mode="kind"), heddle.Error), (dict(r=0), heddle.Error), (dict(ddx=(1, 2)), heddle.Error),
    (dict(ddx=(1,), ddy=(1,)), heddle.Error), (dict(bias=1), heddle.Error), (dict(lod="x"), TypeError), (dict(lod=np.nan), heddle.Error)])
def test_wrong_arguments_are_exceptions(image, wrong, kind):
    with pytest.raises(kind):
        heddle.footprint(image, heddle.Sampler("linear,clamp_to_edge"), **{"u": .5, "v": .5, **wrong})
    with pytest.raises(heddle.Error):
        heddle.footprint(heddle.Image(np.zeros((6, 4, 4, 4), np.uint8), type="cube"), heddle.Sampler("linear"), 0, 0, 0)
