// SPDX-License-Identifier: MIT
#pragma once
// What the program says of its descriptors, in the words of the interface (docs/spirv-interface.md).

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::spirv::compiler {

class ShaderContext;

/// What a descriptor of a type holds.
struct DescriptorKind {
  std::string_view word = "image";
  bool surface = true, sampler = false;
  bool samples = false;          ///< a storage image with samples, which are written through a view of them
  std::string_view shape = {};   ///< "/2d_array", of images
  std::string_view format = {};  ///< that the module declares, of storage images

  [[nodiscard]] bool is_buffer() const { return word == "uniform_buffer" || word == "storage_buffer"; }
  /// A KIND of the interface.
  [[nodiscard]] std::string text() const;
};

/// `storage_class`: of the variable; `pointee`: the type of one descriptor.
[[nodiscard]] DescriptorKind descriptor_kind(ShaderContext& t, std::uint32_t pointee, std::uint32_t storage_class);

/// A block's members, and its type's name where the variable has one of its own: GLSL's `uniform Params { ... }
/// params`.
void block_lines(ShaderContext& t, std::uint32_t structure, const std::string& surface, const std::string& name);

}  // namespace heddle::spirv::compiler
