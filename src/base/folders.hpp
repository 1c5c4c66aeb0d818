#pragma once
// Making folders.

#include <filesystem>

namespace heddle::base {

/// Makes a folder and those above it, but never $HOME, nor anything below a $HOME that isn't there: users that have
/// none are given one that must not exist (Debian's /nonexistent). Whether it is there.
bool make_folders(const std::filesystem::path& folder);

}  // namespace heddle::base
