// SPDX-License-Identifier: MIT
#include "tools/profiles/profile_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

namespace heddle::tools {
namespace {

using Words = std::vector<ProfileWord>;

/// What uses what is followed by calls, a level for each: more parts are refused.
constexpr std::size_t kMaxParts = 2000;

Words split(std::string_view line, const std::string& file, std::uint32_t number) {
  Words words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t start = line.find_first_not_of(" \t\r", at);
    if (start == std::string_view::npos) break;
    at = std::min(line.find_first_of(" \t\r", start), line.size());
    words.push_back({std::string(line.substr(start, at - start)),
                     base::Place::text(file, number, static_cast<std::uint32_t>(start + 1),
                                       static_cast<std::uint32_t>(at - start))});
  }
  return words;
}

/// 1.3.204 as Vulkan writes it.
std::optional<std::uint32_t> read_version(const std::string& text) {
  std::uint32_t parts[3] = {};
  const char *at = text.data(), *end = at + text.size();
  for (std::uint32_t& part : parts) {
    const auto [next, problem] = std::from_chars(at, end, part);
    if (problem != std::errc{}) return std::nullopt;
    at = next;
    if (&part != &parts[2] && (at == end || *at++ != '.')) return std::nullopt;
  }
  if (at != end || parts[0] > 127 || parts[1] > 1023 || parts[2] > 4095) return std::nullopt;
  return parts[0] << 22 | parts[1] << 12 | parts[2];
}

std::vector<std::string> split_values(std::string_view text) {
  std::vector<std::string> values;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    values.emplace_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return values;
}

struct Operator {
  std::string_view text;
  Relation relation;
};
constexpr Operator kOperators[] = {{">=", Relation::AtLeast},
                                   {"<=", Relation::AtMost},
                                   {"=", Relation::Equal},
                                   {":", Relation::Has},
                                   {"~", Relation::Covers}};

/// name>=4, name:BIT,BIT, name~1,64 ...
std::optional<LimitNeed> read_limit(const ProfileWord& word) {
  const std::size_t at = word.text.find_first_of("><=:~");
  if (at == 0 || at == std::string::npos) return std::nullopt;
  for (const Operator& each : kOperators) {
    if (word.text.compare(at, each.text.size(), each.text) != 0) continue;
    LimitNeed need{{word.text.substr(0, at), word.place}, each.relation, {}};
    need.values = split_values(std::string_view(word.text).substr(at + each.text.size()));
    const bool is_empty = std::ranges::any_of(need.values, [](const std::string& value) { return value.empty(); });
    if (is_empty || (need.relation == Relation::Covers && need.values.size() != 2)) return std::nullopt;
    return need;
  }
  return std::nullopt;
}

class Reader {
 public:
  Reader(ProfileTable& table, base::Diagnostics& problems) : table_(table), problems_(problems) {}

  void line(const Words& words, std::string_view whole) {
    const std::string& head = words[0].text;
    const Words rest(words.begin() + 1, words.end());
    if (rest.empty()) return refuse(words[0], fmt::format("'{}' stands alone", head));
    if (head == "newer") return append(table_.newer, rest);
    if (head == "part" || head == "profile") return open(rest, head == "profile");
    if (part_ == nullptr) return refuse(words[0], fmt::format("'{}' stands before any profile", head));
    if (head == "about")
      part_->about = whole.substr(words[1].place.column - 1);
    else
      inside(head, words[0], rest);
  }

 private:
  void inside(const std::string& head, const ProfileWord& word, const Words& rest) {
    if (head == "version") return version(rest[0]);
    if (head == "uses") return append(part_->uses, rest);
    if (head == "need") return append(part_->needs, rest);
    if (head == "queue") return part_->queues.push_back(rest);
    if (head == "limit") return limits(rest);
    if (head == "format") return part_->formats.push_back({rest[0], Words(rest.begin() + 1, rest.end()), {}});
    if (head == "of" && !part_->formats.empty()) return append(part_->formats.back().formats, rest);
    if (head == "either") return part_->choices.push_back({rest});
    if (head == "or" && !part_->choices.empty()) return part_->choices.back().push_back(rest);
    refuse(word, head == "of"   ? "'of' stands before any format"
                 : head == "or" ? "'or' stands before any 'either'"
                                : fmt::format("'{}' begins no line of a profile", head));
  }

  void open(const Words& rest, bool is_profile) {
    if (table_.parts.size() == kMaxParts)
      problems_.add(base::error("profile-line", fmt::format("there are more than {} parts", kMaxParts), rest[0].place));
    if (table_.parts.size() >= kMaxParts) return;
    if (table_.find(rest[0].text) != nullptr)
      problems_.add(base::error("profile-name", fmt::format("'{}' is there twice", rest[0].text), rest[0].place));
    table_.parts.push_back({});
    part_ = &table_.parts.back();
    part_->name = rest[0];
    part_->is_profile = is_profile;
  }

  void version(const ProfileWord& word) {
    const auto read = read_version(word.text);
    if (!read) return refuse(word, fmt::format("'{}' is no version such as 1.3.204", word.text));
    part_->version = *read;
  }

  void limits(const Words& rest) {
    for (const ProfileWord& word : rest) {
      if (auto need = read_limit(word))
        part_->limits.push_back(std::move(*need));
      else
        refuse(word, fmt::format("'{}' is no limit such as maxViewports>=16", word.text));
    }
  }

  static void append(Words& to, const Words& words) { to.insert(to.end(), words.begin(), words.end()); }

  void refuse(const ProfileWord& word, std::string message) {
    problems_.add(base::error("profile-line", std::move(message), word.place)
                      .note("lines begin with profile, part, about, version, uses, need, limit, queue, format, of, "
                            "either, or, newer; docs/profiles.md says what follows"));
  }

  ProfileTable& table_;
  base::Diagnostics& problems_;
  ProfilePart* part_ = nullptr;
};

/// Follows what parts use; `above` are those whose uses are being followed.
class UseChecker {
 public:
  UseChecker(const ProfileTable& table, base::Diagnostics& problems) : table_(table), problems_(problems) {}

  void check(const ProfilePart& part) {
    if (!done_.insert(&part).second) return;
    above_.insert(&part);
    for (const ProfileWord& word : part.uses) check_use(word);
    above_.erase(&part);
  }

 private:
  void check_use(const ProfileWord& word) {
    const ProfilePart* used = table_.find(word.text);
    if (used == nullptr)
      problems_.add(
          base::error("profile-name", fmt::format("there is no profile or part '{}'", word.text), word.place));
    else if (above_.contains(used))
      problems_.add(base::error("profile-name", fmt::format("'{}' uses itself", word.text), word.place));
    else
      check(*used);
  }

  const ProfileTable& table_;
  base::Diagnostics& problems_;
  std::set<const ProfilePart*> done_, above_;
};

}  // namespace

const ProfilePart* ProfileTable::find(std::string_view name) const {
  const auto found = std::ranges::find_if(parts, [&](const ProfilePart& part) { return part.name.text == name; });
  return found == parts.end() ? nullptr : &*found;
}

void read_profiles(std::string_view text, const std::string& file, ProfileTable& table, base::Diagnostics& problems) {
  Reader reader(table, problems);
  std::uint32_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    const Words words = split(line, file, number);
    if (!words.empty() && !words[0].text.starts_with('#')) reader.line(words, line);
  }
}

void check_uses(const ProfileTable& table, base::Diagnostics& problems) {
  UseChecker checker(table, problems);
  for (const ProfilePart& part : table.parts) {
    checker.check(part);
    for (const FormatNeed& need : part.formats)
      if (need.bits.empty() || need.formats.empty())
        problems.add(base::error("profile-line", "a 'format' line names features, and 'of' below it the formats",
                                 need.tiling.place));
  }
}

}  // namespace heddle::tools
