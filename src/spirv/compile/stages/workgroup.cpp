// SPDX-License-Identifier: MIT
// Rules: SPV-22, SPV-32.
#include "spirv/compile/stages/workgroup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "spirv/names.hpp"

namespace heddle::spirv::compiler {

void Workgroup::begin(ShaderContext& t) {
  find_local_size(t);
  const std::uint32_t ids = 3 * std::max(t.b.grf(), t.b.simd() * 2), header = t.b.grf() + ids;
  t.inputs.begin_at(header + t.b.grf());
}

void Workgroup::find_local_size(ShaderContext& t) {
  for (const spv::ExecutionMode mode : {spv::ExecutionMode::LocalSize, spv::ExecutionMode::LocalSizeId})
    if (const auto found = t.entry.modes.find(static_cast<std::uint32_t>(mode));
        found != t.entry.modes.end() && found->second.size() >= 3)
      for (int k = 0; k < 3; ++k) local_[k] = found->second[k];
  // A constant that is decorated WorkgroupSize wins.
  for (const Instruction& i : t.module.instructions) {
    if (static_cast<spv::Op>(i.opcode) == spv::Op::OpFunction) break;
    if (i.result == 0) continue;
    const auto built_in = t.annotations.decoration(i.result, static_cast<std::uint32_t>(spv::Decoration::BuiltIn));
    if (!built_in || built_in->empty() || (*built_in)[0] != static_cast<std::uint32_t>(spv::BuiltIn::WorkgroupSize))
      continue;
    for (unsigned k = 0; k < 3 && k < t.values.of(i.result).parts.size(); ++k)
      local_[k] = static_cast<std::uint32_t>(t.values.part(i.result, k).bits);
  }
  const std::uint64_t size = std::uint64_t{local_[0]} * local_[1] * local_[2];
  if (size == 0 || size > 4096 || local_[0] > 4096 || local_[1] > 4096 || local_[2] > 4096)
    t.refuse(fmt::format("a workgroup of {} x {} x {} invocations", local_[0], local_[1], local_[2]));
  quads_ = t.entry.has_mode(static_cast<std::uint32_t>(spv::ExecutionMode::DerivativeGroupQuadsNV));
  if (quads_ && (local_[0] % 2 != 0 || local_[1] % 2 != 0))
    t.refuse("derivative groups of quads need an even local size in x and y");
  if (t.entry.has_mode(static_cast<std::uint32_t>(spv::ExecutionMode::DerivativeGroupLinearNV)) && size % 4 != 0)
    t.refuse("linear derivative groups need a local size that is a multiple of 4");
}

/// Ids as the hardware gives them, widened to ud; with derivative quads, four lanes in a row are made a 2 x 2 quad.
Part Workgroup::local_id(ShaderContext& t, unsigned axis) {
  if (ids_[axis].kind == Part::Kind::Variable) return ids_[axis];
  static constexpr std::string_view kAxes[] = {"local_x", "local_y", "local_z"};
  const unsigned bytes = std::max(t.b.grf(), t.b.simd() * 2);
  const auto raw = [&](unsigned k) {
    if (raw_[k].kind == Part::Kind::Variable) return raw_[k];
    raw_[k] = t.b.array(isa::Type::UW, fmt::format("{}_uw", kAxes[k]), bytes / 2);
    t.b.input(raw_[k], t.b.grf() + k * bytes, bytes);
    raw_[k].stride = 1;
    return raw_[k];
  };
  if (!quads_ || axis == 2) {
    const Part from = raw(axis);
    t.b.at_start([&] { ids_[axis] = t.b.convert(from, isa::Type::UD, kAxes[axis]); });
    return ids_[axis];
  }
  const Part x = raw(0), y = raw(1);
  t.b.at_start([&] {
    // n = x + lx * y within a slice; quad n / 4 of rows of lx / 2 quads; x = 2 (quad mod (lx / 2)) + (n & 1), y
    // alike.
    const Part wide_x = t.b.convert(x, isa::Type::UD, "row_x"), wide_y = t.b.convert(y, isa::Type::UD, "row_y");
    const Part rows = t.b.make("mul", isa::Type::UD, {wide_y, ud(local_[0])}, "index");
    const Part n = t.b.make("add", isa::Type::UD, {rows, wide_x}, "index");
    const Part quad = t.b.make("shr", isa::Type::UD, {n, ud(2)}, "quad");
    const Part quad_y = t.b.make("div", isa::Type::UD, {quad, ud(local_[0] / 2)}, "quad_y");
    const Part quad_x = t.b.make("mod", isa::Type::UD, {quad, ud(local_[0] / 2)}, "quad_x");
    const Part odd_x = t.b.make("and", isa::Type::UD, {n, ud(1)}, "odd_x");
    const Part half = t.b.make("shr", isa::Type::UD, {n, ud(1)}, "half");
    const Part odd_y = t.b.make("and", isa::Type::UD, {half, ud(1)}, "odd_y");
    const Part even_x = t.b.make("shl", isa::Type::UD, {quad_x, ud(1)}, "even_x");
    const Part even_y = t.b.make("shl", isa::Type::UD, {quad_y, ud(1)}, "even_y");
    ids_[0] = t.b.make("add", isa::Type::UD, {even_x, odd_x}, kAxes[0]);
    ids_[1] = t.b.make("add", isa::Type::UD, {even_y, odd_y}, kAxes[1]);
  });
  return ids_[axis];
}

Part Workgroup::payload_number(ShaderContext& t, unsigned axis) {
  static constexpr unsigned kDword[] = {1, 6, 7};
  if (groups_[axis].kind != Part::Kind::Variable) {
    groups_[axis] = t.b.array(isa::Type::UD, fmt::format("group_{}", "xyz"[axis]), 1);
    t.b.at_start([&] {
      t.b.instruction("mov", kOneLane, {t.b.destination(groups_[axis], kOneLane), thread_payload(kDword[axis])},
                      every_lane());
    });
  }
  return groups_[axis];
}

Part Workgroup::linear_index(ShaderContext& t) {
  if (linear_.kind == Part::Kind::Variable) return linear_;
  const Part x = local_id(t, 0), y = local_id(t, 1), z = local_id(t, 2);
  t.b.at_start([&] {
    const Part slices = t.b.make("mul", isa::Type::UD, {z, ud(local_[1])}, "index");
    const Part rows = t.b.make("add", isa::Type::UD, {slices, y}, "index");
    const Part scaled = t.b.make("mul", isa::Type::UD, {rows, ud(local_[0])}, "index");
    linear_ = t.b.make("add", isa::Type::UD, {scaled, x}, "local_index");
  });
  return linear_;
}

std::vector<Part> Workgroup::builtin(ShaderContext& t, const InterfaceVariable& v) {
  std::vector<Part> list;
  const std::uint32_t read = components_read(t, v.variable);
  const auto unread = [&](unsigned k) {
    if ((read >> k & 1u) != 0) return false;
    list.push_back(ud(0));
    return true;
  };
  switch (static_cast<spv::BuiltIn>(*v.builtin)) {
    case spv::BuiltIn::LocalInvocationId:
      for (unsigned k = 0; k < 3; ++k)
        if (!unread(k)) list.push_back(local_id(t, k));
      return list;
    case spv::BuiltIn::WorkgroupId:
      for (unsigned k = 0; k < 3; ++k)
        if (!unread(k)) list.push_back(group_number(t, k));
      return list;
    case spv::BuiltIn::GlobalInvocationId:
      for (unsigned k = 0; k < 3; ++k) {
        if (unread(k)) continue;
        const Part group = group_number(t, k), local = local_id(t, k);
        t.b.at_start([&] {
          const Part base = t.b.make("mul", isa::Type::UD, {group, ud(local_[k])}, "base");
          list.push_back(t.b.make("add", isa::Type::UD, {base, local}, fmt::format("global_{}", "xyz"[k])));
        });
      }
      return list;
    case spv::BuiltIn::LocalInvocationIndex:
      return {linear_index(t)};
    case spv::BuiltIn::WorkgroupSize:
      for (unsigned k = 0; k < 3; ++k) list.push_back(ud(local_[k]));
      return list;
    case spv::BuiltIn::NumWorkgroups:
      for (unsigned k = 0; k < 3; ++k)
        if (!count || !unread(k)) list.push_back(group_count(t, k));
      return list;
    case spv::BuiltIn::NumSubgroups:
      return {ud((local_[0] * local_[1] * local_[2] + t.b.simd() - 1) / t.b.simd())};
    case spv::BuiltIn::SubgroupId:
      return {subgroup_number(t)};
    default:
      list = common_builtin(t, *v.builtin);
      if (list.empty())
        t.refuse(fmt::format("built-in input {} of '{}' is not supported in {} shaders", built_in_name(*v.builtin),
                             v.name, isa::stage_info(t.entry.stage).name));
      return list;
  }
}

Part Workgroup::group_number(ShaderContext& t, unsigned axis) {
  return number ? number(axis) : payload_number(t, axis);
}

Part Workgroup::group_count(ShaderContext& t, unsigned axis) {
  if (count) return count(axis);
  if (count_.kind != Part::Kind::Variable) {
    count_ = t.inputs.add(isa::Type::UD, "group_count", 3);
    t.b.interface_line(fmt::format("value {} group_count", t.b.name(count_)));
  }
  return t.b.element(count_, axis);
}

/// With derivative quads threads take lanes in the order of the payload, not of the quads.
Part Workgroup::subgroup_number(ShaderContext& t) {
  const Part shift = ud(static_cast<std::uint32_t>(__builtin_ctz(t.b.simd())));
  const Part index = linear_index(t);
  Part number_of;
  if (!quads_) {
    t.b.at_start([&] { number_of = t.b.make("shr", isa::Type::UD, {index, shift}, "subgroup"); });
    return number_of;
  }
  const Part x = raw_[0], y = raw_[1], z = local_id(t, 2);
  t.b.at_start([&] {
    const Part wide_x = t.b.convert(x, isa::Type::UD, "row_x"), wide_y = t.b.convert(y, isa::Type::UD, "row_y");
    const Part slices = t.b.make("mul", isa::Type::UD, {z, ud(local_[1])}, "index");
    const Part rows = t.b.make("add", isa::Type::UD, {slices, wide_y}, "index");
    const Part scaled = t.b.make("mul", isa::Type::UD, {rows, ud(local_[0])}, "index");
    const Part order = t.b.make("add", isa::Type::UD, {scaled, wide_x}, "index");
    number_of = t.b.make("shr", isa::Type::UD, {order, shift}, "subgroup");
  });
  return number_of;
}

}  // namespace heddle::spirv::compiler
