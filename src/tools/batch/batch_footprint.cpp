// SPDX-License-Identifier: MIT
// heddle batch: footprint, which texels a sample would touch (OpImageSampleFootprintNV).

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "image/objects/object.hpp"
#include "tools/batch/batch.hpp"
#include "tools/pictures/footprint_query.hpp"

namespace heddle::tools {
namespace {

using base::Node;

std::vector<std::string_view> operations() { return {"footprint"}; }

/// One point, or the points of an array; `several`: the answer is an array, too.
struct Points {
  std::vector<std::array<float, 3>> at;
  bool several = false;
};

/// The numbers of `uv` or `uvr`: a point, or an array of points.
Points read_points(BatchRequest& request, unsigned dim) {
  const std::string_view name = dim == 3 ? "uvr" : "uv";
  const Node* node = request.reader.any(name);
  Points points;
  if (node == nullptr) {
    request.fail("batch-missing", fmt::format("missing member '{}'", name));
    return points;
  }
  if (node->kind != Node::Kind::Array) {
    request.reader.wrong_type(name, *node, "an array of numbers, or an array of points");
    return points;
  }
  std::vector<double> flat;
  std::size_t each = 0;
  if (node->packed) {
    flat = node->packed->numbers;
    each = node->packed->each;
  } else {
    for (const Node& item : node->items) {
      const bool point = item.kind == Node::Kind::Array;
      const std::span<const Node> numbers = point ? std::span<const Node>(item.items) : std::span<const Node>(&item, 1);
      if (point) each = each == 0 || each == numbers.size() ? numbers.size() : SIZE_MAX;
      for (const Node& number : numbers) {
        if (!number.is_number()) {
          request.reader.wrong_type(name, number, "a number");
          return points;
        }
        flat.push_back(number.as_real());
      }
    }
  }
  points.several = each != 0;
  const std::size_t found = points.several ? each : flat.size();
  if (found != dim || flat.size() % dim != 0) {  // R16
    request.fail("spirv-footprint-coordinate",
                 found == SIZE_MAX ? fmt::format("each point of {} must have {} numbers", name, dim)
                                   : fmt::format("a point of {} must have {} numbers, found {}", name, dim, found));
    return points;
  }
  for (std::size_t i = 0; i < flat.size(); i += dim) {
    std::array<float, 3>& at = points.at.emplace_back();
    for (unsigned axis = 0; axis < dim; ++axis) at[axis] = static_cast<float>(flat[i + axis]);
  }
  return points;
}

/// Reads `surface`, whose texels are not needed, or `image`, which has sizes alone, and the sampler.
void read_view(BatchRequest& request, FootprintLine& line) {
  BrokenRule rule;
  image::Format format = image::Format::R8G8B8A8_UNORM;
  if (request.reader.has("image") == request.reader.has("surface")) {
    request.fail("batch-missing", "exactly one of 'surface' and 'image' must be given");
    return;
  }
  if (request.reader.has("image")) {
    read_footprint_image(request.reader, request.nodes, line, rule);
    if (rule.broken()) request.fail(rule.id, rule.message);
  } else {
    const BoundSurface bound = surface_member(request, "surface", false);
    if (!bound.surface) return;
    line.view = texture::footprint_view(*bound.surface);
    if (line.view.dim != 2 && line.view.dim != 3)  // R13
      request.fail("spirv-footprint-dim", "footprints exist for surfaces of type 2d and 3d");
    format = bound.surface->format;
  }
  line.sampler = texture::footprint_sampler(sampler_member(request).members.for_format(format));
}

void answer(BatchRequest& request, std::string& text) {
  FootprintLine line;
  read_view(request, line);
  if (request.failed()) return;
  const Points points = read_points(request, line.view.dim);
  read_footprint_operands(request.reader, request.nodes, Node(), line);
  if (request.failed()) return;
  if (points.several) text += "\"points\":[";
  for (std::size_t i = 0; i < points.at.size(); ++i) {
    line.query.coordinate = points.at[i];
    const auto members = answer_footprint(line);
    if (!members.ok()) {
      for (const base::Diagnostic& d : members.diagnostics()) request.problems.add(d);
      return;
    }
    text += points.several ? fmt::format("{}{{{}}}", i == 0 ? "" : ",", *members) : *members;
  }
  if (points.several) text += ']';
}

}  // namespace

const BatchOperations kFootprintOperation = {&operations, &answer};

}  // namespace heddle::tools
