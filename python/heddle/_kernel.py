# SPDX-License-Identifier: MIT
"""Running programs: arrays in and out, plans that are kept."""

from __future__ import annotations

import json
import os
import re
import tempfile
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence, Union

import numpy as np

from . import _heddle
from ._heddle import Buffer, Image, Report, Sampler
from ._program import _STAGES, Program, Source, compile
from ._targets import RenderTarget

if TYPE_CHECKING:
    import numpy.typing as npt  # NumPy 1.19, that of Debian 11, has none

_INSTRUCTION = np.dtype([("executions", np.uint64), ("lanes", np.uint64), ("text", object)])
_KEPT = 8


@dataclass
class Trace:
    """What a traced run did.

    Attributes
    ----------
    table : ndarray
        One row for each line of the program: executions, lanes, text.
    lines : list of str
        What each instruction executed did: where, lanes, the bytes it left, the memory it touched.
    """

    table: npt.NDArray[Any]
    lines: list[str]
    _run: Any = field(repr=False)

    def texels(self, name: str, level: int = 0, slice: int = 0) -> Image:
        """A picture of one level of the image bound as `name`: red for texels read, green for those written, blue for footprint queries."""
        return self._run.texels(name, level, slice)  # type: ignore[no-any-return]

    def _repr_html_(self) -> str:
        from . import notebook

        return notebook.trace_html(self)


def _table(listing: str) -> npt.NDArray[Any]:
    rows = []
    for line in listing.splitlines():
        counts = line[:23].split() if line[23:26] == " | " else []
        text = line[26:] if line[23:26] == " | " else line
        known = len(counts) == 2 and counts[0].isdigit()
        rows.append((int(counts[0]), int(counts[1]), text) if known else (0, 0, text))
    return np.array(rows, _INSTRUCTION) if rows else np.zeros(0, _INSTRUCTION)


def _names(given: Any, prefix: str) -> dict[str, Any]:
    """Bindings by name; a sequence counts from 0 (T6 and S0 on)."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {str(key): value for key, value in given.items()}
    if isinstance(given, (list, tuple)):
        return {str(number): value for number, value in enumerate(given)}
    raise TypeError(f"'{prefix}' takes a dict by name, or a list by number")


def _sizes(given: int | Sequence[int] | None, name: str) -> list[int]:
    if given is None:
        return []
    whole = (int, np.integer)
    sizes: list[Any] = [given] if isinstance(given, whole) else list(given) if isinstance(given, (list, tuple, np.ndarray)) else [None]
    if not all(isinstance(size, whole) and 0 <= size < 1 << 32 for size in sizes):
        raise TypeError(f"'{name}' takes 1 to 3 integers from 0 on, not {given!r}")
    return [int(size) for size in sizes]


@dataclass
class _Block:
    """What a shader's buffer holds, as far as NumPy has words for it."""

    words: list[str]  # f32, u32 ... of its members
    known: bool = True  # all of them have such a word


_SURFACE = re.compile(r'"heddle: surface (\S+) (?:uniform_buffer|storage_buffer) (\S+?)(?:\?)? ([^"]*)"')
_MEMBER = re.compile(r'"heddle: member (\S+) \d+ ([^ "]+)')


_STORAGE_IMAGE = re.compile(r'"heddle: surface (\S+) storage_image/[^/ ]+/(\S+) (\S+?)(?:\?)? ([^"]*)"')
_SAME_NUMBERS = ({"UNORM", "UINT"}, {"SNORM", "SINT"})  # of one array: how it is meant, its dtype does not say


def _declared_formats(text: str) -> dict[str, str]:
    """The formats that a compiled shader declares for its storage images, by all of their names."""
    formats: dict[str, str] = {}
    for variable, declared, place, name in _STORAGE_IMAGE.findall(text):
        suffix = place[place.find("["):] if "[" in place else ""
        for key in (name + suffix, place, variable):
            formats[key] = declared
    return formats


def _image_of(array: npt.NDArray[Any], declared: str | None) -> Image:
    """An array as an image in place; integers are what the shader declares, where it does."""
    image = Image(array)
    if declared is not None and declared != image.format:
        channels, _, numbers = image.format.rpartition("_")
        own, _, wanted = declared.rpartition("_")
        if own == channels and any({numbers, wanted} <= pair for pair in _SAME_NUMBERS):
            return Image(array, format=declared)
    return image


def _blocks(text: str) -> dict[str, _Block]:
    """The buffers of a compiled shader by all of their names (docs/spirv-interface.md)."""
    by_variable: dict[str, _Block] = {}
    by_name: dict[str, _Block] = {}
    for variable, place, name in _SURFACE.findall(text):
        block = by_variable.setdefault(variable, _Block([]))
        suffix = place[place.find("["):] if "[" in place else ""
        for key in (name + suffix, place, variable):
            by_name[key] = block
    for variable, kind in _MEMBER.findall(text):
        owner = by_variable.get(variable)
        if owner is None:
            continue
        word = re.match(r"[iuf]\d+", kind)
        if word is None:
            owner.known = False
        elif word.group() not in owner.words:
            owner.words.append(word.group())
    return by_name


def _fits(dtype: np.dtype[Any], word: str) -> bool:
    size, kind = int(word[1:]) // 8, "f" if word[0] == "f" else "i"
    if dtype.kind == "c":
        return kind == "f" and dtype.itemsize == 2 * size
    return dtype.itemsize == size and (dtype.kind == "f") == (kind == "f") and dtype.kind in "iuf"


def _elements(name: str, given: Any, block: _Block | None) -> npt.NDArray[Any]:
    """What is bound as a buffer, as an array whose elements are those that the program reads."""
    known = block is not None and block.known and block.words
    if not isinstance(given, np.ndarray) and isinstance(given, (list, tuple, int, float)) and known and len(block.words) == 1:  # type: ignore[union-attr]
        word = block.words[0]  # type: ignore[union-attr]
        array = np.asarray(given, np.dtype(f"{word[0]}{int(word[1:]) // 8}"))
    else:
        array = np.asarray(given)
    if array.dtype.hasobject or array.dtype.kind == "U":
        raise TypeError(f"buffer '{name}' has {array.dtype}; numbers are expected")
    if not array.flags.c_contiguous:
        _heddle._fail(f"the array of buffer '{name}' is not contiguous; use np.ascontiguousarray")
    raw = array.dtype.kind in "VS" or array.dtype in (np.dtype(np.uint8), np.dtype(np.int8))
    if known and not raw and not any(_fits(array.dtype, word) and array.dtype.isnative for word in block.words):  # type: ignore[union-attr]
        words = block.words  # type: ignore[union-attr]
        like = f"np.dtype('{words[0][0]}{int(words[0][1:]) // 8}')"
        _heddle._fail(f"buffer '{name}' holds {', '.join(words)}; an array of {array.dtype.str if not array.dtype.isnative else array.dtype} is bound: "
                      f".astype({like}) converts it, .view(np.uint8) binds its bytes")
    return array


class Plan:
    """A program with what it is bound to, made ready: `plan()` runs it again.

    Arrays bound as buffers are copied in before each run and back behind it; Images and Buffers are used in place. It runs on one thread
    at a time: a call while it runs is an error.
    """

    def __init__(self, kernel: Kernel, arrays: list[tuple[Buffer, npt.NDArray[Any]]], read_only: list[tuple[str, Buffer, npt.NDArray[Any]]],
                 native: Any, start: tuple[Any, ...], kept: tuple[Any, ...]) -> None:
        self._kernel = kernel
        self._arrays = arrays
        self._read_only = read_only
        self._again = False  # it ran, and is ready to run again
        self._native = native
        self._start = start
        self._kept = kept  # what the key names by its address
        self._free = threading.Lock()

    def __call__(self) -> Report:
        report = self._try()
        if report is None:
            _heddle._fail("the plan runs already: each thread, and each progress function, needs one of its own (Kernel.prepare)")
            raise AssertionError
        return report

    def _try(self) -> Report | None:
        """Runs it; None while it runs elsewhere."""
        if not self._free.acquire(blocking=False):
            return None
        try:
            return self._run()
        finally:
            self._free.release()

    def _run(self) -> Report:
        for buffer, array in self._arrays:
            buffer._take(array)
        for _, buffer, array in self._read_only:
            buffer._take(array)
        if self._again:
            report: Report = self._native.again()
        else:
            if self._start[0] == "draw":
                report = self._native.draw(self._start[1])
            else:
                report = self._native.dispatch(*self._start[1:])
            self._again = self._native.ready
        for buffer, array in self._arrays:
            buffer._give(array)
        for name, buffer, array in self._read_only:
            if not buffer._same(array):
                _heddle._fail(f"the program wrote to buffer '{name}', which is bound to a list or a read-only array: its results are lost; "
                              "bind a writable array or a heddle.Buffer")
        return report

    @property
    def trace(self) -> Trace:
        """Of the last run, where it was asked for."""
        return Trace(_table(self._native.listing()), self._native.lines(), self._native)


Value = Union[int, float, bool, bytes, Sequence[Any], "npt.NDArray[Any]"]


class Kernel:
    """A program that can be run.

    Parameters
    ----------
    program : Program, str, bytes or os.PathLike
        A program, or what Program() or compile() takes (a path of GLSL or SPIR-V is compiled).
    entry : str
        Kernel; '': the only one.
    platform : str
        Sets registers and rules.
    simd : int, optional
        Lanes of a thread, where the program does not say.
    """

    def __init__(self, program: Program | Source, *, entry: str = "", platform: str = "SKL", simd: int | None = None) -> None:
        for name, word in (("entry", entry), ("platform", platform)):
            if not isinstance(word, str):
                raise TypeError(f"'{name}' takes a text, not {word!r}")
        if simd is not None and not isinstance(simd, (int, np.integer)):
            raise TypeError(f"'simd' takes 8, 16 or 32, not {simd!r}")
        if not isinstance(program, Program):
            path = os.fspath(program) if isinstance(program, (str, os.PathLike)) else ""
            shader = str(path).endswith((".spv", ".spvasm", *_STAGES)) and "\n" not in str(path)
            program = compile(program, platform=platform, simd=simd or 16) if shader else Program(program, platform=platform)
        self.program = program
        self._options = {"entry": entry, "platform": platform, "simd": simd}
        self._plans: dict[tuple[Any, ...], Plan] = {}
        self._keeping = threading.Lock()
        self._blocks: dict[str, _Block] | None = None
        self._formats: dict[str, str] = {}

    def prepare(self, images: Any = None, buffers: Any = None, samplers: Any = None, targets: Any = None, *,
                args: Mapping[str, Value] | None = None, push: Value | None = None,
                groups: int | Sequence[int] | None = None, size: int | Sequence[int] | None = None, local: int | Sequence[int] | None = None,
                offset: int | Sequence[int] | None = None, mesh: str | Mapping[str, Any] | None = None,
                inputs: Mapping[str, Any] | None = None, depth: Image | None = None, stencil: Image | None = None,
                output: RenderTarget | None = None, draw: Mapping[str, Any] | None = None, engine: str = "auto", checks: str = "auto",
                threads: int = 0, zeinfo: str = "", steps: int | None = None, seconds: float | None = None,
                trace: bool | Mapping[str, Any] = False, progress: Callable[[float], Any] | None = None) -> Plan:
        """What `run` does before the program runs; the plan can be called many times."""
        if progress is not None and not callable(progress):
            raise TypeError(f"'progress' takes a function, not {progress!r}")
        watch = _watch(trace)
        native = _heddle._Run.make(self.program._native, {**self._options, "engine": engine, "checks": checks, "threads": threads, "zeinfo": zeinfo,
                                                    "steps": steps, "seconds": seconds, "trace": watch, "progress": progress})
        arrays: list[tuple[Buffer, npt.NDArray[Any]]] = []
        named = _names(targets, "targets")
        pictures = {**_names(images, "images"), **named}
        read_only: list[tuple[str, Buffer, npt.NDArray[Any]]] = []
        if self._blocks is None:
            self._blocks = _blocks(self.program.source)
            self._formats = _declared_formats(self.program.source)
        _bind(native, pictures, _names(buffers, "buffers"), _names(samplers, "samplers"), self._blocks, self._formats, arrays, read_only)
        for name, image in (("depth", depth), ("stencil", stencil)):
            if image is not None and not isinstance(image, Image):
                raise TypeError(f"'{name}' takes a heddle.Image, not {image!r}")
            if image is not None:
                native.bind_image(name, image)
        for name, value in {**(args or {}), **({"push": push} if push is not None else {})}.items():
            _set(native, str(name), value)
        start = _start(self, groups, size, local, offset, mesh, inputs, named, depth, stencil, output, draw)
        return Plan(self, arrays, read_only, native, start, (images, buffers, samplers, targets, args, push, inputs, draw))

    def run(self, images: Any = None, buffers: Any = None, samplers: Any = None, targets: Any = None, *,
            args: Mapping[str, Value] | None = None, push: Value | None = None, groups: int | Sequence[int] | None = None,
            size: int | Sequence[int] | None = None, local: int | Sequence[int] | None = None, offset: int | Sequence[int] | None = None,
            mesh: str | Mapping[str, Any] | None = None, inputs: Mapping[str, Any] | None = None, depth: Image | None = None,
            stencil: Image | None = None, output: RenderTarget | None = None, draw: Mapping[str, Any] | None = None, engine: str = "auto",
            checks: str = "auto", threads: int = 0, zeinfo: str = "", steps: int | None = None, seconds: float | None = None,
            trace: bool | Mapping[str, Any] = False, progress: Callable[[float], Any] | None = None) -> Report:
        """Runs the program.

        Parameters
        ----------
        images, samplers : dict or list, optional
            By the program's names ('T6', 'S0', a shader's variable, 'set.binding'), or by number. Images are written in place; the
            targets too. Samplers may be words.
        buffers : dict or list, optional
            Buffer (in place), or a contiguous array, whose bytes are copied in and, where it can be written, back. Of a shader's buffer
            the array has the type of its elements, or uint8: the bytes. Lists and read-only arrays may be read only: a program that writes
            to one is an error.
        targets : dict or list, optional
            Color targets of a pixel shader, in order.
        args : dict, optional
            Values of arguments, uniform blocks and specialization constants by name: numbers, sequences, bytes, arrays.
        push : dict by member names, bytes, array or numbers, optional
            The push constants.
        groups, size : int or sequence of int
            Thread groups, or work items, 1 to 3 sizes. A program with `targets`, `mesh` or `inputs` draws; `size` is then the pixels.
        local, offset : optional
            Items of a group; added to global ids.
        mesh : str or dict, optional
            An .obj, .gltf, .glb or .json file, or the members of a .json one: position, triangles, attributes.
        inputs : dict, optional
            Inputs of a pixel shader: an attribute ('uv.x'), a number or vector, or three vectors at the corners.
        depth, stencil : Image, optional
        output : RenderTarget, optional
            Its state: blending, depth and stencil tests.
        draw : dict, optional
            More of a drawing: samples, per_sample, cull, front_ccw, viewport, scissor, vertex (Program), vertex_entry, vertices,
            instances, topology, vertex_inputs, tessellation_control, tessellation_evaluation, geometry, task_shader, mesh_shader
            (Programs), patch_vertices, geometry_entry, groups (of the task or mesh shader).
        engine : {'auto', 'reference', 'fast'}
        checks : {'auto', 'off', 'warn', 'error'}
            Undefined reads, accesses out of range, races: 'warn' adds them to the report, 'error' ends the run.
        threads : int
            Of this computer; 0: all cores.
        steps, seconds : optional
            Limits of the run.
        trace : bool or dict
            Watch the run (the reference engine): lines, group, thread, lane, texels, most. `kernel.trace` has the result.
        progress : callable, optional
            Gets the part done, 0 to 1. Ctrl-C ends a run.

        Returns
        -------
        Report
            What ran, and `diagnostics`.

        Notes
        -----
        The last plans are kept: the same objects again, and the program only runs.
        """
        given = (images, buffers, samplers, targets, args, push, groups, size, local, offset, mesh, inputs, depth, stencil, output, draw,
                 engine, checks, threads, zeinfo, steps, seconds, trace, progress)
        used: list[Any] = []
        key = tuple([one if one.__class__ in _PLAIN else _key(one, n >= _BOUND, used) for n, one in enumerate(given)])
        if mesh is not None and not isinstance(mesh, Mapping):
            key += (_version(os.fspath(mesh)),)
        plan = self._plans.get(key)
        report = plan._try() if plan is not None else None
        if plan is None or report is None:
            plan = self.prepare(images, buffers, samplers, targets, args=args, push=push, groups=groups, size=size, local=local, offset=offset,
                                mesh=mesh, inputs=inputs, depth=depth, stencil=stencil, output=output, draw=draw, engine=engine, checks=checks,
                                threads=threads, zeinfo=zeinfo, steps=steps, seconds=seconds, trace=trace, progress=progress)
            plan._kept = (given, used)
            report = plan()
            with self._keeping:
                self._plans[key] = plan
                if len(self._plans) > _KEPT:
                    self._plans.pop(next(iter(self._plans)))
        self._last = plan
        return report

    @property
    def trace(self) -> Trace:
        """Of the last run, which was asked for it."""
        plan = getattr(self, "_last", None)
        if plan is None:
            _heddle._fail("the kernel was not run with trace=")
            raise AssertionError
        return plan.trace  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<heddle.Kernel {self._options['entry'] or ', '.join(self.program.kernels)} of {self.program.file}>"

    def _repr_html_(self) -> str:
        return self.program._repr_html_()


_PLAIN = frozenset((type(None), int, str, bytes))
_BOUND = 4  # images, buffers, samplers, targets: used in place


def _key(value: Any, content: bool, used: list[Any]) -> Any:
    """What a plan is kept by: type and content of plain values, the identity of objects that are used in place, which join `used`: while they
    live nothing else has their address. `content`: of arrays too, which are read when the plan is made. Of a type that nobody knows each
    value is another one."""
    kind = value.__class__
    if kind in _PLAIN:
        return value
    if kind is float:  # 0.0 == -0.0 == 0
        return (float, value.hex())
    if kind is bool:
        return (bool, value)
    if isinstance(value, Mapping):
        return (dict, *[(name, one if one.__class__ in _PLAIN else _key(one, content, used)) for name, one in value.items()])
    if isinstance(value, (list, tuple)):
        return (tuple, *[_key(one, content, used) for one in value])
    if kind is np.ndarray and not content:
        used.append(value)
        return (id(value), value.ctypes.data, value.shape, value.dtype.str)
    if isinstance(value, (np.ndarray, np.generic)):
        return object() if value.dtype.hasobject else (value.tobytes(), value.shape, value.dtype.str)
    if isinstance(value, (Buffer, Image, Sampler, RenderTarget)) or callable(value):
        used.append(value)
        return (id(value), _key(value.state, True, used)) if isinstance(value, RenderTarget) else id(value)
    if isinstance(value, os.PathLike):
        return (os.PathLike, os.fspath(value))
    try:
        view = memoryview(value)
    except TypeError:
        return object()
    used.append(value)
    return (None if content else id(value), view.format, view.shape, view.tobytes())


def _version(path: str | bytes) -> Any:
    """Another one when the file was written again. Those that name other files are always another one."""
    text = os.fsdecode(path)
    if text.endswith(".gltf"):
        return object()
    try:
        state = os.stat(text)
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size, state.st_ino


def _watch(trace: bool | Mapping[str, Any]) -> dict[str, Any] | None:
    if trace is False or trace is None:
        return None
    what: dict[str, Any] = {"lines": True, "texels": True, "most": 100_000, "group": None, "thread": None, "lane": None}
    if isinstance(trace, Mapping):
        for name, value in trace.items():
            if name not in what:
                _heddle._fail(f"a trace has no member '{name}'; it has: {' '.join(what)}")
            what[name] = value
    return what


def _bind(native: Any, images: dict[str, Any], buffers: dict[str, Any], samplers: dict[str, Any], blocks: dict[str, _Block],
          formats: dict[str, str], arrays: list[Any], read_only: list[Any]) -> None:
    for name, image in images.items():
        if not isinstance(image, Image):
            if not isinstance(image, np.ndarray):
                raise TypeError(f"image '{name}' is {type(image).__name__}; heddle.Image is expected")
            if not (image.flags.c_contiguous and image.flags.writeable):
                _heddle._fail(f"the array of image '{name}' is not contiguous and writable: make a heddle.Image of it")
            image = _image_of(image, formats.get(name))
        native.bind_image(name, image)
    for name, buffer in buffers.items():
        if not isinstance(buffer, Buffer):
            array = _elements(name, buffer, blocks.get(name))
            buffer = Buffer(array)
            if isinstance(buffers[name], np.ndarray) and array.flags.writeable:
                arrays.append((buffer, array))
            else:
                read_only.append((name, buffer, array))
        native.bind_buffer(name, buffer)
    for name, sampler in samplers.items():
        if not isinstance(sampler, (str, Sampler)):
            raise TypeError(f"sampler '{name}' is {type(sampler).__name__}; heddle.Sampler or its words are expected")
        native.bind_sampler(name, Sampler(sampler) if isinstance(sampler, str) else sampler)


def _words(value: Any) -> str:
    """A value in the words of job files."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(str(key))} = {_words(one)}" for key, one in value.items()) + " }"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f'{{ bytes = "{bytes(value).hex()}" }}'
    if isinstance(value, (np.ndarray, np.generic)):
        return _words(value.tolist())
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_words(one) for one in value) + "]"
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (int, float)):
        return repr(value)
    raise TypeError(f"members of a block are numbers, lists and dicts of them, not {type(value).__name__}")


def _set(native: Any, name: str, value: Any) -> None:
    if isinstance(value, Mapping) or (isinstance(value, (list, tuple)) and any(isinstance(one, Mapping) for one in value)):
        native.set_words(name, _words(value))
        return
    if isinstance(value, (bytes, bytearray, memoryview)):
        native.set_bytes(name, bytes(value))
        return
    if isinstance(value, np.ndarray) and (name == "push" or value.dtype.names is not None):
        native.set_bytes(name, value.tobytes())
        return
    array = np.asarray(value)
    vector = array.ndim > 0
    if array.dtype.kind in "iub":
        native.set_integers(name, [int(v) for v in array.reshape(-1)], vector)
    elif array.dtype.kind == "f":
        native.set_reals(name, [float(v) for v in array.reshape(-1)], vector)
    else:
        raise TypeError(f"argument '{name}' takes numbers, a dict by member names, or bytes, not {array.dtype}")


def _input(value: Any) -> Any:
    if isinstance(value, str):
        return value
    array = np.asarray(value, float)
    if array.ndim == 0:
        return [[float(array)]]
    return [array.tolist()] if array.ndim == 1 else array.tolist()


def _mesh_file(mesh: str | os.PathLike[str] | Mapping[str, Any]) -> tuple[str, Any]:
    """The path of a mesh, and what keeps the file there."""
    if not isinstance(mesh, Mapping):
        return os.fspath(mesh), None
    plain = {key: (np.asarray(value).tolist() if not isinstance(value, Mapping) else {k: np.asarray(v).tolist() for k, v in value.items()})
             for key, value in mesh.items()}
    file = tempfile.NamedTemporaryFile("w", suffix=".json", prefix="heddle-mesh-")
    json.dump(plain, file)
    file.flush()
    return file.name, file


_DRAWING = ("targets", "inputs", "samples", "per_sample", "cull", "front_ccw", "viewport", "scissor", "vertex", "vertex_entry", "vertices",
            "instances", "topology", "vertex_inputs", "tessellation_control", "tessellation_evaluation", "patch_vertices", "geometry",
            "geometry_entry", "task_shader", "mesh_shader", "groups")
_DRAWN_PROGRAMS = ("vertex", "tessellation_control", "tessellation_evaluation", "geometry", "task_shader", "mesh_shader")


def _start(kernel: Kernel, groups: Any, size: Any, local: Any, offset: Any, mesh: Any, inputs: Any, targets: dict[str, Any], depth: Any,
           stencil: Any, output: RenderTarget | None, draw: Mapping[str, Any] | None) -> tuple[Any, ...]:
    del kernel
    if targets or mesh is not None or inputs is not None or draw is not None or depth is not None:
        if groups is not None:
            _heddle._fail("`groups` are those of a dispatch; a drawing has `size`, its pixels, and draw={'groups': ...} with a mesh shader")
        given: dict[str, Any] = {"targets": list(targets), "inputs": {k: _input(v) for k, v in (inputs or {}).items()}, **(draw or {})}
        for name in given:
            if name not in _DRAWING:
                _heddle._fail(f"a drawing has no member '{name}'; it has: {' '.join(_DRAWING)}")
        if "vertex_inputs" in given:
            given["vertex_inputs"] = {k: _input(v) for k, v in given["vertex_inputs"].items()}
        for name in _DRAWN_PROGRAMS:
            if isinstance(given.get(name), Program):
                given[name] = given[name]._native
        kept = None
        if mesh is not None:
            given["mesh"], kept = _mesh_file(mesh)
        if size is not None:
            given["size"] = _sizes(size, "size")
        if depth is not None:
            given["depth"] = "depth"
        if stencil is not None:
            given["stencil"] = "stencil"
        if output is not None and not isinstance(output, RenderTarget):
            raise TypeError(f"'output' takes a heddle.RenderTarget, not {output!r}")
        if output is not None:
            given["output"] = output.state
        return "draw", given, kept
    if (groups is None) == (size is None):
        _heddle._fail("give `groups` or `size`, or what is drawn: `targets`")
    grid = _sizes(groups, "groups") if groups is not None else _sizes(size, "size")
    return "dispatch", grid, _sizes(local, "local"), _sizes(offset, "offset"), groups is not None
