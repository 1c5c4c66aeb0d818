#include "base/folders.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace heddle::base {
namespace {

namespace fs = std::filesystem;

/// Without dots and without a slash at its end.
fs::path plain(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

bool is_at_or_below(const fs::path& path, const fs::path& top) {
  const auto [of_path, of_top] = std::mismatch(path.begin(), path.end(), top.begin(), top.end());
  return of_top == top.end();
}

}  // namespace

bool make_folders(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return true;
  const fs::path wanted = plain(fs::absolute(folder, error));
  const char* const home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/' && !fs::is_directory(home, error) && is_at_or_below(wanted, plain(home)))
    return false;
  fs::create_directories(wanted, error);
  return fs::is_directory(wanted, error);
}

}  // namespace heddle::base
