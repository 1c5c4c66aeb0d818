// SPDX-License-Identifier: MIT
#pragma once
// TOML as a tree of values; toml.cpp alone knows the TOML library.

#include <string>
#include <string_view>

#include "base/node.hpp"
#include "base/result.hpp"

namespace heddle::job {

/// The keys stand in the order of the file. Ids: job-syntax, limit-nesting.
[[nodiscard]] base::Result<base::Node> parse_toml(std::string_view text, const std::string& file);
/// One TOML value ("3", "[1, 2]", "{ bytes = \"00\" }"); a text when it is none.
[[nodiscard]] base::Node parse_toml_value(std::string_view text);
/// What is wrong with a text that begins as a table, an array or a quoted text of TOML; empty for good ones and others.
[[nodiscard]] std::string toml_value_problem(std::string_view text);

}  // namespace heddle::job
