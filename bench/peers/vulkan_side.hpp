// SPDX-License-Identifier: MIT
#pragma once
// A case on a Vulkan driver for the CPU: lavapipe, SwiftShader.

#include <memory>
#include <string>
#include <vector>

#include "cases.hpp"

namespace heddle::bench {

/// A driver that is there.
struct Driver {
  std::string name;      ///< with its version: "lavapipe 25.0.7"
  std::string selector;  ///< what only its text in test::VulkanClient::devices contains
};

/// Those that Vulkan's loader finds, the newest lavapipe first; none with a reason. Reads VK_DRIVER_FILES,
/// LP_NUM_THREADS and Mesa's other variables at the first call.
[[nodiscard]] std::vector<Driver> drivers(std::string& why);
/// Makes its device; seconds it took, negative when it failed. Otherwise the first case on it does that.
[[nodiscard]] double make_device(const Driver& driver, std::string& why);

/// Small work, of which a program submits much: a group of 64 invocations, or a triangle over 64x64 pixels.
struct SmallWork {
  bool draw = false;
  unsigned count = 1;  ///< of one submission; each draw has a render pass of its own
};
/// Seconds from its submission until the queue is idle, everything compiled and in place; negative when it failed.
[[nodiscard]] double run_small(const Driver& driver, const SmallWork& work, std::string& why);

class VulkanPeer {
 public:
  VulkanPeer(const Driver& driver, const Case& c, std::vector<std::uint32_t> words);
  ~VulkanPeer();

  /// Seconds of one dispatch or frame among several, everything compiled and in place; negative when it failed (`why`).
  double run();
  /// Seconds of everything from the SPIR-V on, done once.
  double first_run();

  std::string why;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::bench
