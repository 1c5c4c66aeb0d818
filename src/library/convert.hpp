// SPDX-License-Identifier: MIT
#pragma once
// Between the public types of include/heddle/result.hpp and those of base/.

#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/limits.hpp"
#include "base/result.hpp"
#include "heddle/result.hpp"

namespace heddle::library {

[[nodiscard]] Diagnostic to_public(const base::Diagnostic& diagnostic);
[[nodiscard]] Diagnostics to_public(const std::vector<base::Diagnostic>& list);
[[nodiscard]] Diagnostics to_public(const base::Diagnostics& list);  ///< with the number of those that are missing
/// Adds `more` behind `list`.
void append(Diagnostics& list, const Diagnostics& more);
[[nodiscard]] base::Diagnostic to_base(const Diagnostic& diagnostic);
[[nodiscard]] base::Limits to_base(const Limits& limits);

/// A value of a call that is wrong. Id: usage-argument.
[[nodiscard]] Diagnostic wrong_argument(std::string message);

/// The result with its value as `make` turns it.
template <typename T, typename Make>
auto map(base::Result<T>&& result, Make make) -> Result<decltype(make(std::move(*result)))> {
  if (!result.ok()) return to_public(result.diagnostics());
  return make(std::move(*result));
}

inline Result<Done> done(const base::Result<base::Done>& result) {
  if (!result.ok()) return to_public(result.diagnostics());
  return Done{};
}

}  // namespace heddle::library
