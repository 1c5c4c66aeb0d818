// SPDX-License-Identifier: MIT
#include "pipeline/transfer/texel_rows.hpp"

#include <cstring>

namespace heddle::pipeline::transfer {

TexelSource::TexelSource(const Region& level) : level_(level), access_(row_access(*level.format)) {
  level_.first_slice = level_.first_column = level_.first_row = 0;
  if (level_.format->block_width == 1 && level_.format->block_height == 1) plane_ = plane_of(level_);
}

const std::uint8_t* TexelSource::elements(std::uint32_t slice, std::uint32_t row) const {
  return plane_ ? plane_->row(slice, row) : nullptr;
}

void TexelSource::read_texel(std::uint32_t slice, std::uint32_t row, std::uint32_t column, std::uint32_t* texel) const {
  const image::Texel value = image::fetch(*level_.surface, level_.level, slice, column, row).texel;
  std::memcpy(texel, value.bits.data(), sizeof value.bits);
}

void TexelSource::read(std::uint32_t slice, std::uint32_t row, std::uint32_t column, std::size_t count,
                       std::uint32_t* texels) const {
  if (plane_ && access_.reads)
    return row_functions().decode(access_.format, plane_->row(slice, row) + std::size_t{column} * access_.format.bytes,
                                  count, texels);
  for (std::size_t i = 0; i < count; ++i)
    read_texel(slice, row, column + static_cast<std::uint32_t>(i), texels + 4 * i);
}

void TexelSource::read_at(std::uint32_t slice, std::uint32_t row, const std::vector<std::uint32_t>& columns,
                          std::uint32_t* texels) const {
  for (std::size_t i = 0; i < columns.size(); ++i) read_texel(slice, row, columns[i], texels + 4 * i);
}

void TexelSink::write(const std::uint32_t* texels, std::size_t count, std::uint8_t* elements) const {
  if (access_.writes) return row_functions().encode(access_.format, texels, count, elements);
  for (std::size_t i = 0; i < count; ++i) {
    image::Texel value;
    std::memcpy(value.bits.data(), texels + 4 * i, sizeof value.bits);
    image::encode_texel(format_, value, elements + i * format_.bytes_per_element());
  }
}

}  // namespace heddle::pipeline::transfer
