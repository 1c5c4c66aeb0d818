// SPDX-License-Identifier: MIT
#include "explore/documents/program_view.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "explore/documents/json.hpp"
#include "instructions/sampler/operation.hpp"
#include "isa/description.hpp"
#include "isa/source_map.hpp"
#include "machine/layout.hpp"
#include "text/text.hpp"

namespace heddle::explore {
namespace {

/// The text and, for each instruction, its line in it.
struct Listing {
  std::string text;
  std::vector<std::uint32_t> lines;
};

/// The program's own text; of a container its instructions in canonical form.
Listing list(const isa::Program& program) {
  Listing listing;
  if (program.source) {
    listing.text = *program.source;
    for (const isa::Object& object : program.objects)
      for (const isa::Instruction& i : object.instructions) listing.lines.push_back(i.position.line);
    return listing;
  }
  std::uint32_t line = 0;
  for (const isa::Object& object : program.objects) {
    listing.text += object.name + ":\n";
    ++line;
    const text::InstructionPrinter printer(program, object);
    for (const isa::Instruction& i : object.instructions) {
      listing.text += "    " + printer.print(i) + "\n";
      listing.lines.push_back(++line);
    }
  }
  return listing;
}

/// [line, source or -1, line of it, column, kind]: kind 1 is a message to the texture unit, 2 a write to a target.
void describe_instructions(Json& json, const isa::Program& program, const Listing& listing,
                           std::vector<std::string>& files) {
  json.key("instructions").open('[');
  std::size_t number = 0;
  for (const isa::Object& object : program.objects) {
    const isa::SourceMap map(object);
    for (const isa::Instruction& i : object.instructions) {
      json.open('[').value(listing.lines[number++]);
      if (const auto at = map.find(i)) {
        const auto found = std::ranges::find(files, at->file);
        json.value(static_cast<std::int64_t>(found - files.begin())).value(at->line).value(at->column);
        if (found == files.end()) files.emplace_back(at->file);
      } else {
        json.value(-1).value(0).value(0);
      }
      const bool sampler = instructions::operation_of(*i.description) != nullptr;
      json.value(sampler ? 1 : i.description->traits.target_write ? 2 : 0).close(']');
    }
  }
  json.close(']');
}

/// Of each object: where variables lie in the register file. [name, type, first byte, bytes]
void describe_variables(Json& json, const isa::Program& program, isa::Platform platform) {
  const unsigned grf = isa::platform_info(platform).grf_bytes;
  json.key("objects").open('[');
  for (const isa::Object& object : program.objects) {
    json.open('{').member("name", object.name);
    const auto layout = machine::Layout::make(program, object, grf, {});
    json.key("variables").open('[');
    for (std::uint32_t v = isa::kFirstVariable; layout.ok() && v < isa::kFirstVariable + object.variables.size(); ++v) {
      const machine::VariablePlacement* place = layout->place(v);
      const auto info = isa::variable_info(object, v, grf);
      if (place == nullptr || !info) continue;
      json.open('[').value(info->name).value(isa::type_name(info->type)).value(place->begin).value(info->bytes);
      json.close(']');
    }
    json.close(']').key("predicates").open('[');
    for (const isa::PlainVariable& p : object.predicates) json.value(p.name);
    json.close(']').close('}');
  }
  json.close(']');
}

/// The file that a FILE string means: by its whole name, or by the last part of it where only one source has that.
const SourceText* source_of(const ProgramInput& input, const std::string& file) {
  const auto last = [](std::string_view name) { return name.substr(name.find_last_of('/') + 1); };
  for (const SourceText& s : input.sources)
    if (s.name == file) return &s;
  for (const SourceText& s : input.sources)
    if (last(s.name) == last(file)) return &s;
  return nullptr;
}

}  // namespace

InstructionNumbers::InstructionNumbers(const isa::Program& program) : program_(program) {
  std::uint32_t count = 0;
  for (const isa::Object& object : program.objects) {
    first_.push_back(count);
    count += static_cast<std::uint32_t>(object.instructions.size());
  }
}

std::uint32_t InstructionNumbers::of(const isa::Object& object, const isa::Instruction& instruction) const {
  return first_[of_object(object)] + static_cast<std::uint32_t>(&instruction - object.instructions.data());
}

std::string describe_program(const ProgramInput& input, isa::Platform platform) {
  Json json;
  const Listing listing = list(*input.program);
  std::vector<std::string> files;
  json.open('{').member("name", input.name).member("text", listing.text);
  describe_instructions(json, *input.program, listing, files);
  describe_variables(json, *input.program, platform);
  json.key("sources").open('[');
  for (const std::string& file : files) {
    const SourceText* source = source_of(input, file);
    json.open('{').member("name", file).member("text", source != nullptr ? source->text : std::string()).close('}');
  }
  json.close(']').close('}');
  return json.take();
}

}  // namespace heddle::explore
