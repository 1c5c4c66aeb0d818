// SPDX-License-Identifier: MIT
#include "layer/rewriter/module.hpp"

#define SPV_ENABLE_UTILITY_CODE
#include <spirv/unified1/spirv.hpp>

#include <algorithm>

namespace heddle::layer {
namespace {

constexpr std::size_t kHeader = 5;

/// Calls `visit` with the words of each instruction; false where they do not fill the module, or `visit` says so.
template <typename F>
bool walk(std::span<const std::uint32_t> words, const F& visit) {
  if (words.size() < kHeader || words[0] != spv::MagicNumber) return false;
  for (std::size_t at = kHeader; at < words.size();) {
    const std::size_t count = words[at] >> 16;
    if (count == 0 || count > words.size() - at || !visit(words.subspan(at, count))) return false;
    at += count;
  }
  return true;
}

/// What stands before the types.
bool is_preamble(std::uint16_t opcode) {
  switch (opcode) {
    case spv::OpCapability:
    case spv::OpExtension:
    case spv::OpExtInstImport:
    case spv::OpMemoryModel:
    case spv::OpEntryPoint:
    case spv::OpExecutionMode:
    case spv::OpExecutionModeId:
    case spv::OpString:
    case spv::OpSource:
    case spv::OpSourceContinued:
    case spv::OpSourceExtension:
    case spv::OpName:
    case spv::OpMemberName:
    case spv::OpModuleProcessed:
    case spv::OpDecorate:
    case spv::OpMemberDecorate:
    case spv::OpDecorationGroup:
    case spv::OpGroupDecorate:
    case spv::OpGroupMemberDecorate:
    case spv::OpDecorateId:
    case spv::OpDecorateString:
    case spv::OpMemberDecorateString:
      return true;
    default:
      return false;
  }
}

Instruction read_instruction(std::span<const std::uint32_t> words) {
  Instruction i;
  i.words = words;
  bool has_result = false, has_type = false;
  spv::HasResultAndType(static_cast<spv::Op>(i.opcode()), &has_result, &has_type);
  if (has_type) i.type = i.word(1);
  if (has_result) i.result = i.word(has_type ? 2 : 1);
  return i;
}

}  // namespace

bool has_footprints(std::span<const std::uint32_t> words) {
  bool found = false;
  const bool whole = walk(words, [&](std::span<const std::uint32_t> i) {
    found |= (i[0] & 0xffffu) == spv::OpImageSampleFootprintNV;
    return true;
  });
  return whole && found;
}

std::optional<Module> Module::read(std::span<const std::uint32_t> words) {
  Module m;
  const bool whole = walk(words, [&](std::span<const std::uint32_t> one) {
    const Instruction i = read_instruction(one);
    if (i.result != 0) m.definitions_.emplace(i.result, m.instructions_.size());
    if (i.opcode() == spv::OpDecorate && one.size() >= 3) m.decorations_[{one[1], one[2]}] = i.word(3);
    m.instructions_.push_back(i);
    return true;
  });
  if (!whole) return std::nullopt;
  m.header_ = words.first(kHeader);
  const auto first =
      std::ranges::find_if(m.instructions_, [](const Instruction& i) { return !is_preamble(i.opcode()); });
  const auto function =
      std::ranges::find_if(m.instructions_, [](const Instruction& i) { return i.opcode() == spv::OpFunction; });
  m.types_ = static_cast<std::size_t>(first - m.instructions_.begin());
  m.functions_ = static_cast<std::size_t>(function - m.instructions_.begin());
  return m;
}

const Instruction* Module::definition(std::uint32_t id) const {
  const auto found = definitions_.find(id);
  return found == definitions_.end() ? nullptr : &instructions_[found->second];
}

std::uint32_t Module::type_of(std::uint32_t id) const {
  const Instruction* i = definition(id);
  return i == nullptr ? 0 : i->type;
}

std::optional<std::uint32_t> Module::decoration(std::uint32_t id, std::uint32_t which) const {
  const auto found = decorations_.find({id, which});
  if (found == decorations_.end()) return std::nullopt;
  return found->second;
}

bool Module::has_capability(std::uint32_t capability) const {
  return std::ranges::any_of(std::span(instructions_).first(types_), [&](const Instruction& i) {
    return i.opcode() == spv::OpCapability && i.word(1) == capability;
  });
}

}  // namespace heddle::layer
