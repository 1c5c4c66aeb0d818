// SPDX-License-Identifier: MIT
// The file as a whole: statement by statement, then the questions that only the whole file answers.
// Rules: TXT-1, TXT-4.
#include "text/statements/parser.hpp"

#include <memory>
#include <utility>

#include "text/comments.hpp"

namespace heddle::text {

Parser::Parser(std::string_view source, std::string file, const ParseOptions& options, base::Diagnostics& diagnostics)
    : c_(source, std::move(file), options, diagnostics),
      literals_(c_),
      symbols_(c_, literals_),
      numbers_(c_, literals_, symbols_),
      immediates_(c_, numbers_),
      vectors_(c_, symbols_, numbers_, immediates_),
      operands_(c_, literals_, symbols_, numbers_, vectors_),
      suffixes_(c_),
      lsc_(c_, {literals_, symbols_, numbers_, immediates_, vectors_, operands_}),
      elements_(c_, symbols_, numbers_, operands_, suffixes_, lsc_),
      labels_(c_, literals_, symbols_),
      instructions_(c_, operands_, elements_, labels_),
      attributes_(c_, literals_, symbols_, numbers_),
      declarations_(c_, literals_, symbols_, numbers_, attributes_),
      directives_(c_, symbols_, labels_, attributes_, declarations_, instructions_),
      dialect_(c_) {}

/// "name:" with the characters that only label names may have (TXT-4); empty: there is none, and nothing was read.
std::string_view Parser::label_ahead(Scanner::Mark start) {
  Scanner& in = c_.in;
  if (!is_name_start(in.peek())) return {};
  in.word();
  const auto label_char = [](char x) { return x == '$' || x == '@' || x == '?' || x == '-'; };
  while (label_char(in.peek()) || is_name_char(in.peek())) in.skip();
  if (in.peek() == ':') return {start.at, static_cast<std::size_t>(in.position() - start.at)};
  in.rewind(start);
  return {};
}

bool Parser::labeled_or_instruction(bool& is_label) {
  Scanner& in = c_.in;
  const Scanner::Mark start = in.mark();
  const std::string_view label = label_ahead(start);
  if (label.empty()) return instructions_.instruction();
  const Span span = in.span_from(start);
  in.skip();
  is_label = true;
  const bool clean = in.line_over() || c_.problems.expected("the end of the line");
  return labels_.definition(label, span) && clean;
}

void Parser::statement() {
  Scanner& in = c_.in;
  Problems& problems = c_.problems;
  problems.set_failed(false);
  problems.list().clear();
  if (in.line_over()) return;
  const char c = in.peek();
  const Span here = in.here(0);
  bool is_label = false;
  bool ok = false;
  if (c == '.') {
    ok = directives_.directive();
  } else {
    directives_.want_version(here);
    problems.set_failed(false);
    if (c == '{' || c == '}')
      ok = directives_.scope(c);
    else
      ok = directives_.need_object(here) && labeled_or_instruction(is_label);
  }
  labels_.statement_over(is_label, c == '.');
  if (ok) ok = in.line_over() || problems.expected("the end of the line");
  if (!ok && !problems.failed()) problems.error("visa-text-syntax", here, "statement is not understood");
}

std::optional<isa::Program> Parser::run() {
  Scanner& in = c_.in;
  Problems& problems = c_.problems;
  while (!in.at_end() && !c_.stopped) {
    statement();
    if (!problems.list().empty()) problems.flush();
    in.to_statement_end();
    if (in.comment().starts_with(kLabelsComment)) labels_.list_comment();
    in.next_line();
  }
  if (const Span open = in.unclosed_comment(); open.line != 0)
    problems.error("visa-text-syntax", open, "comment is not closed");
  problems.flush();
  directives_.end_object();
  if (c_.program.objects.empty() && !problems.any_reported()) {
    problems.error("visa-text-order", {1, 1, 0},
                   directives_.version_seen() ? "the file has no .kernel" : "the file is empty");
    problems.flush();
  }
  other_dialect_ = dialect_.settle();
  if (other_dialect_) {  // what was found decides for the newer dialect: read again in that one
    problems.list().clear();
    return std::nullopt;
  }
  problems.flush();
  if (!problems.allow_a_program()) return std::nullopt;
  c_.program.source = c_.options.owner ? c_.options.owner : std::make_shared<const std::string>(c_.source);
  return std::move(c_.program);
}

std::optional<isa::Program> parse(std::string_view source, const std::string& file, const ParseOptions& options,
                                  base::Diagnostics& diagnostics) {
  ParseOptions chosen = options;
  for (int round = 0;; ++round) {
    base::Diagnostics found(options.limits.diagnostics);
    Parser parser(source, file, chosen, found);
    std::optional<isa::Program> program = parser.run();
    const std::optional<DialectChoice> again = round == 0 ? parser.other_dialect() : std::nullopt;
    if (again) {
      chosen.dialect = *again;
      continue;
    }
    diagnostics.append(found);
    return program;
  }
}

}  // namespace heddle::text
