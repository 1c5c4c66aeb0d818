// SPDX-License-Identifier: MIT
#pragma once
// Many small shaders, each with what its buffers must hold after a run. Tables make them: templates times types times
// forms. The tests of this folder run them on Heddle's machine; those of peers/vulkan on lavapipe too.

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "spirv/compile/compile.hpp"

namespace heddle::test {

using Bytes = std::vector<std::uint8_t>;

/// A buffer bound as set 0, or one that is reached by its address only.
struct SweepBuffer {
  std::uint32_t binding = 0;
  Bytes bytes;
  std::optional<std::uint64_t> address;  ///< reached by it; `binding` only tells such buffers apart
  std::optional<Bytes> expected;         ///< after the run
};

struct SweepShader {
  std::string name;  ///< letters and digits
  std::string text;  ///< SPIR-V assembly
  std::vector<SweepBuffer> buffers;
  Bytes push;
  std::uint32_t groups = 1;
  spirv::CompileOptions options;
  /// Where the answer is not one value: what is wrong with the buffers, by position; empty: nothing.
  std::string (*check)(const SweepShader& shader, const std::vector<Bytes>& after) = nullptr;
};
std::ostream& operator<<(std::ostream& out, const SweepShader& shader);

/// Runs a shader and checks its buffers; what is wrong, or nothing.
[[nodiscard]] std::string problem_of(const SweepShader& shader, const std::string& engine = "reference");
/// What is wrong with the buffers after a run.
[[nodiscard]] std::string difference(const SweepShader& shader, const std::vector<Bytes>& after);

// The families, one file each.
[[nodiscard]] std::vector<SweepShader> address_shaders();
[[nodiscard]] std::vector<SweepShader> pointer_shaders();
[[nodiscard]] std::vector<SweepShader> atomic_shaders();
[[nodiscard]] std::vector<SweepShader> subgroup_shaders();
[[nodiscard]] std::vector<SweepShader> layout_shaders();

// --- text ---
/// Types are named u8 i16 f16 ... f64 and v2f32 ...; all are declared by `module_text`, and %bool, %void.
[[nodiscard]] unsigned scalar_bytes(std::string_view type);
[[nodiscard]] unsigned component_count(std::string_view type);
[[nodiscard]] std::string scalar_name(std::string_view type);
/// Bytes from element to element of an array: vectors of three take the room of four.
[[nodiscard]] unsigned element_stride(std::string_view type);
/// `count` elements of finite numbers, with their padding.
[[nodiscard]] Bytes elements(std::string_view type, std::size_t count, unsigned seed);

/// The parts of a shader that differ; %u32_N, %i32_N (%i32_nN) and %u64_N are declared where they are named.
struct ModuleText {
  std::string capabilities;  ///< lines: OpCapability, OpExtension
  std::string memory = "Logical GLSL450";
  std::string imports;
  std::string interfaces;    ///< " %out ..."
  std::string modes, names;  ///< OpExecutionMode; OpName
  std::string decorations, globals;
  std::string body;  ///< of main, %index (u32) is the invocation's number
  std::string functions;
  unsigned local_size = 16;
  std::string model = "GLCompute";  ///< of others `body` has no %index
};
[[nodiscard]] std::string module_text(const ModuleText& m);

/// A storage buffer of a runtime array of elements, variable `name`, with %ptr_NAME to one element.
void add_buffer(ModuleText& m, const std::string& name, unsigned binding, const std::string& type);
/// "value" stored to element %index of a buffer made by add_buffer.
[[nodiscard]] std::string store_element(const std::string& name, const std::string& value);

/// Every occurrence of each "{KEY}" replaced.
[[nodiscard]] std::string filled_in(std::string text, const std::map<std::string, std::string>& values);

/// Numbers in memory.
template <typename T>
[[nodiscard]] Bytes bytes_of(const std::vector<T>& values) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(values.data());
  return {first, first + values.size() * sizeof(T)};
}

}  // namespace heddle::test
