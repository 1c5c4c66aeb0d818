// SPDX-License-Identifier: MIT
#pragma once
// The lines of a program: what stands at the kernel's start, and what follows in order.

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::spirv::compiler {

class ProgramText {
 public:
  void interface_line(std::string text);       ///< see docs/spirv-interface.md
  void interface_text(std::string_view text);  ///< one that names no surface and no sampler
  void kernel_attribute(const std::string& text);
  void comment(std::string_view text);
  /// A FILE string of Heddle's own.
  void remark(std::string_view text);
  /// What follows was made from there (FILE, LOC; SPV-36). Column 0: unknown.
  void source_line(std::string_view file, std::uint32_t line, std::uint32_t column);
  /// What is written by `write` stands at the kernel's start, before everything else written so far.
  void at_start(const std::function<void()>& write);
  [[nodiscard]] std::size_t instructions() const { return instructions_; }

 protected:
  [[nodiscard]] bool in_start() const { return in_start_; }
  /// One instruction, whole.
  void put_instruction(std::string_view text);
  /// A label; it is written only if something jumps to it.
  void put_label(std::string_view label);
  void jumps_to(std::string_view label) { targets_.emplace(label); }
  /// The start and the code, each for itself: what renames words replaces them.
  [[nodiscard]] std::string& start() { return start_; }
  [[nodiscard]] std::string& code() { return code_; }
  void append_attributes(std::string& out) const { out += attributes_; }
  /// Interface lines, start and code.
  void append_body(std::string& out) const;

 private:
  [[nodiscard]] std::string& section() { return in_start_ ? start_ : code_; }
  [[nodiscard]] std::string column_lines() const;

  std::set<std::string, std::less<>> targets_;
  std::string attributes_, interface_, start_, code_;
  bool in_start_ = false;
  std::string file_;                                 ///< of the last FILE
  std::pair<std::uint32_t, std::uint32_t> place_{};  ///< line and column of the last LOC
  std::vector<std::uint32_t> columns_;               ///< of each LOC
  std::size_t instructions_ = 0;
};

}  // namespace heddle::spirv::compiler
