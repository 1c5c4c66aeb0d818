// SPDX-License-Identifier: MIT
#include "tools/run/run_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>

#include "image/names.hpp"
#include "image/objects/sampler_text.hpp"
#include "job/formats/toml.hpp"
#include "job/job.hpp"
#include "tools/command_line/numbers.hpp"

namespace heddle::tools {
namespace {

using base::Node;

/// What a flag gave says so in messages.
Node mark(Node node, std::string_view flag) {
  node.line = Node::kCommandLine;
  node.flag = flag;
  for (Node& item : node.items) item = mark(std::move(item), flag);
  return node;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  while (true) {
    const std::size_t end = text.find(separator, at);
    parts.push_back(text.substr(at, end == std::string::npos ? end : end - at));
    if (end == std::string::npos) return parts;
    at = end + 1;
  }
}

Node integer(std::int64_t value) {
  Node node;
  node.kind = Node::Kind::Integer;
  node.integer = value;
  return node;
}

Node text_list(const std::vector<std::string>& texts) {
  Node list;
  list.kind = Node::Kind::Array;
  for (const std::string& text : texts) list.items.push_back(Node::make_text(text));
  return list;
}

/// "512x512", "16"; nothing for other texts.
std::optional<Node> sizes(const std::string& text) {
  Node list;
  list.kind = Node::Kind::Array;
  for (const std::string& part : split(text, 'x')) {
    if (part.empty() || !std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return std::nullopt;
    list.items.push_back(integer(parse_number<std::int64_t>(part).value_or(INT64_MAX)));  // too large for every member
  }
  return list;
}

struct Builder {
  Node root = mark(Node::make_table(), {});
  std::vector<base::Diagnostic> problems;
  std::string_view flag;  // that is being read, a literal

  Builder& at(std::string_view name) {
    flag = name;
    return *this;
  }

  void wrong(const std::string& text, const std::string& why) {
    problems.push_back(base::error("usage-flag", fmt::format("{} {}: {}", flag, text, why)));
  }

  Node& table(const std::string& name) { return member(root, name); }
  Node& member(Node& parent, const std::string& name) const {
    if (Node* found = parent.find(name)) return *found;
    return parent.add(name, mark(Node::make_table(), flag));
  }
  void set(Node& parent, const std::string& name, Node value) const {
    if (Node* found = parent.find(name))
      *found = mark(std::move(value), flag);
    else
      parent.add(name, mark(std::move(value), flag));
  }

  /// "NAME=REST", neither side of it empty; nothing after reporting.
  std::optional<std::pair<std::string, std::string>> named(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      wrong(text, "NAME=VALUE is expected");
    else if (is_blank(std::string_view(text).substr(equals + 1)))
      wrong(text, "NAME=VALUE is expected, and no value stands behind '='");
    else
      return std::pair{text.substr(0, equals), text.substr(equals + 1)};
    return std::nullopt;
  }

  static bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

  /// Reports a word of nothing beside a colon.
  bool missing(const std::string& text, const std::string& part) {
    if (!is_blank(part)) return false;
    wrong(text, "a word is missing beside ':'");
    return true;
  }

  static bool is_word(const std::string& part) {
    const std::size_t equals = part.find('=');
    return equals != std::string::npos && equals != 0 &&
           std::all_of(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(equals),
                       [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
  }

  /// A TOML value, or a text that is none; a broken list, table or quoted text is reported. `text` is a part of
  /// `whole`, the flag's own text.
  Node value(const std::string& whole, const std::string& text) {
    if (const std::string why = job::toml_value_problem(text); !why.empty())
      wrong(whole, fmt::format("'{}' is no value of TOML: {}", text, why));
    return job::parse_toml_value(text);
  }

  /// "MEMBER=VALUE", a part of the text of an image or buffer.
  void word(Node& entry, const std::string& text, const std::string& part) {
    const std::size_t equals = part.find('=');
    if (is_blank(std::string_view(part).substr(equals + 1)))
      return wrong(text, fmt::format("'{}' lacks a value", part));
    set(entry, part.substr(0, equals), value(text, part.substr(equals + 1)));
  }

  /// "FILE,FILE": none of them may be missing.
  void files(Node& entry, const std::string& text, const std::string& list) {
    const std::vector<std::string> paths = split(list, ',');
    if (std::ranges::find(paths, std::string()) != paths.end())
      wrong(text, fmt::format("in '{}' a file is missing beside a comma", list));
    else
      set(entry, "files", text_list(paths));
  }

  /// Reports a first word that names no file and resembles one of `words`: it is taken for a typing error.
  bool mistyped(const std::string& text, const std::string& word, const std::vector<std::string_view>& words) {
    const std::string_view near = base::nearest(word, words);
    std::error_code ignored;
    if (near.empty() || word.find_first_of("./") != std::string::npos || std::filesystem::exists(word, ignored))
      return false;
    wrong(text, fmt::format("'{}' is no file, and no type or format; did you mean '{}'?", word, near));
    return true;
  }

  /// What is wrong with a word of an image.
  static std::string no_word(const std::string& part) {
    std::vector<std::string_view> words = image::short_format_words();
    words.emplace_back("mips");
    const std::string_view near = base::nearest(part, words);
    return fmt::format("'{}' is no format, no size and no MEMBER=VALUE{}", part,
                       near.empty() ? std::string() : fmt::format("; did you mean '{}'?", near));
  }

  void surface(const std::string& text, bool target);
  void buffer(const std::string& text);
  void attachment(const std::string& word, const std::string& text, double clear);
  void size_word(const std::string& name, const std::string& text, Node& parent) {
    if (text.empty()) return;
    if (auto list = sizes(text))
      set(parent, name, std::move(*list));
    else
      wrong(text, "sizes such as 512x512 are expected");
  }
  void number_word(const std::string& name, const std::string& text, Node& parent) {
    if (!text.empty()) set(parent, name, job::parse_toml_value(text));
  }
  void text_word(const std::string& name, const std::string& text, Node& parent) {
    if (!text.empty()) set(parent, name, Node::make_text(text));
  }
};

void Builder::surface(const std::string& text, bool target) {
  const auto pair = named(text);
  if (!pair) return;
  Node& entry = member(table("images"), pair->first);
  const std::vector<std::string> parts = split(pair->second, ':');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    if (missing(text, part)) return;
    if (image::find_format_word(part) != nullptr)
      set(entry, "format", Node::make_text(part));
    else if (is_word(part))
      word(entry, text, part);
    else if (i == 0 && !target && part.find(',') != std::string::npos)
      files(entry, text, part);
    else if (i == 0 && !target && parts.size() > 1 && mistyped(text, part, image::short_format_words()))
      return;
    else if (i == 0)
      set(entry, target ? "save" : "file", Node::make_text(part));
    else if (part == "mips")
      set(entry, "mips", Node::make_text("generate"));
    else if (auto size = sizes(part))
      set(entry, "size", std::move(*size));
    else
      wrong(text, no_word(part));
  }
  if (!target) return;
  Node& list = member(table("pixels"), "targets");
  list.kind = Node::Kind::Array;
  list.items.push_back(mark(Node::make_text(pair->first), flag));
}

void Builder::buffer(const std::string& text) {
  const auto pair = named(text);
  if (!pair) return;
  Node& entry = member(table("buffers"), pair->first);
  const std::vector<std::string> parts = split(pair->second, ':');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    if (missing(text, part)) return;
    if (job::find_element_type(part))
      set(entry, "type", Node::make_text(part));
    else if (const auto count = sizes(part); count && count->items.size() == 1)
      set(entry, "count", count->items[0]);
    else if (is_word(part))
      word(entry, text, part);
    else if (i == 0 && parts.size() > 1 && mistyped(text, part, job::element_words()))
      return;
    else if (i == 0)
      set(entry, "file", Node::make_text(part));
    else
      wrong(text, fmt::format("'{}' is no element type, no count and no MEMBER=VALUE", part));
  }
}

/// "z", or "z=d32": an image of that format and of the pixels' size, filled with `clear`.
void Builder::attachment(const std::string& word, const std::string& text, double clear) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos) {
    const std::string first = text.substr(equals + 1, text.find(':', equals) - equals - 1);
    std::error_code ignored;
    if (image::find_format_word(first) == nullptr && first.find_first_of("./,=") == std::string::npos &&
        !sizes(first) && !std::filesystem::exists(first, ignored))
      return wrong(text,
                   fmt::format("'{}' is no format and no file; {} is one", first, word == "depth" ? "d32" : "s8"));
    surface(text, false);
    Node& entry = member(table("images"), text.substr(0, equals));
    const bool filled = entry.find("fill") != nullptr || entry.find("file") != nullptr || entry.find("raw") != nullptr;
    if (!filled) set(entry, "fill", job::parse_toml_value(fmt::format("{}", clear)));
  }
  text_word(word, text.substr(0, equals), table("pixels"));
}

/// The members of [pixels].
void pixel_flags(Builder& b, const RunOptions& o) {
  const bool pixels = !o.size.empty() || !o.samples.empty() || o.per_sample || !o.geometry.empty() ||
                      !o.depth.empty() || !o.stencil.empty() || !o.inputs.empty() || !o.payload.empty() ||
                      !o.state.empty() || !o.vertex.empty() || !o.geometry_shader.empty() || !o.vertices.empty() ||
                      !o.tessellation_control.empty() || !o.tessellation_evaluation.empty() ||
                      !o.patch_vertices.empty() || !o.task_shader.empty() || !o.mesh_shader.empty() ||
                      !o.instances.empty() || !o.vertex_inputs.empty();
  if (!pixels) return;
  Node& p = b.table("pixels");
  b.at("--size").size_word("size", o.size, p);
  b.at("--samples").number_word("samples", o.samples, p);
  if (o.per_sample) b.at("--per-sample").set(p, "per_sample", job::parse_toml_value("true"));
  b.at("--geometry").text_word("geometry", o.geometry, p);
  b.at("--depth").attachment("depth", o.depth, 1.0);
  b.at("--vertex").text_word("vertex", o.vertex, p);
  b.at("--tessellation-control").text_word("tessellation_control", o.tessellation_control, p);
  b.at("--tessellation-evaluation").text_word("tessellation_evaluation", o.tessellation_evaluation, p);
  b.at("--patch-vertices").number_word("patch_vertices", o.patch_vertices, p);
  b.at("--geometry-shader").text_word("geometry_shader", o.geometry_shader, p);
  b.at("--task-shader").text_word("task_shader", o.task_shader, p);
  b.at("--mesh-shader").text_word("mesh_shader", o.mesh_shader, p);
  b.at("--vertices").number_word("vertices", o.vertices, p);
  b.at("--instances").number_word("instances", o.instances, p);
  for (const std::string& text : o.vertex_inputs)
    if (const auto pair = b.at("--vertex-input").named(text))
      b.set(b.member(p, "vertex_inputs"), pair->first, b.value(text, pair->second));
  b.at("--stencil").attachment("stencil", o.stencil, 0.0);
  for (const std::string& text : o.inputs)
    if (const auto pair = b.at("--input").named(text))
      b.set(b.member(p, "inputs"), pair->first, b.value(text, pair->second));
  for (const std::string& text : o.payload) {
    Node& list = b.at("--payload").member(p, "payload");
    list.kind = Node::Kind::Array;
    list.items.push_back(mark(Node::make_text(text), b.flag));
  }
  for (const std::string& text : o.state)
    if (const auto pair = b.at("--state").named(text))
      b.set(b.member(p, "state"), pair->first, b.value(text, pair->second));
}

}  // namespace

base::Result<base::Node> job_flags(const RunOptions& o) {
  Builder b;
  b.at("--entry").text_word("entry", o.entry, b.root);
  b.at("--platform").text_word("platform", o.program.platform, b.root);
  b.at("--zeinfo").text_word("zeinfo", o.zeinfo, b.root);
  b.at("--engine").text_word("engine", o.engine, b.root);
  b.at("--check").text_word("check", o.check, b.root);
  b.at("--simd").number_word("simd", o.simd, b.root);
  b.at("--threads").number_word("threads", o.threads, b.root);
  b.at("--global").size_word("global", o.global, b.root);
  b.at("--groups").size_word("groups", o.groups, b.root);
  b.at("--local").size_word("local", o.local, b.root);
  b.at("--offset").size_word("offset", o.offset, b.root);
  if (!o.seconds.empty()) b.at("--max-seconds").number_word("seconds", o.seconds, b.table("limits"));
  for (const std::string& text : o.surfaces) b.at("--image").surface(text, false);
  for (const std::string& text : o.targets) b.at("--target").surface(text, true);
  for (const std::string& text : o.buffers) b.at("--buffer").buffer(text);
  for (const std::string& text : o.args)
    if (const auto pair = b.at("--arg").named(text)) b.set(b.table("args"), pair->first, b.value(text, pair->second));
  for (const std::string& text : o.spec)
    if (const auto pair = b.at("--spec").named(text))
      b.set(b.table("args"), (pair->first.starts_with("spec.") ? "" : "spec.") + pair->first,
            b.value(text, pair->second));
  for (const std::string& text : o.samplers) {
    const auto pair = b.at("--sampler").named(text);
    if (!pair) continue;
    auto words = image::sampler_words(pair->second);
    if (words.ok())
      b.member(b.table("samplers"), pair->first).merge(mark(std::move(*words), b.flag));
    else
      for (const base::Diagnostic& d : words.diagnostics()) b.wrong(text, d.message);
  }
  pixel_flags(b, o);
  if (!b.problems.empty()) return base::Failure(std::move(b.problems));
  return std::move(b.root);
}

}  // namespace heddle::tools
