// SPDX-License-Identifier: MIT
#include "spirv/compile/core/inputs.hpp"

#include <fmt/format.h>

namespace heddle::spirv::compiler {

Part ThreadInputs::add(isa::Type type, std::string_view hint, unsigned elements) {
  const Part p = elements == 0 ? b_.lanes(type, hint) : b_.array(type, hint, elements);
  const std::uint32_t bytes = (elements == 0 ? b_.simd() : elements) * isa::type_bytes(type);
  b_.input(p, next_, bytes);
  next_ += (bytes + b_.grf() - 1) / b_.grf() * b_.grf();
  return p;
}

const Part& ThreadInputs::keep(std::optional<Part>& kept, isa::Type type, std::string_view hint,
                               std::string_view value) {
  if (!kept) {
    kept = add(type, hint);
    b_.interface_line(fmt::format("value {} {}", b_.name(*kept), value));
  }
  return *kept;
}

}  // namespace heddle::spirv::compiler
