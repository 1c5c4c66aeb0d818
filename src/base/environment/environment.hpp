// SPDX-License-Identifier: MIT
#pragma once
// The environment: one table of all variables, and the one place that reads them. docs/environment.md and the manual
// pages are written from the table.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/variable.hpp"

namespace heddle::base {

/// Exit code of a process with findings (HEDDLE_CHECK=error), and of heddle vulkan --check error. Other ends have an
/// ExitCode.
inline constexpr int kFindingsExitCode = 5;

/// How a value is written.
enum class VariableType : std::uint8_t {
  Word,        ///< one of `words`
  Bytes,       ///< a size with a unit: parse_size
  Seconds,     ///< a time with a unit: parse_seconds
  Invocation,  ///< "X,Y,Z", "X,Y" or "X"
  Plan,        ///< frames: frame_plan.hpp
  Folder,      ///< a folder that is written to, and made where it is not there
  Cache,       ///< the same; it need not be writable
  File,        ///< a file that is written to
  Text,        ///< another path, or whether it is set at all
};

/// Who reads a variable: the headings of the page.
enum class VariableReader : std::uint8_t { Driver, Everything, Program, Python, Development, Layer };

struct EnvironmentVariable {
  std::string_view name;
  VariableReader reader = VariableReader::Development;
  VariableType type = VariableType::Text;
  std::string_view takes = {};     ///< Word: the words, with blanks between; else what may be written, in words
  std::string_view standard = {};  ///< what holds where it is not set
  std::string_view meaning = {};
  std::string_view otherwise = {};  ///< Word: what another word is taken for
  double least = 0, most = 0x1p63;  ///< Bytes, Seconds
  std::string_view former = {};     ///< the name that it had before, which is told and not read
};

/// All that anything of the repository reads: first those of `Variable`, in its order.
[[nodiscard]] std::span<const EnvironmentVariable> environment_variables();
[[nodiscard]] const EnvironmentVariable& environment_variable(Variable variable);

/// What it takes, in words: "off, warn or error".
[[nodiscard]] std::string takes_text(const EnvironmentVariable& row);

/// What a variable says. Where it is not set, or set to nothing, there is no value. With a `problem` the value is what
/// the text comes nearest to, or none: then the standard holds.
template <typename T>
struct Reading {
  std::optional<T> value;
  std::optional<Diagnostic> problem;  ///< environment-value, a warning: what is wrong, what is taken, what it takes
};

/// What another text is taken for: another case and typing errors for the word; 0, no, false and none for the first
/// word; anything else (1, on, yes, true) for `otherwise`.
[[nodiscard]] Reading<std::string_view> read_word_variable(Variable variable);
[[nodiscard]] Reading<std::uint64_t> read_bytes_variable(Variable variable);
[[nodiscard]] Reading<double> read_seconds_variable(Variable variable);
[[nodiscard]] Reading<std::array<std::uint32_t, 3>> read_invocation_variable(Variable variable);

/// environment-value: the text is none that the variable takes; `why` says what is wrong with it. Nothing is written
/// to a place that cannot be; of other variables it is as if they were not set.
[[nodiscard]] Diagnostic value_problem(const EnvironmentVariable& row, std::string_view text, std::string_view why);

/// What is wrong with the values of all variables with this reader, and with names that look like a mistyped one or
/// are a former one (environment-name).
[[nodiscard]] std::vector<Diagnostic> environment_problems(VariableReader reader);

/// docs/environment.md.
[[nodiscard]] std::string environment_page();

}  // namespace heddle::base
