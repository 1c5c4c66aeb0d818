// SPDX-License-Identifier: MIT
#pragma once
// Kernels of Intel's OpenCL compiler and the gallery's jobs: on the fast engine, the reference engine and, where it is
// OpenCL, on POCL.

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::bench {

struct KernelTimes {
  std::string name, amount;
  double peer = 0, fast = 0, reference = 0;  ///< seconds; 0: not run
  std::string why;                           ///< what failed
};

/// One of them: its program's path without extension, and its job, which starts with the global size.
struct KernelJob {
  std::string path, text;
};
[[nodiscard]] KernelJob kernel_job(const std::string& function, const std::filesystem::path& folder);

/// The kernels of tests/data/opencl whose names have `filter`, one thread. Empty `no_peer`: POCL took part.
[[nodiscard]] std::vector<KernelTimes> time_kernels(const std::filesystem::path& folder, const std::string& filter,
                                                    unsigned rounds, std::string& no_peer);
/// The jobs of examples/, one thread, each a process of `heddle`.
[[nodiscard]] std::vector<KernelTimes> time_gallery(const std::string& heddle, const std::filesystem::path& folder,
                                                    const std::string& filter, unsigned rounds);

}  // namespace heddle::bench
