// SPDX-License-Identifier: MIT
// Media blocks: rows that lie whole in memory are copied at once, others go byte by byte. Programs of the fast engine
// (which calls the same function, with what it keeps in registers put back), the reference engine, and the reference
// engine while somebody watches every byte leave the same.
#include <random>

#include <fmt/format.h>

#include "engine/bindings.hpp"
#include "engine/jit_harness.hpp"

namespace heddle::engine::testing {
namespace {

constexpr unsigned kWidth = 40, kHeight = 12;  // in texels

struct Block {
  unsigned width, height;
  const char* field;
};
constexpr Block kBlocks[] = {{16, 4, "nomod"}, {6, 3, "nomod"}, {64, 4, "nomod"}, {8, 8, "top"}, {12, 5, "bottom"}};

/// One block at (x, y) is read, another written there.
std::string kernel_of(const Block& b) {
  return decl("X", "d", 8) + decl("D", "ub", 512) + decl("E", "ub", 512) +
         ".decl T6 v_type=T num_elts=1\n.input X offset=32 size=32\n.input D offset=64 size=512\n"
         ".input E offset=576 size=512\n" +
         fmt::format("media_ld.{} ({},{}) T6 X(0,0)<0;1,0> X(0,1)<0;1,0> D.0\n", b.field, b.width, b.height) +
         fmt::format("media_st.{} ({},{}) T6 X(0,2)<0;1,0> X(0,3)<0;1,0> E.0\nret (M1, 1)\n", b.field, b.width,
                     b.height);
}

/// `missing`: bytes that the surface's memory lacks at its end; it keeps a tenth of them in any case.
std::shared_ptr<image::Surface> surface_of(const std::string& format, unsigned missing) {
  std::mt19937 random(3);
  auto surface = texture_of(format, kWidth, kHeight, random);
  const std::size_t size = surface->memory->size();
  surface->memory->resize(std::max(size - std::min<std::size_t>(size, missing), size / 10));
  return surface;
}

using Bytes = std::vector<std::uint8_t>;

std::pair<Bytes, Bytes> run_reference(const Block& block, const std::shared_ptr<image::Surface>& surface,
                                      const Bytes& payload, machine::Observer* observer) {
  KernelRun run(kernel_of(block), isa::Platform::SKL, machine::CheckMode::Off);
  run.bindings.surfaces = {surface};
  run.bindings.surface_variables[6] = {0};
  std::ranges::copy(payload, run.payload.begin());
  run.setup.observer = observer;
  run.start(1);
  EXPECT_EQ(run.go(), reference::Outcome::Finished);
  return {run.get<std::uint8_t>("D", 512), surface->memory->copy()};
}

TEST(JitMedia, RowsOfBlocks) {
  class : public machine::Observer {
    void texel(const texture::TexelTouch&) override { ++texels; }

   public:
    unsigned texels = 0;
  } everything;
  for (const char* format : {"R8_UNORM", "R8G8B8A8_UNORM", "R16_UINT"})
    for (const unsigned missing : {0u, 1u, 77u, 600u})
      for (const Block& block : kBlocks) {
        BothEngines both(kernel_of(block));
        const auto surface = surface_of(format, missing);
        both.bindings.surfaces = {surface};
        both.bindings.surface_variables[6] = {0};
        const int columns = static_cast<int>(kWidth * surface->info().bytes_per_element()),
                  width = static_cast<int>(block.width), height = static_cast<int>(block.height);
        const std::pair<int, int> places[] = {{0, 0},
                                              {4, 2},
                                              {columns - width, static_cast<int>(kHeight) - height},  // whole
                                              {-3, 1},
                                              {columns - 5, 0},
                                              {columns - width + 1, 3},
                                              {2, -2},
                                              {8, static_cast<int>(kHeight) - 1},  // partly
                                              {-100, 2},
                                              {columns, 0},
                                              {0, 1000},
                                              {1 << 30, -(1 << 30)}};  // not at all
        unsigned n = 0;
        for (const auto& [x, y] : places) {
          const auto& [to_x, to_y] = places[(n++ * 5 + 3) % std::size(places)];
          SCOPED_TRACE(fmt::format("{}, {} bytes missing, {} x {} {}, from ({}, {}) to ({}, {})", format, missing,
                                   block.width, block.height, block.field, x, y, to_x, to_y));
          const std::int32_t at[] = {x, y, to_x, to_y};
          std::memcpy(both.payload.data() + 32, at, sizeof at);
          for (unsigned k = 64; k < 1088; ++k) both.payload[k] = static_cast<std::uint8_t>(k * 37 + n);
          const Bytes payload(both.payload.begin(), both.payload.begin() + 1088);
          const auto plain = run_reference(block, surface_of(format, missing), payload, nullptr);
          EXPECT_EQ(run_reference(block, surface_of(format, missing), payload, &everything), plain);
          if (!jit::has_compiler()) continue;
          *surface->memory = *surface_of(format, missing)->memory;
          EXPECT_TRUE(both.agree(8, 0xff));
          EXPECT_EQ(*surface->memory, plain.second);
          if (::testing::Test::HasFailure()) return;
        }
      }
  EXPECT_GT(everything.texels, 10000u);
}

}  // namespace
}  // namespace heddle::engine::testing
