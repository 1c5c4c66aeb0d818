#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A program for tests of `heddle vulkan --suite`: runs the cases of a list as deqp programs do, each as its name says.

dEQP-FAKE.GROUP.MODE_N: MODE is pass, fail, skip, warn, lost, crash (the process aborts within the case), hang (it waits for
nothing), spin (it computes without end), flaky (fails once, then passes; FAKE_STATE is a folder for what it remembers), absent (is
left out), env (passes where FAKE_WORD is set), stray (the process aborts in a case that nobody asked for), daemon (a process that
has left the group keeps the output open; FAKE_STATE gets its number), family (a child computes for a second, then sleeps for one),
end (the runner gets SIGTERM; FAKE_STATE gets the number of a process that waits for nothing).
"""
import os
import pathlib
import signal
import sys
import time


def fork_waiting(leave):
    """A process that waits for nothing, with or without leaving the group."""
    child = os.fork()
    if child == 0:
        if leave:
            os.setsid()
        while True:
            signal.pause()
    (pathlib.Path(os.environ["FAKE_STATE"]) / "process").write_text(str(child))


def wait_for_child():
    child = os.fork()
    if child == 0:
        while time.process_time() < 1:
            pass
        time.sleep(1)
        os._exit(0)
    os.waitpid(child, 0)


def fail_once(name):
    mark = pathlib.Path(os.environ["FAKE_STATE"]) / name
    if mark.exists():
        return "Pass (second time)"
    mark.write_text("")
    return "Fail (first time)"


def result(name):
    mode = name.rsplit(".", 1)[1].split("_")[0]
    if mode == "crash":
        os.kill(os.getpid(), signal.SIGABRT)
    if mode == "hang":
        signal.pause()
    while mode == "spin":
        pass
    if mode == "daemon":
        fork_waiting(leave=True)
    if mode == "family":
        wait_for_child()
    if mode == "end":
        fork_waiting(leave=False)
        os.kill(os.getppid(), signal.SIGTERM)
        signal.pause()
    if mode in ("daemon", "family"):
        return "Pass (Pass)"
    if mode == "flaky":
        return fail_once(name)
    if mode == "env":
        return "Pass (set)" if "FAKE_WORD" in os.environ else "Fail (not set)"
    return {"pass": "Pass (Pass)", "fail": "Fail (Image mismatch)", "skip": "NotSupported (No such feature)", "warn": "QualityWarning (Low)",
            "lost": "DeviceLost (vkQueueSubmit)"}[mode]


def main():
    values = dict(word.lstrip("-").split("=", 1) for word in sys.argv[1:] if "=" in word)
    print("Writing test log into " + values["deqp-log-filename"])
    log = open(values["deqp-log-filename"], "w", encoding="ascii")
    print("dEQP Core unknown (0xcafebabe) starting..\n  target implementation = 'Default'\n")
    for name in open(values["deqp-caselist-file"], encoding="ascii").read().split():
        if name.rsplit(".", 1)[1].startswith("absent"):
            continue
        if name.rsplit(".", 1)[1].startswith("stray"):
            print("Test case 'dEQP-FAKE.else.where'..", flush=True)
            os.abort()
        print(f"Test case '{name}'..", flush=True)
        log.write(f"#beginTestCaseResult {name}\n")
        print("  " + result(name) + "\n", flush=True)
        log.write("#endTestCaseResult\n")
    print("DONE!\n\nTest run totals:\n  Passed: 0/0\n")


main()
