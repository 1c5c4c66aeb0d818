// SPDX-License-Identifier: MIT
#pragma once
// Several samples of attachments that have one (VK_EXT_multisampled_render_to_single_sampled): draws write to a twin,
// of which the attachment's samples are made when the pass ends.

#include <cstdint>
#include <memory>
#include <vector>

#include "vulkan/objects/images/image_view.hpp"

namespace heddle::vulkan {

class SampledTwins {
 public:
  /// The twin of a view: each of its samples is what the view holds. The view itself, where it has several samples.
  /// Throws std::bad_alloc.
  [[nodiscard]] ImageView* twin_of(ImageView& view, std::uint32_t samples, unsigned workers);
  /// A pass begins that goes on with none.
  void clear() { twins_.clear(); }

 private:
  struct Twin {
    const ImageView* of;
    std::uint32_t samples;
    std::unique_ptr<ImageView> view;
  };
  std::vector<Twin> twins_;
};

}  // namespace heddle::vulkan
