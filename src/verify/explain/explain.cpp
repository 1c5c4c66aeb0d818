#include "verify/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "instructions/registry.hpp"
#include "verify/explain/describe.hpp"

namespace heddle::verify {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return result;
}

// Breaks a paragraph at blanks; every line is indented.
std::string paragraph(std::string_view text, std::string_view indent, std::size_t width = 100) {
  std::string result, line;
  const auto flush = [&] {
    if (!line.empty()) result += std::string(indent) + line + "\n";
    line.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (line.size() + 1 + end > width) flush();
    line += (line.empty() ? "" : " ") + std::string(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  flush();
  return result;
}

std::string lines(std::string_view text, std::string_view indent) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result += std::string(indent) + std::string(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string rule_text(const Rule& rule) {
  std::string text = fmt::format("{} ({})\n{}", rule.id, severity_text(rule), paragraph(rule.statement, "  "));
  if (!rule.explanation.empty()) text += "\n" + paragraph(rule.explanation, "  ");
  text += "\n" + paragraph(fmt::format("Source: {}", rule.source), "  ");
  const std::string_view on = rule.platform;
  if (!rule.accepted.empty())
    text += fmt::format("\n  accepted{}{}:\n{}", on.empty() ? "" : " on ", on, lines(rule.accepted, "    "));
  if (!rule.rejected.empty())
    text += fmt::format("\n  reported{}{}:\n{}", on.empty() ? "" : " on ", on, lines(rule.rejected, "    "));
  return text;
}

std::string rule_json(const Rule& rule) {
  using base::json_quote;
  return fmt::format(
      R"({{"kind":"rule","id":{},"area":{},"severity":{},"statement":{},"explanation":{},"source":{},"platform":{},"accepted":{},"rejected":{}}})",
      json_quote(rule.id), json_quote(area_title(rule.area)), json_quote(severity_text(rule)),
      json_quote(rule.statement), json_quote(rule.explanation), json_quote(rule.source), json_quote(rule.platform),
      json_quote(rule.accepted), json_quote(rule.rejected));
}

template <typename Row, typename Columns>
std::string columns(const std::vector<Row>& rows, Columns cells, std::string_view indent) {
  std::vector<std::vector<std::string>> table;
  std::vector<std::size_t> width;
  for (const Row& row : rows) {
    table.push_back(cells(row));
    width.resize(std::max(width.size(), table.back().size()));
    for (std::size_t i = 0; i < table.back().size(); ++i) width[i] = std::max(width[i], table.back()[i].size());
  }
  std::string text;
  for (const auto& row : table) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i)
      line += fmt::format("{:<{}}  ", row[i], i + 1 < row.size() ? width[i] : 0);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string description_text(const isa::InstructionDescription& description) {
  std::string text = fmt::format("{}: {}\n\n  {}\n", description.mnemonic, description.summary, syntax(description));
  text += fmt::format("\n  platforms: {}\n  execution sizes: {}\n", description.platforms.describe(),
                      exec_sizes(description));
  if (!description.page.empty())
    text += fmt::format("  document: IGC documentation/visa/instructions/{}\n", description.page);
  if (!description.slots.empty())
    text += "\n  operands\n" +
            columns(
                operand_rows(description),
                [](const OperandRow& r) { return std::vector<std::string>{r.name, r.kind, r.types, r.notes}; }, "    ");
  text += "\n  encoding (version 4.1)\n" +
          columns(
              encoding_rows(description),
              [](const EncodingRow& r) { return std::vector<std::string>{r.bytes, r.field, r.content}; }, "    ");
  const std::vector<const Rule*> family = family_rules(description);
  if (!family.empty())
    text += "\n  rules of its own\n" +
            columns(
                family,
                [](const Rule* r) { return std::vector<std::string>{std::string(r->id), std::string(r->statement)}; },
                "    ");
  text += "\n  The rules of every instruction hold too; `heddle explain` without a word lists them.\n";
  return text;
}

std::string description_json(const isa::InstructionDescription& description) {
  using base::json_quote;
  std::string operands, encoding, ids;
  for (const OperandRow& r : operand_rows(description))
    operands += fmt::format(R"({}{{"name":{},"kind":{},"types":{},"notes":{}}})", operands.empty() ? "" : ",",
                            json_quote(r.name), json_quote(r.kind), json_quote(r.types), json_quote(r.notes));
  for (const EncodingRow& r : encoding_rows(description))
    encoding += fmt::format(R"({}{{"bytes":{},"field":{},"content":{}}})", encoding.empty() ? "" : ",",
                            json_quote(r.bytes), json_quote(r.field), json_quote(r.content));
  for (const Rule* r : family_rules(description)) ids += (ids.empty() ? "" : ",") + json_quote(r->id);
  return fmt::format(
      R"({{"kind":"instruction","mnemonic":{},"summary":{},"syntax":{},"opcode":{},"room":{},"platforms":{},"execution_sizes":{},"document":{},)"
      R"("operands":[{}],"encoding":[{}],"rules":[{}]}})",
      json_quote(description.mnemonic), json_quote(description.summary), json_quote(syntax(description)),
      description.opcode, json_quote(description.family), json_quote(description.platforms.describe()),
      json_quote(exec_sizes(description)), json_quote(description.page), operands, encoding, ids);
}

// Exact mnemonic first, then its first word, then the family, then the document's page ("3d_sample4").
std::vector<const isa::InstructionDescription*> find_descriptions(std::string_view word) {
  std::vector<const isa::InstructionDescription*> found;
  const auto collect = [&](auto matches) {
    if (!found.empty()) return;
    for (const isa::InstructionDescription& description : instructions::registry().descriptions())
      if (matches(description)) found.push_back(&description);
  };
  collect([&](const isa::InstructionDescription& f) { return lower(f.mnemonic) == word; });
  collect([&](const isa::InstructionDescription& f) { return lower(f.word) == word; });
  collect([&](const isa::InstructionDescription& f) { return f.family == word; });
  collect([&](const isa::InstructionDescription& f) {
    return f.page.size() > 3 && lower(f.page.substr(0, f.page.size() - 3)) == word;
  });
  return found;
}

std::vector<std::string_view> known_words() {
  std::vector<std::string_view> words;
  for (unsigned area = 0; area < kAreaCount; ++area)
    for (const Rule& rule : rules(static_cast<Area>(area))) words.push_back(rule.id);
  for (const isa::InstructionDescription& description : instructions::registry().descriptions())
    words.push_back(description.mnemonic);
  for (const isa::Family& family : instructions::registry().families()) words.push_back(family.name);
  return words;
}

}  // namespace

base::Result<std::string> explain(std::string_view word, bool json) {
  const std::string wanted = lower(word);
  if (const Rule* rule = find_rule(wanted)) return json ? rule_json(*rule) : rule_text(*rule);
  if (const Rule* rule = find_rule("visa-" + wanted)) return json ? rule_json(*rule) : rule_text(*rule);
  const std::vector<const isa::InstructionDescription*> descriptions = find_descriptions(wanted);
  if (!descriptions.empty()) {
    std::string text;
    for (const isa::InstructionDescription* description : descriptions) {
      if (!text.empty()) text += "\n";
      text += json ? description_json(*description) : description_text(*description);
    }
    return text;
  }
  base::Diagnostic unknown =
      base::error("explain-unknown", fmt::format("{} is neither a rule nor an instruction", word));
  if (const std::string_view near = base::nearest(wanted, known_words()); !near.empty())
    unknown.note(fmt::format("did you mean {}?", near));
  return base::Failure(std::move(unknown));
}

std::string explain_index(bool json) {
  std::string text, ids, mnemonics;
  for (unsigned area = 0; area < kAreaCount; ++area) {
    text += fmt::format("{}\n", area_title(static_cast<Area>(area)));
    for (const Rule& rule : rules(static_cast<Area>(area))) {
      text += fmt::format("  {:<28} {}\n", rule.id, rule.statement);
      ids += (ids.empty() ? "" : ",") + base::json_quote(rule.id);
    }
  }
  for (const isa::Family& family : instructions::registry().families()) {
    std::string words, last;
    for (const isa::InstructionDescription& description : instructions::registry().descriptions()) {
      if (description.family != family.name || description.mnemonic == last) continue;
      words += (words.empty() ? "" : " ") + std::string(description.mnemonic);
      mnemonics += (mnemonics.empty() ? "" : ",") + base::json_quote(description.mnemonic);
      last = description.mnemonic;
    }
    text += fmt::format("{}: {}\n{}", family.name, family.title, paragraph(words, "  "));
  }
  return json ? fmt::format(R"({{"rules":[{}],"instructions":[{}]}})", ids, mnemonics) : text;
}

}  // namespace heddle::verify
