// SPDX-License-Identifier: MIT
#include "spirv/compile/writer/operand.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace heddle::spirv::compiler {
namespace {

std::string number_text(isa::Type type, std::uint64_t bits) {
  switch (type) {
    case isa::Type::F: {
      const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      if (std::isfinite(value) && (value == 0 || (std::abs(value) >= 1e-4f && std::abs(value) < 1e7f)) &&
          !(value == 0 && std::signbit(value))) {
        std::string text = fmt::format("{}", value);  // shortest that reads back
        if (text.find('e') == std::string::npos) {
          if (text.find('.') == std::string::npos) text += ".0";
          return text + ":f";
        }
      }
      return fmt::format("0x{:x}:f", bits & 0xffffffffu);
    }
    case isa::Type::D: {
      const auto value = static_cast<std::int32_t>(bits);
      return value >= -4096 && value <= 4096 ? fmt::format("{}:d", value) : fmt::format("0x{:x}:d", bits & 0xffffffffu);
    }
    case isa::Type::UD:
      return (bits & 0xffffffffu) <= 4096 ? fmt::format("{}:ud", bits & 0xffffffffu)
                                          : fmt::format("0x{:x}:ud", bits & 0xffffffffu);
    case isa::Type::W:
    case isa::Type::B:
      return fmt::format("{}:w",
                         type == isa::Type::B ? static_cast<std::int8_t>(bits) : static_cast<std::int16_t>(bits));
    case isa::Type::UW:
      return fmt::format("0x{:x}:uw", bits & 0xffffu);
    case isa::Type::UB:
      return fmt::format("0x{:x}:uw", bits & 0xffu);
    case isa::Type::HF:
      return fmt::format("0x{:x}:hf", bits & 0xffffu);
    default:
      return fmt::format("0x{:x}:{}", bits, isa::type_name(type));
  }
}

}  // namespace

VisaOperand immediate(isa::Type type, std::uint64_t bits) { return number_text(type, bits); }

VisaOperand hexadecimal(isa::Type type, std::uint64_t bits) {
  return fmt::format("0x{:x}:{}", bits, isa::type_name(type));
}

VisaOperand thread_payload(unsigned index) { return fmt::format("%r0(0,{})<0;1,0>", index); }

}  // namespace heddle::spirv::compiler
