// SPDX-License-Identifier: MIT
// Names of SPIR-V's operations and enumerants, from the headers' lists (made at configuration: the headers of Debian 12
// have no name table).
#include "spirv/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "spirv/module.hpp"
#include "spirv/newer_opcodes.hpp"

namespace heddle::spirv {
namespace {

struct Name {
  std::uint32_t value;
  std::string_view text;
};
#include "spirv_names.inc"

/// Several names may have one number; the first is the one without a vendor's suffix.
std::string_view find(std::span<const Name> names, std::uint32_t value) {
  const auto found = std::ranges::find(names, value, &Name::value);
  return found == names.end() ? std::string_view() : found->text;
}

std::string name_or_number(std::span<const Name> names, std::uint32_t value) {
  const std::string_view name = find(names, value);
  return name.empty() ? fmt::format("number {}", value) : std::string(name);
}

}  // namespace

std::string opcode_name(std::uint16_t opcode) {
  if (opcode == kExtInstWithForwardRefs) return "OpExtInstWithForwardRefsKHR";
  if (opcode == kGroupNonUniformQuadAll) return "OpGroupNonUniformQuadAllKHR";
  if (opcode == kGroupNonUniformQuadAny) return "OpGroupNonUniformQuadAnyKHR";
  if (opcode == kConstantReplicate) return "OpConstantCompositeReplicateEXT";
  if (opcode == kSpecConstantReplicate) return "OpSpecConstantCompositeReplicateEXT";
  if (opcode == kConstructReplicate) return "OpCompositeConstructReplicateEXT";
  switch (opcode) {
    case kFma:
      return "OpFmaKHR";
    case kTypeCooperativeMatrix:
      return "OpTypeCooperativeMatrixKHR";
    case kCooperativeMatrixLoad:
      return "OpCooperativeMatrixLoadKHR";
    case kCooperativeMatrixStore:
      return "OpCooperativeMatrixStoreKHR";
    case kCooperativeMatrixMulAdd:
      return "OpCooperativeMatrixMulAddKHR";
    case kCooperativeMatrixLength:
      return "OpCooperativeMatrixLengthKHR";
    default:
      break;
  }
  const std::string_view name = find(kOpNames, opcode);
  return name.empty() ? fmt::format("Op{}", opcode) : std::string(name);
}

std::string built_in_name(std::uint32_t value) { return name_or_number(kBuiltInNames, value); }
std::string capability_name(std::uint32_t value) { return name_or_number(kCapabilityNames, value); }
std::string execution_model_name(std::uint32_t value) { return name_or_number(kExecutionModelNames, value); }
std::string storage_class_name(std::uint32_t value) { return name_or_number(kStorageClassNames, value); }
std::string glsl_instruction_name(std::uint32_t value) { return name_or_number(kGlslNames, value); }

std::string image_operand_names(std::uint32_t mask) {
  std::string text;
  for (unsigned bit = 0; bit < 32; ++bit)
    if ((mask >> bit & 1u) != 0) text += (text.empty() ? "" : "|") + name_or_number(kImageOperandsShiftNames, bit);
  return text;
}

}  // namespace heddle::spirv
