// SPDX-License-Identifier: MIT
#pragma once
// SPIR-V shaders to vISA text (issue of the house plan: one machine, so a shader becomes a program that can be read,
// checked and traced).

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/result.hpp"
#include "isa/platform.hpp"
#include "isa/shader_stage.hpp"
#include "spirv/module.hpp"
#include "spirv/validate.hpp"

namespace heddle::base {
class DiskCache;
}

namespace heddle::spirv {

/// A specialization constant's value: as the module's type of constant `id` reads it.
struct Specialization {
  std::uint32_t id = 0;  ///< SpecId
  std::variant<std::int64_t, double, bool> value;
  std::uint32_t constant = 0;  ///< result id: of several constants with the same SpecId this one; 0: all of them
};

/// How a combined image sampler is sampled whose image has planes, or whose colors are converted (SPV-39): each
/// channel comes from a channel of one plane, and what the shader sees are sums of all of them.
/// All members are of 4 bytes, one behind the other: their bytes are what the cache of shaders knows them by.
struct SampledPlanes {
  enum class Filter : std::uint32_t { Nearest, Linear };
  std::uint32_t planes = 0;                               ///< surfaces, 1 to 3; 0: an image as any other
  std::array<std::array<std::uint32_t, 2>, 4> sources{};  ///< plane and channel of R, G, B, A
  std::array<std::uint32_t, 2> halved{};                  ///< x, y: planes but the first have half the texels
  std::array<std::uint32_t, 2> shifted{};                 ///< x, y: planes but the first lie half a texel of that back
  std::array<std::array<float, 5>, 4> rows{};             ///< weights of R, G, B, A, and a constant
  Filter chroma = Filter::Nearest;                        ///< of planes that are halved
  std::uint32_t reconstructed = 0;  ///< 1: halved planes get the first one's size before the sampler filters them
  // The sampler's:
  Filter magnify = Filter::Nearest, minify = Filter::Nearest;
  float bias = 0, least_lod = 0, most_lod = 0;
  friend bool operator==(const SampledPlanes&, const SampledPlanes&) = default;
};

struct CompileOptions {
  std::string entry;  ///< entry point; empty: the only one, or the only one of a stage that can be compiled
  std::optional<isa::ShaderStage> stage;  ///< of the entry point; none: any. Those of several stages may have one name
  isa::Platform platform = isa::Platform::SKL;
  unsigned simd = 16;  ///< 8, 16 or 32
  std::vector<Specialization> specialization;
  bool portable = false;  ///< footprints as plain vISA that every tool accepts, in place of Heddle's own instruction
  bool lenient = false;   ///< accept what producers are known to write (footprint rules R18, R19, R22, R24)
  std::string_view target_env = "vulkan1.3";
  LayoutRules layout;  ///< that blocks may follow
  /// How many predicates a program may declare: above, those whose lives do not touch share one. An instruction can
  /// name 4095; tests ask for fewer.
  std::size_t predicates = 4095;
  std::uint32_t runtime_array = 16;  ///< elements of a descriptor array without a length ...
  /// ... but for these, by set and binding.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> array_lengths;
  /// Of descriptors by set and binding, one for each element.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<SampledPlanes>> planes;
  /// Reads the program back and checks it by all rules of vISA before it is returned. For those who measured what that
  /// costs and compile many shaders in little time.
  bool check_output = true;
  bool sample_shading = false;     ///< a fragment shader runs once for each sample, whatever it reads
  bool alpha_to_coverage = false;  ///< the alpha of location 0 decides about every target
  /// Color targets that there are, a bit for each location: no message is sent to others. Location 0 is always written
  /// with `alpha_to_coverage`, which takes its alpha from there.
  std::uint32_t targets = ~0u;
  bool empty_write = false;  ///< a fragment shader without outputs sends its pixels on, so that depth is written
  /// Called before a shader is translated that the cache does not have: the time for whoever is going to need a
  /// compiler of machine code to open it.
  std::function<void()> translating;
};

struct Compiled {
  std::string text;             ///< .visaasm, complete; docs/spirv-interface.md says what its `heddle:` lines mean
  std::string kernel;           ///< name of the kernel: the entry point's
  bool uses_extension = false;  ///< contains Heddle's footprint instruction, which other tools do not know
};

/// Compiles one entry point. The module is validated first. Everything that is not supported is reported, all of it,
/// with place and reason. Ids: those of `validate`, compile-entry, compile-specialization, compile-unsupported,
/// compile-limit; compile-internal where the program itself breaks a rule of vISA, which is never the module's fault.
[[nodiscard]] base::Result<Compiled> compile(const Module& module, const CompileOptions& options,
                                             base::Diagnostics& warnings);

/// The same answer, taken from `cache` (of kind "shader") where an earlier call of this build left it for the same
/// words and options. Only what compiles without any diagnostic is kept, so all others are found each time.
[[nodiscard]] base::Result<Compiled> compile(const Module& module, const CompileOptions& options,
                                             base::Diagnostics& warnings, const base::DiskCache& cache);

}  // namespace heddle::spirv
