// SPDX-License-Identifier: MIT
#pragma once
// Programs of pipeline/ that are written as text, and what they are bound to; for tests and benchmarks. What cannot be
// made throws: a test fails, a benchmark ends.

#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "image/surface.hpp"
#include "pipeline/program.hpp"
#include "text/text.hpp"

namespace heddle::test {

inline constexpr std::uint32_t kArgument = 128;  ///< of push constants in the payload

/// A pixel kernel: every pixel gets the push constant.
inline constexpr const char* kOneColor = R"(.version 4.1
.kernel "p"
.decl push v_type=G type=f num_elts=8 align=GRF
.decl a v_type=G type=f num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1
.input push offset=128 size=32
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "main"
main:
    mov (M1, 16) a(0,0)<1> push(0,0)<0;1,0>
    rt_write_3d.<LRTW> (M1, 16) T6 %null.0 a.0 a.0 a.0 a.0
    ret (M1, 1)
)";

/// The first kernel of the text.
[[nodiscard]] inline std::shared_ptr<const pipeline::Program> program_of(const std::string& source) {
  base::Diagnostics problems;
  auto parsed = text::parse(source, "test.visaasm", {.platform = isa::Platform::SKL}, problems);
  if (!parsed) throw std::runtime_error(base::render(problems, {}, false));
  auto program = std::make_shared<const isa::Program>(std::move(*parsed));
  auto made = pipeline::Program::create(program, program->objects.front(), isa::Platform::SKL);
  if (!made.ok()) throw std::runtime_error(made.diagnostics().front().message);
  return *made;
}

[[nodiscard]] inline std::shared_ptr<image::Surface> allocated(std::shared_ptr<image::Surface> surface) {
  if (!image::allocate(*surface).ok()) throw std::runtime_error("a surface cannot be allocated");
  return surface;
}

/// A square image of zeros.
[[nodiscard]] inline std::shared_ptr<image::Surface> image_of(std::string_view format, std::uint32_t size,
                                                              std::uint32_t samples = 1) {
  auto surface = std::make_shared<image::Surface>();
  surface->format = image::find_format(format)->format;
  surface->width = surface->height = size;
  surface->samples = samples;
  return allocated(std::move(surface));
}

[[nodiscard]] inline std::shared_ptr<image::Surface> buffer_of(std::uint32_t bytes) {
  auto surface = std::make_shared<image::Surface>();
  surface->type = image::SurfaceType::Buffer;
  surface->format = image::find_format("RAW")->format;
  surface->entries = bytes;
  return allocated(std::move(surface));
}

inline void set_push(std::vector<std::uint8_t>& payload, float value) {
  std::memcpy(payload.data() + kArgument, &value, sizeof value);
}

}  // namespace heddle::test
