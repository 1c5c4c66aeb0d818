// The file as a whole: statement by statement, then the questions that only the whole file answers.
// Rules: TXT-1, TXT-4.
#include "text/parser.hpp"

#include <fmt/format.h>

#include "text/comments.hpp"
#include "text/vocabulary.hpp"

namespace heddle::text {

Parser::Parser(std::string_view source, std::string file, const ParseOptions& options, base::Diagnostics& diagnostics)
    : options_(options),
      diagnostics_(diagnostics),
      source_(source),
      in_(source),
      newer_(options.dialect == DialectChoice::Newer) {
  program_.file = std::move(file);
  if (options.platform) grf_bytes_ = isa::platform_info(*options.platform).grf_bytes;
  label_description_ = label_description();
  subroutine_description_ = subroutine_description();
}

void Parser::statement() {
  failed_ = false;
  problems_.clear();
  if (in_.line_over()) return;
  const char c = in_.peek();
  const Scanner::Mark start = in_.mark();
  const Span here = in_.here(0);
  bool is_label = false;
  bool ok = false;
  if (c == '.') {
    ok = directive();
  } else {
    if (!version_seen_ && !version_reported_) {
      version_reported_ = true;
      error("visa-text-order", here, "'.version' must be the first statement of the file");
      failed_ = false;
    }
    if (c == '{' || c == '}') {
      ok = scope(c);
    } else if (!need_object(here)) {
      ok = false;
    } else {
      std::string_view label;
      if (is_name_start(c)) {  // name: with the characters that only label names may have (TXT-4)
        in_.word();
        const auto label_char = [&](char x) { return x == '$' || x == '@' || x == '?' || x == '-'; };
        while (label_char(in_.peek()) || is_name_char(in_.peek())) in_.skip();
        if (in_.peek() == ':')
          label = source_.substr(here_offset(start), static_cast<std::size_t>(in_.position() - start.at));
        else
          in_.rewind(start);
      }
      if (!label.empty()) {
        const Span span = in_.span_from(start);
        in_.skip();
        is_label = true;
        const bool clean = end_of_statement();
        ok = label_definition(label, span) && clean;
      } else {
        ok = instruction(here);
      }
    }
  }
  if (!is_label && !(c == '.' && absorb_fresh_)) absorb_ = {};
  absorb_fresh_ = false;
  if (ok) ok = end_of_statement();
  if (!ok && !failed_) error("visa-text-syntax", here, "statement is not understood");
}

std::optional<isa::Program> Parser::run() {
  while (!in_.at_end() && !stopped_) {
    statement();
    if (!problems_.empty()) flush();
    in_.to_statement_end();
    if (in_.comment().starts_with(kLabelsComment)) label_list_comment();
    in_.next_line();
  }
  if (const Span open = in_.unclosed_comment(); open.line != 0)
    error("visa-text-syntax", open, "comment is not closed");
  flush();
  end_object();
  if (program_.objects.empty() && !diagnostics_.has_errors()) {
    error("visa-text-order", {1, 1, 0}, version_seen_ ? "the file has no .kernel" : "the file is empty");
    flush();
  }
  if (settle_dialect()) {  // what was found decides for the newer dialect: read again in that one
    problems_.clear();
    return std::nullopt;
  }
  flush();
  if (errors_ != 0 && !(options_.judge && errors_ == judged_)) return std::nullopt;
  program_.source = options_.owner ? options_.owner : std::make_shared<const std::string>(source_);
  return std::move(program_);
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
