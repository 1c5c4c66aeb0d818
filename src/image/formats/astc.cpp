// ASTC through libastcenc (NUM-27). LDR and sRGB formats: the library's own 8-bit output / 255, that is the half result
// rounded to 8 bits for LDR and the top 8 bits of the interpolation for sRGB. (The specification's decode_unorm8 mode
// takes the top 8 bits for LDR too.) HDR formats: the library's halves.

#include <astcenc.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/half.hpp"
#include "image/formats/codecs.hpp"

namespace heddle::image {
namespace {

constexpr std::size_t kMostTexels = 12 * 12;

struct Key {
  std::array<std::uint8_t, 16> bytes{};
  std::uint16_t format = 0xffff;
  bool operator==(const Key&) const = default;
};

struct Block {
  Key key;
  std::array<std::array<std::uint16_t, 4>, kMostTexels> texels{};  // 8-bit values or halves
};

struct FreeContext {
  void operator()(astcenc_context* context) const { astcenc_context_free(context); }
};
using Context = std::unique_ptr<astcenc_context, FreeContext>;

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
      decode(format, entry);
    }
    return entry;
  }

  /// `count` blocks side by side into rows of tightly packed texels, 8-bit values or halves. Without a context (no
  /// memory) and for what the library refuses: zeros.
  void strip(const FormatInfo& format, const std::uint8_t* blocks, std::uint32_t count, void* to) {
    astcenc_context* library = context(format);
    astcenc_image image{};
    image.dim_x = count * format.block_width;
    image.dim_y = format.block_height;
    image.dim_z = 1;
    image.data_type = astc_is_hdr(format) ? ASTCENC_TYPE_F16 : ASTCENC_TYPE_U8;
    image.data = &to;
    const astcenc_swizzle swizzle{ASTCENC_SWZ_R, ASTCENC_SWZ_G, ASTCENC_SWZ_B, ASTCENC_SWZ_A};
    if (library != nullptr &&
        astcenc_decompress_image(library, blocks, std::size_t{count} * 16, &image, &swizzle, 0) == ASTCENC_SUCCESS) {
      astcenc_decompress_reset(library);
      return;
    }
    std::memset(to, 0, std::size_t{image.dim_x} * image.dim_y * (astc_is_hdr(format) ? 8 : 4));
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
      const astcenc_profile profile = astc_is_hdr(format) ? ASTCENC_PRF_HDR
                                      : format.is_srgb()  ? ASTCENC_PRF_LDR_SRGB
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

  void decode(const FormatInfo& format, Block& block) {
    if (astc_is_hdr(format)) return strip(format, block.key.bytes.data(), 1, block.texels.data());
    std::array<std::array<std::uint8_t, 4>, kMostTexels> small{};
    strip(format, block.key.bytes.data(), 1, small.data());
    for (std::size_t i = 0; i < kMostTexels; ++i) std::copy(small[i].begin(), small[i].end(), block.texels[i].begin());
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
  const auto& values = decoder().block(format, block).texels[std::size_t{y} * format.block_width + x];
  if (astc_is_hdr(format)) {
    Texel texel;
    for (int i = 0; i < 4; ++i) texel.set(i, base::half_to_float(values[static_cast<std::size_t>(i)]));
    return texel;
  }
  return texel_from_bytes({static_cast<std::uint8_t>(values[0]), static_cast<std::uint8_t>(values[1]),
                           static_cast<std::uint8_t>(values[2]), static_cast<std::uint8_t>(values[3])},
                          srgb);
}

void decode_astc_strip(const FormatInfo& format, const std::uint8_t* blocks, std::uint32_t count, std::uint8_t* to) {
  decoder().strip(format, blocks, count, to);
}
void decode_astc_strip(const FormatInfo& format, const std::uint8_t* blocks, std::uint32_t count, std::uint16_t* to) {
  decoder().strip(format, blocks, count, to);
}

}  // namespace heddle::image
