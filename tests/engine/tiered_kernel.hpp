// SPDX-License-Identifier: MIT
#pragma once
// One kernel in the tiers that a test asks for.

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/bindings.hpp"
#include "engine/jit_harness.hpp"

namespace heddle::engine::testing {

/// A kernel, a buffer, and threads whose payloads tell them apart.
class Tiered {
 public:
  explicit Tiered(const std::string& body, jit::Tiers tiers, jit::MemoryCache* memory = nullptr, bool listing = false,
                  double interpret = 0, std::shared_ptr<image::Sampler> sampler = std::make_shared<image::Sampler>(),
                  bool own = false) {
    program = parse_kernel(body, isa::Platform::SKL);
    if (program == nullptr) return;
    auto prepared = reference::ResolvedKernel::prepare(*program, program->objects.front(), isa::Platform::SKL, limits);
    if (!prepared) return;
    reference_kernel = std::make_unique<reference::ResolvedKernel>(std::move(prepared).value());
    std::mt19937 random(7);
    testing::bind(bindings, buffer_of(1024), texture_of("R8G8B8A8_UNORM", 32, 32, random), std::move(sampler));
    jit::KernelOptions options;
    options.simd = 16;
    options.disk_cache = false;
    options.tiers = tiers;
    options.memory = memory;
    options.compile.keep_listing = listing;
    options.interpret = interpret;
    if (own) options.own_surfaces = bindings.surface_variables.at(6);
    kernel = jit::CompiledKernel::prepare(*reference_kernel, bindings, options, why);
  }

  std::vector<std::uint8_t> payload_of(std::uint32_t thread) const {
    std::vector<std::uint8_t> payload(512);
    for (std::uint32_t k = 0; k < 16; ++k) {
      const std::uint32_t word = thread * 16 + k;
      std::memcpy(&payload[32 + 4 * k], &word, 4);
    }
    return payload;
  }
  /// `count` threads of one group from `first` on.
  reference::Outcome run(jit::Runner& runner, std::uint32_t first, std::uint32_t count, std::uint32_t lanes = 0xffff) {
    std::vector<std::vector<std::uint8_t>> payloads;
    std::vector<machine::ThreadStart> starts(count);
    machine::Group group(count, 1024);
    for (std::uint32_t t = 0; t < count; ++t) payloads.push_back(payload_of(first + t));
    for (std::uint32_t t = 0; t < count; ++t) {
      starts[t].payload = payloads[t];
      starts[t].dispatch_mask = lanes;
      starts[t].group = &group;
    }
    return runner.run_group(starts, group);
  }
  /// What 16 threads leave, the tier changing behind the first `before`.
  std::vector<std::uint8_t> result(std::uint32_t before, std::uint32_t group) {
    machine::Reports reports(*program, machine::CheckMode::Off);
    reference::Budget budget(limits);
    std::ranges::fill(*bindings.surfaces[0]->memory, std::uint8_t{0});
    jit::Runner runner(*kernel, bindings, reports, budget);
    for (std::uint32_t first = 0; first < 16; first += group) {
      if (first == before) EXPECT_TRUE(kernel->finish_second_tier());
      EXPECT_EQ(run(runner, first, group), reference::Outcome::Finished);
    }
    return {bindings.surfaces[0]->memory->begin(), bindings.surfaces[0]->memory->end()};
  }

  base::Limits limits;
  std::unique_ptr<isa::Program> program;
  std::unique_ptr<reference::ResolvedKernel> reference_kernel;
  machine::Bindings bindings;
  std::string why;
  std::unique_ptr<jit::CompiledKernel> kernel;
};

}  // namespace heddle::engine::testing
