// SPDX-License-Identifier: MIT
// [pixels] of a job.
#include <fmt/format.h>

#include <algorithm>

#include "job/job_reader.hpp"
#include "pipeline/raster/names.hpp"

namespace heddle::job {

using base::Node;
using base::TableReader;

using pipeline::Cull;

PixelInput JobReader::pixel_input(const Key& key, const Node& value) const {
  PixelInput input;
  input.key = key;
  if (value.kind == Node::Kind::Text && !base::parse_hex(value.text)) {
    if (value.text.empty())
      context.error("value",
                    fmt::format("input '{}' takes numbers or the name of an attribute, not an empty text", key.text),
                    value);
    input.attribute = value.text;
    return input;
  }
  const auto vector = [&](const Node& item) {
    std::vector<Scalar> components;
    const auto add = [&](const Node& number) {
      if (const auto scalar = Scalar::from(number))
        components.push_back(*scalar);
      else
        context.error("type",
                      fmt::format("pixel input '{}' must hold numbers, not {}", key.text, kind_name(number.kind)),
                      number);
    };
    if (item.kind == Node::Kind::Array)
      for (const Node& number : item.items) add(number);
    else
      add(item);
    return components;
  };
  const bool nested =
      value.kind == Node::Kind::Array && !value.items.empty() && value.items[0].kind == Node::Kind::Array;
  if (value.kind == Node::Kind::Array && (value.items.size() == 3 || nested)) {
    for (const Node& item : value.items) input.values.push_back(vector(item));
    if (input.values.size() != 1 && input.values.size() != 3)
      context.error(
          "value",
          fmt::format("pixel input '{}' takes one value, or three: at the corners (0,0), (w,0), (0,h)", key.text),
          value);
    for (const auto& v : input.values)
      if (v.size() != input.values[0].size())
        context.error("value", fmt::format("the values of pixel input '{}' differ in length", key.text), value);
  } else {
    input.values.push_back(vector(value));
  }
  if (!input.values.empty() && (input.values[0].empty() || input.values[0].size() > 4))
    context.error("value", fmt::format("a value of pixel input '{}' has 1 to 4 components", key.text), value);
  return input;
}

/// An array of texts.
std::vector<std::string> JobReader::texts(TableReader& reader, std::string_view key) const {
  std::vector<std::string> result;
  if (const Node* list = reader.array(key))
    for (const Node& item : list->items) {
      if (item.kind != Node::Kind::Text)
        reader.wrong_type(key, item, "an array of texts");
      else if (item.text.empty())
        reader.wrong_value(key, item, "a name is expected, not an empty text");
      else
        result.push_back(item.text);
    }
  return result;
}

/// So many numbers, or none after a report.
std::vector<double> JobReader::numbers(TableReader& reader, std::string_view key, std::size_t count) const {
  const Node* list = reader.array(key);
  if (list == nullptr) return {};
  std::vector<double> result;
  for (const Node& item : list->items)
    if (item.is_number()) result.push_back(item.as_real());
  if (result.size() == count && list->items.size() == count) return result;
  reader.wrong_value(key, *list, fmt::format("{} numbers are expected", count));
  return {};
}

/// How many pixels, samples and lanes.
void JobReader::pixel_sizes(TableReader& reader, PixelsJob& p) const {
  if (const std::vector<std::uint32_t> size = sizes(reader, "size", 2, 1); size.size() == 2)
    p.size = {size[0], size[1]};
  else if (size.size() == 1)
    reader.wrong_value("size", *reader.any("size"), "a width and a height are expected");
  if (const auto samples = reader.integer("samples", 1, 16)) {
    p.samples = static_cast<std::uint32_t>(*samples);
    if ((*samples & (*samples - 1)) != 0)
      reader.wrong_value("samples", *reader.any("samples"), "the number must be 1, 2, 4, 8 or 16");
  }
  p.per_sample = reader.boolean("per_sample").value_or(false);
  if (const auto simd = reader.integer("simd", 8, 32)) p.simd = static_cast<std::uint32_t>(*simd);
  if (p.simd && *p.simd != 8 && *p.simd != 16 && *p.simd != 32)
    reader.wrong_value("simd", *reader.any("simd"), "the width must be 8, 16 or 32");
}

/// The words of the hardware's layout.
void JobReader::payload(TableReader& reader, PixelsJob& p) const {
  if (!reader.has("payload")) return reader.know("payload");
  p.payload = texts(reader, "payload");
  const std::vector<std::string_view>& words = payload_words();
  for (const std::string& word : *p.payload) {
    if (std::ranges::find(words, word) != words.end()) continue;
    const std::string_view near = base::nearest(word, words);
    reader.wrong_value(
        "payload", *reader.any("payload"), fmt::format("unknown word '{}'", word),
        near.empty() ? fmt::format("one of: {}", fmt::join(words, " ")) : fmt::format("did you mean '{}'?", near));
  }
}

void JobReader::raster_state(TableReader& reader, PixelsJob& p) const {
  if (const auto v = numbers(reader, "viewport", 6); !v.empty()) p.viewport = {v[0], v[1], v[2], v[3], v[4], v[5]};
  if (const auto v = numbers(reader, "scissor", 4); !v.empty()) {
    p.scissor.emplace();
    for (std::size_t i = 0; i < 4; ++i)
      (*p.scissor)[i] = static_cast<std::int32_t>(std::clamp(v[i], -2147483648.0, 2147483647.0));
  }
  p.cull = reader
               .word("cull", [](std::string_view w) { return pipeline::find_word<Cull>(pipeline::kCullWords, w); },
                     {pipeline::kCullWords.begin(), pipeline::kCullWords.end()})
               .value_or(Cull::None);
  const auto find_face = [](std::string_view w) -> std::optional<bool> {
    return w == "ccw" ? std::optional(true) : w == "cw" ? std::optional(false) : std::nullopt;
  };
  p.front_ccw = reader.word("front_face", find_face, {"ccw", "cw"}).value_or(true);
  if (const Node* table = reader.table("raster")) p.raster = raster(*table);
}

namespace {

/// A depth image means a test, as every API's examples have it: where `state` says nothing of depths, what is nearer is
/// drawn, and its depth is written.
void test_depth(std::optional<Node>& state) {
  if (!state) state = Node::make_table();
  for (const std::string_view said : {"depth_test", "depth_write", "depth_func", "depth_bounds_test"})
    if (state->find(said) != nullptr) return;
  Node on;
  on.kind = Node::Kind::Boolean;
  on.boolean = true;
  state->add("depth_test", on);
  state->add("depth_write", on);
  state->add("depth_func", Node::make_text("LESS"));
}

}  // namespace

PixelsJob JobReader::pixels(const Node& table) const {
  PixelsJob p;
  p.place = context.place(table);
  TableReader reader(table, context, "[pixels]");
  pixel_sizes(reader, p);
  p.targets = texts(reader, "targets");
  if (p.targets.size() > 8) reader.wrong_value("targets", *reader.any("targets"), "there are at most 8 targets");
  const auto name_of_image = [&](std::string_view key) {
    const auto name = reader.text(key);
    if (name && name->empty())
      reader.wrong_value(key, *reader.any(key), "the name of an image is expected, not an empty text");
    return name.value_or("");
  };
  p.depth = name_of_image("depth");
  p.stencil = name_of_image("stencil");
  if (const auto geometry = reader.text("geometry"))
    p.geometry = *geometry == "fullscreen" ? *geometry : path_member(reader, "geometry");
  payload(reader, p);
  if (const Node* state = reader.table("state")) p.state = *state;
  if (!p.depth.empty()) test_depth(p.state);
  raster_state(reader, p);
  if (const std::vector<std::uint32_t> size = sizes(reader, "coarse_size", 2, 1); size.size() == 2)
    p.coarse_size = {size[0], size[1]};
  each(reader, "inputs", [&](const Key& key, const Node& value) { p.inputs.push_back(pixel_input(key, value)); });
  vertex_stage(reader, p);
  reader.finish();
  return p;
}

}  // namespace heddle::job
