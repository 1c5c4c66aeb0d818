#pragma once
// A case on lavapipe, Mesa's Vulkan on the CPU.

#include <memory>
#include <string>
#include <vector>

#include "cases.hpp"

namespace heddle::bench {

/// Its own name and version; empty with a reason when it is not there. Reads LP_NUM_THREADS and Mesa's other variables
/// at the first call.
[[nodiscard]] std::string lavapipe_name(std::string& why);

class Lavapipe {
 public:
  Lavapipe(const Case& c, std::vector<std::uint32_t> words);
  ~Lavapipe();

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
