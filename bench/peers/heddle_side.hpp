// SPDX-License-Identifier: MIT
#pragma once
// A case on Heddle: as jobs and shaders are run by `heddle run`.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cases.hpp"
#include "engine/jit/cache/kernel_cache.hpp"

namespace heddle::bench {

/// SPIR-V of a case by glslangValidator; empty when it failed or is not installed. `folder` takes its files.
[[nodiscard]] std::vector<std::uint32_t> spirv_of(const Case& c, const std::filesystem::path& folder);
/// The same of any GLSL; `stage` is glslangValidator's word, such as "vert".
[[nodiscard]] std::vector<std::uint32_t> spirv_of(const std::string& glsl, const std::string& stage,
                                                  const std::filesystem::path& folder);

/// The case as a job, without its program; texels go to a file of `folder`.
[[nodiscard]] std::string job_of(const Case& c, const std::filesystem::path& folder, unsigned threads);

class Heddle {
 public:
  /// Writes the case's files; nothing is compiled yet.
  Heddle(const Case& c, const std::vector<std::uint32_t>& words, const std::filesystem::path& folder, unsigned threads);
  ~Heddle();

  /// Seconds of the engine's running, in optimized code (the second tier); negative when it failed (`why`). `cpu`:
  /// LLVM's name of another processor to compile for. A second run with the same finds its kernel in memory.
  double run(const std::string& cpu = {});
  /// Seconds from the SPIR-V and the job's text to the end of the run; negative when it failed. `kernels`: what is in
  /// memory. `cpu`: as of run().
  double first_run(engine::jit::MemoryCache* kernels = nullptr, engine::jit::Tiers tiers = engine::jit::Tiers::Both,
                   const std::string& cpu = {});

  std::string why, engine;

 private:
  struct State;
  bool prepare();
  std::unique_ptr<State> state_;
};

}  // namespace heddle::bench
