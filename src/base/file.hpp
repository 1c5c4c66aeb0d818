// SPDX-License-Identifier: MIT
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

/// Opens a file or, for "-", standard input to be read piece by piece; the caller closes what is not standard input.
/// Folders and devices without end are refused. Ids: file-open, file-read.
Result<int> open_input(const std::string& path);

/// Makes a folder and those above it, but never $HOME, nor anything below a $HOME that isn't there: users that have
/// none are given one that must not exist (Debian's /nonexistent). Whether it is there.
bool make_folders(const std::string& folder);

/// Writes all bytes or nothing: a temporary file in the same folder, flushed, then renamed over `path`. Ids:
/// file-write; file-pipe, where the reader of standard output has gone.
Result<Done> write_file(const std::string& path, std::span<const std::uint8_t> bytes);
Result<Done> write_file(const std::string& path, std::string_view text);

/// Whether `path` could be written now, before long work whose result goes there: a temporary file beside it is made
/// and removed. In a folder that is not there nothing is tried; what makes folders (OutputFiles) finds out by itself.
/// Ids: file-write.
Result<Done> check_writable(const std::string& path);

/// Files that belong together. Each is written to a temporary name in its folder, which is made where it is missing;
/// `commit` renames them all. What was not committed is removed. Paths are "-" for standard output, and may name
/// devices and pipes: those get their bytes at the beginning of `commit`, in order. Ids: those of
/// write_file.
class OutputFiles {
 public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;
  ~OutputFiles();

  [[nodiscard]] Result<Done> add(const std::string& path, std::span<const std::uint8_t> bytes);
  [[nodiscard]] Result<Done> add(const std::string& path, std::string_view text);
  /// A file that is written piece by piece: the descriptor is the caller's, to be closed before `commit`. Not "-".
  [[nodiscard]] Result<int> open(const std::string& path);
  /// Nothing is renamed where a device cannot be written; a name that cannot be taken keeps no other file back.
  [[nodiscard]] Result<Done> commit();

 private:
  struct File {
    std::string path, temporary;      ///< `temporary` is empty for standard output, devices and pipes
    std::vector<std::uint8_t> bytes;  ///< of those
  };
  std::vector<File> files_;
};

/// True for ids that mean exit code 3 (a file could not be read or written).
bool is_file_error(const Diagnostic& diagnostic);

}  // namespace heddle::base
