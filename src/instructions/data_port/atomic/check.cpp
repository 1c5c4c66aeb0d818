// SPDX-License-Identifier: MIT
// dword_atomic, typed_atomic, svm_atomic: visa-atomic-*, visa-typed-surface, visa-svm-exec.
#include <fmt/format.h>

#include "instructions/data_port/memory_check.hpp"

namespace heddle::instructions::atomic {
namespace {

using isa::Operand;
using isa::Type;
using isa::TypeSet;

unsigned sources_of(std::string_view op) {
  if (op == "inc" || op == "dec" || op == "predec") return 0;
  return op == "cmpxchg" || op == "fcmpwr" ? 2 : 1;
}

// visa-atomic-type
void check_data(Check& check, std::string_view op) {
  const unsigned bytes = check.integer("w16") != 0 ? 2 : check.integer("w64") != 0 ? 8 : 4;
  const bool floating = op.starts_with('f'), is_signed = op == "minsint" || op == "maxsint",
             sum = op == "add" || op == "sub";
  // The 16-bit forms take their data from words or from the low halves of dwords.
  const TypeSet floats = bytes == 2 ? TypeSet{Type::HF, Type::F} : bytes == 8 ? TypeSet{Type::DF} : TypeSet{Type::F};
  const TypeSet signeds = bytes == 2 ? TypeSet{Type::W, Type::D} : bytes == 8 ? TypeSet{Type::Q} : TypeSet{Type::D};
  const TypeSet unsigneds = bytes == 2   ? TypeSet{Type::UW, Type::UD}
                            : bytes == 8 ? TypeSet{Type::UQ}
                                         : TypeSet{Type::UD};
  if (bytes == 2)
    check.error("visa-atomic-type", check.operand("w16"), "16-bit atomics came with ICLLP",
                isa::PlatformSet::before(isa::Platform::ICLLP));
  for (const std::string_view name : {"src0", "src1", "dst"}) {
    const Operand* data = check.operand(name);
    if (data == nullptr || data->is_null()) continue;
    const auto type = check.type_of(*data);
    if (!type) continue;
    const TypeSet wanted = floating ? floats : is_signed ? signeds : signeds | unsigneds;
    if (!wanted.has(*type))
      check.error("visa-atomic-type", data,
                  fmt::format("{} of atomic {} is {}, type {}", name, op, check.text(*data), isa::type_name(*type)));
    else if (!floating && !is_signed && !sum && signeds.has(*type))
      check.note(
          "visa-atomic-type", data,
          fmt::format("{} of atomic {} is {}, the document wants an unsigned type", name, op, isa::type_name(*type)));
  }
}

// visa-atomic-sources
void check_sources(Check& check, std::string_view op, base::Severity severity) {
  const unsigned wanted = sources_of(op);
  unsigned index = 0;
  for (const std::string_view name : {"src0", "src1"}) {
    const Operand* source = check.operand(name);
    if (source != nullptr) {
      if (index < wanted && source->is_null())
        check.report("visa-atomic-sources", severity, source, fmt::format("{} of atomic {} is %null", name, op));
      if (index >= wanted && !source->is_null())
        check.report("visa-atomic-sources", severity, source,
                     fmt::format("atomic {} has no {}, {} is given", op, name, check.text(*source)));
    }
    ++index;
  }
}

void check_operation(Check& check, base::Severity sources) {
  const std::string_view op = check.code("op");
  if (op.empty()) return;
  check_data(check, op);
  check_sources(check, op, sources);
}

void check_typed(Check& check) {
  check_operation(check, base::Severity::Error);
  check_typed_message(check);
}

void check_dword(Check& check) {
  check_operation(check, base::Severity::Error);
  check_memory_surface(check);
  if (check.exec_size() == 32)  // visa-gather-size
    check.error("visa-gather-size", nullptr, "32 channels of an atomic need PVC",
                isa::PlatformSet::all().without(platforms_with_simd32()));
}

void check_svm(Check& check) {
  check_operation(check, base::Severity::Note);  // Intel's tool takes any sources
  check_svm_execution(check);
}

constexpr CheckHook kHooks[] = {
    {"typed_atomic", check_typed}, {"dword_atomic", check_dword}, {"svm_atomic", check_svm}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::atomic
