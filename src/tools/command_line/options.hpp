// SPDX-License-Identifier: MIT
#pragma once
// Options that several commands take.

#include <cstdint>
#include <string>

#include "base/limits.hpp"
#include "heddle/program.hpp"

namespace heddle::tools {

enum class OutputFormat : std::uint8_t { Text, Json };

/// Options that every command takes.
struct Common {
  base::Limits limits;
  bool quiet = false;  ///< no warnings, no notes, no summary
};

/// The limits as the library takes them.
[[nodiscard]] heddle::Limits library_limits(const Common& common);

/// `--platform NAME`, `--dialect auto|12504|newer` where a vISA program is read.
struct ProgramOptions {
  std::string platform;  ///< empty: none given
  std::string dialect = "auto";
  bool lenient = false;
};

/// They as the library takes them.
[[nodiscard]] heddle::ProgramOptions library_options(const ProgramOptions& options, const Common& common);

}  // namespace heddle::tools
