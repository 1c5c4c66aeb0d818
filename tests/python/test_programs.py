# SPDX-License-Identifier: MIT
"""heddle.Program, Kernel: assemble, check, compile, run with arrays, plans, traces, reports; what is refused."""

import array
import collections
import ctypes
import gc
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import UserList

import numpy as np
import pytest

import heddle

NEGATIVE = """.version 4.1
.kernel "negative"
.decl u v_type=G type=f num_elts=16 align=GRF
.decl v v_type=G type=f num_elts=16 align=GRF
.decl c v_type=G type=f num_elts=64 align=GRF
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.input u offset=64 size=64
.input v offset=128 size=64
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "negative_main"
negative_main:
    sample_lz.RGBA (M1, 16) 0x0:uw S0 T6 c.0 u.0 v.0
    add (M1, 16) c(0,0)<1> (-)c(0,0)<1;1,0> 1.0:f
    rt_write_3d.<LRTW> (M1, 16) T7 %null.0 c.0 c.64 c.128 c.192
    ret (M1_NM, 1)
"""
SCALE = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 8 1 1
OpName %data "data"
OpName %push "push"
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %floats ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
OpDecorate %pblock Block
OpMemberDecorate %pblock 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%uint3 = OpTypeVector %uint 3
%pin = OpTypePointer Input %uint3
%id = OpVariable %pin Input
%floats = OpTypeRuntimeArray %float
%block = OpTypeStruct %floats
%pblock = OpTypeStruct %float
%pb = OpTypePointer StorageBuffer %block
%pp = OpTypePointer PushConstant %pblock
%pf = OpTypePointer StorageBuffer %float
%ppf = OpTypePointer PushConstant %float
%data = OpVariable %pb StorageBuffer
%push = OpVariable %pp PushConstant
%zero = OpConstant %uint 0
%main = OpFunction %void None %fn
%l = OpLabel
%g = OpLoad %uint3 %id
%x = OpCompositeExtract %uint %g 0
%p = OpAccessChain %pf %data %zero %x
%v = OpLoad %float %p
%sp = OpAccessChain %ppf %push %zero
%s = OpLoad %float %sp
%r = OpFMul %float %v %s
OpStore %p %r
OpReturn
OpFunctionEnd
"""


@pytest.fixture(scope="module")
def scale():
    return heddle.Kernel(heddle.compile(SCALE))


@pytest.fixture
def picture(rng):
    return heddle.Image(rng.integers(0, 256, (8, 16, 4), np.uint8))


def test_text_and_containers_both_ways():
    program = heddle.Program(NEGATIVE, name="negative.visaasm")
    assert program.kernels == ["negative"] and program.instructions == 5 and program.source == NEGATIVE
    assert heddle.Program(program.text).text == program.text
    container = heddle.assemble(NEGATIVE)
    assert container[:4] == b"CISA" and heddle.disassemble(container) == heddle.Program(container).text
    again = pickle.loads(pickle.dumps(program))
    assert again.text == program.text and again.file == "negative.visaasm"
    assert pickle.loads(pickle.dumps(heddle.Program(container))).container() == container


def test_findings_are_objects(tmp_path):
    wrong = NEGATIVE.replace("sample_lz.RGBA", "sample4.RG")
    report = heddle.check(wrong, name="wrong.visaasm", platform="SKL")
    assert not report.ok
    finding = next(d for d in report.findings if d.severity == "error")
    assert finding.id == "visa-sample4-channel" and finding.place.line == 15 and finding.place.file == "wrong.visaasm"
    assert "^" in str(finding) and '"severity"' in finding.to_json()
    assert heddle.check(NEGATIVE).ok and "SKL" in heddle.check(NEGATIVE).platforms
    with pytest.raises(heddle.Error) as error:
        heddle.Program("rubbish\n")
    assert error.value.diagnostics[0].place.line == 1
    path = tmp_path / "a.visaasm"
    path.write_text(NEGATIVE)
    assert heddle.Program(path).file == str(path) and heddle.check(str(path)).ok
    with pytest.raises(FileNotFoundError):
        heddle.Program("nowhere.visaasm")


def test_explaining():
    assert "gather" in heddle.explain("GA-4").lower()
    assert heddle.explain("sample4", json=True).startswith("{")
    with pytest.raises(heddle.Error) as error:
        heddle.explain("GA-4444")
    assert error.value.diagnostics[0].id == "explain-unknown"
    assert "SKL" in heddle.platforms() and "visa-text-syntax" in heddle.explain_index()


def test_pixels_with_arrays(picture):
    kernel = heddle.Kernel(heddle.Program(NEGATIVE))
    target = np.zeros((8, 16, 4), np.uint8)
    given = dict(images={"T6": picture}, samplers={"S0": "nearest"}, targets={"T7": target}, inputs={"u": "uv.x", "v": "uv.y"})
    for engine in ("fast", "reference"):
        target[...] = 0
        report = kernel.run(**given, engine=engine)
        assert np.array_equal(target[..., 0], 255 - np.asarray(picture)[..., 0]) and np.array_equal(target[..., 1:], np.asarray(picture)[..., 1:])
        assert report.kernel == "negative" and report.instructions > 0
    target[...] = 0
    kernel.run(**given, draw=dict(scissor=(4, 0, 4, 8)))
    assert target[:, 4:8].any() and not target[:, :4].any() and not target[:, 8:].any()


def test_traces_are_tables(picture):
    kernel = heddle.Kernel(heddle.Program(NEGATIVE))
    given = dict(images={"T6": picture}, samplers={"S0": "nearest"}, targets={"T7": heddle.Image.empty(width=16, height=8)}, inputs={"u": "uv.x", "v": "uv.y"})
    report = kernel.run(**given, trace=dict(lane=3, most=10))
    assert report.engine == "reference" and report.texels_read == 128
    table = kernel.trace.table
    rows = table[table["executions"] > 0]
    assert len(rows) == 4 and (rows["executions"][:3] == 8).all() and "sample_lz" in rows["text"][0]
    assert len(kernel.trace.lines) == 10 and "sample_lz" in kernel.trace.lines[0]
    assert kernel.trace.texels("T6").width == 16
    assert "<table" in kernel.trace._repr_html_()


def test_buffers_of_arrays(scale, rng):
    data = rng.random(64, np.float32)
    expected = data * np.float32(2.5)
    report = scale.run(buffers={"data": data}, push=np.array([2.5], np.float32), size=64)
    assert np.array_equal(data, expected) and report.groups == 8
    scale.run(buffers={"0.0": data}, push=np.array([2.0], np.float32), groups=8)
    assert np.array_equal(data, expected * 2)
    buffer = heddle.Buffer(data)
    scale.run(buffers={"data": buffer}, push=[0.5], size=64)
    assert np.array_equal(np.frombuffer(buffer, np.float32), data * np.float32(.5))
    fixed = data.copy()
    fixed.flags.writeable = False
    with pytest.raises(heddle.Error, match="its results are lost"):
        scale.run(buffers={"data": fixed}, push=[3.0], size=64)
    assert np.array_equal(fixed, data)


def test_kept_plans_run_again(scale):
    data = np.ones(8, np.float32)
    for _ in range(20):
        scale.run(buffers={"data": data}, push=[2.0], size=8)
    assert data[0] == 2.0 ** 20
    plan = scale.prepare(buffers={"data": data}, push=[.5], size=8)
    for _ in range(20):
        plan()
    assert data[0] == 1
    del plan
    for k in range(30):  # arrays that are gone do not come back as others
        fresh = np.full(8, k, np.float32)
        scale.run(buffers={"data": fresh}, push=[2.0], size=8)
        assert fresh[0] == 2 * k
        del fresh
        gc.collect()


def test_checks_report(scale):
    report = scale.run(buffers={"data": heddle.Buffer(16)}, push=[2.0], size=8, checks="warn")
    assert report.findings and report.diagnostics[0].severity == "warning" and report.diagnostics[0].id == "run-surface-bounds"
    with pytest.raises(heddle.Error):
        scale.run(buffers={"data": heddle.Buffer(16)}, push=[2.0], size=8, checks="error")


def test_progress_and_its_exceptions(scale):
    seen = []
    scale.run(buffers={"data": heddle.Buffer(4 * 80000)}, push=[2.0], size=80000, progress=seen.append)
    assert seen and seen[-1] <= 1
    with pytest.raises(ZeroDivisionError):
        scale.run(buffers={"data": heddle.Buffer(4 * 80000)}, push=[2.0], size=80000, progress=lambda part: 1 / 0)


def test_control_c_ends_a_run(scale):
    endless = heddle.Kernel(heddle.compile(SCALE.replace("OpReturn\n", "OpBranch %h\n%h = OpLabel\nOpLoopMerge %e %c None\nOpBranch %b\n%b = OpLabel\n%w = OpLoad %float %p\n"
                                                         "OpStore %p %w\nOpBranch %c\n%c = OpLabel\nOpBranch %h\n%e = OpLabel\nOpReturn\n")))
    timer = threading.Timer(.4, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT))
    began = time.process_time()
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        endless.run(buffers={"data": heddle.Buffer(64)}, push=[1.0], size=8, steps=10**15)
    assert time.process_time() - began < 60
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(heddle.Error) as error:
        endless.run(buffers={"data": heddle.Buffer(64)}, push=[1.0], size=8, steps=10000)
    assert error.value.diagnostics[0].is_limit


def test_threads_run_kernels(scale):
    wrong = []

    def work():
        kernel = heddle.Kernel(scale.program)
        data = np.ones(800, np.float32)
        for _ in range(10):
            kernel.run(buffers={"data": data}, push=[2.0], size=800)
        if not (data == 1024).all():
            wrong.append(data)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


@pytest.mark.skipif(shutil.which("glslangValidator") is None, reason="GLSL needs glslangValidator")
def test_glsl(tmp_path):
    text = "#version 450\nlayout(local_size_x=4) in; layout(binding=0) buffer A { uint a[]; }; layout(constant_id=3) const uint k = 1;\nvoid main() { a[gl_GlobalInvocationID.x] += k; }\n"
    data = np.zeros(8, np.uint32)
    heddle.Kernel(heddle.compile(text, stage="comp", specialization={3: 7})).run(buffers={"0.0": data}, size=8)
    assert (data == 7).all()
    heddle.Kernel(heddle.compile(text, specialization={3: 2})).run(buffers={"0.0": data}, size=8)  # the stage by its words
    assert (data == 9).all()
    with pytest.raises(heddle.Error) as error:
        heddle.compile("#version 450\nvoid main() { what }\n", stage="comp", name="bad.comp")
    assert str(error.value).startswith("bad.comp:2:1: error: 'what' : undeclared identifier [glsl-error]\n  void main() { what }")
    assert error.value.diagnostics[0].place.line == 2 and error.value.diagnostics[0].place.file == "bad.comp"
    path = tmp_path / "shader.hlsl"
    path.write_text("float4 main() : SV_Target { return 1; }\n")
    for source, said in (("#version 450\nvoid main() {}\n", "say the stage of GLSL text"), (path, "heddle compile .*shader.hlsl")):
        with pytest.raises(heddle.Error, match=said):
            heddle.compile(source)


@pytest.mark.skipif(shutil.which("glslangValidator") is None, reason="GLSL needs glslangValidator")
def test_reports_of_glsl_print_the_lines_of_its_text():
    text = "#version 450\nlayout(local_size_x=16) in;\nlayout(binding=0) buffer A { uint a[]; };\nvoid main() {\n  a[0] += gl_LocalInvocationIndex;\n  a[99] = 1;\n}\n"
    report = heddle.Kernel(heddle.compile(text)).run(buffers={"0.0": np.zeros(8, np.uint32)}, groups=1, checks="warn")
    printed = "".join(str(d) for d in report.diagnostics)
    assert "<shader>:5: warning: write of" in printed and "\n  a[0] += gl_LocalInvocationIndex;" in printed.replace("    a[0]", "  a[0]"), printed
    assert "<shader>:6: warning: 4 bytes at offset" in printed and "a[99] = 1;" in printed, printed


def test_what_is_missing_is_said_in_words_of_a_call(scale):
    with pytest.raises(heddle.Error) as error:
        scale.run(buffers={"date": heddle.Buffer(32)}, push=[1.0], size=8)
    said = str(error.value)
    assert "expected: 'data' among the buffers" in said, said
    assert "'date' of the job is bound to nothing" in said and not said.endswith("\n") and said.count("error: ") == 1, said
    with pytest.raises(heddle.Error, match="give `groups` or `size`"):
        scale.run(buffers={"data": heddle.Buffer(32)}, push=[1.0])


def test_a_drawn_mesh():
    kernel = heddle.Kernel(heddle.Program(NEGATIVE))
    target = heddle.Image.empty(width=8, height=8)
    mesh = {"position": [[-1, -1, 0, 1], [1, -1, 0, 1], [-1, 1, 0, 1]], "attributes": {"uv": [[0, 0], [1, 0], [0, 1]]}, "triangles": [[0, 1, 2]]}
    kernel.run(images={"T6": heddle.Image(np.zeros((2, 2, 4), np.uint8))}, samplers={"S0": "nearest"}, targets={"T7": target}, inputs={"u": "uv.x", "v": "uv.y"}, mesh=mesh)
    red = np.asarray(target)[..., 0]
    assert red[0, 0] == 255 and red[7, 7] == 0 and 24 <= (red == 255).sum() <= 40


@pytest.mark.parametrize("wrong, kind", [
    (lambda k: k.run(), heddle.Error), (lambda k: k.run(size=8), heddle.Error), (lambda k: k.run(buffers={"data": heddle.Buffer(32)}, size=8, groups=1), heddle.Error),
    (lambda k: k.run(buffers={"date": heddle.Buffer(32)}, push=[1.0], size=8), heddle.Error), (lambda k: k.run(buffers=3, size=8), TypeError),
    (lambda k: k.run(buffers={"data": np.zeros(8, object)}, push=[1.0], size=8), TypeError), (lambda k: k.run(buffers={"data": np.zeros(16)[::2]}, push=[1.0], size=8), heddle.Error),
    (lambda k: k.run(images={"data": 5}, push=[1.0], size=8), TypeError), (lambda k: k.run(images={"data": np.zeros((4, 4, 4), np.uint8)[::2]}, size=8), heddle.Error),
    (lambda k: k.run(buffers={"data": heddle.Buffer(32)}, push=[1.0], size=(1, 2, 3, 4)), heddle.Error), (lambda k: k.run(buffers={"data": heddle.Buffer(32)}, push=["a"], size=8), TypeError),
    (lambda k: k.run(buffers={"data": heddle.Buffer(32)}, push=[1.0], size=8, engine="slow"), heddle.Error), (lambda k: k.run(buffers={"data": heddle.Buffer(32)}, push=[1.0], size=8, checks="maybe"), heddle.Error),
    (lambda k: k.run(buffers={"data": heddle.Buffer(32)}, push=[1.0], size=8, trace=dict(foo=1)), heddle.Error), (lambda k: k.run(buffers={"data": heddle.Buffer(32)}, push=[1.0], size=-1), TypeError),
    (lambda k: heddle.Buffer(-1), heddle.Error), (lambda k: heddle.Buffer("text"), TypeError), (lambda k: heddle.Buffer(np.zeros(16)[::2]), (BufferError, ValueError)),
    (lambda k: heddle.Kernel(k.program, entry="nobody").run(size=8), heddle.Error), (lambda k: heddle.compile(b"\x03\x02\x23\x07rubbish"), heddle.Error)])
def test_wrong_arguments_are_exceptions(scale, wrong, kind):
    with pytest.raises(kind):
        wrong(scale)


def test_a_buffer_that_was_resized_is_refused(scale):
    data = np.ones(8, np.float32)
    plan = scale.prepare(buffers={"data": data}, push=[2.0], size=8)
    try:
        data.resize(4, refcheck=False)
    except ValueError:
        return
    with pytest.raises(heddle.Error):
        plan()


def test_notebook_pictures(picture):
    program = heddle.Program(NEGATIVE.replace("sample_lz.RGBA", "sample4.R"), name="<n>")
    assert "sample4" in program._repr_html_() and "&lt;n&gt;" in program._repr_html_()
    assert picture._repr_png_()[:4] == b"\x89PNG"
    assert heddle.Image(np.random.rand(4, 4).astype(np.float32) * 9)._repr_png_()[:4] == b"\x89PNG"
    assert heddle.Image(np.zeros((2, 3, 4, 1), np.uint32), type="3d")._repr_png_()[:4] == b"\x89PNG"
    assert heddle.Image(bytes(16), format="BC7_UNORM", width=4, height=4)._repr_png_()[:4] == b"\x89PNG"


needs_glslang = pytest.mark.skipif(shutil.which("glslangValidator") is None, reason="glslangValidator is not installed")
DOUBLE = """#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer B { float y[]; } b;
void main() {
  b.y[gl_GlobalInvocationID.x] = 2.0 * b.y[gl_GlobalInvocationID.x] + 1.0;
}
"""


@needs_glslang
def test_elements_of_another_type_are_refused():
    kernel = heddle.Kernel(heddle.compile(DOUBLE, stage="comp"))
    for wrong in (np.zeros(8), np.zeros(8, np.int32), np.zeros(8, ">f4")):
        with pytest.raises(heddle.Error, match="buffer 'b' holds f32"):
            kernel.run(buffers={"b": wrong}, groups=1)
    values = np.arange(8, dtype=np.float32)
    kernel.run(buffers={"0.0": values.view(np.uint8)}, groups=1)
    assert (values == 2 * np.arange(8) + 1).all()


@needs_glslang
def test_results_are_not_lost():
    kernel = heddle.Kernel(heddle.compile(DOUBLE, stage="comp"))
    frozen = np.zeros(8, np.float32)
    frozen.flags.writeable = False
    for given in ([0.0] * 8, frozen):
        for _ in range(2):
            with pytest.raises(heddle.Error, match="wrote to buffer 'b'"):
                kernel.run(buffers={"b": given}, groups=1)
    assert not frozen.any()


@needs_glslang
def test_reports_name_the_shaders_file(tmp_path):
    path = tmp_path / "double.comp"
    path.write_text(DOUBLE)
    report = heddle.Kernel(path).run(buffers={"b": np.zeros(4, np.float32)}, groups=1, checks="warn")
    assert report.diagnostics
    for found in report.diagnostics:
        assert (found.place.file, found.place.line) == (str(path), 5)
        assert "b.y[gl_GlobalInvocationID.x] =" in str(found)
    assert "visaasm" not in str(report.diagnostics[0])


def test_drawings_are_kept(picture):
    source, kernel = picture, heddle.Kernel(heddle.Program(NEGATIVE))
    target = heddle.Image(np.zeros((8, 8, 4), np.uint8))
    given = dict(images={"T6": source}, samplers={"S0": "nearest,clamp"}, targets={"T7": target}, inputs={"u": "uv.x", "v": "uv.y"})
    kernel.run(**given)
    first = np.array(target)
    np.asarray(target)[...] = 0
    assert kernel.run(**given).compile_seconds == 0
    assert (np.array(target) == first).all() and len(kernel._plans) == 1


@needs_glslang
def test_values_changed_in_place_count():
    text = DOUBLE.replace("void main", "layout(push_constant) uniform P { float scale; } p;\nvoid main").replace("2.0", "p.scale")
    kernel, out = heddle.Kernel(heddle.compile(text, stage="comp")), np.ones(8, np.float32)
    push = np.array([2], np.float32)
    for scale, wanted in ((2, 3), (3, 10)):
        push[0] = scale
        kernel.run(buffers={"b": out}, push=push, groups=1)
        assert (out == wanted).all()


SHOW = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer B { uint y[]; } b;
layout(push_constant) uniform P { uint s; } p;
void main() { b.y[0] = p.s; }
"""


@needs_glslang
def test_blocks_as_dicts():
    text = SHOW.replace("uint s; } p;", "uint s; vec2 v[2]; } p;\nstruct L { vec3 c; float w; }; layout(binding = 1) uniform U { L l[2]; mat2 m; } u;")
    text = text.replace("b.y[0] = p.s;", "b.y[0] = p.s + uint(p.v[1].x + u.l[1].w * 10 + u.m[1][0] * 100);")
    kernel, out = heddle.Kernel(heddle.compile(text, stage="comp")), np.zeros(1, np.uint32)
    lights = [dict(c=(0, 0, 0), w=1), dict(c=np.zeros(3), w=np.float32(2))]
    for s in (3, 4):
        kernel.run(buffers={"b": out}, push=dict(s=s, v=[[0, 0], [1, 0]]), args={"u": dict(l=lights, m=np.array([[0, 0], [5, 0]]))}, groups=1)
        assert out[0] == s + 1 + 20 + 500
    with pytest.raises(heddle.Error, match="no member 'q'"):
        kernel.run(buffers={"b": out}, push=dict(q=1), args={"u": dict(l=lights, m=np.zeros((2, 2)))}, groups=1)
    with pytest.raises(TypeError, match="members of a block are numbers"):
        kernel.run(buffers={"b": out}, push=dict(s=None), groups=1)


@needs_glslang
def test_equal_values_of_other_bits_are_other_plans():
    kernel, out = heddle.Kernel(heddle.compile(SHOW.replace("uint s", "float s").replace("p.s", "floatBitsToUint(p.s)"), stage="comp")), np.zeros(1, np.uint32)
    for push, wanted in (([0.0], 0), ([-0.0], 0x80000000), ([1], 0x3f800000), (np.float32(2), 0x40000000), (np.float32(3), 0x40400000)):
        kernel.run(buffers={"b": out}, push=push, groups=1)
        assert out[0] == wanted, push
    kernel = heddle.Kernel(heddle.compile(SHOW, stage="comp"))
    for push in (bytearray(np.uint32(5).tobytes()), memoryview(bytearray(np.uint32(6).tobytes())), array.array("I", [5]), (ctypes.c_uint32 * 1)(5),
                 UserList([5])):
        for value in (7, 8):
            push[0] = value
            kernel.run(buffers={"b": out}, push=push, groups=1)
            assert out[0] == value, push
    for args in (collections.OrderedDict(p=5), collections.defaultdict(int, p=5)):
        for value in (7, 8):
            args["p"] = value
            kernel.run(buffers={"b": out}, args=args, groups=1)
            assert out[0] == value, args


@needs_glslang
def test_objects_that_took_the_place_of_others_are_others():
    copy = SHOW.replace("layout(push_constant) uniform P { uint s; } p;", "layout(binding = 1) readonly buffer C { uint x[]; } c;").replace("p.s", "c.x[0]")
    kernel, out = heddle.Kernel(heddle.compile(copy, stage="comp")), np.zeros(1, np.uint32)
    buffers = {"b": out, "c": None}
    for value in range(40):  # freed memory is used again
        buffers["c"] = None
        buffers["c"] = heddle.Buffer(np.full(1, value, np.uint32))
        kernel.run(buffers=buffers, groups=1)
        assert out[0] == value


@needs_glslang
def test_arrays_of_images_have_their_shape():
    text = SHOW.replace("layout(push_constant) uniform P { uint s; } p;", "layout(binding = 1, rgba8ui) uniform uimage2D t;")
    kernel = heddle.Kernel(heddle.compile(text.replace("b.y[0] = p.s;", "b.y[0] = imageSize(t).x; b.y[1] = imageSize(t).y;"), stage="comp"))
    size, image = np.zeros(2, np.uint32), np.zeros((4, 8, 4), np.uint8)
    kernel.run(images={"t": image}, buffers={"b": size}, groups=1)
    assert size.tolist() == [8, 4]
    image.shape = (8, 4, 4)
    kernel.run(images={"t": image}, buffers={"b": size}, groups=1)
    assert size.tolist() == [4, 8]


def test_an_array_is_what_the_shader_declares():
    """Bytes are numbers for rgba8ui and fractions for rgba8; floats are neither."""
    for declared, kind, value in (("rgba8ui", "uimage2D", "uvec4(7)"), ("rgba8", "image2D", "vec4(7.0 / 255.0)")):
        shader = (f"#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0, {declared}) uniform {kind} t;\n"
                  f"void main() {{ imageStore(t, ivec2(1, 0), {value}); }}\n")
        kernel = heddle.Kernel(heddle.compile(shader, stage="comp"))
        image = np.zeros((1, 2, 4), np.uint8)
        kernel.run(images={"t": image}, groups=1)
        assert image.tolist() == [[[0] * 4, [7] * 4]], declared
        with pytest.raises(heddle.Error, match="is a storage image of R8G8B8A8_"):
            kernel.run(images={"t": np.zeros((1, 2, 4), np.float32)}, groups=1)


@pytest.mark.parametrize("kind", [str, pathlib.Path])
def test_a_mesh_that_was_written_again_is_read_again(picture, tmp_path, kind):
    kernel, target = heddle.Kernel(heddle.Program(NEGATIVE)), heddle.Image(np.zeros((8, 8, 4), np.uint8))
    path, counts = tmp_path / "m.obj", []
    for far in (3, 0):
        path.write_text(f"v -1 -1 0\nv {far} -1 0\nv -1 {far} 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n")
        np.asarray(target)[...] = 0
        kernel.run(images={"T6": picture}, samplers={"S0": "nearest,clamp"}, targets={"T7": target}, inputs={"u": "uv.x", "v": "uv.y"}, mesh=kind(path))
        counts.append(int((np.array(target) != 0).any(-1).sum()))
    assert counts[0] == 64 and 0 < counts[1] < 32


@needs_glslang
def test_threads_share_a_kernel():
    kernel, wrong = heddle.Kernel(heddle.compile(SHOW.replace("b.y[0] = p.s", "b.y[gl_GlobalInvocationID.x] = p.s"), stage="comp")), []
    data = heddle.Buffer(4 * 4096)

    def work():
        try:
            for _ in range(200):
                kernel.run(buffers={"b": data}, push=3, size=4096)
        except Exception as problem:  # noqa: BLE001
            wrong.append(repr(problem))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong and (np.frombuffer(data, np.uint32) == 3).all()


def test_a_plan_runs_once_at_a_time(scale):
    plans, said = [], []

    def progress(part):
        try:
            plans[0]()
        except heddle.Error as problem:
            said.append(str(problem))

    plans.append(scale.prepare(buffers={"data": heddle.Buffer(4 * 80000)}, push=[2.0], size=80000, progress=progress))
    plans[0]()
    assert said and "the plan runs already" in said[0]


@pytest.mark.parametrize("call, said", [
    (lambda k: heddle.explain(3), r"explain\(\) takes \(word: str.*not \(int\)"),
    (lambda k: heddle.describe_format(3), r"describe_format\(\) takes"),
    (lambda k: heddle.Image(np.zeros((4, 4, 4), np.uint8)).view(level="x"), r"Image\.view\(\) takes .*not \(level=str\)"),
    (lambda k: heddle.Sampler(3), "Sampler.. takes words"),
    (lambda k: heddle.query(3), "takes a heddle.Image first"),
    (lambda k: heddle.compile(b"x", simd="x"), "'simd' takes"),
    (lambda k: heddle.check("x", platform=3), "'platform' takes a text"),
    (lambda k: k.run(groups="x"), "'groups' takes 1 to 3 integers from 0 on, not 'x'"),
    (lambda k: k.run(groups=1.5), "'groups' takes 1 to 3 integers"),
    (lambda k: k.run(groups=-1), "integers from 0 on, not -1"),
    (lambda k: k.run(groups=1, engine=3), "'engine' takes a text, not 3"),
    (lambda k: k.run(groups=1, threads="x"), "'threads' takes an integer from 0 on, not 'x'"),
    (lambda k: k.run(groups=1, progress=3), "'progress' takes a function"),
    (lambda k: k.run(samplers={"S0": 3}, groups=1), "sampler 'S0' is int"),
    (lambda k: k.run(depth=3), "'depth' takes a heddle.Image"),
    (lambda k: k.run(output=3, draw={}), "'output' takes a heddle.RenderTarget"),
    (lambda k: k.run(draw={"culll": "none"}), "no member 'culll'"),
    (lambda k: k.run(draw={"vertex": 3}), "'vertex' takes a heddle.Program"),
    (lambda k: k.run(draw={"samples": "x"}), "'samples' takes an integer"),
])
def test_messages_are_our_own(call, said):
    with pytest.raises((TypeError, heddle.Error), match=said) as caught:
        call(heddle.Kernel(NEGATIVE))
    assert "incompatible function" not in str(caught.value) and "C++" not in str(caught.value)


def test_the_stage_chooses_among_entry_points_of_one_name():
    path = pathlib.Path(__file__).parent.parent / "data" / "spirv" / "samename.spvasm"
    for stage, line in (("comp", "stage compute"), ("vert", "stage vertex"), ("frag", "stage fragment")):
        assert line in heddle.compile(path, entry="main", stage=stage).source
    with pytest.raises(heddle.Error, match="several entry points are called 'main'"):
        heddle.compile(path, entry="main")
    with pytest.raises(heddle.Error, match="no stage 'rgen'"):
        heddle.compile(path, entry="main", stage="rgen")


@pytest.mark.parametrize("engine", ["reference", "fast"])
def test_a_geometry_shader_stands_between(engine):
    folder = pathlib.Path(__file__).parent.parent / "data" / "spirv" / "geometry"
    vertex, geometry, fragment = (heddle.compile(folder / f"squares.{stage}.spvasm") for stage in ("vert", "geom", "frag"))
    kernel, color = heddle.Kernel(fragment), heddle.Image(np.zeros((8, 8, 4), np.float32))
    # A list of triangles has no points for it.
    with pytest.raises(heddle.Error, match="takes primitives of 1 vertices, the topology has 3"):
        kernel.run(targets={"color": color}, draw={"vertex": vertex, "geometry": geometry, "vertices": 16}, engine=engine)
    with pytest.raises(heddle.Error, match="needs a vertex shader"):
        kernel.run(targets={"color": color}, draw={"geometry": geometry})
    with pytest.raises(TypeError, match="'geometry' takes a heddle.Program"):
        kernel.run(targets={"color": color}, draw={"vertex": vertex, "geometry": 3})
    if shutil.which("glslangValidator") is None:
        pytest.skip("glslangValidator is not installed")
    # Of each triangle a square over one of two pixels.
    geometry = heddle.compile("""#version 450
        layout(triangles) in; layout(triangle_strip, max_vertices = 4) out;
        layout(location = 0) flat in int v[]; layout(location = 0) flat out vec4 color;
        void main() { for (int k = 0; k < 4; ++k) { color = vec4(v[2], gl_PrimitiveIDIn, 0, 1);
          gl_Position = vec4(gl_PrimitiveIDIn - 1 + (k & 1), -1 + (k >> 1) * 2, 0, 1); gl_PrimitiveID = 7; EmitVertex(); } }""",
                              stage="geom")
    color = heddle.Image(np.zeros((1, 2, 4), np.float32))
    kernel.run(targets={"color": color}, draw={"vertex": vertex, "geometry": geometry, "vertices": 6}, engine=engine)
    assert np.array(color).reshape(2, 4).tolist() == [[2, 0, 7, 1], [5, 1, 7, 1]]


@pytest.mark.parametrize("engine", ["reference", "fast"])
def test_patches_and_groups_are_drawn(engine):
    if shutil.which("glslangValidator") is None:
        pytest.skip("glslangValidator is not installed")
    fragment = heddle.compile("""#version 450
        layout(location = 0) in vec2 uv; layout(location = 0) out vec4 color;
        void main() { color = vec4(uv, 0, 1); }""", stage="frag")
    vertex = heddle.compile("""#version 450
        void main() { gl_Position = vec4(gl_VertexIndex % 2 * 2.0 - 1.0, gl_VertexIndex / 2 * 2.0 - 1.0, 0, 1); }""", stage="vert")
    control = heddle.compile("""#version 450
        layout(vertices = 4) out;
        void main() { gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
          for (int i = 0; i < 4; ++i) gl_TessLevelOuter[i] = 4; gl_TessLevelInner[0] = gl_TessLevelInner[1] = 4; }""", stage="tesc")
    evaluation = heddle.compile("""#version 450
        layout(quads) in; layout(location = 0) out vec2 uv;
        void main() { uv = gl_TessCoord.xy; gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, uv.x),
          mix(gl_in[2].gl_Position, gl_in[3].gl_Position, uv.x), uv.y); }""", stage="tese")
    mesh = heddle.compile("""#version 450
        #extension GL_EXT_mesh_shader : require
        layout(local_size_x = 3) in; layout(triangles, max_vertices = 3, max_primitives = 1) out;
        layout(location = 0) out vec2 uv[];
        void main() { SetMeshOutputsEXT(3, 1); uint i = gl_LocalInvocationIndex;
          uv[i] = vec2(float(i == 1u), float(i == 2u)) * 2.0; gl_MeshVerticesEXT[i].gl_Position = vec4(uv[i] * 2.0 - 1.0, 0, 1);
          gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2); }""", stage="mesh")
    kernel = heddle.Kernel(fragment)
    centers = (np.arange(4) + 0.5) / 4
    want = np.stack([*np.meshgrid(centers, centers), np.zeros((4, 4)), np.ones((4, 4))], axis=-1)
    for draw in ({"vertex": vertex, "tessellation_control": control, "tessellation_evaluation": evaluation, "patch_vertices": 4,
                  "vertices": 4}, {"mesh_shader": mesh, "groups": [1]}):
        color = heddle.Image(np.zeros((4, 4, 4), np.float32))
        kernel.run(targets={"color": color}, draw=draw, engine=engine)
        np.testing.assert_allclose(np.array(color).reshape(4, 4, 4), want, atol=1e-6)
    color = heddle.Image(np.zeros((4, 4, 4), np.float32))
    for draw, message in (({"mesh_shader": mesh}, "needs 1 to 3 numbers of 'groups'"), ({"groups": [1]}, "belong to a 'mesh_shader'"),
                          ({"mesh_shader": mesh, "groups": [1], "vertex": vertex}, "in place of all stages of vertices"),
                          ({"vertex": vertex, "tessellation_control": control, "vertices": 4}, "no 'tessellation_evaluation'"),
                          ({"vertex": vertex, "vertices": 4, "patch_vertices": 33}, "1 to 32 vertices, not 33"),
                          ({"vertex": vertex, "vertices": 4, "topology": "quads"}, "one of: triangle_list .* triangle_strip_adjacency")):
        with pytest.raises(heddle.Error, match=message):
            kernel.run(targets={"color": color}, draw=draw)


def test_a_missing_compiled_part_says_the_way_out(tmp_path):
    package = pathlib.Path(heddle.__file__).parent
    shutil.copytree(package, tmp_path / "heddle", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    run = [sys.executable, "-c", "import heddle"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    missing = subprocess.run(run, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert missing.returncode == 1 and "it is not built: './dev build' makes it" in missing.stderr
    (tmp_path / "heddle" / "_heddle.cpython-38-x86_64-linux-gnu.so").touch()
    other = subprocess.run(run, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "it was built for another Python (_heddle.cpython-38" in other.stderr
