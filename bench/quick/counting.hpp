// SPDX-License-Identifier: MIT
#pragma once
// What counts instructions: callgrind on x86-64; on arm64 qemu, which runs the program, with the plugin qemu_count.c.

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace heddle::bench {

/// LLVM's name of the processor that code is made for.
#if defined(__x86_64__)
inline constexpr const char* kCpu = "x86-64-v3";
inline constexpr const char* kCounter = "callgrind";
#else
inline constexpr const char* kCpu = "generic";
inline constexpr const char* kCounter = "qemu";
#endif

/// Whether something counts in this process; otherwise the next two do nothing.
[[nodiscard]] bool is_counting();
void begin_counting();
void end_counting(std::size_t item, bool large);

/// The words of `counted` with what counts before them, or in the environment; empty with `why` where there is none.
/// `plugin` is the built qemu_count.c; `folder` takes the counts.
[[nodiscard]] std::vector<std::string> counting_words(std::vector<std::string> counted, const std::string& plugin,
                                                      const std::filesystem::path& folder, std::string& why);
/// Instructions by "item K small" and "item K large".
[[nodiscard]] std::map<std::string, double> read_counts(const std::filesystem::path& folder);

}  // namespace heddle::bench
