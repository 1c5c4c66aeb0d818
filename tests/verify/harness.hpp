// SPDX-License-Identifier: MIT
#pragma once
// Running the rules over short programs.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "isa/platform.hpp"
#include "verify/verify.hpp"

namespace heddle::test {

/// tests/data/golden/prologue.visaasm: the declarations that examples and cases use.
const std::string& prologue();

/// An example of the catalog as a whole program: prologue, lines, `ret (M1, 1)` unless the lines end a program
/// themselves.
std::string program_of(std::string_view lines);

struct Verdict {
  base::Diagnostics diagnostics{100'000};
  verify::Fit fit;
  bool parsed = false;
};
/// Reads text for checking, then runs the rules.
/// `change` sees the program between the two.
Verdict judge_text(const std::string& source, std::optional<isa::Platform> platform,
                   const std::function<void(isa::Program&)>& change = {});
/// The same over a container.
Verdict judge_binary(const std::vector<std::uint8_t>& bytes, std::optional<isa::Platform> platform);

std::optional<isa::Platform> platform_named(std::string_view name);  ///< nothing for "" and "none"
std::size_t count(const base::Diagnostics& diagnostics, std::string_view id);
std::string list(const base::Diagnostics& diagnostics, std::string_view without = {});

}  // namespace heddle::test
