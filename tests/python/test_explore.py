# SPDX-License-Identifier: MIT
"""heddle.explore: pictures, histories and traces as arrays; every last traced value is the attachment's."""

import shutil

import numpy as np
import pytest

import heddle

# Red and green are the inputs, blue is their sum.
KERNEL = """.version 4.1
.kernel "sum"
.decl u v_type=G type=f num_elts=16 align=GRF
.decl v v_type=G type=f num_elts=16 align=GRF
.decl c v_type=G type=f num_elts=64 align=GRF
.decl never v_type=G type=f num_elts=16 align=GRF
.decl T7 v_type=T num_elts=1
.input u offset=64 size=64
.input v offset=128 size=64
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "sum_main"
sum_main:
    mov (M1, 16) c(0,0)<1> u(0,0)<1;1,0>
    mov (M1, 16) c(2,0)<1> v(0,0)<1;1,0>
    add (M1, 16) c(4,0)<1> u(0,0)<1;1,0> v(0,0)<1;1,0>
    mov (M1, 16) c(6,0)<1> 0x3f800000:f
    rt_write_3d.<LRTW> (M1, 16) T7 %null.0 c.0 c.64 c.128 c.192
    ret (M1_NM, 1)
"""
JOB = """# title: sums
program = "sum.visaasm"
[images.T7]
format = "R32G32B32A32_FLOAT"
size = [8, 4]
[pixels]
targets = ["T7"]
[pixels.inputs]
u = "uv.x"
v = "uv.y"
"""
TEXTURED = """#version 450
layout(binding = 0) uniform sampler2D wall;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
void main() { color = texture(wall, uv); }
"""
CORNERS = """#version 450
layout(location = 0) out vec2 place;
void main() {
  vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
  place = at;
  gl_Position = vec4(at * 4.0 - 1.0, 0.25, 1.0);
}
"""
PLACES = """#version 450
layout(location = 0) in vec2 place;
layout(location = 0) out vec4 color;
void main() { color = vec4(place, 0.0, 1.0); }
"""
needs_glslang = pytest.mark.skipif(shutil.which("glslangValidator") is None, reason="glslangValidator is not installed")


@pytest.fixture(scope="module")
def sums(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sums")
    (folder / "sum.visaasm").write_text(KERNEL)
    (folder / "job.toml").write_text(JOB)
    return heddle.explore(folder / "job.toml", trace=[(0, 0, 8, 4)])


def expected(x, y):
    """Pixel centers of 8x4, in fractions of the picture: exact in binary32."""
    return np.array([(x + 0.5) / 8, (y + 0.5) / 4, (x + 0.5) / 8 + (y + 0.5) / 4, 1], np.float32)


def test_pictures_are_the_attachment(sums):
    assert [(c.number, c.kind, c.name, c.label, c.images) for c in sums.commands] == [(0, "draw", "job.toml", "sums", ["T7"])]
    after, before = (sums.commands[0].image("T7", when) for when in ("after", "before"))
    assert after.shape == (4, 8, 4) and after.dtype == np.float32 and not before.any()
    for y in range(4):
        for x in range(8):
            np.testing.assert_array_equal(after[y, x], expected(x, y))


def test_the_last_values_of_every_pixel_are_its_history(sums):
    command = sums.commands[0]
    for y in range(4):
        for x in range(8):
            (fragment,) = command.history(x, y)
            assert fragment.fate == "written" and fragment.reason == "" and command.images[fragment.target] == "T7"
            np.testing.assert_array_equal(fragment.after.view(np.float32), expected(x, y))
            np.testing.assert_array_equal(fragment.color, fragment.after)
            assert not fragment.before.any()
            thread = command.trace(x, y)
            assert tuple(thread.places[thread.lane]) == (x, y, 0) and thread.active[thread.lane] and not thread.helpers[thread.lane]
            c = thread.values()["c"]
            assert c.shape == (4, 16)
            np.testing.assert_array_equal(c[:, thread.lane], expected(x, y))


def test_values_of_each_step(sums):
    thread = sums.commands[0].trace(3, 2)
    first, third = thread.values(0), thread.values(2)
    assert not first["c"].mask[0, thread.lane] and first["c"].mask[1:, thread.lane].all()
    assert third["c"][2, thread.lane] == expected(3, 2)[2] and third["c"].mask[3, thread.lane]
    assert third["never"].mask.all()
    step = thread.step(2)
    assert step.text.startswith("add (M1, 16) c(4,0)") and step.lanes[thread.lane] and step.texels is None
    assert KERNEL.split("\n")[step.line - 1].strip() == step.text
    with pytest.raises(heddle.Error, match=f"the thread has {len(thread)} steps: there is no step {len(thread)}"):
        thread.values(len(thread))


def test_the_page_is_a_file_and_shows_itself(sums, tmp_path):
    sums.save(tmp_path / "again.html")
    again = heddle.explore(tmp_path / "again.html")
    assert again.documents() == sums.documents() and again.title == "job.toml"
    np.testing.assert_array_equal(again.commands[0].image("T7"), sums.commands[0].image("T7"))
    shown = sums._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts"') and "&lt;!doctype html&gt;" in shown
    assert repr(sums) == "<heddle.Exploration job.toml: 1 command>"


def test_a_captured_folder_lists_what_lay_between(tmp_path):
    (tmp_path / "sum.visaasm").write_text(KERNEL)
    (tmp_path / "000001.toml").write_text("# label: walls\n# before: copy buffer to image wall (4x4)\n# before: pass begins, 8x4\n" + JOB)
    (tmp_path / "000002.toml").write_text("# before: next subpass\n" + JOB)
    (tmp_path / "behind.txt").write_text("pass ends\n")
    found = heddle.explore(tmp_path, trace=[(0, 0)])
    assert [c.label for c in found.commands] == ["walls", "sums"]
    assert [c.before for c in found.commands] == [["copy buffer to image wall (4x4)", "pass begins, 8x4"], ["next subpass"]]
    assert found.behind == ["pass ends"]


@needs_glslang
def test_arrays_are_bound_and_texels_have_their_way(tmp_path, rng):
    (tmp_path / "a.frag").write_text(TEXTURED)
    wall = rng.integers(0, 256, (4, 4, 4), np.uint8)
    found = heddle.explore(tmp_path / "a.frag", images={"wall": wall}, samplers={"wall": heddle.Sampler("nearest,clamp")},
                           targets={"color": f"{tmp_path}/out.png:rgba8:4x4"}, trace=[(2, 1)])
    command = found.commands[0]
    # One texel for each pixel, and UNORM bytes there and back.
    np.testing.assert_array_equal(command.image("color"), wall.astype(np.float32) / np.float32(255))
    thread = command.trace(2, 1)
    (texels,) = [thread.step(k).texels for k in range(len(thread)) if thread.step(k).texels]
    lane = next(one for one in texels["lanes"] if one["lane"] == thread.lane)
    assert [float(c) for c in lane["coordinate"][:2]] == [2.5 / 4, 1.5 / 4]
    assert lane["levels"][0]["probes"][0]["taps"][0][1:3] == [2, 1]
    # FP-11: one group of 2x2 texels, the second of the first row: bit 1.
    assert lane["levels"][0]["footprint"] == {"anchor": [0, 0], "offset": [0, 0], "mask": "0000000000000002", "granularity": 1, "group": [2, 2], "groups": [[1, 0]]}


@needs_glslang
def test_arguments_that_are_true_or_false(tmp_path):
    (tmp_path / "a.comp").write_text("""#version 450
layout(local_size_x = 8) in;
layout(constant_id = 0) const bool wide = false;
layout(binding = 0) buffer Data { uint data[8]; };
void main() { data[gl_LocalInvocationID.x] = wide ? 7u : 3u; }
""")
    for given in (True, np.bool_(True), np.array([True])):
        found = heddle.explore(tmp_path / "a.comp", buffers={"Data": f"u32:8:save={tmp_path}/data.bin"}, args={"spec.wide": given}, flags=["--groups", "1"])
        assert [c.kind for c in found.commands] == ["dispatch"]


@needs_glslang
def test_blocks_are_dicts(tmp_path):
    (tmp_path / "a.frag").write_text("""#version 450
layout(push_constant) uniform P { float scale; bool on; vec2 pair[2]; } p;
layout(location = 0) out vec4 color;
void main() { color = vec4(p.scale, p.on ? 1 : 0, p.pair[0].y, p.pair[1].x); }
""")
    block = dict(scale=np.float32(0.5), on=True, pair=[np.array([1, 2]), (3.25, 4)])
    packed = np.array([.5, 0, 1, 2, 3.25, 4], "<f4").view(np.uint8).copy()
    packed[4] = 1
    for given in (block, packed.tobytes()):
        found = heddle.explore(tmp_path / "a.frag", targets={"color": f"{tmp_path}/out.pfm:r32g32b32a32_sfloat:2x2"}, args={"push": given})
        assert found.commands[0].image("color")[0, 0].tolist() == [.5, 1, 2, 3.25]
    for wrong, kind, said in ((None, TypeError, "None is no value"), ({1}, TypeError, "is no value"), ("a\ud800", ValueError, "surrogate")):
        with pytest.raises(kind, match=said):
            heddle.explore(tmp_path / "a.frag", args={"push": dict(scale=wrong)})
    # A name that the block does not have is said as it was given, whatever its letters.
    with pytest.raises(heddle.Error, match="no member '\U0001f41f\x7f'"):
        heddle.explore(tmp_path / "a.frag", targets={"color": f"{tmp_path}/out.pfm:r32g32b32a32_sfloat:2x2"}, args={"push": {"\U0001f41f\x7f": 1}})


@needs_glslang
def test_the_vertices_behind_a_pixel(tmp_path):
    (tmp_path / "a.vert").write_text(CORNERS)
    (tmp_path / "a.frag").write_text(PLACES)
    found = heddle.explore(tmp_path / "a.frag", targets={"color": f"{tmp_path}/out.pfm:r32g32b32a32_sfloat:8x8"}, trace=[(5, 3)],
                           flags=["--vertex", str(tmp_path / "a.vert"), "--vertices", "3"])
    command = found.commands[0]
    fragment = command.history(5, 3)[-1]
    # The triangle's corners are (-1, -1), (3, -1), (-1, 3): place is half of what the picture's fractions are.
    np.testing.assert_array_equal(fragment.after.view(np.float32), [5.5 / 16, 3.5 / 16, 0, 1])
    corners = command.corners(fragment.primitive)
    assert sorted(corners) == [(0, 0), (0, 1), (0, 2)]
    (stage,) = command.index["stages"]
    assert stage["stage"] == "vert" and stage["threads"] == 1 and stage["corners"] and stage["traced"] == [0]
    vertices = command.stage_trace("vert", *corners[0])
    assert vertices.active[:3].all() and not vertices.active[3:].any()
    values = vertices.values()
    np.testing.assert_array_equal(values["place_x"][:3], [0, 1, 0])
    np.testing.assert_array_equal(values["place_y"][:3], [0, 0, 1])
    with pytest.raises(heddle.Error, match="no stage 'geom' before its pixels: it has vert"):
        command.stage_trace("geom", 0)
    with pytest.raises(heddle.Error, match="no trace of thread 7: it has those of 0"):
        command.stage_trace("vert", 7)


@needs_glslang
def test_findings_and_dispatches(tmp_path):
    (tmp_path / "a.comp").write_text("""#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer Data { uint data[8]; };
shared uint part[8];
void main() { part[gl_LocalInvocationID.x] = gl_LocalInvocationID.x; data[gl_LocalInvocationID.x] = part[(gl_LocalInvocationID.x + 1u) % 8u]; }
""")
    found = heddle.explore(tmp_path / "a.comp", buffers={"Data": "u32:8"}, flags=["--groups", "1"], checks="warn", trace=[(0, 0, 8, 1)])
    command = found.commands[0]
    assert command.kind == "dispatch" and command.findings and "race" in command.findings[0]["message"]
    thread = command.trace(3)
    assert tuple(thread.places[thread.lane]) == (3, 0, 0)
    with pytest.raises(heddle.Error, match="no trace of 100, 0"):
        command.trace(100)


def test_what_is_refused_is_said_in_the_programs_words(sums, tmp_path):
    with pytest.raises(heddle.Error, match="nothing.toml"):
        heddle.explore(tmp_path / "nothing.toml")
    with pytest.raises(TypeError, match=r"trace takes \(x, y\) or \(x, y, width, height\)"):
        heddle.explore(tmp_path / "job.toml", trace=[(1, 2, 3)])
    (tmp_path / "page.html").write_text("<p>nothing</p>")
    with pytest.raises(heddle.Error, match="no report of heddle explore"):
        heddle.explore(tmp_path / "page.html")
    # Its own message, identifier and notes, each once.
    with pytest.raises(heddle.Error) as refused:
        heddle.explore(tmp_path / "nothing.toml")
    assert str(refused.value).count("error: ") == 1 and [d.id for d in refused.value.diagnostics] == ["file-open"]
    with pytest.raises(heddle.Error, match="there is no flag '--smapler'"):
        heddle.explore(tmp_path / "job.toml", flags=["--smapler", "x"])
    with pytest.raises(TypeError, match=r"trace takes \(x, y\) or \(x, y, width, height\), not 5"):
        heddle.explore(tmp_path / "job.toml", trace=[5])
    for missing in (tmp_path / "nope", tmp_path):
        with pytest.raises(heddle.Error, match="can't be run on .*; program= or HEDDLE_PROGRAM names the program"):
            heddle.explore(tmp_path / "job.toml", program=missing)
    with pytest.raises(heddle.Error, match="'checks' is 'off' or 'warn', not 'error'"):
        heddle.explore(tmp_path / "job.toml", checks="error")
    command = sums.commands[0]
    with pytest.raises(heddle.Error, match="'when' is 'after' or 'before', not 'x'"):
        command.image("T7", when="x")
    with pytest.raises(heddle.Error, match="no fragment 5 of command 0 met pixel 1, 1: its history has 1"):
        command.trace(1, 1, 5)
    thread = command.trace(1, 1)
    for number in (10**6, len(thread), -len(thread) - 1):
        with pytest.raises(heddle.Error, match=f"there is no step {number}"):
            thread.step(number)
    assert thread.step(-1).text == thread.step(len(thread) - 1).text
    with pytest.raises(heddle.Error, match="no image 'T8': it has T7"):
        command.image("T8")
    with pytest.raises(heddle.Error, match="no texels of 'T7', after, level 3"):
        command.image("T7", level=3)
    with pytest.raises(heddle.Error, match="no fragment of command 0 met pixel 70, 9"):
        command.trace(70, 9)
    with pytest.raises(heddle.Error, match=r"no stage 'vert' before its pixels \["):
        command.stage_trace("vert", 0)
    assert command.corners(12345) == []
