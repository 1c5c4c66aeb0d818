// SPDX-License-Identifier: MIT
#pragma once
// What the parts of the parser are given: the source, the program that grows, the object and the statement being read.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/description.hpp"
#include "text/lexical/problems.hpp"
#include "text/names.hpp"
#include "text/scanner.hpp"
#include "text/text.hpp"

namespace heddle::text {

/// The instruction being read, in one of the forms of its mnemonic.
struct InstructionDraft {
  bool seed = false;                  ///< upper-case mnemonic: the seeds' dialect
  bool document_description = false;  ///< that, or a mnemonic of the documents in lower case
  const isa::InstructionDescription* description = nullptr;
  isa::PredicateUse predicate;
  Span predicate_span;
  isa::Exec exec;
  bool saturate = false;
  std::vector<isa::Operand> operands;  ///< by slot
  struct NameUse {
    std::size_t operand;
    std::string text;
    std::string_view view;
    Span span;
    bool own = false;  ///< the name is `text`
  };
  std::vector<NameUse> name_uses;  ///< labels and strings, numbered once the form is certain

  [[nodiscard]] isa::Operand& at(int slot) { return operands[static_cast<std::size_t>(slot)]; }
};

struct ParseContext {
  ParseContext(std::string_view text, std::string file, const ParseOptions& how, base::Diagnostics& diagnostics)
      : options(how),
        source(text),
        in(text),
        problems(in, program.file, diagnostics, how.rules_are_errors),
        newer(how.dialect == DialectChoice::Newer) {
    program.file = std::move(file);
    if (how.platform) grf_bytes = isa::platform_info(*how.platform).grf_bytes;
  }
  ParseContext(const ParseContext&) = delete;
  ParseContext& operator=(const ParseContext&) = delete;

  const ParseOptions& options;
  const std::string_view source;
  Scanner in;
  isa::Program program;
  Problems problems;
  unsigned grf_bytes = 32;
  bool stopped = false;  ///< a limit was hit: nothing more is read
  std::uint64_t instruction_total = 0;

  isa::Object* object = nullptr;                           ///< the current one
  Scopes names;                                            ///< of the object
  NameMap<std::uint32_t> strings;                          ///< Object::strings, index + 1
  std::vector<std::unique_ptr<std::string>> string_store;  ///< escapes resolved: keys of the maps must stay

  InstructionDraft draft;

  // dialect detection
  struct Paired {
    std::uint32_t object, instruction;
  };
  std::vector<Paired> paired;  ///< instructions that may have a paired surface
  const bool newer;            ///< reading in the newer dialect
  bool needs_newer = false;    ///< something that only the newer dialect can hold
};

/// A part of the parser: the context, and the words that all parts have in common.
class ParserPart {
 protected:
  explicit ParserPart(ParseContext& context)
      : c_(context), in_(context.in), problems_(context.problems), draft_(context.draft) {}

  bool error(std::string_view id, Span span, std::string message) {
    return problems_.error(id, span, std::move(message));
  }
  void warn(std::string_view id, Span span, std::string message) { problems_.warn(id, span, std::move(message)); }
  void remark(std::string_view id, Span span, std::string message) { problems_.remark(id, span, std::move(message)); }
  void violation(std::string_view id, Span span, std::string message) {
    problems_.violation(id, span, std::move(message));
  }
  void note(std::string message, Span span = {0, 0, 0}) { problems_.note(std::move(message), span); }
  bool expected(std::string_view what) { return problems_.expected(what); }
  void suggest(std::string_view word, const std::vector<std::string_view>& candidates) {
    problems_.suggest(word, candidates);
  }
  [[nodiscard]] bool silent() const { return problems_.silent(); }

  bool end_of_statement();
  bool equals(std::string_view key);  ///< key, blanks, =
  /// Counts it; false: there are too many.
  bool room_for_instruction(Span span);
  /// The operand stands between `start` and here.
  void place_operand(isa::Operand& operand, Scanner::Mark start) const;
  [[nodiscard]] std::size_t offset_of(Scanner::Mark mark) const {
    return static_cast<std::size_t>(mark.at - c_.source.data());
  }

  ParseContext& c_;
  Scanner& in_;
  Problems& problems_;
  InstructionDraft& draft_;
};

}  // namespace heddle::text
