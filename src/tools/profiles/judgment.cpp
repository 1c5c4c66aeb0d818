// SPDX-License-Identifier: MIT
#include "tools/profiles/judgment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

namespace heddle::tools {
namespace {

std::string version_text(std::uint32_t version) {
  return fmt::format("{}.{}.{}", version >> 22, version >> 12 & 0x3FF, version & 0xFFF);
}

std::string number_text(double number) {
  return number == static_cast<double>(static_cast<std::int64_t>(number)) && number < 9e18
             ? fmt::to_string(static_cast<std::int64_t>(number))
             : fmt::format("{}", number);
}

std::string list_text(const std::vector<double>& numbers) {
  std::vector<std::string> words;
  for (const double number : numbers) words.push_back(number_text(number));
  return fmt::format("{}", fmt::join(words, ","));
}

std::string_view relation_text(Relation relation) {
  switch (relation) {
    case Relation::AtLeast:
      return ">=";
    case Relation::AtMost:
      return "<=";
    case Relation::Equal:
      return "=";
    case Relation::Has:
      return "has";
    case Relation::Covers:
      return "covers";
  }
  return "";
}

class Judge {
 public:
  Judge(const ProfileTable& table, const DriverDevice& device, base::Diagnostics& problems)
      : table_(table), device_(device), problems_(problems) {}

  void part(const ProfilePart& part) {
    if (!seen_.insert(&part).second) return;
    for (const ProfileWord& word : part.uses)
      if (const ProfilePart* used = table_.find(word.text)) this->part(*used);
    version(part);
    for (const ProfileWord& word : part.needs) need(word);
    for (const LimitNeed& limit : part.limits) this->limit(limit);
    for (const FormatNeed& format : part.formats) formats(format);
    for (const auto& flags : part.queues) queue(flags);
    for (const auto& choice : part.choices) this->choice(choice);
  }

  Judgment take() { return std::move(judgment_); }

 private:
  void miss(Miss miss) {
    const auto same = [&](const Miss& each) { return each.name == miss.name && each.asked == miss.asked; };
    if (std::ranges::none_of(judgment_.misses, same)) judgment_.misses.push_back(std::move(miss));
  }

  void unknown(const ProfileWord& word, std::string_view what) {
    base::Diagnostic d =
        base::error("profile-name", fmt::format("the registry has no {} '{}'", what, word.text), word.place);
    const std::string_view near = base::nearest(word.text, DriverDevice::known_names());
    if (!near.empty()) d.note(fmt::format("did you mean '{}'?", near));
    problems_.add(std::move(d).note("what this program's registry does not have yet stands behind 'newer'"));
  }

  /// Whether the driver has a feature or an extension; said as a problem where nobody knows the name.
  bool has(const ProfileWord& word) {
    const bool is_extension = word.text.starts_with("VK_");
    const auto found = is_extension ? device_.extension(word.text) : device_.feature(word.text);
    const bool newer =
        std::ranges::any_of(table_.newer, [&](const ProfileWord& each) { return each.text == word.text; });
    if (!found && !newer) unknown(word, is_extension ? "extension" : "feature");
    return found.value_or(false);
  }

  void version(const ProfilePart& part) {
    if (part.version == 0) return;
    ++judgment_.asked;
    if (device_.version() < part.version)
      miss({"version", "Vulkan", version_text(part.version), version_text(device_.version())});
  }

  void need(const ProfileWord& word) {
    ++judgment_.asked;
    if (!has(word)) miss({word.text.starts_with("VK_") ? "extension" : "feature", word.text, "", ""});
  }

  void choice(const std::vector<std::vector<ProfileWord>>& lists) {
    ++judgment_.asked;
    std::vector<std::string> texts;
    bool holds = false;
    for (const auto& list : lists) {
      std::vector<std::string> words;
      bool all = true;
      for (const ProfileWord& word : list) all = has(word) && all, words.push_back(word.text);
      holds = holds || all;
      texts.push_back(fmt::format("{}", fmt::join(words, " and ")));
    }
    if (!holds) miss({"choice", fmt::format("{}", fmt::join(texts, ", or ")), "", ""});
  }

  void limit(const LimitNeed& need) {
    ++judgment_.asked;
    if (need.relation == Relation::Has) return bits(need);
    const auto has = device_.limit(need.name.text);
    if (!has) return unknown(need.name, "limit");
    std::vector<double> asked;
    for (const std::string& text : need.values) {
      const auto number = read_number(text);
      if (!number) return unknown({text, need.name.place}, "value");
      asked.push_back(*number);
    }
    if (!meets(need.relation, asked, *has))
      miss({"limit", need.name.text, fmt::format("{} {}", relation_text(need.relation), list_text(asked)),
            list_text(*has)});
  }

  static std::optional<double> read_number(const std::string& text) {
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem == std::errc{} && end == text.data() + text.size()) return number;
    const auto value = DriverDevice::value(text);
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
  }

  static bool meets(Relation relation, const std::vector<double>& asked, const std::vector<double>& has) {
    if (relation == Relation::Covers) return has.size() == 2 && has[0] <= asked[0] && has[1] >= asked[1];
    if (asked.size() != has.size()) return false;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const bool good = relation == Relation::AtLeast  ? has[i] >= asked[i]
                        : relation == Relation::AtMost ? has[i] <= asked[i]
                                                       : has[i] == asked[i];
      if (!good) return false;
    }
    return true;
  }

  void bits(const LimitNeed& need) {
    const auto has = device_.limit_bits(need.name.text);
    if (!has) return unknown(need.name, "limit");
    std::vector<std::string> lacking;
    for (const std::string& text : need.values) {
      const auto value = DriverDevice::value(text);
      if (!value) return unknown({text, need.name.place}, "value");
      if ((*has & *value) != *value) lacking.push_back(text);
    }
    if (!lacking.empty())
      miss({"limit", need.name.text, fmt::format("has {}", fmt::join(lacking, " ")), fmt::format("{:#x}", *has)});
  }

  void queue(const std::vector<ProfileWord>& flags) {
    ++judgment_.asked;
    std::uint64_t all = 0;
    std::vector<std::string> names;
    for (const ProfileWord& word : flags) {
      const auto value = DriverDevice::value(word.text);
      if (!value) return unknown(word, "flag of queues");
      all |= *value;
      names.push_back(word.text);
    }
    if (!device_.has_queue(all)) miss({"queue", fmt::format("{}", fmt::join(names, " ")), "", ""});
  }

  void formats(const FormatNeed& need) {
    std::vector<std::pair<std::uint64_t, std::string>> bits;
    for (const ProfileWord& word : need.bits) {
      const auto bit = DriverDevice::format_feature(word.text);
      if (!bit) return unknown(word, "feature of formats");
      bits.emplace_back(*bit, word.text);
    }
    for (const ProfileWord& word : need.formats) format(word, need.tiling, bits);
  }

  void format(const ProfileWord& word, const ProfileWord& tiling,
              const std::vector<std::pair<std::uint64_t, std::string>>& bits) {
    ++judgment_.asked;
    const auto has = device_.format(word.text, tiling.text);
    if (!has) return unknown(word, fmt::format("format with {} features", tiling.text));
    std::vector<std::string> lacking;
    for (const auto& [bit, name] : bits)
      if ((*has & bit) != bit) lacking.push_back(name);
    if (!lacking.empty()) miss({"format", word.text, fmt::format("{} {}", tiling.text, fmt::join(lacking, " ")), ""});
  }

  const ProfileTable& table_;
  const DriverDevice& device_;
  base::Diagnostics& problems_;
  std::set<const ProfilePart*> seen_;
  Judgment judgment_;
};

}  // namespace

Judgment judge_profile(const ProfileTable& table, const ProfilePart& profile, const DriverDevice& device,
                       base::Diagnostics& problems) {
  Judge judge(table, device, problems);
  judge.part(profile);
  return judge.take();
}

}  // namespace heddle::tools
