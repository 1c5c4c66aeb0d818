// SPDX-License-Identifier: MIT
#include "spirv/compile/module/annotations.hpp"

#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp11>

namespace heddle::spirv::compiler {

using Spv = spv::Op;

Annotations::Annotations(const Module& module) : module_(module) {
  for (const Instruction& i : module.instructions) {
    const auto op = static_cast<Spv>(i.opcode);
    if (op == Spv::OpDecorate && i.operands.size() >= 2)
      decorations_[i.operands[0]].push_back({i.operands[1], i.operands.subspan(2)});
    else if (op == Spv::OpMemberDecorate && i.operands.size() >= 3)
      member_decorations_[{i.operands[0], i.operands[1]}].push_back({i.operands[2], i.operands.subspan(3)});
    else if (op == Spv::OpMemberName && i.operands.size() >= 3)
      member_names_[{i.operands[0], i.operands[1]}] = Module::string_at(i.operands, 2);
    else if (op == Spv::OpFunction)
      break;
  }
  apply_groups();
}

/// What a decoration group has, its targets have.
void Annotations::apply_groups() {
  for (const Instruction& i : module_.instructions) {
    const auto op = static_cast<Spv>(i.opcode);
    if (op == Spv::OpFunction) break;
    if (i.operands.empty()) continue;
    const auto group = decorations_.find(i.operands[0]);
    if (group == decorations_.end()) continue;
    const std::vector<Decoration> list = group->second;
    if (op == Spv::OpGroupDecorate)
      for (std::size_t k = 1; k < i.operands.size(); ++k)
        decorations_[i.operands[k]].insert(decorations_[i.operands[k]].end(), list.begin(), list.end());
    else if (op == Spv::OpGroupMemberDecorate)
      for (std::size_t k = 1; k + 1 < i.operands.size(); k += 2) {
        std::vector<Decoration>& to = member_decorations_[{i.operands[k], i.operands[k + 1]}];
        to.insert(to.end(), list.begin(), list.end());
      }
  }
}

std::optional<Annotations::Operands> Annotations::decoration(std::uint32_t id, std::uint32_t kind) const {
  if (const auto found = decorations_.find(id); found != decorations_.end())
    for (const Decoration& d : found->second)
      if (d.kind == kind) return d.operands;
  return std::nullopt;
}

std::optional<Annotations::Operands> Annotations::member_decoration(std::uint32_t type, std::uint32_t member,
                                                                    std::uint32_t kind) const {
  if (const auto found = member_decorations_.find({type, member}); found != member_decorations_.end())
    for (const Decoration& d : found->second)
      if (d.kind == kind) return d.operands;
  return std::nullopt;
}

std::string Annotations::name_of(std::uint32_t id, std::string_view otherwise) const {
  const auto found = module_.names.find(id);
  return found == module_.names.end() || found->second.empty() ? std::string(otherwise) : found->second;
}

std::string Annotations::member_name(std::uint32_t type, std::uint32_t member) const {
  const auto found = member_names_.find({type, member});
  return found == member_names_.end() ? fmt::format("m{}", member) : found->second;
}

}  // namespace heddle::spirv::compiler
