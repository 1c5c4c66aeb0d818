// SPDX-License-Identifier: MIT
#pragma once
// Result<T>: a value, or the diagnostics that say why there is none. Errors are values; the library never throws on
// input.

#include <cassert>
#include <optional>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"

namespace heddle::base {

struct Failure {
  std::vector<Diagnostic> diagnostics;
  Failure(Diagnostic diagnostic) { diagnostics.push_back(std::move(diagnostic)); }  // NOLINT: a diagnostic is a failure
  explicit Failure(std::vector<Diagnostic> list) : diagnostics(std::move(list)) {}
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                                     // NOLINT: implicit by design
  Result(Failure failure) : diagnostics_(std::move(failure.diagnostics)) {}         // NOLINT
  Result(Diagnostic diagnostic) { diagnostics_.push_back(std::move(diagnostic)); }  // NOLINT

  [[nodiscard]] bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] T& value() & {
    assert(ok());
    return *value_;
  }
  [[nodiscard]] const T& value() const& {
    assert(ok());
    return *value_;
  }
  [[nodiscard]] T&& value() && {
    assert(ok());
    return *std::move(value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  [[nodiscard]] Failure failure() const { return Failure(diagnostics_); }

 private:
  std::optional<T> value_;
  std::vector<Diagnostic> diagnostics_;
};

/// Result<Done>: an action that yields nothing.
struct Done {};

}  // namespace heddle::base
