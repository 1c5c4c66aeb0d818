// SPDX-License-Identifier: MIT
#pragma once
// The documents of an exploration as they are asked for: those of a report, and traces of any thread.

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "explore/exploration.hpp"
#include "explore/recording/recorder.hpp"

namespace heddle::explore {

class Service {
 public:
  /// The exploration must outlive it; commands that are asked for with changes are added to it.
  explicit Service(Exploration& exploration) : exploration_(exploration) {}
  /// Runs all commands. Ids: those of runs.
  [[nodiscard]] base::Result<base::Done> prepare(const ExploreOptions& options);
  /// A document, deflated; nothing where there is none of that name. From any thread.
  [[nodiscard]] std::optional<std::vector<std::uint8_t>> get(const std::string& name);

 private:
  [[nodiscard]] std::optional<std::vector<std::uint8_t>> trace(const std::string& name);
  [[nodiscard]] std::optional<std::vector<std::uint8_t>> what_if(const std::string& name);
  [[nodiscard]] base::Result<std::string> run_changed(std::size_t command, const std::vector<Change>& changes);
  Exploration& exploration_;
  ExploreOptions options_;
  std::mutex mutex_;
  std::map<std::string, std::vector<std::uint8_t>> documents_;  ///< deflated
  /// Of a command.
  struct Fragments {
    std::vector<Fragment> all;
    std::unordered_map<std::uint32_t, std::uint32_t> first;  ///< by thread: number of its first one
  };
  std::vector<Fragments> fragments_;
  std::string index_;        ///< the document, as text
  std::size_t changed_ = 0;  ///< commands that are changes of others
};

}  // namespace heddle::explore
