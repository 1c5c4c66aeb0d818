// SPDX-License-Identifier: MIT
#include "support.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "isa/description.hpp"

namespace heddle::text {

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> files_below(const std::string& folder, std::string_view ending) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().string().ends_with(ending)) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string show(const base::Diagnostics& diagnostics, std::string_view source) {
  return base::render(diagnostics, [&](const std::string&) { return source; }, false);
}

std::optional<isa::Program> must_parse(std::string_view source, const ParseOptions& options) {
  base::Diagnostics d;
  auto program = parse(source, "test", options, d);
  EXPECT_TRUE(program.has_value()) << show(d, source);
  EXPECT_FALSE(d.has_errors()) << show(d, source);
  return program;
}

std::vector<GoldenLine> golden_lines(const std::string& name) {
  std::vector<GoldenLine> lines;
  int number = 0;
  for (const std::string& line : split(read_all(data_dir() + "/golden/" + name), '\n')) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    GoldenLine golden;
    golden.file = name;
    golden.line = number;
    golden.columns = split(line, '\t');
    const auto platform = isa::find_platform(golden.columns[0]);
    EXPECT_TRUE(platform.has_value()) << line;
    golden.platform = platform.value_or(isa::Platform::SKL);
    std::string text = golden.columns[1];
    for (std::size_t at; (at = text.find("\\n")) != std::string::npos;) text.replace(at, 2, "\n");
    golden.text = text;
    golden.columns.erase(golden.columns.begin(), golden.columns.begin() + 2);
    lines.push_back(std::move(golden));
  }
  EXPECT_FALSE(lines.empty()) << name;
  return lines;
}

std::string golden_program(const std::string& text) {
  static const std::string kPrologue = read_all(data_dir() + "/golden/prologue.visaasm");
  return kPrologue + text + "\nret (M1, 1)\n";
}

namespace {

std::string different(const std::vector<isa::Attribute>& a, const std::vector<isa::Attribute>& b) {
  if (a.size() != b.size()) return "number of attributes";
  for (std::size_t n = 0; n < a.size(); ++n)
    if (a[n].name != b[n].name || a[n].value != b[n].value) return "attribute " + a[n].name;
  return {};
}

std::string different(const std::vector<isa::PlainVariable>& a, const std::vector<isa::PlainVariable>& b) {
  if (a.size() != b.size()) return "number of variables";
  for (std::size_t n = 0; n < a.size(); ++n) {
    if (a[n].name != b[n].name || a[n].elements != b[n].elements) return "variable " + a[n].name + " / " + b[n].name;
    if (const std::string d = different(a[n].attributes, b[n].attributes); !d.empty()) return a[n].name + ": " + d;
  }
  return {};
}

std::string different(const isa::Object& a, const isa::Object& b) {
  if (a.kind != b.kind || a.name != b.name) return "name or kind";
  if (a.variables.size() != b.variables.size()) return "number of general variables";
  for (std::size_t n = 0; n < a.variables.size(); ++n) {
    const isa::GeneralVariable &x = a.variables[n], &y = b.variables[n];
    if (x.name != y.name || x.type != y.type || x.align != y.align || x.elements != y.elements || x.alias != y.alias ||
        x.alias_offset != y.alias_offset)
      return "general variable " + x.name + " / " + y.name;
    if (const std::string d = different(x.attributes, y.attributes); !d.empty()) return x.name + ": " + d;
  }
  for (const auto list :
       {&isa::Object::addresses, &isa::Object::predicates, &isa::Object::samplers, &isa::Object::surfaces})
    if (const std::string d = different(a.*list, b.*list); !d.empty()) return d;
  if (const std::string d = different(a.attributes, b.attributes); !d.empty()) return d;
  if (a.labels.size() != b.labels.size()) return "number of labels";
  for (std::size_t n = 0; n < a.labels.size(); ++n)
    if (a.labels[n].name != b.labels[n].name || a.labels[n].kind != b.labels[n].kind ||
        a.labels[n].instruction != b.labels[n].instruction)
      return "label " + a.labels[n].name + " / " + b.labels[n].name;
  if (a.inputs.size() != b.inputs.size()) return "number of inputs";
  for (std::size_t n = 0; n < a.inputs.size(); ++n)
    if (a.inputs[n].kind_bits != b.inputs[n].kind_bits || a.inputs[n].id != b.inputs[n].id ||
        a.inputs[n].offset != b.inputs[n].offset || a.inputs[n].size != b.inputs[n].size)
      return "input " + std::to_string(n);
  if (a.strings != b.strings) return "strings";
  if (a.instructions.size() != b.instructions.size()) return "number of instructions";
  for (std::size_t n = 0; n < a.instructions.size(); ++n) {
    const isa::Instruction &x = a.instructions[n], &y = b.instructions[n];
    const std::string where = "instruction " + std::to_string(n) + " (" + std::string(x.description->mnemonic) + "): ";
    if (x.description != y.description) return where + "form " + std::string(y.description->mnemonic);
    if (x.description->has_exec && !(x.exec == y.exec)) return where + "execution size";
    if (!(x.predicate == y.predicate)) return where + "predicate";
    const auto p = a.operands_of(x), q = b.operands_of(y);
    if (p.size() != q.size()) return where + "number of operands";
    for (std::size_t k = 0; k < p.size(); ++k)
      if (!p[k].same(q[k])) return where + "operand " + std::to_string(k);
  }
  return {};
}

}  // namespace

std::string difference(const isa::Program& a, const isa::Program& b) {
  if (a.dialect != b.dialect) return "dialect";
  if (a.objects.size() != b.objects.size()) return "number of objects";
  for (std::size_t n = 0; n < a.objects.size(); ++n)
    if (const std::string d = different(a.objects[n], b.objects[n]); !d.empty())
      return "object " + a.objects[n].name + ": " + d;
  return {};
}

}  // namespace heddle::text
