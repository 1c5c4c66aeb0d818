// SPDX-License-Identifier: MIT
#include "base/environment/vector_level.hpp"

#include "base/environment/environment.hpp"

namespace heddle::base {

unsigned vector_limit() {
  static const unsigned limit = [] {
    const auto word = read_word_variable(Variable::Vectors).value;
    return !word || *word == "all" ? 0u : static_cast<unsigned>(word->back() - '0');
  }();
  return limit;
}

std::string limited_processor() {
#if defined(__x86_64__)
  if (const unsigned limit = vector_limit(); limit != 0) return "x86-64-v" + std::to_string(limit);
#endif
  return {};
}

}  // namespace heddle::base
