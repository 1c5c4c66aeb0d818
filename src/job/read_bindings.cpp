// SPDX-License-Identifier: MIT
// Arguments, buffers and images of a job.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "image/names.hpp"
#include "job/formats/toml.hpp"
#include "job/job_reader.hpp"

namespace heddle::job {

using base::Node;
using base::TableReader;

Argument JobReader::argument(const std::string& name, const Node& value) const {
  Argument result;
  result.key = {name, context.place(value)};
  if (value.kind == Node::Kind::Array) {
    result.is_vector = true;
    const bool tables = std::ranges::any_of(value.items, [](const Node& n) { return n.kind == Node::Kind::Table; });
    if (tables) {
      for (std::size_t i = 0; i < value.items.size(); ++i)
        result.elements.push_back(argument(fmt::format("{}[{}]", name, i), value.items[i]));
      return result;
    }
    const std::function<void(const Node&)> flatten = [&](const Node& list) {  // matrices, arrays of vectors ...
      for (const Node& item : list.items) {
        if (item.kind == Node::Kind::Array)
          flatten(item);
        else if (const auto scalar = Scalar::from(item))
          result.values.push_back(*scalar);
        else
          context.error("type", fmt::format("argument '{}' must hold numbers, not {}", name, kind_name(item.kind)),
                        item);
      }
    };
    flatten(value);
  } else if (value.kind == Node::Kind::Table) {
    const bool bytes = value.find("bytes") != nullptr, typed = value.find("value") != nullptr;
    if (bytes) {
      TableReader reader(value, context, fmt::format("argument '{}'", name));
      if (const auto text = reader.text("bytes")) {
        result.bytes = base::parse_bytes(*text);
        if (!result.bytes)
          reader.wrong_value("bytes", *reader.any("bytes"), "an even number of hexadecimal digits is expected");
      }
      reader.finish();
    } else if (typed) {
      TableReader reader(value, context, fmt::format("argument '{}'", name));
      result.type = reader.word("type", find_element_type, element_words());
      result.is_vector = value.find("value")->kind == Node::Kind::Array;
      if (auto values = scalars(reader, "value")) result.values = std::move(*values);
      reader.finish();
    } else {
      for (std::size_t i = 0; i < value.keys.size(); ++i)
        result.members.push_back(argument(value.keys[i], value.items[i]));
    }
  } else if (const auto scalar = Scalar::from(value)) {
    result.values.push_back(*scalar);
  } else {
    context.error(
        "type",
        fmt::format("argument '{}' must be a number, an array, or a table with 'bytes', 'value' or members, not {}",
                    name, kind_name(value.kind)),
        value, value.kind == Node::Kind::Text ? "bits are written \"0x3f800000\"" : "");
  }
  return result;
}

base::Result<Argument> parse_argument(const std::string& name, std::string_view text) {
  if (const std::string why = toml_value_problem(text); !why.empty())
    return base::error("job-syntax", fmt::format("argument '{}': {}", name, why));
  base::Diagnostics diagnostics;
  const base::NodeContext context{"", "job", &diagnostics};
  Argument argument = JobReader{context, ""}.argument(name, parse_toml_value(text));
  argument.key = {name, {}};
  if (diagnostics.has_errors()) return base::Failure(diagnostics.all());
  return argument;
}

BufferBinding JobReader::buffer(const Key& key, const Node& table) const {
  BufferBinding b;
  b.key = key;
  TableReader reader(table, context, fmt::format("[buffers.{}]", key.text));
  if (table.kind != Node::Kind::Table) return b;
  b.type = reader.word("type", find_element_type, element_words());
  if (const auto name = reader.text("format")) {
    const image::FormatInfo* info = image::find_format_word(*name);
    if (info != nullptr)
      b.format = info->format;
    else {
      const std::string_view near = image::nearest_format_word(*name);
      reader.wrong_value("format", *reader.any("format"), fmt::format("unknown format '{}'", *name),
                         near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    }
    if (b.type) reader.wrong_value("format", *reader.any("format"), "'type' is given as well");
  }
  if (const auto count = reader.integer("count", 0, std::int64_t{1} << 40))
    b.count = static_cast<std::uint64_t>(*count);
  if (const Node* fill = reader.any("fill")) {
    b.fill = Scalar::from(*fill);
    if (!b.fill) reader.wrong_type("fill", *fill, "a number or \"0x...\"");
  }
  if (const Node* data = reader.array("data"); data != nullptr) b.data = scalars(reader, "data");
  if (b.type.has_value() == reader.has("type") && b.format.has_value() == reader.has("format"))
    for (const std::string_view word : {"fill", "data"}) must_fit(reader, word, element_type(b));
  b.file = path_member(reader, "file");
  b.save = path_member(reader, "save");
  if (const Node* save = reader.any("save")) b.save_place = context.place(*save);
  if (const auto address = reader.integer("address", 0, INT64_MAX)) b.address = static_cast<std::uint64_t>(*address);
  b.same_as = reader.text("same_as").value_or("");
  reader.finish();
  const int sources = (b.fill ? 1 : 0) + (b.data ? 1 : 0) + (b.file.empty() ? 0 : 1);
  if (sources > 1)
    context.error("value", fmt::format("[buffers.{}] takes one of 'fill', 'data' and 'file'", key.text), table);
  if (!b.same_as.empty() && (sources != 0 || b.type || b.format || b.count || b.address || !b.save.empty()))
    context.error("value", fmt::format("'same_as' of [buffers.{}] stands in place of all other members", key.text),
                  table);
  const bool given = reader.has("count") || reader.has("data") || reader.has("file") || reader.has("fill");
  if (b.same_as.empty() && !given)
    context.error("missing", fmt::format("[buffers.{}] lacks 'count', 'data' or 'file'", key.text), table);
  if (b.fill && !reader.has("count"))
    context.error("missing", fmt::format("[buffers.{}] has 'fill' but lacks 'count'", key.text), table);
  return b;
}

ImageBinding JobReader::image(const Key& key, const Node& table, bool attachment) const {
  ImageBinding b;
  b.key = key;
  TableReader reader(table, context, fmt::format("[images.{}]", key.text));
  if (table.kind != Node::Kind::Table) return b;
  b.members = image::read_surface_members(reader);
  b.file = path_member(reader, "file");
  if (const Node* list = reader.array("files"))
    for (const Node& item : list->items) {
      if (item.kind != Node::Kind::Text || item.text.empty())
        reader.wrong_type("files", item, "an array of paths");
      else
        b.files.push_back(item.line == Node::kCommandLine ? item.text : resolve(item.text));
    }
  b.raw = path_member(reader, "raw");
  b.save = path_member(reader, "save");
  if (const Node* save = reader.any("save")) b.save_place = context.place(*save);
  b.size = sizes(reader, "size", 3, 1);
  b.size_place = key.place;
  for (const std::string_view word : {"entries", "width", "size"})
    if (const Node* size = reader.any(word)) b.size_place = context.place(*size);
  if (auto fill = scalars(reader, "fill")) b.fill = std::move(*fill);
  if (!b.fill.empty() && b.members.format) {
    const image::FormatInfo& format = *image::format_info(*b.members.format);
    if (!image::encodable(format))
      reader.wrong_value("fill", *reader.any("fill"), fmt::format("{} is not written texel by texel", format.name));
    else
      must_fit(reader, "fill", fill_type(format));
  }
  if (b.fill.size() > 4) reader.wrong_value("fill", *reader.any("fill"), "one to four numbers are expected");
  if (const Node* data = reader.array("data")) b.data = *data;
  b.same_as = reader.text("same_as").value_or("");
  if (const auto mips = reader.text("mips")) {
    b.generate_mips = *mips == "generate";
    if (*mips != "generate" && *mips != "file")
      reader.wrong_value("mips", *reader.any("mips"), fmt::format("unknown word '{}'", *mips), "one of: generate file");
  }
  reader.finish();
  if (!b.same_as.empty()) return b;
  const bool sized = reader.has("size") || reader.has("width") || reader.has("entries") || reader.has("state") ||
                     b.members.type == image::SurfaceType::Null;
  if (!b.size.empty() && (b.members.width || b.members.height || b.members.depth))
    context.error("value", fmt::format("[images.{}] has both 'size' and 'width'", key.text), table);
  if (!b.file.empty() && !b.files.empty())
    context.error("value", fmt::format("[images.{}] has both 'file' and 'files'", key.text), table);
  if (!b.file.empty() || !b.files.empty()) {
    if (!b.raw.empty() || b.data || !b.fill.empty())
      context.error("value", fmt::format("[images.{}] takes one of 'file', 'fill', 'raw' and 'data'", key.text), table);
    if (sized) context.error("value", fmt::format("the size of [images.{}] is that of its file", key.text), table);
  } else {
    const std::string as_flag = key.place.on_command_line() ? fmt::format("such as {}={}rgba8:640x480", key.text,
                                                                          b.save.empty() ? "" : b.save + ":")
                                                            : std::string();
    const bool texels = b.members.type != image::SurfaceType::Null;
    if (!sized && !attachment && texels)
      context.error("missing", fmt::format("[images.{}] lacks 'file' or 'size'", key.text), table, as_flag);
    if (!reader.has("format") && !reader.has("state") && texels)
      context.error("missing", fmt::format("[images.{}] lacks 'format'", key.text), table, as_flag);
  }
  return b;
}

}  // namespace heddle::job
