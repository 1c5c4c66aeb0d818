#include "tools/batch/batch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "image/object.hpp"
#include "texture/operations.hpp"
#include "tools/commands.hpp"
#include "tools/pictures/footprint.hpp"
#include "tools/support/console.hpp"
#include "tools/support/flags.hpp"
#include "tools/support/numbers.hpp"

namespace heddle::tools {
namespace {

constexpr std::array<const BatchFamily*, 5> kFamilies = {&kLaneOperations, &kUnormOperation, &kTexelOperations,
                                                         &kTargetOperation, &kStateOperations};

std::vector<std::string_view> operation_words() {
  std::vector<std::string_view> words = {"sample_unorm", "decode_texel", "encode_texel", "convert",
                                         "rt_write",     "tile_offset",  "decode_state", "encode_state"};
  for (const texture::Operation& op : texture::all_operations()) words.push_back(op.name);
  return words;
}

/// `id` as it stands in the request, as JSON.
std::string id_text(const base::Node* request) {
  return request == nullptr ? "null" : id_of(*request).value_or("null");
}

std::string error_record(const base::Node* request, const base::Diagnostic& problem) {
  return fmt::format("{{\"id\":{},\"error\":{{\"id\":{},\"message\":{}}}}}", id_text(request),
                     base::json_quote(problem.id), base::json_quote(problem.message));
}

const base::Diagnostic* first_error(const base::Diagnostics& diagnostics) {
  for (const base::Diagnostic& d : diagnostics.all())
    if (d.severity == base::Severity::Error) return &d;
  return nullptr;
}

std::string warnings_member(const base::Diagnostics& reports) {
  std::string text;
  for (const base::Diagnostic& d : reports.all()) {
    if (d.severity != base::Severity::Warning) continue;
    text += fmt::format("{}{{\"id\":{},\"message\":{}}}", text.empty() ? "" : ",", base::json_quote(d.id),
                        base::json_quote(d.message));
  }
  return text.empty() ? text : ",\"warnings\":[" + text + "]";
}

void read_common_members(BatchRequest& request) {
  base::TableReader& reader = request.reader;
  reader.any("id");
  if (const auto name = reader.text("behaviour")) {
    if (*name == "hardware")
      request.unit.set_behaviour(texture::Behaviour::Hardware);
    else if (*name == "document")
      request.unit.set_behaviour(texture::Behaviour::Document);
    else
      reader.wrong_value("behaviour", *reader.any("behaviour"), "expected \"hardware\" or \"document\"");
  }
  if (const auto name = reader.text("platform")) {
    if (const auto platform = texture::find_platform(*name))
      request.unit.platform = *platform;
    else
      reader.wrong_value("platform", *reader.any("platform"), "expected skl, icllp, tgllp, dg2, pvc or xe2");
  }
  request.grf = static_cast<unsigned>(reader.integer("grf", 32, 64).value_or(32));
  if (request.grf != 32 && request.grf != 64) reader.wrong_value("grf", *reader.any("grf"), "expected 32 or 64");
}

}  // namespace

std::string hex_bytes(const std::uint8_t* bytes, std::size_t count) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text(count * 2, '0');
  for (std::size_t i = 0; i < count; ++i) {
    text[2 * i] = kDigits[bytes[i] >> 4];
    text[2 * i + 1] = kDigits[bytes[i] & 15];
  }
  return text;
}

std::uint32_t word_member(BatchRequest& request, std::string_view name, std::uint32_t fallback) {
  const base::Node* node = request.reader.any(name);
  if (node == nullptr) return fallback;
  if (const auto word = image::integer_word(*node)) return *word;
  request.reader.wrong_type(name, *node, "an integer or \"0x...\"");
  return fallback;
}

std::uint8_t byte_member(BatchRequest& request, std::string_view name, std::uint8_t fallback) {
  const std::uint32_t word = word_member(request, name, fallback);
  if (word > 255) request.reader.wrong_value(name, *request.reader.any(name), "a byte is 0 to 255");
  return static_cast<std::uint8_t>(word);
}

std::optional<image::Surface> surface_member(BatchRequest& request, std::string_view name, bool texels) {
  const base::Node* node = request.reader.any(name);
  if (node == nullptr) {
    request.fail("batch-missing", fmt::format("missing member '{}'", name));
    return std::nullopt;
  }
  return image::read_surface(*node, request.nodes, std::string(name), request.limits, texels);
}

image::Sampler sampler_member(BatchRequest& request, const image::Surface& surface) {
  const base::Node* node = request.reader.any("sampler");
  if (node == nullptr) return {};
  base::TableReader reader(*node, request.nodes, "sampler");
  image::SamplerMembers members = image::read_sampler_members(reader);
  reader.finish();
  const image::FormatInfo* format = image::format_info(surface.format);
  if (format != nullptr && format->value_class != image::ValueClass::Float && members.integer_border)
    members.sampler.border = *members.integer_border;
  return members.sampler;
}

std::string answer_line(std::string_view line, const base::Limits& limits, bool& good) {
  good = false;
  const base::Result<base::Node> parsed = base::parse_json(line, "", limits);
  if (!parsed.ok()) {
    const std::string message = parsed.diagnostics().empty() ? "not JSON" : parsed.diagnostics().front().message;
    return error_record(nullptr, base::error("batch-json", message));
  }
  const base::Node& root = *parsed;
  base::Diagnostics problems;
  const base::NodeContext nodes{"", "batch", &problems};
  base::TableReader reader(root, nodes, "request");
  BatchRequest request{reader, nodes, problems, limits, texture::OperationContext(), 32, {}};
  std::string members;
  if (root.kind == base::Node::Kind::Table) {
    read_common_members(request);
    const base::Node* op = reader.any("op");
    if (op == nullptr) {
      request.fail("batch-missing", "missing member 'op'");
    } else if (op->kind != base::Node::Kind::Text) {
      reader.wrong_type("op", *op, "a text");
    } else {
      request.op = op->text;
      const BatchFamily* family = nullptr;
      for (const BatchFamily* candidate : kFamilies)
        if (candidate->knows(request.op)) family = candidate;
      if (family == nullptr) {
        const std::string_view near = base::nearest(request.op, operation_words());
        request.fail("batch-op", fmt::format("unknown operation '{}'{}", request.op,
                                             near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
      } else if (!request.failed()) {
        members = family->answer(request);
        reader.finish();
      }
    }
  }
  if (const base::Diagnostic* problem = first_error(problems)) return error_record(&root, *problem);
  if (const base::Diagnostic* problem = first_error(request.unit.reports)) return error_record(&root, *problem);
  good = true;
  return fmt::format("{{\"id\":{},{}{}}}", id_text(&root), members, warnings_member(request.unit.reports));
}

namespace {

struct BatchOptions {
  Common common;
  std::string input = "-", output = "-";
};

base::ExitCode run_batch(const BatchOptions& options) {
  const base::Result<std::vector<std::uint8_t>> input = base::read_file(options.input, options.common.limits);
  if (!input.ok()) {
    print_diagnostics(input.diagnostics());
    return exit_code(input.diagnostics());
  }
  return answer_lines(base::as_text(*input), options.output, "batch", [&](std::string_view line, bool& good) {
    return answer_line(line, options.common.limits, good);
  });
}

}  // namespace

void add_batch(Commands& commands) {
  const auto o = std::make_shared<BatchOptions>();
  Command c = commands.add("batch", "any operation of the texture unit: one JSON request and one result a line");
  c.option("requests", o->input, "JSON lines, - for standard input").shows_default();
  c.option("-o,--output", o->output, "file, - for standard output").shows_default();
  common_options(c, o->common);
  surface_limits(c, o->common);
  c.runs([o] { return run_batch(*o); });
}

}  // namespace heddle::tools
