// SPDX-License-Identifier: MIT
// Hostile lines of `heddle batch` (with what they define) and `heddle footprint --batch`: always one answer a line,
// never a crash, whatever the bits of the operands.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tools/batch/batch.hpp"
#include "tools/pictures/footprint.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 8192) return 0;
  heddle::base::Limits limits;
  limits.surface_bytes = limits.memory_bytes = 1 << 20;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  // Definitions may name files; an escaped letter may hide the word.
  if (text.find("file\"") != std::string_view::npos || text.find("raw\"") != std::string_view::npos ||
      text.find("\\u") != std::string_view::npos)
    return 0;
  heddle::tools::Batch batch(limits);
  heddle::tools::FootprintFlags options;
  options.common.limits = limits;
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    std::string answer;
    batch.answer(line, number, answer);
    if (answer.size() < 2 || answer.front() != '{' || answer.back() != '}') std::abort();
    answer.clear();
    heddle::tools::answer_footprint_line(line, number, options, answer);
    if (answer.size() < 2 || answer.front() != '{' || answer.back() != '}') std::abort();
  }
  return 0;
}
