// What 3D_SAMPLE, 3D_LOAD and 3D_SAMPLE4 messages have in common: visa-sampler-*.
#include <fmt/format.h>

#include "instructions/checks.hpp"

namespace heddle::instructions {
namespace {

using isa::Operand;
using isa::Platform;
using isa::PlatformSet;
using isa::Type;

bool is_packed(std::string_view parameter) {  // PKO-1: offsets, index or lod in one 32-bit lane
  return parameter.starts_with("offuv") || parameter.find('_') != std::string_view::npos;
}
bool is_offset(std::string_view parameter) { return parameter == "offu" || parameter == "offv"; }

bool has_lane_offsets(const isa::InstructionDescription& description) {
  for (const std::string_view p : description.parameters)
    if (is_offset(p) || p.find("off") != std::string_view::npos) return true;
  return false;
}

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
  else if (offset->value != 0 && has_lane_offsets(check.description()))
    check.warning("visa-sampler-aoffimmi", offset,
                  fmt::format("address offset {:#x} is ignored beside offsets for each channel", offset->value));
}

// visa-sampler-param-count, -type, -null
void check_parameters(Check& check) {
  const isa::InstructionDescription& description = check.description();
  const std::span<const Operand> parameters = check.parameters();
  const std::size_t least = description.traits.min_params, most = description.traits.max_params;
  if (parameters.size() < least || parameters.size() > most)
    check.error(
        "visa-sampler-param-count", parameters.empty() ? nullptr : &parameters.back(),
        fmt::format("{} has {} parameters, takes {} to {}", description.mnemonic, parameters.size(), least, most));
  const bool load = description.family == "load";
  const Operand* first = nullptr;  // the first one of the kind that must agree
  Type agreed = Type::F;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Operand& p = parameters[i];
    const std::string_view name =
        i < description.parameters.size() ? description.parameters[i] : std::string_view("parameter");
    if (p.is_null()) {
      check.warning("visa-sampler-param-null", &p,
                    fmt::format("{} of {} is %null, which counts as 0", name, description.mnemonic));
      continue;
    }
    const auto type = check.type_of(p);
    if (!type) continue;
    const auto wrong = [&](std::string_view wanted, PlatformSet on = PlatformSet::all()) {
      check.error("visa-sampler-param-type", &p,
                  fmt::format("{} of {} is {}, type {}, must be {}", name, description.mnemonic, check.text(p),
                              isa::type_name(*type), wanted),
                  on);
    };
    if (load) {
      const bool wide = *type == Type::D || *type == Type::UD, narrow = *type == Type::W || *type == Type::UW;
      if (!wide && !narrow)
        wrong("ud or d");
      else if (narrow)
        wrong("ud or d before ICLLP", PlatformSet::before(Platform::ICLLP));
      if (!wide && !narrow) continue;
      if (first == nullptr)
        first = &p, agreed = *type;
      else if (isa::type_bytes(agreed) != isa::type_bytes(*type))
        wrong("of one size with the others");
    } else if (is_offset(name)) {
      if (*type != Type::D) wrong("d");
    } else if (is_packed(name)) {
      if (*type != Type::D && *type != Type::UD && *type != Type::F) wrong("ud, d or f (packed bits)");
    } else {
      if (*type != Type::F && *type != Type::HF) {
        wrong("f or hf");
        continue;
      }
      if (*type == Type::HF) wrong("f before ICLLP", PlatformSet::before(Platform::ICLLP));
      if (first == nullptr)
        first = &p, agreed = *type;
      else if (agreed != *type)
        wrong(fmt::format("{} like {}", isa::type_name(agreed), check.text(*first)));
    }
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
  bool compares = description.mnemonic == "lod";  // these return floats whatever the surface
  for (const std::string_view p : description.parameters) compares = compares || p == "ref";
  const unsigned element = isa::type_bytes(*type);
  if (element != 2 && element != 4) return;  // visa-sampler-dst-type, from the description
  if (compares && isa::is_integer(*type))
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
