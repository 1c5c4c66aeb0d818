// SPDX-License-Identifier: MIT
// heddle batch: bounds, what a device may answer.
// Rules: BND-1, BND-2, BND-16.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <span>

#include "base/base64.hpp"
#include "base/half.hpp"
#include "tools/batch/bounds_call.hpp"

namespace heddle::tools {
namespace {

using base::Node;
namespace bounds = texture::bounds;

constexpr std::string_view kLetters = "RGBA";

std::vector<std::string_view> operations() { return {"bounds"}; }

/// A number that JSON has.
std::string number_text(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

void append_ends(std::string& text, const bounds::Bounds& found, unsigned channel, bool high) {
  text += high ? ",\"high\":[" : "\"low\":[";
  for (std::size_t lane = 0; lane < found.lanes.size(); ++lane) {
    const bounds::LaneBounds& one = found.lanes[lane];
    const bounds::ValueSet& set = one.channels[channel];
    if (lane != 0) text += ',';
    text += !one.active || set.open() ? "null" : number_text(high ? set.range().high : set.range().low);
  }
  text += ']';
}

void append_texels(std::string& text, const std::vector<bounds::SourceTexel>& texels) {
  text += '[';
  for (std::size_t k = 0; k < texels.size(); ++k) {
    const bounds::SourceTexel& t = texels[k];
    if (k != 0) text += ',';
    text += t.border ? fmt::format("[\"border\",{}]", t.weight)
                     : fmt::format("[{},{},{},{},{}]", t.level, t.slice, t.x, t.y, t.weight);
  }
  text += ']';
}

/// The parts of one lane's channel, each with the texels behind its ends.
void append_parts(std::string& text, const bounds::ValueSet& set) {
  text += '[';
  for (std::size_t k = 0; k < set.parts().size(); ++k) {
    const bounds::Part& part = set.parts()[k];
    text += fmt::format("{}{{\"low\":{},\"high\":{},\"low_texels\":", k == 0 ? "" : ",", number_text(part.full.low),
                        number_text(part.full.high));
    append_texels(text, part.low_texels);
    text += ",\"high_texels\":";
    append_texels(text, part.high_texels);
    text += '}';
  }
  text += ']';
}

void append_reasons(std::string& text, const bounds::Bounds& found, std::uint8_t channels) {
  text += ",\"why\":[";
  for (std::size_t lane = 0; lane < found.lanes.size(); ++lane) {
    text += lane == 0 ? "{" : ",{";
    bool first = true;
    for (unsigned c = 0; c < 4 && found.lanes[lane].active; ++c) {
      if ((channels >> c & 1) == 0) continue;
      text += fmt::format("{}\"{}\":", first ? "" : ",", kLetters[c]);
      first = false;
      append_parts(text, found.lanes[lane].channels[c]);
    }
    text += '}';
  }
  text += ']';
}

void append_bounds(std::string& text, const bounds::Bounds& found, const bounds::Options& options,
                   std::uint8_t channels) {
  text += fmt::format("\"api\":\"{}\",\"rules\":[", bounds::name_of(options.api));
  for (std::size_t lane = 0; lane < found.lanes.size(); ++lane) {
    if (lane != 0) text += ',';
    text += found.lanes[lane].active ? fmt::format("\"{}\"", found.lanes[lane].rule) : "null";
  }
  text += "],\"channels\":{";
  bool first = true;
  for (unsigned c = 0; c < 4; ++c) {
    if ((channels >> c & 1) == 0) continue;
    text += fmt::format("{}\"{}\":{{", first ? "" : ",", kLetters[c]);
    first = false;
    append_ends(text, found, c, false);
    append_ends(text, found, c, true);
    text += '}';
  }
  text += '}';
  if (options.why) append_reasons(text, found, channels);
}

/// The operation whose answers are asked for; nullptr after a report.
const texture::Operation* asked_operation(BatchRequest& request) {
  const std::string name = request.reader.text("operation").value_or("sample");
  const texture::Operation* op = texture::find_operation(name);
  if (op == nullptr)
    request.fail(
        "batch-value",
        fmt::format("'{}' is no operation over lanes (sample, sample_l, sample_d, gather4, ld, lod ...)", name));
  return op;
}

void answer(BatchRequest& request, std::string& text) {
  const bounds::Options options = bounds_options(request);
  const texture::Operation* op = asked_operation(request);
  if (request.failed()) return;
  LaneCall call(request, *op);
  if (!call.read(request)) return;
  if (const auto found = bounds_of_lanes(request, call, options))
    append_bounds(text, *found, options, call.destination.channels);
}

// --- recorded answers ---

/// The words of one channel of a recorded answer.
class RecordedChannel {
 public:
  RecordedChannel(const Node& node, image::ValueClass value_class) : node_(node), class_(value_class) {
    if (node.kind == Node::Kind::Text) bytes_ = base::parse_base64(node.text);
  }
  [[nodiscard]] std::size_t lanes() const {
    if (bytes_) return bytes_->size() / 4;
    if (node_.packed) return node_.packed->numbers.size();
    return node_.kind == Node::Kind::Array ? node_.items.size() : 0;
  }
  /// Nothing where the answer has no word of 32 bits for the lane.
  [[nodiscard]] std::optional<std::uint32_t> word(std::size_t lane) const {
    if (bytes_) {
      std::uint32_t word = 0;
      for (unsigned k = 0; k < 4; ++k) word |= static_cast<std::uint32_t>((*bytes_)[lane * 4 + k]) << (8 * k);
      return word;
    }
    if (node_.packed) return of_number(node_.packed->numbers[lane]);
    const Node& item = node_.items[lane];
    if (item.is_number()) return of_number(item.as_real());
    if (item.kind != Node::Kind::Text) return std::nullopt;
    const auto bits = base::parse_hex(item.text.starts_with("0x") ? item.text : "0x" + item.text, 8);
    return bits ? std::optional(static_cast<std::uint32_t>(*bits)) : std::nullopt;
  }

 private:
  [[nodiscard]] std::optional<std::uint32_t> of_number(double value) const {
    if (class_ == image::ValueClass::Float) return base::bits_of(static_cast<float>(value));
    if (value != std::trunc(value) || value < INT32_MIN || value > UINT32_MAX) return std::nullopt;
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
  }
  const Node& node_;
  image::ValueClass class_;
  std::optional<std::vector<std::uint8_t>> bytes_;
};

std::string value_text(std::uint32_t word, image::ValueClass value_class) {
  switch (value_class) {
    case image::ValueClass::Uint:
      return fmt::format("{}", word);
    case image::ValueClass::Sint:
      return fmt::format("{}", static_cast<std::int32_t>(word));
    case image::ValueClass::Float:
      break;
  }
  return fmt::format("{}", base::float_from_bits(word));
}

void judge_channel(const bounds::Bounds& found, unsigned channel, const RecordedChannel& recorded, Judgement& out) {
  for (std::size_t lane = 0; lane < found.lanes.size(); ++lane) {
    const bounds::LaneBounds& allowed = found.lanes[lane];
    if (!allowed.active) continue;
    const bounds::ValueSet& set = allowed.channels[channel];
    const auto word = recorded.word(lane);
    const bounds::Verdict verdict = word ? bounds::judge(set, *word, found.value_class) : bounds::Verdict::Outside;
    ++(verdict == bounds::Verdict::Inside ? out.inside : verdict == bounds::Verdict::Edge ? out.edge : out.outside);
    if (verdict == bounds::Verdict::Inside) continue;
    const bounds::Interval range = set.range();
    out.found.push_back({lane, kLetters[channel], verdict, word ? value_text(*word, found.value_class) : "no value",
                         range.low, range.high, allowed.rule});
  }
}

/// What the answer says in place of channels; empty where it has them.
std::string answer_problem(const Node& answer, const bounds::Bounds& found) {
  if (const Node* error = answer.find("error")) {
    const Node* message = error->find("message");
    return "the answer is an error" + (message != nullptr ? ": " + message->text : std::string());
  }
  const Node* channels = answer.find("channels");
  if (channels == nullptr || channels->kind != Node::Kind::Table) return "the answer has no channels";
  for (std::size_t c = 0; c < channels->items.size(); ++c) {
    if (channels->keys[c].size() != 1 || kLetters.find(channels->keys[c]) == std::string_view::npos)
      return fmt::format("'{}' is no channel", channels->keys[c]);
    const std::size_t lanes = RecordedChannel(channels->items[c], found.value_class).lanes();
    if (lanes != found.lanes.size())
      return fmt::format("channel {} has {} values for {} lanes", channels->keys[c], lanes, found.lanes.size());
  }
  return {};
}

/// Why the request is answered by no bounds.
std::string problem_of(const BatchRequest& request) {
  const std::array<const base::Diagnostics*, 2> lists{&request.problems, &request.unit.reports};
  for (const base::Diagnostics* list : lists)
    for (const base::Diagnostic& d : list->all())
      if (d.severity == base::Severity::Error) return fmt::format("{} [{}]", d.message, d.id);
  return "the request cannot be answered";
}

}  // namespace

bounds::Options bounds_options(BatchRequest& request) {
  bounds::Options options;
  base::TableReader& reader = request.reader;
  options.api = reader.word("api", bounds::find_api, {"vulkan", "d3d11", "webgpu"}).value_or(bounds::Api::Vulkan);
  if (const Node* limits = reader.table("limits")) {
    base::TableReader table(*limits, request.nodes, "limits");
    options.sub_texel_bits = static_cast<unsigned>(table.integer("sub_texel_bits", 1, 16).value_or(0));
    options.mipmap_bits = static_cast<unsigned>(table.integer("mipmap_bits", 1, 16).value_or(0));
    table.finish();
  }
  options.why = reader.boolean("why").value_or(false);
  return options;
}

std::optional<bounds::Bounds> bounds_of_lanes(BatchRequest& request, LaneCall& call, const bounds::Options& options) {
  const image::Sampler sampler = call.sampler.members.for_format(call.surface.surface->format);
  call.lanes.surface = call.surface.surface.get();
  call.lanes.sampler = &sampler;
  bounds::Bounds all;
  for (std::uint64_t first = 0; first < call.count; first += texture::kMaxLanes) {
    const LaneGroup group(call.lanes, call.params, first, lane_group_width(call.count - first),
                          call.active[first / 32]);
    auto found = bounds::find_bounds(group.request(), options, request.unit);
    if (!found || request.failed()) return std::nullopt;
    all.value_class = found->value_class;
    std::ranges::move(found->lanes, std::back_inserter(all.lanes));
  }
  all.lanes.resize(call.count);
  return all;
}

AllowedAnswers allowed_answers(BatchRequest& request, const bounds::Options& options) {
  AllowedAnswers out;
  const texture::Operation* op = texture::find_operation(request.op);
  if (op == nullptr) {
    out.why_not = fmt::format("'{}' is no operation over lanes", request.op);
    return out;
  }
  LaneCall call(request, *op);
  for (const std::string_view member : {"results", "dst_fill"}) request.reader.know(member);
  if (!call.read(request)) {
    out.why_not = problem_of(request);
    return out;
  }
  if (call.destination.element_bytes == 2) {
    out.why_not = "results of 16 bits are not judged";
    return out;
  }
  if (auto found = bounds_of_lanes(request, call, options))
    out.bounds = *std::move(found);
  else
    out.why_not = problem_of(request);
  return out;
}

Judgement judge_answer(const AllowedAnswers& allowed, const Node& answer) {
  Judgement out;
  out.why_not = allowed.why_not.empty() ? answer_problem(answer, allowed.bounds) : allowed.why_not;
  if (!out.why_not.empty()) return out;
  const Node& channels = *answer.find("channels");
  for (std::size_t c = 0; c < channels.items.size(); ++c)
    judge_channel(allowed.bounds, static_cast<unsigned>(kLetters.find(channels.keys[c])),
                  RecordedChannel(channels.items[c], allowed.bounds.value_class), out);
  return out;
}

const BatchOperations kBoundsOperation = {&operations, &answer};

}  // namespace heddle::tools
