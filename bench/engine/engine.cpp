// SPDX-License-Identifier: MIT
// The reference engine: instructions a second on one thread and on two, for a kernel of plain arithmetic and for one
// that samples, with and without its checks. Options: --markdown FILE, --rounds N.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "pipeline/compute/compute.hpp"
#include "support/measure.hpp"
#include "text/text.hpp"

namespace heddle::bench {
namespace {

constexpr std::uint32_t kGroups = 128;

/// 200 rounds of eight arithmetic instructions, of SIMD 16.
constexpr const char* kArithmetic = R"(.version 4.1
.kernel "arithmetic"
.decl X v_type=G type=f num_elts=16 align=GRF
.decl Y v_type=G type=f num_elts=16 align=GRF
.decl I v_type=G type=d num_elts=16 align=GRF
.decl K v_type=G type=ud num_elts=16 align=GRF
.decl N v_type=G type=d num_elts=1 align=GRF
.decl P1 v_type=P num_elts=16
.decl P2 v_type=P num_elts=1
.kernel_attr Target="3d"
    mov (M1, 16) X(0,0)<1> 0.5:f
    mov (M1, 16) Y(0,0)<1> 0.25:f
    mov (M1, 16) I(0,0)<1> 7:d
    mov (M1, 16) K(0,0)<1> 9:ud
    mov (M1, 1) N(0,0)<1> 200:d
L0:
    mad (M1, 16) X(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0> 0.125:f
    mul (M1, 16) Y(0,0)<1> X(0,0)<1;1,0> 0.5:f
    frc (M1, 16) X(0,0)<1> X(0,0)<1;1,0>
    add (M1, 16) I(0,0)<1> I(0,0)<1;1,0> 3:d
    xor (M1, 16) K(0,0)<1> K(0,0)<1;1,0> 0x5bd1:ud
    shl (M1, 16) K(0,0)<1> K(0,0)<1;1,0> 1:ud
    cmp.lt (M1, 16) P1 X(0,0)<1;1,0> Y(0,0)<1;1,0>
    (P1) sel (M1, 16) X(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>
    add (M1, 1) N(0,0)<1> N(0,0)<0;1,0> -1:d
    cmp.gt (M1, 1) P2 N(0,0)<0;1,0> 0:d
    (P2) jmp (M1, 1) L0
    ret (M1, 1)
)";

/// 50 rounds of a bilinear sample and a gather4 at moving coordinates.
constexpr const char* kSampling = R"(.version 4.1
.kernel "sampling"
.decl U v_type=G type=f num_elts=16 align=GRF
.decl V v_type=G type=f num_elts=16 align=GRF
.decl D v_type=G type=f num_elts=64 align=GRF
.decl G v_type=G type=f num_elts=64 align=GRF
.decl N v_type=G type=d num_elts=1 align=GRF
.decl P2 v_type=P num_elts=1
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
.kernel_attr Target="3d"
    mov (M1, 16) U(0,0)<1> 0.3:f
    mov (M1, 16) V(0,0)<1> 0.6:f
    mov (M1, 8) U(0,0)<1> 0.1:f
    mov (M1, 1) N(0,0)<1> 50:d
L0:
    sample_lz.RGBA (M1, 16) 0x0:uw S0 T6 D.0 U.0 V.0
    sample4.R (M1, 16) 0x0:uw S0 T6 G.0 U.0 V.0
    add (M1, 16) U(0,0)<1> U(0,0)<1;1,0> 0.037:f
    mad (M1, 16) V(0,0)<1> D(0,0)<1;1,0> 0.01:f V(0,0)<1;1,0>
    add (M1, 1) N(0,0)<1> N(0,0)<0;1,0> -1:d
    cmp.gt (M1, 1) P2 N(0,0)<0;1,0> 0:d
    (P2) jmp (M1, 1) L0
    ret (M1, 1)
)";

/// 200 iterations of z * z + c in every lane, without a way out.
constexpr const char* kMandelbrot = R"(.version 4.1
.kernel "mandelbrot"
.decl X v_type=G type=f num_elts=16 align=GRF
.decl Y v_type=G type=f num_elts=16 align=GRF
.decl A v_type=G type=f num_elts=16 align=GRF
.decl B v_type=G type=f num_elts=16 align=GRF
.decl R v_type=G type=f num_elts=16 align=GRF
.decl I v_type=G type=ud num_elts=16 align=GRF
.decl N v_type=G type=d num_elts=1 align=GRF
.decl P1 v_type=P num_elts=16
.decl P2 v_type=P num_elts=1
.kernel_attr Target="3d"
    mov (M1, 16) X(0,0)<1> 0.0:f
    mov (M1, 16) Y(0,0)<1> 0.0:f
    mov (M1, 16) I(0,0)<1> 0:ud
    mov (M1, 1) N(0,0)<1> 200:d
L0:
    mul (M1, 16) A(0,0)<1> X(0,0)<1;1,0> X(0,0)<1;1,0>
    mul (M1, 16) B(0,0)<1> Y(0,0)<1;1,0> Y(0,0)<1;1,0>
    add (M1, 16) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>
    cmp.lt (M1, 16) P1 R(0,0)<1;1,0> 4.0:f
    (P1) add (M1, 16) I(0,0)<1> I(0,0)<1;1,0> 1:ud
    mul (M1, 16) Y(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>
    mad (M1, 16) Y(0,0)<1> Y(0,0)<1;1,0> 2.0:f 0.25:f
    add (M1, 16) X(0,0)<1> A(0,0)<1;1,0> (-)B(0,0)<1;1,0>
    add (M1, 16) X(0,0)<1> X(0,0)<1;1,0> -0.5:f
    add (M1, 1) N(0,0)<1> N(0,0)<0;1,0> -1:d
    cmp.gt (M1, 1) P2 N(0,0)<0;1,0> 0:d
    (P2) jmp (M1, 1) L0
    ret (M1, 1)
)";

struct Timing {
  double seconds = 0;
  std::uint64_t instructions = 0;
};

class Kernel {
 public:
  explicit Kernel(const char* source) {
    base::Diagnostics problems;
    text::ParseOptions options;
    options.platform = isa::Platform::SKL;
    auto program = text::parse(source, "bench.visaasm", options, problems);
    if (!program) {
      explain(problems);
      return;
    }
    program_ = std::make_shared<isa::Program>(std::move(*program));
    auto kernel = pipeline::Program::create(program_, program_->objects.front(), isa::Platform::SKL);
    if (!kernel.ok()) {
      base::Diagnostics found;
      for (const base::Diagnostic& d : kernel.diagnostics()) found.add(d);
      explain(found);
      return;
    }
    auto surface = std::make_shared<image::Surface>();
    surface->width = surface->height = 256;
    if (!image::allocate(*surface)) return;
    for (std::size_t i = 0; i < surface->memory->size(); ++i)
      (*surface->memory)[i] = static_cast<std::uint8_t>(i * 2654435761u >> 24);
    auto sampler = std::make_shared<image::Sampler>();
    sampler->min_filter = sampler->mag_filter = image::Filter::Linear;
    sampler->tcx = sampler->tcy = image::AddressMode::Wrap;
    bound_.bindings.surfaces = {surface};
    bound_.bindings.samplers = {sampler};
    bound_.bindings.surface_variables[0] = bound_.bindings.surface_variables[6] = {0};
    bound_.bindings.sampler_variables[0] = {0};
    bound_.payload.assign(256, 0);
    grid_.global = {16 * kGroups, 1, 1};
    grid_.local = {16, 1, 1};
    grid_.groups = {kGroups, 1, 1};
    pipeline::ComputePlan plan;
    plan.simd = 16;
    compute_ = pipeline::ComputeProgram::create(std::move(*kernel), plan, bound_, {.disk_cache = false});
  }
  [[nodiscard]] bool ready() const { return compute_ != nullptr; }

  /// One dispatch; zero instructions when something went wrong.
  Timing run(machine::CheckMode mode, unsigned workers, bool with_fast = false) {
    base::Limits limits;
    limits.steps = std::uint64_t{1} << 50;
    if (std::string why; with_fast && compute_->prepare(bound_, why) == nullptr)
      return std::fprintf(stderr, "bench engine: not compiled: %s\n", why.c_str()), Timing{};
    machine::Reports reports(*program_, mode);
    engine::reference::Budget budget(limits);
    pipeline::RunContext context{reports, budget};
    context.reference = !with_fast;
    context.workers = workers;
    context.memory_bytes = limits.memory_bytes;
    pipeline::Counters counters;
    const auto start = std::chrono::steady_clock::now();
    const bool good = compute_->run(grid_, bound_, context, counters);
    Timing t;
    t.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const base::Diagnostics found = reports.take();
    if (!good || !found.empty()) return explain(found), Timing{};
    t.instructions = budget.used();
    return t;
  }

 private:
  static void explain(const base::Diagnostics& problems) {
    std::fputs(base::render(problems, {}, false).c_str(), stderr);
  }
  std::shared_ptr<isa::Program> program_;
  std::shared_ptr<const pipeline::ComputeProgram> compute_;
  pipeline::Bound bound_;
  pipeline::Grid grid_;
};

bool measure(const char* name, const char* source, machine::CheckMode mode, bool fast, unsigned rounds,
             std::vector<std::vector<std::string>>& rows) {
  Kernel kernel(source);
  if (!kernel.ready()) return false;
  // The best of interleaved rounds: what else runs on the machine only ever adds time.
  double best[2] = {1e9, 1e9};
  std::uint64_t instructions = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned workers = 1; workers <= 2; ++workers) {
      const Timing t = kernel.run(mode, workers, fast);
      if (t.instructions == 0) return false;
      instructions = t.instructions;
      best[workers - 1] = std::min(best[workers - 1], t.seconds);
    }
  }
  const auto count = static_cast<double>(instructions);
  rows.push_back({name, fast ? "fast" : "reference", mode == machine::CheckMode::Off ? "off" : "on",
                  format_number(count / best[0] * 1e-6), format_seconds(best[0] / count),
                  format_number(count / best[1] * 1e-6), format_number(best[0] / best[1])});
  return true;
}

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {
  using namespace heddle::bench;
  using heddle::machine::CheckMode;
  const Options options = parse_options(argc, argv, {"--rounds N"});
  unsigned rounds = 7;
  for (std::size_t i = 0; i + 1 < options.rest.size(); ++i)
    if (options.rest[i] == "--rounds")
      rounds = std::max(1u, static_cast<unsigned>(std::strtoul(options.rest[i + 1].c_str(), nullptr, 10)));
  Section section("Engines");
  section.paragraph(fmt::format(
      "{} groups of one SIMD16 thread; best of {} interleaved rounds by the clock. Arithmetic: eight of eleven "
      "instructions in 16 lanes. Sampling: two of seven are a bilinear RGBA8 sample and a gather4.",
      kGroups, rounds));
  std::vector<std::vector<std::string>> rows{
      {"kernel", "engine", "checks", "million instructions a second", "each", "with 2 threads", "scaling"}};
  constexpr std::pair<CheckMode, bool> kWays[] = {
      {CheckMode::Off, true}, {CheckMode::Off, false}, {CheckMode::Warn, false}};
  for (const auto& [mode, fast] : kWays) {
    if (fast && !heddle::engine::jit::has_compiler()) continue;
    for (const auto& [name, source] : {std::pair{"arithmetic", heddle::bench::kArithmetic},
                                       {"sampling", heddle::bench::kSampling},
                                       {"mandelbrot", heddle::bench::kMandelbrot}})
      if (!measure(name, source, mode, fast, rounds, rows)) {
        std::fprintf(stderr, "bench engine: a kernel could not be run\n");
        return 1;
      }
  }
  section.table(rows);
  return section.finish(options.markdown) ? 0 : 1;
}
