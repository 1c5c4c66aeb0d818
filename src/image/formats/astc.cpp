// SPDX-License-Identifier: MIT
// ASTC through libastcenc (NUM-27). All formats: the library's floats, which are its halves widened. LDR and sRGB
// formats: these rounded to 8 bits / 255, which is the half result rounded to 8 bits for LDR and the top 8 bits of the
// interpolation for sRGB, as in the library's own 8-bit output. (The specification's decode_unorm8 mode takes the top 8
// bits for LDR too.)

#include <astcenc.h>

#include <algorithm>
#include <memory>

#include "image/formats/codecs.hpp"
#include "image/formats/convert_rows.hpp"

namespace heddle::image {
namespace {

constexpr std::size_t kMaxTexels = 12 * 12;

struct Key {
  std::array<std::uint8_t, 16> bytes{};
  std::uint16_t format = 0xffff;
  bool operator==(const Key&) const = default;
};

struct Block {
  Key key;
  std::array<Texel, kMaxTexels> texels{};  // as the library gives them
};

struct FreeContext {
  void operator()(astcenc_context* context) const { astcenc_context_free(context); }
};
using Context = std::unique_ptr<astcenc_context, FreeContext>;

bool is_hdr(const FormatInfo& format) { return (static_cast<unsigned>(format.format) & 0x100) != 0; }

/// One thread's decoders and the blocks it decoded last. A library context serves one caller at a time; results do not
/// depend on the cache.
class Decoder {
 public:
  const Block& block(const FormatInfo& format, const std::uint8_t* bytes) {
    Key key;
    std::copy_n(bytes, 16, key.bytes.begin());
    key.format = static_cast<std::uint16_t>(format.format);
    Block& entry = cache_[slot(key)];
    if (!(entry.key == key)) {
      entry.key = key;
      decode(format, bytes, format.block_width, format.block_height, entry.texels.front().bits.data());
    }
    return entry;
  }

  /// Blocks side by side into `rows` rows of `width` texels, four floats each. Without a context (no memory) and for
  /// what the library refuses: zeros.
  void decode(const FormatInfo& format, const std::uint8_t* blocks, std::uint32_t width, std::uint32_t rows,
              std::uint32_t* words) {
    astcenc_context* library = context(format);
    void* slice = words;
    astcenc_image image{};
    image.dim_x = width;
    image.dim_y = rows;
    image.dim_z = 1;
    image.data_type = ASTCENC_TYPE_F32;
    image.data = &slice;
    const astcenc_swizzle swizzle{ASTCENC_SWZ_R, ASTCENC_SWZ_G, ASTCENC_SWZ_B, ASTCENC_SWZ_A};
    const std::size_t count = (width + format.block_width - 1) / format.block_width;
    if (library != nullptr &&
        astcenc_decompress_image(library, blocks, count * 16, &image, &swizzle, 0) == ASTCENC_SUCCESS) {
      astcenc_decompress_reset(library);
      return;
    }
    std::fill_n(words, std::size_t{4} * width * rows, 0u);
  }

 private:
  static constexpr std::size_t kCached = 64;

  static std::size_t slot(const Key& key) {
    const std::uint64_t mixed =
        (load_little(key.bytes.data(), 8) ^ load_little(key.bytes.data() + 8, 8) * 0x9e3779b97f4a7c15u ^ key.format) *
        0xff51afd7ed558ccdu;
    return static_cast<std::size_t>(mixed >> 58);
  }

  astcenc_context* context(const FormatInfo& format) {
    const auto code = static_cast<std::size_t>(format.format) - 0x200;
    Context& context = contexts_[code];
    if (context == nullptr) {
      const astcenc_profile profile = is_hdr(format)     ? ASTCENC_PRF_HDR
                                      : format.is_srgb() ? ASTCENC_PRF_LDR_SRGB
                                                         : ASTCENC_PRF_LDR;
      astcenc_config config{};
      astcenc_context* created = nullptr;
      if (astcenc_config_init(profile, format.block_width, format.block_height, 1, ASTCENC_PRE_FASTEST,
                              ASTCENC_FLG_DECOMPRESS_ONLY, &config) != ASTCENC_SUCCESS ||
          astcenc_context_alloc(&config, 1, &created) != ASTCENC_SUCCESS)
        return nullptr;
      context.reset(created);
    }
    return context.get();
  }

  std::array<Context, 0x180> contexts_;  // by format code - 200h
  std::array<Block, kCached> cache_;
};

Decoder& decoder() {
  static thread_local std::unique_ptr<Decoder> decoder;
  if (decoder == nullptr) decoder = std::make_unique<Decoder>();
  return *decoder;
}

}  // namespace

Texel decode_astc(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y, bool srgb) {
  Texel texel = decoder().block(format, block).texels[std::size_t{y} * format.block_width + x];
  if (!is_hdr(format)) row_conversions().round_to_bytes(texel.bits.data(), 1, srgb);
  return texel;
}

void decode_astc_rows(const FormatInfo& format, const std::uint8_t* blocks, std::uint32_t width, std::uint32_t rows,
                      bool srgb, std::uint32_t* words) {
  decoder().decode(format, blocks, width, rows, words);
  if (!is_hdr(format)) row_conversions().round_to_bytes(words, std::size_t{width} * rows, srgb);
}

}  // namespace heddle::image
