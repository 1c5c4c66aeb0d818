// SPDX-License-Identifier: MIT
// heddle footprint --batch: one query a line, one answer a line.

#include <fmt/format.h>

#include <algorithm>

#include "base/node.hpp"
#include "image/names.hpp"
#include "tools/command_line/numbers.hpp"
#include "tools/pictures/footprint.hpp"
#include "tools/pictures/footprint_query.hpp"
#include "tools/services/lines.hpp"

namespace heddle::tools {
namespace {

using base::Node;
using base::TableReader;

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

void read_sampler(TableReader& reader, const base::NodeContext& nodes, FootprintLine& line) {
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

void read_query(TableReader& reader, const base::NodeContext& nodes, const Node& root, FootprintLine& line,
                BrokenRule& rule) {
  reader.any("id");
  read_footprint_image(reader, nodes, line, rule);
  read_sampler(reader, nodes, line);
  if (const Node* at = reader.array("coordinate")) {
    const std::size_t count = at->items.size();
    if (count != line.view.dim && !rule.broken())  // R16
      rule = {"spirv-footprint-coordinate",
              fmt::format("coordinate must have {} numbers, found {}", line.view.dim, count)};
    if (count == line.view.dim)
      line.query.coordinate = read_numbers(reader, "coordinate", *at).value_or(line.query.coordinate);
  }
  read_footprint_operands(reader, nodes, root, line);
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
  FootprintLine line;
  line.report = flags.report;
  line.options.mode =
      static_cast<texture::FootprintMode>(find_footprint_mode(flags.mode).value_or(FootprintMode::Strict));
  line.options.conservative = flags.conservative;
  BrokenRule rule;
  if (root->kind == Node::Kind::Table) read_query(reader, nodes, *root, line, rule);
  for (const base::Diagnostic& d : problems.all())
    if (d.severity == base::Severity::Error) return error_record(out, number, id, "footprint-query", d.message);
  if (rule.broken()) return error_record(out, number, id, rule.id, rule.message);
  const auto members = answer_footprint(line);
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
