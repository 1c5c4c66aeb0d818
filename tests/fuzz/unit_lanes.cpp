// The lane kernels against the reference unit: the fuzzer's bytes choose operation, state and lanes; every bit must
// agree on every target that the machine has.

#include <cstdint>
#include <cstdlib>

#include "../unit/lanes_cases.hpp"
#include "base/byte_cursor.hpp"

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
  using namespace heddle::unit;
  Bytes bytes{heddle::base::ByteCursor({data, size})};
  test::LaneCase c;
  if (!test::make_case(bytes, c)) return 0;
  Context reference = c.context;
  const LaneResult expected = execute(c.request, reference);
  for (unsigned target = 0; target <= static_cast<unsigned>(lanes::best_target()); ++target) {
    Context context = c.context;
    const auto prepared = lanes::prepare(c.request, context);
    for (const bool slow : {false, true}) {
      prepared->fixed.slow_gathers = slow;
      const LaneResult actual = lanes::run(*prepared, c.request, context, static_cast<lanes::Target>(target));
      if (test::compare_results(expected, actual, c.request.simd).found) std::abort();
    }
  }
  return 0;
}
