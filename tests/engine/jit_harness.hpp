// SPDX-License-Identifier: MIT
#pragma once
// Runs a kernel on both engines and compares everything that is left: registers, predicates, addresses, memory, steps.

#include "engine/harness.hpp"
#include "engine/jit/runtime/runtime.hpp"
#include "texture/simd/prepared.hpp"

namespace heddle::engine::testing {

/// Texels are fetched the way of machines with slow gathers, or of others, whatever this one is; as long as it lives.
class Gathers {
 public:
  explicit Gathers(bool slow) : before_(texture::simd::gathers_are_slow()) {
    texture::simd::set_gathers_are_slow(slow);
  }
  ~Gathers() { texture::simd::set_gathers_are_slow(before_); }
  Gathers(const Gathers&) = delete;
  Gathers& operator=(const Gathers&) = delete;

 private:
  bool before_;
};

/// Names of processors: the one at hand, and another that it can stand for. arm64 has one kind of code
/// (JitProcessors.OfArm64AreOne).
#if defined(__aarch64__)
inline constexpr const char* kProcessors[] = {""};
#else
inline constexpr const char* kProcessors[] = {"", "x86-64-v3"};
#endif

class BothEngines {
 public:
  explicit BothEngines(const std::string& body, isa::Platform platform = isa::Platform::SKL) {
    program_ = parse_kernel(body, platform);
    if (program_ == nullptr) return;
    auto kernel = reference::ResolvedKernel::prepare(*program_, program_->objects.front(), platform, limits);
    if (kernel) kernel_ = std::make_unique<reference::ResolvedKernel>(std::move(kernel).value());
  }

  /// True when both engines, the fast one in both tiers and without code, ended alike and left the same behind.
  /// `buffers`: surfaces that the kernel may change.
  ::testing::AssertionResult agree(unsigned simd, std::uint32_t mask) {
    if (kernel_ == nullptr) return ::testing::AssertionFailure() << "no kernel";
    if (!jit::has_compiler()) return ::testing::AssertionSuccess();
    if (fast_.empty() || simd != simd_) {
      fast_.clear();
      for (const Code& code : kCodes) {
        std::string why;
        jit::KernelOptions options;
        options.in_memory = code.in_memory;
        options.simd = simd_ = simd;
        options.keep_registers = keep_registers;
        options.disk_cache = false;
        options.tiers = code.tiers;
        options.interpret = code.interpret;
        options.compile.cpu = cpu;
        const bool interpreted = code.interpret != 0, print = std::getenv("HEDDLE_JIT_LISTING") != nullptr;
        options.compile.keep_listing = !interpreted && (print || list);
        fast_.push_back(jit::CompiledKernel::prepare(*kernel_, bindings, options, why));
        if (fast_.back() == nullptr) return ::testing::AssertionFailure() << "not compiled: " << why;
        if (interpreted) {
          if (fast_.back()->prepared()->interpreted_steps() == 0) fast_.back().reset();  // it never is
          continue;
        }
        if (list) assembly = fast_.back()->assembly(), listing = fast_.back()->listing();
        if (print) std::fprintf(stderr, "%s\n%s\n", fast_.back()->listing().c_str(), fast_.back()->assembly().c_str());
        counts = fast_.back()->counts();
      }
    }
    const auto before = contents();
    machine::ThreadStart start;
    start.payload = payload;
    start.dispatch_mask = mask;
    std::vector<std::uint8_t> scratch(4096);
    start.scratch = scratch;

    machine::Group group(1, 1024);
    start.group = &group;
    machine::Reports reports(*program_, machine::CheckMode::Off);
    machine::Thread thread(kernel_->code(), bindings, reports);
    thread.start(start);
    reference::Budget budget(limits);
    const reference::Outcome expected = reference::run(thread, budget);
    const auto wanted = contents();
    const auto wanted_slm = group.slm;

    for (std::size_t k = 0; k < fast_.size(); ++k) {
      const std::unique_ptr<jit::CompiledKernel>& fast = fast_[k];
      const char* tier = kCodes[k].name;
      if (fast == nullptr) continue;
      restore(before);
      machine::Group again(1, 1024);
      scratch.assign(scratch.size(), 0);
      start.group = &again;
      machine::Reports fast_reports(*program_, machine::CheckMode::Off);
      reference::Budget fast_budget(limits);
      {
        jit::Runner runner(*fast, bindings, fast_reports, fast_budget, alone);
        const reference::Outcome outcome = runner.run_group(std::span(&start, 1), again);
        if (kCodes[k].interpret == 0) reference_calls = runner.reference_calls();
        if (outcome != expected)
          return ::testing::AssertionFailure()
                 << tier << "outcome " << static_cast<int>(outcome) << " instead of " << static_cast<int>(expected);
        if (expected == reference::Outcome::Finished && keep_registers)
          if (auto same = compare(thread.registers(), runner.thread().registers()); !same) return same << tier;
      }
      if (contents() != wanted) return ::testing::AssertionFailure() << tier << "surfaces differ";
      if (again.slm != wanted_slm) return ::testing::AssertionFailure() << tier << "shared local memory differs";
      if (expected == reference::Outcome::Finished && budget.used() != fast_budget.used())
        return ::testing::AssertionFailure()
               << tier << "steps " << fast_budget.used() << " instead of " << budget.used();
    }
    return ::testing::AssertionSuccess();
  }

  /// Off: code as programs get it, which keeps in registers only what somebody reads; memory is compared.
  bool keep_registers = true;
  bool list = false;              ///< keeps the second tier's assembler text and LLVM's
  std::string assembly, listing;  ///< these
  std::string cpu;                ///< that the fast engine compiles for; empty: this one
  bool alone = false;             ///< as Runner's
  base::Limits limits;
  machine::Bindings bindings;
  std::vector<std::uint8_t> payload = std::vector<std::uint8_t>(8192);
  jit::Counts counts;
  std::uint64_t reference_calls = 0;  ///< of the last run of the second tier

 private:
  struct Code {
    const char* name;
    jit::Tiers tiers;
    bool in_memory;    ///< KernelVariant
    double interpret;  ///< jit::KernelOptions
  };
  static constexpr Code kCodes[] = {{"first tier: ", jit::Tiers::First, false, 0},
                                    {"first tier, variables in memory: ", jit::Tiers::First, true, 0},
                                    {"second tier: ", jit::Tiers::Second, false, 0},
                                    {"interpreted: ", jit::Tiers::Both, false, 1e9}};

  [[nodiscard]] std::vector<std::vector<std::uint8_t>> contents() const {
    std::vector<std::vector<std::uint8_t>> all;
    for (const auto& s : bindings.surfaces)
      if (s != nullptr && s->memory != nullptr) all.emplace_back(s->memory->begin(), s->memory->end());
    return all;
  }
  void restore(const std::vector<std::vector<std::uint8_t>>& all) {
    std::size_t i = 0;
    for (const auto& s : bindings.surfaces)
      if (s != nullptr && s->memory != nullptr) std::ranges::copy(all[i++], s->memory->begin());
  }
  /// Variables that the program names.
  ::testing::AssertionResult compare(machine::Registers& a, machine::Registers& b) const {
    const isa::Object& object = program_->objects.front();
    const machine::Layout& layout = kernel_->code().objects.front().layout;
    std::vector<bool> named(object.variables.size(), false);
    for (const isa::Operand& operand : object.operands)
      if ((operand.kind == isa::OperandKind::General || operand.kind == isa::OperandKind::Raw) &&
          operand.id >= isa::kFirstVariable)
        named[operand.id - isa::kFirstVariable] = true;
    for (std::uint32_t v = 0; v < object.variables.size(); ++v) {
      if (!named[v]) continue;
      const machine::VariablePlacement& p = *layout.place(isa::kFirstVariable + v);
      for (std::uint32_t at = p.root_begin; at < p.root_end; ++at)
        if (a.bytes()[at] != b.bytes()[at])
          return ::testing::AssertionFailure() << object.variables[v].name << " differs at byte " << at - p.root_begin
                                               << ": " << hex(b, p, at) << " instead of " << hex(a, p, at);
    }
    for (std::uint32_t p = 1; p <= object.predicates.size(); ++p)
      if (a.predicate(p) != b.predicate(p))
        return ::testing::AssertionFailure()
               << "P" << p << " is " << b.predicate(p) << " instead of " << a.predicate(p);
    for (std::uint32_t id = 0; id < object.addresses.size(); ++id)
      for (unsigned e = 0; e < machine::Registers::kAddressElements; ++e)
        if (a.address(id, e)->value != b.address(id, e)->value || a.address(id, e)->root != b.address(id, e)->root)
          return ::testing::AssertionFailure() << "A" << id << "(" << e << ") differs";
    return ::testing::AssertionSuccess();
  }
  static std::string hex(const machine::Registers& r, const machine::VariablePlacement& p, std::uint32_t at) {
    const std::uint32_t word = p.root_begin + (at - p.root_begin) / 4 * 4;
    char text[20];
    std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(r.load(word, std::min(4u, p.root_end - word))));
    return text;
  }
  std::unique_ptr<isa::Program> program_;
  std::unique_ptr<reference::ResolvedKernel> kernel_;
  std::vector<std::unique_ptr<jit::CompiledKernel>> fast_;  ///< by kCodes; null: never so
  unsigned simd_ = 0;
};

}  // namespace heddle::engine::testing
