// SPDX-License-Identifier: MIT
#pragma once
// The rule book and the instructions in words: what an id of a diagnostic means, what an instruction takes.

#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.hpp"

namespace heddle {

/// What `word` means: a rule ("GA-4", "visa-sample4-channel"), an instruction or its family ("sample4"), a page of the
/// rule book ("gather"), in any letter case; or a raw message by its descriptors: [FUNCTION.]EXTENDED:DESCRIPTOR and
/// @PLATFORM behind it, numbers decimal or 0x ("0xC:0x02106E07", "15.0x07000000:0x64401500@DG2"; a descriptor alone,
/// "0x2106E07", by every shared function); or a directive of vISA text (".decl"). Text for people, or
/// one JSON object. Id: explain-unknown, with the nearest word that is known.
[[nodiscard]] Result<std::string> explain(std::string_view word, bool json = false);

/// Every word that explain() knows but messages, in no order.
[[nodiscard]] std::vector<std::string> explain_words();

/// The same for people: ids by subject, instructions by family, the pages of the rule book.
[[nodiscard]] std::string explain_index(bool json = false);

}  // namespace heddle
