// SPDX-License-Identifier: MIT
#pragma once
// Random kernels as text: all types, regions, modifiers, saturation, predicates, masks, modes, memory, indirect
// regions, control flow.

#include <algorithm>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "text/text.hpp"

namespace heddle::engine::testing {

/// Given bytes first, so that a fuzzer steers; then a generator.
class RandomSource {
 public:
  explicit RandomSource(unsigned seed) : random_(seed) {}
  RandomSource(unsigned seed, std::span<const std::uint8_t> bytes) : random_(seed), bytes_(bytes) {}
  std::uint32_t operator()() {
    if (bytes_.empty()) return static_cast<std::uint32_t>(random_());
    const std::uint32_t word = bytes_[0] | static_cast<std::uint32_t>(random_()) << 8;
    bytes_ = bytes_.subspan(1);
    return word;
  }

 private:
  std::mt19937 random_;
  std::span<const std::uint8_t> bytes_;
};

/// A variable of the general kind.
inline std::string variable_line(const std::string& name, const std::string& type, unsigned elements) {
  return ".decl " + name + " v_type=G type=" + type + " num_elts=" + std::to_string(elements) + " align=GRF\n";
}

constexpr const char* kTypes[] = {"ud", "d", "uw", "w", "ub", "b", "uq", "q", "f", "hf", "df"};
constexpr unsigned kBytes[] = {4, 4, 2, 2, 1, 1, 8, 8, 4, 2, 8};
constexpr unsigned kIntegers = 8, kFirstFloat = 8, kElements = 32;

class Programs {
 public:
  Programs(RandomSource random, unsigned grf, unsigned simd) : random_(std::move(random)), grf_(grf), simd_(simd) {}

  std::string make() {
    std::string text;
    unsigned offset = 4 * grf_;
    for (unsigned t = 0; t < std::size(kTypes); ++t)
      for (unsigned i = 0; i < 2; ++i) {
        text += variable_line(variable(t, i), kTypes[t], kElements);
        text += fmt::format(".input {} offset={} size={}\n", variable(t, i), offset, kElements * kBytes[t]);
        offset += (kElements * kBytes[t] + grf_ - 1) / grf_ * grf_;
      }
    payload = offset;
    text += variable_line("O", "ud", 32) + variable_line("D", "ud", 128) + variable_line("X", "ud", 64);
    for (unsigned p = 1; p < 4; ++p) text += fmt::format(".decl P{} v_type=P num_elts=32\n", p);
    text += variable_line("A64", "uq", 32) + variable_line("C", "f", 64) + variable_line("E", "ud", 128);
    text += ".decl A0 v_type=A num_elts=16\n.decl T6 v_type=T num_elts=1\n.decl T7 v_type=T num_elts=1\n";
    text += ".decl S0 v_type=S num_elts=1\n";
    control();
    body(2);
    text += declarations_ + code_ + "ret (M1, 1)\n" + routines_;
    return text;
  }
  unsigned payload = 0;

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool one_in(unsigned n) { return below(n) == 0; }
  std::string variable(unsigned type, unsigned i) const { return fmt::format("V{}{}", kTypes[type], i); }
  void line(const std::string& text) { code_ += text + "\n"; }

  /// The same modes for the whole program; some are compiled, the others are left to the reference engine.
  void control() {
    const unsigned pick = below(8);
    if (pick < 4) line("or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x4c0:ud");
    if (pick == 4) line("and (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x0:ud");
    if (pick == 5)
      line(fmt::format("xor (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x{:x}:ud", below(4) << 4 | below(2)));
  }

  struct Exec {
    unsigned lanes, offset;
    std::string text;
  };
  Exec exec(unsigned least = 1) {
    Exec e{1u << below(6), 0, {}};
    if (one_in(2)) e.lanes = simd_ < 16 ? simd_ : 16;
    e.lanes = std::max(std::min(e.lanes, simd_), least);
    const unsigned step = std::max(e.lanes, 4u), places = 32 / step;
    e.offset = one_in(3) ? below(places) * step : 0;
    if (e.offset + e.lanes > 32) e.offset = 0;
    e.text = fmt::format("(M{}{}, {})", e.offset / 4 + 1, one_in(4) ? "_NM" : "", e.lanes);
    return e;
  }
  std::string predicate() {
    if (!one_in(3)) return {};
    return fmt::format("({}P{}{}) ", one_in(2) ? "!" : "", 1 + below(3),
                       one_in(4) ? (one_in(2) ? ".any" : ".all") : "");
  }

  std::string place(unsigned type, unsigned extent) {
    const unsigned first = below(kElements - extent + 1), at = first * kBytes[type];
    return fmt::format("({},{})", at / grf_, at % grf_ / kBytes[type]);
  }
  std::string destination(unsigned type, const Exec& e) {
    unsigned h = 1u << below(3);
    while ((e.lanes - 1) * h + 1 > kElements) h /= 2;
    if (!one_in(3)) h = 1;
    return variable(type, below(2)) + place(type, (e.lanes - 1) * h + 1) + fmt::format("<{}>", h);
  }
  std::string modifier(bool logic) {
    if (!one_in(3)) return {};
    if (logic) return "(~)";
    constexpr const char* kText[] = {"(-)", "(abs)", "(-abs)"};
    return kText[below(3)];
  }
  enum Modifiers { kNone, kArithmetic, kLogic };
  std::string source(unsigned type, const Exec& e, Modifiers modifiers = kNone, bool immediate = true) {
    if (immediate && one_in(5)) return constant(type);
    const std::string sign = modifiers == kNone ? "" : modifier(modifiers == kLogic);
    if (one_in(4)) return sign + variable(type, below(2)) + place(type, 1) + "<0;1,0>";
    if (one_in(2)) return sign + variable(type, below(2)) + place(type, e.lanes) + "<1;1,0>";
    constexpr unsigned kV[] = {0, 1, 2, 4, 8, 16, 32}, kH[] = {0, 1, 2, 4};
    for (;;) {
      const unsigned w = 1u << below(5), v = kV[below(7)], h = kH[below(4)];
      if (w > e.lanes) continue;
      unsigned extent = 0;
      for (unsigned k = 0; k < e.lanes; ++k) extent = std::max(extent, k / w * v + k % w * h);
      if (extent >= kElements) continue;
      return sign + variable(type, below(2)) + place(type, extent + 1) + fmt::format("<{};{},{}>", v, w, h);
    }
  }
  std::string constant(unsigned type) {
    switch (kBytes[type]) {
      case 1:
        return fmt::format("0x{:x}:{}", below(128), type == 4 ? "uw" : "w");
      case 2:
        return fmt::format("0x{:x}:{}", below(0x8000), kTypes[type]);
      case 8:
        return fmt::format("0x{:x}{:08x}:{}", random_() & 0x7fffffffu, random_(), kTypes[type]);
      default:
        if (type >= kFirstFloat) return fmt::format("0x{:x}:f", special());
        return fmt::format("0x{:x}:{}", one_in(2) ? below(64) : random_() & 0x7fffffffu, kTypes[type]);
    }
  }
  unsigned special() {
    constexpr unsigned kWords[] = {0,           0x80000000u, 0x3f800000u, 0xbf000000u, 0x7f800000u, 0xff800000u,
                                   0x7fc12345u, 1,           0x807fffffu, 0x4b000001u, 0x4f000000u, 0x42280000u};
    return kWords[below(std::size(kWords))];
  }
  unsigned an_integer() { return below(kIntegers); }
  unsigned narrow_integer() { return below(6); }
  std::string sat() { return one_in(3) ? ".sat" : ""; }

  void arithmetic() {
    const Exec e = exec();
    constexpr const char* kTwo[] = {"add", "mul", "avg", "min", "max", "add", "mul"};
    const unsigned op = below(std::size(kTwo));
    const unsigned a = an_integer(), b = an_integer(), to = an_integer();
    const bool bare = op == 3 || op == 4;
    line((bare ? "" : predicate()) + kTwo[op] + sat() + " " + e.text + " " + destination(to, e) + " " +
         source(a, e, kArithmetic) + " " + source(b, e, kArithmetic));
  }
  void divide() {
    const Exec e = exec();
    line(predicate() + (one_in(2) ? "div " : "mod ") + e.text + " " + destination(narrow_integer(), e) + " " +
         source(narrow_integer(), e, kArithmetic) + " " + source(narrow_integer(), e));
  }
  void three() {
    const Exec e = exec();
    if (one_in(2)) {
      line(predicate() + "mad " + e.text + " " + destination(an_integer(), e) + " " + source(an_integer(), e) + " " +
           source(an_integer(), e, kArithmetic) + " " + source(an_integer(), e));
    } else if (one_in(3)) {
      const bool bytes = one_in(2);  // dp4a
      const auto type = [&] { return bytes || one_in(2) ? below(2) : narrow_integer(); };
      line((bytes ? "dp4a" + sat() : predicate() + "madw") + " " + e.text + " " + destination(below(2), e) + " " +
           source(type(), e) + " " + source(type(), e) + " " + source(type(), e));
    } else if (one_in(2)) {
      line("add3" + sat() + " " + e.text + " " + destination(below(4), e) + " " + source(below(4), e) + " " +
           source(below(4), e) + " " + source(below(4), e));
    } else {
      const unsigned t = below(2);
      line(predicate() + (one_in(2) ? "addc " : "subb ") + e.text + " " + destination(0, e) + " " + destination(0, e) +
           " " + source(0, e) + " " + source(t == 0 ? 0u : 0u, e));
    }
  }
  unsigned a_float() { return kFirstFloat + below(3); }
  void floating() {
    const Exec e = exec();
    constexpr const char* kOne[] = {"inv", "log", "exp",  "sqrt", "rsqrt", "sin",
                                    "cos", "frc", "rndd", "rndu", "rnde",  "rndz"};
    constexpr const char* kTwo[] = {"add", "mul", "div", "pow", "min", "max", "add", "mul"};
    const unsigned t = one_in(2) ? kFirstFloat : a_float(), to = one_in(6)              ? an_integer()
                                                                 : one_in(4) && t != 10 ? kFirstFloat + below(2)
                                                                                        : t;
    const unsigned kind = below(4);
    if (one_in(16)) {
      const Exec groups = exec(4);
      constexpr const char* kDot[] = {"dp2", "dp3", "dp4", "dph"};
      line(predicate() + kDot[below(4)] + " " + groups.text + " " + destination(kFirstFloat, groups) + " " +
           source(kFirstFloat, groups, kArithmetic) + " " + source(kFirstFloat, groups, kArithmetic));
      return;
    }
    const std::string head = e.text + " " + destination(to, e) + " " + source(t, e, kArithmetic);
    if (kind == 0) {
      line(predicate() + kOne[below(std::size(kOne))] + sat() + " " + head);
    } else if (kind == 1) {
      line(predicate() + (one_in(4) ? "lrp" : "mad") + sat() + " " + head + " " + source(t, e, kArithmetic) + " " +
           source(t, e, kArithmetic));
    } else {
      const unsigned op = below(std::size(kTwo));
      line((op == 4 || op == 5 ? "" : predicate()) + kTwo[op] + sat() + " " + head + " " +
           source(one_in(5) && t != 10 ? kFirstFloat + below(2) : t, e, kArithmetic));
    }
  }
  void bits() {
    const Exec e = exec();
    constexpr const char* kTwo[] = {"and", "or", "xor", "shl", "shr", "asr"};
    switch (below(5)) {
      case 0:
        line(predicate() + "not " + e.text + " " + destination(an_integer(), e) + " " +
             source(an_integer(), e, kLogic));
        break;
      case 1: {
        constexpr const char* kOne[] = {"cbit", "fbl", "fbh", "bfrev", "lzd"};
        const unsigned op = below(5);
        line(predicate() + kOne[op] + " " + e.text + " " + destination(0, e) + " " +
             source(op == 0   ? narrow_integer()
                    : op == 2 ? below(2)
                              : 0u,
                    e));
        break;
      }
      case 2: {
        const unsigned op = below(3);
        if (op == 0)
          line("bfe " + e.text + " " + destination(below(2), e) + " " + source(0, e) + " " + source(0, e) + " " +
               source(0, e));
        else if (op == 1)
          line("bfi " + e.text + " " + destination(below(2), e) + " " + source(0, e) + " " + source(0, e) + " " +
               source(0, e) + " " + source(0, e));
        else
          line(fmt::format("bfn.x{:02x} ", below(256)) + e.text + " " + destination(below(4), e) + " " +
               source(below(4), e) + " " + source(below(4), e) + " " + source(below(4), e));
        break;
      }
      default: {
        const unsigned op = below(std::size(kTwo));
        if (one_in(6)) {
          const unsigned t = below(4);
          line(predicate() + (one_in(2) ? "rol " : "ror ") + e.text + " " + destination(t, e) + " " +
               source(t, e, kNone, false) + " " + source(t, e));
        } else {
          line(predicate() + kTwo[op] + " " + e.text + " " + destination(an_integer(), e) + " " +
               source(an_integer(), e, op < 3 ? kLogic : kArithmetic) + " " +
               source(an_integer(), e, op < 3 ? kLogic : kNone));
        }
        break;
      }
    }
  }
  void moves() {
    const Exec e = exec();
    const unsigned from = below(11), to = below(11);
    if (one_in(3))
      line(predicate() + "sel" + sat() + " " + e.text + " " + destination(to, e) + " " + source(from, e, kArithmetic) +
           " " + source(one_in(2) ? from : below(8), e, kArithmetic));
    else
      line(predicate() + "mov" + sat() + " " + e.text + " " + destination(to, e) + " " + source(from, e, kArithmetic));
  }
  void predicates() {
    const Exec e = exec();
    constexpr const char* kRelations[] = {"eq", "ne", "gt", "ge", "lt", "le"};
    const unsigned p = 1 + below(3);
    switch (below(6)) {
      case 0:
        line(fmt::format("setp {} P{} {}", e.text, p, source(0, e)));
        break;
      case 1:
        line(fmt::format("{} {} P{} P{} P{}",
                         one_in(2)   ? "and"
                         : one_in(2) ? "or"
                                     : "xor",
                         e.text, p, 1 + below(3), 1 + below(3)));
        break;
      case 2:
        line(fmt::format("mov (M1_NM, 1) {} P{}", destination(below(4), {1, 0, {}}), p));
        break;
      default: {
        const bool is_float = one_in(2);
        const unsigned a = is_float ? a_float() : an_integer(), b = is_float ? a : an_integer();
        const std::string to = one_in(4) ? destination(an_integer(), e) : fmt::format("P{}", p);
        line(fmt::format("cmp.{} {} {} {} {}", kRelations[below(6)], e.text, to, source(a, e, kArithmetic),
                         source(b, e, kArithmetic)));
        break;
      }
    }
  }
  void memory() {
    const unsigned n = simd_ >= 16 && one_in(2) ? 16 : 8;
    const std::string lanes = fmt::format("({}, {})", one_in(4) ? "M1_NM" : "M1", n);
    const unsigned shift = below(4);
    line(fmt::format("and (M1_NM, {}) O(0,0)<1> Vud0(0,0)<1;1,0> 0x{:x}:ud", n, shift == 0 ? 0xfffu : 0x3ffu));
    const char* surface = one_in(3) ? "%slm" : "T6";
    const std::string global = one_in(2) ? "0x0:ud" : fmt::format("0x{:x}:ud", below(64));
    switch (below(6)) {
      case 0:
        line(fmt::format("{}gather4_scaled.{} {} {} {} O.0 D.0", predicate(), one_in(2) ? "R" : "RGBA", lanes, surface,
                         global));
        break;
      case 1:
        line(fmt::format("{}scatter4_scaled.{} {} {} {} O.0 Vf0.0", predicate(), one_in(2) ? "R" : "RG", lanes, surface,
                         global));
        break;
      case 2:
        line(fmt::format("{}gather_scaled.{} {} {} {} O.0 D.0", predicate(), 1u << below(3), lanes, surface, global));
        break;
      case 3:
        line(
            fmt::format("{}scatter_scaled.{} {} {} {} O.0 Vd0.0", predicate(), 1u << below(3), lanes, surface, global));
        break;
      case 4:
        line(fmt::format("oword_ld ({}) {} 0x{:x}:ud D.0", 1u << below(4), surface, below(70)));
        break;
      default:
        line(fmt::format("oword_st ({}) {} 0x{:x}:ud Vud1.0", 1u << below(3), surface, below(70)));
        break;
    }
  }
  /// 64-bit addresses and atomics.
  void far_memory() {
    const unsigned n = simd_ >= 16 && one_in(2) ? 16 : 8;
    const std::string lanes = fmt::format("({}, {})", one_in(4) ? "M1_NM" : "M1", n);
    line(fmt::format("and (M1_NM, {}) A64(0,0)<1> Vuq0(0,0)<1;1,0> 0x{:x}:uq", n, one_in(3) ? 0x3ff : 0x1f8));
    line(fmt::format("or (M1_NM, {}) A64(0,0)<1> A64(0,0)<1;1,0> 0x100000000:uq", n));
    constexpr const char* kAtomics[] = {"add", "min", "xor", "maxsint", "xchg"};
    switch (below(5)) {
      case 0:
        line(fmt::format("{}svm_gather.{}.{} {} A64.0 D.0", predicate(), one_in(2) ? 1 : 4, 1u << below(2), lanes));
        break;
      case 1:
        line(fmt::format("{}svm_scatter.{}.{} {} A64.0 Vd0.0", predicate(), one_in(2) ? 1 : 4, 1u << below(2), lanes));
        break;
      case 2:
        line(fmt::format("svm_block_ld ({}) A64(0,0)<0;1,0> D.0", 1u << below(4)));
        break;
      case 3:
        line(fmt::format("and (M1_NM, 8) O(0,0)<1> Vud0(0,0)<1;1,0> 0x3fc:ud"));
        line(fmt::format("{}dword_atomic.{} (M1, 8) {} O.0 Vd1.0 %null.0 D.0", predicate(), kAtomics[below(5)],
                         one_in(3) ? "%slm" : "T6"));
        break;
      default:
        line(fmt::format("{}svm_atomic.{}{} {} A64.0 {} Vud1.0 %null.0", predicate(), kAtomics[below(5)],
                         one_in(4) ? ".16" : "", lanes, one_in(3) ? "%null.0" : "D.0"));
        break;
    }
  }
  void images() {
    const unsigned n = simd_ >= 16 && one_in(2) ? 16 : 8, after = 4 * n;
    const std::string lanes = fmt::format("({}, {})", one_in(4) ? "M1_NM" : "M1", n);
    constexpr const char* kChannels[] = {"R", "RG", "RGB", "RGBA", "GA"};
    const char* channels = kChannels[below(5)];
    const std::string offset = one_in(3) ? fmt::format("0x{:x}:uw", below(0x1000)) : "0x0:uw";
    for (unsigned i = 0; i < 3; ++i)
      line(fmt::format("mul (M1_NM, {}) C({},0)<1> {} 0x3c000000:f", n, i * after / grf_,
                       source(kFirstFloat, {n, 0, {}}, kNone, false)));
    line(fmt::format("and (M1_NM, {}) O(0,0)<1> Vud0(0,0)<1;1,0> 0x1f:ud", n));
    const std::string three = fmt::format("C.0 C.{} C.{}", after, 2 * after);
    switch (below(7)) {
      case 0:
        line(fmt::format("{}sample_lz.{} {} {} S0 T7 D.0 {}", predicate(), channels, lanes, offset, three));
        break;
      case 1:
        line(fmt::format("{}sample_l.{} {} {} S0 T7 D.0 {}", predicate(), channels, lanes, offset, three));
        break;
      case 2:
        line(fmt::format("{}sample.{} {} {} S0 T7 D.0 {}", predicate(), channels, lanes, offset, three));
        break;
      case 3:
        line(fmt::format("{}load_lz.{} {} {} T7 D.0 O.0 O.0 E.0", predicate(), channels, lanes, offset));
        break;
      case 4:
        line(fmt::format("{}sample4.{} {} {} S0 T7 D.0 {}", predicate(), one_in(2) ? "R" : "G", lanes, offset, three));
        break;
      case 5:
        line(fmt::format("{}scatter4_typed.RGBA {} T7 O.0 O.0 E.0 %null.0 D.0", predicate(), lanes));
        break;
      default:
        line(fmt::format("resinfo.{} {} T7 E.0 D.0", channels, lanes));
        break;
    }
  }
  void indirect() {
    const unsigned n = simd_ >= 16 && one_in(2) ? 16 : 8;
    const std::string mask = one_in(2) ? "M1_NM" : "M1";
    line(fmt::format("and (M1_NM, {}) O(0,0)<1> Vud1(0,0)<1;1,0> 0x{:x}:ud", n, one_in(3) ? 0x1ffu : 0x7cu));
    if (one_in(2)) {
      line("mov (M1_NM, 16) Vuw0(0,0)<1> O(0,0)<1;1,0>");
      line(fmt::format("addr_add ({}, {}) A0(0)<{}> &X Vuw0(0,0)<1;1,0>", mask, n, n));
      if (one_in(4)) line(fmt::format("addr_add ({}, {}) A0(0)<{}> A0(0)<{}> 4:uw", mask, n, n, n));
      line(fmt::format("{}mov (M1, {}) {} r[A0(0),{}]<1,0>:ud", predicate(), n, destination(1, {n, 0, {}}),
                       below(3) * 4));
    } else {
      line("mov (M1_NM, 1) Vuw1(0,0)<1> O(0,0)<0;1,0>");
      line("addr_add (M1_NM, 1) A0(0)<1> &X Vuw1(0,0)<0;1,0>");
      if (one_in(2))
        line(fmt::format("{}mov (M1, {}) {} r[A0(0),{}]<{};{},1>:{}", predicate(), n, destination(below(8), {n, 0, {}}),
                         below(2) * 8, n, n, one_in(2) ? "uw" : "f"));
      else
        line(fmt::format("{}mov (M1, {}) r[A0(0),0]<1>:ud {}", predicate(), n, source(0, {n, 0, {}})));
    }
  }

  void statement() {
    switch (below(10)) {
      case 0:
      case 1:
        return arithmetic();
      case 2:
      case 3:
        return floating();
      case 4:
        return bits();
      case 5:
        return moves();
      case 6:
        return predicates();
      case 7:
        return one_in(2) ? divide() : three();
      case 8:
        return one_in(3) ? far_memory() : one_in(3) ? images() : memory();
      default:
        return one_in(2) ? indirect() : moves();
    }
  }

  void body(unsigned depth) {
    const unsigned count = 4 + below(6);
    for (unsigned i = 0; i < count; ++i) {
      const unsigned pick = below(12);
      const std::string lanes = fmt::format("(M1, {})", simd_);
      if (depth > 0 && pick == 0) {  // if, else
        const unsigned other = labels_++, end = labels_++;
        line(fmt::format("({}P{}) goto {} L{}", one_in(2) ? "!" : "", 1 + below(3), one_in(4) ? "(M1, 1)" : lanes,
                         other));
        body(depth - 1);
        line(fmt::format("goto {} L{}\nL{}:", lanes, end, other));
        body(depth - 1);
        line(fmt::format("L{}:", end));
      } else if (depth > 0 && pick == 1) {  // a loop of at most three rounds, left early by some lanes
        const unsigned again = labels_++, end = labels_++, counter = counters_++;
        declarations_ += variable_line(fmt::format("N{}", counter), "ud", 32) +
                         fmt::format(".decl P{} v_type=P num_elts=32\n", 10 + counter);
        line(fmt::format("mov (M1_NM, 32) N{}(0,0)<1> 0:ud\nL{}:", counter, again));
        body(depth - 1);
        line(fmt::format("add (M1_NM, 32) N{0}(0,0)<1> N{0}(0,0)<1;1,0> 1:ud", counter));
        if (one_in(2)) line(fmt::format("(P{}) goto {} L{}", 1 + below(3), lanes, end));
        line(fmt::format("cmp.lt (M1, {}) P{} N{}(0,0)<1;1,0> 3:ud", simd_, 10 + counter, counter));
        line(fmt::format("(P{}) goto {} L{}\nL{}:", 10 + counter, lanes, again, end));
      } else if (depth > 0 && pick == 2) {  // a subroutine
        const unsigned routine = routine_++;
        line(fmt::format("{}call {} sub{}", one_in(3) ? fmt::format("(P{}) ", 1 + below(3)) : "", lanes, routine));
        std::string outer = std::exchange(code_, {});
        body(depth - 1);
        if (one_in(3)) line(fmt::format("(P{}) ret {}", 1 + below(3), lanes));
        body(0);
        routines_ += fmt::format(".function \"sub{0}\"\nsub{0}:\n", routine) + code_ + fmt::format("ret {}\n", lanes);
        code_ = std::move(outer);
      } else {
        statement();
      }
    }
  }

  RandomSource random_;
  unsigned grf_, simd_, labels_ = 0, counters_ = 0, routine_ = 0;
  std::string code_, routines_, declarations_;
};

inline std::vector<std::uint8_t> payload_of(unsigned seed, unsigned bytes) {
  std::mt19937 random(seed * 77 + 1);
  std::vector<std::uint8_t> payload(bytes);
  for (unsigned at = 0; at + 4 <= bytes; at += 4) {
    std::uint32_t word = static_cast<std::uint32_t>(random());
    switch (random() % 6) {
      case 0:
        word = static_cast<std::uint32_t>(random() % 256);
        break;
      case 1: {  // numbers of plain size, and not numbers
        constexpr std::uint32_t kWords[] = {
            0x3f800000u, 0xc0490fdbu, 0x7f800000u, 0xff800000u, 0x7fa00001u, 0x80000001u, 0x00400000u, 0x7bff3c00u,
            0x7e01fc00u, 0x03ff8001u, 0x3ff00000u, 0xffffffffu, 0x7ff00000u, 0x80000000u, 0x7fffffffu, 0x00100000u};
        word = kWords[random() % std::size(kWords)];
        break;
      }
      case 2: {
        const float x = (static_cast<float>(random() % 20001) - 10000) / 64;
        std::memcpy(&word, &x, 4);
        break;
      }
      default:
        break;
    }
    std::memcpy(payload.data() + at, &word, 4);
  }
  return payload;
}

/// Drops the lines that the parser does not take (saturation or types that an instruction has not).
inline std::string readable(const std::string& text, isa::Platform platform) {
  base::Diagnostics problems(100000);
  text::ParseOptions options;
  options.platform = platform;
  (void)text::parse(".version 4.1\n.kernel k\n" + text, "test.visaasm", options, problems);
  std::vector<bool> wrong;
  for (const auto& d : problems.all()) {
    if (d.severity != base::Severity::Error) continue;
    wrong.resize(std::max<std::size_t>(wrong.size(), d.place.line + 1));
    wrong[d.place.line] = true;
  }
  std::string out;
  std::size_t line = 3, begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    if (line >= wrong.size() || !wrong[line]) out += text.substr(begin, end - begin);
    begin = end;
    ++line;
  }
  return out;
}

}  // namespace heddle::engine::testing
