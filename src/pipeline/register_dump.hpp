#pragma once
// The variables of threads as they stand at a line of the program, or at the end.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "pipeline/observers.hpp"

namespace heddle::pipeline {

class RegisterDump final : public machine::Observer {
 public:
  /// `line`: of the program, after whose instruction the variables are printed; nothing: where a thread ends.
  RegisterDump(TraceFilter filter, std::optional<std::uint32_t> line, std::function<void(const std::string&)> write)
      : filter_(std::move(filter)), line_(line), write_(std::move(write)) {}
  void instruction(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes) override;
  [[nodiscard]] bool wants_memory() const override { return false; }
  [[nodiscard]] bool wants_texels() const override { return false; }
  [[nodiscard]] std::uint64_t dumps() const { return dumps_; }

 private:
  TraceFilter filter_;
  std::optional<std::uint32_t> line_;
  std::function<void(const std::string&)> write_;
  std::uint64_t dumps_ = 0;
};

}  // namespace heddle::pipeline
