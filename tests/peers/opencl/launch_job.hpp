// SPDX-License-Identifier: MIT
#pragma once
// A launch as Heddle's job.

#include <filesystem>

#include "peers/opencl/pocl.hpp"

namespace heddle::peers {

/// The job without program, zeinfo and platform; buffer contents lie in files of `folder`.
std::string job_of(const Launch& launch, const std::filesystem::path& folder);

}  // namespace heddle::peers
