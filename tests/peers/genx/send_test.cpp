// SPDX-License-Identifier: MIT
// The finalizer's own messages: for each named instruction GenX_IR sends what Heddle's decoder calls by the same name.
// The tests of raw messages take their descriptors from here.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "instructions/send/message.hpp"
#include "support/process.hpp"

namespace heddle::test {
namespace {

using namespace instructions::send;

struct Row {
  const char* line;  ///< a named instruction; surface T6 is index 6, sampler S0 index 3
  const char* message;
};

constexpr Row kSkl[] = {
    {"sample4.G (M1, 16) 0x12f:uw S0 T6 V34.0 V32.0 V32.64",
     "sampler gather4 SIMD16, surface 6, sampler 3, header, 1+4 registers sent, 8 returned"},
    {"sample_3d.RGBA (M1, 8) 0x0:uw S0 T6 V34.0 V32.0 V32.64",
     "sampler sample SIMD8, surface 6, sampler 3, 1+1 registers sent, 4 returned"},
    {"sample_l.RB (M1, 16) 0x0:uw S0 T6 V34.0 V32.0 V32.64 V32.128",
     "sampler sample_l SIMD16, surface 6, sampler 3, header, 1+6 registers sent, 4 returned"},
    {"load_3d.RGBA (M1, 8) 0x0:uw T6 V34.0 V33.0 V33.32 V33.64",
     "sampler ld SIMD8, surface 6, sampler 0, 3 registers sent, 4 returned"},
    {"resinfo.RGBA (M1, 8) T6 V33.0 V34.0", "sampler resinfo SIMD8, surface 6, sampler 0, 1 register sent, 4 returned"},
    {"sample_unorm.RGBA.16-full S0 T6 V32(0,0)<0;1,0> V32(0,1)<0;1,0> V32(0,2)<0;1,0> V32(0,3)<0;1,0> V34.0",
     "sampler sample_unorm media SIMD32, surface 6, sampler 3, header, 2 registers sent, 8 returned"},
    {"oword_ld (4) T6 0x2:ud V34.0",
     "data cache 0 oword block read, surface 6, 64 bytes, header, 1 register sent, 2 returned"},
    {"oword_st (4) T6 0x2:ud V33.0",
     "data cache 0 oword block write, surface 6, 64 bytes, header, 1+2 registers sent, 0 returned"},
    {"oword_ld_unaligned (2) T6 V33(0,0)<0;1,0> V34.0",
     "data cache 0 unaligned oword block read, surface 6, 32 bytes, header, 1 register sent, 1 returned"},
    {"media_ld.nomod (16,4) T6 0x0:ud 0x8:ud V34.0",
     "data cache 1 media block read, surface 6, header, 1 register sent, 2 returned"},
    {"media_ld.top (8,8) T6 0x0:ud 0x0:ud V34.0",
     "data cache 1 media block read, surface 6, top field, header, 1 register sent, 2 returned"},
    {"media_ld.nomod (8,8) T6 1 0x0:ud 0x0:ud V34.0",
     "data cache 1 media block read, surface 7, header, 1 register sent, 2 returned"},
    {"media_st.nomod (16,4) T6 0x0:ud 0x8:ud V33.0",
     "data cache 1 media block write, surface 6, header, 1+2 registers sent, 0 returned"},
    {"gather_scaled.1 (M1, 8) T6 0x0:ud V33.0 V34.0",
     "data cache 0 byte gather SIMD8, surface 6, 8 bits, 1 register sent, 1 returned"},
    {"scatter_scaled.2 (M1, 8) T6 0x0:ud V33.0 V35.0",
     "data cache 0 byte scatter SIMD8, surface 6, 16 bits, 1+1 registers sent, 0 returned"},
    {"gather4_scaled.RG (M1, 16) T6 0x0:ud V33.0 V34.0",
     "data cache 1 untyped surface read SIMD16, surface 6, channels xy, 2 registers sent, 4 returned"},
    {"scatter4_scaled.RGB (M1, 8) T6 0x0:ud V33.0 V35.0",
     "data cache 1 untyped surface write SIMD8, surface 6, channels xyz, 1+3 registers sent, 0 returned"},
    {"gather4_scaled.R (M1, 8) %slm 0x0:ud V33.0 V34.0",
     "data cache 1 untyped surface read SIMD8, shared local memory, channels x, 1 register sent, 1 returned"},
    {"gather4_scaled.R (M1, 8) %scratch 0x0:ud V33.0 V34.0",
     "data cache 1 untyped surface read SIMD8, stateless, channels x, 1 register sent, 1 returned"},
    {"gather4_typed.RG (M1, 8) T6 V33.0 V33.32 %null.0 %null.0 V34.0",
     "data cache 1 typed surface read SIMD8, surface 6, channels xy, 2 registers sent, 2 returned"},
    {"typed_atomic.add (M1, 8) T6 V33.0 V33.32 %null.0 %null.0 V35.0 %null.0 V34.0",
     "data cache 1 typed atomic add SIMD8, surface 6, returns, 2+1 registers sent, 1 returned"},
    {"dword_atomic.cmpxchg (M1, 8) T6 V33.0 V35.0 V35.32 V34.0",
     "data cache 1 untyped atomic compare and exchange SIMD8, surface 6, returns, 1+2 registers sent, 1 returned"},
    {"dword_atomic.fmax (M1, 8) T6 V33.0 V35.0 %null.0 V34.0",
     "data cache 1 untyped float atomic maximum SIMD8, surface 6, returns, 1+1 registers sent, 1 returned"},
    {"svm_atomic.add.64 (M1, 8) V36.0 V34.0 V35.0 %null.0",
     "data cache 1 A64 atomic add SIMD8, 64-bit addresses, returns, 2+1 registers sent, 2 returned"},
    {"svm_gather.4.2 (M1, 8) V36.0 V34.0",
     "data cache 1 A64 dword gather SIMD8, 64-bit addresses, 2 of 32 bits, 2 registers sent, 2 returned"},
    {"svm_block_ld (4) V36(0,0)<0;1,0> V34.0",
     "data cache 1 A64 oword block read, 64-bit addresses, 64 bytes, header, 1 register sent, 2 returned"},
    {"gather.4 (M1, 8) T6 0x0:ud V33.0 V34.0",
     "data cache 0 dword gather SIMD8, surface 6, 1 of 32 bits, 1 register sent, 1 returned"},
    {"fence_global.E", "data cache 0 memory fence, header, 1 register sent, 1 returned"},
};

/// Every message of the assembly, in order, as the decoder says it.
std::vector<std::string> messages_of(const std::string& assembly) {
  static const std::regex kSend(R"(sends?c? \((\d+)\|M\d+\) .* (0x[0-9A-F]+) (0x[0-9A-F]+)\s*//.*)");
  std::vector<std::string> out;
  std::istringstream lines(assembly);
  for (std::string line; std::getline(lines, line);) {
    line = std::regex_replace(line, std::regex(" +"), " ");
    std::smatch m;
    if (!std::regex_search(line, m, kSend)) continue;
    const auto extended = static_cast<std::uint32_t>(std::stoul(m[2], nullptr, 16)),
               descriptor = static_cast<std::uint32_t>(std::stoul(m[3], nullptr, 16));
    const SharedFunction function = shared_function(extended & 15u, isa::Platform::SKL);
    if (function == SharedFunction::ThreadSpawner) continue;  // end of thread
    out.push_back(describe(decode_message(function, extended, descriptor, {}, isa::Platform::SKL)));
  }
  return out;
}

TEST(GenxSend, MessagesOfNamedInstructions) {
  if (!have_program("GenX_IR")) GTEST_SKIP() << "GenX_IR is not installed";
  std::string text = R"(.version 4.1
.kernel "k"
.decl V32 v_type=G type=f num_elts=64 align=GRF
.decl V33 v_type=G type=ud num_elts=64 align=GRF
.decl V34 v_type=G type=f num_elts=128 align=GRF
.decl V35 v_type=G type=ud num_elts=64 align=GRF
.decl V36 v_type=G type=uq num_elts=32 align=GRF
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
.input V32 offset=32 size=256
.input V33 offset=288 size=256
.input V35 offset=544 size=256
.input V36 offset=800 size=256
.kernel_attr Target="cm"
movs (M1_NM, 1) T6(0) 6:ud
movs (M1_NM, 1) S0(0) 3:ud
)";
  for (const Row& row : kSkl) text += std::string(row.line) + "\n";
  text += "ret (M1, 1)\n";
  const TemporaryFolder folder;
  write_text(folder / "k.visaasm", text);
  const Outcome outcome = run({"GenX_IR", "k.visaasm", "-platform", "SKL", "-output", "-noschedule", "-nopresched",
                               "-nocompaction", "-noverifyCISA", "-asmOutput", "k"},
                              {}, folder.path());
  ASSERT_TRUE(std::filesystem::exists(folder / "k.asm")) << outcome.out << outcome.err;
  const std::vector<std::string> messages = messages_of(read_text(folder / "k.asm"));
  ASSERT_EQ(messages.size(), std::size(kSkl)) << read_text(folder / "k.asm");
  for (std::size_t i = 0; i < messages.size(); ++i) EXPECT_EQ(messages[i], kSkl[i].message) << kSkl[i].line;
}

}  // namespace
}  // namespace heddle::test
