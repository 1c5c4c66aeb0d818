// SPDX-License-Identifier: MIT
#include "heddle/environment.hpp"

#include "base/environment/environment.hpp"
#include "library/convert.hpp"

namespace heddle {

Diagnostics environment_problems() {
  return library::to_public(base::environment_problems(base::VariableReader::Everything));
}

}  // namespace heddle
