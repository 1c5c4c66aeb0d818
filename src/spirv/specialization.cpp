#include "spirv/specialization.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <spirv/unified1/spirv.hpp11>

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

std::string list_of(const std::vector<SpecializationConstant>& constants) {
  if (constants.empty()) return "it has none";
  std::string text = "it has:";
  for (const SpecializationConstant& c : constants)
    text += fmt::format("{} {}{}", &c == &constants.front() ? "" : ",", c.id,
                        c.name.empty() ? "" : fmt::format(" ({})", c.name));
  return text;
}

}  // namespace heddle::spirv
