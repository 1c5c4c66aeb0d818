// SPDX-License-Identifier: MIT
// heddle.footprint and heddle.footprint_map: which texels samples read.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "module.hpp"
#include "numpy.hpp"
#include "operands.hpp"

namespace heddle::python {
namespace {

/// One element of the structured array.
struct Row {
  bool single_level;
  std::uint32_t anchor[3], offset[3];
  std::uint64_t mask;
  std::uint32_t lod, granularity;
};

FootprintMode mode_of(const std::string& word) {
  if (word == "strict") return FootprintMode::Strict;
  if (word == "lenient") return FootprintMode::Lenient;
  if (word == "extended") return FootprintMode::Extended;
  throw Failure("unknown mode '" + word + "'; one of: strict lenient extended");
}

/// The requests of a call, element by element.
class Requests {
 public:
  Requests(const PyImage& image, const py::dict& given) : dimensions_(image.image.type() == ImageType::Dim3 ? 3 : 2) {
    constexpr const char* kNames[] = {"u", "v", "r"};
    for (std::size_t d = 0; d < 3; ++d) {
      if (given.contains(kNames[d]) != (d < dimensions_))
        throw Failure(std::string("footprints of this image ") + (d < dimensions_ ? "need '" : "take no '") +
                      kNames[d] + "'");
      if (d < dimensions_) add(&coordinates_[d], given[kNames[d]], kNames[d]);
    }
    gradients_ = given.contains("ddx");
    if (gradients_ != given.contains("ddy")) throw Failure("'ddx' and 'ddy' are given together");
    if (gradients_)
      for (std::size_t side = 0; side < 2; ++side) {
        const py::sequence list = given[side == 0 ? "ddx" : "ddy"];
        if (list.size() != dimensions_) throw Failure("'ddx' and 'ddy' have one part for each coordinate");
        for (std::size_t d = 0; d < dimensions_; ++d) add(&derivatives_[side][d], list[d], "ddx");
      }
    for (const auto& [name, operand] :
         {std::pair{"lod", &lod_}, std::pair{"bias", &bias_}, std::pair{"min_lod", &min_lod_}})
      if (given.contains(name)) add(operand, given[name], name);
    if (given.contains("bias")) has_bias_ = true;
    if (given.contains("min_lod")) has_min_lod_ = true;
    request_.granularity = given["granularity"].cast<std::uint32_t>();
    request_.coarse = given["coarse"].cast<bool>();
    options_.mode = mode_of(given["mode"].cast<std::string>());
    options_.conservative = given["conservative"].cast<bool>();
    shape_ = broadcast(all_);
    for (std::size_t k = 0; k < all_.size(); ++k) words_.emplace_back();
  }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const FootprintOptions& options() const { return options_; }
  /// Calls `use(request, index)` for each element, in pieces.
  template <typename Use>
  void each(PyObject* progress, Use use) {
    in_pieces(elements(shape_), 1 << 12, progress, [&](std::size_t begin, std::size_t count) {
      for (std::size_t k = 0; k < all_.size(); ++k) {
        words_[k].resize(count);
        all_[k]->copy(shape_, begin, count, words_[k].data());
      }
      for (std::size_t k = 0; k < count; ++k) use(request_at(k), begin + k);
    });
  }

 private:
  void add(Operand* operand, const py::handle& value, const char* name) {
    *operand = Operand(value.ptr(), Numbers::Float, name);
    all_.push_back(operand);
  }
  [[nodiscard]] float value(const Operand* operand, std::size_t k) const {
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i] == operand) return __builtin_bit_cast(float, words_[i][k]);
    return 0;
  }
  [[nodiscard]] const FootprintRequest& request_at(std::size_t k) {
    for (std::size_t d = 0; d < dimensions_; ++d) request_.coordinate[d] = value(&coordinates_[d], k);
    if (gradients_) {
      Gradients g;
      for (std::size_t d = 0; d < dimensions_; ++d)
        g.dx[d] = value(&derivatives_[0][d], k), g.dy[d] = value(&derivatives_[1][d], k);
      request_.gradients = g;
    }
    request_.lod = value(&lod_, k);
    if (has_bias_) request_.bias = value(&bias_, k);
    if (has_min_lod_) request_.min_lod = value(&min_lod_, k);
    return request_;
  }

  std::size_t dimensions_;
  std::array<Operand, 3> coordinates_;
  std::array<std::array<Operand, 3>, 2> derivatives_;
  Operand lod_, bias_, min_lod_;
  bool gradients_ = false, has_bias_ = false, has_min_lod_ = false;
  std::vector<Operand*> all_;
  std::vector<std::vector<std::uint32_t>> words_;
  Shape shape_;
  FootprintRequest request_;
  FootprintOptions options_;
};

py::object footprints(const PyImage& image, const PySampler& sampler, const py::dict& given,
                      const py::object& progress) {
  Requests requests(image, given);
  const std::vector<py::ssize_t> shape(requests.shape().begin(), requests.shape().end());
  py::array_t<Row> rows(shape);
  Row* to = rows.mutable_data();
  requests.each(progress.ptr(), [&](const FootprintRequest& request, std::size_t k) {
    const Footprint f = unwrap(footprint(image.image, sampler.sampler, request, requests.options()));
    Row& row = to[k];
    row.single_level = f.single_level;
    std::copy(f.anchor.begin(), f.anchor.end(), row.anchor);
    std::copy(f.offset.begin(), f.offset.end(), row.offset);
    row.mask = f.mask, row.lod = f.lod, row.granularity = f.granularity;
  });
  return rows;
}

/// How many of the requests read each texel, level by level.
py::list count_texels(const PyImage& image, const PySampler& sampler, const py::dict& given,
                      const py::object& progress) {
  Requests requests(image, given);
  py::list levels;
  std::vector<std::uint32_t*> counts;
  for (std::uint32_t level = 0; level < image.image.levels(); ++level) {
    std::vector<py::ssize_t> shape{image.image.height(level), image.image.width(level)};
    if (image.image.type() == ImageType::Dim3) shape.insert(shape.begin(), image.image.depth(level));
    py::array_t<std::uint32_t> array(shape);
    std::fill_n(array.mutable_data(), array.size(), 0u);
    counts.push_back(array.mutable_data());
    levels.append(array);
  }
  const bool both = !given["coarse"].cast<bool>();
  requests.each(progress.ptr(), [&](const FootprintRequest& wanted, std::size_t) {
    FootprintRequest request = wanted;
    for (int pass = 0; pass < (both ? 2 : 1); ++pass) {
      request.coarse = pass == 1 || !both;
      const FootprintTexels found = unwrap(footprint_texels(image.image, sampler.sampler, request, requests.options()));
      if (found.lod < counts.size())
        for (const GridPlace& t : found.texels)
          ++counts[found.lod]
                  [(std::size_t{t[2]} * image.image.height(found.lod) + t[1]) * image.image.width(found.lod) + t[0]];
      if (found.single_level) break;
    }
  });
  return levels;
}

py::dict texels(const PyImage& image, const PySampler& sampler, const py::dict& given) {
  Requests requests(image, given);
  if (elements(requests.shape()) != 1) throw Failure("footprint_texels() takes one coordinate");
  FootprintTexels found;
  requests.each(Py_None, [&](const FootprintRequest& request, std::size_t) {
    found = unwrap(footprint_texels(image.image, sampler.sampler, request, requests.options()));
  });
  py::dict result;
  result["single_level"] = found.single_level;
  result["border"] = found.border;
  result["lod"] = found.lod;
  result["granularity"] = found.granularity;
  result["groups"] = found.groups;
  result["texels"] = found.texels;
  return result;
}

}  // namespace

void add_footprints(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(Row, single_level, anchor, offset, mask, lod, granularity);
  module.attr("footprint_dtype") = py::dtype::of<Row>();
  module.def("_footprint", &footprints, py::arg("image"), py::arg("sampler"), py::arg("given"), py::arg("progress"));
  module.def("_footprint_map", &count_texels, py::arg("image"), py::arg("sampler"), py::arg("given"),
             py::arg("progress"));
  module.def("_footprint_texels", &texels, py::arg("image"), py::arg("sampler"), py::arg("given"));
  module.def(
      "group_size",
      [](unsigned dimensions, std::uint32_t granularity) -> py::object {
        const auto size = group_size(dimensions, granularity);
        return size ? py::object(py::make_tuple((*size)[0], (*size)[1], (*size)[2])) : py::object(py::none());
      },
      py::arg("dimensions"), py::arg("granularity"),
      "(x, y, z) texels of a footprint's group, or None where there is no such granularity.");
}

}  // namespace heddle::python
