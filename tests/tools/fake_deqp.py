#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A program for tests of `heddle vulkan --suite`: runs the cases of a list as deqp programs do, each as its name says.

dEQP-FAKE.GROUP.MODE_N: MODE is pass, fail, skip, warn, lost, crash (the process aborts within the case), hang (it waits for
nothing), spin (it computes without end), flaky (fails once, then passes; FAKE_STATE is a folder for what it remembers), absent (is
left out), env (passes where FAKE_WORD is set).
"""
import os
import pathlib
import signal
import sys


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
        print(f"Test case '{name}'..", flush=True)
        log.write(f"#beginTestCaseResult {name}\n")
        print("  " + result(name) + "\n", flush=True)
        log.write("#endTestCaseResult\n")
    print("DONE!\n\nTest run totals:\n  Passed: 0/0\n")


main()
