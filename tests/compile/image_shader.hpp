// SPDX-License-Identifier: MIT
#pragma once
// Shaders of one image instruction each: 32 invocations read their operands from a buffer, and write the instruction's
// results to another. The same surface and sampler go to the texture unit itself, whose results are what is expected.

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "job/resources.hpp"
#include "shader.hpp"
#include "texture/request.hpp"

namespace heddle::test {

inline constexpr unsigned kInvocations = 32;

/// What each invocation reads: P coordinates, E further operands, X and Y gradients.
struct Operands {
  std::array<float, 4> p{}, e{}, x{}, y{};
};

/// A shader in pieces of SPIR-V assembly. In `body` there are for each invocation: %lane (uint); %P %E %X %Y (v4float)
/// and their first components %P1 (float) to %P4, %X1 ..., %Y1 ...; %E_0 to %E_3; %I1 to %I4 (P as int), %EI_0 to %EI_3
/// (E as int), %U_0 (E_0 as uint); %image, the loaded variable, and %bare, its image without sampler.
struct ImageShader {
  std::string dim = "2D", texel = "float", format = "Unknown";
  bool arrayed = false, multisampled = false, storage = false;
  bool quads = true;  ///< implicit derivatives: each four invocations are a quad
  std::string capabilities, extensions, types, globals, body;  ///< types: before the image's
  std::string target_env = "vulkan1.3";
  std::vector<std::pair<std::string, std::string>> results;  ///< id and type (float, int, uint) of what is written
  bool lane_offsets = false;                                 ///< not on platforms without sample4_po
  unsigned elements = 0;                                     ///< not 0: %tex is an array, %index (int) chooses
  std::string index = "EI_3";

  [[nodiscard]] unsigned axes() const { return dim == "1D" || dim == "Buffer" ? 1 : dim == "2D" ? 2 : 3; }
  [[nodiscard]] unsigned coordinates() const { return axes() + (arrayed ? 1u : 0u); }
  [[nodiscard]] std::string text() const;
};

/// The words of a job for one image and sampler at binding 0.
struct ImageJob {
  std::string image, sampler;
  std::vector<std::string> more;  ///< images of the other elements of an array
};

/// An image of random bytes.
struct Picture {
  std::string dim = "2D", format = "R8G8B8A8_UNORM";
  bool array = false;
  unsigned width = 16, height = 8, depth = 1, layers = 1, levels = 1, samples = 1;
  unsigned texel_bytes = 4, seed = 1;
  std::string more;  ///< further members
};
/// The job's words for it; its texels are in a file of a temporary folder that lives as long as the program.
[[nodiscard]] std::string image_words(const Picture& picture);

/// Results, [invocation][result]; empty after a failure, which is reported.
using Words = std::vector<std::vector<std::uint32_t>>;
[[nodiscard]] Words run_image_shader(const ImageShader& shader, const ImageJob& job,
                                     const std::vector<Operands>& operands, spirv::CompileOptions options,
                                     std::string* saved_image = nullptr);
/// The job's resources as the run has them.
struct Bound {
  job::Job job;
  job::Resources resources;
  [[nodiscard]] const image::Surface& surface(unsigned element = 0) const {
    return *resources.images.at(element).surface;
  }
  [[nodiscard]] image::Sampler sampler() const {
    return resources.samplers.empty() ? image::Sampler{} : *resources.samplers[0].vulkan_sampler;
  }
};
[[nodiscard]] Bound bind_images(const ImageJob& job);

/// One operation of the texture unit over all invocations.
using Value = std::function<std::uint32_t(const Operands&)>;
[[nodiscard]] Value real(std::function<float(const Operands&)> f);
[[nodiscard]] Value integer(std::function<std::int32_t(const Operands&)> f);
struct UnitCall {
  texture::Op op = texture::Op::Sample;
  std::vector<std::pair<texture::Param, Value>> params;
  std::array<std::int32_t, 3> offset{};
  unsigned channel = 0;
  std::vector<unsigned> take{0, 1, 2, 3};  ///< channels that are compared
  bool null_mask = false;                  ///< residency (1 or 0) comes first in the results
};
[[nodiscard]] Words call_unit(const UnitCall& call, const image::Surface& surface, const image::Sampler& sampler,
                              const std::vector<Operands>& operands);

/// Random operands: coordinates a little outside [0, 1], array indices up to 4, small gradients.
[[nodiscard]] std::vector<Operands> random_operands(unsigned seed);

/// Runs at every width and compares with the unit.
void expect_like_unit(const ImageShader& shader, const ImageJob& job, const std::vector<Operands>& operands,
                      const UnitCall& call);
void expect_words(const ImageShader& shader, const ImageJob& job, const std::vector<Operands>& operands,
                  const Words& expected);

}  // namespace heddle::test
