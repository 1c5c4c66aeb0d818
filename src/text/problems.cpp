// How the parser reports: collected for the statement, then handed over; cheap while a form is only tried.
#include <fmt/format.h>

#include <algorithm>

#include "text/parser.hpp"

namespace heddle::text {

base::Place Parser::place(Span span) const {
  return base::Place::text(program_.file, span.line, span.column, span.length);
}

std::string Parser::shown(std::string_view word) {
  constexpr std::size_t kLongest = 60;
  std::string text = "'";
  for (const char c : word.substr(0, kLongest)) text += static_cast<unsigned char>(c) < 0x20 || c == '\x7f' ? '?' : c;
  if (word.size() > kLongest) text += "...";
  return text + "'";
}

bool Parser::error(std::string_view id, Span span, std::string message) {
  failed_ = true;
  furthest_ = std::max(furthest_, in_.position());
  if (quiet_) {
    ++quiet_problems_;
    return false;
  }
  problems_.push_back({base::Severity::Error, id, span, std::move(message), {}});
  return false;
}

void Parser::warn(std::string_view id, Span span, std::string message) {
  if (quiet_)
    ++quiet_problems_;
  else
    problems_.push_back({base::Severity::Warning, id, span, std::move(message), {}});
}

/// What can be encoded but is against a rule that the encoding does not show.
void Parser::judge(std::string_view id, Span span, std::string message) {
  if (quiet_) return;  // does not tell forms apart
  problems_.push_back({options_.judge ? base::Severity::Error : base::Severity::Warning,
                       id,
                       span,
                       std::move(message),
                       {},
                       false,
                       options_.judge});
}

void Parser::remark(std::string_view id, Span span, std::string message) {
  // Remarks may stand on every line: a few of each kind are enough, and errors keep their family in the list.
  constexpr unsigned kMax = 20;
  if (quiet_) return;  // they do not tell forms apart
  if (++remarks_[id] <= kMax) problems_.push_back({base::Severity::Note, id, span, std::move(message), {}});
}

void Parser::note(std::string message, Span span) {
  if (quiet_ || problems_.empty()) return;
  problems_.back().notes.push_back({std::move(message), span.line == 0 ? base::Place{} : place(span)});
}

bool Parser::expected(std::string_view what) {
  if (silent()) return error("visa-text-syntax", in_.here(0), {});
  if (in_.line_over())
    return error("visa-text-syntax", in_.end_of_text(), fmt::format("expected {} before the end of the line", what));
  const std::string_view found = in_.glimpse();
  return error("visa-text-syntax", in_.here(static_cast<std::uint32_t>(found.size())),
               fmt::format("expected {}, found {}", what, shown(found)));
}

void Parser::suggest(std::string_view word, const std::vector<std::string_view>& candidates) {
  // Comparing with every name costs: the first messages of a file get the service, a flood of them does not.
  if (quiet_ || problems_.empty() || word.size() > 64 || diagnostics_.errors() > kMaxSuggestions ||
      candidates.size() > 5000)
    return;
  const std::string_view near = base::nearest(word, candidates);
  if (!near.empty()) note(fmt::format("did you mean '{}'?", near));
}

void Parser::flush() {
  for (Problem& p : problems_) {
    base::Diagnostic d;
    d.severity = p.severity;
    errors_ += p.severity == base::Severity::Error;
    judged_ += p.judged;
    if (!diagnostics_.full()) {
      d.id = p.id;
      d.message = std::move(p.message);
      d.place = place(p.span);
      d.notes = std::move(p.notes);
    }
    d.is_limit = p.limit;
    diagnostics_.add(std::move(d));
  }
  problems_.clear();
}

}  // namespace heddle::text
