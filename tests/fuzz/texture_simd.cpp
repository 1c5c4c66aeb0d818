// SPDX-License-Identifier: MIT
// The vector functions against the reference unit: the fuzzer's bytes choose operation, state and lanes; every bit must
// agree in every way that the machine has, on texels beside memory that nobody may touch.

#include <cstdint>
#include <cstdlib>

#include "base/byte_cursor.hpp"
#include "texture/simd_ways.hpp"

namespace {

/// Words from the input, and from a generator once it is used up.
struct Bytes {
  heddle::base::ByteCursor in;
  std::uint64_t state = 1;
  std::uint32_t word() {
    if (in.remaining() >= 4) return in.u32();
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<std::uint32_t>(state >> 32);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::texture;
  Bytes bytes{heddle::base::ByteCursor({data, size})};
  test::LaneCase c;
  if (!test::make_case(bytes, c)) return 0;
  if (size % 4 != 0) test::end_with_last_texel(c.surface);
  OperationContext context = c.context;
  const LaneResult expected = execute(c.request, context);
  context = c.context;
  const auto prepared = simd::prepare(c.request, context);
  if (test::difference_in_any_way(c.request, *prepared, expected, c.context).found) std::abort();
  return 0;
}
