// SPDX-License-Identifier: MIT
#include "tools/command_line/numbers.hpp"

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "image/surface_limits.hpp"

namespace heddle::tools {

std::optional<std::uint32_t> parse_word(std::string_view text) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) return parse_number<std::uint32_t>(text);
  text.remove_prefix(2);
  std::uint32_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::vector<float> numbers(const std::string& flag, std::string_view text, std::size_t least, std::size_t most) {
  std::vector<float> values;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::string_view part = text.substr(at, end - at);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    if (!part.empty() && part.front() == '+') part.remove_prefix(1);
    const auto value = parse_number<float>(part);
    if (!value) throw UsageError{fmt::format("{}: '{}' is no number", flag, part)};
    values.push_back(*value);
    at = end + 1;
  }
  if (values.size() < least || values.size() > most)
    throw UsageError{least == most
                         ? fmt::format("{}: {} numbers are expected, not {}", flag, least, values.size())
                         : fmt::format("{}: {} to {} numbers are expected, not {}", flag, least, most, values.size())};
  return values;
}

std::optional<float> optional_number(const std::string& flag, const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(numbers(flag, text, 1, 1)[0]);
}

std::pair<std::uint32_t, std::uint32_t> size_of(const std::string& flag, std::string_view text) {
  const std::size_t x = text.find('x');
  const auto side = [](std::string_view part) {
    const auto value = parse_number<std::uint32_t>(part);
    return value && *value >= 1 && *value <= image::kMaxSurfaceSide ? value : std::nullopt;
  };
  const auto width = side(text.substr(0, x)),
             height = x == std::string_view::npos ? std::nullopt : side(text.substr(x + 1));
  if (!width || !height)
    throw UsageError{
        fmt::format("{}: '{}' is no size like 512x256 (each side 1 to {})", flag, text, image::kMaxSurfaceSide)};
  return {*width, *height};
}

std::optional<std::string> id_of(const base::Node& request) {
  const base::Node* id = request.kind == base::Node::Kind::Table ? request.find("id") : nullptr;
  if (id == nullptr) return std::nullopt;
  if (id->kind == base::Node::Kind::Text) return base::json_quote(id->text);
  if (id->kind == base::Node::Kind::Integer)
    return id->big ? fmt::format("{}", static_cast<std::uint64_t>(id->integer)) : fmt::format("{}", id->integer);
  if (id->kind == base::Node::Kind::Real) return fmt::format("{}", id->real);
  return std::nullopt;
}

}  // namespace heddle::tools
