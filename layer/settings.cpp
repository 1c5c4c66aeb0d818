// SPDX-License-Identifier: MIT
#include "layer/settings.hpp"

#include <cstdlib>
#include <string_view>

namespace heddle::layer {
namespace {

/// Set, and to more than nothing or 0.
bool is_set(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != 0 && std::string_view(text) != "0";
}

}  // namespace

bool is_lenient() { return is_set("HEDDLE_LAYER_LENIENT"); }
bool is_forced() { return is_set("HEDDLE_LAYER_FORCE"); }

}  // namespace heddle::layer
