// SPDX-License-Identifier: MIT
// Instructions of older and newer tools: legacy sampler forms, media planes, LSC arguments, render target reads; and
// every instruction that is refused says why.
#include <fmt/format.h>

#include "engine/harness.hpp"
#include "instructions/reference.hpp"
#include "instructions/registry.hpp"
#include "machine/pixels.hpp"

namespace heddle::engine::testing {
namespace {

using reference::Outcome;

const std::string kState = ".decl T6 v_type=T num_elts=1\n.decl S0 v_type=S num_elts=1\n";

std::shared_ptr<image::Surface> picture(image::Format format = image::Format::R8G8B8A8_UNORM) {
  auto surface = std::make_shared<image::Surface>();
  surface->format = format;
  surface->width = 8;
  surface->height = 8;
  EXPECT_TRUE(image::allocate(*surface).ok());
  for (std::size_t i = 0; i < surface->memory->size(); ++i)
    (*surface->memory)[i] = static_cast<std::uint8_t>(29 * i + i / 16);
  return surface;
}

void bind(KernelRun& run) {
  run.bindings.surfaces = {picture()};
  run.bindings.samplers = {std::make_shared<image::Sampler>()};
  run.bindings.surface_variables[6] = {0};
  run.bindings.sampler_variables[0] = {0};
}

std::vector<std::uint32_t> run_sampler(const std::string& line, std::uint32_t mask) {
  KernelRun run(kState + decl("U", "f", 16) + decl("V", "f", 16) + decl("R", "f", 16) + decl("X", "ud", 16) +
                decl("Y", "ud", 16) + decl("Z", "ud", 16) + decl("D", "ud", 64) + line + "\nret (M1, 1)\n");
  EXPECT_TRUE(run.ready());
  bind(run);
  run.start(mask);
  std::vector<float> u(16), v(16);
  std::vector<std::uint32_t> x(16), y(16);
  for (unsigned k = 0; k < 16; ++k) {
    u[k] = static_cast<float>((5 * k) % 16) / 16;
    v[k] = static_cast<float>((3 * k) % 16) / 16;
    x[k] = (3 * k) % 8;
    y[k] = (5 * k) % 8;
  }
  run.set("U", u).set("V", v).set("R", std::vector<float>(16)).set("X", x).set("Y", y);
  run.set("Z", std::vector<std::uint32_t>(16)).set("D", std::vector<std::uint32_t>(64, 7));
  EXPECT_EQ(run.go(), Outcome::Finished);
  return run.get<std::uint32_t>("D", 64);
}

/// Opcodes 40 and 42 are the messages that GenX_IR makes of them: plain sample and ld, lanes of the execution mask.
TEST(Legacy, SamplerForms) {
  for (const std::uint32_t mask : {0xffffu, 0x6a9cu}) {
    EXPECT_EQ(run_sampler("sample.RGBA (16) S0 T6 U.0 V.0 R.0 D.0", mask),
              run_sampler("sample_3d.RGBA (M1, 16) 0x0:uw S0 T6 D.0 U.0 V.0 R.0", mask));
    EXPECT_EQ(run_sampler("sample.GA (8) S0 T6 U.0 V.0 R.0 D.0", mask),
              run_sampler("sample_3d.GA (M1, 8) 0x0:uw S0 T6 D.0 U.0 V.0 R.0", mask));
    EXPECT_EQ(run_sampler("load.RG (16) T6 X.0 Y.0 Z.0 D.0", mask),
              run_sampler("load_3d.RG (M1, 16) 0x0:uw T6 D.0 X.0 Y.0 Z.0 Z.0", mask));
  }
}

/// Plane n is the surface n entries behind.
TEST(Legacy, MediaPlanes) {
  const auto run_plane = [](unsigned plane, const char* index) {
    KernelRun run(
        kState + decl("D", "ud", 16) +
        fmt::format("movs (M1_NM, 1) T6(0) {}:ud\nmedia_ld.nomod (8,4) T6 {} 0x4:ud 0x1:ud D.0\nret (M1, 1)\n", index,
                    plane == 0 ? "" : std::to_string(plane)));
    EXPECT_TRUE(run.ready());
    run.bindings.surfaces = {picture(), picture(), picture(image::Format::R8_UNORM)};
    (*run.bindings.surfaces[1]->memory)[4 + 32] = 200;
    run.start().set("D", std::vector<std::uint32_t>(16));
    EXPECT_EQ(run.go(), Outcome::Finished);
    return run.get<std::uint32_t>("D", 8);
  };
  EXPECT_EQ(run_plane(1, "0x0"), run_plane(0, "0x1"));
  EXPECT_EQ(run_plane(1, "0x1"), run_plane(0, "0x2"));
  EXPECT_NE(run_plane(1, "0x0"), run_plane(0, "0x0"));
  KernelRun unbound(kState + decl("D", "ud", 16) + "media_ld.nomod (8,4) T6 3 0x4:ud 0x1:ud D.0\nret (M1, 1)\n");
  ASSERT_TRUE(unbound.ready());
  bind(unbound);
  EXPECT_EQ(unbound.go(), Outcome::Failed);
  EXPECT_EQ(unbound.ids().front(), "run-binding-missing");
}

TEST(Legacy, LscArguments) {
  KernelRun run(decl("O", "ud", 8) + decl("D", "ud", 8) + "lsc_load.ugm (M1, 8) D:d32 arg[O]:a32\nret (M1, 1)\n",
                isa::Platform::DG2);
  ASSERT_TRUE(run.ready());
  run.payload.assign(256, 0);
  for (unsigned i = 0; i < 64; ++i) std::memcpy(run.payload.data() + 4 * i, &i, 4);
  run.setup.arguments = 128;
  run.start(0xff).set<std::uint32_t>("O", {0, 4, 8, 12, 28, 24, 20, 124});
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.get<std::uint32_t>("D", 8), (std::vector<std::uint32_t>{32, 33, 34, 35, 39, 38, 37, 63}));
  EXPECT_TRUE(run.diagnostics.empty());

  KernelRun beyond(decl("O", "ud", 8) + decl("D", "ud", 8) + "lsc_load.ugm (M1, 1) D:d32 arg[O]:a32\nret (M1, 1)\n",
                   isa::Platform::DG2);
  ASSERT_TRUE(beyond.ready());
  beyond.payload.assign(64, 1);
  beyond.start().set<std::uint32_t>("O", {64});
  beyond.go();
  EXPECT_EQ(beyond.ids().front(), "run-surface-bounds");

  KernelRun store(decl("O", "ud", 8) + decl("D", "ud", 8) + "lsc_store.ugm (M1, 8) arg[O]:a32 D:d32\nret (M1, 1)\n",
                  isa::Platform::DG2);
  ASSERT_TRUE(store.ready());
  store.start().set("O", std::vector<std::uint32_t>(8)).set("D", std::vector<std::uint32_t>(8));
  EXPECT_EQ(store.go(), Outcome::Failed);
  EXPECT_EQ(store.ids().front(), "run-address-model");
}

/// What a message or RT_READ returns is what is stored at the slots' pixels.
TEST(Legacy, RenderTargetReads) {
  const std::string lines[] = {"rt_read_3d (M1, 16) T6 D.0", "raw_send (M1, 16) 0x5 1 8 0x02834000:ud H.0 D.0",
                               "raw_send (M1, 16) 0x5 2 8 0x048B4000:ud H.0 D.0"};
  for (const std::string& line : lines) {
    SCOPED_TRACE(line);
    KernelRun run(kState + decl("H", "ud", 16) + decl("D", "f", 64) + line + "\nret (M1, 1)\n");
    ASSERT_TRUE(run.ready());
    bind(run);
    machine::PixelInput pixels;
    run.setup.pixels = &pixels;
    std::vector<std::uint32_t> header(16);
    const std::uint32_t at[] = {0x00000000, 0x00000002, 0x00040004, 0x00060008};  // the last one is outside
    for (unsigned i = 0; i < 4; ++i) header[10 + i] = at[i];
    std::memcpy(run.payload.data() + 32, &header[8], 32);
    run.start(0xfffd).set("H", header).set("D", std::vector<float>(64, -1.0f));
    ASSERT_EQ(run.go(), Outcome::Finished) << run.ids().front();
    const auto d = run.get<float>("D", 64);
    const auto& memory = *run.bindings.surfaces[0]->memory;
    for (unsigned k = 0; k < 16; ++k) {
      const unsigned x = (at[k / 4] & 0xffffu) + (k & 1u), y = (at[k / 4] >> 16) + (k >> 1 & 1u);
      for (unsigned c = 0; c < 4; ++c) {
        const float want = k == 1 ? -1.0f : x >= 8 ? 0.0f : static_cast<float>(memory[4 * (8 * y + x) + c]) / 255.0f;
        EXPECT_EQ(d[16 * c + k], want) << k << " " << c;
      }
    }
  }
}

/// Each form is executed, or refused with a reason of its own.
TEST(Legacy, EveryInstructionRunsOrSaysWhyNot) {
  unsigned refused = 0;
  for (const isa::InstructionDescription& description : instructions::registry().descriptions()) {
    const bool runs = instructions::reference_of(description) != nullptr;
    EXPECT_NE(runs, !description.refused.empty()) << description.mnemonic;
    refused += runs ? 0 : 1;
  }
  EXPECT_GT(refused, 20u);

  KernelRun run(
      kState + decl("D", "ud", 16) + decl("A", "uq", 16) + "lsc_read_state_info.tgm D bti(0x0)\nret (M1, 1)\n",
      isa::Platform::DG2);
  if (!run.ready()) return;
  EXPECT_EQ(run.go(), Outcome::Failed);
  EXPECT_EQ(run.ids().front(), "run-instruction-missing");
}

}  // namespace
}  // namespace heddle::engine::testing
