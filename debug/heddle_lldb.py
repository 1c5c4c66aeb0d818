# SPDX-License-Identifier: MIT
"""Heddle's types in lldb: `command script import debug/heddle_lldb.py`."""

import os
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import heddle_types  # noqa: E402


class LldbView(heddle_types.View):
    def __init__(self, value):
        self.value = value.GetNonSyntheticValue()

    def field(self, name):
        member = self.value.GetChildMemberWithName(name)
        for k in range(self.value.GetType().GetNumberOfDirectBaseClasses()):
            if not member.IsValid():
                member = LldbView(self.value.GetChildAtIndex(k)).field(name).value
        return LldbView(member)

    def number(self):
        if self.value.GetType().GetCanonicalType().IsPointerType():
            return self.value.GetValueAsUnsigned()
        signed = self.value.GetType().GetCanonicalType().GetTypeFlags() & lldb.eTypeIsSigned
        return self.value.GetValueAsSigned() if signed else self.value.GetValueAsUnsigned()

    def word(self):
        return (self.value.GetValue() or "?").split("::")[-1]

    def element(self, index):
        type_ = self.value.GetType().GetCanonicalType()
        if not type_.IsPointerType():
            return LldbView(self.value.GetChildAtIndex(index))
        target = type_.GetPointeeType()
        address = self.value.GetValueAsUnsigned() + index * target.GetByteSize()
        return LldbView(self.value.CreateValueFromAddress(f"[{index}]", address, target))

    def size(self):
        return self.value.GetType().GetByteSize()

    def memory(self, address, count):
        if not count:
            return b""
        error = lldb.SBError()
        return self.value.GetProcess().ReadMemory(address, count, error) or b""


def summary_of(words):
    def summary(value, _):
        return words(LldbView(value))

    return summary


def __lldb_init_module(debugger, _):
    for name, words in heddle_types.PRINTERS.items():
        function = "summary_" + name.replace("::", "_")
        globals()[function] = summary_of(words)
        debugger.HandleCommand(f"type summary add -w heddle -F {__name__}.{function} {name}")
    debugger.HandleCommand("type category enable heddle")
