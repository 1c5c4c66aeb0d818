// SPDX-License-Identifier: MIT
#pragma once
// Whether the driver has what a profile asks for.

#include <string>
#include <vector>

#include "tools/profiles/driver_device.hpp"
#include "tools/profiles/profile_table.hpp"

namespace heddle::tools {

/// Something that a profile asks for and the driver lacks.
struct Miss {
  std::string kind;        ///< version, extension, feature, limit, format, queue, choice
  std::string name;        ///< of what is missing; of a choice all its words
  std::string asked, has;  ///< of versions, limits and formats
};

struct Judgment {
  std::size_t asked = 0;  ///< needs, limits, formats, queues and choices
  std::vector<Miss> misses;
};

/// Names that the registry does not have are problems; those that the table calls newer are missed. Ids: profile-name.
[[nodiscard]] Judgment judge_profile(const ProfileTable& table, const ProfilePart& profile, const DriverDevice& device,
                                     base::Diagnostics& problems);

}  // namespace heddle::tools
