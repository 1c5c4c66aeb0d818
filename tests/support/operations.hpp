// SPDX-License-Identifier: MIT
#pragma once
// Compute shaders that apply SPIR-V operations to arrays: one invocation takes element i of each input and stores the
// result.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heddle::test {

/// Types are named f32, i16, u64, bool, v3f32 ...; a bool result is stored as u32 0 or 1.
/// `body` uses %a %b %c %d, defines %r, and may name other results %_x; lines end with '\n'. Types are %f32 ... %mat4,
/// constants %u32_3, %i32_1, %f32_1 ... of `constants`; %std is GLSL.std.450. Other declarations stand in `globals`.
struct Operation {
  std::string name;
  std::string result;
  std::vector<std::string> inputs;
  std::string body;
  std::string globals;
};

struct OperationBuffer {
  std::string type;  ///< as stored: bool is u32
  unsigned binding = 0;
  unsigned position = 0;             ///< input: 0 for %a ...
  unsigned stride = 0;               ///< bytes of an element
  std::vector<unsigned> operations;  ///< output: element i * operations.size() + k belongs to operations[k]
};

struct OperationShader {
  std::string text;  ///< .spvasm
  std::vector<OperationBuffer> inputs, outputs;
};

/// Workgroups have `local_size` invocations. `modes`: execution modes of float controls, "DenormPreserve 16".
[[nodiscard]] OperationShader shader_of(std::span<const Operation> operations, unsigned local_size = 32,
                                        std::span<const std::string> modes = {});

/// Bytes of a type's element in a buffer (vectors of three have room for four).
[[nodiscard]] unsigned stride_of(const std::string& type);
/// "f32" of "v3f32".
[[nodiscard]] std::string component_of(const std::string& type);
[[nodiscard]] unsigned components_of(const std::string& type);

}  // namespace heddle::test
