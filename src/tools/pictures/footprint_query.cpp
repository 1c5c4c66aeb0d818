// SPDX-License-Identifier: MIT
// The members of a footprint query, and of its answer.

#include "tools/pictures/footprint_query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tools/pictures/footprint.hpp"

namespace heddle::tools {

using base::Node;
using base::TableReader;
using texture::FootprintOperand;

std::optional<std::array<float, 3>> read_numbers(TableReader& reader, std::string_view name, const Node& list) {
  std::array<float, 3> values{};
  for (std::size_t i = 0; i < std::min<std::size_t>(3, list.items.size()); ++i) {
    if (!list.items[i].is_number()) {
      reader.wrong_type(name, list.items[i], "a number");
      return std::nullopt;
    }
    values[i] = static_cast<float>(list.items[i].as_real());
  }
  return values;
}

namespace {

/// A list of `count` numbers, as binary32; nothing after a report.
std::optional<std::array<float, 3>> read_vector(TableReader& reader, std::string_view name, unsigned count) {
  const Node* list = reader.array(name);
  if (list == nullptr) return std::nullopt;
  if (list->items.size() != count) {
    reader.wrong_value(name, *list, fmt::format("{} numbers are expected, not {}", count, list->items.size()));
    return std::nullopt;
  }
  return read_numbers(reader, name, *list);
}

bool read_gradients(TableReader& reader, const base::NodeContext& nodes, std::string_view name, FootprintLine& line) {
  const Node* table = reader.table(name);
  if (table == nullptr) return false;
  TableReader g(*table, nodes, std::string(name));
  const auto dx = read_vector(g, "dx", line.view.dim), dy = read_vector(g, "dy", line.view.dim);
  for (const std::string_view part : {"dx", "dy"})
    if (!g.has(part)) nodes.error("missing", fmt::format("{} lacks '{}'", name, part), *table);
  g.finish();
  if (dx) line.query.gradients.dx = *dx;
  if (dy) line.query.gradients.dy = *dy;
  return true;
}

void read_limits(TableReader& reader, const base::NodeContext& nodes, FootprintLine& line) {
  const Node* table = reader.table("limits");
  if (table == nullptr) return;
  TableReader l(*table, nodes, "limits");
  line.options.sub_texel_bits = static_cast<unsigned>(l.integer("sub_texel_bits", 1, 16).value_or(8));
  line.options.mipmap_bits = static_cast<unsigned>(l.integer("mipmap_bits", 1, 16).value_or(8));
  line.options.max_lod_bias = l.number("max_lod_bias").value_or(15);
  l.finish();
}

void read_operand(TableReader& reader, const base::NodeContext& nodes, const Node& root, FootprintLine& line) {
  const int given = (reader.has("lod") ? 1 : 0) + (reader.has("grad") ? 1 : 0) + (reader.has("derivatives") ? 1 : 0);
  if (given != 1) nodes.error("missing", "exactly one of 'lod', 'grad' and 'derivatives' must be given", root);
  if (const auto lod = reader.number("lod")) {
    line.query.operand = FootprintOperand::Lod;
    line.query.lod = static_cast<float>(*lod);
  }
  if (read_gradients(reader, nodes, "grad", line)) line.query.operand = FootprintOperand::Grad;
  if (read_gradients(reader, nodes, "derivatives", line)) line.query.operand = FootprintOperand::Derivatives;
  if (const auto bias = reader.number("bias")) line.query.bias = static_cast<float>(*bias);
  if (const auto lod = reader.number("min_lod")) line.query.min_lod = static_cast<float>(*lod);
}

}  // namespace

std::optional<FootprintMode> find_footprint_mode(std::string_view word) {
  if (word == "strict") return FootprintMode::Strict;
  if (word == "lenient") return FootprintMode::Lenient;
  if (word == "extended") return FootprintMode::Extended;
  return std::nullopt;
}

void read_footprint_image(TableReader& reader, const base::NodeContext& nodes, FootprintLine& line, BrokenRule& rule) {
  const Node* table = reader.table("image");
  if (table == nullptr) return;
  TableReader image(*table, nodes, "image");
  const auto dim = image.integer("dim", 0, 1000);
  if (!dim && !image.has("dim")) nodes.error("missing", "image lacks 'dim'", *table);
  if (dim && *dim != 2 && *dim != 3)
    rule = {"spirv-footprint-dim", fmt::format("dim must be 2 or 3, found {}", *dim)};  // R13
  line.view.dim = dim == 3 ? 3 : 2;
  const Node* size = image.array("size");
  if (size == nullptr && !image.has("size")) nodes.error("missing", "image lacks 'size'", *table);
  if (size != nullptr && !rule.broken()) {
    if (size->items.size() != line.view.dim)
      image.wrong_value("size", *size, fmt::format("{} sizes are expected, not {}", line.view.dim, size->items.size()));
    for (std::size_t i = 0; i < std::min<std::size_t>(size->items.size(), line.view.dim); ++i) {
      const Node& item = size->items[i];
      if (item.kind != Node::Kind::Integer || item.big || item.integer < 1 || item.integer > (1 << 30))
        image.wrong_value("size", item, "a size is a whole number from 1 to 2^30");
      else
        line.view.size[i] = static_cast<std::uint32_t>(item.integer);
    }
  }
  const std::uint32_t largest = *std::max_element(line.view.size.begin(), line.view.size.begin() + line.view.dim);
  const auto chain = static_cast<std::int64_t>(std::bit_width(largest));
  line.view.levels = static_cast<std::uint32_t>(image.integer("levels", 1, chain).value_or(chain));
  image.finish();
}

void read_footprint_operands(TableReader& reader, const base::NodeContext& nodes, const Node& query,
                             FootprintLine& line) {
  if (const auto mode = reader.word("mode", find_footprint_mode, {"strict", "lenient", "extended"}))
    line.options.mode = static_cast<texture::FootprintMode>(*mode);
  if (const auto report = reader.text("report")) {
    if (*report != "struct" && *report != "list" && *report != "set")
      reader.wrong_value("report", *reader.any("report"), "expected struct, list or set");
    line.report = *report;
  }
  const auto granularity = reader.integer("granularity", INT32_MIN, UINT32_MAX);
  line.query.granularity = static_cast<std::uint32_t>(granularity.value_or(1));
  line.query.coarse = reader.boolean("coarse").value_or(false);
  read_operand(reader, nodes, query, line);
  read_limits(reader, nodes, line);
}

namespace {

std::string members_of(const Footprint& f, unsigned dim) {
  const auto list = [&](const GridPlace& v) { return fmt::format("[{}]", fmt::join(v.begin(), v.begin() + dim, ",")); };
  return fmt::format("\"anchor\":{},\"offset\":{},\"mask\":[{},{}],\"lod\":{},\"granularity\":{}", list(f.anchor),
                     list(f.offset), static_cast<std::uint32_t>(f.mask), static_cast<std::uint32_t>(f.mask >> 32),
                     f.lod, f.granularity);
}

Footprint to_public(const texture::Footprint& f) {
  return {f.single, f.anchor, f.offset, f.mask, f.lod, f.granularity};
}

}  // namespace

std::string answer_members(const Footprint& f, unsigned dim) {
  return fmt::format("\"single\":{},{}", f.single_level, members_of(f, dim));
}

std::string answer_members(const FootprintList& list, unsigned dim) {
  std::string text;
  for (const Footprint& f : list.footprints)
    text += fmt::format("{}{{{}}}", text.empty() ? "" : ",", members_of(f, dim));
  return fmt::format("\"single\":{},\"footprints\":[{}]", list.single_level, text);
}

std::string answer_members(const FootprintTexels& set, unsigned dim) {
  std::string text;
  for (const auto& g : set.groups)
    text += fmt::format("{}[{}]", text.empty() ? "" : ",", fmt::join(g.begin(), g.begin() + dim, ","));
  return fmt::format("\"single\":{},\"lod\":{},\"granularity\":{},\"groups\":[{}],\"border\":{}", set.single_level,
                     set.lod, set.granularity, text, set.border);
}

base::Result<std::string> answer_footprint(const FootprintLine& line) {
  const unsigned dim = line.view.dim;
  if (line.report == "list") {
    const auto list = texture::footprint_list(line.view, line.sampler, line.query, line.options);
    if (!list.ok()) return list.failure();
    FootprintList shown{.single_level = list->single, .footprints = {}};
    for (const texture::Footprint& f : list->footprints) shown.footprints.push_back(to_public(f));
    return answer_members(shown, dim);
  }
  if (line.report == "set") {
    const auto set = texture::footprint_set(line.view, line.sampler, line.query, line.options);
    if (!set.ok()) return set.failure();
    return answer_members(FootprintTexels{set->single, set->border, set->lod, set->granularity, set->groups, {}}, dim);
  }
  const auto f = texture::footprint(line.view, line.sampler, line.query, line.options);
  if (!f.ok()) return f.failure();
  return answer_members(to_public(*f), dim);
}

}  // namespace heddle::tools
