# SPDX-License-Identifier: MIT
"""Heddle's types in gdb: `source debug/heddle_gdb.py`."""

import os
import sys

import gdb
import gdb.printing

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import heddle_types  # noqa: E402


class GdbView(heddle_types.View):
    def __init__(self, value):
        self.value = value

    def field(self, name):
        return GdbView(self.value[name])

    def number(self):
        return int(self.value)

    def word(self):
        return str(self.value).split("::")[-1]

    def element(self, index):
        return GdbView(self.value[index])

    def size(self):
        return self.value.type.sizeof

    def memory(self, address, count):
        return bytes(gdb.selected_inferior().read_memory(address, count)) if count else b""


class Printer:
    def __init__(self, value, words):
        self.value, self.words = value, words

    def to_string(self):
        return self.words(GdbView(self.value))


def make(words):
    return lambda value: Printer(value, words)


def register():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("heddle")
    for name, words in heddle_types.PRINTERS.items():
        printers.add_printer(name, f"^{name}$", make(words))
    gdb.printing.register_pretty_printer(None, printers, replace=True)


register()
