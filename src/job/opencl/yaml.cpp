// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <yaml.h>

#include <charconv>
#include <memory>

#include "job/opencl/zeinfo.hpp"

namespace heddle::job {
namespace {

using base::Node;

Node scalar(const yaml_event_t& event) {
  Node node =
      Node::make_text(std::string(reinterpret_cast<const char*>(event.data.scalar.value), event.data.scalar.length));
  if (event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
    std::int64_t value = 0;
    const char* end = node.text.data() + node.text.size();
    const auto result = std::from_chars(node.text.data(), end, value);
    if (result.ec == std::errc() && result.ptr == end) {
      node.kind = Node::Kind::Integer;
      node.integer = value;
    } else if (node.text == "true" || node.text == "false") {
      node.kind = Node::Kind::Boolean;
      node.boolean = node.text == "true";
    }
  }
  return node;
}

}  // namespace

base::Result<base::Node> parse_yaml(std::string_view text, const std::string& file, const base::Limits& limits) {
  yaml_parser_t parser;
  if (yaml_parser_initialize(&parser) == 0)
    return base::limit_error("limit-memory", "there is no memory for the YAML parser", base::Place::in_file(file));
  const std::unique_ptr<yaml_parser_t, void (*)(yaml_parser_t*)> owner(&parser, yaml_parser_delete);
  yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  std::vector<Node> open;
  Node root;
  while (true) {
    yaml_event_t event;
    const auto place = [&](const yaml_mark_t& mark) {
      return base::Place::text(file, static_cast<std::uint32_t>(mark.line) + 1,
                               static_cast<std::uint32_t>(mark.column) + 1);
    };
    if (yaml_parser_parse(&parser, &event) == 0)
      return base::error("zeinfo-syntax", fmt::format("no YAML: {}", parser.problem), place(parser.problem_mark));
    const std::unique_ptr<yaml_event_t, void (*)(yaml_event_t*)> event_owner(&event, yaml_event_delete);
    std::optional<Node> done;
    switch (event.type) {
      case YAML_STREAM_END_EVENT:
      case YAML_DOCUMENT_END_EVENT:
        return root;
      case YAML_ALIAS_EVENT:
        return base::error("zeinfo-syntax", "an alias cannot stand here", place(event.start_mark));
      case YAML_SCALAR_EVENT:
        done = scalar(event);
        break;
      case YAML_MAPPING_START_EVENT:
      case YAML_SEQUENCE_START_EVENT: {
        if (open.size() >= limits.nesting)
          return base::limit_error("limit-nesting", "YAML nested too deep; --max-nesting raises the limit",
                                   place(event.start_mark));
        Node node;
        node.kind = event.type == YAML_MAPPING_START_EVENT ? Node::Kind::Table : Node::Kind::Array;
        node.line = static_cast<std::uint32_t>(event.start_mark.line) + 1;
        node.column = static_cast<std::uint32_t>(event.start_mark.column) + 1;
        open.push_back(std::move(node));
        continue;
      }
      case YAML_MAPPING_END_EVENT:
      case YAML_SEQUENCE_END_EVENT:
        done = std::move(open.back());
        open.pop_back();
        if (done->keys.size() > done->items.size()) done->keys.pop_back();
        break;
      case YAML_NO_EVENT:
      case YAML_STREAM_START_EVENT:
      case YAML_DOCUMENT_START_EVENT:
        continue;
    }
    if (done->line == 0) {
      done->line = static_cast<std::uint32_t>(event.start_mark.line) + 1;
      done->column = static_cast<std::uint32_t>(event.start_mark.column) + 1;
    }
    if (open.empty()) {
      root = std::move(*done);
      continue;
    }
    Node& parent = open.back();
    if (parent.kind == Node::Kind::Table && parent.keys.size() == parent.items.size()) {
      if (event.type != YAML_SCALAR_EVENT)
        return base::error("zeinfo-syntax", "a key must be a word", place(event.start_mark));
      parent.keys.push_back(
          std::string(reinterpret_cast<const char*>(event.data.scalar.value), event.data.scalar.length));
    } else {
      parent.items.push_back(std::move(*done));
    }
  }
}

}  // namespace heddle::job
