// SPDX-License-Identifier: MIT
#pragma once
// What tests of the library share: the id of the first diagnostic.

#include <string>

#include "heddle/result.hpp"

namespace heddle::test {

template <typename T>
std::string id_of(const Result<T>& result) {
  return result.ok() ? "ok" : result.diagnostics().empty() ? "none" : result.diagnostics().front().id;
}

}  // namespace heddle::test
