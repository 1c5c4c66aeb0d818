#pragma once
// Reports of a run: what the reference engine found wrong, once for each place and rule, with the lane and thread it
// was first seen in.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/diagnostic.hpp"
#include "isa/program.hpp"

namespace heddle::machine {

/// --check: what happens to reports. Refused operations (an unknown message, a missing binding) are errors in every
/// mode.
enum class CheckMode : std::uint8_t { Off, Warn, Error };

/// Shared by all threads of a run; every function may be called from several threads at once.
class Reports {
 public:
  Reports(const isa::Program& program, CheckMode mode, std::size_t cap = base::Diagnostics::kDefaultCap)
      : program_(program), mode_(mode), diagnostics_(cap) {}

  [[nodiscard]] CheckMode mode() const { return mode_; }
  [[nodiscard]] bool checking() const { return mode_ != CheckMode::Off; }
  /// True once a thread must stop: a refusal, or any report under CheckMode::Error.
  [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_relaxed); }

  /// A checked rule: a warning, or an error under CheckMode::Error; nothing when checks are off.
  void check(const isa::Object& object, const isa::Instruction& instruction, const isa::Operand* operand,
             std::string_view id, std::string message);
  /// Execution cannot go on.
  void refuse(const isa::Object& object, const isa::Instruction& instruction, const isa::Operand* operand,
              std::string_view id, std::string message);
  void add(base::Diagnostic diagnostic);

  /// Times each id was reported, repeated places included.
  [[nodiscard]] std::unordered_map<std::string, std::uint64_t> counts() const;
  [[nodiscard]] base::Diagnostics take();  ///< all diagnostics so far

 private:
  void record(base::Diagnostic diagnostic);
  const isa::Program& program_;
  CheckMode mode_;
  std::atomic<bool> failed_{false};
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::uint64_t> seen_, counts_;
  base::Diagnostics diagnostics_;
};

}  // namespace heddle::machine
