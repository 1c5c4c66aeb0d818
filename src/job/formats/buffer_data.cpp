// SPDX-License-Identifier: MIT
#include "job/formats/buffer_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/node.hpp"

namespace heddle::job {
namespace {

std::optional<Scalar> parse_number(std::string_view word) {
  Scalar scalar;
  if (const auto bits = base::parse_hex(word)) {
    scalar.kind = Scalar::Kind::Bits;
    scalar.bits = *bits;
    scalar.digits = static_cast<unsigned>(word.size() - 2);
    return scalar;
  }
  const char* end = word.data() + word.size();
  if (const auto r = std::from_chars(word.data(), end, scalar.integer); r.ec == std::errc() && r.ptr == end)
    return scalar;
  std::uint64_t big = 0;
  if (const auto r = std::from_chars(word.data(), end, big); r.ec == std::errc() && r.ptr == end) {
    scalar.integer = static_cast<std::int64_t>(big);
    scalar.big = true;
    return scalar;
  }
  double real = 0;
  if (const auto r = std::from_chars(word.data(), end, real); r.ec == std::errc() && r.ptr == end)
    return Scalar::of(real);
  return std::nullopt;
}

base::Diagnostic problem(const std::string& file, std::size_t index, std::string why, std::uint32_t line = 0) {
  return base::error("buffer-data", fmt::format("element {}: {}", index, why),
                     line == 0 ? base::Place::in_file(file) : base::Place::text(file, line, 1));
}

}  // namespace

std::string extension_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  std::string text = dot == std::string::npos ? std::string() : path.substr(dot);
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

base::Result<std::vector<std::uint8_t>> parse_buffer_json(std::string_view text, const std::string& file,
                                                          ElementType type, const base::Limits& limits) {
  const base::Result<base::Node> root = base::parse_json(text, file, limits);
  if (!root.ok()) return root.failure();
  if (root->kind != base::Node::Kind::Array)
    return base::error("buffer-data", "the file must hold one array", base::Place::in_file(file));
  std::vector<std::uint8_t> bytes;
  std::vector<std::pair<const base::Node*, std::size_t>> open{{&*root, 0}};
  std::size_t index = 0;
  while (!open.empty()) {
    auto& [node, next] = open.back();
    if (next == node->items.size()) {
      open.pop_back();
      continue;
    }
    const base::Node& item = node->items[next++];
    if (item.kind == base::Node::Kind::Array) {
      open.emplace_back(&item, 0);
      continue;
    }
    const std::optional<Scalar> scalar = Scalar::from(item);
    std::string why = fmt::format("a number is expected, not {}", kind_name(item.kind));
    const std::optional<std::uint64_t> bits = scalar ? encode(*scalar, type, why) : std::nullopt;
    if (!bits) return problem(file, index, why);
    put(bytes, *bits, element_bytes(type));
    ++index;
  }
  return bytes;
}

base::Result<std::vector<std::uint8_t>> parse_buffer_csv(std::string_view text, const std::string& file,
                                                         ElementType type) {
  std::vector<std::uint8_t> bytes;
  std::uint32_t line = 1;
  std::size_t index = 0, at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of(",;\n", at), text.size());
    std::string_view word = text.substr(at, end - at);
    while (!word.empty() && (word.front() == ' ' || word.front() == '\t' || word.front() == '"')) word.remove_prefix(1);
    while (!word.empty() && (word.back() == ' ' || word.back() == '\t' || word.back() == '\r' || word.back() == '"'))
      word.remove_suffix(1);
    if (!word.empty()) {
      const std::optional<Scalar> scalar = parse_number(word);
      std::string why = fmt::format("'{}' is no number", word.substr(0, 40));
      const std::optional<std::uint64_t> bits = scalar ? encode(*scalar, type, why) : std::nullopt;
      if (!bits) return problem(file, index, why, line);
      put(bytes, *bits, element_bytes(type));
      ++index;
    }
    if (end < text.size() && text[end] == '\n') ++line;
    at = end + 1;
  }
  return bytes;
}

std::string print_buffer_json(std::span<const std::uint8_t> bytes, ElementType type) {
  std::string text = "[";
  const std::size_t size = element_bytes(type);
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
    if (at != 0) text += ", ";
    text += print(bytes.subspan(at, size), type);
  }
  return text + "]\n";
}

std::string print_buffer_csv(std::span<const std::uint8_t> bytes, ElementType type) {
  std::string text;
  const std::size_t size = element_bytes(type);
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
    std::string word = print(bytes.subspan(at, size), type);
    if (word.front() == '"') word = word.substr(1, word.size() - 2);
    text += word + "\n";
  }
  return text;
}

}  // namespace heddle::job
