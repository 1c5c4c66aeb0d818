// SPDX-License-Identifier: MIT
#pragma once
// Profiles as text: names of features, limits, formats and extensions that somebody asks of a Vulkan driver. README.md
// has the words of a table.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"

namespace heddle::tools {

/// A word of a table, and where it stands.
struct ProfileWord {
  std::string text;
  base::Place place;
};

/// How a limit stands to what is asked.
enum class Relation : std::uint8_t { AtLeast, AtMost, Equal, Has, Covers };

/// A number for each element of the limit, or names of bits.
struct LimitNeed {
  ProfileWord name;
  Relation relation = Relation::AtLeast;
  std::vector<std::string> values;
};

/// What each of some formats must be good for.
struct FormatNeed {
  ProfileWord tiling;  ///< optimal, linear or buffer
  std::vector<ProfileWord> bits, formats;
};

/// A profile, or a part that several of them use.
struct ProfilePart {
  ProfileWord name;
  bool is_profile = false;
  std::string about;
  std::uint32_t version = 0;  ///< as Vulkan writes versions
  std::vector<ProfileWord> uses, needs;
  std::vector<LimitNeed> limits;
  std::vector<FormatNeed> formats;
  std::vector<std::vector<ProfileWord>> queues;                ///< a family must have all of the flags
  std::vector<std::vector<std::vector<ProfileWord>>> choices;  ///< one of the lists must hold
};

struct ProfileTable {
  std::vector<ProfilePart> parts;
  std::vector<ProfileWord> newer;  ///< names that the registry does not have
  [[nodiscard]] const ProfilePart* find(std::string_view name) const;
};

/// Adds what a text has to the table. Ids: profile-line, profile-name.
void read_profiles(std::string_view text, const std::string& file, ProfileTable& table, base::Diagnostics& problems);
/// Whether every part that is used is there, and none uses itself. Ids: profile-name.
void check_uses(const ProfileTable& table, base::Diagnostics& problems);

}  // namespace heddle::tools
