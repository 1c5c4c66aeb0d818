// SPDX-License-Identifier: MIT
#include "base/environment/interpret.hpp"

#include "base/environment/environment.hpp"

namespace heddle::base {

bool may_interpret() {
  static const bool may = read_word_variable(Variable::Interpret).value != "off";
  return may;
}

}  // namespace heddle::base
