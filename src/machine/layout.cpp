// SPDX-License-Identifier: MIT
#include "machine/layout.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace heddle::machine {
namespace {

/// Predefined variables that are fields of r0: index, byte offset.
struct Field {
  std::uint32_t variable, offset;
};
constexpr std::array<Field, 5> kFieldsOfR0 = {{{predefined::kThreadX, 4},
                                               {predefined::kThreadY, 6},
                                               {predefined::kGroupIdX, 4},
                                               {predefined::kGroupIdY, 24},
                                               {predefined::kGroupIdZ, 28}}};

}  // namespace

base::Result<Layout> Layout::make(const isa::Program& program, const isa::Object& object, unsigned grf_bytes,
                                  const base::Limits& limits) {
  Layout layout;
  layout.grf_bytes_ = grf_bytes;
  const std::uint32_t declared = static_cast<std::uint32_t>(object.variables.size());
  layout.predefined_.resize(isa::kPredefinedVariables);
  layout.declared_.resize(declared);

  std::vector<bool> address_taken(isa::kFirstVariable + declared, false);
  for (const isa::Operand& operand : object.operands) {
    if (operand.kind != isa::OperandKind::AddressOf) continue;
    if (const auto info = isa::variable_info(object, operand.id, grf_bytes)) address_taken[info->root] = true;
  }

  std::uint64_t at = 0;
  std::uint64_t addressable = 0;
  const auto place_root = [&](std::uint32_t variable) {
    const auto info = isa::variable_info(object, variable, grf_bytes);
    std::uint32_t bytes = info->bytes;
    if (variable == predefined::kR0) bytes = grf_bytes;  // the whole register
    VariablePlacement place{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at),
                            static_cast<std::uint32_t>(at) + bytes, variable, info->type};
    (variable < isa::kPredefinedVariables ? layout.predefined_[variable]
                                          : layout.declared_[variable - isa::kFirstVariable]) = place;
    layout.roots_.push_back(place);
    at += (static_cast<std::uint64_t>(bytes) + grf_bytes - 1) / grf_bytes * grf_bytes;
  };
  for (const bool taken : {true, false}) {
    const auto place_if = [&](std::uint32_t v) -> bool {
      if (address_taken[v] == taken) place_root(v);
      return at <= limits.memory_bytes && at <= 0x7fffffffu;
    };
    bool fits = true;
    for (std::uint32_t v = 0; v < isa::kPredefinedVariables && fits; ++v) {
      if (std::ranges::none_of(kFieldsOfR0, [&](const Field& f) { return f.variable == v; })) fits = place_if(v);
    }
    for (std::uint32_t v = 0; v < declared && fits; ++v)
      if (object.variables[v].alias == 0) fits = place_if(isa::kFirstVariable + v);
    if (!fits)
      return base::limit_error("limit-memory",
                               fmt::format("the variables of '{}' need at least {} bytes for a thread, more than the "
                                           "run may use ({} bytes; --max-memory)",
                                           object.name, at, std::min<std::uint64_t>(limits.memory_bytes, 0x7fffffffu)),
                               isa::place_of(program, object.position));
    if (taken) addressable = at;
  }
  if (addressable > 0x10000)
    return base::error("run-address-range",
                       fmt::format("variables of '{}' whose address is taken need {} bytes; addresses have 16 bits",
                                   object.name, addressable),
                       isa::place_of(program, object.position));
  layout.bytes_ = static_cast<std::uint32_t>(at);

  const VariablePlacement r0 = layout.predefined_[predefined::kR0];
  for (const Field& f : kFieldsOfR0) {
    const isa::Type type = isa::predefined_variables()[f.variable].type;
    layout.predefined_[f.variable] = {r0.begin + f.offset, r0.begin + f.offset,
                                      r0.begin + f.offset + isa::type_bytes(type), predefined::kR0, type};
  }
  for (std::uint32_t v = 0; v < declared; ++v) {
    if (object.variables[v].alias == 0) continue;
    const auto info = isa::variable_info(object, isa::kFirstVariable + v, grf_bytes);
    if (!info)
      return base::error("visa-alias-target", fmt::format("alias '{}' has no root", object.variables[v].name),
                         isa::place_of(program, object.variables[v].position));
    const VariablePlacement* root = layout.place(info->root);
    layout.declared_[v] = {root->root_begin + info->root_offset, root->root_begin, root->root_end, info->root,
                           info->type};
  }
  return layout;
}

const VariablePlacement* Layout::place(std::uint32_t variable) const {
  if (variable < predefined_.size()) return &predefined_[variable];
  if (variable < isa::kFirstVariable || variable - isa::kFirstVariable >= declared_.size()) return nullptr;
  return &declared_[variable - isa::kFirstVariable];
}

const VariablePlacement* Layout::root_at(std::uint32_t at) const {
  const auto next = std::ranges::upper_bound(roots_, at, {}, &VariablePlacement::root_begin);
  if (next == roots_.begin()) return nullptr;
  const VariablePlacement& root = *std::prev(next);
  return at < root.root_end ? &root : nullptr;
}

}  // namespace heddle::machine
