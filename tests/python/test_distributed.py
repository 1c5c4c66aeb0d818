# SPDX-License-Identifier: MIT
"""heddle.distributed: lazy arrays, sweeps and frames over workers; a worker that ends in the middle loses nothing."""

import json
import os
import shutil
import signal
import subprocess
import threading
import time

import numpy as np
import pytest

import heddle

if "asan" in os.environ.get("LD_PRELOAD", ""):
    pytest.skip("the workers start programs that have a sanitizer of their own", allow_module_level=True)
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")
import heddle.distributed as hd  # noqa: E402
from test_programs import NEGATIVE  # noqa: E402


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with distributed.LocalCluster(local_directory=str(tmp_path_factory.mktemp("workers")), n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=None, silence_logs=50) as cluster:
        with distributed.Client(cluster) as client:
            yield client


@pytest.fixture
def image(rng):
    return heddle.Image(rng.integers(0, 256, (16, 16, 4), np.uint8)).mips()


@pytest.mark.parametrize("scheduler", ["sync", "client"])
def test_lazy_arrays_have_the_bits_of_arrays(client, image, rng, scheduler):
    get = dict(scheduler="sync") if scheduler == "sync" else {}
    s = heddle.Sampler("linear,repeat,mip=linear,compare_op=less")
    u, v = rng.random((2, 30, 40), np.float32)
    lu, lv = da.from_array(u, (10, 16)), da.from_array(v, (7, 40))
    for operation, more in (("sample", {}), ("sample_level", dict(lod=1.5)), ("sample_level", dict(lod=v)), ("gather", dict(channel=2)), ("sample_compare", dict(ref=.5)),
                            ("sample_grad", dict(ddx=(.1, 0), ddy=(0, .1))), ("footprint", dict(lod=0, mode="extended"))):
        lazy = getattr(hd, operation)(image, s, lu, lv, **more)
        assert hasattr(lazy, "dask")
        expected = getattr(heddle, operation)(image, s, u, v, **more)
        assert lazy.shape == expected.shape and lazy.dtype == expected.dtype
        assert np.array_equal(lazy.compute(**get), expected)
        assert np.array_equal(getattr(hd, operation)(image, s, lu[0], v, **more).compute(**get), getattr(heddle, operation)(image, s, u[0], v, **more))
    assert np.array_equal(hd.load(image, da.arange(16, chunks=5), 3).compute(**get), heddle.load(image, np.arange(16), 3))


def test_arrays_of_unknown_chunks(image, rng):
    s = heddle.Sampler("linear,repeat,mip=linear")
    u, v = rng.random((2, 60), np.float32)
    lu, lv = da.from_array(u, 16), da.from_array(v, 16)
    mask = lu < .5
    for operation, more in (("sample", {}), ("sample_level", dict(lod=1.5)), ("gather", dict(channel=2)), ("footprint", dict(lod=0, mode="extended"))):
        lazy = getattr(hd, operation)(image, s, lu[mask], lv[mask], **more)
        expected = getattr(heddle, operation)(image, s, u[u < .5], v[u < .5], **more)
        assert np.isnan(lazy.shape[0]) and lazy.shape[1:] == expected.shape[1:]
        assert np.array_equal(lazy.compute(scheduler="sync"), expected)
    assert np.array_equal(hd.sample(image, s, lu[mask], .25).compute(scheduler="sync"), heddle.sample(image, s, u[u < .5], .25))
    # Others have no blocks that these could be laid beside.
    for other in (lv, v, lv.rechunk(30)[mask.rechunk(30)]):
        with pytest.raises(heddle.Error, match="compute_chunk_sizes"):
            hd.sample(image, s, lu[mask], other)
    known = lu[mask].compute_chunk_sizes()
    assert np.array_equal(hd.sample(image, s, known, v[u < .5]).compute(scheduler="sync"), heddle.sample(image, s, u[u < .5], v[u < .5]))
    # By another mask: seen when the blocks are there, not broadcast.
    with pytest.raises(heddle.Error, match="same mask"):
        hd.sample(image, s, lu[mask], lv[lv < .7]).compute(scheduler="sync")


def requests(count):
    yield {"define": {"surface": "shades", "type": "2d", "format": "r8", "width": 4, "height": 4, "data": [["00102030405060708090a0b0c0d0e0f0"]]}}
    for k in range(count):
        if k == count // 2:  # another one by the same name
            yield {"define": {"surface": "shades", "type": "2d", "format": "r8", "width": 4, "height": 4, "data": [["f0102030405060708090a0b0c0d0e0f0"]]}}
        yield {"id": k, "op": "ld", "lanes": 1, "surface": "shades", "params": {"u": k % 4, "v": k // 4 % 4}}


def test_sweeps_answer_in_order(client, tmp_path):
    lines = [json.dumps(r) for r in requests(100)]
    (tmp_path / "r.jsonl").write_text("\n".join(lines) + "\n")
    summary = hd.sweep(tmp_path / "r.jsonl", client, answers=tmp_path / "a.jsonl", chunk=7)
    assert (summary.requests, summary.errors, summary.compared) == (100, 0, 0)
    answers = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert [a["id"] for a in answers] == list(range(100))
    assert answers[0]["channels"]["R"] == ["00000000"] and answers[64]["channels"]["R"] == ["3f70f0f1"]
    same = hd.sweep(requests(100), client, oracle=tmp_path / "a.jsonl", chunk=50)
    assert (same.compared, same.different) == (100, 0)
    changed = [dict(a) for a in answers]
    changed[42]["channels"] = {}
    other = hd.sweep(requests(100), client, oracle=lambda request: changed[request["id"]] if request["id"] % 2 == 0 else None, chunk=9)
    assert (other.compared, other.different) == (50, 1) and other.differences[0][0] == 43

    # What counts as the same is the caller's.
    asked = []
    lenient = hd.sweep(requests(100), client, oracle=lambda request: changed[request["id"]], chunk=40,
                       same=lambda request, ours, theirs: asked.append(request["id"]) or "channels" in ours and request["id"] != 7)
    assert asked == list(range(100)) and (lenient.compared, lenient.different) == (100, 1)
    assert lenient.differences[0][0] == 8


def test_sweeps_say_what_is_wrong(client):
    summary = hd.sweep([{"op": "nothing"}, {"op": "decode_texel", "format": "rgba8", "bytes": "ff800000"}], client)
    assert (summary.requests, summary.errors) == (2, 1)
    with pytest.raises(Exception):
        hd.sweep(iter([{"op": "ld"}]), client, program="/nowhere/heddle", retries=0)


def frame():
    picture = heddle.Image(np.random.default_rng(2).integers(0, 256, (32, 32, 4), np.uint8))
    return hd.Frame(heddle.Program(NEGATIVE), (50, 37), {"T7": "R8G8B8A8_UNORM"},
                    dict(images={"T6": picture}, samplers={"S0": "linear,repeat"}, inputs={"u": "uv.x", "v": "uv.y"}))


def test_frames_of_tiles_have_the_bits_of_one(client):
    alone = hd.render(frame())
    assert np.asarray(alone["T7"]).any()
    for tiles in ((16, 16), (50, 1), (7, 40)):
        assert np.array_equal(np.asarray(hd.render(frame(), client, tiles=tiles)["T7"]), np.asarray(alone["T7"]))


def test_a_lost_worker_loses_no_result(tmp_path):
    with distributed.LocalCluster(local_directory=str(tmp_path), n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=None, silence_logs=50) as cluster:
        with distributed.Client(cluster) as client:
            victim = min(client.run(os.getpid).values())
            seen = []

            def count(answer):
                seen.append(json.loads(answer)["id"])
                if len(seen) == 100:
                    os.kill(victim, signal.SIGKILL)

            summary = hd.sweep(requests(3000), client, answers=count, chunk=20, ahead=16)
            assert summary.requests == 3000 and summary.errors == 0 and seen == list(range(3000))
            pids = set()
            for _ in range(6000):
                pids = set(client.run(os.getpid).values())
                if pids and victim not in pids:
                    break
                time.sleep(.1)
            assert victim not in pids


def test_a_lost_worker_loses_no_case(tmp_path):
    program = hd._program(None)
    if not os.path.exists(os.path.join(os.path.dirname(program), "..", "..", "lib", "heddle_icd.json")):
        pytest.skip("this build has no Vulkan driver")
    fake = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools", "fake_deqp.py")
    shutil.copy(fake, tmp_path / "deqp")
    os.chmod(tmp_path / "deqp", 0o755)
    modes = ("pass", "fail", "skip", "crash", "pass", "family")
    (tmp_path / "cases.txt").write_text("".join(f"dEQP-FAKE.a.{modes[i % 6]}_{i}\n" for i in range(12)))
    (tmp_path / "suite.toml").write_text('[[deqp]]\ndeqp = "./deqp"\ncaselists = ["cases.txt"]\ntests_per_group = 3\n')
    serial = tmp_path / "serial"
    done = subprocess.run([program, "vulkan", "--suite", tmp_path / "suite.toml", "--output", serial, "--jobs", "1", "--junit", tmp_path / "serial.xml"], check=False, capture_output=True)
    assert done.returncode == 1
    with distributed.LocalCluster(local_directory=str(tmp_path / "workers"), n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=None, silence_logs=50) as cluster:
        with distributed.Client(cluster) as client:
            address, victim = min(client.run(os.getpid).items())
            killed = threading.Event()

            def kill():  # as soon as it has a shard
                while not client.processing().get(address):
                    time.sleep(.01)
                os.kill(victim, signal.SIGKILL)
                killed.set()

            threading.Thread(target=kill, daemon=True).start()
            assert hd.suite(tmp_path / "suite.toml", client, output=tmp_path / "spread", shards=4, flags=("--junit", str(tmp_path / "spread.xml"))) == 1
            assert killed.is_set()
            with pytest.raises(RuntimeError, match="cannot open"):
                hd.suite(tmp_path / "none.toml", client, output=tmp_path / "x", shards=1, retries=0)
    for name in ("results.csv", "failures.csv"):
        assert (tmp_path / "spread" / name).read_bytes() == (serial / name).read_bytes()
    assert (tmp_path / "spread.xml").read_bytes() == (tmp_path / "serial.xml").read_bytes()
