// Requests through the kernels of the machine at hand.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <fstream>
#include <string>

#include "base/half.hpp"
#include "unit/lanes/footprint_lanes.hpp"
#include "unit/lanes/target_lanes.hpp"
#include "unit/lanes/unorm_lanes.hpp"

#define HEDDLE_LANES_DECLARE(suffix)                               \
  HEDDLE_LANES_ENTRY(heddle_lanes_sample_8##suffix);               \
  HEDDLE_LANES_ENTRY(heddle_lanes_sample_16##suffix);              \
  HEDDLE_LANES_ENTRY(heddle_lanes_sample_32##suffix);              \
  HEDDLE_LANES_ENTRY(heddle_lanes_gather4_8##suffix);              \
  HEDDLE_LANES_ENTRY(heddle_lanes_gather4_16##suffix);             \
  HEDDLE_LANES_ENTRY(heddle_lanes_gather4_32##suffix);             \
  HEDDLE_LANES_ENTRY(heddle_lanes_load_8##suffix);                 \
  HEDDLE_LANES_ENTRY(heddle_lanes_load_16##suffix);                \
  HEDDLE_LANES_ENTRY(heddle_lanes_load_32##suffix);                \
  HEDDLE_LANES_ENTRY(heddle_lanes_info_8##suffix);                 \
  HEDDLE_LANES_ENTRY(heddle_lanes_info_16##suffix);                \
  HEDDLE_LANES_ENTRY(heddle_lanes_info_32##suffix);                \
  HEDDLE_LANES_TARGET_ENTRY(heddle_lanes_rt_write_8##suffix);      \
  HEDDLE_LANES_TARGET_ENTRY(heddle_lanes_rt_write_16##suffix);     \
  HEDDLE_LANES_FOOTPRINT_ENTRY(heddle_lanes_footprint_8##suffix);  \
  HEDDLE_LANES_FOOTPRINT_ENTRY(heddle_lanes_footprint_16##suffix); \
  HEDDLE_LANES_FOOTPRINT_ENTRY(heddle_lanes_footprint_32##suffix); \
  HEDDLE_LANES_UNORM_ENTRY(heddle_lanes_unorm##suffix);
// Rows by Family, columns by width.
#define HEDDLE_LANES_TABLE(suffix)                                                                              \
  {                                                                                                             \
    {                                                                                                           \
      {{heddle_lanes_sample_8##suffix, heddle_lanes_sample_16##suffix, heddle_lanes_sample_32##suffix}},        \
          {{heddle_lanes_load_8##suffix, heddle_lanes_load_16##suffix, heddle_lanes_load_32##suffix}},          \
          {{heddle_lanes_gather4_8##suffix, heddle_lanes_gather4_16##suffix, heddle_lanes_gather4_32##suffix}}, \
          {{heddle_lanes_info_8##suffix, heddle_lanes_info_16##suffix, heddle_lanes_info_32##suffix}},          \
    }                                                                                                           \
  }
#if defined(HEDDLE_LANES_X86)
extern "C" {
HEDDLE_LANES_DECLARE(_v3)
HEDDLE_LANES_DECLARE(_v4)
}
#endif

namespace heddle::unit::lanes {
namespace {

using Entry = void (*)(const Fixed*, const Varying*, const Inputs*, std::uint32_t, std::uint32_t*, void*);
using Table = std::array<std::array<Entry, 3>, 4>;

constexpr Table kTables[] = {HEDDLE_LANES_TABLE(),
#if defined(HEDDLE_LANES_X86)
                             HEDDLE_LANES_TABLE(_v3), HEDDLE_LANES_TABLE(_v4)
#endif
};

using TargetEntry = void (*)(const TargetFixed*, const TargetVarying*, const TargetInputs*, std::uint32_t, void*);
constexpr std::array<TargetEntry, 2> kTargetTables[] = {
    {heddle_lanes_rt_write_8, heddle_lanes_rt_write_16},
#if defined(HEDDLE_LANES_X86)
    {heddle_lanes_rt_write_8_v3, heddle_lanes_rt_write_16_v3},
    {heddle_lanes_rt_write_8_v4, heddle_lanes_rt_write_16_v4},
#endif
};

using FootprintEntry = void (*)(const FootprintFixed*, const FootprintVarying*, const FootprintInputs*, std::uint32_t,
                                std::uint32_t*, void*);
constexpr std::array<FootprintEntry, 3> kFootprintTables[] = {
    {heddle_lanes_footprint_8, heddle_lanes_footprint_16, heddle_lanes_footprint_32},
#if defined(HEDDLE_LANES_X86)
    {heddle_lanes_footprint_8_v3, heddle_lanes_footprint_16_v3, heddle_lanes_footprint_32_v3},
    {heddle_lanes_footprint_8_v4, heddle_lanes_footprint_16_v4, heddle_lanes_footprint_32_v4},
#endif
};

using UnormEntry = void (*)(const UnormFixed*, const UnormVarying*, const UnormInputs*, std::uint32_t, std::uint32_t*,
                            void*);
constexpr UnormEntry kUnormTable[] = {
    heddle_lanes_unorm,
#if defined(HEDDLE_LANES_X86)
    heddle_lanes_unorm_v3,
    heddle_lanes_unorm_v4,
#endif
};

Target find_target() {
#if defined(HEDDLE_LANES_X86)
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
                  __builtin_cpu_supports("f16c");
  if (v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
    return Target::V4;
  if (v3) return Target::V3;
#endif
  return Target::Baseline;
}

/// Gather instructions are microcode on AMD's processors, and on those of Intel's whose microcode keeps them from being
/// overheard.
bool find_slow_gathers() {
#if defined(HEDDLE_LANES_X86)
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

Target best_target() {
  static const Target target = find_target();
  return target;
}

bool gathers_are_slow() { return slow_gathers(); }
void set_gathers_are_slow(bool slow) { slow_gathers() = slow; }

bool has_vbmi() {
#if defined(HEDDLE_LANES_X86)
  return best_target() == Target::V4 && __builtin_cpu_supports("avx512vbmi");
#else
  return false;
#endif
}

void run_reference(const Varying* varying, const Inputs* inputs, std::uint32_t width, std::uint32_t mask,
                   std::uint32_t* out, void* thread) {
  const auto& prepared = *static_cast<const Prepared*>(varying->owner);
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
  Context own;
  const LaneResult result = execute(request, thread != nullptr ? *static_cast<Context*>(thread) : own);
  for (std::size_t c = 0; c < 4; ++c) std::copy_n(result.channels[c].begin(), width, out + c * width);
  out[4 * width] = result.null_mask;
}

void run_lanes(const Prepared& prepared, const Inputs& inputs, unsigned width, std::uint32_t mask, std::uint32_t* out,
               Context& context, Target target) {
  const std::size_t row = std::min(static_cast<std::size_t>(target), std::size(kTables) - 1);
  const std::size_t column = width == 8 ? 0 : width == 16 ? 1 : 2;
  kTables[row][static_cast<std::size_t>(prepared.fixed.family)][column](&prepared.fixed, &prepared.varying, &inputs,
                                                                        mask, out, &context);
}

LaneResult run(const Prepared& prepared, const LaneRequest& request, Context& context, Target target) {
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
                      std::uint32_t mask, std::uint32_t* out, base::Diagnostics* diagnostics, Target target) {
  const std::size_t row = std::min(static_cast<std::size_t>(target), std::size(kFootprintTables) - 1);
  kFootprintTables[row][width == 8    ? 0
                        : width == 16 ? 1
                                      : 2](&prepared.fixed, &prepared.varying, &inputs, mask, out, diagnostics);
}

void sample_unorm(const PreparedUnorm& prepared, const UnormInputs& inputs, std::uint16_t* out, Target target) {
  const std::size_t row = std::min(static_cast<std::size_t>(target), std::size(kUnormTable) - 1);
  std::array<std::uint32_t, 64> words{};
  kUnormTable[row](&prepared.fixed, &prepared.varying, &inputs, ~0u, words.data(), nullptr);
  std::memcpy(out, words.data(), sizeof words);
}

void write(const PreparedTarget& prepared, const RenderTargetMessage& m, Context& context, Target target) {
  const auto words = [](const std::optional<SlotWords>& slots) { return slots ? slots->data() : nullptr; };
  std::array<std::uint32_t, 16> depths{};
  for (std::size_t k = 0; k < depths.size(); ++k) depths[k] = base::bits_of(m.frag_depth[k]);
  TargetInputs in{};
  in.color[0] = words(m.r);
  in.color[1] = words(m.g);
  in.color[2] = words(m.b);
  in.color[3] = words(m.a);
  in.s0a = words(m.s0a);
  in.omask = words(m.omask);
  in.stencil = words(m.stencil);
  in.z = m.z ? m.z->data() : depths.data();
  in.sample_mask = m.sample_mask.data();
  for (std::size_t k = 0; k < 4; ++k) in.places[k] = (m.header.x[k] & 0xffffu) | m.header.y[k] << 16;
  in.enables = m.header.enables;
  in.array_index = m.header.array_index;
  in.back = m.header.back;
  in.viewport = m.header.viewport;
  in.sspi = m.header.sspi;
  if (!is_fast(prepared)) return write_reference(&prepared.varying, &in, m.simd, m.active, &context);
  const std::size_t row = std::min(static_cast<std::size_t>(target), std::size(kTargetTables) - 1);
  kTargetTables[row][m.simd == 8 ? 0 : 1](&prepared.fixed, &prepared.varying, &in, m.active, &context);
}

void write(const PreparedTarget& prepared, const RenderTargetMessage& message, Context& context) {
  write(prepared, message, context, best_target());
}

LaneResult run(const Prepared& prepared, const LaneRequest& request, Context& context) {
  return run(prepared, request, context, best_target());
}

}  // namespace heddle::unit::lanes
