// SPDX-License-Identifier: MIT
#pragma once
// What a run leaves in its job's resources, as files.

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/result.hpp"
#include "job/resources.hpp"

namespace heddle::job {

/// What a run leaves: every `save` of the job as bytes, made before anything is written.
struct Output {
  std::string path;  ///< "-": standard output
  std::vector<std::uint8_t> bytes;
};
/// Said before the run: images that are saved as a kind of file that is not written (image-kind).
[[nodiscard]] base::Result<base::Done> check_saved_pictures(const Job& job);
[[nodiscard]] base::Result<std::vector<Output>> encode_outputs(const Resources& resources, base::Diagnostics& notes);
/// The outputs as files that take their names together.
[[nodiscard]] base::Result<base::Done> add_outputs(const std::vector<Output>& outputs, base::OutputFiles& files);

}  // namespace heddle::job
