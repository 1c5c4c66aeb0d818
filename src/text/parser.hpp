#pragma once
// Internal to the folder: the parser's state. Statements are read line by line; an error ends its line and the next
// line goes on.

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/description.hpp"
#include "text/names.hpp"
#include "text/scanner.hpp"
#include "text/text.hpp"

namespace heddle::text {

/// Which operators an integer expression may have outside parentheses (TXT-7).
enum class Operators : std::uint8_t {
  All,
  NoComparison,  ///< inside <...>: no < >
  Unary,         ///< a plain integer field between blanks: no binary operator
};

struct Number {
  std::int64_t value = 0;
  double real = 0;
  bool is_real = false;  ///< 1.5, 2e+3: `real`
  bool hex = false;      ///< one hexadecimal literal: a bit pattern
  bool literal = false;  ///< one literal, perhaps with a sign
  unsigned digits = 0;   ///< of a hexadecimal literal
  bool cut = false;      ///< a decimal of 2^31 ... 2^32 - 1, which the dialect reads as a negative number
};

struct Problem {
  base::Severity severity = base::Severity::Error;
  std::string_view id;
  Span span;
  std::string message;
  std::vector<base::Note> notes;
  bool limit = false;
  bool judged = false;  ///< against a rule, but a program can be made
};

class Parser {
 public:
  Parser(std::string_view source, std::string file, const ParseOptions& options, base::Diagnostics& diagnostics);
  /// Reads the file. When another dialect turns out to be right, returns nothing and names it in other_dialect().
  std::optional<isa::Program> run();
  [[nodiscard]] std::optional<DialectChoice> other_dialect() const { return other_dialect_; }

 private:
  // --- problems (problems.cpp) ---
  // While trying one of several forms (`quiet_`), problems are only counted and the furthest place is kept.
  bool error(std::string_view id, Span span, std::string message);  ///< always false, so that callers can return it
  void warn(std::string_view id, Span span, std::string message);
  void remark(std::string_view id, Span span, std::string message);
  void note(std::string message, Span span = {0, 0, 0});  ///< to the latest problem
  bool expected(std::string_view what);                   ///< visa-text-syntax at the next character; false
  void flush();                                           ///< problems_ to the diagnostics
  [[nodiscard]] bool silent() const { return quiet_ || diagnostics_.full(); }
  [[nodiscard]] base::Place place(Span span) const;
  static constexpr std::size_t kMaxSuggestions = 100;  ///< errors after which near names are no longer looked for
  static std::string shown(std::string_view word);     ///< quoted, shortened
  void suggest(std::string_view word, const std::vector<std::string_view>& candidates);

  // --- file structure and directives (parser.cpp, directives.cpp, declarations.cpp) ---
  void statement();
  bool directive();
  bool version(Span span);
  bool begin_object(isa::ObjectKind kind, Span span);
  void function_fields();
  void end_object();
  bool declaration(Span span);
  bool element_count(std::uint32_t& elements);
  bool general_declaration(std::string_view name, Span name_span);
  bool plain_declaration(char kind, std::string_view name, Span name_span);
  bool declare(std::string_view name, Span span, Symbol symbol);
  void stand_in(char kind, std::string_view name, Span span);
  [[nodiscard]] isa::Position position_of(const Symbol& symbol) const;
  bool alias(isa::GeneralVariable& variable);
  bool alignment(isa::GeneralVariable& variable);
  bool attribute_list(std::vector<isa::Attribute>& attributes, bool object_level);
  bool attribute(std::vector<isa::Attribute>& attributes, bool object_level);
  bool input(std::string_view word, Span span);
  bool kernel_attribute();
  bool last_name(std::string_view& name, Span& name_span);
  bool function(Span span);
  bool label_definition(std::string_view name, Span span);
  bool define_label(std::string_view name, isa::LabelKind kind, Span name_span, Span span);
  bool document_label(bool subroutine, Span span);
  bool scope(char brace);
  bool need_object(Span span);
  bool end_of_statement();
  bool equals(std::string_view key);  ///< key, blanks, =
  bool check_new_name(std::string_view name, Span span);
  std::string display_name(std::string_view name);
  void resize_attributes(std::span<isa::Attribute> attributes);
  void label_list_comment();
  [[nodiscard]] std::size_t here_offset(Scanner::Mark mark) const {
    return static_cast<std::size_t>(mark.at - source_.data());
  }

  // --- expressions and literals (expression.cpp) ---
  bool number(Number& out, Operators allowed);
  bool integer(std::int64_t& out, Operators allowed, std::int64_t low, std::int64_t high, std::string_view what);
  bool literal(Number& out);
  bool size_of(std::int64_t& out);
  bool string(std::string& out);
  class Expression;
  bool expression(Number& out, Operators allowed, std::optional<std::int64_t> first);

  // --- operands (operands.cpp, vector_operands.cpp, immediates.cpp) ---
  bool exec(isa::Exec& out);
  bool predicate_use(isa::PredicateUse& out);
  bool operand(const isa::Slot& slot, isa::Operand& out);
  void skip_operand();
  bool vector_operand(const isa::Slot& slot, isa::Operand& out);
  bool named_vector(const isa::Slot& slot, isa::Operand& out);
  bool general_region(const isa::Slot& slot, isa::Operand& out);
  bool indirect(const isa::Slot& slot, isa::Operand& out);
  bool destination_region(isa::Operand& out);
  bool source_region(isa::Operand& out, bool indirect);
  bool region_part(unsigned& code);
  bool immediate(isa::Operand& out);
  bool real_immediate(const Number& n, isa::Operand& out, Span span);
  bool integer_immediate(const Number& n, isa::Operand& out, Span span);
  bool address_of(isa::Operand& out);
  bool address_offset(isa::Operand& out, std::int64_t most);
  bool raw(isa::Operand& out, bool offset_required);
  bool surface(isa::Operand& out);
  bool sampler(isa::Operand& out);
  bool state_index(isa::Operand& out, isa::OperandKind kind);
  bool label_name(std::string_view& out);
  bool modifier(isa::Modifier& out);
  const Symbol* variable(SymbolKind wanted, std::string_view wanted_text);  ///< reads a name; null after an error
  bool wrong_kind(std::string_view name, const Symbol& symbol, Span span, std::string_view wanted);
  bool undeclared(std::string_view name, Span span, std::string_view wanted,
                  SymbolKind kind);  ///< kind: of the names to suggest; None: any
  void place_operand(isa::Operand& operand, Scanner::Mark start);
  [[nodiscard]] bool at_modifier() const;

  // --- instructions (instruction.cpp, elements.cpp): the interpreter of a form's text template ---
  bool instruction(Span span);
  bool choose(std::span<const isa::InstructionDescription* const> descriptions, Scanner::Mark after_word,
              Scanner::Mark start, std::string_view word, Span word_span);
  bool literal_suffixes_match(const isa::InstructionDescription& description, Scanner::Mark after_word);
  bool report_operands(const isa::InstructionDescription& description, bool ok);
  bool attempt(const isa::InstructionDescription& description, Scanner::Mark after_word);
  void optional_group(const isa::InstructionDescription& description, std::size_t first, std::size_t last);
  bool swapped_state(const isa::InstructionDescription& description, const isa::TextElement& first,
                     const isa::TextElement& second);
  bool hex_pair(const isa::TextElement& e);
  bool room_for_instruction(Span span);
  void judge(std::string_view id, Span span, std::string message);
  bool elements(const isa::InstructionDescription& description, bool skip_header);
  bool element(const isa::InstructionDescription& description, const isa::TextElement& e);
  bool origin(isa::Operand& out);
  bool repeated(const isa::InstructionDescription& description, const isa::TextElement& e);
  bool label_list(const isa::InstructionDescription& description, const isa::TextElement& e);
  bool integer_slot(const isa::Slot& slot, isa::Operand& out, Operators allowed);
  bool finish_defaults(const isa::InstructionDescription& description);
  bool commit(const isa::InstructionDescription& description, Scanner::Mark start);
  [[nodiscard]] const isa::InstructionDescription* named_by_comment(
      const isa::InstructionDescription& description) const;
  bool append(const isa::InstructionDescription& description, Scanner::Mark start);
  void unknown_mnemonic(std::string_view word, Span span);
  std::uint32_t mention_label(std::string_view name, isa::LabelKind kind, Span span);
  std::uint32_t intern(std::string_view text);

  // --- suffixes of the mnemonic (suffixes.cpp) ---
  bool suffix(const isa::InstructionDescription& description, const isa::TextElement& e);
  [[nodiscard]] bool at_suffix(std::string_view word) const;
  bool missing_suffix(const isa::InstructionDescription& description, const isa::TextElement& e, std::string_view what);
  bool suffix_value(const isa::InstructionDescription& description, const isa::TextElement& e,
                    std::optional<std::uint64_t>& value);
  bool hex_suffix(const isa::Slot& slot, std::uint64_t& value);
  bool rt_flags(const isa::Slot& slot, std::uint64_t& value);
  bool cache_suffix(const isa::InstructionDescription& description, const isa::TextElement& e);
  bool letters_suffix(const isa::InstructionDescription& description, const isa::Slot& slot, std::uint64_t& value);
  bool channel_suffix(const isa::InstructionDescription& description, std::uint64_t& value);
  bool mask_suffix(const isa::InstructionDescription& description, const isa::Slot& slot, std::uint64_t& mask);
  bool code_suffix(const isa::InstructionDescription& description, const isa::TextElement& e,
                   std::optional<std::uint64_t>& value);
  bool number_suffix(const isa::InstructionDescription& description, const isa::TextElement& e,
                     std::optional<std::uint64_t>& value);
  bool another_number_follows(const isa::InstructionDescription& description, const isa::TextElement& e);
  bool end_of_suffixes(const isa::InstructionDescription& description);

  // --- LSC addresses and data (lsc.cpp) ---
  bool lsc_data(const isa::InstructionDescription& description, const isa::TextElement& e);
  bool lsc_quad(const isa::InstructionDescription& description, const isa::TextElement& e);
  bool lsc_block(const isa::InstructionDescription& description, const isa::TextElement& e);
  bool lsc_address(const isa::InstructionDescription& description, const isa::TextElement& e, bool strided);
  bool lsc_typed(const isa::InstructionDescription& description, const isa::TextElement& e);
  bool lsc_surface(const isa::InstructionDescription& description, const isa::TextElement& e);
  bool lsc_block_address(const isa::InstructionDescription& description, const isa::TextElement& e);
  bool lsc_block_payload(const isa::TextElement& e);
  bool lsc_rows(const isa::TextElement& e);
  bool lsc_rows_address(const isa::TextElement& e);
  bool lsc_origin(const isa::TextElement& e, std::size_t coordinate, std::size_t offset, bool& given);
  bool lsc_model(const isa::TextElement& e, int type_part, int surface_part, int index_part, bool required);
  bool lsc_address_size(isa::Operand& out);
  bool lsc_raw(isa::Operand& out);
  bool lsc_vector(isa::Operand& out, bool wide = false);
  bool lsc_size(const isa::InstructionDescription& description, const isa::TextElement& e, std::string_view& rest,
                Scanner::Mark start);
  bool lsc_offset(const isa::TextElement& e, std::size_t part);
  bool at_offset();
  bool lsc_pitch(const isa::InstructionDescription& description);
  void set_part(const isa::TextElement& e, std::size_t part, isa::Operand value, Scanner::Mark start);

  // --- the paired-surface dialect (dialect.cpp) ---
  bool settle_dialect();

  const ParseOptions& options_;
  base::Diagnostics& diagnostics_;
  std::string_view source_;
  Scanner in_;
  isa::Program program_;
  isa::Object* object_ = nullptr;
  unsigned grf_bytes_ = 32;
  bool version_seen_ = false, version_reported_ = false;
  bool stopped_ = false;  ///< a limit was hit: nothing more is read
  std::uint64_t instruction_total_ = 0;
  std::uint64_t errors_ = 0, judged_ = 0;  ///< errors reported; those of them that still allow a program
  const isa::InstructionDescription* label_description_ = nullptr;
  const isa::InstructionDescription* subroutine_description_ = nullptr;

  // names of the current object
  Scopes names_;
  struct LabelState {
    bool listed = false;  ///< by a comment, with its kind
    bool known = false, defined = false;
    std::uint32_t index = 0;
  };
  NameMap<LabelState> labels_;
  struct LabelUse {
    std::uint32_t label;
    std::uint32_t subroutine;
    Span span;
  };
  std::vector<LabelUse> uses_;                   ///< of goto, jmp, switchjmp: must stay in their subroutine
  std::vector<Span> first_mention_;              ///< by label
  std::vector<std::uint32_t> label_subroutine_;  ///< by label, where it is defined
  std::uint32_t subroutine_ = 0;
  std::string_view absorb_;  ///< label that a .function just defined
  bool absorb_fresh_ = false;
  std::vector<Span> scope_spans_;
  std::set<std::string_view> undeclared_;                   ///< that were reported in this object
  NameMap<std::uint32_t> strings_;                          ///< Object::strings, index + 1
  std::vector<std::unique_ptr<std::string>> string_store_;  ///< escapes resolved: keys of the maps must stay

  // the statement
  bool quiet_ = false;
  std::uint32_t quiet_problems_ = 0;
  const char* furthest_ = nullptr;
  std::vector<Problem> problems_;
  NameMap<unsigned> remarks_;          ///< how many of each id
  bool understood_ = false;            ///< the error is one of meaning: reading can go on behind the operand
  bool failed_ = false;                ///< the statement has an error
  bool seed_ = false;                  ///< upper-case mnemonic: the seeds' dialect
  bool document_description_ = false;  ///< that, or a mnemonic of the documents in lower case
  const isa::InstructionDescription* attempt_description_ = nullptr;  ///< being read
  isa::PredicateUse predicate_;
  Span predicate_span_;
  isa::Exec exec_;
  bool exec_seen_ = false, saturate_ = false;
  std::vector<isa::Operand> work_;  ///< operands of the instruction being read, by slot
  struct NameUse {
    std::size_t operand;
    std::string text;
    std::string_view view;
    Span span;
    bool own = false;  ///< the name is `text`
  };
  std::vector<NameUse> name_uses_;  ///< labels and strings, numbered once the form is certain

  // dialect detection
  struct Paired {
    std::uint32_t object, instruction;
  };
  std::vector<Paired> paired_;
  bool newer_ = false;        ///< reading in the newer dialect
  bool needs_newer_ = false;  ///< something that only the newer dialect can hold
  std::optional<DialectChoice> other_dialect_;
};

/// Whether a sampler instruction, read in the 12504 form, has what looks like a paired surface before its parameters.
[[nodiscard]] bool looks_paired(const isa::Object& object, const isa::Instruction& instruction,
                                std::optional<isa::Platform> platform);

}  // namespace heddle::text
