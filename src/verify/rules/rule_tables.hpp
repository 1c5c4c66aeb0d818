// SPDX-License-Identifier: MIT
#pragma once
// The tables behind rules.hpp, one file for each area.

#include "verify/rules/rules.hpp"

namespace heddle::verify {

std::span<const Rule> text_rules();
std::span<const Rule> container_rules();
std::span<const Rule> declaration_rules();
std::span<const Rule> instruction_rules();
std::span<const Rule> image_rules();
std::span<const Rule> message_rules();

inline constexpr auto kError = base::Severity::Error;
inline constexpr auto kWarning = base::Severity::Warning;
inline constexpr auto kNote = base::Severity::Note;

// Sources. "Intel's tool" is GenX_IR of intel-graphics-compiler 1.0.12504. What a source claims of it is run against it
// (tests/peers/rules/claims_test.cpp): "checks it" and "lets it pass" by the examples, other words by lines of that
// test.
inline constexpr std::string_view kTool = "Intel's tool (GenX_IR 1.0.12504) checks it";
inline constexpr std::string_view kHeddle = "Heddle's choice: Intel's tool lets it pass";
inline constexpr std::string_view kOwn = "Heddle's choice";
inline constexpr std::string_view kHeader = "IGC documentation/visa/4_visa_header.md";
inline constexpr std::string_view kOperands = "IGC documentation/visa/5_operands.md";
inline constexpr std::string_view kExecution = "IGC documentation/visa/3_execution_model.md";
inline constexpr std::string_view kInstructions = "IGC documentation/visa/6_instructions.md and the instruction's page";
inline constexpr std::string_view kPage = "the instruction's page in IGC documentation/visa/instructions";
inline constexpr std::string_view kByPlatform =
    "IGC documentation/visa/appendix_instruction_by_platform.md; IGC's instruction table";
inline constexpr std::string_view kReader = "IGC visa/Common_ISA.h and its binary reader";

}  // namespace heddle::verify
