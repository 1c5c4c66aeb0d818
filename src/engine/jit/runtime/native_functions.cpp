// SPDX-License-Identifier: MIT
#include "engine/jit/runtime/native_functions.hpp"

#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>

#include "render_target/simd/state.hpp"
#include "texture/simd/footprint_state.hpp"
#include "texture/simd/state.hpp"
#include "texture/simd/typed_state.hpp"
#include "texture/simd/unorm_state.hpp"

#if defined(__x86_64__) || defined(__aarch64__)
// F(declaration, entry point) for each.
#define HEDDLE_KERNELS_OF(F, set)                               \
  F(HEDDLE_SIMD_ENTRY, heddle_simd_sample_8##set)               \
  F(HEDDLE_SIMD_ENTRY, heddle_simd_sample_16##set)              \
  F(HEDDLE_SIMD_ENTRY, heddle_simd_sample_32##set)              \
  F(HEDDLE_SIMD_ENTRY, heddle_simd_gather4_8##set)              \
  F(HEDDLE_SIMD_ENTRY, heddle_simd_gather4_16##set)             \
  F(HEDDLE_SIMD_ENTRY, heddle_simd_gather4_32##set)             \
  F(HEDDLE_SIMD_ENTRY, heddle_simd_load_8##set)                 \
  F(HEDDLE_SIMD_ENTRY, heddle_simd_load_16##set)                \
  F(HEDDLE_SIMD_ENTRY, heddle_simd_load_32##set)                \
  F(HEDDLE_SIMD_ENTRY, heddle_simd_info_8##set)                 \
  F(HEDDLE_SIMD_ENTRY, heddle_simd_info_16##set)                \
  F(HEDDLE_SIMD_ENTRY, heddle_simd_info_32##set)                \
  F(HEDDLE_SIMD_FOOTPRINT_ENTRY, heddle_simd_footprint_8##set)  \
  F(HEDDLE_SIMD_FOOTPRINT_ENTRY, heddle_simd_footprint_16##set) \
  F(HEDDLE_SIMD_FOOTPRINT_ENTRY, heddle_simd_footprint_32##set) \
  F(HEDDLE_SIMD_TYPED_ENTRY, heddle_simd_typed_write_8##set)    \
  F(HEDDLE_SIMD_TYPED_ENTRY, heddle_simd_typed_write_16##set)   \
  F(HEDDLE_SIMD_TYPED_ENTRY, heddle_simd_typed_write_32##set)   \
  F(HEDDLE_SIMD_UNORM_ENTRY, heddle_simd_unorm##set)            \
  F(HEDDLE_SIMD_TARGET_ENTRY, heddle_simd_rt_write_8##set)      \
  F(HEDDLE_SIMD_TARGET_ENTRY, heddle_simd_rt_write_16##set)
#if defined(__x86_64__)
#define HEDDLE_KERNELS(F) HEDDLE_KERNELS_OF(F, _v3) HEDDLE_KERNELS_OF(F, _v4)
#else
#define HEDDLE_KERNELS(F) HEDDLE_KERNELS_OF(F, )
#endif
#define HEDDLE_DECLARE(entry, name) entry(name);
#define HEDDLE_NAMED(entry, name) NamedKernel{#name, reinterpret_cast<void*>(&(name))},

extern "C" {
HEDDLE_KERNELS(HEDDLE_DECLARE)
}

namespace heddle::engine::jit {
namespace {
struct NamedKernel {
  std::string_view name;
  void* address;
};
/// Of MessageCall::kernels; arm64 has one.
#if defined(__x86_64__)
constexpr std::string_view kSets[] = {"_v3", "_v4"};
#else
constexpr std::string_view kSets[] = {""};
#endif

/// "heddle_simd_sample_16_v4" and so on: entry point, lanes, instruction set (v3: AVX2, v4: AVX-512; that of arm64 has
/// no name). Null: there is none.
void* native_function(std::string_view name) {
  static const std::array kernels{HEDDLE_KERNELS(HEDDLE_NAMED) NamedKernel{}};
  static const auto table = [] {
    std::unordered_map<std::string_view, void*> all;
    for (const NamedKernel& k : kernels) all.emplace(k.name, k.address);
    return all;
  }();
  const auto found = table.find(name);
  return found != table.end() ? found->second : nullptr;
}
}  // namespace

machine::jit::MessageCall call_of(const machine::jit::PreparedMessage* message, bool apart) {
  machine::jit::MessageCall call;
  if (message == nullptr) return call;
  const machine::jit::PreparedMessage::Function kernel = apart ? message->apart_function() : message->function();
  call.dynamic_state = message->dynamic_state();
  call.static_state = kernel.static_state.data();
  if (kernel.entry.empty()) return call;
  call.state = machine::jit::state_number(kernel.entry, kernel.static_state);
  std::string name;
  for (unsigned set = 0; set < std::size(kSets); ++set)
    call.kernels[set] = native_function(name.assign(kernel.entry) += kSets[set]);
  return call;
}
}  // namespace heddle::engine::jit

#else

namespace heddle::engine::jit {
machine::jit::MessageCall call_of(const machine::jit::PreparedMessage*, bool) { return {}; }
}  // namespace heddle::engine::jit

#endif
