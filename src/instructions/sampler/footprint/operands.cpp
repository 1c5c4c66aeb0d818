// SPDX-License-Identifier: MIT
#include "instructions/sampler/footprint/operands.hpp"

namespace heddle::instructions::footprint {

std::string_view name_of(Parameter parameter) {
  static constexpr std::array<std::string_view, kParameterCount> kNames = {
      "granularity", "coarse", "lod", "bias", "mlod", "u",    "dudx", "dudy", "v",
      "dvdx",        "dvdy",   "r",   "drdx", "drdy", "offu", "offv", "offr"};
  return kNames[static_cast<std::size_t>(parameter)];
}

ParameterType type_of(Parameter parameter) {
  if (parameter == Parameter::Granularity || parameter == Parameter::Coarse) return ParameterType::Unsigned;
  return parameter >= Parameter::OffU ? ParameterType::Signed : ParameterType::Float;
}

ParameterList parameters_of(const Shape& shape) {
  ParameterList list;
  const auto add = [&list](Parameter p) { list.at[list.count++] = p; };
  add(Parameter::Granularity);
  add(Parameter::Coarse);
  if (shape.source == Source::Lod) add(Parameter::Lod);
  if (shape.bias) add(Parameter::Bias);
  if (shape.min_lod) add(Parameter::Mlod);
  constexpr std::array<std::array<Parameter, 3>, 3> kAxes = {{{Parameter::U, Parameter::DuDx, Parameter::DuDy},
                                                              {Parameter::V, Parameter::DvDx, Parameter::DvDy},
                                                              {Parameter::R, Parameter::DrDx, Parameter::DrDy}}};
  for (unsigned k = 0; k < shape.dim; ++k) {
    add(kAxes[k][0]);
    if (shape.source != Source::Grad) continue;
    add(kAxes[k][1]);
    add(kAxes[k][2]);
  }
  if (shape.offset) {
    add(Parameter::OffU);
    add(Parameter::OffV);
    if (shape.dim == 3) add(Parameter::OffR);
  }
  return list;
}

}  // namespace heddle::instructions::footprint
