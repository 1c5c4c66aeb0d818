// SPDX-License-Identifier: MIT
#include "image/objects/sampler_text.hpp"

#include <fmt/format.h>

#include <charconv>

#include "image/names.hpp"

namespace heddle::image {
namespace {

base::Node scalar(std::string_view text) {
  base::Node node;
  const auto number = [&](auto& value) {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    return problem == std::errc() && end == text.data() + text.size();
  };
  if (text == "true" || text == "false") {
    node.kind = base::Node::Kind::Boolean;
    node.boolean = text == "true";
  } else if (number(node.integer)) {
    node.kind = base::Node::Kind::Integer;
  } else if (number(node.real)) {
    node.kind = base::Node::Kind::Real;
  } else {
    node = base::Node::make_text(std::string(text));
  }
  return node;
}

base::Node value_of(std::string_view text) {
  if (text.find(':') == std::string_view::npos) return scalar(text);
  base::Node list;
  list.kind = base::Node::Kind::Array;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    list.items.push_back(scalar(text.substr(at, end - at)));
    at = end + 1;
  }
  return list;
}

}  // namespace

base::Result<base::Node> sampler_words(std::string_view text) {
  base::Node table = base::Node::make_table();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (const std::size_t equals = word.find('='); equals != std::string_view::npos) {
      table.add(std::string(word.substr(0, equals)), value_of(word.substr(equals + 1)));
    } else if (word == "trilinear") {
      table.add("filter", base::Node::make_text("linear"));
      table.add("mip", base::Node::make_text("linear"));
    } else if (word == "mipmap_nearest" || word == "mipmap_linear") {
      table.add("mip", base::Node::make_text(std::string(word.substr(7))));
    } else if (word == "unnormalized") {
      base::Node yes;
      yes.kind = base::Node::Kind::Boolean;
      yes.boolean = true;
      table.add("unnormalized", std::move(yes));
    } else if (find_filter(word)) {
      table.add("filter", base::Node::make_text(std::string(word)));
    } else if (find_address_mode(word)) {
      table.add("address", base::Node::make_text(std::string(word)));
    } else {
      std::vector<std::string_view> words = address_mode_words();
      for (const std::string_view filter : filter_words()) words.push_back(filter);
      words.insert(words.end(), {"trilinear", "mipmap_nearest", "mipmap_linear", "unnormalized"});
      const std::string_view near = base::nearest(word, words);
      return base::error("sampler-word", fmt::format("sampler: unknown word '{}'{}", word,
                                                     near.empty() ? "" : fmt::format("; did you mean '{}'?", near)))
          .note("expected a filter, an address mode, or NAME=VALUE, separated by commas");
    }
  }
  return table;
}

base::Result<SamplerMembers> parse_sampler(std::string_view text) {
  const base::Result<base::Node> table = sampler_words(text);
  if (!table.ok()) return table.failure();
  base::Diagnostics problems;
  const base::NodeContext context{"", "sampler", &problems};
  base::TableReader reader(*table, context, "sampler");
  const SamplerMembers members = read_sampler_members(reader);
  reader.finish();
  if (problems.has_errors()) return base::Failure(problems.all());
  return members;
}

}  // namespace heddle::image
