// SPDX-License-Identifier: MIT
#include <random>

#include "peers/opencl/fresh.hpp"

namespace heddle::peers {
namespace {

const char* const kTypes[] = {"uchar", "char", "ushort", "short", "uint", "int", "ulong", "long"};

struct Writer {
  std::mt19937 random;
  std::string text;
  unsigned depth = 1, loops = 0;

  explicit Writer(unsigned seed) : random(seed) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(random() % n); }
  void line(const std::string& s) { text += std::string(depth * 2, ' ') + s + "\n"; }

  /// A value of 32 unsigned bits.
  std::string word(unsigned level) {
    if (level == 0 || below(6) == 0) {
      switch (below(6)) {
        case 0:
          return std::to_string(random() % 1000) + "u";
        case 1:
          return "(uint)v" + std::to_string(below(6));
        case 2:
          return "(uint)t[v" + std::to_string(below(6)) + " & 7]";
        case 3:
          return "(uint)q" + std::to_string(below(3));
        default:
          return "v" + std::to_string(below(6));
      }
    }
    const auto w = [&] { return word(level - 1); };
    const std::string type = kTypes[below(6)];
    switch (below(26)) {
      case 0:
      case 1:
        return "(" + w() + " + " + w() + ")";
      case 2:
        return "(" + w() + " - " + w() + ")";
      case 3:
        return "(" + w() + " * " + w() + ")";
      case 4:
        return "(" + w() + " / (" + w() + " | 1u))";
      case 5:
        return "(" + w() + " % (" + w() + " | 3u))";
      case 6:
        return "(" + w() + " ^ " + w() + ")";
      case 7:
        return "(" + w() + " & ~" + w() + ")";
      case 8:
        return "(" + w() + " << (" + w() + " & 31u))";
      case 9:
        return "(" + w() + " >> (" + w() + " & 31u))";
      case 10:
        return "((uint)((int)" + w() + " >> (" + w() + " & 31u)))";
      case 11:
        return "((uint)(" + type + ")" + w() + ")";
      case 12:
        return "((" + type + ")" + w() + " < (" + type + ")" + w() + " ? " + w() + " : " + w() + ")";
      case 13:
        return "(uint)" + std::string(below(2) != 0 ? "min" : "max") + "((" + type + ")" + w() + ", (" + type + ")" +
               w() + ")";
      case 14:
        return "(uint)" + std::string(below(2) != 0 ? "add_sat" : "sub_sat") + "((" + type + ")" + w() + ", (" + type +
               ")" + w() + ")";
      case 15:
        return "mul_hi(" + w() + ", " + w() + ")";
      case 16:
        return "rotate(" + w() + ", " + w() + ")";
      case 17:
        return "(uint)(clz(" + w() + ") + popcount((" + type + ")" + w() + "))";
      case 18:
        return "(uint)hadd((" + type + ")" + w() + ", (" + type + ")" + w() + ")";
      case 19:
        return "bitselect(" + w() + ", " + w() + ", " + w() + ")";
      case 20:
        return "(uint)convert_" + type + "_sat((int)" + w() + ")";
      case 21:
        return "(uint)(" + wide(level - 1) + " >> " + std::to_string(below(60)) + ")";
      case 22:
        return "(uint)convert_int_sat(" + real(level - 1) + ")";
      case 23:
        return "(uint)abs_diff((int)" + w() + ", (int)" + w() + ")";
      case 24:
        return "(uint)((int)" + w() + " / 7 + (int)" + w() + " % 5)";
      default:
        return "((" + real(level - 1) + " <= " + real(level - 1) + ") ? " + w() + " : " + w() + ")";
    }
  }

  /// A value of 64 unsigned bits.
  std::string wide(unsigned level) {
    if (level == 0) return below(2) != 0 ? "q" + std::to_string(below(3)) : "(ulong)v" + std::to_string(below(6));
    const auto q = [&] { return wide(level - 1); };
    switch (below(10)) {
      case 0:
        return "(" + q() + " + " + q() + ")";
      case 1:
        return "(" + q() + " - " + q() + ")";
      case 2:
        return "(" + q() + " * " + q() + ")";
      case 3:
        return "(" + q() + " ^ " + q() + ")";
      case 4:
        return "(" + q() + " << (" + word(level - 1) + " & 63u))";
      case 5:
        return "(" + q() + " >> (" + word(level - 1) + " & 63u))";
      case 6:
        return "(ulong)(long)(int)" + word(level - 1);
      case 7:
        return "upsample(" + word(level - 1) + ", " + word(level - 1) + ")";
      case 8:
        return "((long)" + q() + " < (long)" + q() + " ? " + q() + " : " + q() + ")";
      default:
        return "rotate(" + q() + ", (ulong)" + std::to_string(below(64)) + ")";
    }
  }

  /// Operations that IEEE leaves one result (or a NaN, or a zero of either sign).
  std::string real(unsigned level) {
    if (level == 0) {
      switch (below(4)) {
        case 0:
          return "convert_float((int)v" + std::to_string(below(6)) + ")";
        case 1:
          return std::to_string(below(100)) + "." + std::to_string(below(1000)) + "f";
        default:
          return "f" + std::to_string(below(3));
      }
    }
    const auto f = [&] { return real(level - 1); };
    switch (below(11)) {
      case 0:
      case 1:
        return "(" + f() + " + " + f() + ")";
      case 2:
        return "(" + f() + " - " + f() + ")";
      case 3:
      case 4:
        return "(" + f() + " * " + f() + ")";
      case 5:
        return "fma(" + f() + ", " + f() + ", " + f() + ")";
      case 6:
        return std::string(below(2) != 0 ? "fmin" : "fmax") + "(" + f() + ", " + f() + ")";
      case 7: {
        const char* const kRound[] = {"floor", "ceil", "trunc", "rint", "fabs"};
        return std::string(kRound[below(5)]) + "(" + f() + ")";
      }
      case 8:
        return "-" + f();
      case 9:
        return "(" + f() + " > " + f() + " ? " + f() + " : " + f() + ")";
      default:
        return "convert_float(" + word(level - 1) + " >> 9)";
    }
  }

  void statement(unsigned level) {
    switch (below(level == 0 ? 5 : 9)) {
      case 0:
      case 1:
        return line("v" + std::to_string(below(6)) + " = " + word(3) + ";");
      case 2:
        return line("q" + std::to_string(below(3)) + " = " + wide(2) + ";");
      case 3:
        return line("f" + std::to_string(below(3)) + " = " + real(3) + ";");
      case 4:
        return line("t[v" + std::to_string(below(6)) + " & 7] = (" + kTypes[below(6)] + ")" + word(2) + ";");
      case 5:
        line("if (" + word(2) + " % 3u == 0u) {");
        block(level - 1);
        if (below(2) != 0) {
          line("} else {");
          block(level - 1);
        }
        return line("}");
      case 6: {
        const std::string k = "k" + std::to_string(loops++);
        line("for (uint " + k + " = 0; " + k + " < (" + word(1) + " & 7u); ++" + k + ") {");
        block(level - 1);
        ++depth;
        if (below(2) != 0) line("if ((" + word(1) + " & 7u) == " + k + ") break;");
        if (below(3) == 0) line("if (" + word(1) + " & 1u) continue;");
        line("v" + std::to_string(below(6)) + " += " + k + ";");
        --depth;
        return line("}");
      }
      case 7:
        line("switch (" + word(1) + " % 5u) {");
        for (unsigned i = 0; i < 3; ++i) {
          line("case " + std::to_string(i) + ":");
          block(level - 1);
          if (below(4) != 0) line("  break;");
        }
        line("default:");
        block(level - 1);
        return line("}");
      default: {
        const std::string k = "k" + std::to_string(loops++);
        line("uint " + k + " = " + word(1) + " & 3u;");
        line("while (" + k + " < 6u) {");
        block(level - 1);
        line("  " + k + " += 1u + (" + word(1) + " & 1u);");
        return line("}");
      }
    }
  }
  void block(unsigned level) {
    ++depth;
    line("{");
    for (unsigned i = 1 + below(3); i > 0; --i) statement(level);
    line("}");
    --depth;
  }
};

}  // namespace

std::string random_kernel(const std::string& name, unsigned seed) {
  Writer w(seed);
  w.text = "//! global 64\n//! local 32\n//! out o u32 1024\n//! in a u32 256\n//! in r f32 64 -1000 1000\n";
  w.text += "__kernel void " + name + "(__global uint* o, __global const uint* a, __global const float* r) {\n";
  w.text += "#pragma OPENCL FP_CONTRACT OFF\n";
  w.line("__local uint s[32];");
  w.line("uint g = get_global_id(0), l = get_local_id(0);");
  w.line("uint v0 = a[g * 4], v1 = a[g * 4 + 1], v2 = g, v3 = a[g * 4 + 2], v4 = 7u, v5 = l;");
  w.line("ulong q0 = upsample(v0, v1), q1 = (ulong)v3 * v1, q2 = g;");
  w.line("float f0 = r[g], f1 = r[63 - g] * 1e-3f, f2 = 0.5f;");
  w.line(std::string(kTypes[w.below(6)]) + " t[8];");
  w.line("for (uint i = 0; i < 8; ++i) t[i] = v0 >> i;");
  for (unsigned part = 0; part < 3; ++part) {
    for (unsigned i = 2 + w.below(3); i > 0; --i) w.statement(2);
    if (part == 2) break;
    w.line("s[l] = v0 ^ v5;");
    w.line("barrier(CLK_LOCAL_MEM_FENCE);");
    w.line("v" + std::to_string(w.below(6)) + " += s[(l * 5 + " + std::to_string(w.below(32)) + ") & 31];");
    w.line("barrier(CLK_LOCAL_MEM_FENCE);");
  }
  for (unsigned i = 0; i < 6; ++i) w.line("o[g * 16 + " + std::to_string(i) + "] = v" + std::to_string(i) + ";");
  for (unsigned i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i), at = std::to_string(6 + 3 * i);
    w.line("o[g * 16 + " + at + "] = (uint)q" + n + "; o[g * 16 + " + at + " + 1] = (uint)(q" + n + " >> 32);");
    // NaNs and zeros have several right bit patterns.
    w.line("o[g * 16 + " + at + " + 2] = isnan(f" + n + ") ? 1u : f" + n + " == 0.0f ? 0u : as_uint(f" + n + ");");
  }
  w.line("o[g * 16 + 15] = (uint)t[v0 & 7];");
  w.text += "}\n";
  return w.text;
}

}  // namespace heddle::peers
