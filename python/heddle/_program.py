# SPDX-License-Identifier: MIT
"""Programs: vISA text and containers, SPIR-V and GLSL, checked and compiled."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Any, Mapping, Union

from . import _heddle
from ._heddle import Diagnostic

Source = Union[str, bytes, "os.PathLike[str]"]
_STAGES = {"." + word: word for word in sorted(_heddle._stage_words())}
_STAGE_WORDS = {"local_size_x": "comp", "gl_GlobalInvocationID": "comp", "gl_FragCoord": "frag", "discard": "frag", "gl_Position": "vert",
                "gl_VertexIndex": "vert"}
_GLSL_MESSAGE = re.compile(r"(?:ERROR|WARNING): (.*?):(\d+): (.*)")


def _listed(conjunction: str) -> str:
    """The stages: 'comp', 'frag' and 'vert'."""
    words = [f"'{word}'" for word in _STAGES.values()]
    return ", ".join(words[:-1]) + f" {conjunction} {words[-1]}"


def _is_path(source: Any) -> bool:
    return isinstance(source, os.PathLike) or (isinstance(source, str) and "\n" not in source and len(source) < 4096 and os.path.splitext(source)[1] != "")


def _read(source: Source, name: str) -> tuple[bytes, str]:
    """The content and what messages call it."""
    if _is_path(source):
        path = os.fspath(source)
        with open(path, "rb") as file:
            return file.read(), str(path)
    if not isinstance(source, (bytes, str)):
        raise TypeError(f"a program is a path, text or bytes, not {source!r}")
    return (source if isinstance(source, bytes) else source.encode()), name


def _text(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise TypeError(f"'{name}' takes a text, not {value!r}")


class Program:
    """A vISA program that was read without errors.

    Parameters
    ----------
    source : str, bytes or os.PathLike
        Text, the bytes of a container, or a file of either (a str without line breaks that ends with an extension is a path).
    name : str
        Of the source in messages.
    platform : str
        'SKL', 'ICLLP', 'TGLLP', 'DG2', 'PVC', 'XE2' ...: decides the size of registers. '': 32 bytes.
    lenient : bool
        Containers: reserved bits are a warning.

    Raises
    ------
    Error
        All that is wrong, with line and column.
    """

    def __init__(self, source: Source, *, name: str = "<program>", platform: str = "", lenient: bool = False) -> None:
        _text("name", name)
        _text("platform", platform)
        content, file = _read(source, name)
        self._state = (content, file, platform, lenient)
        self._native = _heddle._Program.read(content, file, platform, lenient)

    @classmethod
    def _of(cls, native: Any, platform: str) -> Program:
        self = cls.__new__(cls)
        self._native = native
        self._state = (native.source.encode() or native.container(), native.file, platform, False)
        return self

    @property
    def file(self) -> str:
        """Name in messages."""
        return self._native.file  # type: ignore[no-any-return]

    @property
    def kernels(self) -> list[str]:
        """Names, in the order of the file."""
        return self._native.kernels  # type: ignore[no-any-return]

    @property
    def instructions(self) -> int:
        """Of all kernels and functions."""
        return self._native.instructions  # type: ignore[no-any-return]

    @property
    def warnings(self) -> list[Diagnostic]:
        """Of reading or compiling."""
        return self._native.warnings  # type: ignore[no-any-return]

    @property
    def source(self) -> str:
        """The text that it was read from; '' for containers."""
        return self._native.source  # type: ignore[no-any-return]

    @property
    def text(self) -> str:
        """Canonical text: `Program(program.text)` is the same program."""
        return self._native.text()  # type: ignore[no-any-return]

    def container(self) -> bytes:
        """The container (.isa), version 4.1. Error: visa-bin-range, visa-bin-dialect, visa-operand-class."""
        return self._native.container()  # type: ignore[no-any-return]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a container (.isa) or text (all other extensions)."""
        self._native.save(os.fspath(path))

    def check(self, platform: str = "") -> CheckReport:
        """Runs every rule; see `heddle.check`."""
        return CheckReport(**self._native.check(platform))

    def __repr__(self) -> str:
        return f"<heddle.Program {self.file}: {', '.join(self.kernels)}; {self.instructions} instructions>"

    def __reduce__(self) -> tuple[Any, ...]:
        content, file, platform, lenient = self._state
        return _restored, (content, file, platform, lenient)

    def _repr_html_(self) -> str:
        from . import notebook

        return notebook.program_html(self)


def _restored(content: bytes, file: str, platform: str, lenient: bool) -> Program:
    return Program(content, name=file, platform=platform, lenient=lenient)


@dataclass
class CheckReport:
    """What checking found."""

    findings: list[Diagnostic]
    """Errors, warnings and notes in the order of their places."""
    checked: bool
    """False: what could be read is too little for the rules."""
    platforms: list[str]
    """That take the program."""
    fits: str
    """`platforms` in few words: 'all platforms', 'ICLLP and later'."""
    mismatches: dict[str, list[Diagnostic]]
    """Why the others do not."""

    @property
    def ok(self) -> bool:
        """No finding is an error."""
        return all(d.severity != "error" for d in self.findings)

    def __str__(self) -> str:
        return "".join(str(d) for d in self.findings) or f"no findings; {self.fits}\n"


def assemble(source: Source, *, name: str = "<text>", platform: str = "") -> bytes:
    """vISA text to a container (.isa)."""
    return Program(source, name=name, platform=platform).container()


def disassemble(source: Source, *, name: str = "<bytes>", platform: str = "") -> str:
    """A container (.isa), or a SPIR-V module, to text."""
    content, file = _read(source, name)
    if _is_spirv(content):
        return _heddle._disassemble_shader(content, file)  # type: ignore[no-any-return]
    return Program(content, name=file, platform=platform).text


def check(source: Source | Program, *, name: str = "<program>", platform: str = "") -> CheckReport:
    """Reads and checks a program: text, a container, or a SPIR-V module. Errors of reading are among the findings.

    Parameters
    ----------
    platform : str
        Judge for this one; '': a finding is an error where it holds on every platform.
    """
    _text("platform", platform)
    if isinstance(source, Program):
        return source.check(platform)
    content, file = _read(source, name)
    if _is_spirv(content) or file.endswith(".spvasm"):
        findings = _heddle._check_shader(content, file, file.endswith(".spvasm"))
        return CheckReport(findings, True, [], "", {})
    return CheckReport(**_heddle._check_source(content, file, platform))


def _is_spirv(content: bytes) -> bool:
    return content[:4] in (b"\x03\x02\x23\x07", b"\x07\x23\x02\x03")


def _glsl_to_spirv(text: bytes, file: str, stage: str, on_disk: bool, target_environment: str) -> bytes:
    compiler = shutil.which("glslangValidator")
    if compiler is None:
        _heddle._fail("GLSL is compiled by glslangValidator, which is not installed (Debian: glslang-tools)")
        raise AssertionError
    mark = b"\xef\xbb\xbf"
    with tempfile.TemporaryDirectory() as folder:
        # Messages and reports name the file as the user does.
        path, where = (file, None) if on_disk and not text.startswith(mark) else (os.path.basename(file) or "shader", folder)
        out = os.path.join(folder, "out.spv")
        words = [compiler, "-V", "--target-env", target_environment, "-g", "-S", stage, "-o", out]
        if where is not None:
            with open(os.path.join(folder, path), "wb") as written:
                written.write(text[len(mark):] if text.startswith(mark) else text)
            words.append("-I" + os.path.abspath(os.path.dirname(file)))
        done = subprocess.run([*words, path], capture_output=True, text=True, cwd=where)
        if done.returncode != 0:
            _refused(text.decode(errors="replace"), file, path, done.stdout + done.stderr)
        with open(out, "rb") as made:
            return made.read()


def _refused(text: str, file: str, path: str, said: str) -> None:
    """What glslangValidator finds, by lines of the text."""
    found = []
    for line in said.splitlines():
        message = _GLSL_MESSAGE.match(line)
        if message and line.startswith("ERROR") and "compilation terminated" not in line:
            own = message[1] in (path, file, "")
            found.append((int(message[2]), message[3].strip() if own else f"{message[1]}: {message[3].strip()}"))
    if not found:
        found.append((0, "glslangValidator failed: " + " ".join(line for line in said.split("\n") if line and line != path)))
    _heddle._fail_at("glsl-error", file, text, found)


def _stage_of(text: str) -> str | None:
    """The stage that only words of one stage stand for."""
    bare = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    found = {stage for word, stage in _STAGE_WORDS.items() if re.search(rf"\b{word}\b", bare)}
    return found.pop() if len(found) == 1 else None


def compile(source: Source, *, stage: str | None = None, name: str = "<shader>", entry: str = "", platform: str = "SKL", simd: int = 16,
            specialization: Mapping[int, int | float | bool] | None = None, portable: bool = False,
            target_environment: str = "vulkan1.3") -> Program:
    """A shader to a vISA program.

    Parameters
    ----------
    source : str, bytes or os.PathLike
        GLSL, SPIR-V assembly (text that begins with ';' or 'OpCapability', or .spvasm), or a SPIR-V module.
    stage : {'comp', 'frag', 'vert'}, optional
        Of GLSL; default: by the file's extension, then by words that only one stage has. GLSL needs glslangValidator.
        Of SPIR-V: which entry point, where several have one name.
    entry : str
        Entry point; '': the only one.
    simd : int
        Lanes of a thread: 8, 16 or 32.
    specialization : dict, optional
        Values by SpecId.

    Returns
    -------
    Program
        `source` has the vISA text with the shader's lines, `warnings` what the compiler says.

    Raises
    ------
    Error
        spirv-*, compile-entry, compile-unsupported, compile-limit, usage-argument ...
    """
    for word, value in (("name", name), ("entry", entry), ("platform", platform), ("target_environment", target_environment)):
        _text(word, value)
    if stage is not None and stage not in _STAGES.values():
        _heddle._fail(f"there is no stage {stage!r}; {_listed('and')} are")
    if not isinstance(simd, int):
        raise TypeError(f"'simd' takes 8, 16 or 32, not {simd!r}")
    for number, constant in (specialization or {}).items():
        if not isinstance(number, int) or not isinstance(constant, (bool, int, float)):
            raise TypeError(f"'specialization' takes numbers by SpecId, not {number!r}: {constant!r}")
    content, file = _read(source, name)
    extension = os.path.splitext(file)[1]
    assembly = extension == ".spvasm" or (not _is_spirv(content) and content.lstrip()[:1] == b";") or content.lstrip().startswith(b"OpCapability")
    if not assembly and not _is_spirv(content):
        if extension in (".hlsl", ".fx"):
            _heddle._fail(f"HLSL is compiled by the program: heddle compile {file} -o shader.visaasm; then heddle.Program('shader.visaasm')")
        of = stage or _STAGES.get(extension) or _stage_of(content.decode(errors="replace"))
        if of is None or of not in _STAGES.values():
            _heddle._fail(f"say the stage of GLSL text: stage={_listed('or')}")
            raise AssertionError
        content = _glsl_to_spirv(content, file, of, _is_path(source), target_environment)
    native = _heddle._compile(content, file, assembly, entry, platform, simd, dict(specialization or {}), portable, target_environment, stage or "")
    return Program._of(native, platform)
