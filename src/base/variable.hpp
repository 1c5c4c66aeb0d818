// SPDX-License-Identifier: MIT
#pragma once
// The environment variables that this program, its library and its driver read, as plain texts. Files and caches ask
// here; the table of all variables and the values with a type are in environment/.

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::base {

/// What this program, its library and its driver read.
enum class Variable : std::uint8_t {
  Check,
  CheckFormat,
  CheckMark,
  Trace,
  TimeLimit,
  DeviceMemory,
  Capture,
  Golden,
  FramePlan,
  Vectors,
  Texels,
  TexelsBy,
  Interpret,
  CacheFolder,
  UserCaches,
  Home,
  NoColor,
  ForceColor,
  MesaDriver,
  Conformance,
};

/// As it is set; nothing where it is not, an empty text where it is set to nothing.
[[nodiscard]] std::optional<std::string> read_text_variable(Variable variable);

}  // namespace heddle::base
