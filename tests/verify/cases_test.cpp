// SPDX-License-Identifier: MIT
// cases/<rule>.txt: programs that keep and break a rule, with the exact places of the findings.
//
//   platform: SKL                what the file's programs are for; none: no platform
//   accept: / reject:            followed by lines indented by four blanks. They stand behind
//   tests/data/golden/prologue.visaasm
//                                unless they start with .version or .kernel; line numbers count from their first line
//   accept binary: / reject binary:   the lines are assembled, then changed by
//     patch: WHERE HEX, truncate: BYTES, append: HEX      WHERE is an offset, or code+N, code-N from the first
//     instruction
//   reject write:                the writer refuses
//   operand: I N FIELD VALUE     before judging or assembling, FIELD (id, offset, value) of operand N of instruction I
//   is changed expect: WHERE SEVERITY       every finding of the rule, in order; WHERE is LINE:COLUMN or as above also:
//   ID ...                 errors of other rules that come with it; there are no more

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "binary/reader.hpp"
#include "binary/writer.hpp"
#include "support/process.hpp"
#include "text/text.hpp"
#include "verify/harness.hpp"
#include "verify/rules/rules.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(HEDDLE_TEST_DIR) / "verify" / "cases";

struct Case {
  std::string kind;  // "accept", "reject", "accept binary", ...
  std::string body;
  std::vector<std::pair<std::string, std::string>> changes;  // key, value
  std::vector<std::string> expected;                         // "1:2 error"
  std::set<std::string> also;
};
struct CaseFile {
  std::string platform = "SKL";
  std::string dialect;
  std::vector<Case> cases;
};

std::string trim(std::string text) {
  const auto blank = [](char c) { return c == ' ' || c == '\r'; };
  while (!text.empty() && blank(text.back())) text.pop_back();
  std::size_t start = 0;
  while (start < text.size() && blank(text[start])) ++start;
  return text.substr(start);
}

CaseFile read_cases(const fs::path& path) {
  CaseFile file;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("    ")) {
      if (!file.cases.empty()) file.cases.back().body += line.substr(4) + "\n";
      continue;
    }
    line = trim(line);
    if (line.empty() || line[0] == '#') continue;
    const std::size_t colon = line.find(':');
    const std::string key = line.substr(0, colon),
                      value = colon == std::string::npos ? "" : trim(line.substr(colon + 1));
    if (key == "platform")
      file.platform = value;
    else if (key == "dialect")
      file.dialect = value;
    else if (key.starts_with("accept") || key.starts_with("reject"))
      file.cases.push_back({key, "", {}, {}, {}});
    else if (file.cases.empty())
      ADD_FAILURE() << path << ": " << line;
    else if (key == "expect")
      file.cases.back().expected.push_back(value);
    else if (key == "also") {
      std::istringstream ids(value);
      for (std::string id; ids >> id;) file.cases.back().also.insert(id);
    } else if (key == "operand" || key == "patch" || key == "truncate" || key == "append")
      file.cases.back().changes.emplace_back(key, value);
    else
      ADD_FAILURE() << path << ": " << line;
  }
  return file;
}

bool whole(const std::string& body) { return body.starts_with(".version") || body.starts_with(".kernel \""); }

std::vector<std::uint8_t> from_hex(const std::string& text) {
  std::vector<std::uint8_t> bytes;
  std::string digits;
  for (const char c : text)
    if (c != ' ') digits += c;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

std::size_t position(const std::string& where, std::size_t code) {
  if (where.starts_with("code"))
    return code + static_cast<std::size_t>(std::stol(where.size() > 4 ? where.substr(4) : "0"));
  return std::stoul(where, nullptr, 0);
}

// Programs that text cannot express.
void change_operands(isa::Program& program, const Case& c) {
  for (const auto& [key, value] : c.changes) {
    if (key != "operand") continue;
    std::istringstream in(value);
    std::size_t instruction = 0, operand = 0;
    std::string field;
    std::uint32_t number = 0;
    in >> instruction >> operand >> field >> number;
    isa::Object& object = program.objects.at(0);
    isa::Operand& o = object.operands_of(object.instructions.at(instruction))[operand];
    if (field == "id")
      o.id = number;
    else if (field == "offset")
      o.offset = static_cast<std::int32_t>(number);
    else
      o.value = number;
  }
}

struct Assembled {
  std::vector<std::uint8_t> bytes;
  std::size_t code = 0;  // offset of the first instruction
  bool ok = false;
  std::string problem;
};

Assembled assemble(const std::string& source, const CaseFile& file, const Case& c) {
  Assembled result;
  base::Diagnostics diagnostics;
  text::ParseOptions options;
  options.platform = test::platform_named(file.platform);
  if (file.dialect == "newer") options.dialect = text::DialectChoice::Newer;
  auto program = text::parse(source, "case", options, diagnostics);
  if (program) change_operands(*program, c);
  if (!program) {
    result.problem = test::list(diagnostics);
    return result;
  }
  auto bytes = binary::write(*program, {});
  if (!bytes) {
    for (const base::Diagnostic& d : bytes.diagnostics()) result.problem += d.id + " ";
    return result;
  }
  result.bytes = *bytes;
  base::Diagnostics ignored;
  const auto back = binary::read(result.bytes, "case", {}, ignored);
  if (back && !back->objects.empty() && !back->objects[0].instructions.empty())
    result.code = back->objects[0].instructions[0].position.offset;
  result.ok = true;
  return result;
}

std::string_view severity_name(base::Severity s) {
  return s == base::Severity::Error ? "error" : s == base::Severity::Warning ? "warning" : "note";
}

void run(const std::string& rule, const CaseFile& file, const Case& c, const std::string& name) {
  SCOPED_TRACE(name + "\n" + c.body);
  const std::string source = (whole(c.body) ? std::string() : test::prologue()) + c.body;
  const auto platform = test::platform_named(file.platform);
  test::Verdict verdict;
  std::size_t code = 0, lines = 0;
  const bool binary = c.kind.ends_with("binary");
  if (c.kind == "reject write") {
    const Assembled made = assemble(source, file, c);
    EXPECT_FALSE(made.ok);
    EXPECT_NE(made.problem.find(rule), std::string::npos) << made.problem;
    return;
  }
  if (binary) {
    Assembled made = assemble(source, file, c);
    ASSERT_TRUE(made.ok) << made.problem;
    code = made.code;
    for (const auto& [key, value] : c.changes) {
      if (key == "operand") continue;
      if (key == "truncate") {
        made.bytes.resize(made.bytes.size() - std::min<std::size_t>(made.bytes.size(), std::stoul(value)));
        continue;
      }
      const std::size_t blank = value.find(' ');
      const std::vector<std::uint8_t> change = from_hex(key == "append" ? value : value.substr(blank));
      const std::size_t at = key == "append" ? made.bytes.size() : position(value.substr(0, blank), code);
      ASSERT_FALSE(change.empty());
      if (made.bytes.size() < at + change.size()) made.bytes.resize(at + change.size());
      std::copy(change.begin(), change.end(), made.bytes.begin() + static_cast<std::ptrdiff_t>(at));
    }
    verdict = test::judge_binary(made.bytes, platform);
  } else {
    if (!whole(c.body))
      lines = static_cast<std::size_t>(std::count(test::prologue().begin(), test::prologue().end(), '\n'));
    verdict = test::judge_text(source, platform, [&](isa::Program& program) { change_operands(program, c); });
  }
  std::vector<std::string> found, expected = c.expected;
  std::set<std::string> others;
  for (const base::Diagnostic& d : verdict.diagnostics.all()) {
    if (d.id != rule) {
      if (d.severity == base::Severity::Error) others.insert(d.id);
      continue;
    }
    if (!binary && d.place.line <= lines) continue;  // the prologue's unused declarations
    const std::string where = binary ? std::to_string(d.place.offset)
                                     : std::to_string(d.place.line - lines) + ":" + std::to_string(d.place.column);
    found.push_back(where + " " + std::string(severity_name(d.severity)));
  }
  if (binary)
    for (std::string& e : expected) {
      const std::size_t blank = e.find(' ');
      e = std::to_string(position(e.substr(0, blank), code)) + e.substr(blank);
    }
  EXPECT_EQ(found, expected) << "code starts at " << code << "\n"
                             << test::list(verdict.diagnostics, "visa-unused-declaration");
  EXPECT_EQ(others, c.also) << test::list(verdict.diagnostics, "visa-unused-declaration");
  EXPECT_EQ(expected.empty(), c.kind.starts_with("accept"));
}

TEST(Rules, CasesGiveExactlyTheExpectedFindings) {
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    const std::string rule = entry.path().stem().string();
    EXPECT_NE(verify::find_rule(rule), nullptr) << entry.path();
    const CaseFile file = read_cases(entry.path());
    for (const Case& c : file.cases) run(rule, file, c, entry.path().filename().string());
  }
}

TEST(Rules, EachHasAnAcceptingAndARejectingCase) {
  for (unsigned area = 0; area < verify::kAreaCount; ++area)
    for (const verify::Rule& rule : verify::rules(static_cast<verify::Area>(area))) {
      const fs::path path = kFolder / (std::string(rule.id) + ".txt");
      if (!fs::exists(path)) {
        ADD_FAILURE() << rule.id << " has no cases";
        continue;
      }
      bool accepts = false, rejects = false;
      for (const Case& c : read_cases(path).cases) (c.kind.starts_with("accept") ? accepts : rejects) = true;
      EXPECT_TRUE(accepts) << rule.id;
      EXPECT_TRUE(rejects) << rule.id;
    }
}

}  // namespace
}  // namespace heddle
