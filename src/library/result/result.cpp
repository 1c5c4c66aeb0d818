#include "heddle/result.hpp"

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
  return std::ranges::any_of(diagnostics, [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

std::string to_text(const Diagnostic& diagnostic, std::string_view source) {
  const base::SourceLookup lookup = [&](const std::string& file) {
    return file == diagnostic.place.file ? source : std::string_view();
  };
  return base::render(library::to_base(diagnostic), lookup, false);
}

std::string to_text(const Diagnostics& diagnostics, std::string_view source) {
  std::string text;
  for (const Diagnostic& d : diagnostics) text += to_text(d, source);
  return text;
}

std::string to_json(const Diagnostic& diagnostic) { return base::render_json(library::to_base(diagnostic)); }

}  // namespace heddle
