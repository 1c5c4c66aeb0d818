// SPDX-License-Identifier: MIT
#include "tools/batch/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "texture/operations.hpp"
#include "tools/batch/bounds_call.hpp"
#include "tools/command_line/numbers.hpp"

namespace heddle::tools {
namespace {

constexpr std::array<const BatchOperations*, 9> kOperations = {
    &kLaneOperations,  &kUnormOperation,  &kFootprintOperation, &kFeedbackOperation, &kBytesOperation,
    &kBoundsOperation, &kTexelOperations, &kTargetOperation,    &kStateOperations};

/// `id` as it stands in the request, as JSON.
std::string id_text(const base::Node* request) {
  return request == nullptr ? "null" : id_of(*request).value_or("null");
}

/// The way out, where there is one, belongs to the message: a record has no notes.
void add_error(std::string& text, const base::Node* request, const base::Diagnostic& problem, std::uint64_t number) {
  std::string message = problem.message;
  if (!problem.notes.empty()) message += "; " + problem.notes.front().message;
  text += fmt::format("{{\"id\":{},\"error\":{{\"id\":{},\"message\":{},\"line\":{}}}}}", id_text(request),
                      base::json_quote(problem.id), base::json_quote(message), number);
}

const base::Diagnostic* first_error(const base::Diagnostics& diagnostics) {
  for (const base::Diagnostic& d : diagnostics.all())
    if (d.severity == base::Severity::Error) return &d;
  return nullptr;
}

std::string warnings_member(const base::Diagnostics& reports) {
  if (reports.empty()) return {};
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
  if (const auto name = reader.text("behavior")) {
    if (*name == "hardware")
      request.unit.set_behavior(texture::Behavior::Hardware);
    else if (*name == "document")
      request.unit.set_behavior(texture::Behavior::Document);
    else
      reader.wrong_value("behavior", *reader.any("behavior"), "expected \"hardware\" or \"document\"");
  }
  if (const auto name = reader.text("platform")) {
    if (const auto platform = texture::find_unit_platform(*name))
      request.unit.platform = *platform;
    else
      reader.wrong_value("platform", *reader.any("platform"), "expected skl, icllp, tgllp, dg2, pvc or xe2");
  }
  request.grf = static_cast<unsigned>(reader.integer("grf", 32, 64).value_or(32));
  if (request.grf != 32 && request.grf != 64) reader.wrong_value("grf", *reader.any("grf"), "expected 32 or 64");
}

}  // namespace

void append_hex(std::string& text, const std::uint8_t* bytes, std::size_t count) {
  static constexpr char kDigits[] = "0123456789abcdef";
  const std::size_t start = text.size();
  text.resize(start + count * 2);
  char* out = text.data() + start;
  for (std::size_t i = 0; i < count; ++i) {
    out[2 * i] = kDigits[bytes[i] >> 4];
    out[2 * i + 1] = kDigits[bytes[i] & 15];
  }
}

char* write_hex_word(char* out, std::uint32_t word, unsigned digits) {
  static constexpr char kDigits[] = "0123456789abcdef";
  out[0] = out[digits + 1] = '"';
  for (unsigned i = digits; i > 0; --i, word >>= 4) out[i] = kDigits[word & 15];
  return out + digits + 2;
}

void append_hex_word(std::string& text, std::uint32_t word, unsigned digits) {
  std::array<char, 10> quoted{};
  text.append(quoted.data(), write_hex_word(quoted.data(), word, digits));
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

std::vector<std::string_view> batch_operations() {
  std::vector<std::string_view> words;
  for (const BatchOperations* group : kOperations)
    for (const std::string_view name : group->operations()) words.push_back(name);
  return words;
}

std::string batch_operation(std::string_view word) {
  constexpr std::string_view kGather = "sample4";
  std::string name(word);
  if (word.starts_with(kGather)) name.replace(0, kGather.size(), "gather4");
  const std::vector<std::string_view> names = batch_operations();
  return std::ranges::find(names, name) == names.end() ? std::string() : name;
}

namespace {

/// Those that have an operation; nullptr where none has.
const BatchOperations* operations_with(std::string_view op) {
  if (texture::find_operation(op) != nullptr) return &kLaneOperations;
  for (const BatchOperations* group : kOperations) {
    if (group == &kLaneOperations) continue;
    const std::vector<std::string_view> names = group->operations();
    if (std::ranges::find(names, op) != names.end()) return group;
  }
  return nullptr;
}

void answer_operation(BatchRequest& request, const base::Node& op, std::string& text) {
  if (op.kind != base::Node::Kind::Text) return request.reader.wrong_type("op", op, "a text");
  const std::string gather = op.text.starts_with("sample4") ? "gather4" + op.text.substr(7) : std::string();
  request.op = gather.empty() ? std::string_view(op.text) : gather;
  const BatchOperations* operations = operations_with(request.op);
  if (operations == nullptr) {
    const std::string_view near = base::nearest(op.text, batch_operations());
    return request.fail("batch-op", fmt::format("unknown operation '{}'; {}", op.text,
                                                near.empty() ? "heddle batch --help lists them"
                                                             : fmt::format("did you mean '{}'?", near)));
  }
  if (request.failed()) return;
  operations->answer(request, text);
  request.reader.finish();
}

void answer_request(BatchRequest& request, std::string& text) {
  read_common_members(request);
  const base::Node* define = request.reader.any("define");
  const base::Node* op = request.reader.any("op");
  if (define != nullptr) {
    if (op != nullptr) request.reader.wrong_value("op", *op, "'define' is given as well");
    request.reader.finish();
    if (!request.failed()) answer_define(request, *define, text);
  } else if (op == nullptr) {
    request.fail("batch-missing", "missing member 'op'");
  } else {
    answer_operation(request, *op, text);
  }
}

}  // namespace

bool Batch::may_define(std::string_view line) {
  // However the word is written: letters may be escaped.
  return line.find("\"define\"") != std::string_view::npos || line.find("\\u") != std::string_view::npos;
}

namespace {

base::Result<base::Node> parse_line(std::string_view line, const base::Limits& limits) {
  static const std::vector<std::string_view> arrays{"uv", "uvr", "active"};
  static const base::JsonPacking packing{arrays, "params"};
  return base::parse_json(line, "", limits, &packing);
}

}  // namespace

bool Batch::answer(std::string_view line, std::uint64_t number, std::string& text) {
  const std::size_t start = text.size();
  const base::Result<base::Node> parsed = parse_line(line, limits_);
  if (!parsed.ok()) {
    const std::string message = parsed.diagnostics().empty() ? "not JSON" : parsed.diagnostics().front().message;
    add_error(text, nullptr, base::error("batch-json", message), number);
    return false;
  }
  const base::Node& root = *parsed;
  base::Diagnostics problems;
  const base::NodeContext nodes{"", "batch", &problems};
  base::TableReader reader(root, nodes, "request");
  BatchRequest request{reader, nodes, problems, limits_, named_, texture::OperationContext(), 32, {}};
  if (root.kind == base::Node::Kind::Table) {
    const auto id = id_of(root);
    text += '{';
    if (id || root.find("define") == nullptr) {
      text += "\"id\":";
      text += id.value_or("null");
      text += ',';
    }
    answer_request(request, text);
  }
  const base::Diagnostic* problem = first_error(problems);
  if (problem == nullptr) problem = first_error(request.unit.reports);
  if (problem != nullptr) {
    text.resize(start);
    add_error(text, &root, *problem, number);
    return false;
  }
  text += warnings_member(request.unit.reports);
  text += '}';
  return true;
}

AllowedAnswers Batch::allowed(std::string_view line, const texture::bounds::Options& options) {
  const base::Result<base::Node> parsed = parse_line(line, limits_);
  const base::Node* op = parsed.ok() ? parsed->find("op") : nullptr;
  if (op == nullptr || op->kind != base::Node::Kind::Text) {
    AllowedAnswers none;
    none.why_not = "the request names no operation";
    return none;
  }
  base::Diagnostics problems;
  const base::NodeContext nodes{"", "batch", &problems};
  base::TableReader reader(*parsed, nodes, "request");
  BatchRequest request{reader, nodes, problems, limits_, named_, texture::OperationContext(), 32, {}};
  read_common_members(request);
  reader.know("op");
  const std::string name = batch_operation(op->text);
  request.op = name;
  return allowed_answers(request, options);
}

}  // namespace heddle::tools
