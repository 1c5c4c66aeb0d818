// SPDX-License-Identifier: MIT
#pragma once
// The state of one image operation as the vector functions read it, and their entry points. Plain data with fixed
// layout: the fast engine emits `StaticState` as a constant, so that the compiler specializes the functions, and passes
// `DynamicState` by address. No includes but enumerations: the functions are compiled to bitcode.

#include <cstdint>

#include "image/enumerations.hpp"
#include "texture/enumerations.hpp"

namespace heddle::texture::simd {

/// How a result channel comes from the words of an element.
enum class ChannelKind : std::uint8_t {
  Zero,
  One,             ///< 1.0, or integer 1
  Unorm,           ///< NUM-10
  Snorm,           ///< NUM-11
  Uint,            ///< NUM-12
  Sint,            ///< NUM-13
  Float32,         ///< NUM-14
  Float16,         ///< NUM-15
  UnsignedFloat,   ///< NUM-16, NUM-17
  SharedExponent,  ///< NUM-18: exponent in bits 31:27
  Srgb,            ///< NUM-21, 8 bits
};

struct ChannelCode {
  ChannelKind kind = ChannelKind::Zero;
  std::uint8_t bits = 0;
  std::uint8_t shift = 0;  ///< of the channel in its word
  std::uint8_t word = 0;   ///< 32-bit word of the element
  std::uint8_t exponent_bits = 0;
};

/// Where texel offsets come from (CRD-4, GA-8, PKO-1).
enum class OffsetSource : std::uint8_t { None, Immediate, Lanes, GatherLow, GatherHigh, SampleLow, SampleHigh };
/// Where the array index comes from (CRD-5, PKO-2, PKO-3).
enum class IndexSource : std::uint8_t { None, V, R, Ai, Packed12, Packed9 };
/// StaticState::mlod_param where the lanes have no minimum LOD.
inline constexpr Param kNoParam{0xff};

/// Everything that decides which code runs. Only bytes: its bytes are a cache key.
struct StaticState {
  std::uint8_t fast = 0;  ///< 0: every lane goes through DynamicState::fallback, the rest is unset
  std::uint8_t zero = 0;  ///< the result is 0 in every lane, mask bits 1 (RET-7, RET-8)
  OperationKind family{};
  Op op{};
  LodSource lod{};
  OffsetSource offset_source{};
  IndexSource index_source{};
  Param packed_param{};         ///< the packed operand
  Param value_param{};          ///< the lane's LOD or bias
  std::uint8_t value_bits = 0;  ///< low bits of that word that are no part of the value (0, 9 or 12)
  Param mlod_param = kNoParam;  ///< C60: the lane's minimum LOD
  std::uint8_t mlod_bits = 0;
  image::SurfaceType type{};
  std::uint8_t axes = 2;  ///< 1, 2, 3 (cube 2)
  std::uint8_t cube = 0;
  image::AddressMode mode[3]{};
  std::uint8_t seam[2]{};    ///< CUB-4
  std::uint8_t borders = 0;  ///< an axis may give the border color
  std::uint8_t non_normalized = 0;
  std::int8_t offset[3]{};                      ///< immediate (SAM-3)
  std::uint8_t linear_min = 0, linear_mag = 0;  ///< taps of the minification and magnification filter
  std::uint8_t anisotropic_min = 0, anisotropic_mag = 0;
  std::uint8_t ratio = 1;      ///< ANI-1: A; 1 = off
  std::uint8_t ratio_lod = 0;  ///< the LOD is that of the anisotropic filter
  image::MipFilter mip{};
  image::LodClampMag clamp_mag{};
  std::uint8_t preclamp = 0;
  image::TrilinearQuality trilinear_quality{};
  std::uint8_t one_level = 0;                   ///< every lane reads DynamicState::level[0]
  std::uint8_t same_filter = 0;                 ///< minification and magnification read the same taps
  std::uint8_t round_min[3]{}, round_mag[3]{};  ///< CRD-3
  std::uint8_t compare = 0;                     ///< after RED-3
  image::CompareFunction function{};
  std::uint8_t clamp_reference = 0;
  std::uint8_t reference_is_zero = 0;
  std::uint8_t compare_channel = 0;
  FilterReduction reduction{};
  image::ValueClass value_class{};   ///< of the result
  std::uint8_t integer = 0;          ///< UINT or SINT format
  std::uint8_t coarse = 0;           ///< LOD-12 applies
  std::uint8_t hardware = 1;         ///< behavior
  std::uint8_t element_bytes = 4;    ///< 1, 2, 4, 8, 16
  ChannelCode channel[4]{};          ///< of the decoded texel: R, G, B, A
  image::ChannelSelect select[4]{};  ///< of the results; gather4: [0] of its source channel (GA-5)
  std::uint8_t buffer = 0;           ///< ld of BUFFER, STRBUF
  std::uint8_t finite = 0;           ///< taps are never NaN, infinite or -0: filters need no special cases
  std::uint8_t quilted = 0;          ///< resinfo: DynamicState::info_scale counts
  std::uint8_t unread = 0;           ///< bit c: nobody looks at result channel c, which may stay as it is
  std::uint8_t pow2 = 0;             ///< bit a: the size of axis a is a power of two in every level
  std::uint8_t quads = 0;            ///< lanes are pixels of a block, four after four (EXE-4): only a hint
  std::uint8_t slow_gathers = 0;     ///< of the machine that runs it: loading each lane's texels by itself is quicker
  std::uint8_t has_vbmi = 0;         ///< the machine permutes bytes (AVX-512 VBMI)
  std::uint8_t blocks = 0;           ///< texels come from DynamicState::decode, as four words
  std::uint8_t apart = 0;            ///< each lane's texels lie as far from the first ones as Inputs::apart says
};

/// One level of the view, in the order of MIP levels from SurfMinLOD.
struct Level {
  std::int32_t size[3]{1, 1, 1};
  std::int32_t last[3]{};         ///< size - 1
  std::int32_t narrow = 0;        ///< rows and row_pitch are less than 2^15
  float scale[3]{256, 256, 256};  ///< 256 * size
  float count[3]{1, 1, 1};        ///< size
  float inverse[3]{1, 1, 1};      ///< about 1 / size
  std::uint32_t inside[2]{};      ///< max(size - 16, 0) across, max(size - 1, 0) down: where taps need no address mode
  std::uint32_t row_pitch = 0;    ///< bytes between rows of elements
  std::uint32_t layer_pitch = 0;  ///< bytes between array elements, faces or z
  std::int32_t limit = 0;         ///< greatest offset from the first texel that has 4 bytes behind it
  std::uint64_t offset = 0;       ///< from DynamicState::memory, of the view's first layer
  bool operator==(const Level&) const = default;
};
inline constexpr unsigned kMaxLevels = 16;

/// One pointer for each Param to `width` 32-bit words; null: absent, every lane 0 (EXE-6).
struct Inputs {
  const std::uint32_t* param[kParamCount];
  const std::uint32_t* apart;  ///< StaticState::apart: signed bytes from the dynamic state's texels to each lane's
};

struct SrgbTable;
struct DynamicState;
/// Runs the reference texture unit for the lanes of `mask`. `thread`: as given to the entry point.
using Fallback = void (*)(const DynamicState* dynamic_state, const Inputs* inputs, std::uint32_t width,
                          std::uint32_t mask, std::uint32_t* out, void* thread);

/// Decodes texels of blocks, four words each. `places`: `width` columns, rows and slices, and Inputs::apart or zeros;
/// of footprints (`quads`) left and right columns, upper and lower rows, slices, and the same; where `width` is 0 a
/// rectangle: first column and row, slice, columns and rows. `words`: lane after lane, tap after tap; of a rectangle
/// row after row.
using DecodeBlocks = void (*)(const DynamicState* dynamic_state, const Level* level, const std::uint32_t* places,
                              std::uint32_t width, std::uint32_t quads, std::uint32_t* words);

/// What changes without a change of code.
struct DynamicState {
  const std::uint8_t* memory = nullptr;
  const SrgbTable* srgb = nullptr;      ///< srgb_table() (NUM-21)
  const std::uint32_t* log2 = nullptr;  ///< LOD-1: 256 words of first count and first step, 256 of second steps
  Fallback fallback = nullptr;
  DecodeBlocks decode = nullptr;
  const void* format = nullptr;             ///< for decode: image::FormatInfo
  std::uint32_t srgb_decode = 0;            ///< for decode
  const void* owner = nullptr;              ///< for the fallback
  std::uint32_t last_index = 0;             ///< N_A - 1 (SUR-3)
  std::uint32_t border[4]{}, outside[4]{};  ///< border color; TEX-1, LD-3
  std::int32_t bias = 0, min_lod = 0, max_lod = 0, base_mip_level = 0, resource_min_lod = 0, mip_count = 0;
  std::uint32_t unread_levels = 0;  ///< LD-10; 0 where StaticState::one_level
  float base_scale[3]{1, 1, 1};     ///< size of level SurfMinLOD (LOD-4)
  float coarse[2]{1, 1};
  std::uint64_t entries = 0;  ///< buffers
  std::uint32_t entry_step = 0;
  std::uint32_t last_sample = 0, sample_pitch = 0;  ///< ld2dms_w: samples of a pixel less one, bytes between them
  std::uint32_t width = 0, height = 0, depth = 0;   ///< resinfo: of absolute level 0
  std::uint32_t surf_min_lod = 0;
  std::uint32_t info_scale[2]{1, 1};  ///< resinfo: quilt cells
  std::uint32_t info_layers = 0;
  std::uint32_t info[4]{};  ///< sampleinfo, resinfo of buffers, ld_mcs: the answer
  Level level[kMaxLevels];  ///< [0] is the only level where StaticState::one_level
  bool operator==(const DynamicState&) const = default;
};

}  // namespace heddle::texture::simd

// Entry points of the bitcode (native code reaches them through texture/simd/prepared.hpp). `inputs->param[p]`: `width`
// words each (EXE-5: all lanes are read where derivatives are needed). `mask`: active lanes; bits from `width` on are
// ignored. `out`: 4 * width + 1 words: channel c of lane k at c * width + k after channel selects, then the null mask
// (RET-5). Lanes that are not active hold anything. `thread` goes to the fallback.
#define HEDDLE_SIMD_ENTRY(name)                                                                                    \
  void name(const heddle::texture::simd::StaticState* static_state,                                                \
            const heddle::texture::simd::DynamicState* dynamic_state, const heddle::texture::simd::Inputs* inputs, \
            std::uint32_t mask, std::uint32_t* out, void* thread)
extern "C" {
HEDDLE_SIMD_ENTRY(heddle_simd_sample_8);
HEDDLE_SIMD_ENTRY(heddle_simd_sample_16);
HEDDLE_SIMD_ENTRY(heddle_simd_sample_32);
HEDDLE_SIMD_ENTRY(heddle_simd_gather4_8);
HEDDLE_SIMD_ENTRY(heddle_simd_gather4_16);
HEDDLE_SIMD_ENTRY(heddle_simd_gather4_32);
HEDDLE_SIMD_ENTRY(heddle_simd_load_8);
HEDDLE_SIMD_ENTRY(heddle_simd_load_16);
HEDDLE_SIMD_ENTRY(heddle_simd_load_32);
HEDDLE_SIMD_ENTRY(heddle_simd_info_8);
HEDDLE_SIMD_ENTRY(heddle_simd_info_16);
HEDDLE_SIMD_ENTRY(heddle_simd_info_32);
}
