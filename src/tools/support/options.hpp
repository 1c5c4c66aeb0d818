#pragma once
// Options that several commands take.

#include <cstdint>
#include <string>

#include "base/limits.hpp"

namespace heddle::tools {

enum class OutputFormat : std::uint8_t { Text, Json };

/// Options that every command takes.
struct Common {
  base::Limits limits;
  bool quiet = false;  ///< no warnings, no notes, no summary
};

/// `--platform NAME`, `--dialect auto|12504|newer` where a vISA program is read.
struct ProgramOptions {
  std::string platform;  ///< empty: none given
  std::string dialect = "auto";
  bool lenient = false;
};

}  // namespace heddle::tools
