// SPDX-License-Identifier: MIT
// Rules: R22.
#include "layer/rewriter/derivatives.hpp"

#include <spirv/unified1/spirv.hpp>

#include <map>

namespace heddle::layer {
namespace {

std::map<std::uint32_t, std::set<std::uint32_t>> read_calls(const Module& m) {
  std::map<std::uint32_t, std::set<std::uint32_t>> calls;
  std::uint32_t function = 0;
  for (const Instruction& i : std::span(m.instructions()).subspan(m.functions())) {
    if (i.opcode() == spv::OpFunction) function = i.result;
    if (i.opcode() == spv::OpFunctionCall) calls[function].insert(i.word(3));
  }
  return calls;
}

/// Entry points with a mode that gives derivatives.
std::set<std::uint32_t> read_grouped(const Module& m) {
  std::set<std::uint32_t> grouped;
  for (const Instruction& i : std::span(m.instructions()).first(m.types()))
    if (i.opcode() == spv::OpExecutionMode && (i.word(2) == spv::ExecutionModeDerivativeGroupQuadsNV ||
                                               i.word(2) == spv::ExecutionModeDerivativeGroupLinearNV))
      grouped.insert(i.word(1));
  return grouped;
}

}  // namespace

std::set<std::uint32_t> functions_without_derivatives(const Module& m) {
  const auto calls = read_calls(m);
  const auto grouped = read_grouped(m);
  std::vector<std::uint32_t> open;
  for (const Instruction& i : std::span(m.instructions()).first(m.types()))
    if (i.opcode() == spv::OpEntryPoint && i.word(1) != spv::ExecutionModelFragment && grouped.count(i.word(2)) == 0)
      open.push_back(i.word(2));
  std::set<std::uint32_t> found;
  while (!open.empty()) {
    const std::uint32_t function = open.back();
    open.pop_back();
    const auto called = calls.find(function);
    if (found.insert(function).second && called != calls.end())
      open.insert(open.end(), called->second.begin(), called->second.end());
  }
  return found;
}

}  // namespace heddle::layer
