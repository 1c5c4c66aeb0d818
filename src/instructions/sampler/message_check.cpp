// SPDX-License-Identifier: MIT
// What 3D_SAMPLE, 3D_LOAD and 3D_SAMPLE4 messages have in common: visa-sampler-*.
#include <algorithm>

#include <fmt/format.h>

#include "instructions/checks.hpp"
#include "instructions/sampler/operation.hpp"

namespace heddle::instructions {
namespace {

using isa::Operand;
using isa::Platform;
using isa::PlatformSet;
using isa::Type;

/// D texels for each lane (GA-8).
bool is_offset(texture::Param p) { return p == texture::Param::OffU || p == texture::Param::OffV; }

// visa-sampler-aoffimmi
void check_address_offset(Check& check) {
  const Operand* offset = check.operand("aoffimmi");
  if (offset == nullptr) return;
  if (!Check::is_immediate(*offset)) {
    if (offset->kind == isa::OperandKind::General && offset->region.w() != 1)
      check.error("visa-sampler-aoffimmi", offset,
                  fmt::format("the address offset {} is not one element", check.text(*offset)));
    return;
  }
  if ((offset->value & 0xf000u) != 0)
    check.error("visa-sampler-aoffimmi", offset, fmt::format("address offset {:#x} has bits 15:12 set", offset->value));
  else if (offset->value != 0 && operation_of(check.description())->per_lane_offsets())
    check.warning("visa-sampler-aoffimmi", offset,
                  fmt::format("address offset {:#x} is ignored beside offsets for each channel", offset->value));
}

// visa-sampler-param-count
void check_parameter_count(Check& check, const texture::Operation& op, bool half) {
  const std::span<const Operand> parameters = check.parameters();
  const std::size_t least = op.required, most = texture::most_operands(op, half);
  if (parameters.size() >= least && parameters.size() <= most) return;
  check.error("visa-sampler-param-count", parameters.empty() ? nullptr : &parameters.back(),
              fmt::format("{} has {} parameters, takes {} to {}", check.description().mnemonic, parameters.size(),
                          least, most));
}

/// What the parameters must agree with: the first one that is there.
struct FirstParameter {
  const Operand* first = nullptr;
  Type type = Type::F;
};

// visa-sampler-param-type
void check_parameter_type(Check& check, const Operand& p, texture::Param name, Type type, FirstParameter& agreed) {
  const isa::InstructionDescription& description = check.description();
  const auto wrong = [&](std::string_view wanted, PlatformSet on = PlatformSet::all()) {
    check.error("visa-sampler-param-type", &p,
                fmt::format("{} of {} is {}, type {}, must be {}", texture::param_name(name), description.mnemonic,
                            check.text(p), isa::type_name(type), wanted),
                on);
  };
  if (operation_of(description)->family == texture::OperationKind::Load) {
    const bool wide = type == Type::D || type == Type::UD, narrow = type == Type::W || type == Type::UW;
    if (!wide && !narrow) return wrong("ud or d");
    if (narrow) wrong("ud or d before ICLLP", PlatformSet::before(Platform::ICLLP));
    if (agreed.first == nullptr)
      agreed = {&p, type};
    else if (isa::type_bytes(agreed.type) != isa::type_bytes(type))
      wrong("of one size with the others");
  } else if (is_offset(name)) {
    if (type != Type::D) wrong("d");
  } else if (texture::is_packed(name)) {
    if (type != Type::D && type != Type::UD && type != Type::F) wrong("ud, d or f (packed bits)");
  } else {
    if (type != Type::F && type != Type::HF) return wrong("f or hf");
    if (type == Type::HF) wrong("f before ICLLP", PlatformSet::before(Platform::ICLLP));
    if (agreed.first == nullptr)
      agreed = {&p, type};
    else if (agreed.type != type)
      wrong(fmt::format("{} like {}", isa::type_name(agreed.type), check.text(*agreed.first)));
  }
}

// visa-sampler-param-count, -type, -null
void check_parameters(Check& check) {
  const texture::Operation& op = *operation_of(check.description());
  const std::span<const Operand> parameters = check.parameters();
  const bool half = std::ranges::any_of(parameters, [&](const Operand& p) {
    const auto type = p.is_null() ? std::nullopt : check.type_of(p);
    return type && isa::type_bytes(*type) == 2;
  });
  check_parameter_count(check, op, half);
  const texture::ParameterList list = texture::operand_parameters(op, static_cast<unsigned>(parameters.size()), half);
  FirstParameter agreed;
  for (std::size_t i = 0; i < list.count; ++i) {
    const Operand& p = parameters[i];
    if (p.is_null())
      check.warning("visa-sampler-param-null", &p,
                    fmt::format("{} of {} is %null, which counts as 0", texture::param_name(list.names[i]),
                                check.description().mnemonic));
    else if (const auto type = check.type_of(p))
      check_parameter_type(check, p, list.names[i], *type, agreed);
  }
}

// visa-sampler-dst-type, visa-sampler-null-mask, visa-raw-bounds (RET-1, RET-5)
void check_result(Check& check, unsigned channels) {
  const isa::InstructionDescription& description = check.description();
  const Operand* dst = check.operand("dst");
  const bool null_mask = check.integer("null_mask") != 0;
  if (null_mask)
    check.error("visa-sampler-null-mask", check.operand("null_mask"), "the pixel null mask came with SKL",
                PlatformSet::before(Platform::SKL));
  if (dst == nullptr || dst->is_null()) return;
  const auto type = check.type_of(*dst);
  if (!type) return;
  const texture::Operation& op = *operation_of(description);
  const bool returns_floats = op.op == texture::Op::Lod || op.compare();  // whatever the surface
  const unsigned element = isa::type_bytes(*type);
  if (element != 2 && element != 4) return;  // visa-sampler-dst-type, from the description
  if (returns_floats && isa::is_integer(*type))
    check.error(
        "visa-sampler-dst-type", dst,
        fmt::format("{} returns floats, {} is {}", description.mnemonic, check.text(*dst), isa::type_name(*type)));
  const std::uint64_t data = check.channel_bytes(channels, check.exec_size(), element);
  const Storage& s = check.storage(dst->id);
  if (null_mask && s.valid) {
    const std::uint64_t start = s.root_offset + static_cast<std::uint32_t>(dst->offset);
    const std::uint64_t with_mask = (data + check.grf() - 1) / check.grf() * check.grf() + check.grf();
    if (start + data <= s.root_bytes && start + with_mask > s.root_bytes) {
      check.error(
          "visa-sampler-null-mask", dst,
          fmt::format("{} has no register for the pixel null mask: {} bytes are needed", check.text(*dst), with_mask));
      return;
    }
    check.raw_bytes(*dst, with_mask);
    return;
  }
  check.raw_bytes(*dst, data);
}

}  // namespace

void check_sampler_message(Check& check, unsigned channels) {
  check_wide_message(check);
  check_address_offset(check);
  check_parameters(check);
  check_result(check, channels);
  check_image_surface(check);
  // visa-sampler-sampler
  const Operand* sampler = check.operand("sampler");
  if (sampler != nullptr && sampler->id == isa::kBindlessSampler && !Check::is_surface(check.operand("surface"), kBss))
    check.warning("visa-sampler-sampler", sampler, "the bindless sampler S31 goes with the bindless surface %bss");
}

}  // namespace heddle::instructions
