// SPDX-License-Identifier: MIT
#pragma once
// What the public images and samplers hold.

#include <memory>

#include "heddle/image.hpp"
#include "heddle/render_target.hpp"
#include "heddle/sampler.hpp"
#include "heddle/texture.hpp"
#include "image/objects/object.hpp"
#include "image/output_state.hpp"
#include "image/surface.hpp"
#include "library/convert.hpp"

namespace heddle {

struct Image::Impl {
  std::shared_ptr<image::Surface> surface;
};

struct Sampler::Impl {
  image::SamplerMembers members;
};

namespace library {

[[nodiscard]] Image make_image(image::Surface surface);
/// The surface of an image that is not empty.
[[nodiscard]] inline image::Surface& surface_of(const Image& image) { return *image.impl()->surface; }
[[nodiscard]] Diagnostic empty_image(std::string_view what = "the image");
[[nodiscard]] Diagnostic unknown_format(std::string_view name);
/// State as `surface` reads it: the border's numbers are its format's.
[[nodiscard]] image::Sampler sampler_for(const Sampler& sampler, const image::Surface& surface);

/// At most 8 blend states.
[[nodiscard]] image::OutputState output_state(const OutputState& state);

}  // namespace library
}  // namespace heddle
