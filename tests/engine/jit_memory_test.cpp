// SPDX-License-Identifier: MIT
// Memory messages on both engines: addresses in a row, apart, the same, misaligned, out of bounds; all kinds of masks.
#include <sys/mman.h>

#include <bit>
#include <cstdlib>
#include <memory>
#include <random>
#include <span>

#include <fmt/format.h>

#include "engine/bindings.hpp"
#include "engine/jit_harness.hpp"

namespace heddle::engine::testing {
namespace {

constexpr std::uint64_t kFirst = 0x100000000, kSecond = kFirst + 400, kOdd = 0x200000000;
constexpr unsigned kBytes = 1000;

enum class Pattern {
  Row,
  Apart,
  Same,
  Misaligned,
  Outside,
  Odd,
  Records,
  RowsAtEnd,
  RecordsAtEnd,
  TriplesAtEnd,
  Overlapping,
  Shuffled,
  Collisions,
  Wide,
  Narrow,
  Uneven
};
constexpr Pattern kPatterns[] = {
    Pattern::Row,          Pattern::Apart,        Pattern::Same,        Pattern::Misaligned,
    Pattern::Outside,      Pattern::Odd,          Pattern::Records,     Pattern::RowsAtEnd,
    Pattern::RecordsAtEnd, Pattern::TriplesAtEnd, Pattern::Overlapping, Pattern::Shuffled,
    Pattern::Collisions,   Pattern::Wide,         Pattern::Narrow,      Pattern::Uneven};

/// Offsets of lanes, and the same places as 64-bit addresses.
std::pair<std::uint32_t, std::uint64_t> place_of(Pattern pattern, unsigned lane, std::mt19937& random) {
  const auto below = [&](unsigned n) { return static_cast<std::uint32_t>(random() % n); };
  switch (pattern) {
    case Pattern::Row:
      return {64 + 4 * lane, kFirst + 128 + 4 * lane};
    case Pattern::Same:
      return {96, kSecond + 8};
    case Pattern::Misaligned: {
      const std::uint32_t at = below(300);
      return {at, kFirst + at};
    }
    case Pattern::Outside: {
      const std::uint32_t at = below(4) == 0 ? static_cast<std::uint32_t>(random()) : 960 + below(60);
      return {at, below(3) == 0 ? std::uint64_t{random()} << 9 : kFirst + 380 + below(700)};
    }
    case Pattern::Records:  // 16 bytes for each lane, off multiples of 16
      return {6 + 16 * lane, kFirst + 8 + 16 * lane % 384};
    case Pattern::RowsAtEnd:  // the buffer ends within a row, or with it
      return {kBytes - 68 + 4 * lane, kSecond + 600 - 64 + 4 * lane};
    case Pattern::RecordsAtEnd:
      return {kBytes - 16 * 16 + 16 * lane, kSecond + 600 - 128 + 8 * lane};
    case Pattern::TriplesAtEnd:  // 12 bytes for each lane, the first lane's the last: 16 bytes are not there
      return {kBytes - 12 * (lane + 1), kSecond + 600 - 12 * (lane + 1)};
    case Pattern::Overlapping:
      return {40 + 8 * (lane % 5) + 4 * (lane % 2), kFirst + 64 + 4 * (lane % 7)};
    case Pattern::Shuffled:  // whole records in any order, some twice
      return {12 + 16 * below(24), kSecond + 16 * below(30)};
    case Pattern::Collisions: {  // 1 and 4, 2 and 8, 7 and 9 write one record: the later lane's stays
      const unsigned at = lane == 1 ? 4 : lane == 2 ? 8 : lane == 7 ? 9 : lane == 3 ? 5 : lane;
      return {16 * at, kSecond + 16 * at};
    }
    case Pattern::Wide:  // records that are longer than what is written of them
      return {8 + 20 * lane, kSecond + 4 + 28 * lane};
    case Pattern::Narrow:  // what is written of one overlaps the next
      return {8 + 12 * lane, kSecond + 4 + 12 * lane};
    case Pattern::Uneven:  // off dwords
      return {3 + 17 * lane, kSecond + 1 + 18 * lane};
    case Pattern::Odd:
      return {0x10000000u + below(1024) / 8 * 8, kOdd + below(80)};
    default: {
      const std::uint32_t at = 8 * below(40);
      return {at, kSecond + at};
    }
  }
}

/// So many bytes, behind which a page begins that nobody may touch.
std::shared_ptr<image::Memory> guarded_memory(std::size_t bytes) {
  constexpr std::size_t kPage = 65536;  // no machine has larger ones
  void* const all = mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED || bytes > kPage) std::abort();
  std::uint8_t* const end = static_cast<std::uint8_t*>(all) + kPage;
  if (mprotect(end, kPage, PROT_NONE) != 0) std::abort();
  const std::shared_ptr<void> owner(all, [](void* pages) { munmap(pages, 2 * kPage); });
  return std::make_shared<image::Memory>(owner, std::span(end - bytes, bytes));
}

struct Machine {
  isa::Platform platform;
  unsigned grf;
};

/// One kernel, compiled for a processor, on both engines with all patterns of addresses.
void compare(const std::string& text, const char* cpu, unsigned lanes, Machine machine) {
  SCOPED_TRACE(cpu);
  const unsigned at = 4 * machine.grf;
  BothEngines both(text, machine.platform);
  both.cpu = cpu;
  const auto buffer = buffer_of(kBytes);
  buffer->memory = guarded_memory(kBytes);
  both.bindings.surfaces = {buffer};
  both.bindings.surface_variables[6] = {0};
  std::uint8_t* data = buffer->memory->data();
  ASSERT_TRUE(both.bindings.memory.add({kFirst, 400, data, nullptr, "first"}));
  ASSERT_TRUE(both.bindings.memory.add({kSecond, 600, data + 400, nullptr, "second"}));
  ASSERT_TRUE(both.bindings.memory.add({kOdd, 101, data + 333, nullptr, "odd"}));
  unsigned seed = 1;
  for (const Pattern pattern : kPatterns)
    for (const bool few : {false, true}) {
      std::mt19937 random(seed++);
      for (std::uint8_t& byte : *buffer->memory) byte = static_cast<std::uint8_t>(random() >> 7);
      for (std::uint8_t& byte : both.payload) byte = static_cast<std::uint8_t>(random() >> 7);
      for (unsigned k = 0; k < 32; ++k) {
        const auto [offset, address] = place_of(pattern, k, random);
        std::memcpy(both.payload.data() + at + 4 * k, &offset, 4);
        std::memcpy(both.payload.data() + at + 256 + 8 * k, &address, 8);
      }
      const std::uint32_t all = lanes >= 32 ? 0xffffffffu : (1u << std::max(lanes, 8u)) - 1;
      const std::uint32_t mask = few ? std::max(1u, static_cast<std::uint32_t>(random()) & all) : all;
      for (const bool alone : {false, true}) {
        both.alone = alone;
        EXPECT_TRUE(both.agree(std::max(lanes, 8u), mask))
            << "pattern " << static_cast<int>(pattern) << " mask " << mask << (alone ? ", alone" : "");
      }
      if (::testing::Test::HasFailure()) return;
    }
  std::string called;
  for (const std::string& name : both.counts.called_mnemonics) called += " " + name;
  EXPECT_EQ(both.counts.called, 0u) << called;
}

/// One kernel of all messages, `@` in each stands for a variable of its own, `#` for the lanes; every message once
/// more with a predicate.
void run(const std::vector<std::string>& messages, unsigned lanes, Machine machine) {
  std::string text = decl("O", "ud", 64) + decl("A", "uq", 64) + decl("X", "ud", 512) + decl("Y", "ud", 512) +
                     ".decl T6 v_type=T num_elts=1\n.decl P1 v_type=P num_elts=32\n";
  const unsigned at = 4 * machine.grf;
  text += fmt::format(
      ".input O offset={} size=256\n.input A offset={} size=512\n.input X offset={} size=2048\n"
      ".input Y offset={} size=2048\n",
      at, at + 256, at + 768, at + 2816);
  std::string code = "setp (M1_NM, 32) P1 O(0,0)<0;1,0>\n";
  for (std::size_t m = 0; m < 2 * messages.size(); ++m) {
    std::string line = messages[m / 2];
    const std::string variable = "D" + std::to_string(m);
    bool used = false;
    for (std::size_t p = line.find_first_of("@#"); p != std::string::npos; p = line.find_first_of("@#", p)) {
      used = used || line[p] == '@';
      line.replace(p, 1, line[p] == '@' ? variable : std::to_string(lanes));
    }
    if (used) text += decl(variable, "ud", 512);
    const bool plain = line.find("oword") != std::string::npos || line.find("block") != std::string::npos;
    code += (m % 2 != 0 && !plain ? "(P1) " : "") + line + "\n";
  }
  for (const char* cpu : kProcessors)
    if (lanes == 16 || cpu[0] == 0) compare(text + code + "ret (M1, 1)\n", cpu, lanes, machine);
}

constexpr Machine kSkl{isa::Platform::SKL, 32}, kDg2{isa::Platform::DG2, 32}, kPvc{isa::Platform::PVC, 64};

#define NEEDS_COMPILER() \
  if (!jit::has_compiler()) GTEST_SKIP() << "this build has no LLVM"

TEST(JitMemory, AddressesOf64Bits) {
  NEEDS_COMPILER();
  for (const unsigned lanes : {8u, 16u})
    run({"svm_gather.1.1 (M1, #) A.0 @.0", "svm_gather.1.2 (M1, #) A.0 @.0", "svm_gather.1.4 (M1, #) A.0 @.0",
         "svm_gather.1.8 (M1, #) A.0 @.0", "svm_gather.4.1 (M1, #) A.0 @.0", "svm_gather.4.4 (M1, #) A.0 @.0",
         "svm_gather.8.2 (M1, #) A.0 @.0", "svm_scatter.1.1 (M1, #) A.0 X.0", "svm_scatter.4.1 (M1, #) A.0 X.0",
         "svm_scatter.8.1 (M1, #) A.0 Y.0", "svm_scatter.4.2 (M1_NM, #) A.0 Y.0", "svm_block_ld (4) A(0,0)<0;1,0> @.0",
         "svm_block_st (2) A(0,2)<0;1,0> X.0", "svm_gather4scaled.RGBA (M1, #) 0x4:uq A.0 @.0",
         "svm_gather4scaled.GA (M1, #) A(0,0)<0;1,0> @.0 @.0", "svm_scatter4scaled.RB (M1, #) 0x8:uq A.0 X.0"},
        lanes, kSkl);
}

TEST(JitMemory, ChannelsWithHoles) {
  NEEDS_COMPILER();
  run({"gather4_scaled.GA (M1, #) T6 0x4:ud O.0 @.0", "gather4_scaled.B (M1, #) %slm 0x0:ud O.0 @.0",
       "scatter4_scaled.RBA (M1, #) T6 0x0:ud O.0 X.0", "scatter4_scaled.G (M1, #) %slm 0x0:ud O.0 Y.0"},
      16, kSkl);
}

TEST(JitMemory, RowsAndRecords) {
  NEEDS_COMPILER();
  for (const unsigned lanes : {8u, 16u})
    run({"gather4_scaled.RGBA (M1, #) T6 0x0:ud O.0 @.0", "gather4_scaled.RG (M1, #) T6 0x0:ud O.0 @.0",
         "gather4_scaled.RGB (M1, #) T6 0x0:ud O.0 @.0", "gather4_scaled.RB (M1, #) T6 0x0:ud O.0 @.0",
         "gather4_scaled.R (M1, #) T6 0x0:ud O.0 @.0", "scatter4_scaled.RGBA (M1, #) T6 0x0:ud O.0 X.0",
         "scatter4_scaled.RG (M1, #) T6 0x4:ud O.0 Y.0", "scatter4_scaled.RGBA (M1_NM, #) T6 0x0:ud O.0 Y.0",
         "scatter4_scaled.RGB (M1, #) T6 0x0:ud O.0 X.0", "scatter4_scaled.R (M1, #) T6 0x0:ud O.0 X.0",
         "gather_scaled.1 (M1, #) T6 0x0:ud O.0 @.0", "gather_scaled.2 (M1, #) T6 0x0:ud O.0 @.0",
         "scatter_scaled.1 (M1, #) T6 0x0:ud O.0 X.0", "scatter_scaled.2 (M1, #) T6 0x0:ud O.0 Y.0",
         "gather4_scaled.RGBA (M1, #) %slm 0x0:ud O.0 @.0", "scatter4_scaled.RGBA (M1, #) %slm 0x0:ud O.0 X.0"},
        lanes, kSkl);
}

TEST(JitMemory, Atomics) {
  NEEDS_COMPILER();
  const std::vector<std::string> kOps = {"add",     "sub",  "inc",    "dec",  "min",     "max",     "xchg",
                                         "cmpxchg", "and",  "or",     "xor",  "minsint", "maxsint", "predec",
                                         "fmax",    "fmin", "fcmpwr", "fadd", "fsub"};
  for (const unsigned lanes : {8u, 16u, 1u}) {
    std::vector<std::string> messages;
    unsigned turn = 0;
    for (const std::string& op : kOps) {
      const bool one = op == "inc" || op == "dec" || op == "predec";
      const bool is_float = op[0] == 'f' && op != "fcmpwr";
      const bool two = op == "cmpxchg" || op == "fcmpwr";
      const std::string src0 = one ? "%null.0" : "X.0", src1 = two ? "Y.0" : "%null.0";
      const std::string size = is_float || two || turn % 3 == 0 ? "" : turn % 3 == 1 ? ".64" : ".16";
      if (lanes != 16)
        messages.push_back(fmt::format("dword_atomic.{}{} (M1, #) {} O.0 {} {} @.0", op, size == ".16" ? "" : size,
                                       turn % 2 == 0 ? "T6" : "%slm", src0, src1));
      messages.push_back(
          fmt::format("svm_atomic.{}{} (M1, #) A.0 {} {} {}", op, size, turn % 4 == 3 ? "%null.0" : "@.0", src0, src1));
      ++turn;
    }
    run(messages, lanes, kSkl);
  }
}

TEST(JitMemory, Lsc) {
  NEEDS_COMPILER();
  for (const unsigned lanes : {8u, 16u, 32u})
    run({"lsc_load.ugm (M1, #) @:d32 flat[A]:a64", "lsc_load.ugm (M1, #) @:d32x4 flat[A+0x4]:a64",
         "lsc_load.ugm (M1, #) @:d64x2 bti(0x0)[O]:a32", "lsc_load.ugm (M1, #) @:d8c32 flat[A]:a64",
         "lsc_load.ugm (M1, #) @:d16c32 bti(0x0)[O]:a32", "lsc_load.slm (M1, #) @:d32x3 flat[O]:a32",
         "lsc_load_quad.ugm (M1, #) @:d32.yw flat[A]:a64", "lsc_load.ugm (M1, #) @:d32 ss(O)[O]:a32",
         "lsc_store.ugm (M1, #) flat[A]:a64 X:d32", "lsc_store.ugm (M1, #) flat[A-0x8]:a64 Y:d64",
         "lsc_store.ugm (M1, #) flat[A]:a64 Y:d8c32", "lsc_store.slm (M1, #) flat[O]:a32 X:d16c32",
         "lsc_store_quad.ugm (M1, #) bti(0x0)[O]:a32 X:d32.xzw", "lsc_store.ugm (M1, #) ss(O)[O]:a32 Y:d32x2",
         "lsc_load.ugm (M1_NM, 1) @:d32x8t flat[A]:a64", "lsc_load.ugm (M1, 1) @:d32x4t bti(0x0)[O]:a32",
         "lsc_store.ugm (M1_NM, 1) flat[A]:a64 X:d64x2t", "lsc_store.slm (M1, 1) flat[O]:a32 X:d32t"},
        lanes, lanes == 8 ? kDg2 : kPvc);
}

TEST(JitMemory, LscAtomics) {
  NEEDS_COMPILER();
  for (const unsigned lanes : {16u, 32u})
    run({"lsc_atomic_iinc.ugm (M1, #) @:d32 flat[A]:a64 %null %null",
         "lsc_atomic_iadd.ugm (M1, #) @:d64 flat[A]:a64 X %null", "lsc_atomic_icas.ugm (M1, #) @:d32 flat[A]:a64 X Y",
         "lsc_atomic_umin.slm (M1, #) @:d32 flat[O]:a32 X %null",
         "lsc_atomic_smax.ugm (M1, #) @:d16c32 bti(0x0)[O]:a32 X %null",
         "lsc_atomic_store.ugm (M1, #) @:d32 flat[A]:a64 Y %null",
         "lsc_atomic_load.ugm (M1, #) @:d32 flat[A]:a64 %null %null",
         "lsc_atomic_fadd.ugm (M1, #) @:d32 bti(0x0)[O]:a32 X %null",
         "lsc_atomic_xor.slm (M1, #) %null:d32 flat[O]:a32 X %null"},
        lanes, kPvc);
}

// --- typed writes ---

struct Shape {
  image::SurfaceType type;
  unsigned width, height, depth, layers;
};

std::shared_ptr<image::Surface> surface_of(const Shape& shape, const std::string& format, unsigned level) {
  auto surface = std::make_shared<image::Surface>();
  surface->type = shape.type;
  surface->format = image::find_format(format)->format;
  surface->width = shape.width;
  surface->height = shape.height;
  surface->depth = shape.depth;
  surface->array = shape.layers > 1;
  surface->view_layers = shape.layers;
  surface->layers = shape.layers * (shape.type == image::SurfaceType::Cube ? 6 : 1);
  surface->entries = shape.width;
  if (shape.type != image::SurfaceType::Buffer) surface->levels = 2, surface->rt_level = level;
  return image::allocate(*surface).ok() ? surface : nullptr;
}

void write_typed(const std::string& format, const Shape& shape, unsigned lanes, unsigned seed) {
  SCOPED_TRACE(fmt::format("{} type {} lanes {}", format, static_cast<int>(shape.type), lanes));
  const bool lsc = lanes == 32;
  const unsigned grf = lsc ? 64 : 32, at = 4 * grf;
  std::string text = decl("U", "ud", 32) + decl("V", "ud", 32) + decl("R", "ud", 32) + decl("X", "ud", 128) +
                     ".decl T6 v_type=T num_elts=1\n.decl P1 v_type=P num_elts=32\n" +
                     fmt::format(
                         ".input U offset={} size=128\n.input V offset={} size=128\n.input R offset={} size=128\n"
                         ".input X offset={} size=512\n",
                         at, at + 128, at + 256, at + 384) +
                     "setp (M1_NM, 32) P1 X(0,0)<0;1,0>\n";
  const bool buffer = shape.type == image::SurfaceType::Buffer;
  for (const char* predicate : {"", "(P1) "})
    text += lsc ? fmt::format("{}lsc_store_quad.tgm (M1, 32) bti(0x0)[U,V,R]:a32 X:d32.xyzw\n", predicate)
                : fmt::format("{}scatter4_typed.RGBA (M1, {}) T6 U.0 {} {} %null.0 X.0\n", predicate, lanes,
                              seed % 2 == 0 && buffer ? "%null.0" : "V.0", seed % 2 == 0 && buffer ? "%null.0" : "R.0");
  BothEngines both(text + "ret (M1, 1)\n", lsc ? isa::Platform::PVC : isa::Platform::SKL);
  const auto surface = surface_of(shape, format, seed % 2);
  ASSERT_TRUE(surface);
  both.bindings.surfaces = {surface};
  both.bindings.surface_variables[6] = {0};
  for (unsigned turn = 0; turn < 4; ++turn) {
    std::mt19937 random(seed * 4 + turn);
    constexpr std::uint32_t kWords[] = {0,           0x3f800000u, 0x7fc12345u, 0xff800000u, 0x7f800000u,
                                        0x7f812345u, 0x80000001u, 0xffffffffu, 0x477fe000u, 0x47800000u,
                                        0x33000000u, 0x3b808081u, 0x80000000u, 0x000000ffu, 0x00010000u};
    const auto put = [&](unsigned place, std::uint32_t word) {
      std::memcpy(both.payload.data() + at + place, &word, 4);
    };
    for (unsigned k = 0; k < 32; ++k) {
      // A row, or anywhere, also outside.
      put(4 * k, turn == 0 ? k % 16 : static_cast<std::uint32_t>(random() % (shape.width + 2)));
      put(128 + 4 * k, turn == 0 ? k / 16 : static_cast<std::uint32_t>(random() % (shape.height + 2)) - random() % 2);
      put(256 + 4 * k, turn == 0 ? 0 : static_cast<std::uint32_t>(random() % (shape.depth + 6 * shape.layers)));
    }
    for (unsigned k = 0; k < 128; ++k) {
      const float x = static_cast<float>(random() % 2000) / 1000 - 0.5f;
      put(384 + 4 * k, random() % 3 == 0   ? kWords[random() % std::size(kWords)]
                       : random() % 2 == 0 ? std::bit_cast<std::uint32_t>(x)
                                           : static_cast<std::uint32_t>(random()));
    }
    const std::uint32_t all = lanes >= 32 ? 0xffffffffu : (1u << lanes) - 1;
    EXPECT_TRUE(both.agree(lanes, turn == 3 ? std::max(1u, static_cast<std::uint32_t>(random()) & all) : all));
  }
  if (lanes >= 8) {
    EXPECT_EQ(both.counts.called, 0u);
  }
}

/// A message for fewer channels than it has lanes: each component still takes a register.
TEST(JitTyped, FewChannels) {
  NEEDS_COMPILER();
  for (const unsigned lanes : {1u, 2u, 4u})
    for (unsigned seed = 0; seed < 2; ++seed)
      write_typed("R32G32B32A32_UINT", {image::SurfaceType::Dim2, 37, 5, 1, 1}, lanes, seed);
}

TEST(JitTyped, FormatsAndShapes) {
  NEEDS_COMPILER();
  constexpr Shape kShapes[] = {{image::SurfaceType::Dim2, 37, 5, 1, 1}, {image::SurfaceType::Dim1, 40, 1, 1, 3},
                               {image::SurfaceType::Dim3, 17, 6, 5, 1}, {image::SurfaceType::Cube, 8, 8, 1, 1},
                               {image::SurfaceType::Dim2, 20, 9, 1, 4}, {image::SurfaceType::Buffer, 60, 1, 1, 1}};
  constexpr const char* kFormats[] = {
      "R8G8B8A8_UNORM",    "R8G8B8A8_UNORM_SRGB", "B8G8R8A8_UNORM",     "R8G8B8A8_SNORM",
      "R8G8B8A8_UINT",     "R8G8B8A8_SINT",       "R8_UNORM",           "R16_UNORM",
      "R16G16_SINT",       "R16G16B16A16_FLOAT",  "R32_FLOAT",          "R32_UINT",
      "R32G32_FLOAT",      "R32G32B32A32_FLOAT",  "R32G32B32A32_UINT",  "R11G11B10_FLOAT",
      "R10G10B10A2_UNORM", "R16_FLOAT",           "R16G16B16A16_UNORM", "B5G6R5_UNORM"};
  unsigned turn = 0;
  for (const char* format : kFormats) {
    const Shape& shape = kShapes[turn % std::size(kShapes)];
    const bool srgb_buffer = shape.type == image::SurfaceType::Buffer;
    write_typed(format, srgb_buffer && turn < 2 ? kShapes[0] : shape,
                turn % 3 == 2   ? 32
                : turn % 3 == 1 ? 16
                                : 8,
                turn);
    ++turn;
  }
}

TEST(JitTyped, Atomics) {
  NEEDS_COMPILER();
  constexpr Shape kShapes[] = {{image::SurfaceType::Dim2, 13, 7, 1, 1}, {image::SurfaceType::Dim1, 30, 1, 1, 3},
                               {image::SurfaceType::Dim3, 9, 6, 5, 1},  {image::SurfaceType::Cube, 8, 8, 1, 1},
                               {image::SurfaceType::Dim2, 9, 9, 1, 4},  {image::SurfaceType::Buffer, 60, 1, 1, 1}};
  const std::string start = decl("U", "ud", 32) + decl("V", "ud", 32) + decl("R", "ud", 32) + decl("X", "ud", 64) +
                            decl("D", "ud", 32) + decl("E", "ud", 32) +
                            ".decl T6 v_type=T num_elts=1\n.decl P1 v_type=P num_elts=32\n";
  for (const bool lsc : {false, true}) {
    const unsigned at = lsc ? 256 : 128, lanes = lsc ? 32 : 16;
    std::string text = start + fmt::format(
                                   ".input U offset={} size=128\n.input V offset={} size=128\n.input R offset={} "
                                   "size=128\n.input X offset={} size=256\nsetp (M1_NM, 32) P1 X(0,0)<0;1,0>\n",
                                   at, at + 128, at + 256, at + 384);
    if (lsc)
      text +=
          "lsc_atomic_iadd.tgm (M1, 32) D:d32 bti(0x0)[U,V,R]:a32 X %null\n"
          "(P1) lsc_atomic_icas.tgm (M1, 32) E:d32 bti(0x0)[U,V,R]:a32 X X\n";
    else
      text +=
          "typed_atomic.add (M1, 16) T6 U.0 V.0 R.0 %null.0 X.0 %null.0 D.0\n"
          "(P1) typed_atomic.inc (M1, 8) T6 U.0 V.0 R.0 %null.0 %null.0 %null.0 E.0\n"
          "typed_atomic.maxsint (M5, 8) T6 U.32 V.32 R.32 %null.0 X.0 %null.0 %null.0\n";
    for (const Shape& shape : kShapes) {
      SCOPED_TRACE(fmt::format("type {} lsc {}", static_cast<int>(shape.type), lsc));
      BothEngines both(text + "ret (M1, 1)\n", lsc ? isa::Platform::PVC : isa::Platform::SKL);
      const auto surface = surface_of(shape, "R32_UINT", 0);
      ASSERT_TRUE(surface);
      both.bindings.surfaces = {surface};
      both.bindings.surface_variables[6] = {0};
      for (unsigned seed = 0; seed < 4; ++seed) {
        std::mt19937 random(seed);
        const auto put = [&](unsigned place, std::uint32_t word) {
          std::memcpy(both.payload.data() + at + place, &word, 4);
        };
        for (unsigned k = 0; k < 32; ++k) {
          put(4 * k, static_cast<std::uint32_t>(random() % (shape.width + 1)));
          put(128 + 4 * k, static_cast<std::uint32_t>(random() % (shape.height + 2)) - random() % 2);
          put(256 + 4 * k, static_cast<std::uint32_t>(random() % (shape.depth + 2 * shape.layers)));
        }
        for (unsigned k = 0; k < 64; ++k) put(384 + 4 * k, static_cast<std::uint32_t>(random()));
        EXPECT_TRUE(both.agree(lanes, seed == 3 ? 0x5a5b : lsc ? 0xffffffffu : 0xffffu));
      }
      EXPECT_EQ(both.counts.called, 0u);
    }
  }
}

// RET-7: reads and atomic operations of a null surface give zeros, stores do nothing; code does it without a call.
TEST(JitTyped, NullSurfaces) {
  NEEDS_COMPILER();
  BothEngines both(decl("U", "ud", 32) + decl("X", "ud", 64) + decl("D", "ud", 64) + decl("E", "ud", 16) +
                   ".decl T6 v_type=T num_elts=1\n.decl P1 v_type=P num_elts=16\n"
                   ".input U offset=128 size=128\n.input X offset=256 size=256\n"
                   "setp (M1_NM, 16) P1 X(0,0)<0;1,0>\n"
                   "scatter4_typed.RGBA (M1, 16) T6 U.0 U.0 U.0 %null.0 X.0\n"
                   "gather4_typed.RGBA (M1, 16) T6 U.0 U.0 U.0 %null.0 D.0\n"
                   "(P1) gather4_typed.A (M1, 8) T6 U.0 %null.0 %null.0 %null.0 X.0\n"
                   "typed_atomic.add (M1, 16) T6 U.0 U.0 U.0 %null.0 X.0 %null.0 E.0\nret (M1, 1)\n");
  auto surface = std::make_shared<image::Surface>();
  surface->type = image::SurfaceType::Null;
  both.bindings.surfaces = {surface};
  both.bindings.surface_variables[6] = {0};
  std::mt19937 random(7);
  for (unsigned place = 128; place < 512; place += 4) {
    const auto word = static_cast<std::uint32_t>(place < 256 ? random() % 3 : random());
    std::memcpy(both.payload.data() + place, &word, 4);
  }
  for (const std::uint32_t mask : {0xffffu, 0x5a5bu}) EXPECT_TRUE(both.agree(16, mask));
  EXPECT_EQ(both.counts.called, 0u);
}

}  // namespace
}  // namespace heddle::engine::testing
