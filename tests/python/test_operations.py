# SPDX-License-Identifier: MIT
"""Operations over arrays: the bits of `heddle batch`, shapes, broadcasting, offsets, levels, masks; what is refused."""

import signal
import threading
import time

import numpy as np
import pytest
from conftest import words
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import heddle

# What the tests below do not expect would be an answer that says nothing.
pytestmark = pytest.mark.filterwarnings("error:.*names no comparison:RuntimeWarning")
TRILINEAR = "linear,repeat,mip=linear"


@pytest.fixture(scope="module")
def images():
    rng = np.random.default_rng(1)
    return {
        "1d": heddle.Image(rng.integers(0, 256, (16, 4), np.uint8), type="1d"),
        "1d array": heddle.Image(rng.integers(0, 256, (3, 16, 4), np.uint8), type="1d"),
        "2d": heddle.Image(rng.integers(0, 256, (16, 32, 4), np.uint8)).mips(),
        "2d array": heddle.Image(rng.integers(0, 256, (3, 16, 16, 4), np.uint8)).mips(),
        "3d": heddle.Image(rng.random((4, 8, 8, 1), np.float32), type="3d").mips(),
        "cube": heddle.Image(rng.integers(0, 256, (6, 8, 8, 4), np.uint8), type="cube").mips(),
        "cube array": heddle.Image(rng.integers(0, 256, (12, 8, 8, 4), np.uint8), type="cube").mips(),
        "uint": heddle.Image(rng.integers(0, 1 << 32, (8, 8, 4), np.uint32)),
        "sint": heddle.Image(rng.integers(-1 << 31, 1 << 31, (8, 8, 2), np.int64).astype(np.int32)),
        "depth": heddle.Image(rng.random((16, 16), np.float32), format="R32_FLOAT").mips(),
    }


def test_samplers_by_their_words(images):
    u, v = np.random.default_rng(2).random((2, 100), np.float32)
    image, made = images["2d"], heddle.Sampler(TRILINEAR)
    for _ in range(2):
        assert (heddle.sample_level(image, TRILINEAR, u, v, lod=1.5) == heddle.sample_level(image, made, u, v, lod=1.5)).all()
    assert (heddle.sample(image, "nearest", .3, .4) != heddle.sample(image, "linear", .3, .4)).any()
    assert (heddle.gather(image, "nearest,repeat", u, v) == heddle.gather(image, heddle.Sampler("nearest,repeat"), u, v)).all()
    assert (heddle.operation("sample_lz", image, "linear", u=u, v=v) == heddle.sample(image, "linear", u, v)).all()
    assert heddle.footprint(image, "linear,clamp", u, v).shape == (100,)
    assert len(heddle.footprint_map(image, "linear,clamp", u, v)) == image.levels and heddle.footprint_texels(image, "linear,clamp", .5, .5)["texels"]
    assert heddle.sample_unorm(image, "linear", .1, .2, .01, .01).shape == (4, 8, 4)
    for number in range(200):  # more than are kept
        heddle.sample(image, f"linear,repeat,max_lod={number % 9 + number / 1000}", .3, .4)
    with pytest.raises(heddle.Error, match="did you mean 'linear'"):
        heddle.sample(image, "linaer", .3, .4)
    for call in (lambda s: heddle.sample(image, s, u, v), lambda s: heddle.footprint(image, s, u, v), lambda s: heddle.sample_unorm(image, s, 0, 0, 1, 1),
                 lambda s: heddle.operation("sample", image, s, u=u, v=v)):
        with pytest.raises(TypeError, match="takes a heddle.Sampler, (or )?its words"):
            call(7)
    with pytest.raises(TypeError, match=r"footprint\(\) takes a heddle.Image first, not ndarray"):
        heddle.footprint(np.zeros((4, 4, 4), np.uint8), "linear", .1, .2)


def test_comparisons_need_a_sampler_that_compares(images):
    image = images["depth"]
    calls = (lambda s: heddle.sample_compare(image, s, .3, .4, ref=.5), lambda s: heddle.sample_compare(image, s, .3, .4, ref=.5, lod=1.),
             lambda s: heddle.gather(image, s, .3, .4, ref=.5), lambda s: heddle.operation("sample_c_lz", image, s, u=.3, v=.4, ref=.5))
    for number, call in enumerate(calls):  # an image remembers what it was prepared for, and says so once
        linear = f"linear,max_lod={number + 1}"
        call(linear + ",compare_op=less")
        with pytest.warns(RuntimeWarning, match=r"compares, and the sampler names no comparison: all have the same answer \[bind-compare\]"):
            call(linear)
    heddle.sample(image, "linear", .3, .4)


def point(image, rng, count):
    """Keyword arguments of heddle's functions and parameters of batch for the same random points."""
    n = {"1d": 1, "2d": 2, "3d": 3, "cube": 3}[image.type]
    coordinates = rng.uniform(-1.5, 1.5, (n, count)).astype(np.float32)
    own = dict(zip("uvr", coordinates))
    params = dict(own)
    if image.is_array:
        own["layer"] = rng.uniform(-1, 4, count).astype(np.float32)
        params[{"1d": "v", "2d": "r", "cube": "ai"}[image.type]] = own["layer"]
    return own, params


@pytest.mark.parametrize("name", ["1d", "1d array", "2d", "2d array", "3d", "cube", "cube array", "depth"])
@pytest.mark.parametrize("sampler", ["nearest,repeat", TRILINEAR, "linear,clamp_to_border,border=0.1:0.2:0.3:0.4,mip=nearest"])
def test_samples_have_the_bits_of_batch(images, oracle, name, sampler, rng):
    image = images[name]
    oracle.define(image)
    own, params = point(image, rng, 37)
    s = heddle.Sampler(sampler)
    assert np.array_equal(words(heddle.sample(image, s, **own)), oracle.run("sample_l", sampler, 37, params=params))
    lod = rng.uniform(-1, 5, 37).astype(np.float32)
    assert np.array_equal(words(heddle.sample_level(image, s, **own, lod=lod)), oracle.run("sample_l", sampler, 37, params={**params, "lod": lod}))
    n = {"1d": 1, "2d": 2, "3d": 3, "cube": 3}[image.type]
    ddx, ddy = rng.uniform(-.2, .2, (2, n, 37)).astype(np.float32)
    gradients = {f"d{c}d{side}": d[k] for side, d in (("x", ddx), ("y", ddy)) for k, c in enumerate("uvr"[:n])}
    assert np.array_equal(words(heddle.sample_grad(image, s, **own, ddx=list(ddx), ddy=list(ddy))), oracle.run("sample_d", sampler, 37, params={**params, **gradients}))


def test_anisotropic_gradients(images, oracle, rng):
    image, sampler = images["2d"], "anisotropic,repeat,mip=linear,max_anisotropy=16"
    oracle.define(image)
    own, params = point(image, rng, 64)
    ddx, ddy = rng.uniform(-.3, .3, (2, 2, 64)).astype(np.float32)
    expected = oracle.run("sample_d", sampler, 64, params={**params, "dudx": ddx[0], "dudy": ddy[0], "dvdx": ddx[1], "dvdy": ddy[1]})
    assert np.array_equal(words(heddle.sample_grad(image, heddle.Sampler(sampler), **own, ddx=ddx, ddy=ddy)), expected)


@pytest.mark.parametrize("name", ["2d", "2d array", "cube", "uint", "sint"])
@pytest.mark.parametrize("channel", [0, 3])
def test_gathers_have_the_bits_of_batch(images, oracle, name, channel, rng):
    image = images[name]
    oracle.define(image)
    own, params = point(image, rng, 21)
    s = heddle.Sampler("linear,repeat")
    result = heddle.gather(image, s, **own, channel=channel)
    assert result.dtype == image.dtype
    assert np.array_equal(words(result), oracle.run("gather4", "linear,repeat", 21, params=params, channel="RGBA"[channel]))
    if image.type == "2d" and image.dtype == np.float32:
        offsets = rng.integers(-32, 32, (2, 21)).astype(np.int32)
        assert np.array_equal(words(heddle.gather(image, s, **own, offset=tuple(offsets))),
                              oracle.run("gather4_po", "linear,repeat", 21, params={**params, "offu": offsets[0], "offv": offsets[1]}))


def test_comparisons_have_the_bits_of_batch(images, oracle, rng):
    image, sampler = images["depth"], "linear,clamp_to_edge,mip=linear,compare_op=less"
    oracle.define(image)
    own, params = point(image, rng, 33)
    ref = rng.random(33, np.float32)
    s = heddle.Sampler(sampler)
    result = heddle.sample_compare(image, s, **own, ref=ref)
    assert result.shape == (33,) and result.dtype == np.float32
    assert np.array_equal(words(result), oracle.run("sample_l_c", sampler, 33, params={**params, "ref": ref})[:, 0])
    lod = rng.uniform(0, 4, 33).astype(np.float32)
    assert np.array_equal(words(heddle.sample_compare(image, s, **own, ref=ref, lod=lod)),
                          oracle.run("sample_l_c", sampler, 33, params={**params, "ref": ref, "lod": lod})[:, 0])
    gathered = heddle.gather(image, s, **own, ref=ref)
    assert np.array_equal(words(gathered), oracle.run("gather4_c", sampler, 33, params={**params, "ref": ref}))


def test_loads_have_the_bits_of_batch(images, oracle, rng):
    for name in ("2d", "2d array", "3d", "uint", "1d"):
        image = images[name]
        oracle.define(image)
        n = {"1d": 1, "2d": 2, "3d": 3}[image.type]
        places = rng.integers(-2, 20, (n, 40)).astype(np.int32)
        level = rng.integers(0, 3, 40).astype(np.int32)
        own = dict(zip("xyz", places), level=level)
        params = dict(zip("uvr", places), lod=level)
        if image.is_array:
            own["layer"] = params["r"] = rng.integers(0, 4, 40).astype(np.int32)
        assert np.array_equal(words(heddle.load(image, **own)), oracle.run("ld", None, 40, params=params))


def test_samples_of_a_multisampled_image(rng):
    image = heddle.Image.empty(width=4, height=4, samples=4, format="R32_FLOAT")
    np.asarray(image)[...] = rng.random((4, 4, 4, 1))
    x, y, sample = np.meshgrid(range(4), range(4), range(4), indexing="ij")
    assert np.array_equal(heddle.load(image, x, y, sample=sample)[..., 0], np.asarray(image)[sample, y, x, 0])
    assert heddle.query(image).samples == 4


def test_quads_give_derivatives(images, oracle, rng):
    image = images["2d"]
    oracle.define(image)
    v, u = np.meshgrid(np.linspace(0, 2, 4, dtype=np.float32), np.linspace(0, 1, 6, dtype=np.float32), indexing="ij")
    result = heddle.sample(image, heddle.Sampler(TRILINEAR), u, v, quads=True)
    lanes = lambda a: a.reshape(2, 2, 3, 2).transpose(0, 2, 1, 3).reshape(-1)
    expected = oracle.run("sample", TRILINEAR, 24, params={"u": lanes(u), "v": lanes(v)})
    assert np.array_equal(words(result).reshape(2, 2, 3, 2, 4).transpose(0, 2, 1, 3, 4).reshape(-1, 4), expected)
    biased = heddle.sample(image, heddle.Sampler(TRILINEAR), u, v, quads=True, bias=1.5)
    assert np.array_equal(words(biased).reshape(2, 2, 3, 2, 4).transpose(0, 2, 1, 3, 4).reshape(-1, 4),
                          oracle.run("sample_b", TRILINEAR, 24, params={"u": lanes(u), "v": lanes(v), "bias": np.float32(1.5)}))
    # A plane has the same derivatives everywhere, so odd sizes and stacks of pictures change nothing inside.
    step = np.float32(1 / 64)
    yy, xx = np.meshgrid(np.arange(8, dtype=np.float32) * step, np.arange(8, dtype=np.float32) * step, indexing="ij")
    whole = heddle.sample(image, heddle.Sampler(TRILINEAR), xx, yy, quads=True)
    odd = heddle.sample(image, heddle.Sampler(TRILINEAR), xx[:7, :5], yy[:7, :5], quads=True)
    assert np.array_equal(odd, whole[:7, :5])
    stack = heddle.sample(image, heddle.Sampler(TRILINEAR), np.stack([xx, xx]), yy, quads=True)
    assert np.array_equal(stack, np.stack([whole, whole]))
    with pytest.raises(heddle.Error):
        heddle.sample(image, heddle.Sampler(), u[0], v[0], quads=True)


@pytest.mark.parametrize("given", [dict(), dict(lod=1.0), dict(bias=.5, quads=True), dict(quads=True), dict(ddx=(.1, .02), ddy=(.03, .1)),
                                   dict(ref=.5), dict(ref=.5, lod=1.0), dict(ref=.5, quads=True), dict(ref=.5, ddx=(.1, .02), ddy=(.03, .1))])
def test_offsets_of_each_element_are_those_of_all(images, rng, given):
    image = images["depth"] if "ref" in given else images["2d"]
    s = heddle.Sampler(TRILINEAR + ",compare_op=less")
    u, v = rng.random((2, 4, 6), np.float32)
    function = (heddle.sample_compare if "ref" in given else heddle.sample_level if "lod" in given else heddle.sample_grad if "ddx" in given else heddle.sample)
    for offset in ((3, -2), (-8, 7)):
        each = function(image, s, u, v, offset=(np.full((4, 6), offset[0]), np.full((4, 6), offset[1])), **given)
        assert np.array_equal(words(each), words(function(image, s, u, v, offset=offset, **given)))
    if "bias" not in given and "ddx" not in given and not ("ref" in given and "quads" in given):
        gathered = heddle.gather(image, s, u, v, offset=(np.full((4, 6), 3), np.full((4, 6), -2)), **given)
        assert np.array_equal(words(gathered), words(heddle.gather(image, s, u, v, offset=(3, -2), **given)))


def test_offsets_of_each_element_take_layers(images, rng):
    image, s = images["2d array"], heddle.Sampler(TRILINEAR)
    u, v = rng.random((2, 9), np.float32)
    layer = rng.integers(0, 3, 9)
    for function, more in ((heddle.sample, {}), (heddle.sample_grad, dict(ddx=(.1, 0), ddy=(0, .1))), (heddle.gather, {})):
        assert np.array_equal(function(image, s, u, v, layer=layer, offset=(np.full(9, 2), np.full(9, 1)), **more),
                              function(image, s, u, v, layer=layer, offset=(2, 1), **more))


def test_any_operation_by_its_name(images, oracle, rng):
    image = images["2d"]
    oracle.define(image)
    u, v = rng.random((2, 16), np.float32)
    for name, (family, parameters) in heddle.operations().items():
        if family == "info" or "mcs" in name or "2dms" in name:
            continue
        integer = family == "load"
        given = {"u": (u * 16).astype(np.int32) if integer else u, "v": (v * 16).astype(np.int32) if integer else v}
        for p in parameters:
            if p in ("ref", "bias", "lod", "mlod") and not integer:
                given[p] = np.full(16, .5, np.float32)
        sampler = TRILINEAR + ",compare_op=less"
        try:
            result = heddle.operation(name, image, heddle.Sampler(sampler), **given)
        except heddle.Error:
            answer = oracle.ask({"op": name, "surface": "s", "sampler": sampler, "lanes": 1, "params": {}})
            assert "error" in answer, name
            continue
        assert np.array_equal(words(result), oracle.run(name, sampler, 16, params=given)), name


def test_residency(rng):
    image = heddle.Image(rng.random((8, 8, 4), np.float32))
    values, mask = heddle.sample(image, heddle.Sampler("linear"), rng.random((3, 5)), .5, residency=True)
    assert values.shape == (3, 5, 4) and mask.shape == (3, 5) and mask.dtype == bool and mask.all()
    values, mask = heddle.sample(image, heddle.Sampler("linear"), .5, .5, residency=True)
    assert mask.shape == () and bool(mask)


def test_queries(images):
    assert heddle.query(images["2d"], 1)[:2] == (16, 8)
    assert heddle.query(images["2d array"]).layers == 3 and heddle.query(images["3d"]).depth == 4
    assert heddle.query(images["2d"], 99).width == 0
    levels = heddle.lod(images["2d"], heddle.Sampler(TRILINEAR), (1 / 8, 0), (0, 1 / 8))
    assert np.array_equal(levels, [2, 2])
    assert heddle.lod(images["2d"], heddle.Sampler(TRILINEAR), (np.ones((3, 1)), 0), (0, np.ones(2))).shape == (3, 2, 2)


def test_unorm_blocks(images, oracle):
    oracle.define(images["2d"])
    result = heddle.sample_unorm(images["2d"], heddle.Sampler("linear"), [.1, .2], .3, .02, .01)
    assert result.shape == (2, 4, 8, 4) and result.dtype == np.uint16
    answer = oracle.ask({"op": "sample_unorm", "surface": "s", "sampler": "linear", "u": float(np.float32(.1)), "v": float(np.float32(.3)),
                         "du": float(np.float32(.02)), "dv": float(np.float32(.01))})
    if "error" not in answer and "channels" in answer:
        assert [int(x, 16) if isinstance(x, str) else x for x in answer["channels"]["R"]] == result[0, ..., 0].reshape(-1).tolist()
    with pytest.raises(heddle.Error):
        heddle.sample_unorm(images["2d"], heddle.Sampler("linear"), 0, 0, 0, 0, channels="rx")


# --- arrays of all kinds ------------------------------------------------------------------------------------------------

coordinates = st.sampled_from([np.float32, np.float64, np.float16, ">f4", ">f8", np.int32, np.uint8, np.int64, bool, np.longdouble])


@st.composite
def strided(draw, shape):
    """An array that broadcasts to `shape`: any dtype, some axes 1 or missing, sliced, reversed, transposed."""
    own = tuple(draw(st.sampled_from([n, 1])) for n in shape[draw(st.integers(0, len(shape))):])
    steps = [draw(st.sampled_from([1, 2, -1, -3])) for _ in own]
    big = np.random.default_rng(draw(st.integers(0, 1 << 30))).uniform(-2, 2, tuple(n * abs(s) for n, s in zip(own, steps)))
    array = big.astype(draw(coordinates))
    if draw(st.booleans()):
        array = np.asfortranarray(array)
    array = array[tuple(slice(None, None, s) for s in steps)]
    if draw(st.booleans()) and array.ndim:
        array.flags.writeable = False
    return array


@given(st.data())
def test_any_strides_and_dtypes_give_the_bits_of_plain_arrays(data):
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=9))
    u, v, lod = (data.draw(strided(shape)) for _ in range(3))
    threads = data.draw(st.sampled_from([1, 2]))
    image = heddle.Image(np.random.default_rng(3).integers(0, 256, (8, 16, 4), np.uint8)).mips()
    s = heddle.Sampler(TRILINEAR)
    result = heddle.sample_level(image, s, u, v, lod=lod, threads=threads)
    full = np.broadcast(u, v, lod).shape
    assert result.shape == full + (4,)
    plain = [np.ascontiguousarray(np.broadcast_to(a, full)).astype(np.float32).reshape(-1) for a in (u, v, lod)]
    assert np.array_equal(words(result).reshape(-1, 4), words(heddle.sample_level(image, s, plain[0], plain[1], lod=plain[2])))
    for k in range(min(5, plain[0].size)):
        one = heddle.sample_level(image, s, float(plain[0][k]), float(plain[1][k]), lod=float(plain[2][k]))
        assert np.array_equal(words(one), words(result).reshape(-1, 4)[k])


@given(st.data())
def test_any_output_array(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, max_side=7))
    steps = [data.draw(st.sampled_from([1, 2, -1])) for _ in shape] + [data.draw(st.sampled_from([1, -1, 3]))]
    big = np.zeros(tuple(n * abs(s) for n, s in zip(shape + (4,), steps)), np.float32)
    out = big[tuple(slice(None, None, s) for s in steps)]
    image = heddle.Image(np.random.default_rng(3).random((8, 16, 4), np.float32))
    u = np.random.default_rng(4).random(shape, np.float32)
    assert heddle.sample(image, heddle.Sampler("linear"), u, .5, out=out) is out
    assert np.array_equal(out, heddle.sample(image, heddle.Sampler("linear"), u, .5))
    assert np.count_nonzero(big) <= out.size


def test_results_may_lie_over_coordinates(rng):
    image = heddle.Image(rng.random((8, 8, 4), np.float32))
    block = rng.random((1000, 4), np.float32)
    expected = heddle.sample(image, heddle.Sampler("linear"), block[:, 0].copy(), block[:, 3].copy())
    heddle.sample(image, heddle.Sampler("linear"), block[:, 0], block[:, 3], out=block)
    assert np.array_equal(block, expected)


def test_large_arrays_in_pieces_and_threads(rng):
    image = heddle.Image(rng.integers(0, 256, (64, 64, 4), np.uint8))
    u, v = rng.random((2, 700, 1000), np.float32)
    s = heddle.Sampler("linear,repeat")
    expected = heddle.sample(image, s, u, v)
    seen = []
    for threads in (1, 2, 0):
        assert np.array_equal(heddle.sample(image, s, u, v, threads=threads, progress=seen.append), expected)
    assert np.array_equal(heddle.sample(image, s, u.T, v.T), expected.transpose(1, 0, 2))
    assert np.array_equal(heddle.sample(image, s, u[:, :1], v[0]), heddle.sample(image, s, np.repeat(u[:, :1], 1000, 1), np.repeat(v[:1], 700, 0)))
    assert seen[-1] == 1 and sorted(set(seen)) == sorted(set(seen))
    with pytest.raises(ZeroDivisionError):
        heddle.sample(image, s, u, v, progress=lambda part: 1 / 0)


def test_threads_share_an_image(rng):
    image = heddle.Image(rng.integers(0, 256, (64, 64, 4), np.uint8))
    u, v = rng.random((2, 100_000), np.float32)
    samplers = [heddle.Sampler(w) for w in ("nearest", "linear", "linear,repeat", "nearest,repeat")]
    expected = [heddle.sample(image, s, u, v) for s in samplers]
    wrong = []

    def work(k):
        for _ in range(5):
            for j in range(20):
                heddle.sample(image, heddle.Sampler("linear", max_lod=j), .5, .5)
            if not np.array_equal(heddle.sample(image, samplers[k], u, v), expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_control_c_stops_a_long_run(rng):
    image = heddle.Image(rng.integers(0, 256, (64, 64, 4), np.uint8)).mips()
    u = np.broadcast_to(np.float32(.3), (1 << 30,))
    out = np.broadcast_to(np.zeros(1, np.float32), (1,))  # never used: the run ends before
    del out
    timer = threading.Timer(.3, lambda: signal.raise_signal(signal.SIGINT))
    began = time.process_time()
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        while True:
            heddle.sample(image, heddle.Sampler(TRILINEAR), u[:1 << 22], .5)
    assert time.process_time() - began < 60


@pytest.mark.parametrize("wrong, kind", [
    (lambda i, s: heddle.sample(), TypeError), (lambda i, s: heddle.sample(i, s, .1), TypeError), (lambda i, s: heddle.sample(s, i, 0, 0), TypeError),
    (lambda i, s: heddle.sample(i, s, 0, 0, 0, 0), TypeError), (lambda i, s: heddle.sample(i, s, 0, 0, u=1), TypeError),
    (lambda i, s: heddle.sample(i, s, "a", 0), TypeError), (lambda i, s: heddle.sample(i, s, 1j, 0), TypeError),
    (lambda i, s: heddle.sample(i, s, np.array([None]), 0), TypeError), (lambda i, s: heddle.sample(i, s, np.zeros(2, "M8[s]"), 0), TypeError),
    (lambda i, s: heddle.sample(i, s, np.zeros(2, [("a", "f4")]), 0), TypeError), (lambda i, s: heddle.sample(i, s, [[1, 2], [3]], 0), (ValueError, TypeError)),
    (lambda i, s: heddle.sample(i, s, 10**400, 0), OverflowError), (lambda i, s: heddle.load(i, 1.5, 0), TypeError),
    (lambda i, s: heddle.load(i, 1 << 40, 0), heddle.Error), (lambda i, s: heddle.load(i, np.array([1 << 40]), 0), heddle.Error),
    (lambda i, s: heddle.load(i, np.array([(1 << 64) - 1], np.uint64), 0), heddle.Error),
    (lambda i, s: heddle.sample(i, s, np.zeros(3), np.zeros(4)), heddle.Error), (lambda i, s: heddle.sample(i, s, 0, 0, 0), heddle.Error),
    (lambda i, s: heddle.sample(i, s, 0, 0, layer=0), heddle.Error), (lambda i, s: heddle.sample(i, s, 0, 0, offset=(1, 2, 3, 4)), heddle.Error),
    (lambda i, s: heddle.sample(i, s, 0, 0, offset=(8, 0)), heddle.Error), (lambda i, s: heddle.sample(i, s, 0, 0, offset=5), TypeError),
    (lambda i, s: heddle.sample(i, s, 0, 0, offset=(np.array([9]), 0)), heddle.Error), (lambda i, s: heddle.sample(i, s, 0, 0, offset=(.5, 0)), TypeError),
    (lambda i, s: heddle.sample(i, s, 0, 0, bias=1), heddle.Error), (lambda i, s: heddle.sample(i, s, 0, 0, threads=-1), heddle.Error),
    (lambda i, s: heddle.sample(i, s, 0, 0, platform="gen3"), heddle.Error), (lambda i, s: heddle.gather(i, s, 0, 0, channel=4), heddle.Error),
    (lambda i, s: heddle.sample_grad(i, s, 0, 0, ddx=(1, 2)), TypeError), (lambda i, s: heddle.sample_grad(i, s, 0, 0, ddx=(1,), ddy=(1,)), heddle.Error),
    (lambda i, s: heddle.sample_level(i, s, 0, 0), TypeError), (lambda i, s: heddle.sample_compare(i, s, 0, 0), TypeError),
    (lambda i, s: heddle.sample_compare(i, s, 0, 0, ref=0, lod=1, quads=True), heddle.Error),
    (lambda i, s: heddle.sample(i, s, np.zeros(3), 0, out=np.zeros((3, 4))), TypeError),
    (lambda i, s: heddle.sample(i, s, np.zeros(3), 0, out=np.zeros((4, 3), np.float32)), heddle.Error),
    (lambda i, s: heddle.sample(i, s, np.zeros(3), 0, out=np.broadcast_to(np.zeros(4, np.float32), (3, 4))), heddle.Error),
    (lambda i, s: heddle.sample(i, s, np.zeros(3), 0, out=[1, 2]), TypeError),
    (lambda i, s: heddle.sample(i, s, np.broadcast_to(0.0, (1 << 40,)), np.broadcast_to(0.0, (1 << 40, 1))), heddle.Error),
    (lambda i, s: heddle.sample(i, s, np.broadcast_to(0.0, (1 << 45,)), 0), MemoryError),
    (lambda i, s: heddle.operation("sampel", i), heddle.Error), (lambda i, s: heddle.operation("sample", i, s, w=1), heddle.Error),
    (lambda i, s: heddle.operation("ld", i, u=0.5), TypeError), (lambda i, s: heddle.load(i, 0, 0, sample=0), heddle.Error),
    (lambda i, s: heddle.load(i, 0, 0, offset=(np.zeros(2, int), 0)), heddle.Error), (lambda i, s: heddle.query(i, -1), TypeError)])
def test_wrong_arguments_are_exceptions(wrong, kind, rng):
    image = heddle.Image(rng.integers(0, 256, (8, 8, 4), np.uint8))
    with pytest.raises(kind) as error:
        wrong(image, heddle.Sampler("linear"))
    if kind is heddle.Error:
        assert error.value.diagnostics and error.value.diagnostics[0].severity == "error"


@pytest.mark.parametrize("words_, same", [("linear,repeat", dict(filter="linear", address="repeat")),
                                         ("min=linear,mag=nearest,mip=linear,lod_bias=0.5", dict(min="linear", mag="nearest", mip="linear", lod_bias=.5)),
                                         ("linear,border=0:0:0:1,clamp_to_border", dict(filter="linear", border=(0, 0, 0, 1), address="clamp_to_border"))])
def test_samplers_by_words_and_keywords(words_, same, rng):
    image = heddle.Image(rng.random((8, 8, 4), np.float32)).mips()
    u, v = rng.uniform(-1, 2, (2, 50))
    assert np.array_equal(heddle.sample_level(image, heddle.Sampler(words_), u, v, lod=.7), heddle.sample_level(image, heddle.Sampler(**same), u, v, lod=.7))
    assert heddle.Sampler(words_) == heddle.Sampler(words_) and hash(heddle.Sampler(words_)) == hash(heddle.Sampler(words_))
    for wrong in (lambda: heddle.Sampler("lienar"), lambda: heddle.Sampler(color=1)):
        with pytest.raises(heddle.Error):
            wrong()
    with pytest.raises(TypeError):
        heddle.Sampler(min=object())
