// SPDX-License-Identifier: MIT
#pragma once
// What everything that translates is given: the module, what is known of it, the text that is written, and the
// instruction that is being translated. Each part has a file of its own.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "spirv/compile/compile.hpp"
#include "spirv/compile/core/blocks.hpp"
#include "spirv/compile/core/descriptors.hpp"
#include "spirv/compile/core/inputs.hpp"
#include "spirv/compile/core/lanes.hpp"
#include "spirv/compile/core/memory.hpp"
#include "spirv/compile/core/pointers.hpp"
#include "spirv/compile/core/values.hpp"
#include "spirv/compile/core/variables.hpp"
#include "spirv/compile/module/annotations.hpp"
#include "spirv/compile/module/constants.hpp"
#include "spirv/compile/module/entry_point.hpp"
#include "spirv/compile/module/float_modes.hpp"
#include "spirv/compile/module/functions.hpp"
#include "spirv/compile/module/layout.hpp"
#include "spirv/compile/module/report.hpp"
#include "spirv/compile/module/types.hpp"
#include "spirv/compile/writer/visa_writer.hpp"
#include "spirv/module.hpp"

namespace heddle::spirv::compiler {

/// Messages that the shader prints (operations/print.cpp).
struct Prints {
  std::string surface;                         ///< of the buffer; empty: it prints none
  std::map<std::string, std::uint32_t> lines;  ///< types and format -> number, from 1
};

/// What instructions do that only one stage has; set by the stage.
struct Emission {
  std::function<void(std::uint32_t stream)> vertex, end_primitive;              ///< of geometry shaders
  std::function<void(const Part& vertices, const Part& primitives)> mesh_size;  ///< of mesh shaders
  std::function<void(const std::array<Part, 3>& groups)> mesh_groups;           ///< of task shaders
};

class ShaderContext {
 public:
  ShaderContext(const Module& module, const CompileOptions& options, base::Diagnostics& diagnostics);

  // --- the module ---
  const Module& module;
  const CompileOptions& options;
  Report report;
  const Annotations annotations;
  EntryPoint entry;
  FloatModes float_modes;  ///< of the entry point
  Constants constants;
  Types types;
  Layout layout;
  Functions functions;

  // --- the program ---
  VisaWriter b;
  Values values;
  LiveLanes lanes;
  ThreadInputs inputs;
  FragmentInputs fragment;
  Descriptors descriptors;
  Variables variables;
  Pointers pointers;
  Memory memory;
  Blocks blocks;
  Prints prints;
  Emission emission;
  bool uses_extension = false;  ///< Heddle's footprint instruction

  // --- the instruction being translated ---
  const Instruction* at = nullptr;
  const Function* function = nullptr;  ///< that it belongs to

  /// Operand word `index` (after type and result).
  [[nodiscard]] std::uint32_t operand(std::size_t index) const {
    return index < at->operands.size() ? at->operands[index] : 0;
  }
  /// Its result, as scalars or as another value.
  void set(std::vector<Part> parts);
  void set_value(Value value);
  /// A new variable for component `index` of its result, named after it.
  [[nodiscard]] Part result(isa::Type type, unsigned index = 0);
  [[nodiscard]] std::string result_name(std::string_view otherwise = "t") const {
    return annotations.name_of(at->result, otherwise);
  }
  /// compile-unsupported: "OpFoo: reason".
  void refuse(const std::string& reason);
};

}  // namespace heddle::spirv::compiler
