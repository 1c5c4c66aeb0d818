// SPDX-License-Identifier: MIT
#pragma once
// Rows of texels of a region as words, whatever the format: by the row functions where they know it, else texel by
// texel.

#include <optional>
#include <vector>

#include "pipeline/transfer/region.hpp"
#include "pipeline/transfer/row_format.hpp"

namespace heddle::pipeline::transfer {

/// Reads rows of a level; decodes sRGB. Not changed by reading, so threads can share it.
class TexelSource {
 public:
  explicit TexelSource(const Region& level);
  /// `count` texels from `column` on, absolute in the level; room for kRowPadding more.
  void read(std::uint32_t slice, std::uint32_t row, std::uint32_t column, std::size_t count,
            std::uint32_t* texels) const;
  /// The same of the texels at the columns.
  void read_at(std::uint32_t slice, std::uint32_t row, const std::vector<std::uint32_t>& columns,
               std::uint32_t* texels) const;
  /// Elements in a row of memory; nullptr: they are not in rows, or blocks of texels.
  [[nodiscard]] const std::uint8_t* elements(std::uint32_t slice, std::uint32_t row) const;
  [[nodiscard]] const RowAccess& access() const { return access_; }

 private:
  void read_texel(std::uint32_t slice, std::uint32_t row, std::uint32_t column, std::uint32_t* texel) const;

  Region level_;
  RowAccess access_;
  std::optional<Plane> plane_;
};

/// Writes texels into rows of elements; encodes sRGB.
class TexelSink {
 public:
  explicit TexelSink(const image::FormatInfo& format) : format_(format), access_(row_access(format)) {}
  void write(const std::uint32_t* texels, std::size_t count, std::uint8_t* elements) const;
  [[nodiscard]] const RowAccess& access() const { return access_; }

 private:
  const image::FormatInfo& format_;
  RowAccess access_;
};

}  // namespace heddle::pipeline::transfer
