// SPDX-License-Identifier: MIT
// Control flow.
#include <fmt/format.h>

#include "instructions/reference.hpp"

namespace heddle::instructions::flow {
namespace {

using machine::ExecutionContext;
using machine::Flow;
using machine::Operand;
using machine::PreparedObject;

const Operand* label(ExecutionContext& s) {
  for (unsigned i = 0; i < s.operand_count(); ++i)
    if (s.operand(i).kind == isa::OperandKind::Label) return &s.operand(i);
  return nullptr;
}

/// Lanes of the thread that a branch takes: unpredicated all active lanes, with execution size 1 the predicate decides
/// for all of them, else the enabled lanes of the instruction.
std::uint32_t taken(ExecutionContext& s) {
  const std::uint32_t active = s.thread().flow().active();
  if (!s.instruction().predicate.present()) return active;
  if (s.lanes() == 1) return s.predicated() != 0 ? active : 0;
  return s.thread_lanes(s.enabled()) & active;
}

void go_to(ExecutionContext& s) {
  s.thread().flow().branch(taken(s), label(s)->id);
  s.jumped();
}

/// Uniform: the bit at the mask offset decides; lanes that wait must not be jumped over.
void uniform_jump(ExecutionContext& s, std::uint32_t target) {
  Flow& flow = s.thread().flow();
  if (const std::uint32_t behind = flow.overtaken(target); behind != 0)
    s.check(nullptr, "run-jump-over-lanes", "the jump passes a label where other lanes wait",
            static_cast<unsigned>(__builtin_ctz(behind)));
  flow.branch(flow.active(), target);
  s.jumped();
}

void jmp(ExecutionContext& s) {
  if ((s.predicated() & 1u) != 0) uniform_jump(s, label(s)->id);
}

void switchjmp(ExecutionContext& s) {
  const machine::Wide index = s.read_scalar(s.source(0));
  std::uint32_t targets = 0;
  for (unsigned i = 0; i < s.operand_count(); ++i) {
    if (s.operand(i).kind != isa::OperandKind::Label) continue;
    if (index == static_cast<machine::Wide>(targets++)) {
      uniform_jump(s, s.operand(i).id);
      return;
    }
  }
  s.check(&s.source(0), "run-switch-index",
          fmt::format("switchjmp index {} is outside its {} labels", static_cast<std::int64_t>(index), targets));
}

void too_deep(ExecutionContext& s) {
  s.thread().reports().add(base::limit_error(
      "limit-calls", "calls are nested too deeply (subroutines don't recurse)",
      isa::place_of(*s.thread().code().program, *s.thread().object().object, *s.instruction().instruction)));
  s.thread().fail();
}

void call(ExecutionContext& s) {
  const std::uint32_t lanes =
      s.lanes() == 1 && !s.instruction().predicate.present() ? s.thread().flow().active() : taken(s);
  if (lanes == 0) return;
  if (!s.thread().flow().call(lanes, label(s)->id, false)) too_deep(s);
  s.jumped();
}

/// Enabled lanes leave; outside a subroutine they end.
void ret(ExecutionContext& s) {
  const std::uint32_t leaving = s.lanes() == 1 ? taken(s) : s.thread_lanes(s.enabled()) & s.thread().flow().active();
  if (leaving == 0) return;
  switch (s.thread().flow().ret(leaving)) {
    case Flow::Return::Stays:
    case Flow::Return::Subroutine:
      break;
    case Flow::Return::Function:
      s.thread().leave_function();
      break;
    case Flow::Return::Thread:
      s.thread().finish();
      break;
  }
  s.jumped();
}

void enter(ExecutionContext& s, const PreparedObject& callee) {
  const std::uint32_t lanes = taken(s);
  if (lanes == 0) return;
  if (!s.thread().enter_function(callee, lanes, static_cast<unsigned>(s.integer("args")),
                                 static_cast<unsigned>(s.integer("rets"))))
    too_deep(s);
  s.jumped();
}

std::string_view string_of(ExecutionContext& s) {
  const Operand* name = s.named("name");
  const auto& strings = s.thread().object().object->strings;
  return name != nullptr && name->id < strings.size() ? std::string_view(strings[name->id]) : std::string_view();
}

void fcall(ExecutionContext& s) {
  const std::string_view name = string_of(s);
  const PreparedObject* callee = s.thread().code().function(name);
  if (callee == nullptr)
    s.refuse(nullptr, "run-function-missing", fmt::format("function '{}' is not in the program", name));
  else
    enter(s, *callee);
}

void ifcall(ExecutionContext& s) {
  const auto address = static_cast<std::uint64_t>(s.read_scalar(*s.named("address")));
  const std::uint64_t index = (address - machine::Code::kFunctionBase) / 64;
  const auto& objects = s.thread().code().objects;
  if (address < machine::Code::kFunctionBase || index >= objects.size() ||
      objects[index].object->kind != isa::ObjectKind::Function)
    s.refuse(s.named("address"), "run-function-missing", fmt::format("no function has address {:#x}", address));
  else
    enter(s, objects[index]);
}

/// Address of a function, or of a data symbol that the dispatch knows.
void faddr(ExecutionContext& s) {
  const std::string_view name = string_of(s);
  const auto& objects = s.thread().code().objects;
  std::uint64_t address = 0;
  if (const PreparedObject* callee = s.thread().code().function(name)) {
    address = machine::Code::kFunctionBase + static_cast<std::uint64_t>(callee - objects.data()) * 64;
  } else if (const auto found = s.thread().bindings().symbols.find(std::string(name));
             found != s.thread().bindings().symbols.end()) {
    address = found->second;
  } else {
    s.refuse(nullptr, "run-symbol-missing",
             fmt::format("symbol '{0}' has no address: no buffer is named '{0}', and no compiler's binary (zeinfo) "
                         "holds it",
                         name));
    return;
  }
  machine::Lanes bits{};
  bits.fill(address);
  s.write_bits(s.destination(), bits);
}

constexpr ReferenceHook kHooks[] = {
    {"func", does_nothing}, {"label", does_nothing}, {"goto", go_to}, {"jmp", jmp},  {"switchjmp", switchjmp},
    {"call", call},         {"fccall", call},        {"ret", ret},    {"fret", ret}, {"fcall", fcall},
    {"ifcall", ifcall},     {"faddr", faddr},
};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::flow
