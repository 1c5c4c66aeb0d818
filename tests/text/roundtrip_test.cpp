// SPDX-License-Identifier: MIT
// Text to bytes, against goldens and real containers; text -> binary -> text -> binary is a fixed point, byte for byte.
#include <fmt/format.h>

#include <cstdlib>

#include "base/byte_cursor.hpp"
#include "binary/reader.hpp"
#include "binary/writer.hpp"
#include "support.hpp"

namespace heddle::text {
namespace {

std::vector<std::uint8_t> must_write(const isa::Program& program,
                                     std::optional<isa::Platform> platform = std::nullopt) {
  binary::WriteOptions o;
  o.dialect = program.dialect;
  o.platform = platform;
  const auto bytes = binary::write(program, o);
  std::string why;
  for (const base::Diagnostic& d : bytes.diagnostics()) why += d.id + ": " + d.message + "\n";
  EXPECT_TRUE(bytes.ok()) << why;
  return bytes ? *bytes : std::vector<std::uint8_t>{};
}

std::optional<isa::Program> must_read(const std::vector<std::uint8_t>& bytes,
                                      std::optional<isa::Platform> platform = std::nullopt) {
  binary::ReadOptions o;
  o.platform = platform;
  base::Diagnostics d;
  auto program = binary::read(bytes, "binary", o, d);
  EXPECT_TRUE(program.has_value() && !d.has_errors()) << show(d, "");
  if (d.has_errors()) return std::nullopt;
  return program;
}

std::string code_of(const isa::Program& program, const isa::Object& object, isa::Platform platform) {
  binary::WriteOptions o;
  o.dialect = program.dialect;
  o.platform = platform;
  const binary::ObjectEncoder encoder(program, object, o);
  base::ByteWriter out;
  base::Diagnostics d;
  for (const isa::Instruction& i : object.instructions) encoder.encode(i, out, d, nullptr);
  EXPECT_FALSE(d.has_errors()) << show(d, "");
  std::string hex;
  for (const std::uint8_t b : out.data()) hex += fmt::format("{}{:02x}", hex.empty() ? "" : " ", b);
  return hex;
}

std::string little(std::uint64_t value, int bytes) {
  std::string hex;
  for (int n = 0; n < bytes; ++n) hex += fmt::format("{}{:02x}", n == 0 ? "" : " ", value >> (8 * n) & 0xffu);
  return hex;
}

/// {L:name}, {S2:text}, {S4:text} of a golden's bytes.
std::string resolve(std::string bytes, const isa::Program& program) {
  const isa::Object& object = program.objects[0];
  const binary::ObjectEncoder encoder(program, object, {});
  for (std::size_t at; (at = bytes.find('{')) != std::string::npos;) {
    const std::size_t colon = bytes.find(':', at), end = bytes.find('}', at);
    const std::string kind = bytes.substr(at + 1, colon - at - 1), name = bytes.substr(colon + 1, end - colon - 1);
    std::string value;
    if (kind == "L") {
      for (std::size_t n = 0; n < object.labels.size(); ++n)
        if (object.labels[n].name == name) value = little(n, 2);
    } else {
      value = little(encoder.pool_index(name), kind == "S2" ? 2 : 4);
    }
    if (value.empty()) return "no such name: " + name;
    bytes.replace(at, end - at + 1, value);
  }
  // goldens write the two bytes of an S2 and "00" behind it in one or two pieces: single blanks everywhere
  for (std::size_t at; (at = bytes.find("  ")) != std::string::npos;) bytes.erase(at, 1);
  return bytes;
}

TEST(TextToBytes, EveryGoldenLine) {
  for (const char* file : {"info.txt", "sample_unorm.txt", "sample4.txt", "rt_write.txt", "sample_load.txt",
                           "arithmetic.txt", "logic.txt", "move.txt", "flow.txt", "memory.txt", "lsc.txt", "misc.txt",
                           "lenient.txt", "seed-dialect.txt", "footprint.txt"})
    for (const GoldenLine& g : golden_lines(file)) {
      SCOPED_TRACE(g.file + ":" + std::to_string(g.line) + " " + g.text);
      ParseOptions o;
      o.platform = g.platform;
      o.dialect = DialectChoice::Igc12504;
      const auto program = must_parse(golden_program(g.text), o);
      if (!program) continue;
      const std::string& wanted = g.columns[std::string_view(file) == "seed-dialect.txt" ? 1 : 0];
      std::string got = code_of(*program, program->objects[0], g.platform);
      ASSERT_TRUE(got.ends_with("34 00 00 00")) << got;
      got = got.substr(0, got.size() - 12);
      EXPECT_EQ(got, resolve(wanted, *program));

      // and back
      const auto bytes = must_write(*program, g.platform);
      const auto decoded = must_read(bytes, g.platform);
      if (!decoded) continue;
      const std::string printed = print(*decoded);
      ParseOptions again;
      again.platform = g.platform;
      const auto second = must_parse(printed, again);
      if (!second) continue;
      EXPECT_EQ(must_write(*second, g.platform), bytes) << printed;
    }
}

TEST(TextToBytes, ContainersAreTheGoldenOnes) {
  for (const char* name : {"min", "functions"}) {
    SCOPED_TRACE(name);
    const std::string base = data_dir() + "/golden/containers/" + name;
    const auto program = must_parse(read_all(base + ".visaasm"));
    ASSERT_TRUE(program.has_value());
    const std::string wanted = read_all(base + ".isa");
    const auto bytes = must_write(*program);
    const auto expected = must_read(std::vector<std::uint8_t>(wanted.begin(), wanted.end()));
    const auto got = must_read(bytes);
    ASSERT_TRUE(expected && got);
    EXPECT_EQ(difference(*expected, *got), "");
    if (std::string_view(name) == "min") {
      EXPECT_EQ(std::string(bytes.begin(), bytes.end()), wanted);
    }
  }
}

TEST(TextToBytes, OlderContainersDisassembleToTheSameCode) {
  const std::string folder = data_dir() + "/golden/containers/";
  const std::string newest = read_all(folder + "versions-4.1.isa");
  for (const char* version : {"3.5", "3.7", "4.0", "4.1", "4.1-paired"}) {
    SCOPED_TRACE(version);
    const std::string file = read_all(folder + "versions-" + version + ".isa");
    const auto program = must_read(std::vector<std::uint8_t>(file.begin(), file.end()));
    ASSERT_TRUE(program.has_value());
    const auto second = must_parse(print(*program));
    ASSERT_TRUE(second.has_value());
    const auto bytes = must_write(*second);
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), newest);
  }
}

/// Each real kernel: its container says the same as the text, and the trip text -> binary -> text -> binary changes no
/// byte.
TEST(TextToBytes, RealKernels) {
  std::size_t containers = 0, identical = 0;
  for (const std::string& path : files_below(data_dir() + "/opencl", ".visaasm")) {
    SCOPED_TRACE(path);
    const auto program = must_parse(read_all(path));
    if (!program) continue;
    const auto bytes = must_write(*program);
    const auto decoded = must_read(bytes);
    if (!decoded) continue;
    const std::string printed = print(*decoded);
    const auto again = must_parse(printed);
    if (!again) continue;
    EXPECT_EQ(must_write(*again), bytes);
    EXPECT_EQ(print(*again), printed);

    const std::string isa = path.substr(0, path.size() - 8) + ".isa";
    if (std::FILE* f = std::fopen(isa.c_str(), "rb")) {
      std::fclose(f);
      ++containers;
      // TXT-35: the tool stores the declared name, Heddle v_name. Without it the files are the same, byte for byte.
      std::string plain = read_all(path);
      for (std::size_t at; (at = plain.find(" v_name=S0")) != std::string::npos ||
                           (at = plain.find(" v_name=T0")) != std::string::npos;)
        plain.erase(at, plain.find_first_of(" \n", at + 1) - at);
      const auto unnamed = must_parse(plain);
      if (!unnamed) continue;
      const auto unnamed_bytes = must_write(*unnamed);
      const std::string real = read_all(isa);
      const auto expected = must_read(std::vector<std::uint8_t>(real.begin(), real.end()));
      if (!expected) continue;
      EXPECT_EQ(difference(*expected, *unnamed), "");
      identical += std::string(unnamed_bytes.begin(), unnamed_bytes.end()) == real;
    }
  }
  EXPECT_GT(containers, 20u);
  EXPECT_EQ(identical, containers);
}

/// Attributes, aliases, display names, scopes, odd label names: the second binary is the first.
TEST(TextToBytes, NamesSurvive) {
  const std::string source = R"(.version 4.1
.kernel "odd \"kernel\" name"
.decl V40 v_type=G type=f num_elts=8
.decl X v_type=G type=f num_elts=8 align=GRF attrs={Output, Mine="text", Number=7}
{
.decl X v_type=G type=ud num_elts=8 alias=<%r0, 4>
mov (M1, 8) X(0,0)<1> 0x1:ud
}
.decl V35 v_type=G type=f num_elts=8 // v_name="a name with blanks"
.decl lod v_type=A num_elts=8
.decl T7 v_type=P num_elts=8
.decl S0 v_type=S num_elts=1 v_name=linear_clamp
.decl S1 v_type=S num_elts=2 // v_name="not an identifier"
.decl tex v_type=T num_elts=1
.decl V32 v_type=T num_elts=1
.input V35 offset=32 size=32
.implicit_LOCAL_ID X offset=64 size=32
.implicit_UNDEFINED_9 tex offset=96 size=4
.kernel_attr Target="cm"
.kernel_attr OutputAsmPath="a\"b.asm"
.kernel_attr Unknown="abcd"
.kernel_attr Unknown2=12
.function "main function"
odd$label:
  (T7) goto (M1, 8) "odd$label"
L1: // v_name="1 is no name"
  goto (M1, 8) L1
  mov (M1, 1) lod(0)<1> 0x20:uw
  addr_add (M1, 1) lod(0)<1> &X[32] 0x4:uw
  faddr "odd name" V40(0,0)<1>
  FILE "a\tb.c"
  LOC 4294967295
  sample4.R (M1, 8) 0x0:uw S1 V32 X.0 X.0 V40.0
  ret (M1, 1)
.global_function f
.kernel_attr ArgSize=1
  fret (M1, 8)
)";
  const auto program = must_parse(source);
  ASSERT_TRUE(program.has_value());
  EXPECT_EQ(program->objects[0].surfaces[1].name, "V32");
  EXPECT_EQ(program->objects[0].variables[3].name, "a name with blanks");
  const auto bytes = must_write(*program);
  const auto decoded = must_read(bytes);
  ASSERT_TRUE(decoded.has_value());
  const std::string printed = print(*decoded);
  const auto second = must_parse(printed);
  ASSERT_TRUE(second.has_value()) << printed;
  EXPECT_EQ(must_write(*second), bytes) << printed;
  EXPECT_EQ(print(*second), printed);
}

/// TXT-35: what the statements have no place for stays in comments: sizes of attributes, old spellings, the order and
/// kinds of labels, labels that nothing mentions.
TEST(TextToBytes, WhatOtherToolsWriteSurvives) {
  const auto start = must_parse(R"(.version 4.1
.kernel k
.decl V32 v_type=G type=ud num_elts=8 attrs={Scope=1}
.decl T6 v_type=T num_elts=1 v_name=surface attrs={SurfaceUsage=2}
.decl S0 v_type=S num_elts=1 // v_name="a name"
.implicit_PSEUDO_INPUT V32 offset=32 size=32
.kernel_attr AsmName="k.asm"
.kernel_attr SLMSize=3
A:
B:
  goto (M1, 8) A
  goto (M1, 8) B
  ret (M1, 1)
.global_function f
  fret (M1, 8)
)");
  ASSERT_TRUE(start.has_value());
  isa::Program program = *start;
  program.objects.at(1).linkage = 1;
  program.objects.at(1).input_size = 2;
  program.objects.at(1).return_size = 255;
  isa::Object& k = program.objects[0];
  k.attributes.at(1).value.resize(1);
  k.surfaces.at(0).attributes.at(0).value.resize(1);
  k.variables.at(0).attributes.at(0).value.resize(2);
  std::swap(k.labels.at(0), k.labels.at(1));
  for (isa::Operand& o : k.operands)
    if (o.kind == isa::OperandKind::Label) o.id = 1 - o.id;
  k.labels.push_back({.name = "nobody's", .kind = isa::LabelKind::DivergentLoop});
  k.labels.at(0).kind = isa::LabelKind::DivergentLoop;

  const auto bytes = must_write(program);
  const auto decoded = must_read(bytes);
  ASSERT_TRUE(decoded.has_value());
  const std::string printed = print(*decoded);
  const auto second = must_parse(printed);
  ASSERT_TRUE(second.has_value()) << printed;
  EXPECT_EQ(must_write(*second), bytes) << printed;
  EXPECT_EQ(print(*second), printed);
  // Intel's tool takes a name of an implicit input for another one, its number as it is.
  EXPECT_NE(printed.find(".implicit_UNDEFINED_16 V32 offset=32 size=32 // PSEUDO_INPUT\n"), std::string::npos);
  EXPECT_NE(printed.find(".kernel_attr AsmName="), std::string::npos);
}

/// Address arithmetic takes the address of a surface: &T6, as Intel's tools write it.
TEST(TextToBytes, AddressesOfSurfaces) {
  const auto program = must_parse(R"(.version 4.1
.kernel k
.decl A0 v_type=A num_elts=8
.decl T6 v_type=T num_elts=4
  addr_add (M1, 1) A0(0)<1> &T6 0x0:uw
  addr_add (M1, 1) A0(0)<1> &T6[2] 0x0:uw
  ret (M1, 1)
)");
  ASSERT_TRUE(program.has_value());
  const auto decoded = must_read(must_write(*program));
  ASSERT_TRUE(decoded.has_value());
  const std::string printed = print(*decoded);
  EXPECT_NE(printed.find("A0(0)<1> &T6 0x0:uw\n"), std::string::npos) << printed;
  EXPECT_NE(printed.find("A0(0)<1> &T6[2] 0x0:uw\n"), std::string::npos) << printed;
}

}  // namespace
}  // namespace heddle::text
