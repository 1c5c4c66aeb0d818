#pragma once
// Where the scalars of a type lie in memory.

#include <spirv/unified1/spirv.hpp11>
#include <unordered_map>

#include "spirv/compile/core/context.hpp"

namespace heddle::spirv::compiler {

/// One scalar of a value in memory.
struct ScalarLocation {
  std::uint32_t offset = 0;  ///< bytes (scratch: dwords) from the pointer
  isa::Type type = isa::Type::UD;
};

/// All scalars of what a pointer points at, in order.
[[nodiscard]] std::vector<ScalarLocation> scalar_locations(ShaderTranslator& t, const Pointer& pointer);

/// Bytes (or dwords) from one element of an array to the next: ArrayStride where the memory has an explicit layout.
[[nodiscard]] std::uint32_t array_stride(ShaderTranslator& t, std::uint32_t array, Pointer::Kind kind);
[[nodiscard]] std::uint32_t member_offset(ShaderTranslator& t, std::uint32_t structure, std::uint32_t member,
                                          Pointer::Kind kind);

/// Calls `use(surface, guard)` for each surface that the pointer may mean, with the lanes of `guard` that mean it;
/// addresses have no surface: an empty name.
void for_each_surface(ShaderTranslator& t, const Pointer& p, const Guard& guard,
                      const std::function<void(const std::string&, const Guard&)>& use);

/// Whether a type has this operation.
[[nodiscard]] bool is(const TypeInfo& info, spv::Op op);
/// Images, samplers and the like: what descriptors hold besides blocks.
[[nodiscard]] bool is_opaque(const TypeInfo& info);
/// Bytes, or dwords of scratch, of a scalar; booleans are kept as dwords.
[[nodiscard]] std::uint32_t scalar_size(const TypeInfo& info, bool dwords);
/// MatrixStride and RowMajor of a member.
[[nodiscard]] MatrixLayout matrix_layout(ShaderTranslator& t, std::uint32_t structure, std::uint32_t member);
/// Bytes to the end of a type in Workgroup memory, where the module may say the layout. `known`: of structures, so that
/// each is measured once.
[[nodiscard]] std::uint64_t shared_extent(ShaderTranslator& t, std::uint32_t id, MatrixLayout matrix,
                                          std::unordered_map<std::uint32_t, std::uint64_t>& known);

}  // namespace heddle::spirv::compiler
