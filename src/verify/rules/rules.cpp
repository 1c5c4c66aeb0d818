// SPDX-License-Identifier: MIT
#include "verify/rules/rules.hpp"

#include <array>
#include <unordered_map>

#include "verify/rules/rule_tables.hpp"

namespace heddle::verify {

std::span<const Rule> rules(Area area) {
  switch (area) {
    case Area::Text:
      return text_rules();
    case Area::Container:
      return container_rules();
    case Area::Declarations:
      return declaration_rules();
    case Area::Instructions:
      return instruction_rules();
    case Area::Images:
      return image_rules();
    case Area::Messages:
      return message_rules();
  }
  return {};
}

std::string_view area_title(Area area) {
  constexpr std::array<std::string_view, kAreaCount> kTitles = {"Text",
                                                                "Container",
                                                                "Declarations, inputs, attributes",
                                                                "Every instruction",
                                                                "Image instructions",
                                                                "Arithmetic families, memory, messages"};
  return kTitles[static_cast<unsigned>(area) % kAreaCount];
}

const Rule* find_rule(std::string_view id) {
  static const std::unordered_map<std::string_view, const Rule*> kIndex = [] {
    std::unordered_map<std::string_view, const Rule*> index;
    for (unsigned area = 0; area < kAreaCount; ++area)
      for (const Rule& rule : rules(static_cast<Area>(area))) index.emplace(rule.id, &rule);
    return index;
  }();
  const auto found = kIndex.find(id);
  return found == kIndex.end() ? nullptr : found->second;
}

}  // namespace heddle::verify
