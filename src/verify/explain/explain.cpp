// SPDX-License-Identifier: MIT
#include "verify/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "instructions/registry.hpp"
#include "verify/explain/book.hpp"
#include "verify/explain/describe.hpp"
#include "verify/explain/markdown_text.hpp"

namespace heddle::verify {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
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

std::vector<std::string_view> files(std::string_view list) {
  std::vector<std::string_view> all;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find('\n'), list.size());
    all.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return all;
}

std::string book_text(const BookEntry& entry) {
  const BookRule& rule = *entry.rule;
  std::string text = fmt::format("{}: {}\n", rule.id, rule.title);
  text += fmt::format("{} ({}.md in docs/rules)\n",
                      entry.page->title + (rule.section.empty() ? "" : ", " + rule.section), entry.page->name);
  for (const BookPart& part : rule.parts)
    text += "\n" + plain_markdown(part.label.empty() ? part.text : fmt::format("{}: {}", part.label, part.text), "  ");
  if (entry.citations == nullptr) return text;
  const auto list = [&](std::string_view title, std::string_view paths) {
    if (paths.empty()) return;
    text += fmt::format("\n  {}\n", title);
    for (const std::string_view path : files(paths)) text += fmt::format("    {}\n", path);
  };
  list("cited by the code", entry.citations->sources);
  list("cited by tests", entry.citations->tests);
  return text;
}

std::string book_json(const BookEntry& entry) {
  using base::json_quote;
  const BookRule& rule = *entry.rule;
  const auto list = [&](std::string_view paths) {
    std::string text;
    for (const std::string_view path : files(paths)) text += (text.empty() ? "" : ",") + json_quote(path);
    return text;
  };
  return fmt::format(
      R"({{"kind":"rule","id":{},"title":{},"page":{},"section":{},"text":{},"choice":{},"reason":{},"way_out":{},"source":{},"code":[{}],"tests":[{}]}})",
      json_quote(rule.id), json_quote(rule.title), json_quote(entry.page->name), json_quote(rule.section),
      json_quote(rule.part("")), json_quote(rule.part("Choice")), json_quote(rule.part("Reason")),
      json_quote(rule.part("Way out")), json_quote(rule.part("Source")),
      list(entry.citations == nullptr ? "" : entry.citations->sources),
      list(entry.citations == nullptr ? "" : entry.citations->tests));
}

std::string page_text(const BookPage& page) {
  std::string text =
      fmt::format("{} ({}.md in docs/rules)\n\n{}", page.title, page.name, plain_markdown(page.intro, "  "));
  const std::string* section = nullptr;
  for (const BookRule& rule : page.rules) {
    if (section == nullptr || *section != rule.section) text += fmt::format("\n  {}\n", rule.section);
    section = &rule.section;
    text += fmt::format("    {:<{}} {}\n", rule.id, rule.id.find_first_of("0123456789") == std::string::npos ? 28 : 8,
                        rule.title);
  }
  return text;
}

// Neighbors with rising numbers as a range.
std::string id_ranges(const BookPage& page) {
  const auto family = [](const std::string& id) { return id.substr(0, id.find_last_not_of("0123456789") + 1); };
  const auto follows = [&](const std::string& a, const std::string& b) {
    const std::string head = family(a);
    return head == family(b) && a.size() > head.size() && b.size() > head.size() &&
           std::stoul(a.substr(head.size())) + 1 == std::stoul(b.substr(head.size()));
  };
  std::string text;
  for (std::size_t i = 0, last = 0; i < page.rules.size(); i = last + 1) {
    last = i;
    while (last + 1 < page.rules.size() && follows(page.rules[last].id, page.rules[last + 1].id)) ++last;
    text += (text.empty() ? "" : " ") + page.rules[i].id + (last == i ? "" : ".." + page.rules[last].id);
  }
  return text;
}

std::string page_json(const BookPage& page) {
  std::string ids;
  for (const BookRule& rule : page.rules) ids += (ids.empty() ? "" : ",") + base::json_quote(rule.id);
  return fmt::format(R"({{"kind":"page","name":{},"title":{},"text":{},"rules":[{}]}})", base::json_quote(page.name),
                     base::json_quote(page.title), base::json_quote(page.intro), ids);
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
  for (const BookPage& page : book()) {
    words.push_back(page.name);
    // Neighbors of a numbered id are other rules, so only ids of messages are suggested.
    for (const BookRule& rule : page.rules)
      if (rule.id == lower(rule.id)) words.push_back(rule.id);
  }
  return words;
}

}  // namespace

base::Result<std::string> explain(std::string_view word, bool json) {
  const std::string wanted = lower(word);
  if (const Rule* rule = find_rule(wanted)) return json ? rule_json(*rule) : rule_text(*rule);
  if (const Rule* rule = find_rule("visa-" + wanted)) return json ? rule_json(*rule) : rule_text(*rule);
  if (const BookEntry entry = find_book_rule(wanted); entry.rule != nullptr)
    return json ? book_json(entry) : book_text(entry);
  const std::vector<const isa::InstructionDescription*> descriptions = find_descriptions(wanted);
  if (!descriptions.empty()) {
    std::string text;
    for (const isa::InstructionDescription* description : descriptions) {
      if (!text.empty()) text += "\n";
      text += json ? description_json(*description) : description_text(*description);
    }
    return text;
  }
  for (const BookPage& page : book())
    if (page.name == wanted) return json ? page_json(page) : page_text(page);
  base::Diagnostic unknown =
      base::error("explain-unknown", fmt::format("{} is neither a rule nor an instruction", word));
  if (const std::string_view near = base::nearest(wanted, known_words()); !near.empty())
    unknown.note(fmt::format("did you mean {}?", near));
  else
    unknown.note("without a word it lists the rules; docs/reference has the instructions");
  return base::Failure(std::move(unknown));
}

std::vector<std::string> explained_words() {
  std::vector<std::string> words;
  for (const std::string_view word : known_words()) words.emplace_back(word);
  for (const BookPage& page : book())
    for (const BookRule& rule : page.rules)
      if (rule.id != lower(rule.id)) words.emplace_back(rule.id);
  return words;
}

std::string explain_index(bool json) {
  std::string text, ids, mnemonics, pages;
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
  text += "the rule book: `heddle explain PAGE` lists a page, `heddle explain ID` prints a rule\n";
  for (const BookPage& page : book()) {
    text += fmt::format("{}: {}\n{}", page.name, page.title, paragraph(id_ranges(page), "  "));
    pages += (pages.empty() ? "" : ",") + page_json(page);
  }
  return json ? fmt::format(R"({{"rules":[{}],"instructions":[{}],"pages":[{}]}})", ids, mnemonics, pages) : text;
}

}  // namespace heddle::verify
