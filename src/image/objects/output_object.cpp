// SPDX-License-Identifier: MIT
#include "image/objects/output_object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/half.hpp"
#include "image/objects/object.hpp"

namespace heddle::image {
namespace {

using base::Node;
using base::TableReader;

template <typename E>
struct Word {
  std::string_view word;
  E value;
};

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return result;
}

template <typename E, std::size_t N>
void enumerator(TableReader& reader, std::string_view key, const Word<E> (&table)[N], E& out) {
  std::vector<std::string_view> words;
  for (const Word<E>& entry : table) words.push_back(entry.word);
  const auto find = [&](std::string_view text) -> std::optional<E> {
    const std::string word = upper(text);
    for (const Word<E>& entry : table)
      if (entry.word == word) return entry.value;
    return std::nullopt;
  };
  if (const auto value = reader.word(key, find, words)) out = *value;
}

// The hardware's word first, Vulkan's after it.
constexpr Word<CompareFunction> kCompare[] = {{"ALWAYS", CompareFunction::Always},
                                              {"NEVER", CompareFunction::Never},
                                              {"LESS", CompareFunction::Less},
                                              {"EQUAL", CompareFunction::Equal},
                                              {"LEQUAL", CompareFunction::Lequal},
                                              {"GREATER", CompareFunction::Greater},
                                              {"NOTEQUAL", CompareFunction::Notequal},
                                              {"GEQUAL", CompareFunction::Gequal},
                                              {"LESS_OR_EQUAL", CompareFunction::Lequal},
                                              {"NOT_EQUAL", CompareFunction::Notequal},
                                              {"GREATER_OR_EQUAL", CompareFunction::Gequal}};
constexpr Word<BlendFactor> kFactors[] = {{"ONE", BlendFactor::One},
                                          {"SRC_COLOR", BlendFactor::SrcColor},
                                          {"SRC_ALPHA", BlendFactor::SrcAlpha},
                                          {"DST_ALPHA", BlendFactor::DstAlpha},
                                          {"DST_COLOR", BlendFactor::DstColor},
                                          {"SRC_ALPHA_SATURATE", BlendFactor::SrcAlphaSaturate},
                                          {"CONST_COLOR", BlendFactor::ConstColor},
                                          {"CONST_ALPHA", BlendFactor::ConstAlpha},
                                          {"SRC1_COLOR", BlendFactor::Src1Color},
                                          {"SRC1_ALPHA", BlendFactor::Src1Alpha},
                                          {"ZERO", BlendFactor::Zero},
                                          {"INV_SRC_COLOR", BlendFactor::InvSrcColor},
                                          {"INV_SRC_ALPHA", BlendFactor::InvSrcAlpha},
                                          {"INV_DST_ALPHA", BlendFactor::InvDstAlpha},
                                          {"INV_DST_COLOR", BlendFactor::InvDstColor},
                                          {"INV_CONST_COLOR", BlendFactor::InvConstColor},
                                          {"INV_CONST_ALPHA", BlendFactor::InvConstAlpha},
                                          {"INV_SRC1_COLOR", BlendFactor::InvSrc1Color},
                                          {"INV_SRC1_ALPHA", BlendFactor::InvSrc1Alpha},
                                          {"ONE_MINUS_SRC_COLOR", BlendFactor::InvSrcColor},
                                          {"ONE_MINUS_SRC_ALPHA", BlendFactor::InvSrcAlpha},
                                          {"ONE_MINUS_DST_ALPHA", BlendFactor::InvDstAlpha},
                                          {"ONE_MINUS_DST_COLOR", BlendFactor::InvDstColor},
                                          {"ONE_MINUS_SRC1_COLOR", BlendFactor::InvSrc1Color},
                                          {"ONE_MINUS_SRC1_ALPHA", BlendFactor::InvSrc1Alpha},
                                          {"CONSTANT_COLOR", BlendFactor::ConstColor},
                                          {"CONSTANT_ALPHA", BlendFactor::ConstAlpha},
                                          {"ONE_MINUS_CONSTANT_COLOR", BlendFactor::InvConstColor},
                                          {"ONE_MINUS_CONSTANT_ALPHA", BlendFactor::InvConstAlpha}};
constexpr Word<BlendFunction> kFunctions[] = {{"ADD", BlendFunction::Add},
                                              {"SUBTRACT", BlendFunction::Subtract},
                                              {"REVERSE_SUBTRACT", BlendFunction::ReverseSubtract},
                                              {"MIN", BlendFunction::Min},
                                              {"MAX", BlendFunction::Max}};
constexpr Word<AdvancedBlendOp> kAdvanced[] = {{"OFF", AdvancedBlendOp::Off},
                                               {"ZERO", AdvancedBlendOp::Zero},
                                               {"SRC", AdvancedBlendOp::Src},
                                               {"DST", AdvancedBlendOp::Dst},
                                               {"SRC_OVER", AdvancedBlendOp::SrcOver},
                                               {"DST_OVER", AdvancedBlendOp::DstOver},
                                               {"SRC_IN", AdvancedBlendOp::SrcIn},
                                               {"DST_IN", AdvancedBlendOp::DstIn},
                                               {"SRC_OUT", AdvancedBlendOp::SrcOut},
                                               {"DST_OUT", AdvancedBlendOp::DstOut},
                                               {"SRC_ATOP", AdvancedBlendOp::SrcAtop},
                                               {"DST_ATOP", AdvancedBlendOp::DstAtop},
                                               {"XOR", AdvancedBlendOp::Xor},
                                               {"MULTIPLY", AdvancedBlendOp::Multiply},
                                               {"SCREEN", AdvancedBlendOp::Screen},
                                               {"OVERLAY", AdvancedBlendOp::Overlay},
                                               {"DARKEN", AdvancedBlendOp::Darken},
                                               {"LIGHTEN", AdvancedBlendOp::Lighten},
                                               {"COLORDODGE", AdvancedBlendOp::ColorDodge},
                                               {"COLORBURN", AdvancedBlendOp::ColorBurn},
                                               {"HARDLIGHT", AdvancedBlendOp::HardLight},
                                               {"SOFTLIGHT", AdvancedBlendOp::SoftLight},
                                               {"DIFFERENCE", AdvancedBlendOp::Difference},
                                               {"EXCLUSION", AdvancedBlendOp::Exclusion},
                                               {"INVERT", AdvancedBlendOp::Invert},
                                               {"INVERT_RGB", AdvancedBlendOp::InvertRgb},
                                               {"LINEARDODGE", AdvancedBlendOp::LinearDodge},
                                               {"LINEARBURN", AdvancedBlendOp::LinearBurn},
                                               {"VIVIDLIGHT", AdvancedBlendOp::VividLight},
                                               {"LINEARLIGHT", AdvancedBlendOp::LinearLight},
                                               {"PINLIGHT", AdvancedBlendOp::PinLight},
                                               {"HARDMIX", AdvancedBlendOp::HardMix},
                                               {"HSL_HUE", AdvancedBlendOp::HslHue},
                                               {"HSL_SATURATION", AdvancedBlendOp::HslSaturation},
                                               {"HSL_COLOR", AdvancedBlendOp::HslColor},
                                               {"HSL_LUMINOSITY", AdvancedBlendOp::HslLuminosity},
                                               {"PLUS", AdvancedBlendOp::Plus},
                                               {"PLUS_CLAMPED", AdvancedBlendOp::PlusClamped},
                                               {"PLUS_CLAMPED_ALPHA", AdvancedBlendOp::PlusClampedAlpha},
                                               {"PLUS_DARKER", AdvancedBlendOp::PlusDarker},
                                               {"MINUS", AdvancedBlendOp::Minus},
                                               {"MINUS_CLAMPED", AdvancedBlendOp::MinusClamped},
                                               {"CONTRAST", AdvancedBlendOp::Contrast},
                                               {"INVERT_OVG", AdvancedBlendOp::InvertOvg},
                                               {"RED", AdvancedBlendOp::Red},
                                               {"GREEN", AdvancedBlendOp::Green},
                                               {"BLUE", AdvancedBlendOp::Blue}};
constexpr Word<BlendOverlap> kOverlaps[] = {{"UNCORRELATED", BlendOverlap::Uncorrelated},
                                            {"DISJOINT", BlendOverlap::Disjoint},
                                            {"CONJOINT", BlendOverlap::Conjoint}};
constexpr Word<LogicOp> kLogicOps[] = {{"CLEAR", LogicOp::Clear},
                                       {"NOR", LogicOp::Nor},
                                       {"AND_INVERTED", LogicOp::AndInverted},
                                       {"COPY_INVERTED", LogicOp::CopyInverted},
                                       {"AND_REVERSE", LogicOp::AndReverse},
                                       {"INVERT", LogicOp::Invert},
                                       {"XOR", LogicOp::Xor},
                                       {"NAND", LogicOp::Nand},
                                       {"AND", LogicOp::And},
                                       {"EQUIV", LogicOp::Equiv},
                                       {"NOOP", LogicOp::Noop},
                                       {"OR_INVERTED", LogicOp::OrInverted},
                                       {"COPY", LogicOp::Copy},
                                       {"OR_REVERSE", LogicOp::OrReverse},
                                       {"OR", LogicOp::Or},
                                       {"SET", LogicOp::Set},
                                       {"EQUIVALENT", LogicOp::Equiv},
                                       {"NO_OP", LogicOp::Noop}};
constexpr Word<StencilOp> kStencilOps[] = {{"KEEP", StencilOp::Keep},
                                           {"ZERO", StencilOp::Zero},
                                           {"REPLACE", StencilOp::Replace},
                                           {"INCRSAT", StencilOp::IncrSat},
                                           {"DECRSAT", StencilOp::DecrSat},
                                           {"INCR", StencilOp::Incr},
                                           {"DECR", StencilOp::Decr},
                                           {"INVERT", StencilOp::Invert},
                                           {"INCREMENT_AND_CLAMP", StencilOp::IncrSat},
                                           {"DECREMENT_AND_CLAMP", StencilOp::DecrSat},
                                           {"INCREMENT_AND_WRAP", StencilOp::Incr},
                                           {"DECREMENT_AND_WRAP", StencilOp::Decr}};
constexpr Word<ClampRange> kRanges[] = {
    {"UNORM", ClampRange::Unorm}, {"SNORM", ClampRange::Snorm}, {"TARGET", ClampRange::Target}};
constexpr Word<AlphaFormat> kAlphaFormats[] = {{"FLOAT32", AlphaFormat::Float32}, {"UNORM8", AlphaFormat::Unorm8}};

void boolean(TableReader& reader, std::string_view key, bool& out) {
  if (const auto value = reader.boolean(key)) out = *value;
}

void byte(TableReader& reader, std::string_view key, std::uint8_t& out, std::int64_t high = 255) {
  const Node* node = reader.any(key);
  if (node == nullptr) return;
  const auto word = integer_word(*node);
  if (word && *word <= high)
    out = static_cast<std::uint8_t>(*word);
  else
    reader.wrong_value(key, *node, fmt::format("a number from 0 to {} is expected", high));
}

template <std::size_t N>
void floats(TableReader& reader, std::string_view key, std::array<float, N>& out) {
  const Node* node = reader.array(key);
  if (node == nullptr) return;
  bool good = node->items.size() == N;
  for (std::size_t i = 0; good && i < N; ++i) {
    const auto word = float_word(node->items[i]);
    good = word.has_value();
    if (good) out[i] = base::float_from_bits(*word);
  }
  if (!good) reader.wrong_value(key, *node, fmt::format("{} numbers are expected", N));
}

BlendEntry read_entry(TableReader& reader) {
  BlendEntry e;
  boolean(reader, "enable", e.enable);
  enumerator(reader, "src_color", kFactors, e.src_color);
  enumerator(reader, "dst_color", kFactors, e.dst_color);
  enumerator(reader, "color_func", kFunctions, e.color_func);
  enumerator(reader, "src_alpha", kFactors, e.src_alpha);
  enumerator(reader, "dst_alpha", kFactors, e.dst_alpha);
  enumerator(reader, "alpha_blend_func", kFunctions, e.alpha_blend_func);
  if (const auto letters = reader.text("write_disable"))
    for (const char c : *letters) {
      const std::size_t channel = std::string_view("RGBA").find(c);
      if (channel == std::string_view::npos)
        reader.wrong_value("write_disable", *reader.any("write_disable"), "the letters R, G, B, A are expected");
      else
        e.write_disable[channel] = true;
    }
  boolean(reader, "logic_op_enable", e.logic_op_enable);
  enumerator(reader, "logic_op", kLogicOps, e.logic_op);
  boolean(reader, "pre_blend_src_only_clamp", e.pre_blend_src_only_clamp);
  enumerator(reader, "clamp_range", kRanges, e.clamp_range);
  boolean(reader, "pre_blend_clamp", e.pre_blend_clamp);
  boolean(reader, "post_blend_clamp", e.post_blend_clamp);
  enumerator(reader, "advanced", kAdvanced, e.advanced.op);
  enumerator(reader, "overlap", kOverlaps, e.advanced.overlap);
  boolean(reader, "straight_source", e.advanced.straight_source);
  boolean(reader, "straight_destination", e.advanced.straight_destination);
  boolean(reader, "clamp_results", e.advanced.clamped);
  reader.finish();
  return e;
}

/// Least and greatest depth of each viewport.
void depth_ranges(TableReader& reader, OutputState& s) {
  const Node* list = reader.array("depth_ranges");
  if (list == nullptr) return;
  bool good = !list->items.empty() && list->items.size() <= s.viewports.size();
  for (std::size_t i = 0; good && i < list->items.size(); ++i) {
    const Node& range = list->items[i];
    good = range.kind == Node::Kind::Array && range.items.size() == 2;
    for (std::size_t k = 0; good && k < 2; ++k) {
      const auto word = float_word(range.items[k]);
      good = word.has_value();
      if (good) s.viewports[i][k] = base::float_from_bits(*word);
    }
  }
  if (good)
    s.viewport_count = static_cast<std::uint8_t>(list->items.size());
  else
    reader.wrong_value("depth_ranges", *list, "one to 16 pairs of numbers are expected");
}

/// Members of an inline table.
class StateText {
 public:
  void put(std::string_view name, const std::string& value) {
    text_ += fmt::format("{}{} = {}", text_.empty() ? "" : ", ", name, value);
  }
  void boolean(std::string_view name, bool value, bool usual = false) {
    if (value != usual) put(name, value ? "true" : "false");
  }
  void number(std::string_view name, unsigned value, unsigned usual) {
    if (value != usual) put(name, fmt::to_string(value));
  }
  template <typename E, std::size_t N>
  void word(std::string_view name, const Word<E> (&table)[N], E value, E usual) {
    if (value == usual) return;
    const auto found = std::ranges::find(table, value, &Word<E>::value);
    put(name, fmt::format("\"{}\"", found->word));
  }
  template <std::size_t N>
  void floats(std::string_view name, const std::array<float, N>& values, const std::array<float, N>& usual) {
    if (values != usual) put(name, list(values));
  }
  template <std::size_t N>
  static std::string list(const std::array<float, N>& values) {
    std::string text;
    for (const float v : values)  // the bits, so that NaN stays what it is
      text += fmt::format("{}\"0x{:08x}\"", text.empty() ? "[" : ", ", base::bits_of(v));
    return text + "]";
  }
  [[nodiscard]] std::string table() const { return text_.empty() ? "{}" : "{ " + text_ + " }"; }

 private:
  std::string text_;
};

std::string entry_text(const BlendEntry& e) {
  const BlendEntry usual;
  StateText t;
  t.boolean("enable", e.enable);
  t.word("src_color", kFactors, e.src_color, usual.src_color);
  t.word("dst_color", kFactors, e.dst_color, usual.dst_color);
  t.word("color_func", kFunctions, e.color_func, usual.color_func);
  t.word("src_alpha", kFactors, e.src_alpha, usual.src_alpha);
  t.word("dst_alpha", kFactors, e.dst_alpha, usual.dst_alpha);
  t.word("alpha_blend_func", kFunctions, e.alpha_blend_func, usual.alpha_blend_func);
  std::string letters;
  for (std::size_t c = 0; c < 4; ++c)
    if (e.write_disable[c]) letters += "RGBA"[c];
  if (!letters.empty()) t.put("write_disable", "\"" + letters + "\"");
  t.boolean("logic_op_enable", e.logic_op_enable);
  t.word("logic_op", kLogicOps, e.logic_op, usual.logic_op);
  t.boolean("pre_blend_src_only_clamp", e.pre_blend_src_only_clamp);
  t.word("clamp_range", kRanges, e.clamp_range, usual.clamp_range);
  t.boolean("pre_blend_clamp", e.pre_blend_clamp);
  t.boolean("post_blend_clamp", e.post_blend_clamp);
  t.word("advanced", kAdvanced, e.advanced.op, usual.advanced.op);
  t.word("overlap", kOverlaps, e.advanced.overlap, usual.advanced.overlap);
  t.boolean("straight_source", e.advanced.straight_source);
  t.boolean("straight_destination", e.advanced.straight_destination);
  t.boolean("clamp_results", e.advanced.clamped);
  return t.table();
}

void face_text(StateText& t, const StencilFace& face, std::string_view func, const std::string& prefix) {
  const StencilFace usual;
  t.word(func, kCompare, face.func, usual.func);
  t.word(prefix + "fail_op", kStencilOps, face.fail_op, usual.fail_op);
  t.word(prefix + "zfail_op", kStencilOps, face.zfail_op, usual.zfail_op);
  t.word(prefix + "pass_op", kStencilOps, face.pass_op, usual.pass_op);
  t.number(prefix + "test_mask", face.test_mask, usual.test_mask);
  t.number(prefix + "write_mask", face.write_mask, usual.write_mask);
  t.number(prefix + "ref", face.ref, usual.ref);
}

}  // namespace

std::string_view word_of(AdvancedBlendOp op) {
  return std::ranges::find(kAdvanced, op, &Word<AdvancedBlendOp>::value)->word;
}

std::string output_state_text(const OutputState& s) {
  const OutputState usual;
  StateText t;
  if (s.blend != usual.blend) {
    std::string entries;
    for (const BlendEntry& e : s.blend) entries += (entries.empty() ? "[" : ", ") + entry_text(e);
    t.put("blend", entries + "]");
  }
  t.boolean("alpha_to_coverage", s.alpha_to_coverage);
  t.boolean("alpha_to_coverage_dither", s.alpha_to_coverage_dither);
  t.boolean("alpha_to_coverage_single", s.alpha_to_coverage_single);
  t.boolean("alpha_to_one", s.alpha_to_one);
  t.boolean("alpha_test", s.alpha_test);
  t.word("alpha_func", kCompare, s.alpha_func, usual.alpha_func);
  if (s.alpha_ref != usual.alpha_ref) t.put("alpha_ref", fmt::format("\"0x{:08x}\"", base::bits_of(s.alpha_ref)));
  t.word("alpha_format", kAlphaFormats, s.alpha_format, usual.alpha_format);
  t.boolean("independent_alpha", s.independent_alpha);
  t.boolean("logic_op_integers", s.logic_op_integers);
  t.boolean("dither", s.dither);
  t.number("dither_x", s.dither_x, usual.dither_x);
  t.number("dither_y", s.dither_y, usual.dither_y);
  t.floats("constant", s.constant, usual.constant);
  t.put("depth_test", s.depth_test ? "true" : "false");  // a job with a depth image tests where nothing is said
  t.boolean("depth_write", s.depth_write);
  t.word("depth_func", kCompare, s.depth_func, usual.depth_func);
  t.floats("depth_range", s.depth_range, usual.depth_range);
  if (s.viewport_count != 0) {
    std::string ranges;
    for (std::size_t i = 0; i < s.viewport_count; ++i)
      ranges += (ranges.empty() ? "[" : ", ") + StateText::list(s.viewports[i]);
    t.put("depth_ranges", ranges + "]");
  }
  t.boolean("depth_bounds_test", s.depth_bounds_test);
  t.floats("depth_bounds", s.depth_bounds, usual.depth_bounds);
  t.boolean("stencil_test", s.stencil_test);
  t.boolean("stencil_write", s.stencil_write);
  t.boolean("double_sided", s.double_sided);
  face_text(t, s.front, "stencil_func", "");
  face_text(t, s.back, "back_func", "back_");
  return t.table();
}

OutputState read_output_state(TableReader& reader) {
  OutputState s;
  if (const Node* blend = reader.any("blend")) {
    if (blend->kind == Node::Kind::Array) {
      if (blend->items.size() > 8) reader.wrong_value("blend", *blend, "there are at most 8 entries");
      for (std::size_t i = 0; i < std::min<std::size_t>(8, blend->items.size()); ++i) {
        TableReader entry(blend->items[i], reader.context(), fmt::format("blend[{}]", i));
        s.blend[i] = read_entry(entry);
      }
    } else {
      TableReader entry(*blend, reader.context(), "blend");
      s.blend.fill(read_entry(entry));
    }
  }
  boolean(reader, "alpha_to_coverage", s.alpha_to_coverage);
  boolean(reader, "alpha_to_coverage_dither", s.alpha_to_coverage_dither);
  boolean(reader, "alpha_to_coverage_single", s.alpha_to_coverage_single);
  boolean(reader, "alpha_to_one", s.alpha_to_one);
  boolean(reader, "alpha_test", s.alpha_test);
  enumerator(reader, "alpha_func", kCompare, s.alpha_func);
  if (const Node* node = reader.any("alpha_ref")) {
    if (const auto word = float_word(*node))
      s.alpha_ref = base::float_from_bits(*word);
    else
      reader.wrong_type("alpha_ref", *node, "a number");
  }
  enumerator(reader, "alpha_format", kAlphaFormats, s.alpha_format);
  boolean(reader, "independent_alpha", s.independent_alpha);
  boolean(reader, "logic_op_integers", s.logic_op_integers);
  boolean(reader, "dither", s.dither);
  byte(reader, "dither_x", s.dither_x, 3);
  byte(reader, "dither_y", s.dither_y, 3);
  floats(reader, "constant", s.constant);
  boolean(reader, "depth_test", s.depth_test);
  boolean(reader, "depth_write", s.depth_write);
  enumerator(reader, "depth_func", kCompare, s.depth_func);
  floats(reader, "depth_range", s.depth_range);
  depth_ranges(reader, s);
  boolean(reader, "depth_bounds_test", s.depth_bounds_test);
  floats(reader, "depth_bounds", s.depth_bounds);
  boolean(reader, "stencil_test", s.stencil_test);
  boolean(reader, "stencil_write", s.stencil_write);
  boolean(reader, "double_sided", s.double_sided);
  enumerator(reader, "stencil_func", kCompare, s.front.func);
  enumerator(reader, "fail_op", kStencilOps, s.front.fail_op);
  enumerator(reader, "zfail_op", kStencilOps, s.front.zfail_op);
  enumerator(reader, "pass_op", kStencilOps, s.front.pass_op);
  byte(reader, "test_mask", s.front.test_mask);
  byte(reader, "write_mask", s.front.write_mask);
  byte(reader, "ref", s.front.ref);
  enumerator(reader, "back_func", kCompare, s.back.func);
  enumerator(reader, "back_fail_op", kStencilOps, s.back.fail_op);
  enumerator(reader, "back_zfail_op", kStencilOps, s.back.zfail_op);
  enumerator(reader, "back_pass_op", kStencilOps, s.back.pass_op);
  byte(reader, "back_test_mask", s.back.test_mask);
  byte(reader, "back_write_mask", s.back.write_mask);
  byte(reader, "back_ref", s.back.ref);
  return s;
}

}  // namespace heddle::image
