// Fragment shaders: inputs by name, outputs through RT_WRITE.
// Rules: SPV-33.
#include <fmt/format.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/stages/stage.hpp"

namespace heddle::spirv::compiler {
namespace {

class Fragment final : public Stage {
 public:
  void begin(ShaderTranslator& t) override {
    t.b.interface_line("stage fragment");
    const unsigned halves = t.b.simd() == 32 ? 2 : 1;
    t.subspans = t.b.block(isa::Type::UD, "subspans", 8 * halves);
    t.b.input(t.subspans, 32, 32 * halves);
    t.next_input = 32 + 32 * halves;
    fill_variables(t, static_cast<std::uint32_t>(spv::StorageClass::Input),
                   [&](const InterfaceVariable& v) { return input(t, v); });
    fill_variables(t, static_cast<std::uint32_t>(spv::StorageClass::Output),
                   [&](const InterfaceVariable& v) { return output(t, v); });
    if (t.next_input > 255 * 32) t.refuse("the inputs need more than 255 registers");
  }

  void end(ShaderTranslator& t) override {
    if (targets_.empty()) {
      // Depth, coverage or discarding alone: one write to no colour target.
      if (depth_.kind == Part::Kind::Undefined && mask_.kind == Part::Kind::Undefined &&
          stencil_.kind == Part::Kind::Undefined && !t.discards)
        return;
      Target none;
      none.surface = t.b.surface();
      t.b.interface_line(fmt::format("surface {} no_target", none.surface));
      none.null = true;
      targets_.emplace(0, none);
    }
    const Guard guard = t.discards ? t.live() : Guard{};
    const unsigned lanes = stencil_.kind == Part::Kind::Undefined ? 16 : 8;
    const bool many = targets_.size() > 1 || mask_.kind != Part::Kind::Undefined || per_sample_;
    for (const Piece& piece : t.b.pieces(lanes)) {
      std::size_t n = 0;
      for (auto& [location, target] : targets_) {
        const bool last = ++n == targets_.size();
        std::string flags;
        if (targets_.size() > 1) flags += "<RTI>";
        if (target.second_used) flags += "<A>";
        if (mask_.kind != Part::Kind::Undefined) flags += "<O>";
        if (depth_.kind != Part::Kind::Undefined) flags += "<Z>";
        if (stencil_.kind != Part::Kind::Undefined) flags += "<ST>";
        if (per_sample_) flags += "<PS>";
        if (last) flags += "<LRTW>";
        std::string text = t.b.guard_text(guard);
        text += fmt::format("rt_write_3d{}{} {} {} {}", flags.empty() ? "" : ".", flags, VisaWriter::exec(piece),
                            target.surface,
                            many ? t.b.raw(t.b.element(t.subspans, piece.start / 16 * 8), {0, 1}) : "%null.0");
        if (targets_.size() > 1) text += fmt::format(" 0x{:x}:ub", n - 1);
        if (target.second_used) text += " " + raw(t, target.second[3], piece, isa::Type::F);
        if (mask_.kind != Part::Kind::Undefined) {
          const Part words = t.b.convert(mask_.as(isa::Type::UD), isa::Type::UW, "sample_mask_uw");
          text += " " + t.b.raw(words, piece);
        }
        for (const Part& part : target.colour) text += " " + raw(t, part, piece, isa::Type::F);
        if (depth_.kind != Part::Kind::Undefined) text += " " + raw(t, depth_, piece, isa::Type::F);
        if (stencil_.kind != Part::Kind::Undefined) {
          const Part bytes = t.b.convert(stencil_.as(isa::Type::UD), isa::Type::UB, "stencil_ub");
          text += " " + t.b.raw(bytes, piece);
        }
        t.b.line(text);
      }
    }
  }

 private:
  struct Target {
    std::string surface;
    Part colour[4], second[4];
    bool second_used = false, null = false;
  };

  static std::string raw(ShaderTranslator& t, const Part& part, const Piece& piece, isa::Type type) {
    Part p = part;
    if (p.kind == Part::Kind::Undefined) p = constant(type, 0);
    if (p.kind != Part::Kind::Variable || p.stride != 1) p = t.b.copy(p, "colour");
    return t.b.raw(p.as(type), piece);  // integers too are sent as the bits of F
  }

  std::vector<Part> input(ShaderTranslator& t, const InterfaceVariable& v) {
    if (v.builtin) return builtin(t, v);
    std::vector<Part> list;
    static constexpr std::string_view kComponents[] = {"x", "y", "z", "w"};
    const std::uint32_t read = v.is_member ? ~0u : components_read(t, v.variable);
    for (const InterfaceScalar& s : interface_scalars(t, v)) {
      if (s.component < 32 && s.component >= v.component && (read >> (s.component - v.component) & 1u) == 0) {
        list.push_back(constant(s.type, 0));
        continue;
      }
      const bool wide = isa::type_bytes(s.type) == 8, narrow = isa::type_bytes(s.type) == 2;
      if (wide || s.type == isa::Type::Bool || (narrow && s.type != isa::Type::HF)) {
        t.refuse(fmt::format("input '{}': 8-bit, 16-bit integer and 64-bit inputs are not supported", v.name));
        return {};
      }
      per_sample_ = per_sample_ || v.qualifier.ends_with("sample");
      const std::string name = v.name.empty() ? fmt::format("in{}", s.location) : v.name;
      const isa::Type type = narrow ? isa::Type::F : s.type;
      Part p = t.add_input(type, fmt::format("{}_{}", name, kComponents[s.component % 4]));
      per_sample_ = per_sample_ || v.qualifier == "sample" || v.qualifier == "linear_sample";
      t.b.interface_line(fmt::format("input {} {} {} {} {} {}", t.b.name(p), s.location, s.component,
                                     interface_type(type), v.qualifier, v.name));
      if (narrow) t.b.at_start([&] { p = t.b.convert(p, isa::Type::HF, name); });
      list.push_back(p);
    }
    return list;
  }

  Part value(ShaderTranslator& t, isa::Type type, std::string_view hint, std::string_view word) {
    const Part p = t.add_input(type, hint);
    t.b.interface_line(fmt::format("value {} {}", t.b.name(p), word));
    return p;
  }

  std::vector<Part> builtin(ShaderTranslator& t, const InterfaceVariable& v) {
    std::vector<Part> list;
    switch (static_cast<spv::BuiltIn>(*v.builtin)) {
      case spv::BuiltIn::FragCoord: {
        static constexpr std::string_view kWords[] = {"position.x", "position.y", "position.z", "position.w"};
        for (const std::string_view word : kWords)
          list.push_back(value(t, isa::Type::F, fmt::format("frag_{}", word.back()), word));
        return list;
      }
      case spv::BuiltIn::FrontFacing:
        return {value(t, isa::Type::D, "front", "front").as(isa::Type::Bool)};
      case spv::BuiltIn::PrimitiveId:
        return {value(t, isa::Type::UD, "primitive", "primitive")};
      case spv::BuiltIn::SampleId:
        per_sample_ = true;
        return {value(t, isa::Type::UD, "sample_id", "sample")};
      case spv::BuiltIn::SamplePosition:
        per_sample_ = true;
        return {value(t, isa::Type::F, "sample_x", "sample_position.x"),
                value(t, isa::Type::F, "sample_y", "sample_position.y")};
      case spv::BuiltIn::SampleMask:
        list.push_back(value(t, isa::Type::UD, "coverage", "coverage"));
        return list;
      case spv::BuiltIn::Layer:
        return {value(t, isa::Type::UD, "layer", "layer")};
      case spv::BuiltIn::ViewIndex:
        return {ud(0)};
      case spv::BuiltIn::HelperInvocation: {
        const Part lanes = t.live().predicate;
        Part helper;
        t.b.at_start([&] {
          helper = t.b.predicate("helper");
          t.b.op("not", helper, {lanes});
        });
        return {helper};
      }
      default:
        list = common_builtin(t, *v.builtin);
        if (list.empty())
          t.refuse(fmt::format("built-in input {} of '{}' is not supported in fragment shaders", *v.builtin, v.name));
        return list;
    }
  }

  /// Outputs start as 0, so that components that no lane writes are defined.
  static std::vector<Part> storage(ShaderTranslator& t, std::uint32_t type, const std::string& name) {
    const std::vector<Part> list = *t.new_storage(type, name);
    for (const Part& part : list) t.b.at_start([&] { t.b.move(part, constant(part.type, 0)); });
    return list;
  }

  std::vector<Part> output(ShaderTranslator& t, const InterfaceVariable& v) {
    if (v.builtin) {
      switch (static_cast<spv::BuiltIn>(*v.builtin)) {
        case spv::BuiltIn::FragDepth:
          depth_ = storage(t, v.type, "frag_depth")[0];
          return {depth_};
        case spv::BuiltIn::SampleMask:
          mask_ = storage(t, v.type, "sample_mask")[0];
          return {mask_};
        case spv::BuiltIn::FragStencilRefEXT:
          stencil_ = storage(t, v.type, "stencil_ref")[0];
          return {stencil_};
        default:
          t.refuse(fmt::format("built-in output {} of '{}' is not supported", *v.builtin, v.name));
          return {};
      }
    }
    const std::string name = v.name.empty() ? fmt::format("out{}", v.location.value_or(0)) : v.name;
    std::vector<Part> list = storage(t, v.type, name);
    const std::vector<InterfaceScalar> scalars = interface_scalars(t, v);
    for (std::size_t k = 0; k < list.size() && k < scalars.size(); ++k) {
      const InterfaceScalar& s = scalars[k];
      if (isa::type_bytes(s.type) != 4) {
        t.refuse(fmt::format("output '{}': colours are 32-bit", v.name));
        return list;
      }
      if (s.component > 3) continue;
      Target& target = targets_[s.location];
      if (target.surface.empty()) {
        target.surface = t.b.surface();
        t.b.interface_line(fmt::format("surface {} target {} {}", target.surface, s.location, v.name));
      }
      (v.index == 1 ? target.second : target.colour)[s.component] = list[k];
      if (v.index == 1) target.second_used = true;
    }
    if (v.index == 1) t.refuse(fmt::format("output '{}': dual-source blending is not supported", v.name));
    return list;
  }

  std::map<std::uint32_t, Target> targets_;
  Part depth_, mask_, stencil_;
  bool per_sample_ = false;  ///< one lane for each sample: Vulkan's sample shading
};

}  // namespace

std::unique_ptr<Stage> fragment_stage() { return std::make_unique<Fragment>(); }

}  // namespace heddle::spirv::compiler
