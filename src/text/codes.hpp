// SPDX-License-Identifier: MIT
#pragma once
// Names of code values as the text writes them.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "isa/description.hpp"
#include "text/scanner.hpp"

namespace heddle::text {

/// `any_case`: the seeds' dialect.
inline bool same_word(std::string_view a, std::string_view b, bool any_case) {
  return a == b || (any_case && a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
                      return to_lower(x) == to_lower(y);
                    }));
}

inline const isa::Code* find_code(const isa::CodeTable& table, std::string_view word, bool any_case) {
  if (const isa::Code* exact = table.find(word)) return exact;
  if (!any_case) return nullptr;
  for (const isa::Code& c : table.codes)
    if (same_word(c.name, word, true)) return &c;
  return nullptr;
}

/// "eq, ne, gt" for messages.
inline std::string code_list(const isa::CodeTable& table) {
  std::string list;
  for (const isa::Code& c : table.codes)
    if (!c.alias && !c.name.empty()) list += (list.empty() ? "" : ", ") + std::string(c.name);
  return list;
}

inline std::uint64_t all_ones(unsigned bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

}  // namespace heddle::text
