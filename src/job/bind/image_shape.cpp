// SPDX-License-Identifier: MIT
#include "job/bind/image_shape.hpp"

#include <fmt/format.h>

namespace heddle::job {
namespace {

using image::SurfaceType;
using shader_interface::ImageShape;

std::string words_of(ImageShape shape) {
  switch (shape) {
    case ImageShape::Dim1:
      return "a 1D image";
    case ImageShape::Dim1Array:
      return "an array of 1D images";
    case ImageShape::Dim2:
      return "a 2D image";
    case ImageShape::Dim2Array:
      return "an array of 2D images";
    case ImageShape::Dim3:
      return "a 3D image";
    case ImageShape::Cube:
      return "a cube";
    case ImageShape::CubeArray:
      return "an array of cubes";
    case ImageShape::Samples:
      return "a multisampled image";
    case ImageShape::SamplesArray:
      return "an array of multisampled images";
    case ImageShape::Unknown:
      break;
  }
  return "an image";
}

std::string words_of(const image::Surface& s) {
  switch (s.type) {
    case SurfaceType::Dim1:
      return s.array ? fmt::format("an array of {} 1D layers", s.array_length()) : "a 1D image";
    case SurfaceType::Dim2:
      if (s.samples > 1)
        return s.array ? fmt::format("an array of {} layers of {} samples", s.array_length(), s.samples)
                       : fmt::format("a 2D image of {} samples", s.samples);
      return s.array ? fmt::format("an array of {} 2D layers", s.array_length()) : "a 2D image";
    case SurfaceType::Dim3:
      return "a 3D image";
    case SurfaceType::Cube:
      return s.array ? fmt::format("an array of {} cubes", s.array_length()) : "a cube";
    default:
      return "a buffer";
  }
}

SurfaceType type_of(ImageShape shape) {
  switch (shape) {
    case ImageShape::Dim1:
    case ImageShape::Dim1Array:
      return SurfaceType::Dim1;
    case ImageShape::Dim3:
      return SurfaceType::Dim3;
    case ImageShape::Cube:
    case ImageShape::CubeArray:
      return SurfaceType::Cube;
    default:
      return SurfaceType::Dim2;
  }
}

bool is_array(ImageShape shape) {
  return shape == ImageShape::Dim1Array || shape == ImageShape::Dim2Array || shape == ImageShape::CubeArray ||
         shape == ImageShape::SamplesArray;
}

/// The members that would make the image what the shader wants; empty where none would.
std::string way_out(ImageShape wanted, const image::Surface& s, bool flags) {
  const auto member = [&](std::string_view name, std::string_view value) {
    return flags ? fmt::format("{}={}", name, value) : fmt::format("{} = \"{}\"", name, value);
  };
  const SurfaceType type = type_of(wanted);
  if (wanted == ImageShape::Samples || wanted == ImageShape::SamplesArray)
    return flags ? "samples=4 makes an image of 4 samples" : "samples = 4 makes an image of 4 samples";
  if (type == SurfaceType::Dim1 && s.type == SurfaceType::Dim2 && s.height == 1)
    return fmt::format("{} reads its texels so", member("type", is_array(wanted) ? "1d-array" : "1d"));
  if (type == SurfaceType::Dim2 && s.type == SurfaceType::Cube && is_array(wanted))
    return fmt::format("{} makes its faces layers", member("type", "2d-array"));
  if (type == SurfaceType::Cube && s.type == SurfaceType::Dim2 && s.array && s.layers % 6 == 0)
    return fmt::format("{} makes its layers faces", member("type", is_array(wanted) ? "cube-array" : "cube"));
  if (type == SurfaceType::Cube)
    return flags ? "a cube has six files (+x,-x,+y,-y,+z,-z), or the size of one face and type=cube"
                 : "a cube has six 'files' (+x -x +y -y +z -z), or the size of one face and type = \"cube\"";
  if (type == SurfaceType::Dim3) return "a 3D image has three sizes, or a file that holds one (.ktx2 .dds)";
  if (type == SurfaceType::Dim2 && s.type == SurfaceType::Cube) return "six files are a cube; one file is a 2D image";
  if (s.array_length() > 1 && !is_array(wanted))
    return "one file is one layer; so is an array of which view_layers is 1";
  return {};
}

}  // namespace

ShapeProblem shape_problem(const std::string& key, ImageShape wanted, const image::Surface& s, bool flags) {
  if (wanted == ImageShape::Unknown || s.type == SurfaceType::Null) return {};
  const bool samples = wanted == ImageShape::Samples || wanted == ImageShape::SamplesArray;
  const bool fits = s.type == type_of(wanted) && (s.samples > 1) == samples;
  // One layer is an array of one, and the other way round.
  if (fits && (is_array(wanted) || s.array_length() <= 1)) return {};
  return {fmt::format("the shader's '{}' is {}; {} is bound to it", key, words_of(wanted), words_of(s)),
          way_out(wanted, s, flags)};
}

std::optional<bool> holds_integers(const image::Surface& surface) {
  bool integers = false;
  for (const image::Channel& c : surface.info().channels) {
    if (c.type == image::ChannelType::Raw) return std::nullopt;
    integers = integers || c.type == image::ChannelType::Uint || c.type == image::ChannelType::Sint;
  }
  return integers;
}

}  // namespace heddle::job
