// SPDX-License-Identifier: MIT
#include "verify/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "verify/rules/rules.hpp"

namespace heddle::verify {
namespace {

constexpr std::size_t kPendingCap = 20'000;  // findings kept for sorting; hostile input has more

auto order(const base::Diagnostic& d) {
  return std::tuple(d.place.kind != base::Place::Kind::None, d.place.line, d.place.column, d.place.offset,
                    d.place.instruction);
}

}  // namespace

isa::PlatformSet Findings::with_grf(unsigned bytes) const {
  isa::PlatformSet set;
  for (const isa::PlatformInfo& p : isa::all_platforms())
    if (p.grf_bytes == bytes) set = set | isa::PlatformSet::only(p.platform);
  return set & judged_;
}

void Findings::add(std::string_view id, base::Severity severity, base::Place place, std::string message,
                   isa::PlatformSet on, std::vector<base::Note> notes) {
  const isa::PlatformSet here = on & judged_;
  const bool everywhere = here == judged_;
  if (here.empty() || (!everywhere && severity != base::Severity::Error)) return;
  isa::PlatformSet wanted;
  if (severity == base::Severity::Error) wanted = count(here, id);
  if (!everywhere && wanted.empty()) return;
  base::Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.id = id;
  diagnostic.message = std::move(message);
  diagnostic.place = std::move(place);
  diagnostic.notes = std::move(notes);
  // The source of a rule is said once where its findings are mere remarks.
  const bool remark = severity == base::Severity::Note;
  if (const Rule* rule = find_rule(id); rule != nullptr && (!remark || remarked_.insert(rule->id).second))
    diagnostic.note(fmt::format("rule: {} ({})", rule->statement, rule->source));
  for (const isa::PlatformInfo& p : isa::all_platforms())
    if (wanted.has(p.platform)) mismatches_[p.platform].reasons.push_back(diagnostic);
  if (!everywhere) return;
  if (pending_.size() >= kPendingCap) flush();
  pending_.push_back(std::move(diagnostic));
}

void Findings::add(const isa::Object& object, const isa::Instruction& instruction,
                   const instructions::Finding& finding) {
  base::Place place = finding.operand != nullptr ? isa::place_of(program_, object, instruction, *finding.operand)
                                                 : isa::place_of(program_, object, instruction);
  add(finding.id, finding.severity, std::move(place), finding.message, finding.platforms);
}

isa::PlatformSet Findings::count(isa::PlatformSet platforms, std::string_view id) {
  isa::PlatformSet wanted;
  for (const isa::PlatformInfo& p : isa::all_platforms()) {
    if (!platforms.has(p.platform)) continue;
    Mismatch& mismatch = mismatches_[p.platform];
    mismatch.platform = p.platform;
    ++mismatch.errors;
    const bool known = std::ranges::any_of(mismatch.reasons, [&](const base::Diagnostic& d) { return d.id == id; });
    if (mismatch.reasons.size() < kMismatchReasons && !known) wanted = wanted | isa::PlatformSet::only(p.platform);
  }
  return wanted;
}

void Findings::flush() {
  std::vector<std::size_t> sorted(pending_.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::ranges::sort(sorted, {}, [&](std::size_t i) { return std::pair(order(pending_[i]), i); });
  const std::size_t family = kept_ - std::min(kept_, out_.all().size());
  if (sorted.size() > family) {
    // More than the list keeps: remarks give way to warnings, and these to errors.
    std::vector<std::size_t> by_weight(sorted.size());
    std::iota(by_weight.begin(), by_weight.end(), std::size_t{0});
    std::ranges::sort(by_weight, {},
                      [&](std::size_t n) { return std::pair(-static_cast<int>(pending_[sorted[n]].severity), n); });
    std::vector<std::uint8_t> dropped(sorted.size(), 1);
    for (std::size_t n = 0; n < family; ++n) dropped[by_weight[n]] = 0;
    std::vector<std::size_t> reordered;
    for (const std::uint8_t turn : {std::uint8_t{0}, std::uint8_t{1}})
      for (std::size_t n = 0; n < sorted.size(); ++n)
        if (dropped[n] == turn) reordered.push_back(sorted[n]);
    sorted = std::move(reordered);
  }
  for (const std::size_t i : sorted) out_.add(std::move(pending_[i]));
  pending_.clear();
}

Fit Findings::finish() {
  flush();
  Fit fit;
  fit.platforms = judged_;
  for (auto& [platform, mismatch] : mismatches_) {
    fit.platforms = fit.platforms.without(isa::PlatformSet::only(platform));
    fit.mismatches.push_back(std::move(mismatch));
  }
  return fit;
}

}  // namespace heddle::verify
