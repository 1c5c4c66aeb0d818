// SPDX-License-Identifier: MIT
#include "spirv/compile/core/handler.hpp"

#include <fmt/format.h>

namespace heddle::spirv::compiler {

isa::Type scalar_of(ShaderContext& t, std::uint32_t id) {
  const std::vector<isa::Type> list = t.types.scalars(t.module.type_of(id));
  return list.empty() ? isa::Type::UD : list.front();
}

isa::Type result_scalar(ShaderContext& t) {
  const std::vector<isa::Type> list = t.types.scalars(t.at->type);
  return list.empty() ? isa::Type::UD : list.front();
}

std::vector<Part> parts_of(ShaderContext& t, std::uint32_t id) {
  const std::size_t count = t.values.size(id);
  std::vector<Part> parts;
  for (unsigned i = 0; i < count; ++i) parts.push_back(t.values.part(id, i));
  return parts;
}

bool has_double(ShaderContext& t, isa::Type type) {
  if (type != isa::Type::DF || isa::platform_info(t.b.platform()).fp64) return true;
  t.refuse(fmt::format("64-bit floating point does not exist on {}", isa::platform_info(t.b.platform()).name));
  return false;
}

}  // namespace heddle::spirv::compiler
