// SPDX-License-Identifier: MIT
#pragma once
// Image functions of the second tier, made once for a static state: in memory for the process, on disk for others.

#include "engine/jit/codegen/compile.hpp"

namespace heddle::engine::jit {

/// `disk`: also in the cache folder, in files of kind "image".
class ImageFunctions final : public KeptFunctions {
 public:
  explicit ImageFunctions(bool disk) : disk_(disk) {}
  [[nodiscard]] std::shared_ptr<const Code> find(const std::string& what) override;
  void keep(const std::string& what, Code code) override;
  /// How often a function was found, in this process.
  [[nodiscard]] static std::uint64_t found();

 private:
  bool disk_;
};

}  // namespace heddle::engine::jit
