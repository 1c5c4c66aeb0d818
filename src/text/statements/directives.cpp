// SPDX-License-Identifier: MIT
// Rules: TXT-9, TXT-10, TXT-16, TXT-35.
#include "text/statements/directives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>

#include "text/comments.hpp"
#include "text/directive_table.hpp"

namespace heddle::text {

bool Directives::need_object(Span span) {
  if (c_.object != nullptr) return true;
  error("visa-text-order", span, "statement before .kernel");
  note("the first statements of a file are .version and .kernel");
  begin_object(isa::ObjectKind::Kernel, span);  // so that the rest is still checked
  return false;
}

bool Directives::version(Span span) {
  if (version_seen_) return error("visa-text-order", span, "a second .version");
  if (c_.object != nullptr) error("visa-text-order", span, "'.version' must be the first statement of the file");
  version_seen_ = true;
  // TXT-9: spaces may stand around the point; 4.1 is written, whatever was read.
  std::int64_t part = 0, major = 0;
  in_.space();
  const Scanner::Mark begin = in_.mark();
  for (int n = 0; n < 2; ++n) {
    in_.space();
    const Scanner::Mark start = in_.mark();
    if (!is_digit(in_.peek())) return expected("a version like 4.1");
    for (part = 0; is_digit(in_.peek()); in_.skip())
      part = std::min<std::int64_t>(part * 10 + (in_.peek() - '0'), 1 << 20);
    if (part > 255) return error("visa-text-number", in_.span_from(start), "version number is larger than 255");
    if (n == 0 && !in_.accept('.')) return expected("'.' of a version like 4.1");
    if (n == 0) major = part;
  }
  if (major < 3 || major > 4 || (major == 4 && part > 2))
    return error("visa-text-number", in_.span_from(begin),
                 fmt::format("there is no vISA {}.{}: the versions are 3.0 to 4.2", major, part));
  return true;
}

void Directives::begin_object(isa::ObjectKind kind, Span span) {
  end_object();
  c_.program.objects.emplace_back();
  c_.object = &c_.program.objects.back();
  c_.object->kind = kind;
  c_.object->position = {span.line, span.column, in_.offset()};
  c_.strings = NameMap<std::uint32_t>();
  scope_spans_.clear();
  symbols_.begin_object();
  labels_.begin_object();
}

void Directives::end_object() {
  if (c_.object == nullptr) return;
  if (c_.stopped) {  // the rest was not read
    c_.object = nullptr;
    return;
  }
  for (const Span& open : scope_spans_) error("visa-text-syntax", open, "name scope is not closed");
  labels_.end_object();
  problems_.flush();
  c_.object = nullptr;
}

void Directives::want_version(Span span) {
  if (version_seen_ || version_reported_) return;
  version_reported_ = true;
  error("visa-text-order", span, "'.version' must be the first statement of the file");
}

bool Directives::directive() {
  const Scanner::Mark start = in_.mark();
  Span whole = in_.here(0);
  in_.skip();
  const std::string_view word = in_.name();
  whole.length = static_cast<std::uint32_t>(word.size()) + 1;
  if (word == "version") return version(whole);
  want_version(whole);
  if (word == "kernel" || word == "global_function") return object(word == "kernel", whole);
  if (word == "funcdecl") {
    std::string_view ignored;
    return symbols_.label_name(ignored);
  }
  if (word == "function" || word == "kernel_attr" || word == "decl" || word == "input" || word == "parameter" ||
      word == "file" || word == "loc" || word.starts_with("implicit_"))
    return inside_object(word, whole, start);
  return unknown(word, whole);
}

/// .kernel and .global_function
bool Directives::object(bool kernel, Span span) {
  std::string_view name;
  if (!symbols_.label_name(name)) return false;
  if (kernel && c_.object != nullptr && c_.object->kind == isa::ObjectKind::Function)
    error("visa-text-order", span, "kernels stand before functions");
  if (c_.program.objects.size() >= 0x1fffe)
    return error("visa-text-number", span, "a file holds at most 65535 kernels and as many functions");
  begin_object(kernel ? isa::ObjectKind::Kernel : isa::ObjectKind::Function, span);
  c_.object->name = name;
  if (in_.line_over()) function_fields();
  return true;
}

bool Directives::inside_object(std::string_view word, Span span, Scanner::Mark start) {
  if (!need_object(span)) return false;
  if (word == "function") return labels_.function(span);
  if (word == "kernel_attr") return attributes_.kernel_attribute();
  if (word == "decl") return declarations_.declaration(span);
  if (word != "file" && word != "loc") return declarations_.input(word, span);
  in_.rewind(start);
  return instructions_.instruction();  // .file and .loc are spellings of FILE and LOC
}

bool Directives::unknown(std::string_view word, Span span) {
  if (silent()) return error("visa-text-syntax", span, {});
  error("visa-text-syntax", span, fmt::format("unknown directive {}", shown("." + std::string(word))));
  std::vector<std::string_view> known;
  for (const Directive& d : directives()) known.push_back(d.word);
  suggest(word, known);
  return false;
}

/// "// linkage=1 input=2 return=3" behind .global_function: bytes of the container that no directive has (TXT-35).
void Directives::function_fields() {
  const auto field = [&](std::string_view key, std::uint8_t& out) {
    const std::string_view value = comment_field(in_.comment(), key);
    std::from_chars(value.data(), value.data() + value.size(), out);
  };
  field("linkage", c_.object->linkage);
  field("input", c_.object->input_size);
  field("return", c_.object->return_size);
}

bool Directives::scope(char brace) {
  const Span span = in_.here();
  in_.skip();
  if (!need_object(span)) return false;
  if (brace == '}') {
    if (c_.names.depth() == 0) return error("visa-text-syntax", span, "'}' without '{'");
    c_.names.close();
    scope_spans_.pop_back();
    return true;
  }
  if (c_.names.depth() >= c_.options.limits.nesting) {
    error("limit-nesting", span,
          fmt::format("name scopes nest deeper than {} levels; --max-nesting raises the limit",
                      c_.options.limits.nesting));
    problems_.mark_limit();
    c_.stopped = true;
    return false;
  }
  c_.names.open();
  scope_spans_.push_back(span);
  return true;
}

}  // namespace heddle::text
