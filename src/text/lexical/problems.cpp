// SPDX-License-Identifier: MIT
#include "text/lexical/problems.hpp"

#include <fmt/format.h>

namespace heddle::text {

base::Place Problems::place(Span span) const { return base::Place::text(file_, span.line, span.column, span.length); }

std::string shown(std::string_view word) {
  constexpr std::size_t kLongest = 60;
  std::string text = "'";
  for (const char c : word.substr(0, kLongest)) text += static_cast<unsigned char>(c) < 0x20 || c == '\x7f' ? '?' : c;
  if (word.size() > kLongest) text += "...";
  return text + "'";
}

bool Problems::error(std::string_view id, Span span, std::string message) {
  failed_ = true;
  furthest_ = std::max(furthest_, in_.position());
  if (quiet_) {
    ++counted_;
    return false;
  }
  list_.push_back({base::Severity::Error, id, span, std::move(message), {}});
  return false;
}

void Problems::warn(std::string_view id, Span span, std::string message) {
  if (quiet_)
    ++counted_;
  else
    list_.push_back({base::Severity::Warning, id, span, std::move(message), {}});
}

void Problems::violation(std::string_view id, Span span, std::string message) {
  if (quiet_) return;  // does not tell forms apart
  list_.push_back({rules_are_errors_ ? base::Severity::Error : base::Severity::Warning,
                   id,
                   span,
                   std::move(message),
                   {},
                   false,
                   rules_are_errors_});
}

void Problems::remark(std::string_view id, Span span, std::string message) {
  // Remarks may stand on every line: a few of each kind are enough, and errors keep their family in the list.
  constexpr unsigned kMax = 20;
  if (quiet_) return;  // they do not tell forms apart
  if (++remarks_[id] <= kMax) list_.push_back({base::Severity::Note, id, span, std::move(message), {}});
}

void Problems::note(std::string message, Span span) {
  if (quiet_ || list_.empty()) return;
  list_.back().notes.push_back({std::move(message), span.line == 0 ? base::Place{} : place(span)});
}

bool Problems::expected(std::string_view what) {
  if (silent()) return error("visa-text-syntax", in_.here(0), {});
  if (in_.line_over())
    return error("visa-text-syntax", in_.end_of_text(), fmt::format("expected {} before the end of the line", what));
  const std::string_view found = in_.glimpse();
  return error("visa-text-syntax", in_.here(static_cast<std::uint32_t>(found.size())),
               fmt::format("expected {}, found {}", what, shown(found)));
}

void Problems::suggest(std::string_view word, const std::vector<std::string_view>& candidates) {
  // Comparing with every name costs: the first messages of a file get the service, a flood of them does not.
  if (quiet_ || list_.empty() || word.size() > 64 || !suggests() || candidates.size() > 5000) return;
  const std::string_view near = base::nearest(word, candidates);
  if (!near.empty()) note(fmt::format("did you mean '{}'?", near));
}

void Problems::rename(std::string_view id) {
  if (!quiet_ && !list_.empty()) list_.back().id = id;
}

void Problems::rename(std::string_view id, std::string message) {
  if (quiet_ || list_.empty()) return;
  list_.back().id = id;
  list_.back().message = std::move(message);
}

void Problems::mark_limit() {
  if (!quiet_ && !list_.empty()) list_.back().limit = true;
}

void Problems::flush() {
  for (Problem& p : list_) {
    base::Diagnostic d;
    d.severity = p.severity;
    errors_ += p.severity == base::Severity::Error;
    violations_ += p.violation;
    if (!diagnostics_.full()) {
      d.id = p.id;
      d.message = std::move(p.message);
      d.place = place(p.span);
      d.notes = std::move(p.notes);
    }
    d.is_limit = p.limit;
    diagnostics_.add(std::move(d));
  }
  list_.clear();
}

}  // namespace heddle::text
