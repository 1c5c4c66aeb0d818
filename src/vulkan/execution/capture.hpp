#pragma once
// HEDDLE_CAPTURE: a dispatch as a job file, which `heddle run` repeats bit for bit.

#include <string>

#include "pipeline/compute.hpp"
#include "vulkan/objects/pipeline.hpp"

namespace heddle::vulkan {

/// Writes FOLDER/NNNNNN.toml, the program (NNNNNN.visaasm, and the module that it was compiled from, NNNNNN.spv) and
/// what is bound now, before the dispatch runs; the job saves what shaders write under names with `.out`. The answer
/// says what went wrong; empty: nothing.
[[nodiscard]] std::string capture_dispatch(const std::string& folder, const Pipeline& pipeline,
                                           const pipeline::Grid& grid);

}  // namespace heddle::vulkan
