// SPDX-License-Identifier: MIT
#pragma once
// The page (web/) as it was bundled when the program was built; empty where esbuild was missing.

#include <string_view>

namespace heddle::explore {

extern const std::string_view kPageScript, kPageStyle;
/// The SHA256 hash of each as hexadecimal digits, for the page's content security policy.
extern const std::string_view kPageScriptHash, kPageStyleHash;

}  // namespace heddle::explore
