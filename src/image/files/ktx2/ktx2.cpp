// SPDX-License-Identifier: MIT
// Reading KTX2 (KTX File Format Specification 2.0): every VkFormat whose values a surface format holds, UASTC, and
// ETC1S with BasisLZ; Zstandard, ZLIB or no supercompression.

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "base/byte_cursor.hpp"
#include "image/files/codec.hpp"
#include "image/files/ktx2/ktx2_universal.hpp"

namespace heddle::image {
namespace {

using namespace ktx2;

struct Header {
  std::uint32_t vk_format = 0, type_size = 0, width = 0, height = 0, depth = 0, layers = 0, faces = 0, levels = 0,
                scheme = 0;
};
class Reader {
 public:
  Reader(Bytes bytes, const std::string& name, const LoadOptions& options, const base::Limits& limits,
         base::Diagnostics* notes)
      : bytes_(bytes),
        name_(name),
        options_(options),
        limits_(limits),
        notes_(notes),
        cursor_(bytes, kIdentifier.size()) {}

  base::Result<Surface> run() {
    if (const auto read = read_header(); !read.ok()) return read.failure();
    Surface surface;
    if (const auto known = choose_format(surface); !known.ok()) return known.failure();
    if (const auto known = choose_sizes(surface); !known.ok()) return known.failure();
    if (auto unpacked = unpack_422(surface, "ktx2-format", base::Place::binary(name_, 12, 4), notes_))
      packed_ = unpacked;
    for (std::uint32_t i = 0; i < surface.levels; ++i) levels_.push_back({cursor_.u64(), cursor_.u64(), cursor_.u64()});
    if (cursor_.failed())
      return at_byte("ktx2-header", "the file ends within the level index", name_, cursor_.failed_at());
    auto allocated = allocate_for_file(std::move(surface), name_, 20, limits_);
    if (allocated.ok() && universal_ == Universal::Etc1s) {
      const BasisLzFile file{bytes_, name_, global_, levels_, header_.faces, descriptor_->channels.size() > 1};
      if (const auto read = read_basis_lz(file, *allocated); !read.ok()) return read.failure();
      return allocated;
    }
    for (std::uint32_t level = 0; allocated.ok() && level < allocated->levels; ++level)
      if (const auto read = read_level(*allocated, level); !read.ok()) return read.failure();
    return allocated;
  }

 private:
  base::Result<base::Done> read_header() {
    for (std::uint32_t* field : {&header_.vk_format, &header_.type_size, &header_.width, &header_.height,
                                 &header_.depth, &header_.layers, &header_.faces, &header_.levels, &header_.scheme})
      *field = cursor_.u32();
    const std::uint32_t dfd_offset = cursor_.u32(), dfd_length = cursor_.u32(), kvd_offset = cursor_.u32(),
                        kvd_length = cursor_.u32();
    const std::uint64_t sgd_offset = cursor_.u64(), sgd_length = cursor_.u64();
    if (cursor_.failed()) return at_byte("ktx2-header", "the file ends within the header", name_, cursor_.failed_at());
    for (const auto& [what, at, offset, length] : {Section{"data format descriptor", 48, dfd_offset, dfd_length},
                                                   Section{"key/value data", 56, kvd_offset, kvd_length},
                                                   Section{"supercompression global data", 64, sgd_offset, sgd_length}})
      if (length != 0 && (offset > bytes_.size() || bytes_.size() - offset < length))
        return at_byte("ktx2-header",
                       fmt::format("the {} ({} bytes at {}) lies outside the file of {} bytes", what, length, offset,
                                   bytes_.size()),
                       name_, at, 8);
    global_ = {"", 64, sgd_offset, sgd_length};
    read_keys(kvd_offset, kvd_length);
    if (dfd_length == 0) return base::Done{};
    auto descriptor = read_descriptor(bytes_, {"", 48, dfd_offset, dfd_length}, name_);
    if (!descriptor.ok()) return descriptor.failure();
    descriptor_ = std::move(*descriptor);
    return base::Done{};
  }

  /// IMF-11: what the key/value data asks of a reader, and what it does not get, is said.
  void read_keys(std::uint64_t offset, std::uint64_t length) {
    const Bytes all = bytes_.subspan(length == 0 ? 0 : offset, length);
    for (std::size_t at = 0; all.size() - at >= 4;) {
      const std::uint64_t entry = base::ByteCursor(all, at).u32();
      const std::uint64_t begin = offset + at;
      at += 4;
      if (entry > all.size() - at) return;  // damaged, and nothing that texels need
      const std::string_view text = base::as_text(all.subspan(at, entry)), key = text.substr(0, text.find('\0'));
      std::string_view value = text.substr(std::min(text.size(), key.size() + 1));
      value = value.substr(0, value.find('\0'));
      at += std::min<std::size_t>((entry + 3) / 4 * 4, all.size() - at);
      const auto note = [&](std::string message) {
        say(notes_, base::remark("ktx2-format", std::move(message), base::Place::binary(name_, begin, 4)));
      };
      if (key == "KTXorientation" && value != std::string_view("rdi").substr(0, value.size()) && value.size() <= 3)
        note(fmt::format("KTXorientation '{}': the texels are read as they lie, the first at 0, 0", value));
      if (key == "KTXswizzle" && value != "rgba" && value.size() == 4)
        note(
            fmt::format("KTXswizzle '{}' is not applied: the channels are those of the file; a swizzle of the surface "
                        "does it (--swizzle)",
                        value));
    }
  }

  base::Result<base::Done> choose_format(Surface& surface) {
    scheme_ = static_cast<Supercompression>(header_.scheme);
    universal_ = universal_texels(header_.vk_format, header_.scheme, descriptor_);
    const bool readable = universal_ == Universal::Etc1s || scheme_ == Supercompression::None ||
                          scheme_ == Supercompression::Zstandard || scheme_ == Supercompression::Zlib;
    if (readable && universal_ != Universal::No) {
      choose_universal_format(surface);
      return base::Done{};
    }
    const FormatInfo* format = from_vulkan_format(header_.vk_format);
    packed_ = packed_vulkan_format(header_.vk_format);
    if (packed_) format = format_info(packed_->format);
    if (!readable || format == nullptr || format->compression == Compression::Planar420)
      return refuse_texels(header_.vk_format, scheme_, descriptor_, name_);
    surface.format = format->format;
    return base::Done{};
  }

  void choose_universal_format(Surface& surface) {
    const bool srgb = is_srgb(*descriptor_), bc7 = options_.bc7 && universal_ == Universal::Uastc;
    surface.format = bc7    ? (srgb ? Format::BC7_UNORM_SRGB : Format::BC7_UNORM)
                     : srgb ? Format::R8G8B8A8_UNORM_SRGB
                            : Format::R8G8B8A8_UNORM;
    if (const std::string_view held = odd_channels(universal_, *descriptor_); !held.empty())
      say(notes_, base::remark("ktx2-format", fmt::format("the texels are {}: read as {}", held, surface.info().name),
                               base::Place::binary(name_, 12, 4)));
    if (options_.bc7 && universal_ == Universal::Etc1s)
      say(notes_, base::remark("ktx2-format",
                               fmt::format("BC7 is made of UASTC only: BasisLZ is read as {}", surface.info().name),
                               base::Place::binary(name_, 44, 4)));
  }

  base::Result<base::Done> choose_sizes(Surface& surface) {
    const auto wrong = [this](std::string message, std::uint64_t at) {
      return at_byte("ktx2-header", std::move(message), name_, at, 4);
    };
    if (header_.width == 0) return wrong("pixelWidth is 0", 20);
    if (header_.depth != 0 && header_.height == 0) return wrong("pixelDepth without pixelHeight", 28);
    if (header_.faces != 1 && header_.faces != 6) return wrong(fmt::format("faceCount {}: 1 or 6", header_.faces), 36);
    if (header_.faces == 6 && (header_.depth != 0 || header_.height != header_.width))
      return wrong("a cube's faces are square and not 3D", 36);
    if (header_.depth != 0 && header_.layers != 0)
      return at_byte("ktx2-format", "arrays of 3D images are not supported", name_, 32, 4);
    surface.width = header_.width;
    surface.height = std::max(1u, header_.height);
    surface.depth = std::max(1u, header_.depth);
    surface.type = header_.depth != 0    ? SurfaceType::Dim3
                   : header_.faces == 6  ? SurfaceType::Cube
                   : header_.height == 0 ? SurfaceType::Dim1
                                         : SurfaceType::Dim2;
    surface.array = header_.layers != 0;
    surface.view_layers = std::max(1u, header_.layers);
    const std::uint64_t layers = std::uint64_t{surface.view_layers} * header_.faces;
    const std::uint32_t greatest = std::max({surface.width, surface.height, surface.depth});
    surface.levels = std::max(1u, header_.levels);
    if (surface.levels > 32 || greatest >> (surface.levels - 1) == 0)
      return wrong(fmt::format("{} levels of an image of {} texels", surface.levels, greatest), 40);
    if (layers > bytes_.size()) return wrong(fmt::format("{} layers do not fit in the file", layers), 32);
    surface.layers = static_cast<std::uint32_t>(layers);
    surface.mip_count = surface.levels - 1;
    surface.rt_extent = surface.layers - 1;
    return base::Done{};
  }

  base::Result<base::Done> read_level(Surface& surface, std::uint32_t level) {
    const Level& index = levels_[level];
    const LevelLayout& layout = surface.layout[level];
    const std::uint64_t at = kLevelIndexAt + kLevelEntryBytes * level;
    const bool uastc = universal_ == Universal::Uastc;
    const std::uint64_t slice = uastc     ? uastc_slice_bytes(layout)
                                : packed_ ? packed_slice_bytes(*packed_, layout)
                                          : slice_bytes(surface, level);
    const std::uint64_t needed = slice * layout.slices;
    if (index.offset > bytes_.size() || bytes_.size() - index.offset < index.length)
      return outside_the_file(index, level, bytes_.size(), name_);
    const std::uint64_t given = scheme_ == Supercompression::None ? index.length : index.uncompressed;
    if (given != needed)
      return at_byte("ktx2-level", fmt::format("level {} has {} bytes, its size asks for {}", level, given, needed),
                     name_, at, 24);
    const Bytes stored = bytes_.subspan(index.offset, index.length);
    if (!packed_ && !uastc) return decompress(level, stored, surface.memory->data() + layout.offset, needed);
    std::vector<std::uint8_t> elements(needed);  // not more than four times the surface's own level
    if (auto done = decompress(level, stored, elements.data(), needed); !done.ok()) return done;
    std::uint64_t broken = 0;
    for (std::uint32_t s = 0; s < layout.slices; ++s) {
      const Bytes from = Bytes(elements).subspan(s * slice, slice);
      if (uastc)
        broken += put_uastc(surface, level, s, from);
      else
        unpack_slice(*packed_, from, surface, level, s);
    }
    if (broken != 0)
      say(notes_, base::warning("ktx2-basis",
                                fmt::format("{} of the {} blocks of level {} are no blocks of UASTC: their texels are "
                                            "(255, 0, 255, 255), as the format says",
                                            broken, needed / 16, level),
                                base::Place::binary(name_, index.offset)));
    return base::Done{};
  }

  base::Result<base::Done> decompress(std::uint32_t level, Bytes stored, std::uint8_t* to, std::uint64_t needed) const {
    std::string problem;
    std::uint64_t got = needed;
    if (scheme_ == Supercompression::None) {
      std::memcpy(to, stored.data(), needed);
    } else if (scheme_ == Supercompression::Zstandard) {
      const std::size_t result = ZSTD_decompress(to, needed, stored.data(), stored.size());
      if (ZSTD_isError(result) != 0)
        problem = ZSTD_getErrorName(result);
      else
        got = result;
    } else {
      uLongf size = needed;
      const int code = uncompress(to, &size, stored.data(), stored.size());
      if (code != Z_OK)
        problem = fmt::format("ZLIB: {}", zError(code));
      else
        got = size;
    }
    const std::uint64_t at = levels_[level].offset;
    if (!problem.empty()) return at_byte("ktx2-level", fmt::format("level {}: {}", level, problem), name_, at);
    if (got != needed)
      return at_byte("ktx2-level",
                     fmt::format("level {} decompresses to {} bytes, its size asks for {}", level, got, needed), name_,
                     at);
    return base::Done{};
  }

  Bytes bytes_;
  const std::string& name_;
  const LoadOptions& options_;
  const base::Limits& limits_;
  base::Diagnostics* notes_;
  base::ByteCursor cursor_;
  Header header_;
  Section global_;
  Supercompression scheme_ = Supercompression::None;
  std::optional<Descriptor> descriptor_;
  Universal universal_ = Universal::No;
  std::optional<PackedFormat> packed_;
  std::vector<Level> levels_;
};

}  // namespace

base::Result<Surface> decode_ktx2(Bytes bytes, const std::string& name, const LoadOptions& options,
                                  const base::Limits& limits, base::Diagnostics* notes) {
  return Reader(bytes, name, options, limits, notes).run();
}

}  // namespace heddle::image
