// SPDX-License-Identifier: MIT
#pragma once
// The variables of threads as they stand at a line of the program, or at the end.

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "pipeline/observers.hpp"

namespace heddle::pipeline {

class RegisterDump final : public machine::Observer {
 public:
  /// The variables are printed after the instructions that the filter names; where it names none, at a thread's end.
  /// `where`: "line 7", for the title.
  RegisterDump(TraceFilter filter, std::string where, std::function<void(const std::string&)> write)
      : filter_(std::move(filter)), where_(std::move(where)), write_(std::move(write)) {}
  void instruction(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes) override;
  [[nodiscard]] bool wants_memory() const override { return false; }
  [[nodiscard]] bool wants_texels() const override { return false; }
  [[nodiscard]] std::uint64_t dumps() const { return dumps_; }

 private:
  TraceFilter filter_;
  std::string where_;
  std::unordered_map<const isa::Object*, std::vector<std::string>> names_;
  std::function<void(const std::string&)> write_;
  std::uint64_t dumps_ = 0;
};

}  // namespace heddle::pipeline
