// SPDX-License-Identifier: MIT
#pragma once
// The values of a job in the shape that a program expects.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/types.hpp"
#include "job/job.hpp"

namespace heddle::job {

/// Type, element count and bytes of a value that a program expects.
struct ValueShape {
  std::optional<ElementType> type;  ///< none: bytes (a struct), or bfloat16
  bool bfloat16 = false;
  std::uint32_t count = 1;
  std::uint32_t bytes = 4;
  std::string describe;  ///< "float", "f x 4": for messages
};
[[nodiscard]] ValueShape shape_of(isa::Type type, std::uint32_t bytes);
/// OpenCL's type with its size, as zeinfo names it: "float2;8", "uchar;1", "S;24".
[[nodiscard]] ValueShape shape_of_opencl(std::string_view type_name, std::uint32_t bytes);
/// The bytes of an argument in that shape, or why not. Without a declared type integers and floats take the size of the
/// slot.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> encode_argument(const Argument& argument,
                                                                       const ValueShape& shape, std::string& why);

}  // namespace heddle::job
