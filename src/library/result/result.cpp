// SPDX-License-Identifier: MIT
#include "heddle/result.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "library/convert.hpp"

namespace heddle {
namespace library {
namespace {

Place to_public(const base::Place& place) {
  Place p;
  p.file = place.file;
  p.object = place.object;
  switch (place.kind) {
    case base::Place::Kind::None:
    case base::Place::Kind::File:
      break;
    case base::Place::Kind::Text:
      p.line = place.line;
      p.column = place.column;
      p.length = place.length;
      break;
    case base::Place::Kind::Binary:
      p.offset = place.offset;
      p.length = place.length;
      break;
    case base::Place::Kind::Instruction:
      p.instruction = place.instruction;
      break;
  }
  return p;
}

base::Place to_base(const Place& place) {
  base::Place p;
  if (place.line != 0)
    p = base::Place::text(place.file, place.line, place.column, place.length);
  else if (place.offset)
    p = base::Place::binary(place.file, *place.offset, place.length);
  else if (place.instruction)
    p = base::Place::at_instruction(place.file, place.object, *place.instruction);
  else if (!place.file.empty())
    p = base::Place::in_file(place.file);
  p.object = place.object;
  return p;
}

}  // namespace

Diagnostic to_public(const base::Diagnostic& diagnostic) {
  Diagnostic d;
  d.severity = static_cast<Severity>(diagnostic.severity);
  d.id = diagnostic.id;
  d.message = diagnostic.message;
  d.place = to_public(diagnostic.place);
  for (const base::Note& note : diagnostic.notes) d.notes.push_back({note.message, to_public(note.place)});
  d.is_limit = diagnostic.is_limit;
  return d;
}

Diagnostics to_public(const std::vector<base::Diagnostic>& list) {
  Diagnostics result;
  result.reserve(list.size());
  for (const base::Diagnostic& d : list) result.push_back(to_public(d));
  return result;
}

Diagnostics to_public(const base::Diagnostics& list) {
  Diagnostics result = to_public(list.all());
  result.suppressed = list.suppressed();
  result.suppressed_limit = list.hit_limit() && std::ranges::none_of(list.all(), &base::Diagnostic::is_limit);
  const auto kept = [&](base::Severity severity) {
    return static_cast<std::size_t>(std::ranges::count(list.all(), severity, &base::Diagnostic::severity));
  };
  result.suppressed_errors = list.errors() - kept(base::Severity::Error);
  result.suppressed_warnings = list.warnings() - kept(base::Severity::Warning);
  return result;
}

void append(Diagnostics& list, const Diagnostics& more) {
  list.insert(list.end(), more.begin(), more.end());
  list.suppressed += more.suppressed;
  list.suppressed_errors += more.suppressed_errors;
  list.suppressed_warnings += more.suppressed_warnings;
  list.suppressed_limit = list.suppressed_limit || more.suppressed_limit;
  list.sources.insert(list.sources.end(), more.sources.begin(), more.sources.end());
}

base::Diagnostic to_base(const Diagnostic& diagnostic) {
  base::Diagnostic d;
  d.severity = static_cast<base::Severity>(diagnostic.severity);
  d.id = diagnostic.id;
  d.message = diagnostic.message;
  d.place = to_base(diagnostic.place);
  for (const Note& note : diagnostic.notes) d.notes.push_back({note.message, to_base(note.place)});
  d.is_limit = diagnostic.is_limit;
  return d;
}

base::Limits to_base(const Limits& limits) {
  base::Limits l;
  l.input_bytes = limits.input_bytes;
  l.instructions = limits.instructions;
  l.variables = limits.variables;
  l.surface_bytes = limits.surface_bytes;
  l.memory_bytes = limits.memory_bytes;
  l.steps = limits.steps;
  l.seconds = limits.seconds;
  l.nesting = limits.nesting;
  l.diagnostics = limits.diagnostics;
  return l;
}

Diagnostic wrong_argument(std::string message) {
  Diagnostic d;
  d.id = "usage-argument";
  d.message = std::move(message);
  return d;
}

}  // namespace library

bool has_errors(const Diagnostics& diagnostics) {
  return diagnostics.suppressed_errors != 0 ||
         std::ranges::any_of(diagnostics, [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

bool reached_limit(const Diagnostics& diagnostics) {
  return diagnostics.suppressed_limit || std::ranges::any_of(diagnostics, &Diagnostic::is_limit);
}

std::string to_text(const Diagnostic& diagnostic, std::string_view source, bool color) {
  const base::SourceLookup lookup = [&](const std::string& file) {
    return file == diagnostic.place.file ? source : std::string_view();
  };
  return base::render(library::to_base(diagnostic), lookup, color);
}

std::string to_text(const Diagnostics& diagnostics, std::string_view source, bool color) {
  const base::SourceLookup lookup = [&](const std::string& file) {
    const auto found = std::ranges::find(diagnostics.sources, file, &SourceText::file);
    return found != diagnostics.sources.end() && found->text ? std::string_view(*found->text) : source;
  };
  base::Diagnostics list(diagnostics.size());
  for (const Diagnostic& d : diagnostics) list.add(library::to_base(d));
  std::string text = base::render(list, lookup, color);  // all at once: a source is walked once
  if (diagnostics.suppressed != 0)
    text +=
        fmt::format("note: {} more messages are not shown; Limits::diagnostics is the limit\n", diagnostics.suppressed);
  return text;
}

std::string to_json(const Diagnostic& diagnostic) { return base::render_json(library::to_base(diagnostic)); }

}  // namespace heddle
