// SPDX-License-Identifier: MIT
#pragma once
// Checking a SPIR-V module: SPIRV-Tools' validator first, then the rules of SPV_NV_shader_image_footprint that no other
// tool checks.

#include <span>
#include <string_view>

#include "base/diagnostic.hpp"
#include "spirv/module.hpp"

namespace heddle::spirv {

/// Memory layouts that Vulkan's features allow and a module cannot ask for.
struct LayoutRules {
  bool scalar = false;            ///< scalarBlockLayout: members at multiples of their scalars' size
  bool relaxed = false;           ///< vectors at multiples of their scalars' size (always so from Vulkan 1.1 on)
  bool uniform_standard = false;  ///< uniformBufferStandardLayout: uniform blocks laid out as storage blocks
  bool workgroup_scalar = false;  ///< workgroupMemoryExplicitLayoutScalarBlockLayout: blocks of Workgroup memory
};

struct ValidateOptions {
  std::string_view target_env = "vulkan1.3";
  bool lenient = false;  ///< accept what producers are known to write (R18, R19, R22 in compute, R24), with a warning
                         ///< that says what is assumed
  LayoutRules layout;
};

/// Everything below; all findings.
void validate(const Module& module, const ValidateOptions& options, base::Diagnostics& diagnostics);

/// SPIRV-Tools' own findings, id spirv-val. It stops at its first error. What it finds in debug information alone is a
/// warning: newer tools write words there that it does not know. Its known wrong rejections are worked around:
/// it is shown a copy of the module in which capability Shader is declared where ImageFootprintNV implies it (R3), and
/// footprint instructions take a sampled image that is not the result of OpSampledImage (R23: 2023.1 does not know the
/// instruction as a consumer).
void run_validator(const Module& module, const ValidateOptions& options, base::Diagnostics& diagnostics);

/// R1 to R25 but R3 and R11, which make nothing invalid.
void check_footprint_rules(const Module& module, const ValidateOptions& options, base::Diagnostics& diagnostics);

/// The catalog of the footprint rules, for `explain`.
struct FootprintRule {
  std::string_view rule;  ///< "R18"
  std::string_view id;    ///< "spirv-footprint-coarse"
  std::string_view requirement;
  std::string_view source;
};
[[nodiscard]] std::span<const FootprintRule> footprint_rules();
/// The same as a section of docs/rules/checks.md.
[[nodiscard]] std::string footprint_rules_markdown();

}  // namespace heddle::spirv
