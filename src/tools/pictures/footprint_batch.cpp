// heddle footprint --batch: one query a line, one answer a line.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/node.hpp"
#include "image/names.hpp"
#include "texture/footprint.hpp"
#include "tools/pictures/footprint.hpp"
#include "tools/support/lines.hpp"
#include "tools/support/numbers.hpp"

namespace heddle::tools {
namespace {

using base::Node;
using base::TableReader;
using texture::FootprintOperand;

struct Line {
  texture::FootprintView view;
  texture::FootprintSampler sampler;
  texture::FootprintQuery query;
  texture::FootprintOptions options;
  std::string report;
};

std::string id_member(const Node& root) {
  const auto id = id_of(root);
  return id ? "\"id\":" + *id + "," : std::string();
}

/// The error record of line `number`; always false.
bool error_record(std::string& answer, std::uint64_t number, const std::string& id_text, const std::string& id,
                  const std::string& message) {
  answer += fmt::format("{{{}\"error\":{{\"id\":{},\"message\":{},\"line\":{}}}}}", id_text, base::json_quote(id),
                        base::json_quote(message), number);
  return false;
}

/// A list of `count` numbers, as binary32.
std::optional<std::array<float, 3>> vector_of(TableReader& reader, std::string_view name, unsigned count,
                                              std::string* wrong_size) {
  const Node* list = reader.array(name);
  if (list == nullptr) return std::nullopt;
  std::array<float, 3> values{};
  if (list->items.size() != count) {
    if (wrong_size != nullptr)
      *wrong_size = fmt::format("{} must have {} numbers, found {}", name, count, list->items.size());
    else
      reader.wrong_value(name, *list, fmt::format("{} numbers are expected, not {}", count, list->items.size()));
    return std::nullopt;
  }
  for (unsigned i = 0; i < count; ++i) {
    if (!list->items[i].is_number()) {
      reader.wrong_type(name, list->items[i], "a number");
      return std::nullopt;
    }
    values[i] = static_cast<float>(list->items[i].as_real());
  }
  return values;
}

void read_image(TableReader& reader, const base::NodeContext& nodes, Line& line, std::string& rule,
                std::string& message) {
  const Node* table = reader.table("image");
  if (table == nullptr) return;
  TableReader image(*table, nodes, "image");
  const auto dim = image.integer("dim", 0, 1000);
  if (!dim && !image.has("dim")) nodes.error("missing", "image lacks 'dim'", *table);
  if (dim && *dim != 2 && *dim != 3)
    rule = "spirv-footprint-dim", message = fmt::format("dim must be 2 or 3, found {}", *dim);  // R13
  line.view.dim = dim == 3 ? 3 : 2;
  const Node* size = image.array("size");
  if (size == nullptr && !image.has("size")) nodes.error("missing", "image lacks 'size'", *table);
  if (size != nullptr && rule.empty()) {
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

void read_sampler(TableReader& reader, const base::NodeContext& nodes, Line& line) {
  const Node* table = reader.table("sampler");
  if (table == nullptr) return;
  TableReader s(*table, nodes, "sampler");
  const auto filter = [&](std::string_view name, bool& linear) {
    if (const auto f = s.word(name, image::find_filter, {"nearest", "linear"})) linear = *f != image::Filter::Nearest;
  };
  filter("mag", line.sampler.mag_linear);
  filter("min", line.sampler.min_linear);
  if (const auto mip = s.word("mip", image::find_mip_filter, {"nearest", "linear"})) line.sampler.mip = *mip;
  line.sampler.bias = s.number("bias").value_or(0);
  line.sampler.min_lod = s.number("min_lod").value_or(0);
  line.sampler.max_lod = s.number("max_lod").value_or(1000);
  if (const Node* a = s.any("max_anisotropy"); a != nullptr && a->kind != Node::Kind::Null)
    line.sampler.max_anisotropy = s.number("max_anisotropy").value_or(0);
  if (const Node* address = s.any("address")) {
    if (address->kind == Node::Kind::Array) {
      if (address->items.size() != line.view.dim)
        s.wrong_value("address", *address, fmt::format("one mode for each of {} axes", line.view.dim));
      for (std::size_t i = 0; i < std::min<std::size_t>(3, address->items.size()); ++i) {
        const Node& item = address->items[i];
        const auto mode = item.kind == Node::Kind::Text ? image::find_address_mode(item.text) : std::nullopt;
        if (mode)
          line.sampler.address[i] = *mode;
        else
          s.wrong_value("address", item, "unknown address mode");
      }
    } else if (const auto mode = s.word("address", image::find_address_mode, image::address_mode_words())) {
      line.sampler.address.fill(*mode);
    }
  }
  line.sampler.unnormalized = s.boolean("unnormalized").value_or(false);
  s.finish();
}

bool read_gradients(TableReader& reader, const base::NodeContext& nodes, std::string_view name, Line& line) {
  const Node* table = reader.table(name);
  if (table == nullptr) return false;
  TableReader g(*table, nodes, std::string(name));
  const auto dx = vector_of(g, "dx", line.view.dim, nullptr), dy = vector_of(g, "dy", line.view.dim, nullptr);
  for (const std::string_view part : {"dx", "dy"})
    if (!g.has(part)) nodes.error("missing", fmt::format("{} lacks '{}'", name, part), *table);
  g.finish();
  if (dx) line.query.gradients.dx = *dx;
  if (dy) line.query.gradients.dy = *dy;
  return true;
}

void read_operands(TableReader& reader, const base::NodeContext& nodes, const Node& root, Line& line) {
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

void read_limits(TableReader& reader, const base::NodeContext& nodes, Line& line) {
  const Node* table = reader.table("limits");
  if (table == nullptr) return;
  TableReader l(*table, nodes, "limits");
  line.options.sub_texel_bits = static_cast<unsigned>(l.integer("sub_texel_bits", 1, 16).value_or(8));
  line.options.mipmap_bits = static_cast<unsigned>(l.integer("mipmap_bits", 1, 16).value_or(8));
  line.options.max_lod_bias = l.number("max_lod_bias").value_or(15);
  l.finish();
}

}  // namespace

std::optional<FootprintMode> find_footprint_mode(std::string_view word) {
  if (word == "strict") return FootprintMode::Strict;
  if (word == "lenient") return FootprintMode::Lenient;
  if (word == "extended") return FootprintMode::Extended;
  return std::nullopt;
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

/// The members of the answer in the form that the line asks for.
base::Result<std::string> answer(const Line& line) {
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

namespace {

/// Operands of the query, and how it is to be answered.
void read_query(TableReader& reader, const base::NodeContext& nodes, const Node& root, const FootprintFlags& flags,
                Line& line, std::string& rule, std::string& message) {
  reader.any("id");
  const auto mode = reader.word("mode", find_footprint_mode, {"strict", "lenient", "extended"});
  line.options.mode = static_cast<texture::FootprintMode>(
      mode.value_or(find_footprint_mode(flags.mode).value_or(FootprintMode::Strict)));
  if (const auto report = reader.text("report")) {
    if (*report != "struct" && *report != "list" && *report != "set")
      reader.wrong_value("report", *reader.any("report"), "expected struct, list or set");
    line.report = *report;
  }
  read_image(reader, nodes, line, rule, message);
  read_sampler(reader, nodes, line);
  std::string wrong_size;
  if (const auto at = vector_of(reader, "coordinate", line.view.dim, &wrong_size)) line.query.coordinate = *at;
  if (!wrong_size.empty() && rule.empty()) rule = "spirv-footprint-coordinate", message = wrong_size;  // R16
  const auto granularity = reader.integer("granularity", INT32_MIN, UINT32_MAX);
  line.query.granularity = static_cast<std::uint32_t>(granularity.value_or(1));
  line.query.coarse = reader.boolean("coarse").value_or(false);
  read_operands(reader, nodes, root, line);
  read_limits(reader, nodes, line);
  for (const std::string_view name : {"image", "coordinate", "granularity"})
    if (!reader.has(name)) nodes.error("missing", fmt::format("query lacks '{}'", name), root);
  reader.finish();
}

}  // namespace

bool answer_footprint_line(std::string_view text, std::uint64_t number, const FootprintFlags& flags, std::string& out) {
  const base::Result<Node> root = base::parse_json(text, "", flags.common.limits);
  if (!root.ok())
    return error_record(out, number, "", "footprint-query",
                        root.diagnostics().empty() ? "not JSON" : root.diagnostics().front().message);
  const std::string id = id_member(*root);
  base::Diagnostics problems;
  const base::NodeContext nodes{"", "footprint", &problems};
  TableReader reader(*root, nodes, "query");
  Line line;
  line.report = flags.report;
  line.options.conservative = flags.conservative;
  std::string rule, message;
  if (root->kind == Node::Kind::Table) read_query(reader, nodes, *root, flags, line, rule, message);
  for (const base::Diagnostic& d : problems.all())
    if (d.severity == base::Severity::Error) return error_record(out, number, id, "footprint-query", d.message);
  if (!rule.empty()) return error_record(out, number, id, rule, message);
  const auto members = answer(line);
  if (!members.ok()) {
    const auto& problem = members.diagnostics();
    return problem.empty() ? error_record(out, number, id, "footprint-query", "no answer")
                           : error_record(out, number, id, problem.front().id, problem.front().message);
  }
  out += fmt::format("{{{}{}}}", id, *members);
  return true;
}

base::ExitCode run_footprint_batch(const FootprintFlags& options) {
  const LineService service{"footprint", {}, [&](std::string_view line, std::uint64_t number, std::string& out) {
                              return answer_footprint_line(line, number, options, out);
                            }};
  return answer_lines(options.batch, options.output.empty() ? "-" : options.output, options.common.limits, service);
}

}  // namespace heddle::tools
