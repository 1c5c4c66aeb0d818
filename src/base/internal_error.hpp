// SPDX-License-Identifier: MIT
#pragma once
// Faults of this program itself, whatever the input: exit code 70. Their ids end in "-internal".

#include <string>

#include "base/diagnostic.hpp"

namespace heddle::base {

/// `id` ends in "-internal".
[[nodiscard]] Diagnostic internal_error(std::string id, std::string message, Place place = {});
[[nodiscard]] bool is_internal_error(const Diagnostic& diagnostic);

}  // namespace heddle::base
