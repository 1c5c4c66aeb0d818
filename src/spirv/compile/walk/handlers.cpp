// SPDX-License-Identifier: MIT
// Opcode to handler.
#include "spirv/compile/walk/handlers.hpp"

#include <span>
#include <unordered_map>

#include "spirv/compile/glsl/glsl.hpp"
#include "spirv/compile/images/image.hpp"
#include "spirv/compile/operations/operations.hpp"

namespace heddle::spirv::compiler {

Handler find_handler(std::uint16_t opcode) {
  static const std::unordered_map<std::uint16_t, Handler> kTable = [] {
    std::unordered_map<std::uint16_t, Handler> table;
    for (const std::span<const Op> ops :
         {memory_ops(), pointer_ops(), composite_ops(), arithmetic_ops(), conversion_ops(), derivative_ops(),
          subgroup_ops(), cooperative_matrix_ops(), barrier_ops(), emission_ops(), atomic_ops(), image_ops(),
          footprint_ops(), glsl_ops()})
      for (const Op& op : ops) table.emplace(op.opcode, op.handler);
    return table;
  }();
  const auto found = kTable.find(opcode);
  return found == kTable.end() ? nullptr : found->second;
}

}  // namespace heddle::spirv::compiler
