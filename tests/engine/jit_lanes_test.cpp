// SPDX-License-Identifier: MIT
// Seeded random programs whose lanes go different ways, compiled as programs get it: values that only lanes that run
// can see are not kept for those that wait. Everything is compared in memory. A failure names its seed;
// HEDDLE_JIT_SEED=N repeats it alone.
#include <random>

#include "engine/bindings.hpp"
#include "engine/jit_harness.hpp"
#include "engine/random_program.hpp"
#include "support/number_variable.hpp"

namespace heddle::engine::testing {
namespace {

constexpr unsigned kVariables = 10, kFloats = 5;  ///< the first ones are F, the others UD

class LanePrograms {
 public:
  LanePrograms(unsigned seed, unsigned simd, unsigned grf) : random_(seed), simd_(simd), grf_(grf) {}
  unsigned payload = 0;

  std::string make() {
    std::string text;
    payload = 4 * grf_;
    for (unsigned v = 0; v < kVariables; ++v) {
      text += variable_line(fmt::format("V{}", v), v < kFloats ? "f" : "ud", 32);
      text += fmt::format(".input V{} offset={} size=128\n", v, payload);
      payload += 128;
    }
    text += variable_line("Lane", "ud", 32) + fmt::format(".input Lane offset={} size=128\n", payload);
    payload += 128;
    text += variable_line("O", "ud", 32) + variable_line("W", "ud", 128) + variable_line("X", "ud", 128);
    text += variable_line("H", "hf", 32) + variable_line("U", "uw", 32);
    for (unsigned p = 1; p < 5; ++p) text += fmt::format(".decl P{} v_type=P num_elts=32\n", p);
    text += ".decl S0 v_type=S num_elts=1\n.decl T6 v_type=T num_elts=1\n.decl T7 v_type=T num_elts=1\n";
    line("or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x4c0:ud");
    body(2, true);
    dump();
    return text + declarations_ + code_ + "ret (M1, 1)\n" + routines_;
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool one_in(unsigned n) { return below(n) == 0; }
  void line(const std::string& text) { code_ += text + "\n"; }

  struct Exec {
    std::string lanes;
    unsigned first, count;
  };
  Exec whole() const { return {fmt::format("(M1, {})", simd_), 0, simd_}; }
  /// Mostly all lanes; else a half of them, or a quarter.
  Exec exec() {
    if (simd_ == 8 || !one_in(6)) return whole();
    const unsigned count = one_in(2) ? 8 : simd_ / 2, first = below(simd_ / count) * count;
    return {fmt::format("(M{}, {})", first / 4 + 1, count), first, count};
  }
  /// Elements of the lanes.
  static std::string at(const std::string& name, unsigned bytes, const Exec& e, unsigned grf) {
    return name + fmt::format("({},{})", e.first * bytes / grf, e.first * bytes % grf / bytes);
  }
  std::string to(const std::string& name, const Exec& e, unsigned bytes = 4) {
    return at(name, bytes, e, grf_) + "<1>";
  }
  std::string from(const std::string& name, const Exec& e, unsigned bytes = 4) {
    if (one_in(40)) return name + "(0,1)<0;1,0>";
    return at(name, bytes, e, grf_) + "<1;1,0>";
  }
  std::string a_float() { return fmt::format("V{}", below(kFloats)); }
  std::string an_integer() { return fmt::format("V{}", kFloats + below(kVariables - kFloats)); }
  std::string number() {
    constexpr const char* kText[] = {"1.5:f", "-0.25:f", "3.0:f", "0.0:f", "0x7f800000:f"};
    return kText[below(5)];
  }
  std::string sign() { return one_in(5) ? (one_in(2) ? "(-)" : "(abs)") : ""; }
  std::string predicate() {
    if (!one_in(5)) return {};
    return fmt::format("({}P{}{}) ", one_in(2) ? "!" : "", 1 + below(4),
                       one_in(8) ? (one_in(2) ? ".any" : ".all") : "");
  }

  void statement() {
    const Exec e = exec();
    switch (below(13)) {
      case 0:
      case 1:
      case 2: {
        constexpr const char* kOps[] = {"add", "mul", "min", "max", "mul", "add"};
        const unsigned op = below(6);
        line((op == 2 || op == 3 ? "" : predicate()) + kOps[op] + " " + e.lanes + " " + to(a_float(), e) + " " +
             sign() + from(a_float(), e) + " " + (one_in(3) ? number() : from(a_float(), e)));
        break;
      }
      case 3:
        line(predicate() + "mad " + e.lanes + " " + to(a_float(), e) + " " + from(a_float(), e) + " " +
             from(a_float(), e) + " " + from(a_float(), e));
        break;
      case 4:
      case 5: {
        constexpr const char* kOps[] = {"add", "mul", "xor", "and", "shl", "or"};
        const unsigned op = below(6);
        line(predicate() + kOps[op] + " " + e.lanes + " " + to(an_integer(), e) + " " + from(an_integer(), e) + " " +
             (op == 4 ? fmt::format("{}:ud", below(31)) : from(an_integer(), e)));
        break;
      }
      case 6:
        if (one_in(2))
          line(predicate() + "mov " + e.lanes + " " + to(a_float(), e) + " " + from(an_integer(), e));
        else
          line(predicate() + "mov " + e.lanes + " " + to(an_integer(), e) + " " + sign() + from(a_float(), e));
        break;
      case 7:
        line(predicate() + "sel " + e.lanes + " " + to(an_integer(), e) + " " + from(an_integer(), e) + " " +
             from(an_integer(), e));
        break;
      case 8:
      case 9:
        compare(e);
        break;
      case 10:
        if (one_in(3)) {
          line(fmt::format("and {} P{} P{} P{}", e.lanes, 1 + below(4), 1 + below(4), 1 + below(4)));
        } else if (one_in(2)) {
          line("mov " + e.lanes + " " + to("H", e, 2) + " " + from(a_float(), e));
          line("mov " + e.lanes + " " + to("U", e, 2) + " " + from(an_integer(), e));
        } else {
          line("add " + e.lanes + " " + to(a_float(), e) + " " + from("H", e, 2) + " " + number());
          line("add " + e.lanes + " " + to(an_integer(), e) + " " + from("U", e, 2) + " 3:ud");
        }
        break;
      case 11:
        if (one_in(3)) {
          // Lanes that don't run are seen, or written.
          line(fmt::format("{} (M1_NM, {}) {} {} {}", "add", simd_, to(an_integer(), whole()),
                           from(an_integer(), whole()), from(an_integer(), whole())));
        } else {
          memory();
        }
        break;
      default:
        image();
        break;
    }
  }
  void compare(const Exec& e) {
    constexpr const char* kRelations[] = {"eq", "ne", "gt", "ge", "lt", "le"};
    const bool is_float = one_in(2);
    line(fmt::format("cmp.{} {} P{} {} {}", kRelations[below(6)], e.lanes, 1 + below(4),
                     from(is_float ? a_float() : an_integer(), e), is_float ? number() : from(an_integer(), e)));
  }
  unsigned message_lanes() const { return simd_ == 32 ? 16 : simd_; }
  void memory() {
    const unsigned n = message_lanes();
    line(fmt::format("and (M1, {}) O(0,0)<1> {}(0,0)<1;1,0> 0xffc:ud", n, an_integer()));
    if (one_in(2))
      line(fmt::format("{}gather4_scaled.{} (M1, {}) T6 0x0:ud O.0 {}.0", predicate(), one_in(2) ? "R" : "RGBA", n,
                       "X"));
    else
      line(fmt::format("{}scatter4_scaled.R (M1, {}) T6 0x0:ud O.0 {}.0", predicate(), n, an_integer()));
    line(fmt::format("xor (M1, {0}) {1}(0,0)<1> {1}(0,0)<1;1,0> X(0,0)<1;1,0>", n, an_integer()));
  }
  void image() {
    const unsigned n = message_lanes();
    const std::string u = a_float(), v = a_float();
    switch (below(3)) {
      case 0:
        line(fmt::format("sample4.R (M1, {}) 0x0:uw S0 T7 W.0 {}.0 {}.0", n, u, v));
        break;
      case 1:
        line(fmt::format("sample_lz.RGBA (M1, {}) 0x0:uw S0 T7 W.0 {}.0 {}.0", n, u, v));
        break;
      default:
        line(fmt::format("sample_3d.RGBA (M1, {}) 0x0:uw S0 T7 W.0 {}.0 {}.0", n, u, v));
        break;
    }
    line(fmt::format("add (M1, {0}) {1}(0,0)<1> {1}(0,0)<1;1,0> W({2},0)<1;1,0>", n, an_integer(),
                     below(4) * n * 4 / grf_));
  }
  /// Everything that running lanes hold, to places of their own.
  void dump() {
    const unsigned n = message_lanes();
    for (unsigned half = 0; half < simd_ / n; ++half) {
      const Exec e{fmt::format("(M{}, {})", half * n / 4 + 1, n), half * n, n};
      const auto out = [&](const std::string& name, unsigned slot) {
        line(fmt::format("mad {} {} {} 4:ud {}:ud", e.lanes, to("O", e), at("Lane", 4, e, grf_) + "<1;1,0>",
                         4096 + slot * 128));
        line(fmt::format("scatter4_scaled.R {} T6 0x0:ud O.{} {}", e.lanes, e.first * 4, name));
      };
      for (unsigned v = 0; v < kVariables; ++v) out(fmt::format("V{}.{}", v, e.first * 4), v);
      for (unsigned p = 1; p < 5; ++p) {
        line(fmt::format("(P{}) sel {} {} 1:ud 0:ud", p, e.lanes, to("X", e)));
        out(fmt::format("X.{}", e.first * 4), kVariables + p);
      }
      line("mov " + e.lanes + " " + to("X", e) + " " + at("H", 2, e, grf_) + "<1;1,0>");
      out(fmt::format("X.{}", e.first * 4), kVariables + 5);
    }
  }

  void body(unsigned depth, bool main) {
    const unsigned count = 4 + below(5);
    for (unsigned i = 0; i < count; ++i) {
      const unsigned pick = below(9);
      const std::string lanes = whole().lanes;
      if (depth > 0 && pick == 0) {  // if, else
        const unsigned other = labels_++, end = labels_++;
        if (one_in(2)) compare(whole());
        line(fmt::format("({}P{}) goto {} L{}", one_in(2) ? "!" : "", 1 + below(4), lanes, other));
        body(depth - 1, main);
        if (one_in(3)) {
          line(fmt::format("L{}:", other));
          continue;
        }
        line(fmt::format("goto {} L{}\nL{}:", lanes, end, other));
        body(depth - 1, main);
        line(fmt::format("L{}:", end));
      } else if (depth > 0 && pick == 1) {
        loop(depth, main);
      } else if (depth > 0 && pick == 2 && main) {  // a subroutine
        const unsigned routine = routine_++;
        line(fmt::format("{}call {} sub{}", one_in(2) ? fmt::format("(P{}) ", 1 + below(4)) : "", lanes, routine));
        std::string outer = std::exchange(code_, {});
        const auto loops = std::exchange(loops_, {});
        body(depth - 1, false);
        if (one_in(2)) line(fmt::format("(P{}) ret {}", 1 + below(4), lanes));
        body(0, false);
        routines_ += fmt::format(".function \"sub{0}\"\nsub{0}:\n", routine) + code_ + fmt::format("ret {}\n", lanes);
        code_ = std::move(outer);
        loops_ = loops;
      } else if (!loops_.empty() && pick == 3) {  // break, continue
        const unsigned skip = labels_++;
        const std::string target = one_in(3) ? fmt::format("C{}", loops_.back()) : fmt::format("E{}", loops_.back());
        if (one_in(2)) compare(whole());
        if (one_in(2))
          line(fmt::format("(!P{}) goto {} L{}\ngoto {} {}\nL{}:", 1 + below(4), lanes, skip, lanes, target, skip));
        else
          line(fmt::format("(P{}) goto {} {}", 1 + below(4), lanes, target));
      } else if (main && pick == 4 && one_in(4)) {  // some lanes end
        const unsigned skip = labels_++;
        line(fmt::format("(P{}) goto {} L{}", 1 + below(4), lanes, skip));
        dump();
        line(fmt::format("ret {}\nL{}:", lanes, skip));
      } else {
        statement();
      }
    }
  }
  /// At most three rounds of each lane.
  void loop(unsigned depth, bool main) {
    const unsigned id = labels_++, counter = counters_++;
    const std::string n = fmt::format("N{}", counter), p = fmt::format("P{}", 10 + counter), lanes = whole().lanes;
    declarations_ += variable_line(n, "ud", 32) + fmt::format(".decl {} v_type=P num_elts=32\n", p);
    const bool tested_first = one_in(2);
    line(fmt::format("mov {} {}(0,0)<1> 0:ud\nB{}:", lanes, n, id));
    if (tested_first)
      line(fmt::format("cmp.lt {} {} {}(0,0)<1;1,0> 3:ud\n(!{}) goto {} E{}", lanes, p, n, p, lanes, id));
    loops_.push_back(id);
    body(depth - 1, main);
    loops_.pop_back();
    line(fmt::format("C{}:\nadd {} {}(0,0)<1> {}(0,0)<1;1,0> 1:ud", id, lanes, n, n));
    if (tested_first)
      line(fmt::format("goto {} B{}\nE{}:", lanes, id, id));
    else
      line(fmt::format("cmp.lt {} {} {}(0,0)<1;1,0> 3:ud\n({}) goto {} B{}\nE{}:", lanes, p, n, p, lanes, id, id));
  }

  std::mt19937 random_;
  unsigned simd_, grf_;
  std::string code_, declarations_, routines_;
  unsigned labels_ = 0, counters_ = 0, routine_ = 0;
  std::vector<unsigned> loops_;
};

void run_seed(unsigned seed) {
  const Gathers gathers(seed / 2 % 2 != 0);
  const bool wide = seed % 4 == 3;
  const unsigned simd = seed % 3 == 0 ? 16 : seed % 3 == 1 ? 8 : 32;
  const isa::Platform platform = wide ? isa::Platform::PVC : isa::Platform::SKL;
  LanePrograms programs(seed, simd, wide ? 64 : 32);
  const std::string text = programs.make();
  const bool alone = std::getenv("HEDDLE_JIT_SEED") != nullptr;
  if (alone) std::fprintf(stderr, "%s", text.c_str());
  BothEngines both(text, platform);
  both.keep_registers = false;
  both.limits.steps = 200000;
  std::mt19937 random(seed);
  both.payload.assign(programs.payload + 64, 0);
  for (std::size_t at = 128; at + 4 <= both.payload.size(); at += 4) {
    std::uint32_t word = static_cast<std::uint32_t>(random());
    if (at < 4 * (wide ? 64u : 32u) + kFloats * 128) {
      const float number = static_cast<float>(static_cast<int>(word % 4096) - 1024) / 512.0f;
      std::memcpy(&word, &number, 4);
    }
    std::memcpy(both.payload.data() + at, &word, 4);
  }
  for (std::uint32_t k = 0; k < 32; ++k) std::memcpy(both.payload.data() + programs.payload - 128 + 4 * k, &k, 4);
  const auto buffer = buffer_of(8192);
  for (std::size_t i = 0; i < 4096; ++i) (*buffer->memory)[i] = static_cast<std::uint8_t>(i * 31 + seed);
  bind(both.bindings, buffer, texture_of("R8G8B8A8_UNORM", 16, 16, random), std::make_shared<image::Sampler>());
  const std::uint32_t all = simd == 32 ? 0xffffffffu : (1u << simd) - 1;
  EXPECT_TRUE(both.agree(simd, all)) << "HEDDLE_JIT_SEED=" << seed << " test_engine --gtest_filter=LanePrograms.*";
  EXPECT_TRUE(both.agree(simd, std::max(1u, seed * 2654435761u & all))) << "HEDDLE_JIT_SEED=" << seed << " (few lanes)";
  if (!alone) return;
  std::fprintf(stderr, "%u instructions compiled, %u left to the reference engine\n", both.counts.emitted,
               both.counts.called);
}

TEST(LanePrograms, BothEnginesLeaveTheSameMemory) {
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM";
  if (const auto seed = heddle::test::number_variable<unsigned>("HEDDLE_JIT_SEED")) return run_seed(*seed);
  const unsigned count = std::getenv("HEDDLE_TEST_ALL") != nullptr ? 2000 : 12;
  const unsigned first = heddle::test::number_variable<unsigned>("HEDDLE_JIT_FIRST").value_or(1);
  for (unsigned seed = first; seed < first + count && !::testing::Test::HasFailure(); ++seed) run_seed(seed);
}

}  // namespace
}  // namespace heddle::engine::testing
