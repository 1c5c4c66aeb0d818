// SPDX-License-Identifier: MIT
#include "machine/report.hpp"

#include <fmt/format.h>

namespace heddle::machine {
namespace {

std::string triple(const std::array<std::uint32_t, 3>& id) { return fmt::format("({}, {}, {})", id[0], id[1], id[2]); }

}  // namespace

std::string Occurrence::text() const {
  std::string text;
  if (pixel) text += fmt::format(", pixel ({}, {})", (*pixel)[0], (*pixel)[1]);
  if (global && local)
    return fmt::format("{}, invocation {}: {} of workgroup {}, lane {} of thread {}", text, triple(*global),
                       triple(*local), triple(group), lane.value_or(0), thread);
  if (lane) text += fmt::format(", lane {}", *lane);
  return text + fmt::format(", thread {} of group {}", thread, triple(group));
}

base::Diagnostic Finding::diagnostic() const {
  base::Diagnostic d;
  d.severity = severity;
  d.id = id;
  d.message = occurrence ? message + occurrence->text() : message;
  d.place = place;
  d.notes = notes;
  d.is_limit = is_limit;
  return d;
}

std::optional<isa::SourceLine> Reports::source_of(const isa::Object& object, const isa::Instruction& instruction) {
  if (program_.written == isa::Program::Written::ByHand && instruction.position.line != 0) return std::nullopt;
  const std::lock_guard lock(mutex_);
  auto found = sources_.find(&object);
  if (found == sources_.end()) found = sources_.emplace(&object, isa::SourceMap(object)).first;
  return found->second.find(instruction);
}

base::Place Reports::place_of(const isa::Object& object, const isa::Instruction& instruction) {
  if (const auto source = source_of(object, instruction))
    return base::Place::text(std::string(source->file), source->line, source->column);
  return isa::place_of(program_, object, instruction);
}

void Reports::place(const isa::Object& object, const isa::Instruction& instruction, const isa::Operand* operand,
                    Finding& finding) {
  base::Place own = operand != nullptr ? isa::place_of(program_, object, instruction, *operand)
                                       : isa::place_of(program_, object, instruction);
  if (const auto source = source_of(object, instruction)) {
    finding.place = base::Place::text(std::string(source->file), source->line, source->column);
    if (program_.written != isa::Program::Written::InMemory)
      finding.notes.push_back({"in the program that it was compiled to", std::move(own)});
  } else {
    finding.place = std::move(own);
  }
}

void Reports::check(const isa::Object& object, const isa::Instruction& instruction, const isa::Operand* operand,
                    Finding finding) {
  if (mode_ == CheckMode::Off) return;
  finding.severity = mode_ == CheckMode::Error ? base::Severity::Error : base::Severity::Warning;
  place(object, instruction, operand, finding);
  const base::Place& p = finding.place;
  const std::string key = fmt::format("{}@{}:{}:{}:{}:{}:{}@{}@{}", finding.id, p.file, p.line, p.object, p.instruction,
                                      p.column, p.offset, finding.subject, finding.surface.value_or(0));
  record(std::move(finding), key);
}

void Reports::refuse(const isa::Object& object, const isa::Instruction& instruction, const isa::Operand* operand,
                     Finding finding) {
  finding.severity = base::Severity::Error;
  place(object, instruction, operand, finding);
  const std::string key = fmt::format("{}@{}:{}", finding.id, object.name, &instruction - object.instructions.data());
  record(std::move(finding), key);
}

void Reports::add(base::Diagnostic d) {
  Finding finding;
  finding.severity = d.severity;
  finding.id = d.id;
  finding.message = std::move(d.message);
  finding.place = std::move(d.place);
  finding.notes = std::move(d.notes);
  finding.is_limit = d.is_limit;
  const base::Place& p = finding.place;
  const std::string key = fmt::format("{}@{}:{}:{}:{}", finding.id, p.object, p.instruction, p.column, p.offset);
  record(std::move(finding), key);
}

void Reports::record(Finding finding, std::string_view key) {
  const std::lock_guard lock(mutex_);
  if (finding.severity == base::Severity::Error) failed_.store(true, std::memory_order_relaxed);
  ++counts_[finding.id];
  const auto [at, is_new] = seen_.emplace(std::string(key), list_.size());
  if (!is_new) {
    if (at->second < list_.size()) ++list_[at->second].count;
    return;
  }
  list_.push_back(std::move(finding));
}

std::unordered_map<std::string, std::uint64_t> Reports::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

std::vector<Finding> Reports::findings() const {
  const std::lock_guard lock(mutex_);
  return list_;
}

base::Diagnostics Reports::take() {
  const std::lock_guard lock(mutex_);
  base::Diagnostics all(cap_);
  for (const Finding& finding : list_) all.add(finding.diagnostic());
  list_.clear();
  return all;
}

}  // namespace heddle::machine
