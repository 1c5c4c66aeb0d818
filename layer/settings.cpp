// SPDX-License-Identifier: MIT
#include "layer/settings.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace heddle::layer {
namespace {

constexpr std::string_view kOff[] = {"", "0", "off", "no", "false"}, kOn[] = {"1", "on", "yes", "true"};

/// Whether a variable says yes. What says neither yes nor no is no, and is said once.
bool is_set(const char* name, std::atomic_flag& was_said) {
  const char* text = std::getenv(name);
  if (text == nullptr) return false;
  std::string word;
  for (const char* c = text; *c != 0; ++c) word += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
  if (std::ranges::find(kOn, word) != std::ranges::end(kOn)) return true;
  if (std::ranges::find(kOff, word) == std::ranges::end(kOff) && !was_said.test_and_set())
    std::fprintf(stderr, "%s: %s is '%s', which it does not take: it is taken for 0; it takes 0 or 1\n", kLayerName,
                 name, text);
  return false;
}

}  // namespace

bool is_lenient() {
  static std::atomic_flag was_said;
  return is_set("HEDDLE_LAYER_LENIENT", was_said);
}
bool is_forced() {
  static std::atomic_flag was_said;
  return is_set("HEDDLE_LAYER_FORCE", was_said);
}

}  // namespace heddle::layer
