#pragma once
// Files as a whole: read with a size limit, written to a temporary name and then renamed. "-" is standard input or
// output.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.hpp"
#include "base/result.hpp"

namespace heddle::base {

/// Ids: file-open, file-read (exit code 3), limit-input (4).
Result<std::vector<std::uint8_t>> read_file(const std::string& path, const Limits& limits = {});
/// The same bytes as a string.
Result<std::string> read_text(const std::string& path, const Limits& limits = {});

/// Writes all bytes or nothing: a temporary file in the same folder, flushed, then renamed over `path`. Id: file-write.
Result<Done> write_file(const std::string& path, std::span<const std::uint8_t> bytes);
Result<Done> write_file(const std::string& path, std::string_view text);

/// True for ids that mean exit code 3 (a file could not be read or written).
bool is_file_error(const Diagnostic& diagnostic);

}  // namespace heddle::base
