// SPDX-License-Identifier: MIT
// heddle.bounds, heddle.feedback and heddle.footprint_bytes: what devices may answer, and what samples touch.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <limits>

#include "heddle/bounds.hpp"
#include "heddle/feedback.hpp"
#include "heddle/footprint_bytes.hpp"
#include "module.hpp"

namespace heddle::python {
namespace {

using Floats = py::array_t<float, py::array::c_style | py::array::forcecast>;

/// Numbers of the elements of a call, each an array of the same length.
class Elements {
 public:
  explicit Elements(const py::dict& given) {
    for (const auto& [name, value] : given) arrays_.emplace(name.cast<std::string>(), value.cast<Floats>());
    for (const auto& [name, array] : arrays_) count_ = array.size();
  }
  [[nodiscard]] py::ssize_t count() const { return count_; }
  [[nodiscard]] bool has(const std::string& name) const { return arrays_.contains(name); }
  [[nodiscard]] float at(const std::string& name, py::ssize_t k) const {
    const auto found = arrays_.find(name);
    return found == arrays_.end() ? 0 : found->second.data()[k];
  }
  [[nodiscard]] Point point(py::ssize_t k) const { return {at("u", k), at("v", k), at("r", k), at("index", k)}; }
  [[nodiscard]] SampleOptions options(py::ssize_t k) const {
    SampleOptions o;
    o.lod = at("lod", k);
    if (has("ref")) o.reference = at("ref", k);
    if (has("dudx"))
      o.gradients =
          Gradients{{at("dudx", k), at("dvdx", k), at("drdx", k)}, {at("dudy", k), at("dvdy", k), at("drdy", k)}};
    return o;
  }

 private:
  std::map<std::string, Floats> arrays_;
  py::ssize_t count_ = 0;
};

BoundsApi api_of(const std::string& word) {
  if (word == "vulkan") return BoundsApi::Vulkan;
  if (word == "d3d11") return BoundsApi::D3d11;
  if (word == "webgpu") return BoundsApi::WebGpu;
  throw Failure("unknown api '" + word + "'; one of: vulkan d3d11 webgpu");
}

ColorBounds bounds_of(const PyImage& image, const PySampler& sampler, const Elements& elements, py::ssize_t k,
                      int channel, const BoundsOptions& options) {
  const SampleOptions sample = elements.options(k);
  if (channel < 0) return unwrap(sample_bounds(image.image, sampler.sampler, elements.point(k), sample, options));
  GatherOptions gather;
  gather.reference = sample.reference;
  gather.channel = static_cast<unsigned>(channel);
  if (elements.has("lod")) gather.lod = sample.lod;
  return unwrap(gather_bounds(image.image, sampler.sampler, elements.point(k), gather, options));
}

/// (least, greatest, rules); `channel` -1: samples, else gathers of that channel.
py::tuple find_bounds(const PyImage& image, const PySampler& sampler, const py::dict& given, int channel,
                      const std::string& api, unsigned sub_texel_bits, unsigned mipmap_bits) {
  const Elements elements(given);
  const BoundsOptions options{api_of(api), sub_texel_bits, mipmap_bits};
  const std::vector<py::ssize_t> shape{elements.count(), 4};
  py::array_t<double> low(shape), high(shape);
  py::list rules;
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  for (py::ssize_t k = 0; k < elements.count(); ++k) {
    const ColorBounds found = bounds_of(image, sampler, elements, k, channel, options);
    rules.append(found.rule());
    for (unsigned c = 0; c < 4; ++c) {
      const ChannelBounds& one = found[c];
      const bool open = one.anything || one.intervals.empty();
      low.mutable_at(k, c) = open ? -kOpen : one.intervals.front().low;
      high.mutable_at(k, c) = open ? kOpen : one.intervals.back().high;
    }
  }
  return py::make_tuple(low, high, rules);
}

py::array_t<std::uint8_t> to_array(const FeedbackGrid& grid) {
  py::array_t<std::uint8_t> array(std::vector<py::ssize_t>{grid.rows, grid.columns});
  std::copy(grid.cells.begin(), grid.cells.end(), array.mutable_data());
  return array;
}

/// (min_mip, [used of each level])
py::tuple to_tuple(const FeedbackMaps& maps) {
  py::list used;
  for (const FeedbackGrid& grid : maps.used) used.append(to_array(grid));
  return py::make_tuple(to_array(maps.min_mip), used);
}

/// The maps that are asked for, the least and the greatest.
py::tuple find_feedback(const PyImage& image, const PySampler& sampler, const py::dict& given,
                        const std::array<std::uint32_t, 2>& region, bool point, bool merge_tail, std::uint32_t layer) {
  const Elements elements(given);
  Feedback feedback = unwrap(
      Feedback::create(image.image, {region, point ? FeedbackForm::Point : FeedbackForm::Spread, merge_tail, layer}));
  for (py::ssize_t k = 0; k < elements.count(); ++k)
    unwrap(feedback.sample(sampler.sampler, elements.point(k), elements.options(k)));
  return py::make_tuple(to_tuple(feedback.maps()), to_tuple(feedback.least()), to_tuple(feedback.greatest()));
}

py::array_t<std::uint64_t> to_array(const std::vector<TouchedBytes>& list) {
  py::array_t<std::uint64_t> array(std::vector<py::ssize_t>{static_cast<py::ssize_t>(list.size()), 2});
  for (std::size_t k = 0; k < list.size(); ++k) {
    array.mutable_at(k, 0) = list[k].offset;
    array.mutable_at(k, 1) = list[k].bytes;
  }
  return array;
}

/// `texels`: rows of level, slice, x, y.
py::dict find_bytes(const PyImage& image,
                    const py::array_t<std::uint32_t, py::array::c_style | py::array::forcecast>& texels,
                    const std::string& tile, std::uint64_t line, std::uint64_t page) {
  std::vector<TexelPlace> places;
  for (py::ssize_t k = 0; k < texels.shape(0); ++k)
    places.push_back({texels.at(k, 2), texels.at(k, 3), texels.at(k, 1), texels.at(k, 0)});
  const FootprintBytes found = unwrap(footprint_bytes(image.image, places, {tile, line, page}));
  py::dict result;
  result["elements"] = found.elements;
  result["bytes"] = found.bytes;
  result["image_bytes"] = found.image_bytes;
  result["lines"] = to_array(found.lines);
  result["pages"] = to_array(found.pages);
  return result;
}

}  // namespace

void add_bounds(py::module_& module) {
  module.def("_bounds", &find_bounds, py::arg("image"), py::arg("sampler"), py::arg("given"), py::arg("channel"),
             py::arg("api"), py::arg("sub_texel_bits"), py::arg("mipmap_bits"));
  module.def("_feedback", &find_feedback, py::arg("image"), py::arg("sampler"), py::arg("given"), py::arg("region"),
             py::arg("point"), py::arg("merge_tail"), py::arg("layer"));
  module.def("_footprint_bytes", &find_bytes, py::arg("image"), py::arg("texels"), py::arg("tile"), py::arg("line"),
             py::arg("page"));
}

}  // namespace heddle::python
