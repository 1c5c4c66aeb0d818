// SPDX-License-Identifier: MIT
// Random kernels on both engines: registers and memory must be the same.

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "engine/jit/runtime/runtime.hpp"
#include "engine/random_bindings.hpp"
#include "engine/random_program.hpp"

namespace {

using namespace heddle;

struct Run {
  engine::reference::Outcome outcome{};
  std::vector<std::uint8_t> memory, registers;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (!engine::jit::has_compiler() || size < 4) return 0;
  const unsigned simd = 8u << data[0] % 3, seed = data[1] | static_cast<unsigned>(data[2]) << 8;
  const isa::Platform platform = data[3] % 4 == 0 ? isa::Platform::PVC : isa::Platform::SKL;
  engine::testing::Programs programs(engine::testing::RandomSource(seed, {data + 4, size - 4}),
                                     isa::platform_info(platform).grf_bytes, simd);
  const std::string text = engine::testing::readable(programs.make(), platform);
  base::Diagnostics problems;
  text::ParseOptions options;
  options.platform = platform;
  const auto program = text::parse(".version 4.1\n.kernel k\n" + text, "fuzz.visaasm", options, problems);
  if (!program) return 0;
  base::Limits limits;
  limits.steps = 20000;
  const auto kernel = engine::reference::ResolvedKernel::prepare(*program, program->objects.front(), platform, limits);
  if (!kernel) return 0;
  machine::Bindings bindings;
  engine::testing::bind_random(bindings, seed);
  std::vector<std::vector<std::uint8_t>> before;
  for (const auto& surface : bindings.surfaces) before.push_back(surface->memory->copy());
  engine::jit::KernelOptions jit_options;
  jit_options.simd = simd;
  jit_options.keep_registers = true;
  jit_options.disk_cache = false;
  jit_options.tiers = seed % 3 == 0 ? engine::jit::Tiers::First : engine::jit::Tiers::Second;
  jit_options.in_memory = seed % 6 == 0;
  std::string why;
  const auto fast = engine::jit::CompiledKernel::prepare(*kernel, bindings, jit_options, why);
  if (fast == nullptr) std::abort();
  const std::vector<std::uint8_t> payload = engine::testing::payload_of(seed, programs.payload);
  const std::uint32_t all = simd == 32 ? 0xffffffffu : (1u << simd) - 1;

  const auto run = [&](bool with_fast) {
    for (std::size_t i = 0; i < before.size(); ++i) std::ranges::copy(before[i], bindings.surfaces[i]->memory->begin());
    machine::Group group(1, 1024);
    machine::Reports reports(*program, machine::CheckMode::Off);
    engine::reference::Budget budget(limits);
    machine::ThreadStart start;
    start.payload = payload;
    start.dispatch_mask = seed % 2 == 0 ? all : (seed * 2654435761u & all) | 1u;
    start.group = &group;
    machine::Thread thread(kernel->code(), bindings, reports);
    engine::jit::Runner runner(*fast, bindings, reports, budget);
    Run result;
    if (with_fast) {
      result.outcome = runner.run_group(std::span(&start, 1), group);
    } else {
      thread.start(start);
      result.outcome = engine::reference::run(thread, budget);
    }
    const machine::Registers& r = (with_fast ? runner.thread() : thread).registers();
    const isa::Object& object = program->objects.front();
    std::vector<bool> named(object.variables.size(), false);
    for (const isa::Operand& operand : object.operands)
      if ((operand.kind == isa::OperandKind::General || operand.kind == isa::OperandKind::Raw) &&
          operand.id >= isa::kFirstVariable)
        named[operand.id - isa::kFirstVariable] = true;
    for (std::uint32_t v = 0; v < object.variables.size(); ++v) {
      const machine::VariablePlacement& p = *kernel->code().objects.front().layout.place(isa::kFirstVariable + v);
      if (named[v]) result.registers.insert(result.registers.end(), r.bytes() + p.root_begin, r.bytes() + p.root_end);
    }
    for (const auto& surface : bindings.surfaces)
      result.memory.insert(result.memory.end(), surface->memory->begin(), surface->memory->end());
    return result;
  };
  const Run expected = run(false), actual = run(true);
  if (expected.outcome != actual.outcome) std::abort();
  if (expected.outcome != engine::reference::Outcome::Finished) return 0;
  if (expected.memory != actual.memory || expected.registers != actual.registers) std::abort();
  return 0;
}
