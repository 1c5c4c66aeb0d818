// SPDX-License-Identifier: MIT
// heddle/environment.hpp: what is wrong with the environment variables that the library reads.
#include <cstdlib>
#include <heddle/environment.hpp>
#include <iostream>

int main() {
  setenv("HEDDLE_VECTORS", "v9", 1);  // there is no such level
  setenv("HEDDLE_CACHEDIR", "/", 1);  // HEDDLE_CACHE_DIR was meant
  const heddle::Diagnostics problems = heddle::environment_problems();
  std::cout << heddle::to_text(problems);
  unsetenv("HEDDLE_VECTORS");
  unsetenv("HEDDLE_CACHEDIR");
  return problems.size() == 2 && heddle::environment_problems().empty() ? 0 : 1;
}
