#include "machine/report.hpp"

#include <fmt/format.h>

namespace heddle::machine {

void Reports::check(const isa::Object& object, const isa::Instruction& instruction, const isa::Operand* operand,
                    std::string_view id, std::string message) {
  if (mode_ == CheckMode::Off) return;
  const base::Place place = operand != nullptr ? isa::place_of(program_, object, instruction, *operand)
                                               : isa::place_of(program_, object, instruction);
  record(mode_ == CheckMode::Error ? base::error(std::string(id), std::move(message), place)
                                   : base::warning(std::string(id), std::move(message), place));
}

void Reports::refuse(const isa::Object& object, const isa::Instruction& instruction, const isa::Operand* operand,
                     std::string_view id, std::string message) {
  const base::Place place = operand != nullptr ? isa::place_of(program_, object, instruction, *operand)
                                               : isa::place_of(program_, object, instruction);
  record(base::error(std::string(id), std::move(message), place));
}

void Reports::add(base::Diagnostic diagnostic) { record(std::move(diagnostic)); }

void Reports::record(base::Diagnostic diagnostic) {
  const std::lock_guard lock(mutex_);
  if (diagnostic.severity == base::Severity::Error) failed_.store(true, std::memory_order_relaxed);
  ++counts_[diagnostic.id];
  const base::Place& p = diagnostic.place;
  const std::string key = fmt::format("{}@{}:{}:{}:{}", diagnostic.id, p.object, p.instruction, p.column, p.offset);
  if (seen_[key]++ == 0) diagnostics_.add(std::move(diagnostic));
}

std::unordered_map<std::string, std::uint64_t> Reports::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

base::Diagnostics Reports::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(diagnostics_, base::Diagnostics{});
}

}  // namespace heddle::machine
