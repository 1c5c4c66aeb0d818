// SPDX-License-Identifier: MIT
#include "toolchain/generate.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string>
#include <string_view>

namespace heddle::bench {
namespace {

constexpr unsigned kFloats = 48, kInts = 24;  // variables of each type, two registers each
constexpr unsigned kLabels = 60'000;          // the format numbers labels with 16 bits

/// In a line: F a float variable, I a d, U a ud, W a uw; B a float block of 16 registers, D the same of ud; # a small
/// number.
constexpr std::string_view kAlu[] = {
    "add (M1, 16) F(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0>",
    "mul (M1, 16) F(0,0)<1> F(0,0)<1;1,0> 0x3f000000:f",
    "mad (M1, 16) F(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0> F(0,0)<1;1,0>",
    "mad.sat (M1, 8) F(0,0)<1> F(0,0)<0;1,0> (-)F(0,0)<1;1,0> F(1,0)<8;8,1>",
    "add (M1, 16) I(0,0)<1> I(0,0)<1;1,0> #:d",
    "mul (M1, 8) I(0,0)<1> I(0,0)<8;8,1> I(0,0)<8;8,1>",
    "(P1) add (M1, 16) I(0,0)<1> (abs)I(0,0)<1;1,0> I(0,0)<1;1,0>",
    "inv (M1, 16) F(0,0)<1> F(0,0)<1;1,0>",
    "sqrt (M1, 16) F(0,0)<1> F(0,0)<1;1,0>",
    "frc (M1, 16) F(0,0)<1> F(0,0)<1;1,0>",
    "shl (M1, 16) U(0,0)<1> U(0,0)<1;1,0> #:ud",
    "and (M1, 16) U(0,0)<1> U(0,0)<1;1,0> 0xff0#:ud",
    "xor (M1, 16) U(0,0)<1> U(0,0)<1;1,0> U(0,0)<1;1,0>",
    "bfe (M1, 8) U(0,0)<1> 8:ud 4:ud U(0,0)<1;1,0>",
    "mov (M1, 16) F(0,0)<1> I(0,0)<1;1,0>",
    "mov (M1, 8) F(1,0)<1> 1.5:f",
    "mov (M1_NM, 8) W(0,0)<1> 0x76543210:v",
    "max (M1, 16) F(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0>",
    "cmp.lt (M1, 16) P1 F(0,0)<1;1,0> 0x0:f",
    "(P1) sel (M1, 16) F(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0>",
};
constexpr std::string_view kImage[] = {
    "sample_3d.RGBA (M1, 16) 0x0:uw S0 T6 B.0 F.0 F.0",
    "sample_l.RGBA (M1, 16) 0x0:uw S0 T7 B.0 F.0 F.0 F.0",
    "sample_lz.RGBA (M1, 16) 0x0:uw S1 T6 B.0 F.0 F.0",
    "sample_b.RGB (M1, 8) 0x0:uw S0 T6 B.64 F.0 F.32 F.0",
    "sample_c_lz.R (M1, 16) 0x0:uw S1 T8 B.0 F.0 F.0 F.0",
    "sample4.R (M1, 16) 0x0:uw S0 T6 B.0 F.0 F.0",
    "sample4.G (M1, 8) 0x123:uw S0 T7 B.64 F.0 F.0",
    "sample4_c.R (M1, 16) 0x0:uw S1 T8 B.0 F.0 F.0 F.0",
    "sample4_po.B (M1, 8) 0x0:uw S0 T6 B.0 F.0 F.0 I.0 I.0",
    "(P1) sample4.A (M1, 16) 0x0:uw S0 T6 B.0 F.0 F.0",
    "load_lz.RGBA (M1, 16) 0x0:uw T6 B.0 I.0 I.0",
    "load_3d.RGBA (M1, 16) 0x0:uw T7 B.0 I.0 I.0 I.0",
    "resinfo.RGBA (M1, 16) T6 U.0 D.0",
    "sampleinfo.R (M1, 8) T6 D.0",
    "rt_write_3d (M1, 16) T8 %null.0 F.0 F.0 F.0 F.0",
    "(P1) rt_write_3d.<LRTW> (M1, 16) T8 %null.0 F.0 F.0 F.0 F.0",
    "sample_unorm.RGBA.16-full S0 T6 F(0,0)<0;1,0> F(0,0)<0;1,0> F(0,0)<0;1,0> F(0,0)<0;1,0> D.0",
};
constexpr std::string_view kMemory[] = {
    "gather4_scaled.RGBA (M1, 16) T6 0x0:ud U.0 D.0",
    "scatter4_scaled.RG (M1, 16) T6 0x10:ud U.0 D.0",
    "gather_scaled.4 (M1, 16) T7 0x0:ud U.0 D.0",
    "scatter_scaled.4 (M1, 16) %slm 0x0:ud U.0 D.0",
    "oword_ld (4) T6 0x1#:ud D.0",
    "oword_st (8) T7 U(0,0)<0;1,0> D.0",
    "dword_atomic.add (M1, 16) T6 U.0 U.0 %null.0 D.0",
    "gather4_typed.RGBA (M1, 8) T6 I.0 I.0 %null.0 %null.0 D.0",
};

class Writer {
 public:
  explicit Writer(std::FILE* out) : out_(out) {}
  ~Writer() { flush(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void text(std::string_view line) {
    buffer_ += line;
    buffer_ += '\n';
    if (buffer_.size() > 60'000) flush();
  }
  void pattern(std::string_view line) {
    buffer_ += "    ";
    for (std::size_t i = 0; i < line.size(); ++i) {
      // Place holders are single letters before a region or an offset.
      const char c = line[i], next = i + 1 < line.size() ? line[i + 1] : ' ';
      const bool alone = i == 0 || line[i - 1] == ' ' || line[i - 1] == ')';
      const bool holder = alone && (next == '(' || next == '.');
      if (c == '#')
        fmt::format_to(std::back_inserter(buffer_), "{}", pick(10));
      else if (holder && c == 'F')
        fmt::format_to(std::back_inserter(buffer_), "F{}", pick(kFloats));
      else if (holder && (c == 'I' || c == 'U' || c == 'W'))
        fmt::format_to(std::back_inserter(buffer_), "{}{}", c, pick(kInts));
      else if (holder && (c == 'B' || c == 'D'))
        fmt::format_to(std::back_inserter(buffer_), "{}{}", c, pick(4));
      else
        buffer_ += c;
    }
    text("");
  }
  template <std::size_t N>
  void any(const std::string_view (&lines)[N]) {
    pattern(lines[pick(static_cast<unsigned>(N))]);
  }
  unsigned pick(unsigned n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<unsigned>((state_ >> 33) % n);
  }

 private:
  void flush() {
    std::fwrite(buffer_.data(), 1, buffer_.size(), out_);
    buffer_.clear();
  }
  std::FILE* out_;
  std::string buffer_;
  std::uint64_t state_ = 0x9e3779b97f4a7c15u;
};

void prologue(Writer& out) {
  out.text(".version 4.1\n.kernel \"generated\"");
  const auto declare = [&](char letter, std::string_view type, unsigned variables, unsigned elements) {
    for (unsigned i = 0; i < variables; ++i)
      out.text(fmt::format(".decl {}{} v_type=G type={} num_elts={} align=GRF", letter, i, type, elements));
  };
  declare('F', "f", kFloats, 16);
  declare('I', "d", kInts, 16);
  declare('U', "ud", kInts, 16);
  declare('W', "uw", kInts, 16);
  declare('B', "f", 4, 128);
  declare('D', "ud", 4, 128);
  out.text(".decl P1 v_type=P num_elts=16");
  for (const char* sampler : {"S0", "S1"}) out.text(fmt::format(".decl {} v_type=S num_elts=1", sampler));
  for (const char* surface : {"T6", "T7", "T8"}) out.text(fmt::format(".decl {} v_type=T num_elts=1", surface));
  out.text(".kernel_attr Target=\"3d\"");
}

}  // namespace

void generate(std::FILE* file, Mix mix, std::uint64_t count, bool error_at_end) {
  Writer out(file);
  prologue(out);
  std::uint64_t labels = 0;
  for (std::uint64_t n = 0; n < count; ++n) {
    const unsigned roll = out.pick(100);
    if (mix == Mix::Image) {
      out.any(kImage);
    } else if (roll < 60) {
      out.any(kAlu);
    } else if (roll < 75) {
      out.any(kImage);
    } else if (roll < 90) {
      out.any(kMemory);
    } else if (labels == kLabels) {
      out.text(fmt::format("    (P1) goto (M1, 16) L{}", out.pick(kLabels)));
    } else if (n + 3 < count) {
      // A forward jump over one instruction.
      out.text(fmt::format("    {}goto (M1, 16) L{}", out.pick(2) == 0 ? "(P1) " : "(!P1) ", labels));
      out.any(kAlu);
      out.text(fmt::format("L{}:", labels));
      ++labels;
      n += 2;
    } else {
      out.any(kAlu);
    }
  }
  if (error_at_end) out.text("    no_such_mnemonic (M1, 16)");
}

}  // namespace heddle::bench
