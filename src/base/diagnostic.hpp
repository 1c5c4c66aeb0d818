// SPDX-License-Identifier: MIT
#pragma once
// Diagnostics: what every folder reports instead of printing. A tool prints all of them, in clang's style or as JSON
// lines.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::base {

enum class Severity : std::uint8_t { Note, Warning, Error };

/// Process exit codes of every command.
enum class ExitCode : int { Done = 0, WrongInput = 1, Usage = 2, File = 3, Limit = 4, Internal = 70 };

/// Where a diagnostic points. Exactly one of the kinds is meaningful; `file` names the input ("-" = standard input).
struct Place {
  enum class Kind : std::uint8_t { None, File, Text, Binary, Instruction };
  Kind kind = Kind::None;
  std::string file;
  std::uint32_t line = 0;         ///< Text: 1-based line
  std::uint32_t column = 0;       ///< Text: 1-based column in bytes
  std::uint32_t length = 0;       ///< Text: bytes underlined from `column` (0: only a caret); Binary: bytes concerned
  std::uint64_t offset = 0;       ///< Binary: byte offset in the file
  std::uint32_t instruction = 0;  ///< Instruction: index in its kernel
  std::string object;             ///< kernel or function the place belongs to, may be empty

  static Place in_file(std::string file);
  static Place text(std::string file, std::uint32_t line, std::uint32_t column, std::uint32_t length = 0);
  static Place binary(std::string file, std::uint64_t offset, std::uint32_t length = 0);
  static Place at_instruction(std::string file, std::string object, std::uint32_t index);
  static Place command_line(std::string_view flag = {});  ///< `flag`: "--threads", where it is known
  [[nodiscard]] bool on_command_line() const;
};

struct Note {
  std::string message;
  Place place;  ///< may be Kind::None
};

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string id;       ///< stable, for example "visa-sample4-channel"
  std::string message;  ///< one sentence, lower case, no final stop, names the offending thing
  Place place;
  std::vector<Note> notes;  ///< the rule's source, the near-miss name, the other declaration ...
  bool is_limit = false;    ///< a resource limit was hit: exit code 4; the message names the flag

  Diagnostic& note(std::string text) & {
    notes.push_back({std::move(text), {}});
    return *this;
  }
  Diagnostic&& note(std::string text) && {
    notes.push_back({std::move(text), {}});
    return std::move(*this);
  }
};

[[nodiscard]] Diagnostic error(std::string id, std::string message, Place place = {});
[[nodiscard]] Diagnostic warning(std::string id, std::string message, Place place = {});
[[nodiscard]] Diagnostic remark(std::string id, std::string message, Place place = {});  ///< severity Note
[[nodiscard]] Diagnostic limit_error(std::string id, std::string message, Place place = {});

/// A list of diagnostics with a cap, so that hostile input cannot fill memory with messages.
class Diagnostics {
 public:
  static constexpr std::size_t kDefaultCap = 1000;
  explicit Diagnostics(std::size_t cap = kDefaultCap) : cap_(cap) {}

  void add(Diagnostic diagnostic);
  void append(const Diagnostics& other);
  [[nodiscard]] const std::vector<Diagnostic>& all() const { return list_; }
  [[nodiscard]] std::size_t errors() const { return errors_; }      ///< counted beyond the cap too
  [[nodiscard]] std::size_t warnings() const { return warnings_; }  ///< counted beyond the cap too
  [[nodiscard]] bool has_errors() const { return errors_ != 0; }
  [[nodiscard]] bool hit_limit() const { return limit_; }
  [[nodiscard]] bool full() const { return list_.size() >= cap_; }
  [[nodiscard]] std::size_t suppressed() const { return suppressed_; }
  [[nodiscard]] bool empty() const { return list_.empty() && suppressed_ == 0; }
  /// Done, WrongInput or Limit.
  [[nodiscard]] ExitCode exit_code() const;

 private:
  std::vector<Diagnostic> list_;
  std::size_t cap_;
  std::size_t errors_ = 0, warnings_ = 0, suppressed_ = 0;
  bool limit_ = false;
};

/// Returns the text of a file named in a Place (for the source line under a message), or an empty view.
using SourceLookup = std::function<std::string_view(const std::string& file)>;

/// clang's style: `file:line:col: error: message [id]`, the source line, carets, then notes. Ends with a newline.
[[nodiscard]] std::string render(const Diagnostic& diagnostic, const SourceLookup& source, bool color);
[[nodiscard]] std::string render(const Diagnostics& diagnostics, const SourceLookup& source, bool color);
/// One JSON object, no newline. Members: severity, id, message, file, line, column, length, offset, instruction,
/// object, notes (those that apply).
[[nodiscard]] std::string render_json(const Diagnostic& diagnostic);
[[nodiscard]] std::string json_quote(
    std::string_view text);  ///< a JSON string with quotes; invalid UTF-8 becomes U+FFFD

/// Nearest candidate by edit distance, or empty when none is near enough to be meant ("did you mean").
[[nodiscard]] std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace heddle::base
