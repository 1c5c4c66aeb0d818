// SPDX-License-Identifier: MIT
#pragma once
// The folder that HEDDLE_TEXELS names: written when the process ends, whole or not at all.

#include <string>

#include "vulkan/texels/texel_session.hpp"

namespace heddle::vulkan {

class TexelOutput {
 public:
  explicit TexelOutput(const TexelSession& session) : session_(session) {}
  /// Writes a folder of another name beside it, then renames that; where the folder is there and has files in it, to
  /// FOLDER-2, FOLDER-3 and so on. What goes wrong is told on standard error. Nothing where no device was made.
  void write() const;

 private:
  [[nodiscard]] bool write_files(const std::string& folder) const;

  const TexelSession& session_;
};

}  // namespace heddle::vulkan
