// SPDX-License-Identifier: MIT
#include "spirv/specialization.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>
#include <spirv/unified1/spirv.hpp11>

#include "base/half.hpp"

namespace heddle::spirv {

std::vector<SpecializationConstant> specialization_constants(const Module& module) {
  std::map<std::uint32_t, std::string> found;
  for (const Instruction& i : module.instructions) {
    if (static_cast<spv::Op>(i.opcode) == spv::Op::OpFunction) break;
    if (static_cast<spv::Op>(i.opcode) != spv::Op::OpDecorate || i.operands.size() < 3 ||
        i.operands[1] != static_cast<std::uint32_t>(spv::Decoration::SpecId))
      continue;
    const auto name = module.names.find(i.operands[0]);
    found.emplace(i.operands[2], name == module.names.end() ? std::string() : name->second);
  }
  std::vector<SpecializationConstant> list;
  for (auto& [id, name] : found) list.push_back({id, std::move(name)});
  return list;
}

std::optional<std::uint32_t> find_constant(const std::vector<SpecializationConstant>& constants, std::string_view key) {
  std::uint32_t number = 0;
  const auto digits = std::from_chars(key.data(), key.data() + key.size(), number);
  const bool is_number = digits.ec == std::errc() && digits.ptr == key.data() + key.size();
  for (const SpecializationConstant& c : constants)
    if (is_number ? c.id == number : !key.empty() && c.name == key) return c.id;
  return std::nullopt;
}

namespace {

/// "'RADIUS' (3)", or "3" where it has no name.
std::string shown(const Module& module, std::uint32_t constant, std::uint32_t id) {
  const auto name = module.names.find(constant);
  return name == module.names.end() || name->second.empty() ? fmt::format("specialization constant {}", id)
                                                            : fmt::format("'{}' (constant {})", name->second, id);
}

std::string text_of(const std::variant<std::int64_t, double, bool>& value) {
  if (const bool* boolean = std::get_if<bool>(&value)) return *boolean ? "true" : "false";
  if (const double* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  return fmt::format("{}", std::get<std::int64_t>(value));
}

std::string boolean_problem(const std::variant<std::int64_t, double, bool>& value) {
  const std::int64_t* integer = std::get_if<std::int64_t>(&value);
  if (std::holds_alternative<bool>(value) || (integer != nullptr && (*integer == 0 || *integer == 1))) return {};
  return "is a boolean, which takes true or false";
}

std::string integer_problem(const std::variant<std::int64_t, double, bool>& value, unsigned bits, bool is_signed) {
  const std::string what = fmt::format("is {} of {} bits", is_signed ? "an integer" : "an unsigned integer", bits);
  if (std::holds_alternative<bool>(value)) return what + ", which takes a number";
  std::int64_t number = 0;
  if (const double* real = std::get_if<double>(&value)) {
    if (*real != std::trunc(*real)) return what + ", which takes a whole number";
    if (!(*real >= -0x1p63 && *real < 0x1p63)) return what + ", which cannot hold it";
    number = static_cast<std::int64_t>(*real);
  } else {
    number = std::get<std::int64_t>(value);
  }
  if (bits >= 64) return number < 0 && !is_signed ? what + ", which cannot be negative" : std::string();
  const std::int64_t least = is_signed ? -(std::int64_t{1} << (bits - 1)) : 0,
                     most = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  return number < least || number > most ? fmt::format("{}, which holds {} to {}", what, least, most) : std::string();
}

std::string float_problem(const std::variant<std::int64_t, double, bool>& value, unsigned bits) {
  const std::string what = fmt::format("is a float of {} bits", bits);
  if (std::holds_alternative<bool>(value)) return what + ", which takes a number";
  const double* real = std::get_if<double>(&value);
  const double number = real != nullptr ? *real : static_cast<double>(std::get<std::int64_t>(value));
  if (!std::isfinite(number) || bits >= 64) return {};
  const bool fits = bits == 16 ? std::isfinite(base::half_to_float(base::double_to_half(number)))
                               : std::isfinite(static_cast<float>(number));
  return fits ? std::string() : what + ", which holds no number that large";
}

}  // namespace

std::variant<std::int64_t, double, bool> value_of_bits(const Module& module, const Instruction& constant,
                                                       std::uint64_t bits) {
  const Instruction* type = module.find(constant.type);
  const auto is = [&](spv::Op op) { return type != nullptr && static_cast<spv::Op>(type->opcode) == op; };
  if (is(spv::Op::OpTypeBool)) return bits != 0;
  if (!is(spv::Op::OpTypeFloat) || type->operands.empty()) return static_cast<std::int64_t>(bits);
  switch (type->operands[0]) {
    case 16:
      return static_cast<double>(base::half_to_float(static_cast<std::uint16_t>(bits)));
    case 32:
      return static_cast<double>(base::float_from_bits(static_cast<std::uint32_t>(bits)));
    default:
      return base::double_from_bits(bits);
  }
}

namespace {

/// Every constant of that number, with its type.
template <typename Take>
void each_constant(const Module& module, std::uint32_t id, const Take& take) {
  for (const Instruction& i : module.instructions) {
    if (static_cast<spv::Op>(i.opcode) == spv::Op::OpFunction) break;
    if (static_cast<spv::Op>(i.opcode) != spv::Op::OpDecorate || i.operands.size() < 3 || i.operands[2] != id ||
        i.operands[1] != static_cast<std::uint32_t>(spv::Decoration::SpecId))
      continue;
    const Instruction* constant = module.find(i.operands[0]);
    const Instruction* type = constant != nullptr ? module.find(constant->type) : nullptr;
    if (type != nullptr) take(*constant, *type);
  }
}

bool is_signed(const Instruction& type) { return type.operands.size() > 1 && type.operands[1] != 0; }
unsigned bits_of(const Instruction& type) { return type.operands.empty() ? 32 : type.operands[0]; }

}  // namespace

std::vector<ConstantBits> constants_of(const Module& module, std::uint32_t id) {
  std::vector<ConstantBits> list;
  each_constant(module, id, [&](const Instruction& constant, const Instruction& type) {
    const bool boolean = static_cast<spv::Op>(type.opcode) == spv::Op::OpTypeBool,
               integer = static_cast<spv::Op>(type.opcode) == spv::Op::OpTypeInt;
    const unsigned bits = boolean ? 1 : bits_of(type);
    list.push_back({&constant, bits, integer && bits == 64 && !is_signed(type)});
  });
  return list;
}

std::string specialization_problem(const Module& module, std::uint32_t id,
                                   const std::variant<std::int64_t, double, bool>& value) {
  std::string found;
  each_constant(module, id, [&](const Instruction& constant, const Instruction& type) {
    if (!found.empty()) return;
    std::string problem;
    switch (static_cast<spv::Op>(type.opcode)) {
      case spv::Op::OpTypeBool:
        problem = boolean_problem(value);
        break;
      case spv::Op::OpTypeInt:
        problem = integer_problem(value, bits_of(type), is_signed(type));
        break;
      case spv::Op::OpTypeFloat:
        problem = float_problem(value, bits_of(type));
        break;
      default:
        break;
    }
    if (!problem.empty()) found = fmt::format("{} {}: {}", shown(module, constant.result, id), problem, text_of(value));
  });
  return found;
}

std::string list_of(const std::vector<SpecializationConstant>& constants) {
  if (constants.empty()) return "it has none";
  std::string text = "it has:";
  for (const SpecializationConstant& c : constants)
    text += fmt::format("{} {}{}", &c == &constants.front() ? "" : ",", c.id,
                        c.name.empty() ? "" : fmt::format(" ({})", c.name));
  return text;
}

}  // namespace heddle::spirv
