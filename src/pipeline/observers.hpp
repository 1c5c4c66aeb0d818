#pragma once
// Observers of a run: instruction trace, coverage by line, instruction counts.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isa/program.hpp"
#include "machine/observer.hpp"

namespace heddle::text {
class InstructionPrinter;
}

namespace heddle::pipeline {

/// What of a run is traced; absent: everything.
struct TraceFilter {
  std::optional<std::array<std::uint32_t, 3>> group;
  std::optional<std::uint32_t> thread;  ///< in its group
  std::optional<std::uint32_t> lane;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> lines;  ///< first and last source line
};

/// One line of text for each instruction executed: where, lanes, the instruction, and the bytes it left in its
/// destination.
class Tracer final : public machine::Observer {
 public:
  Tracer(const isa::Program& program, TraceFilter filter, std::function<void(const std::string&)> write);
  ~Tracer() override;
  void instruction(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes) override;
  void memory(const machine::Thread& thread, const machine::Decoded& d, const machine::MemoryAccess& access) override;
  [[nodiscard]] bool wants_texels() const override { return false; }
  [[nodiscard]] std::uint64_t lines() const { return lines_; }  ///< written so far

 private:
  [[nodiscard]] bool wanted(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes) const;
  const text::InstructionPrinter& printer(const isa::Object& object);
  const isa::Program& program_;
  TraceFilter filter_;
  std::uint64_t lines_ = 0;
  std::unordered_map<const isa::Object*, std::unique_ptr<text::InstructionPrinter>> printers_;
  std::function<void(const std::string&)> write_;
  std::unordered_map<const machine::Thread*, std::string>
      accesses_;  ///< of the instruction that each thread is executing
};

/// How often each instruction ran, and for how many lanes.
class Coverage final : public machine::Observer {
 public:
  struct Count {
    std::uint64_t executions = 0, lanes = 0;
  };
  void instruction(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes) override;
  [[nodiscard]] bool wants_memory() const override { return false; }
  [[nodiscard]] bool wants_texels() const override { return false; }

  /// The program's text with executions and lanes before each line (canonical instructions where there is no text).
  [[nodiscard]] std::string listing(const isa::Program& program) const;
  /// Executions by mnemonic, most frequent first.
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> by_mnemonic() const;

 private:
  std::unordered_map<const isa::Instruction*, Count> counts_;
  std::unordered_map<const isa::Instruction*, const isa::InstructionDescription*> descriptions_;
};

/// Several observers in one.
class Observers final : public machine::Observer {
 public:
  void add(machine::Observer* observer) { list_.push_back(observer); }
  [[nodiscard]] bool empty() const { return list_.empty(); }
  void instruction(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes) override;
  void memory(const machine::Thread& thread, const machine::Decoded& d, const machine::MemoryAccess& access) override;
  void texel(const texture::TexelTouch& touch) override;
  void barrier(const machine::Thread& thread, std::uint32_t id) override;
  [[nodiscard]] bool wants_memory() const override;
  [[nodiscard]] bool wants_texels() const override;

 private:
  std::vector<machine::Observer*> list_;
};

}  // namespace heddle::pipeline
