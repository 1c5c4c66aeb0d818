// SPDX-License-Identifier: MIT
// heddle._heddle._RenderTarget: what a pixel shader's output does to images. heddle/_targets.py gives it its arguments.

#include <pybind11/stl.h>

#include <algorithm>

#include "module.hpp"
#include "numpy.hpp"
#include "operands.hpp"

namespace heddle::python {
namespace {

/// Vulkan's word of a factor as the hardware's, which the lists here have.
std::string factor_word(const std::string& word) {
  constexpr std::string_view kVulkan = "one_minus_";
  return word.starts_with(kVulkan) ? "inv_" + word.substr(kVulkan.size()) : word;
}

template <typename Value, std::size_t kCount>
Value word_of(const std::array<const char*, kCount>& words, const std::string& word, const char* what) {
  const auto found = std::ranges::find(words, factor_word(word));
  if (found != words.end()) return static_cast<Value>(found - words.begin());
  std::string all;
  for (const char* w : words) all += std::string(" ") + w;
  throw Failure("unknown " + std::string(what) + " '" + word + "'; one of:" + all);
}

constexpr std::array<const char*, 15> kFactors{"zero",
                                               "one",
                                               "src_color",
                                               "inv_src_color",
                                               "dst_color",
                                               "inv_dst_color",
                                               "src_alpha",
                                               "inv_src_alpha",
                                               "dst_alpha",
                                               "inv_dst_alpha",
                                               "constant_color",
                                               "inv_constant_color",
                                               "constant_alpha",
                                               "inv_constant_alpha",
                                               "src_alpha_saturate"};
constexpr std::array<const char*, 5> kBlendOps{"add", "subtract", "reverse_subtract", "min", "max"};
constexpr std::array<const char*, 8> kStencilOps{"keep",
                                                 "zero",
                                                 "replace",
                                                 "increment_and_clamp",
                                                 "decrement_and_clamp",
                                                 "invert",
                                                 "increment_and_wrap",
                                                 "decrement_and_wrap"};
constexpr std::array<const char*, 8> kCompareOps{
    "never", "less", "equal", "less_or_equal", "greater", "not_equal", "greater_or_equal", "always"};

/// The members of `given` by name; those that nobody asked for are wrong.
class Members {
 public:
  explicit Members(py::dict given, const char* what) : given_(std::move(given)), what_(what) {}
  template <typename T>
  void read(const char* name, T& to) {
    if (const auto value = take(name)) to = value->cast<T>();
  }
  template <typename Value, std::size_t kCount>
  void word(const char* name, const std::array<const char*, kCount>& words, Value& to) {
    if (const auto value = take(name)) to = word_of<Value>(words, value->cast<std::string>(), name);
  }
  std::optional<py::object> take(const char* name) {
    if (!given_.contains(name)) return std::nullopt;
    py::object value = given_[name];
    PyDict_DelItemString(given_.ptr(), name);
    if (value.is_none()) return std::nullopt;
    return value;
  }
  void finish() const {
    for (const auto& [key, value] : given_)
      throw Failure(std::string(what_) + " has no member '" + py::str(key).cast<std::string>() + "'");
  }

 private:
  py::dict given_;
  const char* what_;
};

py::dict copy_of(const py::handle& dict) {
  return py::reinterpret_steal<py::dict>(PyDict_Copy(dict.cast<py::dict>().ptr()));
}

BlendState blend_of(const py::handle& given) {
  BlendState state;
  Members m(copy_of(given), "blend");
  state.enable = true;
  m.read("enable", state.enable);
  m.word("src_color", kFactors, state.src_color);
  m.word("dst_color", kFactors, state.dst_color);
  m.word("color_op", kBlendOps, state.color_op);
  m.word("src_alpha", kFactors, state.src_alpha);
  m.word("dst_alpha", kFactors, state.dst_alpha);
  m.word("alpha_op", kBlendOps, state.alpha_op);
  m.read("write", state.write);
  m.finish();
  return state;
}

}  // namespace

/// The words of the state that Kernel.run takes too.
OutputState output_of(const py::handle& given) {
  OutputState state;
  Members m(copy_of(given), "the output state");
  if (const auto list = m.take("blend"))
    for (const py::handle one : py::reinterpret_borrow<py::sequence>(*list)) state.blend.push_back(blend_of(one));
  m.read("blend_constant", state.blend_constant);
  m.read("depth_test", state.depth_test);
  m.read("depth_write", state.depth_write);
  m.word("depth_compare", kCompareOps, state.depth_compare);
  if (const auto given_stencil = m.take("stencil_test")) {
    Members s(copy_of(*given_stencil), "stencil");
    StencilState& stencil = state.stencil.emplace();
    s.word("compare", kCompareOps, stencil.compare);
    s.word("fail", kStencilOps, stencil.fail);
    s.word("depth_fail", kStencilOps, stencil.depth_fail);
    s.word("pass", kStencilOps, stencil.pass);
    s.read("reference", stencil.reference);
    s.read("read_mask", stencil.read_mask);
    s.read("write_mask", stencil.write_mask);
    s.finish();
  }
  m.finish();
  return state;
}

namespace {

/// Broadcast operands as inputs of the library: strides where they have one, else copies.
class Inputs {
 public:
  void add(ArrayInput& to, const py::handle& value, Numbers numbers, const char* name) {
    operands_.push_back(std::make_unique<Operand>(value.ptr(), numbers, name));
    targets_.push_back(&to);
  }
  /// Each color of (…, 4) is an operand of its own.
  Shape resolve() {
    std::vector<Operand*> all;
    for (const auto& operand : operands_) all.push_back(operand.get());
    shape_ = broadcast(all);
    return shape_;
  }
  void place(std::size_t begin, std::size_t count) {
    copies_.resize(operands_.size());
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      copies_[k].resize(count);
      operands_[k]->copy(shape_, begin, count, copies_[k].data());
      *targets_[k] = {copies_[k].data(), 4};
    }
  }

 private:
  std::vector<std::unique_ptr<Operand>> operands_;
  std::vector<ArrayInput*> targets_;
  std::vector<std::vector<std::uint32_t>> copies_;
  Shape shape_;
};

RenderTargets targets_of(const py::sequence& color, const py::object& depth, const py::object& stencil) {
  RenderTargets targets;
  const auto image = [](const py::handle& object) {
    const PyImage* found = image_of(object.ptr());
    if (found == nullptr) throw py::type_error("targets are heddle.Images");
    return found->image;
  };
  for (const py::handle one : color) targets.color.push_back(image(one));
  if (!depth.is_none()) targets.depth = image(depth);
  if (!stencil.is_none()) targets.stencil = image(stencil);
  return targets;
}

void write(const py::sequence& color, const py::object& depth, const py::object& stencil, const py::dict& state,
           const py::dict& pixels, const py::object& progress) {
  RenderTargets targets = targets_of(color, depth, stencil);
  const OutputState output = output_of(state);
  PixelArrays arrays;
  Inputs inputs;
  const auto add = [&](const char* name, ArrayInput& to, Numbers numbers) {
    if (pixels.contains(name)) inputs.add(to, pixels[name], numbers, name);
  };
  add("x", arrays.x, Numbers::Integer);
  add("y", arrays.y, Numbers::Integer);
  add("layer", arrays.layer, Numbers::Integer);
  add("coverage", arrays.coverage, Numbers::Integer);
  add("depth", arrays.depth, Numbers::Float);
  const py::sequence colors = pixels["colors"];
  arrays.colors.resize(colors.size());
  for (std::size_t i = 0; i < colors.size(); ++i) {
    const py::sequence channels = colors[i];
    const bool floats = i >= targets.color.size() || targets.color[i].number_class() == NumberClass::Float;
    for (std::size_t c = 0; c < 4; ++c)
      inputs.add(arrays.colors[i][c], channels[c], floats ? Numbers::Float : Numbers::Integer, "colors");
  }
  const Shape shape = inputs.resolve();
  if (elements(shape) == 0) unwrap(write_pixels(targets, arrays, output));  // what is wrong is said all the same
  in_pieces(elements(shape), 1 << 14, progress.ptr(), [&](std::size_t begin, std::size_t count) {
    inputs.place(begin, count);
    arrays.count = count;
    unwrap(write_pixels(targets, arrays, output));
  });
}

}  // namespace

void add_targets(py::module_& module) {
  module.def("_write_pixels", &write, py::arg("color"), py::arg("depth"), py::arg("stencil"), py::arg("state"),
             py::arg("pixels"), py::arg("progress"));
  module.def(
      "_resolve",
      [](const PyImage& from, const PyImage& to) {
        Image target = to.image;
        const py::gil_scoped_release release;
        unwrap(resolve(from.image, target));
      },
      py::arg("source"), py::arg("target"));
}

}  // namespace heddle::python
