// SPDX-License-Identifier: MIT
#pragma once
// Multisampled surfaces, seen sample by sample.

#include <memory>

#include "image/surface.hpp"

namespace heddle::image {

/// The samples of a multisampled surface as layers of one with a single sample: they are stored one after the other.
/// It has no MCS, which says where the samples of a pixel are (LD-6).
[[nodiscard]] inline std::shared_ptr<Surface> samples_as_layers(const Surface& surface) {
  auto view = std::make_shared<Surface>(surface);
  view->samples = 1;
  view->array = true;
  view->layers = surface.layers * surface.samples;
  view->view_layers = surface.array_length() * surface.samples;
  view->min_array_element = surface.min_array_element * surface.samples;
  view->mcs.reset();
  return view;
}

}  // namespace heddle::image
