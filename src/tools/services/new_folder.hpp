// SPDX-License-Identifier: MIT
#pragma once
// Folders for what a command writes.

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "base/diagnostic.hpp"
#include "base/file.hpp"
#include "base/result.hpp"

namespace heddle::tools {

/// Makes it, and those above it, where it is not there. Id: file-write, which says why it cannot be made.
[[nodiscard]] inline base::Result<base::Done> make_folder(const std::string& path) {
  if (base::make_folders(path)) return base::Done{};
  std::error_code problem;
  if (std::filesystem::exists(path, problem))
    problem = std::make_error_code(std::errc::not_a_directory);
  else
    std::filesystem::create_directories(path, problem);
  const std::string why = problem ? ": " + problem.message() : std::string();
  return base::error("file-write", fmt::format("'{}' cannot be made{}", path, why), base::Place::in_file(path));
}

}  // namespace heddle::tools
