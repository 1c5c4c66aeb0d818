// SPDX-License-Identifier: MIT
// heddle_footprint: visa-footprint-operands, visa-footprint-params, and what it shares with the sampler messages.
#include <fmt/format.h>

#include "instructions/checks.hpp"
#include "instructions/sampler/footprint/operands.hpp"

namespace heddle::instructions::footprint {
namespace {

using isa::Operand;
using isa::Type;

// visa-footprint-operands (R19)
void check_descriptions(Check& check, const Shape& shape) {
  if (shape.mode != Mode::Strict) return;
  const auto refuse = [&](std::string_view what) {
    check.error("visa-footprint-operands", nullptr,
                fmt::format("{} needs .lenient or .extended: strict footprints have no such form", what));
  };
  if (shape.bias && shape.source == Source::Lod) refuse("a bias beside an explicit LOD");
  if (shape.bias && shape.source == Source::Grad) refuse("a bias beside gradients");
  if (shape.min_lod && shape.source == Source::Lod) refuse("a minimum LOD beside an explicit LOD");
  if (shape.dim == 3 && shape.source == Source::Grad) refuse("gradients in 3D");
  if (shape.offset) refuse("texel offsets");
}

bool fits(ParameterType wanted, Type type) {
  if (wanted == ParameterType::Float) return type == Type::F;
  return type == Type::D || (wanted == ParameterType::Unsigned && type == Type::UD);
}

// visa-footprint-params
void check_parameters(Check& check, const Shape& shape) {
  const ParameterList list = parameters_of(shape);
  const std::span<const Operand> given = check.parameters();
  if (given.size() != list.count) {
    std::string names;
    for (unsigned i = 0; i < list.count; ++i) names += fmt::format(" {}", name_of(list.at[i]));
    check.error("visa-footprint-params", given.empty() ? nullptr : &given.back(),
                fmt::format("{} parameters, this form takes {}:{}", given.size(), list.count, names));
    return;
  }
  for (unsigned i = 0; i < list.count; ++i) {
    const Operand& p = given[i];
    const std::string_view name = name_of(list.at[i]);
    if (p.is_null()) {
      if (list.at[i] != Parameter::Coarse)
        check.warning("visa-footprint-params", &p, fmt::format("{} is %null, which counts as 0", name));
      continue;
    }
    const auto type = check.type_of(p);
    if (!type || fits(type_of(list.at[i]), *type)) continue;
    const ParameterType wanted = type_of(list.at[i]);
    check.error("visa-footprint-params", &p,
                fmt::format("{} is {}, type {}, must be {}", name, check.text(p), isa::type_name(*type),
                            wanted == ParameterType::Float    ? "f"
                            : wanted == ParameterType::Signed ? "d"
                                                              : "ud or d"));
  }
}

void check(Check& check) {
  const Shape shape = shape_of(check);
  check_descriptions(check, shape);
  check_parameters(check, shape);
  if (const Operand* dst = check.operand("dst"); dst != nullptr && !dst->is_null())
    check.raw_bytes(*dst, check.channel_bytes(members_of(shape.dim), check.exec_size(), 4));
  check_image_surface(check);
}

constexpr CheckHook kHooks[] = {{"footprint", check}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::footprint
