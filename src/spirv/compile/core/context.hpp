#pragma once
// One entry point on its way from SPIR-V to vISA. Instructions are translated in the order of structured control flow,
// calls in place; each opcode has a handler in one of the files of this folder. What cannot be translated is reported,
// and translation goes on, so that all of it is reported at once.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/fixed_limits.hpp"
#include "spirv/compile/compile.hpp"
#include "spirv/compile/module/float_modes.hpp"
#include "spirv/compile/module/value.hpp"
#include "spirv/compile/writer/visa_writer.hpp"
#include "spirv/module.hpp"

namespace heddle::spirv::compiler {

/// A type, taken apart once.
struct TypeInfo {
  std::uint16_t op = 0;  ///< OpTypeFloat ...
  std::uint32_t bits = 0;
  bool is_signed = false;
  isa::Type scalar = isa::Type::UD;  ///< of a scalar; Bool for OpTypeBool
  std::uint32_t element = 0;         ///< vector, matrix, array, pointer: type id
  std::uint32_t count = 0;           ///< vector, matrix (columns), array (0: runtime), struct
  std::vector<std::uint32_t> members;
  std::uint32_t flat = 0;   ///< scalars in a value
  std::uint32_t depth = 0;  ///< types within types
};

struct ImageInfo {  ///< OpTypeImage
  std::uint32_t sampled_type = 0, dim = 0, depth = 0, sampled = 0, format = 0;
  bool arrayed = false, multisampled = false;
  isa::Type texel = isa::Type::F;  ///< F, D, UD ...
};

struct Decoration {
  std::uint32_t kind = 0;
  std::span<const std::uint32_t> operands;
};

/// What a descriptor variable became.
struct DescriptorVariable {
  std::vector<std::string> surfaces, samplers;     ///< one for each element
  std::vector<std::string> samples;                ///< of multisampled storage images: their samples as layers
  std::array<std::vector<std::string>, 2> planes;  ///< of images with planes: those behind the first, or empty names
  std::vector<SampledPlanes> conversions;          ///< one for each element, or none at all
  /// A large array whose elements are chosen at run time has handles from these on instead, one for each element.
  std::uint32_t indexed = 0;  ///< elements
  std::uint32_t first_surface = 0, first_samples = 0, first_sampler = 0;
};

class ShaderTranslator {
 public:
  ShaderTranslator(const Module& module, const CompileOptions& options, base::Diagnostics& diagnostics);
  ~ShaderTranslator();

  /// Translates the entry point; false when something was reported as an error.
  bool run(const Instruction& entry);

  const Module& module;
  const CompileOptions& options;
  base::Diagnostics& diagnostics;
  VisaWriter b;
  const Instruction* at = nullptr;  ///< the instruction being translated
  isa::ShaderStage stage{};         ///< of the entry point
  bool uses_extension = false;
  FloatModes float_modes;  ///< of the entry point

  // --- reporting ---
  /// compile-unsupported at the current instruction: "OpFoo: reason".
  void refuse(std::string reason);
  /// Ends the translation: what was reported makes all else pointless.
  void stop() { stopped_ = true; }

  // --- the module ---
  [[nodiscard]] const TypeInfo& type(std::uint32_t id);
  [[nodiscard]] ImageInfo image_type(std::uint32_t id);
  [[nodiscard]] std::optional<std::span<const std::uint32_t>> decoration(std::uint32_t id, std::uint32_t kind) const;
  [[nodiscard]] std::optional<std::span<const std::uint32_t>> member_decoration(std::uint32_t type,
                                                                                std::uint32_t member,
                                                                                std::uint32_t kind) const;
  [[nodiscard]] std::string name_of(std::uint32_t id,
                                    std::string_view otherwise = "t") const;  ///< OpName, or what is given
  [[nodiscard]] std::string member_name(std::uint32_t type, std::uint32_t member) const;
  /// Scalar types of a value of this type, in order.
  [[nodiscard]] std::vector<isa::Type> scalars(std::uint32_t type);
  /// Whether an OpConstant... or OpSpecConstant... has this result.
  [[nodiscard]] bool declared_constant(std::uint32_t id) const;
  /// Constant integer operand (specialization included); of a value that is computed, once it is.
  [[nodiscard]] std::optional<std::uint64_t> constant_of(std::uint32_t id);

  // --- values ---
  [[nodiscard]] const Value& value(std::uint32_t id);
  [[nodiscard]] Part part(std::uint32_t id, unsigned index = 0);  ///< one scalar of a value; Undefined parts become 0
  [[nodiscard]] std::size_t size(std::uint32_t id) { return value(id).parts.size(); }
  void set(std::uint32_t id, Value value);
  void set(std::vector<Part> parts);  ///< the current instruction's result
  /// A new variable for component `index` of the current instruction's result, named after it.
  [[nodiscard]] Part result(isa::Type type, unsigned index = 0);
  /// Operand word `index` of the current instruction (after type and result).
  [[nodiscard]] std::uint32_t operand(std::size_t index) const {
    return index < at->operands.size() ? at->operands[index] : 0;
  }
  /// Lanes whose side effects count: all, or in fragment shaders those that are covered and not discarded.
  [[nodiscard]] Guard live();
  /// Lanes of both guards.
  [[nodiscard]] Guard both(const Guard& a, const Guard& b);
  /// Discards the active lanes of a fragment shader: their effects do not count from here on.
  void discard();

  // --- pointer.cpp: pointers that values hold ---
  /// How many scalars a pointer of a storage class is where it is a value: 1, an address of 64 bits (UQ);
  /// 2, the number of a buffer and the byte in it (UD), which the module asks for by VariablePointers; else 0.
  [[nodiscard]] std::uint32_t pointer_scalars(std::uint32_t storage_class) const;
  /// As value(), but a pointer stays what it is: nothing is written to hold it.
  [[nodiscard]] const Value& unread_value(std::uint32_t id);
  /// What an id points to: from the instruction that made it, or from the scalars that hold it; null: neither.
  [[nodiscard]] std::shared_ptr<Pointer> pointer_of(std::uint32_t id);
  /// The scalars that hold a pointer.
  [[nodiscard]] std::vector<Part> pointer_parts(const Pointer& pointer);
  /// All storage buffers that the entry point may use; pointers count them from 1, 0 is a null pointer.
  struct ChosenBuffer {
    std::uint32_t variable = 0, element = 0;
  };
  [[nodiscard]] const std::vector<ChosenBuffer>& chosen_buffers();
  /// The pointer `index` (an id) times `stride` bytes further on.
  [[nodiscard]] Pointer advanced(const Pointer& pointer, std::uint32_t index, std::uint32_t stride);

  // --- memory.cpp ---
  [[nodiscard]] Value load(const Pointer& pointer, std::string_view hint);
  void store(const Pointer& pointer, const Value& value);
  [[nodiscard]] Pointer access(const Pointer& base, std::span<const std::uint32_t> indices);
  /// Calls `use(element, guard)` for the elements of a descriptor array that the index names: once without a guard for
  /// a constant index, else for each element with the lanes that mean it; kSelected is the element that by_element()
  /// works on.
  static constexpr std::uint32_t kSelected = UINT32_MAX;
  void each_element(const Descriptor& descriptor,
                    const std::function<void(std::uint32_t element, const Guard& guard)>& use);
  [[nodiscard]] const DescriptorVariable& descriptor(std::uint32_t variable);
  enum class DescriptorPart : std::uint8_t { Surface, Samples, Sampler, Plane1, Plane2 };
  /// The name of an element's surface or sampler; empty: it has none. `element`: as each_element gave it.
  [[nodiscard]] std::string element_name(std::uint32_t variable, std::uint32_t element, DescriptorPart part);
  /// Byte offset of a buffer or shared-memory pointer as ud lanes in a register, or an address as uq lanes; `extra`
  /// bytes are added.
  [[nodiscard]] Part byte_offset(const Pointer& pointer, std::uint32_t extra = 0);

 private:
  struct Function;
  struct CallFrame;
  void read_module();
  void instruction(const Instruction& i);
  [[nodiscard]] std::vector<Descriptor> indexed_arrays(const Instruction& i);
  void by_element(const std::vector<Descriptor>& arrays, const std::function<void()>& translate);
  void call(const Instruction& i);
  void body(const Function& function, CallFrame& frame);
  void phi_moves(const CallFrame& frame, std::uint32_t from, std::uint32_t to, const Guard& guard);
  // The end of a block, flow.cpp. `next`: label of the block that follows in the text, 0: none.
  void terminate(const Instruction& i, CallFrame& frame, std::uint32_t block, std::uint32_t next);
  void go(const CallFrame& frame, std::uint32_t label, std::uint32_t next);
  void branch_conditional(const Instruction& i, CallFrame& frame, std::uint32_t block, std::uint32_t next);
  void branch_switch(const Instruction& i, CallFrame& frame, std::uint32_t block, std::uint32_t next);
  void end_invocation(const CallFrame& frame, std::uint32_t block, std::uint32_t next);
  [[nodiscard]] Value constant_value(const Instruction& i);
  [[nodiscard]] Value specialization_op(const Instruction& i);  // specialization.cpp
  [[nodiscard]] Part specialized(const Instruction& i, Part own) const;
  // walk/float_controls.cpp
  void read_float_modes();
  void write_float_modes();
  [[nodiscard]] bool rounds_to_zero(const Instruction& i);
  [[nodiscard]] bool is_glsl(const Instruction& i) const;
  void flush_result(const Instruction& i);
  const Function& function(std::uint32_t id);
  void arrange(Function& function) const;
  [[nodiscard]] std::uint32_t demotes_to(const CallFrame& frame, std::uint32_t block) const;
  void find_dynamic();
  void end_killed();
  [[nodiscard]] bool killed_may_read(const Instruction& variable) const;
  [[nodiscard]] bool types_are_shallow();
  [[nodiscard]] std::span<const Instruction> instructions_of(std::uint32_t function) const;
  [[nodiscard]] std::set<std::uint32_t> reachable_functions() const;
  [[nodiscard]] std::set<std::uint32_t> used_words() const;
  [[nodiscard]] const Instruction* first_ray_query() const;
  [[nodiscard]] std::uint64_t measure(std::uint32_t type, bool dwords);
  void shared_variable(Pointer& pointer);
  [[nodiscard]] std::uint32_t root_of(std::uint32_t pointer) const;
  void source_line(const Instruction& i);

  std::unordered_map<std::uint32_t, TypeInfo> types_;
  std::unordered_map<std::uint32_t, std::vector<Decoration>> decorations_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Decoration>> member_decorations_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> member_names_;
  std::unordered_map<std::uint32_t, Value> values_;
  std::unordered_map<std::uint32_t, Value> pointer_values_;  ///< pointers as scalars, made anew where they are used
  std::optional<std::vector<ChosenBuffer>> chosen_buffers_;
  bool buffer_pointers_ = false, shared_pointers_ = false;  ///< VariablePointersStorageBuffer, VariablePointers
  std::unordered_map<std::uint32_t, DescriptorVariable> descriptors_;
  struct SelectedElement {
    Descriptor descriptor;
    Part element;  ///< its number, the same for all active lanes
  };
  std::vector<SelectedElement> selected_;  ///< while by_element() translates
  std::unordered_map<std::uint32_t, std::unique_ptr<Function>> functions_;
  std::set<std::uint32_t> dynamic_;  ///< variables and parameters that are indexed by run-time values
  std::map<std::pair<std::uint32_t, bool>, std::uint32_t> natural_sizes_;
  std::unordered_map<std::uint32_t, std::uint32_t> scratch_places_;  ///< variables of functions -> first dword
  std::optional<std::uint32_t> shared_blocks_;                       ///< where blocks of Workgroup memory begin
  Part killed_;             ///< fragment: d, -1 in lanes that OpKill ended and that go on for their quad's sake
  std::uint64_t work_ = 0;  ///< instructions of the functions that were called so far
  std::set<std::uint32_t> refused_;  ///< word offsets already reported
  bool has_half_ = false;            ///< the module has numbers of 16 bits
  bool has_lines_ = false;           ///< the module says which lines it was made from
  std::uint32_t last_file_id_ = 0;
  std::string last_file_;
  unsigned depth_ = 0;
  Part live_;                         ///< fragment: predicate of lanes whose effects count
  const CallFrame* frame_ = nullptr;  ///< of the function being translated
  bool end_used_ = false, stopped_ = false;
  unsigned descriptors_used_ = 0;
  Part scratch_base_;  ///< ud: where a lane's element 0 is

 public:
  // --- variables (memory.cpp) and stages (stage_*.cpp) ---
  /// OpVariable: allocates what it needs; the pointer is its value.
  void variable(const Instruction& i);
  [[nodiscard]] std::shared_ptr<std::vector<Part>> new_storage(std::uint32_t type, std::string_view hint);
  /// Whether the value loaded now may stay a reference to the variable (nothing changes that before its last use).
  [[nodiscard]] bool may_alias(const Pointer& pointer) const;
  [[nodiscard]] Part scratch_base();
  /// Bytes of a type in Workgroup memory or, in dwords, in scratch.
  [[nodiscard]] std::uint32_t natural_size(std::uint32_t type, bool dwords);
  [[nodiscard]] bool dynamically_indexed(std::uint32_t variable) const { return dynamic_.count(variable) != 0; }
  /// Instructions of the entry point's interface and its execution modes.
  struct EntryPoint {
    std::uint32_t function = 0;
    std::string name;
    std::vector<std::uint32_t> interface_ids;
    std::map<std::uint32_t, std::vector<std::uint32_t>>
        modes;  ///< execution mode -> operands (ids of LocalSizeId resolved)
  } entry;
  std::map<std::string, std::string>
      sampler_records;  ///< portable footprints: sampler -> the surface with its constants
  /// Messages that the shader prints (print.cpp).
  struct Prints {
    std::string surface;                         ///< of the buffer; empty: it prints none
    std::map<std::string, std::uint32_t> lines;  ///< types and format -> number, from 1
  } prints;
  std::uint32_t scratch_dwords = 0, shared_bytes = 0;
  std::string end_label;
  Part subspans;              ///< fragment: R1 as 8 ud (SIMD32: R1 and R2)
  bool kills = false;         ///< a fragment shader with OpKill or OpTerminateInvocation somewhere
  bool per_sample = false;    ///< fragment: one lane for each sample, where there are several
  std::vector<Part> pixel;    ///< fragment: x and y of the pixel as d, once something needs them
  std::optional<Part> layer;  ///< fragment: its layer, likewise
  /// Fragment, likewise: where the samples lie, 1/w, and where the invocation's own sample lies in the pixel.
  std::array<std::optional<Part>, 4> sample_table;
  std::optional<Part> frag_w;
  std::array<std::optional<Part>, 2> own_position;
  /// Where something of the fragment is kept: declares it as an input unless it is there.
  const Part& kept_input(std::optional<Part>& kept, isa::Type type, std::string_view hint, std::string_view value);
  std::uint32_t next_input = 0;
  /// Declares a `.input` at the next register boundary.
  Part add_input(isa::Type type, std::string_view hint, unsigned elements = 0);
  bool discards = false;
};

/// What a stage does before and after the entry point's function.
struct Stage {
  virtual ~Stage() = default;
  /// Interface lines, inputs: all variables of the interface get their values.
  virtual void begin(ShaderTranslator& t) = 0;
  /// Outputs.
  virtual void end(ShaderTranslator& t) = 0;
};
[[nodiscard]] std::unique_ptr<Stage> make_stage(
    isa::ShaderStage stage);  ///< null: it is not compiled (stages/stage.cpp)

using Handler = void (*)(ShaderTranslator&);
struct Op {
  std::uint16_t opcode;
  Handler handler;
};
// The handlers, one table for each file.
[[nodiscard]] std::span<const Op> arithmetic_ops();  // arithmetic.cpp: arithmetic, logic, comparison, bit fields
[[nodiscard]] std::span<const Op> conversion_ops();  // conversion.cpp
[[nodiscard]] std::span<const Op> composite_ops();   // composite.cpp: composites, vectors, matrices, selection
[[nodiscard]] std::span<const Op> memory_ops();      // memory.cpp: variables, access chains, load, store, copy
[[nodiscard]] std::span<const Op> pointer_ops();     // pointer.cpp: pointers as numbers, comparisons of pointers
[[nodiscard]] std::span<const Op> atomic_ops();      // atomic.cpp: atomics of buffers and shared memory, barriers
[[nodiscard]] std::span<const Op> derivative_ops();  // derivative.cpp
[[nodiscard]] std::span<const Op> subgroup_ops();    // subgroup.cpp
[[nodiscard]] std::span<const Op> image_ops();       // image*.cpp
[[nodiscard]] std::span<const Op> footprint_ops();   // footprint.cpp
[[nodiscard]] std::span<const Op> glsl_ops();        // glsl.cpp: OpExtInst of GLSL.std.450

}  // namespace heddle::spirv::compiler
