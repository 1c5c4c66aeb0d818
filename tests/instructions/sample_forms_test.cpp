// SPDX-License-Identifier: MIT
// Every form of the sampler instructions: which parameter stands where. The image has two levels whose texels say where
// they lie, so that swapped coordinates, levels of detail, gradients or references give other values.
#include <array>

#include "engine/harness.hpp"
#include "instructions/reference.hpp"
#include "instructions/registry.hpp"

namespace heddle::engine::testing {
namespace {

/// Texel (x, y) of level 0, 8 x 4, is 10 y + x; of level 1, 4 x 2, it is 100 + 10 y + x.
std::shared_ptr<image::Surface> two_levels() {
  auto surface = std::make_shared<image::Surface>();
  surface->format = image::Format::R32_FLOAT;
  surface->width = 8;
  surface->height = 4;
  surface->levels = 2;
  surface->mip_count = 1;
  EXPECT_TRUE(image::allocate(*surface).ok());
  for (std::uint32_t level = 0; level < 2; ++level)
    for (std::uint32_t y = 0; y < 4u >> level; ++y)
      for (std::uint32_t x = 0; x < 8u >> level; ++x)
        std::memcpy(image::element_bytes(*surface, level, 0, x, y),
                    std::array{static_cast<float>(100 * level + 10 * y + x)}.data(), 4);
  return surface;
}

/// Lanes 0 to 3 look at column 2, lanes 4 to 7 at column 5, all at row 1; what asks for a level asks for level 1.
std::uint32_t parameter(const std::string& name, unsigned lane, bool load, bool low_reference) {
  const unsigned x = lane < 4 ? 2 : 5;
  if (load) return name == "u" ? lane / 4 + 1 : name == "v" ? 1u : name == "lod" ? 1u : 0u;
  if (name == "u") return base::bits_of((static_cast<float>(x) + 0.5f) / 8);
  if (name == "v") return base::bits_of(1.5f / 4);
  if (name.starts_with("lod")) return base::bits_of(1.0f);
  if (name == "dudx") return base::bits_of(2.0f / 8);
  if (name == "dvdy") return base::bits_of(2.0f / 4);
  if (name == "ref") return base::bits_of(low_reference ? -1.0f : 1000.0f);
  return 0;
}

std::vector<float> run_form(const isa::InstructionDescription& description, bool low_reference) {
  const isa::Platform platform =
      description.platforms.has(isa::Platform::SKL) ? isa::Platform::SKL : isa::Platform::XE3P;
  const bool load = description.opcode == 0x6e, gather = description.opcode == 0x6f;
  std::string body = ".decl T6 v_type=T num_elts=1\n.decl S0 v_type=S num_elts=1\n" + decl("D", "f", 64), operands;
  for (const std::string_view p : description.parameters) {
    body += decl("P" + std::string(p) + "v", "ud", 16);
    operands += " P" + std::string(p) + "v.0";
  }
  KernelRun run(body + std::string(description.mnemonic) + (gather ? ".R" : ".RGBA") + " (M1, 8) 0x0:uw " +
                    (load ? "" : "S0 ") + "T6 D.0" + operands + "\nret (M1, 1)\n",
                platform);
  if (!run.ready()) return {};
  auto sampler = std::make_shared<image::Sampler>();
  sampler->mip_filter = image::MipFilter::Nearest;
  sampler->compare = image::CompareFunction::Less;
  run.bindings.surfaces = {two_levels()};
  run.bindings.samplers = {sampler};
  run.bindings.surface_variables[6] = {0};
  run.bindings.sampler_variables[0] = {0};
  run.start(0xff);
  for (const std::string_view p : description.parameters) {
    std::vector<std::uint32_t> values;
    for (unsigned lane = 0; lane < 16; ++lane)
      values.push_back(parameter(std::string(p), lane % 8, load, low_reference));
    run.set("P" + std::string(p) + "v", values);
  }
  EXPECT_EQ(run.go(), reference::Outcome::Finished)
      << description.mnemonic << (run.diagnostics.empty() ? "" : run.diagnostics.all().front().message);
  const unsigned grf_lanes = platform == isa::Platform::SKL ? 8 : 16;
  const auto d = run.get<float>("D", 4 * grf_lanes);
  std::vector<float> out;
  for (unsigned c = 0; c < 4; ++c) out.insert(out.end(), d.begin() + c * grf_lanes, d.begin() + c * grf_lanes + 8);
  return out;
}

TEST(SamplerForms, EveryParameterStandsInItsPlace) {
  unsigned descriptions = 0;
  for (const isa::InstructionDescription& description : instructions::registry().descriptions()) {
    if (description.opcode < 0x6d || description.opcode > 0x6f || description.mnemonic.starts_with("load_2dms") ||
        description.mnemonic == "load_mcs")
      continue;
    SCOPED_TRACE(std::string(description.mnemonic) + " selector " + std::to_string(description.selector));
    ++descriptions;
    const std::string name(description.mnemonic);
    bool compares = false, level_one = description.opcode == 0x6e && name != "load_lz";
    for (const std::string_view p : description.parameters) {
      compares = compares || p == "ref";
      level_one = level_one || (description.opcode != 0x6e && (p.starts_with("lod") || p == "dudx"));
    }
    const auto d = run_form(description, true);
    ASSERT_EQ(d.size(), 32u);
    if (compares) {
      const auto e = run_form(description, false);
      ASSERT_EQ(e.size(), 32u);
      for (unsigned k = 0; k < 8; ++k) EXPECT_EQ(d[k] + e[k], 1.0f) << k;
      continue;
    }
    for (unsigned k = 0; k < 8; ++k) {
      const float x = k < 4 ? 2 : 5, half = k < 4 ? 1 : 2;
      if (description.opcode == 0x6e) {
        EXPECT_EQ(d[k], (level_one ? 100.0f : 0.0f) + 10 + static_cast<float>(k / 4 + 1)) << k;
      } else if (name == "lod") {
        EXPECT_EQ(d[k], 0.0f) << k;  // constant coordinates: the base level
      } else if (description.opcode == 0x6d) {
        EXPECT_EQ(d[k], level_one ? 100 + half : 10 + x) << k;
      } else if (level_one) {  // level 1: columns 0 and 1, or 2 and 3; rows 0 and 1
        const float i = k < 4 ? 0 : 2;
        EXPECT_EQ(d[k], 110 + i) << k;
        EXPECT_EQ(d[8 + k], 111 + i);
        EXPECT_EQ(d[16 + k], 101 + i);
        EXPECT_EQ(d[24 + k], 100 + i);
      } else {  // rows 1 and 2, columns x and x + 1
        EXPECT_EQ(d[k], 20 + x) << k;
        EXPECT_EQ(d[8 + k], 21 + x);
        EXPECT_EQ(d[16 + k], 11 + x);
        EXPECT_EQ(d[24 + k], 10 + x);
      }
    }
  }
  EXPECT_GT(descriptions, 40u);
}

TEST(SamplerForms, SamplesOfMultisampledSurfaces) {
  KernelRun run(
      ".decl T6 v_type=T num_elts=1\n" + decl("S", "ud", 8) + decl("Z", "ud", 8) + decl("U", "ud", 8) +
      decl("D", "f", 32) + decl("M", "ud", 32) + decl("I", "ud", 32) +
      "mov (M1, 8) Z(0,0)<1> 0:ud\nload_mcs.RGBA (M1, 8) 0x0:uw T6 M.0 U.0 Z.0\n"
      "load_2dms_w.RGBA (M1, 8) 0x0:uw T6 D.0 S.0 M.0 M.32 U.0 Z.0\nsampleinfo.R (M1, 8) T6 I.0\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  auto surface = std::make_shared<image::Surface>();
  surface->format = image::Format::R32_FLOAT;
  surface->width = 4;
  surface->height = 2;
  surface->samples = 4;
  ASSERT_TRUE(image::allocate(*surface).ok());
  for (std::size_t at = 0; at + 4 <= surface->memory->size(); at += 4) {
    const float value = 6.5f;
    std::memcpy(surface->memory->data() + at, &value, 4);
  }
  run.bindings.surfaces = {surface};
  run.bindings.surface_variables[6] = {0};
  run.start(0xff).set<std::uint32_t>("S", {0, 1, 2, 3, 0, 1, 2, 3}).set<std::uint32_t>("U", {0, 1, 2, 3, 3, 2, 1, 9});
  ASSERT_EQ(run.go(), reference::Outcome::Finished) << run.diagnostics.all().front().message;
  const auto d = run.get<float>("D", 8);
  for (unsigned k = 0; k < 8; ++k) EXPECT_EQ(d[k], k < 7 ? 6.5f : 0.0f) << k;
}

}  // namespace
}  // namespace heddle::engine::testing
