// SPDX-License-Identifier: MIT
// Requests through the functions of the machine at hand.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <fstream>
#include <new>
#include <string>
#include <utility>

#include "base/environment/vector_level.hpp"
#include "base/half.hpp"
#include "texture/simd/array_places.hpp"
#include "texture/simd/block_texels.hpp"
#include "texture/simd/prepared_footprint.hpp"
#include "texture/simd/prepared_unorm.hpp"

#define HEDDLE_SIMD_DECLARE(suffix)                              \
  HEDDLE_SIMD_ENTRY(heddle_simd_sample_8##suffix);               \
  HEDDLE_SIMD_ENTRY(heddle_simd_sample_16##suffix);              \
  HEDDLE_SIMD_ENTRY(heddle_simd_sample_32##suffix);              \
  HEDDLE_SIMD_ENTRY(heddle_simd_gather4_8##suffix);              \
  HEDDLE_SIMD_ENTRY(heddle_simd_gather4_16##suffix);             \
  HEDDLE_SIMD_ENTRY(heddle_simd_gather4_32##suffix);             \
  HEDDLE_SIMD_ENTRY(heddle_simd_load_8##suffix);                 \
  HEDDLE_SIMD_ENTRY(heddle_simd_load_16##suffix);                \
  HEDDLE_SIMD_ENTRY(heddle_simd_load_32##suffix);                \
  HEDDLE_SIMD_ENTRY(heddle_simd_info_8##suffix);                 \
  HEDDLE_SIMD_ENTRY(heddle_simd_info_16##suffix);                \
  HEDDLE_SIMD_ENTRY(heddle_simd_info_32##suffix);                \
  HEDDLE_SIMD_FOOTPRINT_ENTRY(heddle_simd_footprint_8##suffix);  \
  HEDDLE_SIMD_FOOTPRINT_ENTRY(heddle_simd_footprint_16##suffix); \
  HEDDLE_SIMD_FOOTPRINT_ENTRY(heddle_simd_footprint_32##suffix); \
  HEDDLE_SIMD_UNORM_ENTRY(heddle_simd_unorm##suffix);            \
  HEDDLE_SIMD_ARRAY_ENTRY(heddle_simd_sample_array##suffix);
// Rows by OperationKind, columns by width.
#define HEDDLE_SIMD_TABLE(suffix)                                                                            \
  {                                                                                                          \
    {                                                                                                        \
      {{heddle_simd_sample_8##suffix, heddle_simd_sample_16##suffix, heddle_simd_sample_32##suffix}},        \
          {{heddle_simd_load_8##suffix, heddle_simd_load_16##suffix, heddle_simd_load_32##suffix}},          \
          {{heddle_simd_gather4_8##suffix, heddle_simd_gather4_16##suffix, heddle_simd_gather4_32##suffix}}, \
          {{heddle_simd_info_8##suffix, heddle_simd_info_16##suffix, heddle_simd_info_32##suffix}},          \
    }                                                                                                        \
  }
#if defined(HEDDLE_SIMD_X86)
extern "C" {
HEDDLE_SIMD_DECLARE(_v3)
HEDDLE_SIMD_DECLARE(_v4)
}
#endif

namespace heddle::texture::simd {
namespace {

using Entry = void (*)(const StaticState*, const DynamicState*, const Inputs*, std::uint32_t, std::uint32_t*, void*);
using Table = std::array<std::array<Entry, 3>, 4>;

constexpr Table kTables[] = {HEDDLE_SIMD_TABLE(),
#if defined(HEDDLE_SIMD_X86)
                             HEDDLE_SIMD_TABLE(_v3), HEDDLE_SIMD_TABLE(_v4)
#endif
};

using FootprintEntry = void (*)(const FootprintStaticState*, const FootprintDynamicState*, const FootprintInputs*,
                                std::uint32_t, std::uint32_t*, void*);
constexpr std::array<FootprintEntry, 3> kFootprintTables[] = {
    {heddle_simd_footprint_8, heddle_simd_footprint_16, heddle_simd_footprint_32},
#if defined(HEDDLE_SIMD_X86)
    {heddle_simd_footprint_8_v3, heddle_simd_footprint_16_v3, heddle_simd_footprint_32_v3},
    {heddle_simd_footprint_8_v4, heddle_simd_footprint_16_v4, heddle_simd_footprint_32_v4},
#endif
};

using UnormEntry = void (*)(const UnormStaticState*, const UnormDynamicState*, const UnormInputs*, std::uint32_t,
                            std::uint32_t*, void*);
constexpr UnormEntry kUnormTable[] = {
    heddle_simd_unorm,
#if defined(HEDDLE_SIMD_X86)
    heddle_simd_unorm_v3,
    heddle_simd_unorm_v4,
#endif
};

using ArrayEntry = std::size_t (*)(const StaticState*, const DynamicState*, const ArrayPlaces*, std::size_t);
constexpr ArrayEntry kArrayTable[] = {
    heddle_simd_sample_array,
#if defined(HEDDLE_SIMD_X86)
    heddle_simd_sample_array_v3,
    heddle_simd_sample_array_v4,
#endif
};

InstructionSet find_target() {
#if defined(HEDDLE_SIMD_X86)
  __builtin_cpu_init();
  const unsigned limit = base::vector_limit();
  if (limit == 2) return InstructionSet::Baseline;
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
                  __builtin_cpu_supports("f16c");
  if (v3 && limit != 3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
    return InstructionSet::V4;
  if (v3) return InstructionSet::V3;
#endif
  return InstructionSet::Baseline;
}

/// Gather instructions are microcode on AMD's processors, and on those of Intel's whose microcode keeps them from being
/// overheard.
bool find_slow_gathers() {
#if defined(HEDDLE_SIMD_X86)
  __builtin_cpu_init();
  if (__builtin_cpu_is("amd")) return true;
  if (!__builtin_cpu_is("intel")) return false;
  std::string state;
  std::getline(std::ifstream("/sys/devices/system/cpu/vulnerabilities/gather_data_sampling"), state);
  return state.starts_with("Mitigation: Microcode");
#else
  return false;
#endif
}

std::atomic<bool>& slow_gathers() {
  static std::atomic<bool> slow = find_slow_gathers();
  return slow;
}

Inputs inputs_of(const LaneRequest& request) {
  Inputs inputs{};
  for (std::size_t p = 0; p < kParamCount; ++p)
    inputs.param[p] = request.params[p] != nullptr ? request.params[p]->data() : nullptr;
  return inputs;
}

}  // namespace

InstructionSet best_instruction_set() {
  static const InstructionSet target = find_target();
  return target;
}

bool gathers_are_slow() { return slow_gathers(); }
void set_gathers_are_slow(bool slow) { slow_gathers() = slow; }

bool has_vbmi() {
#if defined(HEDDLE_SIMD_X86)
  return best_instruction_set() == InstructionSet::V4 && base::vector_limit() == 0 &&
         __builtin_cpu_supports("avx512vbmi");
#else
  return false;
#endif
}

void run_reference(const DynamicState* dynamic_state, const Inputs* inputs, std::uint32_t width, std::uint32_t mask,
                   std::uint32_t* out, void* thread) {
  const auto& prepared = *static_cast<const PreparedOperation*>(dynamic_state->owner);
  LaneRequest request = prepared.request;
  request.simd = width;
  request.active = mask;
  request.params = {};
  std::array<LaneWords, kParamCount> words;
  for (std::size_t p = 0; p < kParamCount; ++p) {
    if (inputs->param[p] == nullptr) continue;
    std::copy_n(inputs->param[p], width, words[p].begin());
    request.set(static_cast<Param>(p), words[p]);
  }
  OperationContext own;
  const LaneResult result = execute(request, thread != nullptr ? *static_cast<OperationContext*>(thread) : own);
  for (std::size_t c = 0; c < 4; ++c) std::copy_n(result.channels[c].begin(), width, out + c * width);
  out[4 * width] = result.null_mask;
}

void run_lanes(const PreparedOperation& prepared, const Inputs& inputs, unsigned width, std::uint32_t mask,
               std::uint32_t* out, OperationContext& context, InstructionSet target) {
  const std::size_t row = std::min(static_cast<std::size_t>(target), std::size(kTables) - 1);
  const std::size_t column = width == 8 ? 0 : width == 16 ? 1 : 2;
  kTables[row][static_cast<std::size_t>(prepared.static_state.family)][column](
      &prepared.static_state, &prepared.dynamic_state, &inputs, mask, out, &context);
}

std::size_t sample_array(const PreparedOperation& prepared, const ArrayPlaces& at, std::size_t count,
                         InstructionSet target) {
  const std::size_t row = std::min(static_cast<std::size_t>(target), std::size(kArrayTable) - 1);
  return kArrayTable[row](&prepared.static_state, &prepared.dynamic_state, &at, count);
}

namespace {

std::size_t texels_of_level(const PreparedOperation& prepared) {
  const Level& level = prepared.dynamic_state.level[0];
  return static_cast<std::size_t>(level.size[0]) * static_cast<std::size_t>(level.size[1]);
}

}  // namespace

std::size_t texels_to_decode(const PreparedOperation& prepared, InstructionSet target) {
  if (!is_fast(prepared) || !prepared.static_state.blocks) return 0;
  PreparedOperation plain = prepared;
  plain.static_state.blocks = 0;
  return sample_array(plain, {}, 0, target) != 0 ? texels_of_level(prepared) : 0;
}

std::unique_ptr<DecodedOperation> make_decoded(const PreparedOperation& prepared) {
  const Level& level = prepared.dynamic_state.level[0];
  std::unique_ptr<std::uint32_t[]> texels(new (std::nothrow) std::uint32_t[texels_of_level(prepared) * 4]);
  if (texels == nullptr) return nullptr;
  auto decoded = std::make_unique<DecodedOperation>(
      DecodedOperation{prepared, std::move(texels), block_rows(prepared.dynamic_state, level)});
  decoded->operation.bind();
  decoded->operation.static_state.blocks = 0;
  DynamicState& dynamic_state = decoded->operation.dynamic_state;
  dynamic_state.memory = reinterpret_cast<const std::uint8_t*>(decoded->texels.get());
  dynamic_state.level[0].offset = 0;
  dynamic_state.level[0].row_pitch = static_cast<std::uint32_t>(level.size[0]) * std::uint32_t{sizeof(image::Texel)};
  return decoded;
}

void decode_rows(const PreparedOperation& prepared, DecodedOperation& decoded, std::size_t first, std::size_t last) {
  decode_block_rows(prepared.dynamic_state, prepared.dynamic_state.level[0], first, last, decoded.texels.get());
}

LaneResult run(const PreparedOperation& prepared, const LaneRequest& request, OperationContext& context,
               InstructionSet target) {
  if (!is_fast(prepared)) {
    LaneRequest whole = prepared.request;
    whole.simd = request.simd;
    whole.active = request.active;
    whole.params = request.params;
    return execute(whole, context);
  }
  const std::size_t width = request.simd;
  const std::uint32_t active = request.active & request.lanes();
  std::array<std::uint32_t, 4 * kMaxLanes + 1> out;
  run_lanes(prepared, inputs_of(request), request.simd, active, out.data(), context, target);
  LaneResult result;
  result.value_class = prepared.value_class;
  for (std::size_t c = 0; c < 4; ++c)
    for (std::size_t lane = 0; lane < width; ++lane)
      result.channels[c][lane] = active >> lane & 1u ? out[c * width + lane] : 0;
  result.null_mask = out[4 * width];
  return result;
}

void query_footprints(const PreparedFootprint& prepared, const FootprintInputs& inputs, unsigned width,
                      std::uint32_t mask, std::uint32_t* out, base::Diagnostics* diagnostics, InstructionSet target) {
  const std::size_t row = std::min(static_cast<std::size_t>(target), std::size(kFootprintTables) - 1);
  kFootprintTables[row][width == 8    ? 0
                        : width == 16 ? 1
                                      : 2](&prepared.static_state, &prepared.dynamic_state, &inputs, mask, out,
                                           diagnostics);
}

void sample_unorm(const PreparedUnorm& prepared, const UnormInputs& inputs, std::uint16_t* out, InstructionSet target) {
  const std::size_t row = std::min(static_cast<std::size_t>(target), std::size(kUnormTable) - 1);
  std::array<std::uint32_t, 64> words{};
  kUnormTable[row](&prepared.static_state, &prepared.dynamic_state, &inputs, ~0u, words.data(), nullptr);
  std::memcpy(out, words.data(), sizeof words);
}

LaneResult run(const PreparedOperation& prepared, const LaneRequest& request, OperationContext& context) {
  return run(prepared, request, context, best_instruction_set());
}

}  // namespace heddle::texture::simd
