// SPDX-License-Identifier: MIT
#pragma once
// Reports of a run: what the reference engine found wrong, once for each place, rule and resource, with the invocation
// that it was first seen in.

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.hpp"
#include "isa/program.hpp"
#include "isa/source_map.hpp"
#include "machine/races.hpp"

namespace heddle::machine {

/// --check: what happens to reports. Refused operations (an unknown message, a missing binding) are errors in every
/// mode.
enum class CheckMode : std::uint8_t { Off, Warn, Error };

/// Who did it, as far as it is known.
struct Occurrence {
  std::uint32_t thread = 0;  ///< of its group
  std::optional<std::uint32_t> lane;
  std::array<std::uint32_t, 3> group{};
  std::optional<std::array<std::uint32_t, 3>> local, global;  ///< of compute: ids of the invocation
  std::optional<std::array<std::uint32_t, 2>> pixel;
  /// ", invocation (67, 0, 0): (3, 0, 0) of workgroup (1, 0, 0), lane 3 of thread 0"
  [[nodiscard]] std::string text() const;
};

/// One thing that is wrong, at its first occurrence.
struct Finding {
  base::Severity severity = base::Severity::Warning;
  std::string id;
  std::string message;  ///< without the occurrence
  base::Place place;    ///< in the source where it is known, else in the program
  std::optional<Occurrence> occurrence;
  std::string subject;                   ///< the resource or variable that it is about; may be empty
  std::optional<std::uint32_t> surface;  ///< its index in the binding table
  std::vector<base::Note> notes;
  bool is_limit = false;
  std::uint64_t count = 1;  ///< occurrences

  [[nodiscard]] base::Diagnostic diagnostic() const;
};

/// Shared by all threads of a run; every function may be called from several threads at once.
class Reports {
 public:
  Reports(const isa::Program& program, CheckMode mode, std::size_t cap = base::Diagnostics::kDefaultCap)
      : program_(program),
        mode_(mode),
        cap_(cap),
        races_(mode != CheckMode::Off ? std::make_unique<RaceDetector>() : nullptr) {}

  [[nodiscard]] CheckMode mode() const { return mode_; }
  [[nodiscard]] bool checking() const { return mode_ != CheckMode::Off; }
  /// True once a thread must stop: a refusal, or any report under CheckMode::Error.
  [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_relaxed); }
  /// Null when checks are off.
  [[nodiscard]] RaceDetector* races() const { return races_.get(); }

  /// A checked rule: a warning, or an error under CheckMode::Error; nothing when checks are off. Severity and place are
  /// filled in.
  void check(const isa::Object& object, const isa::Instruction& instruction, const isa::Operand* operand,
             Finding finding);
  /// Execution cannot go on.
  void refuse(const isa::Object& object, const isa::Instruction& instruction, const isa::Operand* operand,
              Finding finding);
  void add(base::Diagnostic diagnostic);

  /// Where an instruction was made from, or else where it stands, as reports name it.
  [[nodiscard]] base::Place place_of(const isa::Object& object, const isa::Instruction& instruction);

  /// Times each id was reported, repeated places included.
  [[nodiscard]] std::unordered_map<std::string, std::uint64_t> counts() const;
  [[nodiscard]] std::vector<Finding> findings() const;  ///< all so far
  [[nodiscard]] base::Diagnostics take();               ///< the same as diagnostics; none are left

 private:
  void record(Finding finding, std::string_view key);
  void place(const isa::Object& object, const isa::Instruction& instruction, const isa::Operand* operand,
             Finding& finding);
  [[nodiscard]] std::optional<isa::SourceLine> source_of(const isa::Object& object,
                                                         const isa::Instruction& instruction);
  const isa::Program& program_;
  CheckMode mode_;
  std::size_t cap_;
  std::atomic<bool> failed_{false};
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::uint64_t> counts_;
  std::unordered_map<std::string, std::size_t> seen_;  ///< number in the list; at or behind the cap: not kept
  std::vector<Finding> list_;
  std::map<const isa::Object*, isa::SourceMap> sources_;
  std::unique_ptr<RaceDetector> races_;
};

}  // namespace heddle::machine
