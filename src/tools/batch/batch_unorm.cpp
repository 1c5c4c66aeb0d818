// SPDX-License-Identifier: MIT
// heddle batch: sample_unorm.

#include <fmt/format.h>

#include <cmath>

#include "image/objects/object.hpp"
#include "texture/sample_unorm.hpp"
#include "tools/batch/batch.hpp"

namespace heddle::tools {
namespace {

std::vector<std::string_view> operations() { return {"sample_unorm"}; }

float real_member(BatchRequest& request, std::string_view name) {
  const base::Node* node = request.reader.any(name);
  if (node == nullptr) return 0;
  const auto word = image::float_word(*node);
  if (!word) request.reader.wrong_type(name, *node, "a number or \"0x...\"");
  return __builtin_bit_cast(float, word.value_or(0));
}

void answer(BatchRequest& request, std::string& text) {
  base::TableReader& reader = request.reader;
  texture::UnormRequest block;
  const std::uint32_t mask = word_member(request, "mask", 15);
  if (mask == 0 || mask > 15) reader.wrong_value("mask", *reader.any("mask"), "the channel mask is 1 to 15 (UNO-8)");
  block.channels = static_cast<std::uint8_t>(mask);
  if (const auto output = reader.word("output_format", texture::find_unorm_output,
                                      {"16-full", "16-downsampled", "8-full", "8-downsampled"}))
    block.output = *output;
  if (const auto order = reader.text("order")) {
    if (*order == "sandybridge")
      block.order = texture::UnormOrder::Sandybridge;
    else if (*order != "row")
      reader.wrong_value("order", *reader.any("order"), "expected \"row\" or \"sandybridge\" (UNO-7)");
  }
  block.u = real_member(request, "u");
  block.v = real_member(request, "v");
  block.du = real_member(request, "du");
  block.dv = real_member(request, "dv");
  const std::uint8_t fill = byte_member(request, "dst_fill", 0);
  const BoundSurface surface = surface_member(request, "surface");
  if (!surface.surface) return;
  const image::Sampler sampler = sampler_member(request).members.for_format(surface.surface->format);
  if (request.failed()) return;
  block.surface = surface.surface.get();
  block.sampler = &sampler;
  const texture::UnormResult result = texture::sample_unorm(block, request.unit);
  const texture::UnormOutput output = texture::effective_output(block.output, request.unit.sample_unorm_behavior);
  std::vector<std::uint8_t> bytes(texture::unorm_bytes(block.channels, output), fill);
  texture::write_unorm(bytes, result, block.channels, output, block.order);
  text += "\"dst\":\"";
  append_hex(text, bytes.data(), bytes.size());
  text += '"';
}

}  // namespace

const BatchOperations kUnormOperation = {&operations, &answer};

}  // namespace heddle::tools
