// SPDX-License-Identifier: MIT
#pragma once
// Whether an image has the shape that a shader's variable declares.

#include <optional>
#include <string>

#include "image/surface.hpp"
#include "job/shader/interface.hpp"

namespace heddle::job {

/// Why an image with other coordinates than the shader's gives wrong texels, and the way out; empty where it fits.
struct ShapeProblem {
  std::string message, note;
};
/// `flags`: the job comes from the command line, whose words the note has.
[[nodiscard]] ShapeProblem shape_problem(const std::string& key, shader_interface::ImageShape wanted,
                                         const image::Surface& surface, bool flags);

/// Whether its texels are integers; nothing where they are plain bits.
[[nodiscard]] std::optional<bool> holds_integers(const image::Surface& surface);

}  // namespace heddle::job
