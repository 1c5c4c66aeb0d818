// SPDX-License-Identifier: MIT
// heddle batch: decode_texel, encode_texel and convert.

#include <fmt/format.h>

#include "image/names.hpp"
#include "image/objects/object.hpp"
#include "machine/numbers/number.hpp"
#include "tools/batch/batch.hpp"

namespace heddle::tools {
namespace {

using base::Node;

std::vector<std::string_view> operations() { return {"decode_texel", "encode_texel", "convert"}; }

const image::FormatInfo* format_member(BatchRequest& request) {
  const auto name = request.reader.text("format");
  if (!name) {
    if (!request.reader.has("format")) request.fail("batch-missing", "missing member 'format'");
    return nullptr;
  }
  const image::FormatInfo* format = image::find_format_word(*name);
  if (format == nullptr) {
    const std::string_view near = image::nearest_format_word(*name);
    request.fail("batch-value", fmt::format("unknown format '{}'{}", *name,
                                            near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }
  return format;
}

std::string decode(BatchRequest& request) {
  const image::FormatInfo* format = format_member(request);
  const auto text = request.reader.text("bytes");
  const bool with_x = request.reader.has("x"), with_y = request.reader.has("y");
  const auto x = request.reader.integer("x", 0, format != nullptr ? format->block_width - 1 : 0);
  const auto y = request.reader.integer("y", 0, format != nullptr ? format->block_height - 1 : 0);
  if (format == nullptr || (with_x && !x) || (with_y && !y)) return {};
  if (!image::decodable(*format))
    return request.fail("NUM-28", fmt::format("{} can't be decoded", format->name)), std::string();
  const auto bytes = text ? base::parse_bytes(*text) : std::nullopt;
  if (!bytes || bytes->size() != format->bytes_per_element())
    return request.fail(request.reader.has("bytes") ? "batch-value" : "batch-missing",
                        fmt::format("'bytes' must be the {} bytes of one {} element, in hexadecimal",
                                    format->bytes_per_element(), format->name)),
           std::string();
  const image::Texel texel = image::decode_texel(*format, bytes->data(), static_cast<unsigned>(x.value_or(0)),
                                                 static_cast<unsigned>(y.value_or(0)));
  return fmt::format("\"rgba\":[\"{:08x}\",\"{:08x}\",\"{:08x}\",\"{:08x}\"]", texel.bits[0], texel.bits[1],
                     texel.bits[2], texel.bits[3]);
}

std::string encode(BatchRequest& request) {
  const image::FormatInfo* format = format_member(request);
  const Node* rgba = request.reader.array("rgba");
  if (format == nullptr) return {};
  if (!image::encodable(*format))
    return request.fail("batch-value", fmt::format("{} can't be encoded", format->name)), std::string();
  if (rgba == nullptr || rgba->items.size() != 4)
    return request.fail("batch-missing", "'rgba' must have four values"), std::string();
  image::Texel texel;
  for (std::size_t c = 0; c < 4; ++c) {
    const auto word = format->value_class == image::ValueClass::Float ? image::float_word(rgba->items[c])
                                                                      : image::integer_word(rgba->items[c]);
    if (!word) return request.reader.wrong_type("rgba", rgba->items[c], "a number or \"0x...\""), std::string();
    texel.bits[c] = *word;
  }
  std::vector<std::uint8_t> bytes(format->bytes_per_element());
  image::encode_texel(*format, texel, bytes.data());
  std::string text = "\"bytes\":\"";
  append_hex(text, bytes.data(), bytes.size());
  return text + '"';
}

/// The vISA types that `convert` takes: every one with a value of its own.
std::optional<isa::Type> type_member(BatchRequest& request, std::string_view name) {
  const auto text = request.reader.text(name);
  if (!text) {
    if (!request.reader.has(name)) request.fail("batch-missing", fmt::format("missing member '{}'", name));
    return std::nullopt;
  }
  const auto type = isa::find_type(*text);
  if (!type || *type == isa::Type::V || *type == isa::Type::UV || *type == isa::Type::VF || *type == isa::Type::Bool) {
    request.reader.wrong_value(name, *request.reader.any(name), "expected UD D UW W UB B F HF BF DF UQ or Q");
    return std::nullopt;
  }
  return type;
}

std::string convert(BatchRequest& request) {
  const auto from = type_member(request, "from"), to = type_member(request, "to");
  const bool saturate = request.reader.boolean("sat").value_or(false);
  const Node* values = request.reader.array("values");
  if (!from || !to) return {};
  if (values == nullptr) return request.fail("batch-missing", "missing member 'values'"), std::string();
  const unsigned digits = 2 * isa::type_bytes(*from);
  std::string text = "\"values\":[";
  for (std::size_t i = 0; i < values->items.size(); ++i) {
    const Node& item = values->items[i];
    const auto bits = item.kind == Node::Kind::Text && item.text.size() == digits
                          ? base::parse_hex("0x" + item.text, digits)
                          : std::nullopt;
    if (!bits)
      return request.reader.wrong_type(
                 "values", item,
                 fmt::format("the bits of a {} as {} hexadecimal digits", isa::type_name(*from), digits)),
             std::string();
    text += fmt::format("{}\"{:0{}x}\"", i == 0 ? "" : ",",
                        machine::convert(*bits, *from, *to, saturate, machine::Rounding::NearestEven),
                        2 * isa::type_bytes(*to));
  }
  return text + "]";
}

void answer(BatchRequest& request, std::string& text) {
  text += request.op == "decode_texel"   ? decode(request)
          : request.op == "encode_texel" ? encode(request)
                                         : convert(request);
}

}  // namespace

const BatchOperations kTexelOperations = {&operations, &answer};

}  // namespace heddle::tools
