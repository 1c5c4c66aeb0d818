// SPDX-License-Identifier: MIT
#pragma once
// The texts of tables/, which the build puts into the program.

#include <span>

namespace heddle::tools {

struct ProfileText {
  const char *name, *text;
};
extern const std::span<const ProfileText> kProfileTexts;

}  // namespace heddle::tools
