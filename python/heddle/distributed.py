# SPDX-License-Identifier: MIT
"""Operations, batch requests and frames over Dask: one machine's cores, or many machines.

Images and samplers are sent to the workers once; coordinates stay lazy blocks. The scheduler is Dask's, unchanged.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

import heddle

from . import _heddle

_OPERATIONS = ("sample", "sample_level", "sample_grad", "sample_compare", "gather", "load", "footprint")


def _program(path: str | None) -> str:
    """The `heddle` program: given, HEDDLE_PROGRAM, or on the PATH."""
    found = path or os.environ.get("HEDDLE_PROGRAM") or shutil.which("heddle")
    if not found:
        _heddle._fail("the program 'heddle' is not on the PATH; name it by program= or HEDDLE_PROGRAM")
        raise AssertionError
    return os.path.abspath(found) if os.path.sep in found else found


def _run(words: list[str], given: str | None = None) -> subprocess.CompletedProcess[str]:
    """A program that has ended."""
    try:
        return subprocess.run(words, input=given, capture_output=True, text=True)
    except OSError as problem:
        _heddle._fail(f"'{words[0]}' can't be run on {socket.gethostname()}: {problem.strerror}; program= or HEDDLE_PROGRAM names the program 'heddle'")
        raise AssertionError from problem


# --- arrays -------------------------------------------------------------------------------------------------------------


def _is_lazy(value: Any) -> bool:
    return hasattr(value, "dask") and hasattr(value, "chunks")


def _sizes(array: Any) -> list[list[int]]:
    """The sizes of an array's chunks; -1 where Dask does not know one: what a mask or a data frame leaves."""
    return [[-1 if size != size else size for size in sizes] for sizes in array.chunks]


def _unknown(array: Any) -> bool:
    return any(-1 in sizes for sizes in _sizes(array))


def _beside(arrays: Sequence[Any]) -> None:
    """Arrays of unknown chunks are laid side by side block for block: each has the same blocks, or is one value."""
    first = next(a for a in arrays if _unknown(a))
    for array in arrays:
        if array.ndim != 0 and _sizes(array) != _sizes(first):
            _heddle._fail(f"an array of unknown chunk sizes (shape {first.shape}, blocks {first.numblocks}) does not go with one of shape {array.shape}, "
                          f"blocks {array.numblocks}: call compute_chunk_sizes() on it, or make all of them by the same mask")


def _block(*arrays: Any, operation: str, image: Any, sampler: Any, names: tuple[Any, ...], rest: dict[str, Any], extra: bool, same_shape: bool = False) -> Any:
    given: dict[str, Any] = dict(rest)
    shapes = {np.shape(array) for array in arrays if np.ndim(array) != 0}
    if same_shape and len(shapes) > 1:
        _heddle._fail(f"blocks of unknown chunk sizes turned out different: {', '.join(map(str, sorted(shapes)))}: make the arrays by the same mask, or call "
                      "compute_chunk_sizes() on them to have them compared first")
    groups: dict[str, list[Any]] = {}
    for (name, part), array in zip(names, arrays):
        if part is None:
            given[name] = array
        else:
            groups.setdefault(name, []).append(array)
    given.update(groups)
    function = getattr(heddle, operation)
    result = function(image, **given) if operation == "load" else function(image, sampler, **given)
    del extra
    return np.asarray(result)


def _apply(operation: str, image: Any, sampler: Any, given: dict[str, Any]) -> Any:
    from dask import array
    from dask.delayed import delayed

    da: Any = array
    arrays: list[Any] = []
    names: list[tuple[str, int | None]] = []
    rest: dict[str, Any] = {}
    for name, value in given.items():
        if value is None:
            continue
        parts: list[tuple[int | None, Any]] = list(enumerate(value)) if name in ("ddx", "ddy", "offset") and isinstance(value, (tuple, list)) else [(None, value)]
        if name == "offset" and all(isinstance(v, int) for _, v in parts):
            rest[name] = value
            continue
        for part, one in parts:
            if _is_lazy(one) or isinstance(one, (np.ndarray, list)) or part is not None or name in ("u", "v", "r", "x", "y", "z"):
                arrays.append(one if _is_lazy(one) else da.asarray(one))
                names.append((name, part))
            else:
                rest[name] = one
    if not arrays:
        _heddle._fail("there are no coordinates")
    unknown = any(_unknown(a) for a in arrays)
    if unknown:
        _beside(arrays)
        lazy = arrays
    else:
        lazy = da.broadcast_arrays(*arrays)
        lazy = da.core.unify_chunks(*itertools.chain.from_iterable((a, tuple(range(a.ndim))) for a in lazy))[1]
    four = operation not in ("sample_compare", "footprint")
    dtype = heddle.footprint_dtype if operation == "footprint" else np.dtype(np.float32) if operation == "sample_compare" else image.dtype
    # The image is one task of the graph: it goes to each worker once.
    shared, state = delayed(image, pure=True), delayed(sampler, pure=True)
    axes = tuple(range(max(a.ndim for a in lazy)))
    out = axes + (len(axes),) if four else axes
    return da.blockwise(_block, out, *itertools.chain.from_iterable((a, axes[:a.ndim]) for a in lazy), dtype=dtype, align_arrays=not unknown, new_axes={len(axes): 4} if four else None,
                        meta=np.empty((0,) * len(out), dtype), concatenate=True, operation=operation, image=shared, sampler=state, names=tuple(names),
                        rest=rest, extra=four, same_shape=unknown)


def sample(image: Any, sampler: Any, u: Any, v: Any = None, r: Any = None, **more: Any) -> Any:
    """heddle.sample on dask.array coordinates: a lazy array of the coordinates' shape + (4,), block by block."""
    return _apply("sample", image, sampler, {"u": u, "v": v, "r": r, **more})


def sample_level(image: Any, sampler: Any, u: Any, v: Any = None, r: Any = None, *, lod: Any, **more: Any) -> Any:
    """heddle.sample_level on dask.array coordinates."""
    return _apply("sample_level", image, sampler, {"u": u, "v": v, "r": r, "lod": lod, **more})


def sample_grad(image: Any, sampler: Any, u: Any, v: Any = None, r: Any = None, *, ddx: Sequence[Any], ddy: Sequence[Any], **more: Any) -> Any:
    """heddle.sample_grad on dask.array coordinates."""
    return _apply("sample_grad", image, sampler, {"u": u, "v": v, "r": r, "ddx": ddx, "ddy": ddy, **more})


def sample_compare(image: Any, sampler: Any, u: Any, v: Any = None, r: Any = None, *, ref: Any, **more: Any) -> Any:
    """heddle.sample_compare on dask.array coordinates."""
    return _apply("sample_compare", image, sampler, {"u": u, "v": v, "r": r, "ref": ref, **more})


def gather(image: Any, sampler: Any, u: Any, v: Any = None, r: Any = None, **more: Any) -> Any:
    """heddle.gather on dask.array coordinates."""
    return _apply("gather", image, sampler, {"u": u, "v": v, "r": r, **more})


def load(image: Any, x: Any, y: Any = None, z: Any = None, **more: Any) -> Any:
    """heddle.load on dask.array places."""
    return _apply("load", image, None, {"x": x, "y": y, "z": z, **more})


def footprint(image: Any, sampler: Any, u: Any, v: Any, r: Any = None, **more: Any) -> Any:
    """heddle.footprint on dask.array coordinates: a lazy structured array of the coordinates' shape."""
    return _apply("footprint", image, sampler, {"u": u, "v": v, "r": r, **more})


# --- batch requests -----------------------------------------------------------------------------------------------------


@dataclass
class Summary:
    """What a sweep found.

    Attributes
    ----------
    requests, errors : int
        Requests answered, and those whose answer is an error.
    compared, different : int
        Answers laid beside the second oracle's, and how many differ.
    differences : list of (number, request, answer, other)
        The first of them.
    """

    requests: int = 0
    errors: int = 0
    compared: int = 0
    different: int = 0
    differences: list[tuple[int, str, Any, Any]] = field(default_factory=list)


def _answer(definitions: tuple[str, ...], lines: list[str], program: str) -> list[str]:
    """The answers of `heddle batch` to some lines, behind the definitions that they need."""
    given = "\n".join([*definitions, *lines]) + "\n"
    done = _run([program, "batch"], given)
    answers = done.stdout.splitlines()
    if done.returncode not in (0, 1) or len(answers) != len(definitions) + len(lines):
        raise RuntimeError(f"heddle batch ended with exit code {done.returncode}: {done.stderr.strip()[:500]}")
    return answers[len(definitions):]


def _lines(requests: Any) -> Iterator[str]:
    if isinstance(requests, (str, os.PathLike)):
        with open(requests) as file:
            yield from (line for line in (line.strip() for line in file) if line)
        return
    for request in requests:
        yield request.strip() if isinstance(request, str) else json.dumps(request)


def _chunks(lines: Iterable[str], size: int) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Requests with the definitions before them. A definition is answered with the requests behind it."""
    definitions: dict[Any, str] = {}
    chunk: list[str] = []
    for line in lines:
        if '"define"' in line:
            content = json.loads(line)
            if "define" in content:
                if chunk:
                    yield tuple(definitions.values()), chunk
                    chunk = []
                given = content["define"]
                definitions[tuple((k, given[k]) for k in ("surface", "target", "sampler") if isinstance(given.get(k), str))] = line
                continue
        chunk.append(line)
        if len(chunk) == size:
            yield tuple(definitions.values()), chunk
            chunk = []
    if chunk:
        yield tuple(definitions.values()), chunk


class _Bar:
    """tqdm where it is installed and somebody looks."""

    def __init__(self, wanted: bool) -> None:
        self._bar: Any = None
        if wanted:
            try:
                from tqdm import tqdm

                self._bar = tqdm(unit=" requests", file=sys.stderr)
            except ImportError:
                pass

    def add(self, count: int) -> None:
        if self._bar is not None:
            self._bar.update(count)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _ordered(client: Any, tasks: Iterable[tuple[Any, ...]], function: Callable[..., Any], retries: int, ahead: int) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Results in the order of the tasks; at most `ahead` of them are under way."""
    waiting: deque[tuple[tuple[Any, ...], Any]] = deque()
    for task in tasks:
        waiting.append((task, client.submit(function, *task, retries=retries, pure=False)))
        if len(waiting) >= ahead:
            done, future = waiting.popleft()
            yield done, future.result()
    while waiting:
        done, future = waiting.popleft()
        yield done, future.result()


def sweep(requests: Any, client: Any, *, answers: Callable[[str], Any] | str | os.PathLike[str] | None = None, oracle: Any = None, chunk: int = 500,
          retries: int = 3, progress: bool = False, program: str | None = None, ahead: int = 64, keep: int = 20,
          same: Callable[[Any, Any, Any], Any] | None = None) -> Summary:
    """Spreads batch requests over a `dask.distributed` client.

    Parameters
    ----------
    requests : str, os.PathLike or iterable of str or dict
        A file of JSON lines, or the requests; a generator is read as the workers get on. Definitions go before the requests that use them.
    client : dask.distributed.Client
    answers : callable or path, optional
        Gets each answer (a str) in the order of the requests, or the file that they are written to.
    oracle : callable or path, optional
        A second oracle: a function of the request (a dict) that gives its answer (a dict, or None: not compared), or a file of recorded answers,
        line by line. `id` is not compared.
    chunk : int
        Requests of a task.
    retries : int
        How often a task is tried again.
    progress : bool
        A bar of tqdm, where it is installed.
    program : str, optional
        The `heddle` program on the workers.
    ahead : int
        Tasks under way at a time.
    keep : int
        Differences that the summary lists.
    same : callable, optional
        Whether the oracle agrees: a function of the request, our answer and the other one (dicts). None: they are equal.

    Returns
    -------
    Summary
    """
    command = _program(program)
    summary = Summary()
    recorded = _lines(oracle) if isinstance(oracle, (str, os.PathLike)) else None
    written = open(f"{os.fspath(answers)}.part", "w") if isinstance(answers, (str, os.PathLike)) else None
    bar = _Bar(progress)
    try:
        tasks = ((definitions, lines, command) for definitions, lines in _chunks(_lines(requests), chunk))
        for (_, lines, _), found in _ordered(client, tasks, _answer, retries, ahead):
            for request, answer in zip(lines, found):
                summary.requests += 1
                summary.errors += answer.find('"error":{') >= 0
                if written is not None:
                    written.write(answer + "\n")
                elif callable(answers):
                    answers(answer)
                if oracle is not None:
                    _compare(summary, request, answer, next(recorded, None) if recorded is not None else oracle(json.loads(request)), keep, same)
            bar.add(len(lines))
    except BaseException:
        if written is not None:
            written.close()
            os.unlink(written.name)
        raise
    finally:
        bar.close()
    if written is not None:
        written.close()
        os.replace(written.name, written.name[:-len(".part")])
    return summary


def _compare(summary: Summary, request: str, answer: str, other: Any, keep: int, same: Callable[[Any, Any, Any], Any] | None) -> None:
    if other is None:
        return
    ours = json.loads(answer)
    theirs = json.loads(other) if isinstance(other, str) else dict(other)
    ours.pop("id", None), theirs.pop("id", None)
    summary.compared += 1
    if ours == theirs if same is None else same(json.loads(request), ours, theirs):
        return
    summary.different += 1
    if len(summary.differences) < keep:
        summary.differences.append((summary.requests, request, ours, theirs))


# --- suites ---------------------------------------------------------------------------------------------------------------


def _shard(program: str, words: list[str], index: int, count: int) -> tuple[int, str, dict[str, bytes]]:
    """A shard of a suite in a folder of its own: exit code, messages, and the files that it left."""
    with tempfile.TemporaryDirectory() as folder:
        done = _run([program, "vulkan", *words, "--shard", f"{index}/{count}", "--output", folder, "--jobs", "1"])
        files = {}
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                files[name] = file.read()
        return done.returncode, done.stderr, files


def suite(path: str | os.PathLike[str], client: Any, *, output: str | os.PathLike[str] = "results", shards: int = 64, retries: int = 3,
          flags: Sequence[str] = (), program: str | None = None) -> int:
    """Spreads `heddle vulkan --suite` over a `dask.distributed` client: one process for each shard, whose results are merged.

    Parameters
    ----------
    path : str or os.PathLike
        The suite's file, which all workers find under this path, with what it names.
    client : dask.distributed.Client
    output : str or os.PathLike
        The folder of results.csv, failures.csv and the logs of groups with an unexpected failure: those of one run on one machine.
    shards : int
        Parts: every shards-th group of cases each.
    retries : int
        How often a shard is tried again where it cannot be run. A shard whose worker dies goes to another one.
    flags : sequence of str
        More flags of `heddle vulkan --suite`: ("--junit", "results.xml") goes to the merged results.
    program : str, optional
        The `heddle` program on the workers and here.

    Returns
    -------
    int
        0 where every case is a success, else 1.
    """
    command = _program(program)
    words = ["--suite", os.path.abspath(os.fspath(path))]
    at = list(flags).index("--junit") if "--junit" in flags else len(flags)
    junit, own = list(flags[at:at + 2]), [*flags[:at], *flags[at + 2:]]
    futures = [client.submit(_shard, command, [*words, *own], index, shards, retries=retries, pure=False) for index in range(1, shards + 1)]
    os.makedirs(output, exist_ok=True)
    with tempfile.TemporaryDirectory() as parts:
        merge = []
        for index, future in enumerate(futures, 1):
            code, messages, files = future.result()
            if code not in (0, 1) or "results.csv" not in files:
                raise RuntimeError(f"shard {index}/{shards} ended with exit code {code}: {messages.strip()[:500]}")
            part = os.path.join(parts, str(index))
            os.mkdir(part)
            for name, content in files.items():
                # Logs of cases that ran once more have the same names in each shard.
                shown = f"s{index}.{name}" if name.startswith("again") else name
                where = part if name.endswith(".csv") else os.fspath(output)
                with open(os.path.join(where, shown), "wb") as file:
                    file.write(content)
            merge += ["--merge", part]
        done = _run([command, "vulkan", *words, *own, *junit, "--output", os.fspath(output), *merge])
    if done.returncode not in (0, 1) or not os.path.exists(os.path.join(output, "results.csv")):
        raise RuntimeError(f"results cannot be merged: {done.stderr.strip()[:500]}")
    return done.returncode


# --- frames -------------------------------------------------------------------------------------------------------------


@dataclass
class Frame:
    """A drawing: what Kernel.run takes, in a form that can be sent.

    Attributes
    ----------
    program : heddle.Program
    size : (width, height)
        Pixels.
    targets : dict
        Formats of the color targets by name, in order: {'T7': 'R8G8B8A8_UNORM'}.
    arguments : dict
        The others of Kernel.run: images, samplers, buffers, args, push, inputs, mesh (members or a path that all workers have), draw ...
    """

    program: Any
    size: tuple[int, int]
    targets: Mapping[str, str]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    platform: str = "SKL"


def _draw(frame: Frame, scissor: tuple[int, int, int, int], threads: int = 1) -> list[np.ndarray[Any, Any]]:
    """The targets' texels inside a rectangle."""
    width, height = frame.size
    images = {name: heddle.Image.empty(width=width, height=height, format=format) for name, format in frame.targets.items()}
    given = dict(frame.arguments)
    draw = {**given.pop("draw", {}), "scissor": scissor}
    more: dict[str, Any] = {"threads": threads, **given}
    heddle.Kernel(frame.program, platform=frame.platform).run(targets=images, draw=draw, **more)
    x, y, w, h = scissor
    return [np.asarray(image)[y:y + h, x:x + w].copy() for image in images.values()]


def render(job: Frame, client: Any = None, *, tiles: tuple[int, int] = (256, 256), retries: int = 3) -> dict[str, Any]:
    """Spreads a frame by tiles and puts it together: the bits of one machine's.

    Parameters
    ----------
    job : Frame
    client : dask.distributed.Client, optional
        None: here, all at once.
    tiles : (width, height)
        Pixels of a tile. Programs that write buffers are not spread: each tile has its own.

    Returns
    -------
    dict of heddle.Image by the targets' names
    """
    width, height = job.size
    if tiles[0] < 1 or tiles[1] < 1 or width < 1 or height < 1:
        _heddle._fail("a frame and its tiles have at least one pixel")
    whole = {name: heddle.Image.empty(width=width, height=height, format=format) for name, format in job.targets.items()}
    if client is None:
        parts = [((0, 0, width, height), _draw(job, (0, 0, width, height), 0))]
    else:
        places = [(x, y, min(tiles[0], width - x), min(tiles[1], height - y)) for y in range(0, height, tiles[1]) for x in range(0, width, tiles[0])]
        shared = client.scatter(job, broadcast=True)
        futures = [client.submit(_draw, shared, place, retries=retries, pure=False) for place in places]
        parts = list(zip(places, client.gather(futures)))
    for (x, y, w, h), pieces in parts:
        for image, piece in zip(whole.values(), pieces):
            np.asarray(image)[y:y + h, x:x + w] = piece
    return whole
