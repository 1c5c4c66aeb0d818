// SPDX-License-Identifier: MIT
#pragma once
// Results, diagnostics and limits: how every function of the library answers. The library never prints, never exits,
// throws on no input, and keeps no state of its own between calls.

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle {

enum class Severity : std::uint8_t { Note, Warning, Error };

/// Where a diagnostic points. Members that do not apply are empty.
struct Place {
  std::string file;                          ///< name of the input, as it was given
  std::uint32_t line = 0;                    ///< of a text, from 1; 0: none
  std::uint32_t column = 0;                  ///< in bytes, from 1
  std::uint32_t length = 0;                  ///< bytes concerned from `column` or `offset`; 0: one place
  std::optional<std::uint64_t> offset;       ///< byte of a binary file
  std::optional<std::uint32_t> instruction;  ///< index in the kernel
  std::string object;                        ///< kernel or function
};

/// More about a diagnostic: the rule's source, the word that was probably meant.
struct Note {
  std::string message;
  Place place;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string id;       ///< stable: a rule ("GA-4") or a kind ("visa-text-operand"); `heddle explain ID` tells more
  std::string message;  ///< one sentence that names the thing and the value
  Place place;
  std::vector<Note> notes;
  bool is_limit = false;  ///< a member of `Limits` was reached
};

/// A text that places point into.
struct SourceText {
  std::string file;  ///< as Place::file has it
  std::shared_ptr<const std::string> text;
};

/// What was found, in the order of its places.
struct Diagnostics : std::vector<Diagnostic> {
  using std::vector<Diagnostic>::vector;
  /// More were found than Limits::diagnostics keeps: how many are missing, how many of those are errors and warnings.
  std::uint64_t suppressed = 0, suppressed_errors = 0, suppressed_warnings = 0;
  bool suppressed_limit = false;    ///< one of those has `is_limit`
  std::vector<SourceText> sources;  ///< of what was read from a file; to_text() shows their lines
};

/// True when one of them is an error, or one of those that are missing.
[[nodiscard]] bool has_errors(const Diagnostics& diagnostics);
/// True when one of them, or of those that are missing, reached a limit.
[[nodiscard]] bool reached_limit(const Diagnostics& diagnostics);
/// For people: `file:line:column: error: message [id]`, the line of `source` with a mark under it where `source` (the
/// text of the file) is given, then the notes. Ends with a newline. `color`: with the terminal's escape sequences.
[[nodiscard]] std::string to_text(const Diagnostic& diagnostic, std::string_view source = {}, bool color = false);
/// All of them, one after the other. `source` stands for the file of any place that `sources` lacks.
[[nodiscard]] std::string to_text(const Diagnostics& diagnostics, std::string_view source = {}, bool color = false);
/// One JSON object without a newline: severity, id, message, and those of file, line, column, length, offset,
/// instruction, object and notes that apply.
[[nodiscard]] std::string to_json(const Diagnostic& diagnostic);

/// What an action without a value returns.
struct Done {};

/// A value, or the diagnostics that say why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                               // NOLINT: a value is a result
  Result(Diagnostics problems) : diagnostics_(std::move(problems)) {}         // NOLINT
  Result(Diagnostic problem) { diagnostics_.push_back(std::move(problem)); }  // NOLINT

  [[nodiscard]] bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  /// The value. Only where ok().
  T& operator*() & { return assert(ok()), *value_; }
  const T& operator*() const& { return assert(ok()), *value_; }
  T&& operator*() && { return assert(ok()), *std::move(value_); }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }
  /// Why there is no value. Empty where ok().
  [[nodiscard]] const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  std::optional<T> value_;
  Diagnostics diagnostics_;
};

/// How much a call may read, allocate and execute. What reaches a limit fails with `Diagnostic::is_limit`.
struct Limits {
  std::uint64_t input_bytes = std::uint64_t{1} << 31;    ///< of one input file
  std::uint64_t instructions = 20'000'000;               ///< of one program file
  std::uint64_t variables = 1'000'000;                   ///< declared by one kernel or function
  std::uint64_t surface_bytes = std::uint64_t{1} << 31;  ///< of one image
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;   ///< of all images and buffers of a run, and of its threads
  std::uint64_t steps =
      std::uint64_t{1} << 62;        ///< instructions executed by one run; from 2^62 on only the time counts
  double seconds = 600;              ///< of one run; compiling does not count
  std::uint64_t nesting = 256;       ///< depth of nested expressions and scopes
  std::uint64_t diagnostics = 1000;  ///< messages kept
};

}  // namespace heddle
