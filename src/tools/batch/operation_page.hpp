// SPDX-License-Identifier: MIT
#pragma once
// What docs/batch.md says of one operation: the same text, embedded in the program.

#include <string>
#include <string_view>

namespace heddle::tools {

/// docs/batch.md as it was when the program was built.
extern const char* const kBatchPage;

/// The part of the page about an operation (sample4 is gather4), as text or as one JSON object; empty where there is no
/// such operation.
[[nodiscard]] std::string operation_text(std::string_view word, bool json);

}  // namespace heddle::tools
