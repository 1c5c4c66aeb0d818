// SPDX-License-Identifier: MIT
// The lines of a shader's interface.
// Rules: SPV-31.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/fixed_limits.hpp"
#include "image/format.hpp"
#include "isa/description.hpp"
#include "isa/quad_remark.hpp"
#include "isa/source_map.hpp"
#include "shader_interface/contradiction.hpp"
#include "shader_interface/interface.hpp"
#include "shader_interface/words.hpp"

namespace heddle::shader_interface {
namespace {

constexpr std::string_view kPrefix = "heddle: ";
constexpr std::uint32_t kMaxStride = 1 << 16, kMaxMessageBytes = (1 << 28) + 1;
constexpr std::uint32_t kMaxHandles = 1 << 28, kMaxElements = 1 << 20;
constexpr std::uint32_t kMaxEmitted = 1 << 14;

bool number(std::string_view text, std::uint32_t& value) {
  const auto r = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && r.ec == std::errc() && r.ptr == text.data() + text.size();
}

/// Takes the digits at the front.
bool take_number(std::string_view& text, std::uint32_t& value) {
  const auto r = std::from_chars(text.data(), text.data() + text.size(), value);
  if (r.ec != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(r.ptr - text.data()));
  return true;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

struct LineReader {
  const isa::Object& kernel;
  ShaderInterface& out;
  std::string_view rest;
  bool staged = false;
  std::string why;

  std::string_view word() {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view result = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return result;
  }
  bool fail(std::string message) {
    why = std::move(message);
    return false;
  }
  bool read_number(std::uint32_t& value, std::string_view what, std::uint32_t below) {
    const std::string_view text = word();
    if (number(text, value) && value < below) return true;
    return fail(fmt::format("{} is '{}', a number below {} is expected", what, text, below));
  }
  /// "T6" or "S0", which the kernel must declare, the handle "B0", or where `elements` is asked for handles "B0..B7".
  bool state_variable(char letter, std::uint32_t& id, std::uint32_t* elements = nullptr) {
    const std::string_view text = word();
    if (std::string_view left = text; take(left, 'B') && take_number(left, id) && id < kMaxHandles) {
      std::uint32_t last = id;
      const bool one = left.empty();
      const bool range =
          elements != nullptr && take(left, '.') && take(left, '.') && take(left, 'B') && take_number(left, last);
      if ((one || range) && left.empty() && last >= id && last - id < kMaxElements) {
        if (range) *elements = last - id + 1;
        id += kFirstHandle;
        return true;
      }
    }
    const bool surface = letter == 'T';
    const std::size_t count = surface ? kernel.surfaces.size() : kernel.samplers.size();
    const std::uint32_t first = surface ? isa::kFirstSurface : 0;
    if (text.size() > 1 && text[0] == letter && number(text.substr(1), id) && id >= first && id - first < count)
      return true;
    return fail(fmt::format("the kernel declares no {} variable '{}'", surface ? "surface" : "sampler", text));
  }
  /// A general variable by its name or V number, that an `.input` covers.
  bool variable(std::uint32_t& id) {
    const std::string_view text = word();
    bool found = false;
    for (std::size_t i = 0; i < kernel.variables.size() && !found; ++i)
      if (kernel.variables[i].name == text && !text.empty()) {
        id = isa::kFirstVariable + static_cast<std::uint32_t>(i);
        found = true;
      }
    if (!found && text.size() > 1 && text[0] == 'V' && number(text.substr(1), id))
      found = id >= isa::kFirstVariable && id - isa::kFirstVariable < kernel.variables.size();
    if (!found) return fail(fmt::format("the kernel declares no variable '{}'", text));
    if (std::none_of(kernel.inputs.begin(), kernel.inputs.end(), [&](const isa::Input& input) {
          return input.kind() == isa::InputKind::General && input.id == id;
        }))
      return fail(fmt::format("variable '{}' is no .input", text));
    if (out.describes(id)) return fail(fmt::format("variable '{}' is described twice", text));
    return true;
  }
  /// "S.B", "S.B[2]" or, of an array without a length, "S.B[2]?".
  bool slot(std::uint32_t& set, std::uint32_t& binding, std::optional<std::uint32_t>& element, bool& open) {
    const std::string_view text = word();
    std::string_view left = text;
    bool good = take_number(left, set) && take(left, '.') && take_number(left, binding);
    if (good && !left.empty()) {
      std::uint32_t index = 0;
      good = take(left, '[') && take_number(left, index) && take(left, ']');
      open = take(left, '?');
      good = good && left.empty();
      element = index;
    }
    return good || fail(fmt::format("'{}' is no SET.BINDING", text));
  }

  bool stage() {
    const auto row = std::ranges::find_if(isa::kShaderStages, [&](const isa::ShaderStageInfo& s) {  // of some words
      return s.compiled && rest.starts_with(s.name) && (rest.size() == s.name.size() || rest[s.name.size()] == ' ');
    });
    if (row == isa::kShaderStages.end()) return fail(fmt::format("unknown stage '{}'", word()));
    rest.remove_prefix(std::min(row->name.size() + 1, rest.size()));
    out.stage = row->stage;
    if (out.stage == ShaderStage::Compute || out.stage == ShaderStage::Task || out.stage == ShaderStage::Mesh) {
      for (std::uint32_t& size : out.local)
        if (!read_number(size, "the local size", 65537)) return false;
      if (std::min({out.local[0], out.local[1], out.local[2]}) == 0) return fail("the local size is 0");
    }
    if (out.stage == ShaderStage::Mesh && !mesh()) return false;
    if (out.stage == ShaderStage::Geometry && !geometry()) return false;
    if (out.stage == ShaderStage::TessellationControl) {
      std::uint32_t& vertices = out.tessellation.output_vertices;
      if (!read_number(vertices, "the number of vertices", pipeline::kMaxPatchVertices + 1)) return false;
      if (vertices == 0) return fail("a patch has no vertices");
    }
    staged = true;
    return true;
  }
  /// "triangles line_strip 12 1": what it takes, what it makes, of how many vertices at most, how often it runs.
  bool geometry() {
    GeometryLine& line = out.geometry;
    const auto taken = find(kTaken, word());
    const auto made = find(kMade, word());
    if (!taken || !made) return fail("a geometry shader takes or makes no such primitives");
    line.corners = *taken;
    line.made = *made;
    return read_number(line.max_vertices, "the number of vertices", kMaxEmitted) &&
           read_number(line.invocations, "the number of invocations", kMaxEmitted) &&
           (std::min(line.max_vertices, line.invocations) != 0 ||
            fail("a geometry shader has one vertex and runs once"));
  }
  /// "triangles 64 124": what a group makes, of how many vertices and how many of them at most.
  bool mesh() {
    MeshLine& line = out.mesh;
    const auto made = find(kMeshPrimitives, word());
    if (!made) return fail("a mesh shader makes no such primitives");
    line.corners = *made;
    return read_number(line.max_vertices, "the number of vertices", kMaxEmitted) &&
           read_number(line.max_primitives, "the number of primitives", kMaxEmitted) &&
           (std::min(line.max_vertices, line.max_primitives) != 0 ||
            fail("a group of a mesh shader has one vertex and one primitive"));
  }
  /// "quads fractional_odd cw points", as many of them as the shader says.
  bool tessellation() {
    TessellationLine& line = out.tessellation;
    while (!rest.empty()) {
      const std::string_view mode = word();
      if (const auto domain = find(kDomains, mode))
        line.domain = domain;
      else if (const auto spacing = find(kSpacings, mode))
        line.spacing = spacing;
      else if (mode == "cw" || mode == "ccw")
        line.counterclockwise = mode == "ccw";
      else if (mode == "points")
        line.points = true;
      else
        return fail(fmt::format("'{}' is no word about patches", mode));
    }
    return true;
  }
  /// "2d", "2d/R8G8B8A8_UNORM", "2d/integers"; of texel buffers the format alone, of targets "integers".
  static bool shape_and_format(std::string_view text, SurfaceLine& line) {
    if (line.kind == ResourceKind::Target) {
      line.format = text;
      return text == kIntegers;
    }
    const bool storage_buffer = line.kind == ResourceKind::StorageTexelBuffer;
    const std::size_t slash = storage_buffer ? 0 : std::min(text.find('/'), text.size());
    if (!storage_buffer) {
      const auto shape = find(kShapes, text.substr(0, slash));
      if (!shape || (line.kind != ResourceKind::Image && line.kind != ResourceKind::StorageImage)) return false;
      line.shape = *shape;
      if (slash == text.size()) return true;
      text.remove_prefix(slash + 1);
      line.format = text;
      if (text == kIntegers) return true;
      if (line.kind != ResourceKind::StorageImage) return false;
    }
    line.format = text;
    return image::find_format(text) != nullptr;
  }
  bool surface() {
    SurfaceLine line;
    if (!state_variable('T', line.variable, &line.count)) return false;
    if (out.surface(line.variable) != nullptr) return fail(fmt::format("T{} is described twice", line.variable));
    const std::string_view text = word(), word_of_kind = text.substr(0, text.find('/'));
    const auto kind = find(kKinds, word_of_kind);
    if (!kind) return fail(fmt::format("unknown kind of surface '{}'", text));
    line.kind = *kind;
    if (word_of_kind != text && !shape_and_format(text.substr(word_of_kind.size() + 1), line))
      return fail(fmt::format("unknown kind of surface '{}'", text));
    if (line.is_resource() && !slot(line.set, line.binding, line.element, line.open)) return false;
    if (line.kind == ResourceKind::Target && !read_number(line.location, "the location", base::kLocations))
      return false;
    const bool records = line.kind == ResourceKind::VertexOutputs || line.kind == ResourceKind::VertexInputs ||
                         line.kind == ResourceKind::PatchOutputs || line.kind == ResourceKind::PatchInputs ||
                         line.kind == ResourceKind::PrimitiveOutputs || line.kind == ResourceKind::TaskPayload;
    if (records && !read_number(line.stride, "the stride", kMaxStride)) return false;
    if (line.kind == ResourceKind::Messages && !read_number(line.bytes, "the size", kMaxMessageBytes)) return false;
    if (line.kind == ResourceKind::Constants && !read_number(line.bytes, "the size", base::kConstantBytes + 1))
      return false;
    if (line.kind == ResourceKind::SamplerRecord && !state_variable('S', line.sampler)) return false;
    line.name = rest;
    out.surfaces.push_back(std::move(line));
    return true;
  }
  bool sampler() {
    SamplerLine line;
    if (!state_variable('S', line.variable, &line.count)) return false;
    if (out.sampler(line.variable) != nullptr) return fail(fmt::format("S{} is described twice", line.variable));
    if (!slot(line.set, line.binding, line.element, line.open)) return false;
    line.name = rest;
    out.samplers.push_back(std::move(line));
    return true;
  }
  /// The line of the surface that the next word names; null after a report.
  SurfaceLine* described_surface() {
    std::uint32_t variable = 0;
    if (!state_variable('T', variable)) return nullptr;
    const auto found = std::find_if(out.surfaces.begin(), out.surfaces.end(),
                                    [&](const SurfaceLine& line) { return line.variable == variable; });
    if (found != out.surfaces.end()) return &*found;
    fail(fmt::format("no line says what T{} is", variable));
    return nullptr;
  }
  bool block() {
    SurfaceLine* line = described_surface();
    if (line == nullptr) return false;
    line->block = rest;
    return true;
  }
  /// Bytes of constants, behind those of the lines before.
  bool data() {
    SurfaceLine* line = described_surface();
    if (line == nullptr) return false;
    const std::string_view text = word();
    if (line->kind != ResourceKind::Constants || text.size() % 2 != 0 ||
        line->data.size() + text.size() / 2 > line->bytes)
      return fail("data belongs to constants, no more bytes than their line says, two digits each");
    for (std::size_t k = 0; k < text.size(); k += 2) {
      std::uint8_t byte = 0;
      const auto [end, error] = std::from_chars(text.data() + k, text.data() + k + 2, byte, 16);
      if (error != std::errc() || end != text.data() + k + 2)
        return fail(fmt::format("'{}' is no byte", text.substr(k, 2)));
      line->data.push_back(byte);
    }
    return true;
  }
  bool member() {
    SurfaceLine* block = described_surface();
    if (block == nullptr) return false;
    BlockMember member;
    if (!read_number(member.offset, "the offset", UINT32_MAX)) return false;
    const std::string_view text = word();
    auto type = parse_member_type(text);
    if (!type) return fail(fmt::format("unknown type '{}'", text));
    member.type = std::move(*type);
    member.name = rest;
    block->members.push_back(std::move(member));
    return true;
  }
  /// LOCATION COMPONENT TYPE
  bool place(StageVariable& v, bool is_output) {
    const std::string_view location = word();
    if (is_output && location == "position")
      v.location = kPositionLocation;
    else if (is_output && location == "point_size")
      v.location = kPointSizeLocation;
    else if (is_output && location == "layer")
      v.location = kLayerLocation;
    else if (is_output && location == "viewport")
      v.location = kViewportLocation;
    else if (is_output && location == "primitive")
      v.location = kPrimitiveLocation;
    else if (is_output && location == "tess_level_outer")
      v.location = kTessLevelOuterLocation;
    else if (is_output && location == "tess_level_inner")
      v.location = kTessLevelInnerLocation;
    else if (is_output && location == "index")
      v.location = kIndexLocation;
    else if (is_output && location == "cull_primitive")
      v.location = kCullPrimitiveLocation;
    else if (is_output && location == "shading_rate")
      v.location = kShadingRateLocation;
    else if (location == "clip_distance")
      v.location = kClipDistanceLocation;
    else if (location == "cull_distance")
      v.location = kCullDistanceLocation;
    else if (!number(location, v.location) || v.location >= base::kLocations)
      return fail(fmt::format("'{}' is no location", location));
    const bool distance = v.location == kClipDistanceLocation || v.location == kCullDistanceLocation;
    if (!read_number(v.component, "the component", distance ? 8 : 4)) return false;
    const std::string_view type = word();
    const auto known_type = find(kComponentTypes, type);
    if (!known_type || (pipeline::is_wide(*known_type) && (is_output || out.stage != ShaderStage::Vertex)))
      return fail(fmt::format("a component is f32, i32 or u32, not '{}'", type));
    v.type = *known_type;
    return true;
  }
  bool component(StageVariable& v, bool is_output) {
    if (!place(v, is_output)) return false;
    const std::string_view qualifier = word();
    const auto known_qualifier = find(kQualifiers, qualifier);
    if (!known_qualifier) return fail(fmt::format("unknown qualifier '{}'", qualifier));
    v.interpolation = *known_qualifier;
    v.name = rest;
    return true;
  }
  bool input() {
    StageVariable v;
    if (!variable(v.variable) || !component(v, false)) return false;
    out.inputs.push_back(std::move(v));
    return true;
  }
  bool unread() {
    StageVariable v;
    if (!read_number(v.location, "the location", base::kLocations) || !read_number(v.component, "the component", 4))
      return false;
    v.name = rest;
    out.unread.push_back(std::move(v));
    return true;
  }
  bool output() {
    StageVariable v;
    if (!read_number(v.offset, "the offset", kMaxStride) || !component(v, true)) return false;
    out.outputs.push_back(std::move(v));
    return true;
  }
  bool record_variable(std::vector<StageVariable>& list) {
    StageVariable v;
    if (!read_number(v.offset, "the offset", kMaxStride) || !place(v, true)) return false;
    v.name = rest;
    list.push_back(std::move(v));
    return true;
  }
  bool capture_buffer() {
    CaptureLine line;
    if (!read_number(line.buffer, "the buffer", base::kMaxCaptureBuffers) ||
        !read_number(line.stride, "the stride", kMaxStride) || !read_number(line.stream, "the stream", 4))
      return false;
    out.captures.push_back(std::move(line));
    return true;
  }
  bool capture() {
    std::uint32_t buffer = 0;
    CaptureLine::Dword dword;
    if (!read_number(buffer, "the buffer", base::kMaxCaptureBuffers) ||
        !read_number(dword.to, "the byte", kMaxStride) || !read_number(dword.from, "the offset", kMaxStride))
      return false;
    const auto found = std::ranges::find(out.captures, buffer, &CaptureLine::buffer);
    if (found == out.captures.end()) return fail(fmt::format("no line describes the capture buffer {}", buffer));
    const bool is_short = rest == "short";
    if (!is_short && !rest.empty()) return fail(fmt::format("'{}' behind the offset is not 'short'", rest));
    (is_short ? found->shorts : found->dwords).push_back(dword);
    return true;
  }
  bool value() {
    ValueLine v;
    if (!variable(v.variable)) return false;
    const auto known = find(kValues, rest);
    if (!known) return fail(fmt::format("unknown value '{}'", rest));
    v.value = *known;
    out.values.push_back(v);
    return true;
  }
  bool print() {
    auto line = parse_print_line(rest);
    if (!line) return fail(fmt::format("'{}' names no types of 32 or 64 bits", rest));
    out.prints.push_back(std::move(*line));
    return true;
  }

  bool line() {
    const std::string_view kind = word();
    if (kind == "interface") {
      const std::string_view version = word();
      return version == "1" || fail(fmt::format("this build reads version 1, not '{}'", version));
    }
    if (kind == "stage") return stage();
    if (kind == "sees_lanes") return out.sees_lanes = true;
    if (kind == "early_tests") return out.early_tests = true;
    if (kind == "keeps_fragments") return out.keeps_fragments = true;
    if (kind == "own_subspans") return out.own_subspans = true;
    if (kind == "own_lanes") return out.own_lanes = true;
    if (kind == "post_depth_coverage") return out.post_depth_coverage = true;
    if (kind == "samples_in_turn") return out.samples_in_turn = true;
    if (kind == "surface") return surface();
    if (kind == "sampler") return sampler();
    if (kind == "block") return block();
    if (kind == "member") return member();
    if (kind == "data") return data();
    if (kind == "input") return input();
    if (kind == "unread") return unread();
    if (kind == "output") return output();
    if (kind == "record_input") return record_variable(out.record_inputs);
    if (kind == "patch_input") return record_variable(out.patch_inputs);
    if (kind == "primitive_output") return record_variable(out.primitive_outputs);
    if (kind == "patch_output") return record_variable(out.patch_outputs);
    if (kind == "tessellation") return tessellation();
    if (kind == "vertex_header") return read_number(out.geometry.header, "the offset", kMaxStride);
    if (kind == "capture_buffer") return capture_buffer();
    if (kind == "capture") return capture();
    if (kind == "value") return value();
    if (kind == "print") return print();
    // Of places and of accesses, not of the interface: isa::SourceMap, isa::remark_of.
    if (kind == "columns" || kind == isa::kAtomicRemark || kind == isa::kPlainRemark || kind == isa::kQuadRemark ||
        kind == isa::kDemoteRemark || kind == isa::kStandInRemark || kind == isa::kStandInEndRemark ||
        kind == isa::kCarryRemark || kind == isa::kCarryEndRemark || kind == isa::kForgetRemark)
      return true;
    return fail(fmt::format("unknown word '{}'", kind));
  }
};

/// Names of types that say no more which block is meant: of several bindings, or the name of another resource.
void drop_shared_names(ShaderInterface& interface) {
  std::vector<SurfaceLine>& lines = interface.surfaces;
  std::vector<bool> shared;
  for (const SurfaceLine& line : lines)
    shared.push_back(std::any_of(lines.begin(), lines.end(), [&](const SurfaceLine& other) {
      const bool same = other.kind == line.kind && other.set == line.set && other.binding == line.binding;
      return other.name == line.block || (!same && other.block == line.block);
    }));
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (shared[i]) lines[i].block.clear();
}

}  // namespace

std::optional<MemberType> parse_member_type(std::string_view text) {
  MemberType type;
  type.text = text;
  if (text.starts_with("bytes/")) {
    return number(text.substr(6), type.opaque) && type.opaque != 0 ? std::optional(type) : std::nullopt;
  }
  const std::size_t scalar = std::min(text.find_first_of("x[/"), text.size());
  const auto element = find_element_type(text.substr(0, scalar));
  if (!element) return std::nullopt;
  type.element = *element;
  text.remove_prefix(scalar);
  if (take(text, 'x') && (!take_number(text, type.components) || type.components < 1 || type.components > 16))
    return std::nullopt;
  if (take(text, 'x')) {
    if (!take_number(text, type.columns) || type.columns < 1 || type.columns > 16 || !take(text, '/') ||
        !take_number(text, type.column_stride))
      return std::nullopt;
    type.row_major = take(text, 'r');
  }
  while (take(text, '[')) {
    std::uint32_t count = 0, stride = 0;
    const bool open = take(text, ']');
    if (!open && (!take_number(text, count) || count == 0 || !take(text, ']'))) return std::nullopt;
    if (open && !type.arrays.empty()) return std::nullopt;
    if (!take(text, '/') || !take_number(text, stride)) return std::nullopt;
    type.arrays.emplace_back(count, stride);
    if (type.arrays.size() > 8) return std::nullopt;
  }
  if (!text.empty()) return std::nullopt;
  constexpr std::uint64_t kMax = std::uint64_t{1} << 28;  // values, and bytes between them: sums stay within 64 bits
  std::uint64_t values = std::uint64_t{type.components} * type.columns;
  for (const auto& [count, stride] : type.arrays) {
    if (count > kMax / values) return std::nullopt;
    values *= std::max(1u, count);
    if (stride > kMax) return std::nullopt;
  }
  if (type.column_stride > kMax) return std::nullopt;
  return type;
}

std::string_view shape_word(ImageShape shape) {
  for (const auto& [word, value] : kShapes)
    if (value == shape) return word;
  return {};
}

std::string_view kind_word(ResourceKind kind) {
  for (const auto& [word, value] : kKinds)
    if (value == kind) return word;
  return {};
}

namespace {

template <typename Line>
bool expand(std::vector<Line>& lines) {
  std::size_t all = 0;
  for (const Line& line : lines) all += line.count;
  if (all == lines.size()) return true;
  if (all > kMaxLines) return false;
  std::vector<Line> list;
  list.reserve(all);
  for (const Line& line : lines)
    for (std::uint32_t k = 0; k < line.count; ++k) {
      Line& one = list.emplace_back(line);
      one.variable += k;
      one.count = 1;
      if (line.count > 1) one.element = line.element.value_or(0) + k;
    }
  lines = std::move(list);
  return true;
}

}  // namespace

void expand_arrays(ShaderInterface& interface, base::Diagnostics& diagnostics) {
  if (!expand(interface.surfaces) || !expand(interface.samplers))
    diagnostics.add(base::limit_error(
        "shader-interface", fmt::format("the shader's arrays of descriptors have more than {} elements", kMaxLines)));
}

std::optional<ShaderInterface> read_interface(const isa::Program& program, const isa::Object& kernel,
                                              base::Diagnostics& diagnostics) {
  std::optional<ShaderInterface> result;
  std::optional<LineReader> reader;
  const isa::Instruction* first = nullptr;
  const std::size_t errors = diagnostics.errors();
  for (const isa::Instruction& instruction : kernel.instructions) {
    if (instruction.description == nullptr || instruction.description->traits.flow != isa::FlowKind::Remark) continue;
    const std::span<const isa::Operand> operands = kernel.operands_of(instruction);
    if (operands.empty() || operands[0].kind != isa::OperandKind::String || operands[0].id >= kernel.strings.size())
      continue;
    const std::string_view text = kernel.strings[operands[0].id];
    if (!text.starts_with(kPrefix)) continue;
    if (!result) {
      result.emplace();
      reader.emplace(LineReader{kernel, *result, {}, false, {}});
      first = &instruction;
    }
    reader->rest = text.substr(kPrefix.size());
    if (!reader->line())
      diagnostics.add(
          base::error("shader-interface", reader->why, isa::place_of(program, kernel, instruction))
              .note(
                  "lines that begin with 'heddle:' say what a compiled shader is bound to (docs/spirv-interface.md)"));
  }
  if (result && diagnostics.errors() == errors) {
    drop_shared_names(*result);
    const std::string why = reader->staged ? contradiction(*result) : "no line names the shader's stage";
    if (!why.empty()) diagnostics.add(base::error("shader-interface", why, isa::place_of(program, kernel, *first)));
  }
  return result;
}

}  // namespace heddle::shader_interface
