// Names of SPIR-V's operations, from the headers' list (made at configuration: the headers of Debian 12 have no name
// table).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "spirv/module.hpp"

namespace heddle::spirv {
namespace {

struct Name {
  std::uint16_t opcode;
  std::string_view text;
};
constexpr Name kNames[] = {
#include "spirv_opcode_names.inc"
};

}  // namespace

std::string opcode_name(std::uint16_t opcode) {
  // Several names may have one number; the first is the one without a vendor's suffix.
  const auto* found =
      std::find_if(std::begin(kNames), std::end(kNames), [&](const Name& n) { return n.opcode == opcode; });
  return found == std::end(kNames) ? fmt::format("Op{}", opcode) : std::string(found->text);
}

}  // namespace heddle::spirv
