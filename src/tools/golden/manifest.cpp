// SPDX-License-Identifier: MIT
#include "tools/golden/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/diagnostic.hpp"
#include "base/file.hpp"
#include "base/node.hpp"

namespace heddle::tools {
namespace {

constexpr std::uint64_t kNoEnd = UINT64_MAX;

bool is_hash(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Members of a JSON object that must be there; the first that is not is remembered.
class Members {
 public:
  Members(const base::Node& node, std::string& missing) : node_(node), missing_(missing) {}
  [[nodiscard]] const base::Node* find(const char* key, base::Node::Kind kind) {
    const base::Node* found = node_.kind == base::Node::Kind::Table ? node_.find(key) : nullptr;
    if (found != nullptr && found->kind == kind) return found;
    if (missing_.empty()) missing_ = fmt::format("'{}' is missing or is not {}", key, base::kind_name(kind));
    return nullptr;
  }
  [[nodiscard]] std::string text(const char* key) {
    const base::Node* found = find(key, base::Node::Kind::Text);
    return found == nullptr ? std::string() : found->text;
  }
  /// Empty where there is none.
  [[nodiscard]] std::string optional_text(const char* key) {
    const bool there = node_.kind == base::Node::Kind::Table && node_.find(key) != nullptr;
    return there ? text(key) : std::string();
  }
  [[nodiscard]] std::uint64_t number(const char* key) {
    const base::Node* found = find(key, base::Node::Kind::Integer);
    if (found == nullptr) return 0;
    if ((found->integer < 0 || found->big) && missing_.empty()) missing_ = fmt::format("'{}' is out of range", key);
    return static_cast<std::uint64_t>(found->integer);
  }
  [[nodiscard]] std::string hash(const char* key) {
    std::string found = text(key);
    if (!is_hash(found) && missing_.empty()) missing_ = fmt::format("'{}' is no SHA-256: 64 digits, a to f small", key);
    return found;
  }
  [[nodiscard]] bool truth(const char* key) {
    const base::Node* found = find(key, base::Node::Kind::Boolean);
    return found != nullptr && found->boolean;
  }
  template <typename Read>
  void each(const char* key, const Read& read) {
    if (const base::Node* found = find(key, base::Node::Kind::Array); found != nullptr)
      for (const base::Node& item : found->items) read(item);
  }

 private:
  const base::Node& node_;
  std::string& missing_;
};

GoldenFrame frame_of(Members members) {
  GoldenFrame frame;
  frame.number = members.number("frame");
  frame.name = members.optional_text("name");
  frame.format = members.text("format");
  frame.width = members.number("width");
  frame.height = members.number("height");
  frame.sha256 = members.hash("sha256");
  frame.picture = members.text("picture");
  frame.picture_sha256 = members.text("picture_sha256");
  // Nothing that a manifest names lies outside of its folder.
  if (frame.picture.find('/') != std::string::npos) frame.picture.clear();
  return frame;
}

/// A text of a message.
std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  return text.size() <= kLongest ? std::string(text) : fmt::format("{}...", text.substr(0, kLongest));
}

/// Ranges in order, none of which meets another.
std::vector<base::FrameRange> apart(const FrameList& frames) {
  if (frames.ranges.empty()) return {{0, kNoEnd}};
  auto sorted = frames.ranges;
  std::ranges::sort(sorted);
  std::vector<base::FrameRange> ranges;
  for (const auto& [first, last] : sorted) {
    if (!ranges.empty() && first <= ranges.back().second)
      ranges.back().second = std::max(ranges.back().second, last);
    else
      ranges.emplace_back(first, last);
  }
  return ranges;
}

/// The frames of list and shard, one after the other.
class FrameWalk {
 public:
  FrameWalk(const FrameList& frames, Shard shard) : ranges_(apart(frames)), shard_(shard) {}
  /// The first one from `frame` on; nothing: there is none. `frame` may only grow from call to call.
  std::optional<std::uint64_t> from(std::uint64_t frame) {
    for (; at_ < ranges_.size(); ++at_) {
      const auto& [first, last] = ranges_[at_];
      const std::uint64_t start = std::max(first, frame);
      const std::uint64_t ahead = (shard_.index - 1 + shard_.count - start % shard_.count) % shard_.count;
      if (start <= last && ahead <= last - start) return start + ahead;
    }
    return std::nullopt;
  }

 private:
  const std::vector<base::FrameRange> ranges_;
  const Shard shard_;
  std::size_t at_ = 0;
};

constexpr const char* kRecordAnew = "heddle golden record writes this file; record anew in a new folder";

base::Diagnostic manifest_error(const std::string& file, const std::string& what) {
  return base::error("golden-manifest", what, base::Place::in_file(file)).note(kRecordAnew);
}

constexpr FrameKind kKinds[] = {FrameKind::Presents, FrameKind::Targets, FrameKind::Files, FrameKind::Objects};

std::optional<FrameKind> find_frame_kind(std::string_view name) {
  const auto* const found = std::ranges::find(kKinds, name, name_of);
  return found == std::end(kKinds) ? std::nullopt : std::optional(*found);
}

void add_lines(std::string& text, const std::string& name, const std::vector<std::string>& lines) {
  text += fmt::format("  \"{}\": [", name);
  for (std::size_t i = 0; i < lines.size(); ++i) text += fmt::format("{}\n    {}", i == 0 ? "" : ",", lines[i]);
  text += lines.empty() ? "]" : "\n  ]";
}

}  // namespace

std::string_view name_of(FrameKind kind) {
  constexpr std::string_view kNames[] = {"presents", "targets", "files", "objects"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string GoldenFrame::title() const {
  return name.empty() ? fmt::format("frame {}", number) : fmt::format("frame {} ({})", number, name);
}

bool FrameList::has(std::uint64_t frame) const {
  const auto inside = [&](const auto& range) { return frame >= range.first && frame <= range.second; };
  return ranges.empty() || std::ranges::any_of(ranges, inside);
}

std::uint64_t FrameList::last() const {
  std::uint64_t last = ranges.empty() ? kNoEnd : 0;
  for (const auto& [first, end] : ranges) last = std::max(last, end);
  return last;
}

std::string FrameList::text() const {
  std::string text;
  for (const auto& [first, last] : ranges)
    text += fmt::format("{}{}{}", text.empty() ? "" : ",", first,
                        last == first    ? std::string()
                        : last == kNoEnd ? std::string("..")
                                         : fmt::format("..{}", last));
  return text;
}

base::Result<FrameList> read_frame_list(std::string_view text) {
  if (text.empty()) return FrameList{};
  std::string problem;
  auto ranges = base::parse_frame_ranges(text, problem);
  if (ranges) return FrameList{*std::move(ranges)};
  return base::error("usage-flag", fmt::format("'{}' is no list of frames", shortened(text)),
                     base::Place::command_line("--frames"))
      .note(problem.empty() ? "--frames takes numbers and ranges between commas, counted from 0: 0,10..19,40.."
                            : problem);
}

std::string Manifest::json() const {
  std::string words;
  for (const std::string& word : program) words += (words.empty() ? "" : ", ") + base::json_quote(word);
  std::string text = fmt::format("{{\n  \"heddle\": {},\n  \"bits\": {},\n  \"program\": [{}],\n",
                                 base::json_quote(version), bits, words);
  std::vector<std::string> lines;
  for (const GoldenInput& input : inputs)
    lines.push_back(fmt::format("{{\"file\": {}, \"sha256\": \"{}\"}}", base::json_quote(input.file), input.sha256));
  add_lines(text, "inputs", lines);
  text += fmt::format(",\n  \"of\": \"{}\",\n", name_of(of));
  if (!objects.empty()) {
    lines.clear();
    for (const std::string& name : objects) lines.push_back(base::json_quote(name));
    add_lines(text, "objects", lines);
    text += ",\n";
  }
  text +=
      fmt::format("  \"frames\": \"{}\",\n  \"stop\": {},\n  \"shard\": \"{}\",\n", frames.text(), stops, shard.text());
  text += fmt::format("  \"count\": {},\n", count);
  lines.clear();
  for (const GoldenFrame& f : recorded)
    lines.push_back(
        fmt::format("{{\"frame\": {}, {}\"format\": \"{}\", \"width\": {}, \"height\": {}, \"sha256\": \"{}\", "
                    "\"picture\": {}, \"picture_sha256\": \"{}\"}}",
                    f.number, f.name.empty() ? "" : fmt::format("\"name\": {}, ", base::json_quote(f.name)), f.format,
                    f.width, f.height, f.sha256, base::json_quote(f.picture), f.picture_sha256));
  add_lines(text, "recorded", lines);
  return text + "\n}\n";
}

bool Manifest::same_recording(const Manifest& other) const {
  return version == other.version && bits == other.bits && program == other.program && inputs == other.inputs &&
         of == other.of && objects == other.objects && stops == other.stops && frames.ranges == other.frames.ranges &&
         shard.count == other.shard.count && count == other.count;
}

std::optional<WrongFrame> find_wrong_frame(const Manifest& manifest) {
  std::vector<std::uint64_t> there;
  for (const GoldenFrame& frame : manifest.recorded) there.push_back(frame.number);
  std::ranges::sort(there);
  FrameWalk walk(manifest.frames, manifest.shard);
  std::uint64_t next = 0;  // no frame below it is awaited
  for (const std::uint64_t number : there) {
    const auto awaited = next < manifest.count ? walk.from(next) : std::nullopt;
    if (!awaited || *awaited >= manifest.count || number < *awaited) return WrongFrame{number, false};
    if (number > *awaited) return WrongFrame{*awaited, true};
    next = number + 1;
  }
  const auto awaited = next < manifest.count ? walk.from(next) : std::nullopt;
  return awaited && *awaited < manifest.count ? std::optional(WrongFrame{*awaited, true}) : std::nullopt;
}

base::Result<Manifest> read_manifest(const std::string& folder) {
  const std::string file = fmt::format("{}/{}", folder, kManifestName);
  const auto text = base::read_text(file);
  if (!text.ok()) {
    auto problems = text.diagnostics();
    problems.front().note("heddle golden record leaves it in its folder; a recording that was ended early has none");
    return base::Failure(std::move(problems));
  }
  const auto node = base::parse_json(*text, file);
  if (!node.ok()) {
    auto problems = node.diagnostics();
    problems.front().note(kRecordAnew);
    return base::Failure(std::move(problems));
  }
  Manifest m;
  std::string missing;
  Members members(*node, missing);
  m.version = members.text("heddle");
  m.bits = members.number("bits");
  members.each("program", [&](const base::Node& word) { m.program.push_back(word.text); });
  members.each("inputs", [&](const base::Node& input) {
    Members of(input, missing);
    m.inputs.push_back({of.text("file"), of.hash("sha256")});
  });
  const std::string of = members.text("of");
  const auto kind = find_frame_kind(of);
  if (kind == FrameKind::Objects)
    members.each("objects", [&](const base::Node& name) { m.objects.push_back(name.text); });
  m.stops = members.truth("stop");
  const auto frames = read_frame_list(members.text("frames"));
  const auto shard = read_shard(members.text("shard"));
  m.count = members.number("count");
  members.each("recorded", [&](const base::Node& frame) { m.recorded.push_back(frame_of(Members(frame, missing))); });
  if (missing.empty() && !kind) missing = "'of' is neither presents, targets, files nor objects";
  if (missing.empty() && *kind == FrameKind::Objects && m.objects.empty()) missing = "'objects' is empty";
  if (missing.empty() && m.program.empty()) missing = "'program' is empty";
  if (missing.empty() && !frames.ok()) missing = "'frames' is no list of frames";
  if (missing.empty() && !shard.ok()) missing = "'shard' is no shard";
  if (!missing.empty()) return manifest_error(file, missing);
  m.of = *kind;
  m.frames = *frames;
  m.shard = *shard;
  return m;
}

}  // namespace heddle::tools
