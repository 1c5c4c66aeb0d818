// SPDX-License-Identifier: MIT
#pragma once
// The documents of an exploration as they are asked for: those of a report, and traces of any thread.

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "explore/exploration.hpp"
#include "explore/recorder.hpp"

namespace heddle::explore {

class Service {
 public:
  /// The exploration must outlive it.
  explicit Service(const Exploration& exploration) : exploration_(exploration) {}
  /// Runs all commands. Ids: those of runs.
  [[nodiscard]] base::Result<base::Done> prepare(const ExploreOptions& options);
  /// A document, deflated; nothing where there is none of that name. From any thread.
  [[nodiscard]] std::optional<std::vector<std::uint8_t>> get(const std::string& name);

 private:
  [[nodiscard]] std::optional<std::vector<std::uint8_t>> trace(const std::string& name);
  const Exploration& exploration_;
  std::mutex mutex_;
  std::map<std::string, std::vector<std::uint8_t>> documents_;  ///< deflated
  std::vector<std::vector<Fragment>> fragments_;                ///< by command
};

}  // namespace heddle::explore
