# SPDX-License-Identifier: MIT
"""What became of each pixel of a run: the documents of `heddle explore` as arrays, and its page in a notebook."""

from __future__ import annotations

import base64
import html as _html
import json
import os
import re
import tempfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence

import numpy as np

from . import _heddle
from ._heddle import Image, Sampler

if TYPE_CHECKING:
    import numpy.typing as npt  # NumPy 1.19, that of Debian 11, has none

_BLOCK = re.compile(r'<script type="application/x-heddle" data-name="([^"]*)">([^<]*)</script>')
_FATES = ("written", "failed", "discarded", "early", "passed")
_REASONS = ("", "alpha", "depth bounds", "stencil", "depth", "stencil or depth", "no sample")
_NO_THREAD = _NONE = 0xFFFFFFFF
_TYPES = {"ud": "u4", "d": "i4", "uw": "u2", "w": "i2", "ub": "u1", "b": "i1", "df": "f8", "f": "f4", "uq": "u8", "q": "i8", "hf": "f2", "bf": "u2"}
_VALUES = {"float": np.float32, "uint": np.uint32, "sint": np.int32}


def _words(document: bytes) -> npt.NDArray[np.uint32]:
    """Words that lie as four planes of bytes, the lowest ones first."""
    return np.frombuffer(document, np.uint8).reshape(4, -1).T.copy().view("<u4").ravel().astype(np.uint32)


@dataclass
class Fragment:
    """One step of a pixel's history.

    Attributes
    ----------
    fate : {'written', 'failed', 'discarded', 'early', 'passed'}
        'early': an early test kept it away, no thread ran for it; 'passed': there was nothing to store it in.
    reason : str
        Of 'failed' and 'early': 'alpha', 'depth', 'stencil' ...
    target, slice : int
        Number of the image, and which of its slices (layer times samples plus sample).
    color, before, after : ndarray of 4 uint32
        Bits of what the shader sent, and of the texel before and after; `view(numpy.float32)` of float formats.
    """

    x: int
    y: int
    thread: int | None
    lane: int
    primitive: int
    target: int
    slice: int
    fate: str
    reason: str
    instruction: int
    depth: float
    stored_depth: float
    color: npt.NDArray[np.uint32]
    before: npt.NDArray[np.uint32]
    after: npt.NDArray[np.uint32]


@dataclass
class Step:
    """One instruction of a traced thread: its text, the line of the source it was made from, the lanes that ran it, and of samples and
    gathers the way from the coordinates to the sum, for each lane."""

    text: str
    source: str
    line: int
    lanes: npt.NDArray[np.bool_]
    texels: dict[str, Any] | None


class Thread:
    """A thread that was traced whole.

    Attributes
    ----------
    lane : int
        The one that was asked for.
    places : ndarray of (lanes, 3) int
        The pixel of each lane, or the global id of its invocation.
    active, helpers : ndarray of bool
        Lanes that were dispatched, and those that are helper invocations.
    """

    def __init__(self, trace: dict[str, Any], program: dict[str, Any], simd: int, lane: int) -> None:
        self._trace, self._program, self._simd = trace, program, simd
        self.lane = lane
        self.places: npt.NDArray[np.int64] = np.array(trace["places"], np.int64)[:simd]
        self.active = self._mask(trace["mask"])
        self.helpers = self._mask(trace["helpers"])

    def _mask(self, bits: int) -> npt.NDArray[np.bool_]:
        return (bits >> np.arange(self._simd) & 1).astype(bool)

    def __len__(self) -> int:
        return len(self._trace["steps"])

    def _number(self, step: int) -> int:
        """A step, counted from the first."""
        count = len(self)
        if not -count <= step < count:
            _heddle._fail(f"the thread has {count} steps: there is no step {step}")
        return step % count

    def step(self, number: int) -> Step:
        """The instruction of a step; negative numbers count from the last."""
        number = self._number(number)
        instruction, lanes, _, _, *rest = self._trace["steps"][number]
        line, source, source_line, *_ = self._program["instructions"][instruction]
        name = self._program["sources"][source]["name"] if source >= 0 else self._program["name"]
        text = self._program["text"].split("\n")[line - 1].strip()
        return Step(text, name, source_line if source >= 0 else line, self._mask(lanes), rest[1] if len(rest) > 1 else None)

    def values(self, step: int = -1) -> dict[str, Any]:
        """What each variable holds behind a step, by the names that the shader gave.

        Parameters
        ----------
        step : int
            Negative numbers count from the last.

        Returns
        -------
        dict of masked arrays, (lanes,) or (parts, lanes)
            Masked is what nobody wrote. Variables of one value for all lanes have one element; the components of vectors are variables
            of their own (color_x, color_y ...), predicates are bool.
        """
        step = self._number(step)
        file, known, predicates = self._replay(step)
        described = self._program["objects"][self._trace["steps"][step][2]]
        found: dict[str, Any] = {}
        for name, kind, at, size in described["variables"]:
            if kind not in _TYPES:
                continue
            dtype = np.dtype("<" + _TYPES[kind])
            elements = size // dtype.itemsize
            end = at + elements * dtype.itemsize
            if elements == 0:
                continue
            if end > len(file):
                file, known = np.pad(file, (0, end - len(file))), np.pad(known, (0, end - len(known)))
            data = file[at:end].view(dtype)
            mask = ~known[at:end].reshape(elements, -1).all(1)
            if elements > self._simd and elements % self._simd == 0:
                data, mask = data.reshape(-1, self._simd), mask.reshape(-1, self._simd)
            found[name] = np.ma.MaskedArray(data, mask)
        for number, name in enumerate(described["predicates"], 1):
            bits = predicates.get(number)
            found[name] = np.ma.MaskedArray(self._mask(bits or 0), np.full(self._simd, bits is None))
        return found

    def _replay(self, step: int) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_], dict[int, int]]:
        """The register file behind a step, which bytes of it were written, and the predicates."""
        runs = list(self._trace["start"])
        predicates: dict[int, int] = {}
        for _, _, _, writes, *rest in self._trace["steps"][:step + 1]:
            runs += writes
            if rest:
                predicates.update(zip(rest[0][::2], rest[0][1::2]))
        pieces = [(at, bytes.fromhex(text)) for at, text in zip(runs[::2], runs[1::2])]
        size = max([at + len(piece) for at, piece in pieces] or [0])
        file, known = np.zeros(size, np.uint8), np.zeros(size, bool)
        for at, piece in pieces:
            file[at:at + len(piece)] = np.frombuffer(piece, np.uint8)
            known[at:at + len(piece)] = True
        return file, known, predicates


class Command:
    """A draw or a dispatch of an `Exploration`.

    Attributes
    ----------
    number, name, label, kind : int, str, str, {'draw', 'dispatch'}
    images : list of str
        The names of its images; their numbers are those of `Fragment.target`.
    before : list of str
        Passes and transfers of the program since the command before it.
    findings : list of dict
        What the checks found.
    index : dict
        All that the report's index says of it (docs/explorer.md).
    """

    def __init__(self, owner: Exploration, index: dict[str, Any]) -> None:
        self._owner = owner
        self.index = index
        self.number: int = index["number"]
        self.name: str = index["name"]
        self.label: str = index["label"]
        self.kind: str = index["kind"]
        self.before: list[str] = index.get("before", [])
        self.findings: list[dict[str, Any]] = index["findings"]
        self.images: list[str] = [image["name"] for image in index["images"]]

    def image(self, name: str, when: str = "after", level: int = 0, slice: int = 0) -> npt.NDArray[Any]:
        """The texels of a level as (h, w, channels): float32 (sRGB decoded), uint32 or int32 bits of the attachment.

        Parameters
        ----------
        when : {'after', 'before'}
            The command. An image that it does not write has its texels under both.
        """
        if name not in self.images:
            _heddle._fail(f"command {self.number} has no image '{name}': it has {', '.join(self.images)}")
        if when not in ("after", "before"):
            _heddle._fail(f"'when' is 'after' or 'before', not {when!r}")
        number = self.images.index(name)
        info = self.index["images"][number]
        document = self._owner.document(f"image/{self.number}/{number}/{when}/{level}/{slice}")
        if document is None and when == "after":
            document = self._owner.document(f"image/{self.number}/{number}/before/{level}/{slice}")
        if document is None:
            _heddle._fail(f"the report has no texels of '{name}', {when}, level {level}, slice {slice}: a greater budget= has room for them")
            raise AssertionError
        width, height = max(1, info["width"] >> level), max(1, info["height"] >> level)
        texels = _words(document).reshape(len(info["channels"]), height, width)
        return np.ascontiguousarray(np.moveaxis(texels, 0, -1)).view(_VALUES[info["values"]])

    def history(self, x: int, y: int) -> list[Fragment]:
        """The fragments that met a pixel, in their order."""
        document = self._owner.document(f"history/{self.number}/{x // 64}/{y // 64}")
        if document is None:
            return []
        columns = _words(document).reshape(20, -1)
        found = []
        for row in columns[:, columns[0] == (x | y << 16)].T:
            thread, primitive, bits, place, instruction = (int(word) for word in row[1:6])
            depth, stored = (float(word) for word in row[6:8].view(np.float32))
            found.append(Fragment(x, y, None if thread == _NO_THREAD else thread, bits >> 8 & 255, primitive, bits & 255, place, _FATES[bits >> 16 & 255],
                                  _REASONS[bits >> 24], instruction, depth, stored, row[8:12].copy(), row[12:16].copy(), row[16:20].copy()))
        return found

    def _thread(self, number: int, stage: str, lane: int) -> Thread | None:
        infix = f"{stage}/" if stage else ""
        trace = self._owner.document(f"trace/{self.number}/{infix}{number}")
        program = self._owner.document(f"program/{self.number}{'/' + stage if stage else ''}")
        if trace is None or program is None:
            return None
        simd = next((s["simd"] for s in self.index["stages"] if s["stage"] == stage), self.index["simd"])
        return Thread(json.loads(trace), json.loads(program), simd, lane)

    def trace(self, x: int, y: int = 0, fragment: int = -1) -> Thread:
        """The thread that shaded a fragment of a pixel (of its history, by default the last), or that had an invocation of a dispatch.

        Raises
        ------
        Error
            Where the report has no such trace; `explore(..., trace=[(x, y)])` adds it.
        """
        found = None
        if self.kind == "draw":
            fragments = self.history(x, y)
            if not fragments:
                _heddle._fail(f"no fragment of command {self.number} met pixel {x}, {y}")
            if not -len(fragments) <= fragment < len(fragments):
                _heddle._fail(f"no fragment {fragment} of command {self.number} met pixel {x}, {y}: its history has {len(fragments)}")
            one = fragments[fragment]
            if one.thread is None:
                _heddle._fail(f"early tests kept the fragment of pixel {x}, {y} away: no thread ran for it")
                raise AssertionError
            found = self._thread(one.thread, "", one.lane)
        else:
            for number in self.index["tracedThreads"]:
                thread = self._thread(number, "", 0)
                if thread is None:
                    continue
                lanes = np.nonzero(thread.active & (thread.places[:, :2] == (x, y)).all(1))[0]
                if lanes.size != 0:
                    found, thread.lane = thread, int(lanes[0])
                    break
        if found is None:
            _heddle._fail(f"the report has no trace of {x}, {y}: explore(..., trace=[({x}, {y})]) adds it")
            raise AssertionError
        return found

    def stage_trace(self, stage: str, thread: int, lane: int = 0) -> Thread:
        """A thread of a stage before the pixels: 'vert', 'tesc', 'tese', 'geom', 'task' or 'mesh'."""
        stages = {s["stage"]: s for s in self.index["stages"]}
        if stage not in stages:
            _heddle._fail(f"command {self.number} has no stage '{stage}' before its pixels" + (f": it has {', '.join(stages)}" if stages else ""))
        found = self._thread(thread, stage, lane)
        if found is None:
            _heddle._fail(f"the report has no trace of thread {thread}: it has those of {', '.join(map(str, stages[stage]['traced']))}")
            raise AssertionError
        return found

    def corners(self, primitive: int) -> list[tuple[int, int] | None]:
        """The invocations that made a primitive's corners, each (thread, lane) for `stage_trace`; None where that is not known."""
        document = self._owner.document(f"primitives/{self.number}")
        columns = _words(document).reshape(17, -1) if document else np.zeros((17, 0), np.uint32)
        for row in columns[:, columns[0] == primitive].T:
            return [None if word == _NONE else (int(word) >> 5, int(word) & 31) for word in row[14:]]
        return []

    def __repr__(self) -> str:
        return f"<Command {self.number} {self.kind} {self.label or self.name}>"


class Exploration:
    """A report of `heddle explore`: its page, and what it says as arrays. In a notebook it shows the page.

    Attributes
    ----------
    html : str
        The page, one file that loads nothing.
    title : str
    commands : list of Command
    behind : list of str
        Passes and transfers behind the last command.
    """

    def __init__(self, html: str) -> None:
        self.html = html
        self._blocks: dict[str, str] = {_html.unescape(name): data for name, data in _BLOCK.findall(html)}
        self._open: dict[str, bytes] = {}
        index = self.document("index")
        if index is None:
            _heddle._fail("this is no report of heddle explore: it has no index")
            raise AssertionError
        described = json.loads(index)
        self.title: str = described["title"]
        self.behind: list[str] = described.get("behind", [])
        self.commands = [Command(self, command) for command in described["commands"]]

    def document(self, name: str) -> bytes | None:
        """A document of the report by its name (docs/explorer.md); None where it has none."""
        if name not in self._open and name in self._blocks:
            self._open[name] = zlib.decompress(base64.b64decode(self._blocks[name]))
        return self._open.get(name)

    def documents(self) -> list[str]:
        """The names of all documents."""
        return list(self._blocks)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def __repr__(self) -> str:
        return f"<heddle.Exploration {self.title}: {len(self.commands)} command{'' if len(self.commands) == 1 else 's'}>"

    def _repr_html_(self) -> str:
        return f'<iframe sandbox="allow-scripts" style="width:100%;height:80vh;border:1px solid #999" srcdoc="{_html.escape(self.html)}"></iframe>'


def _refuse(text: str, code: int) -> None:
    """Raises what the program said: one error with its identifier and notes, or several as they stand."""
    first, *others = text.strip().split("\n")
    found = re.fullmatch(r"(?:(.*?): )?error: (.*) \[([A-Za-z0-9-]+)\]", first)
    if found and all(line.startswith("note: ") for line in others):
        place, message, known, notes = found[1], found[2], found[3], [line.removeprefix("note: ") for line in others]
        _heddle._fail(message if place is None or place in message else f"{place}: {message}", known, notes)
    _heddle._fail(text.strip() or f"heddle explore ended with {code}")


def _toml(value: Any) -> str:
    """A value of a block's member, as job files write it."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml(str(name))} = {_toml(each)}" for name, each in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(each) for each in value) + "]"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f'{{ bytes = "{bytes(value).hex()}" }}'
    if isinstance(value, str):
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            raise ValueError(f"{value!r} is no text: half of a surrogate pair stands alone in it")
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if not isinstance(value, (bool, int, float)):
        raise TypeError(f"{value!r} is no value of a member: a number, a bool, text, bytes, a list of them, or a mapping of members")
    return str(value).lower()


def _bound(flag: str, given: Mapping[str, Any] | None, folder: str, words: list[str]) -> None:
    for number, (name, value) in enumerate((given or {}).items()):
        if flag == "--image" and isinstance(value, (Image, np.ndarray)):
            path = os.path.join(folder, f"image{number}.ktx2")
            (value if isinstance(value, Image) else Image(np.ascontiguousarray(value))).save(path)
            value = path
        elif isinstance(value, Sampler):
            value = value.text
        elif flag == "--arg" and isinstance(value, (Mapping, bytes, bytearray, memoryview)):
            value = _toml(value)
        elif isinstance(value, (list, tuple, np.ndarray, np.generic, bool)):
            value = ",".join(str(element).lower() if isinstance(element, bool) else str(element) for element in np.ravel(np.asarray(value)).tolist())
        words += [flag, f"{name}={os.fspath(value) if isinstance(value, os.PathLike) else value}"]


def explore(what: str | os.PathLike[str], *, images: Mapping[str, Any] | None = None, samplers: Mapping[str, Any] | None = None,
            targets: Mapping[str, str] | None = None, buffers: Mapping[str, str] | None = None, args: Mapping[str, Any] | None = None,
            state: Mapping[str, Any] | None = None, trace: Iterable[Sequence[int]] = (), checks: str | None = None, budget: int | None = None,
            flags: Sequence[str] = (), program: str | os.PathLike[str] | None = None) -> Exploration:
    """What became of each pixel of a run, and what its shaders computed: `heddle explore`, as arrays and as a page.

    Parameters
    ----------
    what : path
        A job, a shader or vISA, a folder of captured jobs, or a report (.html) that is there already.
    images, samplers, targets, buffers, args, state : mapping of str, optional
        The flags of `heddle run` of these names. An image may be a `heddle.Image` or an array, a sampler a `heddle.Sampler`, an argument
        a list of numbers, and of a block or push constants a dict of its members, or bytes.
    trace : iterable of (x, y) or (x, y, width, height)
        Pixels, or global ids of a dispatch, whose threads are traced whole; by default a square in the middle.
    checks : {'off', 'warn'}, optional
        'warn': the sanitizer's findings become `Command.findings`.
    budget : int, optional
        Bytes of the report.
    flags : sequence of str
        Any other flags of `heddle explore`.
    program : path, optional
        The program `heddle`; by default HEDDLE_PROGRAM, or the one on the PATH.

    Returns
    -------
    Exploration

    Raises
    ------
    Error
        What the program refuses, in its words.
    """
    path = os.fspath(what)
    if path.endswith(".html"):
        with open(path, encoding="utf-8") as file:
            return Exploration(file.read())
    if checks not in (None, "off", "warn"):
        _heddle._fail(f"'checks' is 'off' or 'warn', not {checks!r}: findings are in the report, and no run ends by them")
    from .distributed import _program, _run

    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.html")
        words = [_program(None if program is None else os.fspath(program)), "explore", path, "-q", "-o", report]
        for flag, given in (("--image", images), ("--sampler", samplers), ("--target", targets), ("--buffer", buffers), ("--arg", args), ("--state", state)):
            _bound(flag, given, folder, words)
        for place in trace:
            if not isinstance(place, Sequence) or len(place) not in (2, 4):
                raise TypeError(f"trace takes (x, y) or (x, y, width, height), not {place!r}")
            words += ["--trace", ",".join(map(str, place[:2])) + (f",{place[2]}x{place[3]}" if len(place) == 4 else "")]
        words += ["--check", checks] if checks is not None else []
        words += ["--budget", str(budget)] if budget is not None else []
        done = _run([*words, *flags])
        if done.returncode != 0:
            _refuse(done.stderr, done.returncode)
        with open(report, encoding="utf-8") as file:
            return Exploration(file.read())
