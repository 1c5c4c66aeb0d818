// SPDX-License-Identifier: MIT
#include "base/environment/frame_plan.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace heddle::base {
namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::optional<FrameRange> parse_frame_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  const auto first = whole_number(text.substr(0, dots));
  if (!first) return std::nullopt;
  if (dots == std::string_view::npos) return FrameRange(*first, *first);
  if (dots + 2 == text.size()) return FrameRange(*first, UINT64_MAX);
  const auto last = whole_number(text.substr(dots + 2));
  return last && *last >= *first ? std::optional(FrameRange(*first, *last)) : std::nullopt;
}

/// A word of a message.
std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  return text.size() <= kLongest ? std::string(text) : fmt::format("{}...", text.substr(0, kLongest));
}

bool read_frames(std::string_view value, FramePlan& plan, std::string& problem) {
  auto frames = parse_frame_ranges(value, problem);
  if (frames) plan.frames = *std::move(frames);
  return frames.has_value();
}

bool read_shard(std::string_view value, FramePlan& plan, std::string& problem) {
  const auto shard = parse_shard(value);
  if (shard) plan.shard = *shard;
  if (!shard) problem = fmt::format("I/N is expected, I from 1 to N, N up to {}", kMaxShards);
  return shard.has_value();
}

bool read_kind(std::string_view value, FramePlan& plan, std::string& /*problem*/) {
  plan.targets = value == "targets";
  return plan.targets || value == "presents";
}

bool read_objects(std::string_view value, FramePlan& plan, std::string& /*problem*/) {
  for (const std::string_view part : split(value, ',')) {
    std::string name;
    for (std::size_t at = 0; at < part.size(); ++at) {
      unsigned code = 0;
      if (part[at] != '%') {
        name += part[at];
        continue;
      }
      const char* const digits = part.data() + at + 1;
      if (part.size() - at <= 2 || std::from_chars(digits, digits + 2, code, 16).ptr != digits + 2) return false;
      name += static_cast<char>(code);
      at += 2;
    }
    if (name.empty()) return false;
    plan.objects.push_back(std::move(name));
  }
  return true;
}

bool read_last(std::string_view value, FramePlan& plan, std::string& /*problem*/) {
  plan.last = whole_number(value);
  return plan.last.has_value();
}

struct PlanWord {
  std::string_view key, example;
  bool (*read)(std::string_view, FramePlan&, std::string& problem);  ///< `problem` may say more
};
constexpr PlanWord kWords[] = {{"frames", "frames=0..9,20", read_frames},
                               {"shard", "shard=2/4", read_shard},
                               {"of", "of=targets or of=presents", read_kind},
                               {"objects", "objects=shadow%20map,sums", read_objects},
                               {"last", "last=20", read_last}};

/// Empty, or what is wrong with a word.
std::string read_word(std::string_view word, FramePlan& plan) {
  const std::string_view key = word.substr(0, word.find('='));
  for (const PlanWord& known : kWords) {
    if (known.key != key) continue;
    std::string why;
    if (key.size() < word.size() && known.read(word.substr(key.size() + 1), plan, why)) return {};
    return fmt::format("'{}' is not of the kind {}{}{}", shortened(word), known.example, why.empty() ? "" : ": ", why);
  }
  std::vector<std::string_view> keys;
  for (const PlanWord& known : kWords) keys.push_back(known.key);
  const std::string_view near = nearest(key, keys);
  return fmt::format("'{}' is none of its words{}", shortened(word),
                     near.empty() ? "" : fmt::format("; is '{}' meant?", near));
}

/// Empty, or which words do not go together.
std::string contradiction(const FramePlan& plan, const std::vector<std::string_view>& keys) {
  for (const PlanWord& word : kWords)
    if (std::ranges::count(keys, word.key) > 1) return fmt::format("'{}' stands twice", word.key);
  if (!plan.objects.empty() && std::ranges::find(keys, "of") != keys.end())
    return "'of' stands beside 'objects', which is a kind of frames of its own";
  const auto first = std::ranges::min_element(plan.frames);
  if (plan.last && first != plan.frames.end() && *plan.last < first->first)
    return fmt::format("'last={}' is before frame {}, the first of 'frames'", *plan.last, first->first);
  return {};
}

}  // namespace

std::optional<std::vector<FrameRange>> parse_frame_ranges(std::string_view text, std::string& problem) {
  std::vector<FrameRange> ranges;
  for (const std::string_view part : split(text, ',')) {
    const auto range = parse_frame_range(part);
    if (range && ranges.size() == kMaxRanges)
      problem = fmt::format("it has more than {} numbers and ranges", kMaxRanges);
    if (!range || !problem.empty()) return std::nullopt;
    ranges.push_back(*range);
  }
  return ranges;
}

std::string Shard::text() const { return fmt::format("{}/{}", index, count); }

std::optional<Shard> parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto index = whole_number(text.substr(0, slash)), count = whole_number(text.substr(slash + 1));
  if (!index || !count || *index == 0 || *index > *count || *count > kMaxShards) return std::nullopt;
  return Shard{*index, *count};
}

bool FramePlan::wants(std::uint64_t frame) const {
  const auto inside = [&](const FrameRange& range) { return frame >= range.first && frame <= range.second; };
  return shard.has(frame) && (frames.empty() || std::ranges::any_of(frames, inside));
}

std::optional<FramePlan> parse_frame_plan(std::string_view text, std::string& problem) {
  FramePlan plan;
  std::vector<std::string_view> keys;
  for (const std::string_view word : split(text, ' ')) {
    if (!problem.empty() || word.empty()) continue;
    keys.push_back(word.substr(0, word.find('=')));
    problem = read_word(word, plan);
  }
  if (problem.empty()) problem = contradiction(plan, keys);
  return problem.empty() ? std::optional(std::move(plan)) : std::nullopt;
}

Reading<FramePlan> read_frame_plan_variable() {
  const std::optional<std::string> text = read_text_variable(Variable::FramePlan);
  if (!text || text->empty()) return {};
  std::string problem;
  auto plan = parse_frame_plan(*text, problem);
  if (plan) return {std::move(plan), {}};
  return {{}, value_problem(environment_variable(Variable::FramePlan), *text, problem)};
}

}  // namespace heddle::base
