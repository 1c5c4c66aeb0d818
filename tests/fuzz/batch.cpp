// Hostile request lines of `heddle batch` and `heddle footprint --batch`: always one answer, never a crash, whatever
// the bits of the operands.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tools/batch/batch.hpp"
#include "tools/pictures/footprint.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 8192) return 0;
  heddle::base::Limits limits;
  limits.surface_bytes = 1 << 20;
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  if (line.find('\n') != std::string_view::npos) return 0;
  bool good = false;
  if (heddle::tools::answer_line(line, limits, good).empty()) std::abort();
  heddle::tools::FootprintOptions options;
  options.common.limits = limits;
  if (heddle::tools::answer_footprint_line(line, options, good).empty()) std::abort();
  return 0;
}
