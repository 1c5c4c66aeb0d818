// SPDX-License-Identifier: MIT
// heddle batch: tile_offset, decode_state, encode_state (docs/rules/hardware-state.md).

#include <fmt/format.h>

#include "image/hardware/state.hpp"
#include "image/names.hpp"
#include "image/objects/object.hpp"
#include "image/tiling.hpp"
#include "tools/batch/batch.hpp"

namespace heddle::tools {
namespace {

namespace hardware = image::hardware;
using base::Node;

std::vector<std::string_view> operations() { return {"tile_offset", "decode_state", "encode_state"}; }

std::string tile_offset(BatchRequest& request) {
  base::TableReader& reader = request.reader;
  hardware::TileAddress address;
  const auto mode =
      reader.word("tile", hardware::find_tile_mode, {"linear", "x", "y", "w", "tile4", "tile64", "ys", "yf"});
  if (!mode && !reader.has("tile")) request.fail("batch-missing", "missing member 'tile'");
  address.mode = mode.value_or(image::TileMode::Linear);
  for (const std::string_view name : {"bpe", "pitch", "u", "v"})
    if (!reader.has(name)) request.fail("batch-missing", fmt::format("missing member '{}'", name));
  constexpr std::int64_t kMax = std::int64_t{1} << 40;
  address.bytes_per_element = static_cast<std::uint32_t>(reader.integer("bpe", 1, 16).value_or(4));
  address.pitch = static_cast<std::uint64_t>(reader.integer("pitch", 0, kMax).value_or(0));
  address.u = static_cast<std::uint64_t>(reader.integer("u", 0, kMax).value_or(0));
  address.v = static_cast<std::uint64_t>(reader.integer("v", 0, kMax).value_or(0));
  address.samples = static_cast<std::uint32_t>(reader.integer("samples", 1, 16).value_or(1));
  address.sample = static_cast<std::uint32_t>(reader.integer("sample", 0, 15).value_or(0));
  address.three_dimensional = reader.boolean("dim3").value_or(false);
  address.r = static_cast<std::uint64_t>(reader.integer("r", 0, kMax).value_or(0));
  address.qpitch = static_cast<std::uint64_t>(reader.integer("qpitch", 0, kMax).value_or(0));
  if (request.failed()) return {};
  if ((address.samples & (address.samples - 1)) != 0)
    reader.wrong_value("samples", *reader.any("samples"), "expected 1, 2, 4, 8 or 16");
  if (address.sample >= address.samples)
    request.fail("batch-value", fmt::format("sample {} of {}", address.sample, address.samples));
  if (!hardware::tileable(address.mode, address.bytes_per_element))
    request.fail("HW-42", fmt::format("elements of {} bytes can't be tiled as {}", address.bytes_per_element,
                                      hardware::tile_mode_name(address.mode)));
  return fmt::format("\"offset\":{}", hardware::tile_offset(address));
}

struct StateName {
  std::optional<hardware::StateKind> kind;
  std::optional<image::Generation> generation;
};

StateName state_members(BatchRequest& request) {
  StateName state;
  std::vector<std::string_view> kinds;
  for (unsigned i = 0; i < hardware::kStateKinds; ++i)
    kinds.push_back(hardware::state_name(static_cast<hardware::StateKind>(i)));
  state.kind = request.reader.word("struct", hardware::find_state, kinds);
  state.generation = request.reader.word("gen", hardware::find_state_generation, {"9", "11", "12", "12.5"});
  for (const std::string_view name : {"struct", "gen"})
    if (!request.reader.has(name)) request.fail("batch-missing", fmt::format("missing member '{}'", name));
  return state;
}

std::string decode(BatchRequest& request) {
  const StateName state = state_members(request);
  const Node* list = request.reader.array("dwords");
  if (list == nullptr && !request.reader.has("dwords")) request.fail("batch-missing", "missing member 'dwords'");
  std::vector<std::uint32_t> words;
  if (list != nullptr)
    for (const Node& item : list->items) {
      const auto word = image::integer_word(item);
      if (!word) request.reader.wrong_type("dwords", item, "a number or \"0x...\"");
      words.push_back(word.value_or(0));
    }
  if (request.failed() || !state.kind || !state.generation) return {};
  const auto decoded = hardware::decode_state(*state.kind, *state.generation, words);
  if (!decoded.ok()) {
    for (const base::Diagnostic& d : decoded.diagnostics()) request.problems.add(d);
    return {};
  }
  std::string text = "\"fields\":{";
  bool first = true;
  for (const auto& [name, value] : decoded->fields) {
    text += fmt::format("{}\"{}\":{}", first ? "" : ",", name, value);
    first = false;
  }
  if (decoded->has_reserved_bits()) request.unit.warn("HW-9", "reserved bits are set");
  return text + "}";
}

std::string encode(BatchRequest& request) {
  const StateName state = state_members(request);
  const Node* fields = request.reader.table("fields");
  if (fields == nullptr && !request.reader.has("fields")) request.fail("batch-missing", "missing member 'fields'");
  if (request.failed() || !state.kind || !state.generation || fields == nullptr) return {};
  hardware::DecodedState decoded;
  decoded.kind = *state.kind;
  decoded.generation = *state.generation;
  for (std::size_t i = 0; i < fields->items.size(); ++i) {
    const hardware::Field* field = hardware::find_field(*state.kind, fields->keys[i]);
    const Node& item = fields->items[i];
    if (field == nullptr) {
      std::vector<std::string_view> names;
      for (const hardware::Field& f : hardware::state_fields(*state.kind)) names.push_back(f.name);
      const std::string_view near = base::nearest(fields->keys[i], names);
      request.fail("state-field",
                   fmt::format("{} has no field '{}'{}", hardware::state_name(*state.kind), fields->keys[i],
                               near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
      return {};
    }
    std::optional<std::uint64_t> value;
    if (item.kind == Node::Kind::Integer && (item.big || item.integer >= 0))
      value = static_cast<std::uint64_t>(item.integer);
    if (item.kind == Node::Kind::Boolean) value = item.boolean ? 1 : 0;
    if (item.kind == Node::Kind::Text) value = base::parse_hex(item.text, 16);
    if (!value)
      return request.reader.wrong_type("fields", item, "a number that is not negative, or \"0x...\""), std::string();
    decoded.set(field->name, *value);
  }
  const auto words = hardware::encode_state(decoded);
  if (!words.ok()) {
    for (const base::Diagnostic& d : words.diagnostics()) request.problems.add(d);
    return {};
  }
  std::string text = "\"dwords\":[";
  for (std::size_t i = 0; i < words->size(); ++i) text += fmt::format("{}\"0x{:08x}\"", i == 0 ? "" : ",", (*words)[i]);
  return text + "]";
}

void answer(BatchRequest& request, std::string& text) {
  text += request.op == "tile_offset"    ? tile_offset(request)
          : request.op == "decode_state" ? decode(request)
                                         : encode(request);
}

}  // namespace

const BatchOperations kStateOperations = {&operations, &answer};

}  // namespace heddle::tools
