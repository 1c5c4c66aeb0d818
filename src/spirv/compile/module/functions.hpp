// SPDX-License-Identifier: MIT
#pragma once
// The functions of a module: their blocks in the order in which they are
// written, and who uses what.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "spirv/compile/module/types.hpp"
#include "spirv/module.hpp"

namespace heddle::spirv::compiler {

struct Function {
  struct BasicBlock {
    std::uint32_t label = 0;
    std::size_t first = 0, last = 0;  ///< indices into Module::instructions:
                                      ///< after the label, and the terminator
    std::uint32_t merge = 0, continue_target = 0;
    std::vector<std::uint32_t> successors;  ///< label ids
    std::vector<std::size_t> phis;
    std::uint32_t joins = 0;  ///< merge block of the innermost selection around
                              ///< this block, 0: none
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

class Functions {
 public:
  Functions(const Module& module, Types& types);

  [[nodiscard]] const Function& of(std::uint32_t id);
  /// Words of the functions that one reaches: variables that are not among them
  /// belong to other entry points.
  [[nodiscard]] std::set<std::uint32_t> words_used_by(std::uint32_t function) const;
  /// The first instruction of a ray query that a function reaches; nullptr:
  /// there is none.
  [[nodiscard]] const Instruction* first_ray_query(std::uint32_t function) const;
  /// The variable or parameter that a pointer leads into, as far as that is
  /// known without running.
  [[nodiscard]] std::uint32_t root_of(std::uint32_t pointer) const;
  /// Whether some access chain indexes a variable (or parameter) by a value
  /// that is no constant, calls followed.
  [[nodiscard]] bool dynamically_indexed(std::uint32_t variable) const { return dynamic_.contains(variable); }
  /// The constant that a variable of a shader holds for all of its life: its initializer where nothing else is stored,
  /// or the one thing that is; 0: it may hold more than one.
  [[nodiscard]] std::uint32_t only_constant(const Instruction& variable);

 private:
  void read(Function& function) const;
  [[nodiscard]] std::span<const Instruction> instructions_of(std::uint32_t function) const;
  [[nodiscard]] std::set<std::uint32_t> reachable(std::uint32_t function) const;
  void find_dynamic();
  void find_writes();

  const Module& module_;
  Types& types_;
  std::unordered_map<std::uint32_t, std::unique_ptr<Function>> functions_;
  std::set<std::uint32_t> dynamic_;
  struct Writes {
    std::uint32_t stores = 0, value = 0;  ///< of the whole variable
    bool others = false;                  ///< or what may be a write
  };
  std::unordered_map<std::uint32_t, Writes> writes_;  ///< by variable
  bool writes_known_ = false;
};

}  // namespace heddle::spirv::compiler
