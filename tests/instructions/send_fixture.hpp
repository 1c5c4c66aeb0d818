// SPDX-License-Identifier: MIT
#pragma once
// One run of a raw message beside surfaces, samplers and memory of every kind, and its comparison with the named
// instruction.
#include <fmt/format.h>

#include "engine/harness.hpp"

namespace heddle::engine::testing {

using reference::Outcome;
using Words = std::vector<std::uint32_t>;

inline std::string reports_of(const KernelRun& run) {
  std::string text;
  for (const auto& d : run.diagnostics.all()) text += d.id + " ";
  return text;
}

inline constexpr std::uint32_t kImage = 6, kBuffer = 7, kSampler = 3;
inline constexpr std::uint64_t kFlat = 0x10000;

struct Case {
  std::string name, named, raw;
  std::vector<std::pair<unsigned, std::uint32_t>> header;  ///< dword, value
  isa::Platform platform = isa::Platform::SKL;
  image::Format format = image::Format::R8G8B8A8_UNORM;
  std::string reports = {};
};

/// One run: 16 x 8 texels at index 6, 512 bytes at index 7, 256 bytes at 64-bit address 10000h, local and scratch
/// memory.
struct Fixture {
  std::unique_ptr<KernelRun> run;
  std::shared_ptr<image::Surface> picture = std::make_shared<image::Surface>(),
                                  buffer = std::make_shared<image::Surface>();
  std::vector<std::uint8_t> flat = std::vector<std::uint8_t>(512), scratch = std::vector<std::uint8_t>(512);
  machine::Group group{1, 512};

  explicit Fixture(const std::string& line, const Case& c, std::uint32_t mask = 0xffffu) {
    const std::string text =
        ".decl T5 v_type=T num_elts=1\n.decl T6 v_type=T num_elts=1\n.decl T7 v_type=T num_elts=1\n.decl S0 v_type=S "
        "num_elts=1\n" +
        decl("D", "ud", 128) + decl("H", "ud", 24) + decl("P", "f", 64) + decl("Q", "ud", 64) + decl("O", "ud", 16) +
        decl("A", "uq", 16) + decl("F", "hf", 64) + decl("Z", "uq", 4) + decl("B", "uq", 1) +
        decl("AD", "ud", 32, " alias=<A,0>") + decl("Q2", "ud", 64, " alias=<P,0>") +
        decl("E", "hf", 128, " alias=<D,0>") + ".decl P1 v_type=P num_elts=16\nsetp (M1_NM, 16) P1 0x5a3c:ud\n" + line +
        "\nret (M1, 1)\n";
    run = std::make_unique<KernelRun>(text, c.platform);
    if (!run->ready()) return;
    picture->format = c.format;
    picture->width = 16;
    picture->height = 8;
    EXPECT_TRUE(image::allocate(*picture).ok());
    for (std::size_t i = 0; i < picture->memory->size(); ++i)
      (*picture->memory)[i] = static_cast<std::uint8_t>(37 * i + i / 64);
    buffer->type = image::SurfaceType::Buffer;
    buffer->format = static_cast<image::Format>(0x1ff);
    buffer->structure_size = 1;
    buffer->entries = 512;
    buffer->memory = std::make_shared<image::Memory>(512);
    for (std::size_t i = 0; i < 512; ++i) {
      (*buffer->memory)[i] = static_cast<std::uint8_t>(i * 7);
      flat[i] = static_cast<std::uint8_t>(i * 11 + 1);
      group.slm[i] = static_cast<std::uint8_t>(i * 5 + 2);
      scratch[i] = static_cast<std::uint8_t>(i * 3 + 3);
    }
    auto sampler = std::make_shared<image::Sampler>();
    sampler->min_filter = sampler->mag_filter = image::Filter::Linear;
    run->bindings.surfaces.resize(8);
    run->bindings.surfaces[kImage] = picture;
    run->bindings.surfaces[kBuffer] = buffer;
    run->bindings.samplers.resize(4);
    run->bindings.samplers[kSampler] = sampler;
    run->bindings.surface_variables = {{6, {kImage - 1}}, {7, {kImage}}, {8, {kBuffer}}};
    run->bindings.sampler_variables = {{0, {kSampler}}};
    EXPECT_TRUE(run->bindings.memory.add({kFlat, 512, flat.data(), nullptr, "flat"}));
    run->setup.group = &group;
    run->setup.scratch = scratch;
    run->start(mask);
    Words header(24);
    for (const auto& [at, value] : c.header) header[at] = value;
    std::vector<float> p(64);
    Words q(64), o(16);
    std::vector<std::uint64_t> a(16);
    std::vector<std::uint16_t> f(64);
    for (unsigned i = 0; i < 64; ++i) {
      p[i] = static_cast<float>((i * 13) % 29) / 23.0f;
      q[i] = (i * 5) % 8;
      f[i] = static_cast<std::uint16_t>(0x3000 + 97 * i);
    }
    for (unsigned i = 0; i < 16; ++i) {
      o[i] = 4 * ((i * 7) % 23);
      a[i] = kFlat + 8 * ((i * 5) % 17);
    }
    run->set("Z", std::vector<std::uint64_t>(4))
        .set("B", std::vector<std::uint64_t>{kFlat})
        .set("D", Words(128, 0x77777777u))
        .set("H", header)
        .set("P", p)
        .set("Q", q)
        .set("O", o)
        .set("A", a)
        .set("F", f);
  }
};

inline void expect_same(const Case& c, std::uint32_t mask) {
  SCOPED_TRACE(c.name + fmt::format(", lanes {:x}", mask));
  Fixture named(c.named, c, mask), raw(c.raw, c, mask);
  ASSERT_TRUE(named.run->ready() && raw.run->ready());
  ASSERT_EQ(named.run->go(), Outcome::Finished) << reports_of(*named.run);
  ASSERT_EQ(raw.run->go(), Outcome::Finished) << reports_of(*raw.run);
  EXPECT_EQ(reports_of(*raw.run), reports_of(*named.run));
  EXPECT_EQ(reports_of(*raw.run), c.reports);
  EXPECT_EQ(raw.run->get<std::uint32_t>("D", 128), named.run->get<std::uint32_t>("D", 128));
  EXPECT_EQ(*raw.picture->memory, *named.picture->memory);
  EXPECT_EQ(*raw.buffer->memory, *named.buffer->memory);
  EXPECT_EQ(raw.flat, named.flat);
  EXPECT_EQ(raw.group.slm, named.group.slm);
  EXPECT_EQ(raw.scratch, named.scratch);
}

struct Refusal {
  const char* line;
  const char* says;
};

}  // namespace heddle::engine::testing
