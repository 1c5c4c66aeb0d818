# SPDX-License-Identifier: MIT
"""heddle.Image: files, arrays, buffers, views; what is refused."""

import gc
import pathlib
import pickle
import warnings
import weakref

import numpy as np
import pytest

import heddle


@pytest.mark.parametrize("dtype, channels, name", [
    (np.uint8, 1, "R8_UNORM"), (np.uint8, 2, "R8G8_UNORM"), (np.uint8, 3, "R8G8B8_UNORM"), (np.uint8, 4, "R8G8B8A8_UNORM"),
    (np.int8, 4, "R8G8B8A8_SNORM"), (np.uint16, 4, "R16G16B16A16_UNORM"), (np.int16, 2, "R16G16_SNORM"), (np.float16, 1, "R16_FLOAT"),
    (np.float16, 4, "R16G16B16A16_FLOAT"), (np.float32, 1, "R32_FLOAT"), (np.float32, 4, "R32G32B32A32_FLOAT"), (np.uint32, 1, "R32_UINT"),
    (np.int32, 4, "R32G32B32A32_SINT")])
def test_dtypes_give_formats_without_a_copy(dtype, channels, name, rng):
    array = rng.integers(-100 if np.dtype(dtype).kind == "i" else 0, 100, (5, 7, channels)).astype(dtype)
    image = heddle.Image(array)
    assert image.format == name
    assert (image.width, image.height, image.levels) == (7, 5, 1)
    view = np.asarray(image)
    assert np.shares_memory(view, array) and view.dtype == array.dtype and np.array_equal(view, array)
    array[0, 0, 0] = 3
    assert view[0, 0, 0] == 3
    view[4, 6, 0] = 5
    assert array[4, 6, 0] == 5


def test_shapes_give_types(rng):
    flat = rng.random((4, 6), np.float32)
    assert np.asarray(heddle.Image(flat)).shape == (4, 6, 1)
    layers = heddle.Image(rng.random((3, 4, 6, 2), np.float32))
    assert layers.is_array and layers.layers == 3 and layers.shape == (3, 4, 6)
    assert heddle.Image(rng.random((3, 4, 6), np.float32), array=True).layers == 3
    volume = heddle.Image(rng.random((3, 4, 6, 1), np.float32), type="3d")
    assert (volume.depth, volume.height, volume.width) == (3, 4, 6)
    cube = heddle.Image(rng.random((12, 4, 4, 4), np.float32), type="cube")
    assert cube.layers == 2 and cube.is_array is False or cube.layers == 2
    line = heddle.Image(rng.random((9, 4), np.float32), type="1d")
    assert line.type == "1d" and line.width == 9
    buffer = heddle.Image(rng.random((9, 4), np.float32), type="buffer")
    assert buffer.type == "buffer" and np.asarray(buffer).shape == (9, 4)


def test_levels_and_mips(rng):
    levels = [rng.random((8, 4, 1), np.float32), rng.random((4, 2, 1), np.float32), rng.random((2, 1, 1), np.float32)]
    image = heddle.Image(levels)
    assert image.levels == 3
    for k, level in enumerate(levels):
        assert np.array_equal(image.decode(k)[..., 0], level[..., 0])
    made = heddle.Image(levels[0]).mips()
    assert made.levels == 4 and np.allclose(made.decode(1)[0, 0, 0], levels[0][:2, :2].mean())
    with pytest.raises(heddle.Error):
        heddle.Image([levels[0], levels[2]])
    with pytest.raises(heddle.Error):
        heddle.Image([levels[0], levels[1].astype(np.float16)])


def test_all_formats_decode():
    count = 0
    for name in heddle.formats():
        format = heddle.describe_format(name)
        w = h = 12
        size = -(-w // format["block"][0]) * -(-h // format["block"][1]) * format["element_bytes"]
        if "PLANAR" in name:
            size = w * h * 3 // 2
        if not format["readable"]:
            with pytest.raises(heddle.Error):
                heddle.Image(bytes(size), format=name, width=w, height=h)
            continue
        try:
            image = heddle.Image(bytes(range(256)) * 64, format=name, width=w, height=h)
        except heddle.Error as error:  # the message says how many bytes
            size = int(str(error).split("the image has ")[1].split()[0])
            image = heddle.Image((bytes(range(256)) * 64)[:size], format=name, width=w, height=h)
        texels = image.decode()
        assert texels.shape == (12, 12, 4) and str(texels.dtype) == format["numbers"]
        assert np.asarray(image).size
        count += 1
    assert count >= 266


def test_encoding_to_another_format(rng):
    values = rng.random((4, 4, 4), np.float32)
    image = heddle.Image(values, format="R8G8B8A8_UNORM")
    assert np.array_equal(np.asarray(image), np.rint(values * 255).astype(np.uint8))
    assert not np.shares_memory(np.asarray(image), values)
    small = heddle.Image(rng.integers(0, 256, (4, 4, 3), np.uint8), format="R8G8B8A8_UNORM")
    assert (np.asarray(small)[..., 3] == 255).all()
    numbers = heddle.Image(np.arange(16).reshape(4, 4), format="R16_UINT")
    assert np.array_equal(np.asarray(numbers)[..., 0], np.arange(16).reshape(4, 4))
    with pytest.raises(TypeError):
        heddle.Image(values, format="R8G8B8A8_UINT")


def test_views_name_the_same_texels(rng):
    image = heddle.Image(rng.integers(0, 256, (4, 8, 8, 4), np.uint8)).mips()
    part = image.view(level=1, layers=(1, 3))
    assert part.shape == (2, 4, 4) and part.levels == 3
    assert np.array_equal(part.decode(), image.decode(1)[1:3])
    np.asarray(part)[0, 0, 0] = 77
    assert (image.decode(1)[1, 0, 0] == np.float32(77) / np.float32(255)).all()
    one = image.view(layers=2)
    assert one.layers == 1
    swapped = image.view(swizzle="BGR1")
    s = heddle.Sampler()
    assert np.array_equal(heddle.sample(swapped, s, .1, .1, layer=0)[:3], heddle.sample(image, s, .1, .1, layer=0)[2::-1])
    raw = image.view(format="R8G8B8A8_UINT")
    assert raw.dtype == np.uint32 and np.array_equal(raw.decode(), np.asarray(image))
    for wrong in (dict(format="R16_UINT"), dict(level=9), dict(layers=(3, 9)), dict(layers=(2, 2)), dict(swizzle="XY")):
        with pytest.raises(heddle.Error):
            image.view(**wrong)


def test_files_and_pickles(tmp_path, rng):
    array = rng.integers(0, 256, (6, 5, 4), np.uint8)
    image = heddle.Image(array)
    for name in ("a.png", "a.ktx2"):
        image.save(tmp_path / name)
        assert np.array_equal(np.asarray(heddle.Image(tmp_path / name)), array)
        assert np.array_equal(np.asarray(heddle.Image((tmp_path / name).read_bytes())), array)
    again = pickle.loads(pickle.dumps(image.mips().view(level=1)))
    assert again.levels == 2 and np.array_equal(again.decode(), image.mips().decode(1))
    assert heddle.Image(str(tmp_path / "a.png"), mips=True, srgb=True).format == "R8G8B8A8_UNORM_SRGB"
    with pytest.raises(heddle.Error) as error:
        heddle.Image("nowhere.png")
    assert error.value.diagnostics[0].id == "file-open"


def test_universal_textures_become_bc7():
    folder = pathlib.Path(__file__).resolve().parent.parent / "image" / "data" / "universal"
    path = folder / "uastc_opaque.ktx2"
    expected = (folder / "uastc_opaque.bc7").read_bytes()  # of an independent transcoder
    for image in (heddle.Image(path, bc7=True), heddle.Image(path.read_bytes(), bc7=True)):
        assert image.format.startswith("BC7_UNORM") and image.packed() == expected
    assert heddle.Image(path).format.startswith("R8G8B8A8_UNORM")
    with pytest.raises(heddle.Error, match="bc7 is for the blocks of a KTX2 file"):
        heddle.Image(np.zeros((4, 4, 4), np.uint8), bc7=True)


def test_damaged_files_warn(tmp_path):
    heddle.Image(np.arange(48, dtype=np.uint8).reshape(4, 3, 4)).save(tmp_path / "a.png")
    data = (tmp_path / "a.png").read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        heddle.Image(data)
    with pytest.warns(RuntimeWarning, match=r"ends before the chunk IEND.*\[png-data\]"):
        cut = heddle.Image(data[:-12])
    assert np.array_equal(cut.decode(), heddle.Image(data).decode())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning):
            heddle.Image(data[:-12])


def test_memory_lives_as_long_as_somebody_needs_it(rng):
    array = rng.random((64, 64, 4), np.float32)
    expected = array.copy()
    gone = weakref.ref(array)
    image = heddle.Image(array)
    view = np.asarray(image)
    del array
    gc.collect()
    assert gone() is not None and np.array_equal(image.decode(), expected)
    del image
    gc.collect()
    assert np.array_equal(view, expected)
    del view
    gc.collect()
    assert gone() is None


def test_an_image_keeps_its_array_from_being_resized():
    data = bytearray(64)
    image = heddle.Image(np.frombuffer(data, np.uint8).reshape(4, 4, 4))
    with pytest.raises(BufferError):
        data.extend(b"more")
    del image


def test_strided_and_read_only_arrays_are_copied(rng):
    array = rng.integers(0, 256, (8, 8, 4), np.uint8)
    for source in (array[::2], array[:, ::-1], np.asfortranarray(array), array.astype(">u1")):
        assert np.array_equal(np.asarray(heddle.Image(source)), source)
    fixed = array.copy()
    fixed.flags.writeable = False
    image = heddle.Image(fixed)
    np.asarray(image)[0, 0, 0] ^= 1
    assert np.array_equal(fixed, array)
    swapped = rng.random((4, 4)).astype(">f4")
    assert np.array_equal(np.asarray(heddle.Image(swapped))[..., 0], swapped)


@pytest.mark.parametrize("wrong, kind", [
    (lambda: heddle.Image(np.zeros((3, 3), complex)), TypeError), (lambda: heddle.Image(np.zeros((3, 3), object)), TypeError),
    (lambda: heddle.Image(np.zeros((3, 3, 5), np.uint8)), heddle.Error), (lambda: heddle.Image(np.zeros((0, 3), np.uint8)), heddle.Error),
    (lambda: heddle.Image(np.zeros(3, np.uint8)), heddle.Error), (lambda: heddle.Image(None), heddle.Error), (lambda: heddle.Image([]), heddle.Error),
    (lambda: heddle.Image(np.zeros((3, 3), np.uint8), format="nothing"), heddle.Error),
    (lambda: heddle.Image(np.zeros((3, 3), np.uint8), type="4d"), heddle.Error),
    (lambda: heddle.Image(np.zeros((3, 3), np.uint8), color="red"), TypeError),
    (lambda: heddle.Image(np.zeros((5, 4, 4, 1), np.uint8), type="cube"), heddle.Error),
    (lambda: heddle.Image(bytes(3), format="R8_UNORM", width=2, height=2), heddle.Error),
    (lambda: heddle.Image(np.zeros((1, 20000), np.uint8)), heddle.Error),
    (lambda: heddle.Image.empty(width=0), heddle.Error), (lambda: heddle.Image.empty(width=-1), heddle.Error),
    (lambda: heddle.Image.empty(width=16384, height=16384, format="R32G32B32A32_FLOAT"), heddle.Error)])
def test_wrong_images_are_exceptions(wrong, kind):
    with pytest.raises(kind):
        wrong()


@pytest.mark.parametrize("name", ["Image", "Sampler", "Buffer", "Report", "Diagnostic", "Place", "Note"])
def test_there_are_no_objects_without_content(name):
    kind = getattr(heddle, name)
    if name == "Sampler":
        assert heddle.Sampler.__new__(heddle.Sampler).text == ""
    else:
        with pytest.raises(TypeError):
            kind.__new__(kind)
    with pytest.raises(TypeError):
        type("Mine", (kind,), {})


def test_buffers_of_several_kinds():
    image = heddle.Image.empty(width=4, height=2, levels=2)
    view = memoryview(image)
    assert view.shape == (2, 4, 4) and view.format == "B" and not view.readonly and view.c_contiguous
    assert bytes(image) == bytes(32)
    part = heddle.Image.empty(width=4, height=2, layers=3).view(layers=1)
    assert memoryview(part).shape == (1, 2, 4, 4)
    with pytest.raises(BufferError):
        memoryview(heddle.Image(bytes(16), format="BC7_UNORM", width=4, height=4))
