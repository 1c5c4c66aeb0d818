// SPDX-License-Identifier: MIT
#pragma once
// The walk over an entry point's function: blocks in the order in which they are written, calls in place, instructions
// by their handlers. Structured control flow becomes gotos: lanes that branch forward wait at their label for the
// others (visa 11), so blocks are written such that only loops jump backwards.

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "spirv/compile/core/context.hpp"

namespace heddle::spirv::compiler {

class FunctionWalk {
 public:
  explicit FunctionWalk(ShaderContext& context) : t_(context) {}

  void run();

 private:
  struct CallFrame {
    std::unordered_map<std::uint32_t, std::string> labels;  ///< label id -> name in the text
    std::string return_label;
    bool return_used = false;
    std::shared_ptr<std::vector<Part>> returned;
    const Function* function = nullptr;
    std::set<std::uint32_t> written;  ///< labels that stand in the text already: what branches to them repeats
    bool in_loop = false;             ///< the call, or one around it, stands in a loop
  };
  void body(const Function& function, CallFrame& frame);
  void name_blocks(const Function& function, CallFrame& frame);
  void declare_phis(const Function& function, std::uint32_t label);
  void block(const Function& function, CallFrame& frame, std::size_t n);
  void call(const Instruction& i);
  [[nodiscard]] bool may_stay_in_memory(const Instruction& i);
  void instruction(const Instruction& i);
  [[nodiscard]] bool without_handler(const Instruction& i);
  void translate_by_handler(const Instruction& i);
  void set_zeros(const Instruction& i);
  void source_line(const Instruction& i);

  // --- branches.cpp: the end of a block. `next`: label of the block that follows in the text, 0: none ---
  void terminate(const Instruction& i, CallFrame& frame, std::uint32_t block, std::uint32_t next);
  void go(const CallFrame& frame, std::uint32_t label, std::uint32_t next);
  void branch_conditional(const Instruction& i, CallFrame& frame, std::uint32_t block, std::uint32_t next);
  void branch_switch(const Instruction& i, CallFrame& frame, std::uint32_t block, std::uint32_t next);
  void return_value(const Instruction& i, const CallFrame& frame);
  void phi_moves(const CallFrame& frame, std::uint32_t from, std::uint32_t to, const Guard& guard);
  void end_invocation(const CallFrame& frame, std::uint32_t block, std::uint32_t next);
  void emit_mesh_tasks(const Instruction& i, std::uint32_t next);
  void end_killed();
  [[nodiscard]] std::uint32_t demotes_to(const CallFrame& frame, std::uint32_t block) const;

  ShaderContext& t_;
  const CallFrame* frame_ = nullptr;  ///< of the function being translated
  unsigned depth_ = 0;
  std::uint64_t work_ = 0;  ///< instructions of the functions that were called so far
  std::string end_label_;
  bool end_used_ = false;
  Part killed_;             ///< fragment: d, -1 in lanes that OpKill ended and that go on for their quad's sake
  bool has_lines_ = false;  ///< the module says which lines it was made from
  std::uint32_t last_file_id_ = 0;
  std::string last_file_;
};

}  // namespace heddle::spirv::compiler
