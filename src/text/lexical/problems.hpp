// SPDX-License-Identifier: MIT
#pragma once
// How the parser reports: collected for the statement, then handed over; cheap while a form is only tried.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "text/names.hpp"
#include "text/scanner.hpp"

namespace heddle::text {

struct Problem {
  base::Severity severity = base::Severity::Error;
  std::string_view id;
  Span span;
  std::string message;
  std::vector<base::Note> notes;
  bool limit = false;
  bool violation = false;  ///< against a rule, but a program can be made
};

/// A word as messages show it: quoted, shortened.
[[nodiscard]] std::string shown(std::string_view word);

/// While trying one of several forms (a Trial), problems are only counted and the furthest place is kept.
class Problems {
 public:
  /// `file`: the name in messages. `rules_are_errors`: what is against a rule is an error
  /// (ParseOptions::rules_are_errors).
  Problems(Scanner& in, const std::string& file, base::Diagnostics& diagnostics, bool rules_are_errors)
      : in_(in), file_(file), diagnostics_(diagnostics), rules_are_errors_(rules_are_errors) {}

  bool error(std::string_view id, Span span, std::string message);  ///< always false, so that callers can return it
  void warn(std::string_view id, Span span, std::string message);
  void remark(std::string_view id, Span span, std::string message);
  /// What can be encoded but is against a rule that the encoding does not show.
  void violation(std::string_view id, Span span, std::string message);
  void note(std::string message, Span span = {0, 0, 0});  ///< to the latest problem
  bool expected(std::string_view what);                   ///< visa-text-syntax at the next character; false
  void suggest(std::string_view word, const std::vector<std::string_view>& candidates);
  /// The latest problem has another id (and message), or is about a limit.
  void rename(std::string_view id);
  void rename(std::string_view id, std::string message);
  void mark_limit();
  void flush();  ///< to the diagnostics
  /// flush(), when they are many.
  void flush_flood() {
    if (list_.size() > 64) flush();
  }

  [[nodiscard]] bool silent() const { return quiet_ || diagnostics_.full(); }
  [[nodiscard]] bool quiet() const { return quiet_; }
  /// Near names are looked for: not behind the first hundred errors.
  [[nodiscard]] bool suggests() const { return diagnostics_.errors() <= kMaxSuggestions; }
  [[nodiscard]] bool any_reported() const { return diagnostics_.has_errors(); }
  /// No error that keeps a program from being made.
  [[nodiscard]] bool allow_a_program() const { return errors_ == 0 || (rules_are_errors_ && errors_ == violations_); }

  // --- of the statement ---
  [[nodiscard]] std::vector<Problem>& list() { return list_; }
  [[nodiscard]] bool failed() const { return failed_; }  ///< it has an error
  void set_failed(bool failed) { failed_ = failed; }
  /// The error is one of meaning: reading can go on behind the operand.
  [[nodiscard]] bool understood() const { return understood_; }
  void set_understood(bool understood) { understood_ = understood; }
  [[nodiscard]] const char* furthest() const { return furthest_; }
  void forget_furthest() { furthest_ = nullptr; }

  /// As long as it lives, problems are counted only; then all is as before.
  class Trial {
   public:
    explicit Trial(Problems& problems)
        : problems_(problems),
          quiet_(std::exchange(problems.quiet_, true)),
          failed_(problems.failed_),
          counted_(std::exchange(problems.counted_, 0)) {}
    ~Trial() {
      problems_.quiet_ = quiet_;
      problems_.failed_ = failed_;
      problems_.counted_ = counted_;
    }
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;
    [[nodiscard]] bool clean() const { return problems_.counted_ == 0; }

   private:
    Problems& problems_;
    const bool quiet_, failed_;
    const std::uint32_t counted_;
  };

 private:
  [[nodiscard]] base::Place place(Span span) const;
  static constexpr std::size_t kMaxSuggestions = 100;

  Scanner& in_;
  const std::string& file_;
  base::Diagnostics& diagnostics_;
  const bool rules_are_errors_;
  bool quiet_ = false;
  std::uint32_t counted_ = 0;  ///< while quiet
  const char* furthest_ = nullptr;
  std::vector<Problem> list_;
  NameMap<unsigned> remarks_;  ///< how many of each id
  bool understood_ = false, failed_ = false;
  std::uint64_t errors_ = 0, violations_ = 0;  ///< errors reported; those of them that still allow a program
};

}  // namespace heddle::text
