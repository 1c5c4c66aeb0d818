// SPDX-License-Identifier: MIT
#pragma once
// Names of attributes (ENC-14).

#include <string_view>

namespace heddle::isa {

/// The present spelling of an attribute's name; old files have AsmName, perThreadInputSize, crossThreadInputSize.
[[nodiscard]] std::string_view current_attribute_name(std::string_view name);

}  // namespace heddle::isa
