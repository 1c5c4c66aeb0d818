// SPDX-License-Identifier: MIT
// Geometry shaders: one lane an invocation of a primitive; each vertex that it emits is a record of a raw buffer.
// Rules: SPV-34, SPV-42, SPV-44.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/stages/record_inputs.hpp"
#include "spirv/compile/stages/record_outputs.hpp"
#include "spirv/compile/stages/stage.hpp"
#include "spirv/names.hpp"

namespace heddle::spirv::compiler {
namespace {

struct InputMode {
  spv::ExecutionMode mode;
  std::string_view word;
  std::uint32_t vertices;
};
constexpr std::array kInputModes{
    InputMode{spv::ExecutionMode::InputPoints, "points", 1},
    InputMode{spv::ExecutionMode::InputLines, "lines", 2},
    InputMode{spv::ExecutionMode::InputLinesAdjacency, "lines_adjacency", 4},
    InputMode{spv::ExecutionMode::Triangles, "triangles", 3},
    InputMode{spv::ExecutionMode::InputTrianglesAdjacency, "triangles_adjacency", 6},
};

class Geometry final : public Stage {
 public:
  void begin(ShaderContext& t) override {
    const auto input = std::ranges::find_if(
        kInputModes, [&](const InputMode& m) { return t.entry.has_mode(static_cast<std::uint32_t>(m.mode)); });
    const InputMode& in = input != kInputModes.end() ? *input : kInputModes.front();  // validation asks for one
    max_vertices_ = std::max(1u, first_of(t, spv::ExecutionMode::OutputVertices, 1));
    write_stage_line(t, fmt::format(" {} {} {} {}", in.word, made(t), max_vertices_,
                                    std::max(1u, first_of(t, spv::ExecutionMode::Invocations, 1))));
    t.inputs.begin_at(t.b.grf());
    slot_ = value(t, "slot");
    inputs_.declare(t, value(t, "primitive_slot"), in.vertices, in.vertices);
    fill_variables(t, static_cast<std::uint32_t>(spv::StorageClass::Input),
                   [&](const InterfaceVariable& v) { return input_of(t, v); });
    fill_variables(t, static_cast<std::uint32_t>(spv::StorageClass::Output),
                   [&](const InterfaceVariable& v) { return outputs_.declare(t, v); });
    check_inputs(t);
    check_size(t);
    outputs_.describe(t, 1);
    t.b.interface_line(fmt::format("vertex_header {}", outputs_.bytes()));
    counts_ = t.b.surface();
    t.b.interface_line(fmt::format("surface {} emitted_counts", counts_));
    emitted_ = start_as(t, "emitted", 0);
    t.emission.vertex = [&](std::uint32_t stream) { emit(t, stream); };
    t.emission.end_primitive = [&](std::uint32_t stream) { t.b.move(begins(t, stream), ud(1)); };
  }

  void end(ShaderContext& t) override {
    const Part place = t.b.make("shl", isa::Type::UD, {slot_, ud(2)}, "count_place");
    for (const LaneRange& range : t.b.lane_ranges(16))
      t.b.instruction("scatter4_scaled.R", range,
                      {counts_, hexadecimal(isa::Type::UD, 0), t.b.raw(place, range), t.b.raw(emitted_, range)});
  }

 private:
  static constexpr std::uint32_t kStreams = 4, kMaxVertices = 1024, kMaxDwords = 1 << 16;

  /// What an invocation emits is kept until all lanes of its thread are done.
  void check_size(ShaderContext& t) const {
    const std::uint64_t dwords = std::uint64_t{max_vertices_} * (outputs_.bytes() / 4 + 1);
    if (max_vertices_ > kMaxVertices || dwords > kMaxDwords)
      t.refuse(fmt::format("{} vertices of {} dwords are more than an invocation may emit: {} vertices, {} dwords",
                           max_vertices_, outputs_.bytes() / 4 + 1, kMaxVertices, kMaxDwords));
  }
  static std::uint32_t first_of(ShaderContext& t, spv::ExecutionMode mode, std::uint32_t otherwise) {
    const auto found = t.entry.modes.find(static_cast<std::uint32_t>(mode));
    return found == t.entry.modes.end() || found->second.empty() ? otherwise : found->second[0];
  }
  static std::string_view made(ShaderContext& t) {
    if (t.entry.has_mode(static_cast<std::uint32_t>(spv::ExecutionMode::OutputPoints))) return "points";
    if (t.entry.has_mode(static_cast<std::uint32_t>(spv::ExecutionMode::OutputLineStrip))) return "line_strip";
    return "triangle_strip";
  }
  static Part value(ShaderContext& t, std::string_view word) {
    const Part p = t.inputs.add(isa::Type::UD, word);
    t.b.interface_line(fmt::format("value {} {}", t.b.name(p), word));
    return p;
  }
  static Part start_as(ShaderContext& t, std::string_view hint, std::uint32_t number) {
    const Part p = t.b.lanes(isa::Type::UD, hint);
    t.b.at_start([&] { t.b.move(p, ud(number)); });
    return p;
  }

  static std::vector<Part> input_of(ShaderContext& t, const InterfaceVariable& v) {
    if (!v.builtin) {
      t.refuse(fmt::format("input '{}' is no array of the primitive's vertices", v.name));
      return {};
    }
    switch (static_cast<spv::BuiltIn>(*v.builtin)) {
      case spv::BuiltIn::PrimitiveId:
        return {value(t, "primitive")};
      case spv::BuiltIn::InvocationId:
        return {value(t, "invocation")};
      case spv::BuiltIn::ViewIndex:
        return {value(t, "view")};
      default: {
        std::vector<Part> list = common_builtin(t, *v.builtin);
        if (list.empty())
          t.refuse(fmt::format("built-in input {} of '{}' is not supported in geometry shaders",
                               built_in_name(*v.builtin), v.name));
        return list;
      }
    }
  }

  /// Not 0: the next vertex of the stream begins a strip.
  Part begins(ShaderContext& t, std::uint32_t stream) {
    std::optional<Part>& kept = begins_[stream % kStreams];
    if (!kept) kept = start_as(t, "begins_strip", 1);
    return *kept;
  }

  /// SPV-44: vertices beyond the declared number are counted, and not written.
  void emit(ShaderContext& t, std::uint32_t stream) {
    VisaWriter& b = t.b;
    const Part strip = begins(t, stream);
    const Guard there{b.compare("lt", emitted_, ud(max_vertices_), "there"), false, false};
    const Part first = b.make("mul", isa::Type::UD, {slot_, ud(max_vertices_)}, "first_vertex");
    const Part number = b.make("add", isa::Type::UD, {first, emitted_}, "vertex_number");
    const Part base = b.make("mul", isa::Type::UD, {number, ud(outputs_.bytes() + 4)}, "record");
    const Part header =
        stream == 0 ? strip : b.make("or", isa::Type::UD, {strip, ud(stream % kStreams << 1)}, "vertex_header");
    outputs_.write(t, base, there, header);
    outputs_.forget(t);
    b.op("add", emitted_, {emitted_, ud(1)});
    b.move(strip, ud(0));
  }

  Part slot_, emitted_;
  std::uint32_t max_vertices_ = 1;
  std::array<std::optional<Part>, kStreams> begins_;
  RecordInputs inputs_;
  RecordOutputs outputs_;
  std::string counts_;
};

}  // namespace

std::unique_ptr<Stage> geometry_stage() { return std::make_unique<Geometry>(); }

}  // namespace heddle::spirv::compiler
