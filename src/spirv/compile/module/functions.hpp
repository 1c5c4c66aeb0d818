#pragma once
// A function's blocks in the order in which they are written, and what a call of it needs.

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/fixed_limits.hpp"
#include "spirv/compile/core/context.hpp"

namespace heddle::spirv::compiler {

struct ShaderTranslator::Function {
  struct BasicBlock {
    std::uint32_t label = 0;
    std::size_t first = 0, last = 0;  ///< indices into Module::instructions: after the label, and the terminator
    std::uint32_t merge = 0, continue_target = 0;
    std::vector<std::uint32_t> successors;  ///< label ids
    std::vector<std::size_t> phis;
    std::uint32_t joins = 0;  ///< merge block of the innermost selection around this block, 0: none
    bool in_loop = false;
  };
  std::uint32_t id = 0;
  std::vector<std::uint32_t> parameters;
  std::unordered_map<std::uint32_t, BasicBlock> blocks;
  std::uint32_t entry = 0;
  std::vector<std::uint32_t> order;  ///< reachable blocks; successors but loop headers come later
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> uses;  ///< id -> instructions that use it
  std::unordered_map<std::size_t, std::uint32_t> block_of;           ///< instruction -> label
};

struct ShaderTranslator::CallFrame {
  std::unordered_map<std::uint32_t, std::string> labels;  ///< label id -> name in the text
  std::string return_label;
  bool return_used = false;
  std::shared_ptr<std::vector<Part>> returned;
  const Function* function = nullptr;
  std::set<std::uint32_t> written;  ///< labels that stand in the text already: what branches to them repeats
  bool in_loop = false;             ///< the call, or one around it, stands in a loop
};

}  // namespace heddle::spirv::compiler
