// SPDX-License-Identifier: MIT
#pragma once
// Observers of a run: instruction trace, coverage by line, instruction counts.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "isa/program.hpp"
#include "isa/source_map.hpp"
#include "machine/observer.hpp"

namespace heddle::text {
class InstructionPrinter;
}

namespace heddle::machine {
struct PreparedObject;
}

namespace heddle::pipeline {

/// What of a run is traced; absent: everything.
struct TraceFilter {
  std::optional<std::array<std::uint32_t, 3>> group;
  std::optional<std::uint32_t> thread;  ///< in its group
  std::optional<std::uint32_t> lane;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> lines;                     ///< first and last source line
  std::optional<std::array<std::uint32_t, 2>> pixel;                                ///< threads and lanes that shade it
  std::shared_ptr<const std::unordered_set<const isa::Instruction*>> instructions;  ///< these alone

  /// Whether something that the thread did for `lanes` is wanted, whatever the line.
  [[nodiscard]] bool lets(const machine::Thread& thread, std::uint32_t lanes) const;
  /// "pixel 3,1 is lane 5"; empty where no pixel is asked for.
  [[nodiscard]] std::string pixel_text(const machine::Thread& thread) const;
  /// The lanes that are wanted.
  [[nodiscard]] std::uint32_t lanes_of(const machine::Thread& thread) const;
};

/// The pixel that a lane of a thread shades; nothing where it shades none.
[[nodiscard]] std::optional<std::array<std::uint32_t, 2>> pixel_of(const machine::Thread& thread, std::uint32_t lane);

/// The same out of the registers that a pixel thread starts with, whether the lane is dispatched or not.
/// `fragment_size`: pixels of a fragment.
[[nodiscard]] std::optional<std::array<std::uint32_t, 2>> pixel_in(std::span<const std::uint8_t> payload,
                                                                   std::uint32_t grf_bytes,
                                                                   std::array<std::uint32_t, 2> fragment_size,
                                                                   std::uint32_t lane);

/// The object that an instruction stands in: behind a call or a return the thread is in another one already.
[[nodiscard]] const machine::PreparedObject& object_of(const machine::Thread& thread, const machine::Decoded& d);

/// Bits as a number of the type.
[[nodiscard]] std::string value_text(std::uint64_t bits, isa::Type type);

/// One line of text for each instruction executed: where, lanes, the instruction, and the bytes it left in its
/// destination.
class Tracer final : public machine::Observer {
 public:
  Tracer(const isa::Program& program, TraceFilter filter, std::function<void(const std::string&)> write);
  /// What stands for a line of the text that several files make up: "k_f0.visaasm:7"; empty: "line 7".
  void name_lines(std::function<std::string(std::uint32_t)> names) { line_name_ = std::move(names); }
  ~Tracer() override;
  void instruction(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes) override;
  void memory(const machine::Thread& thread, const machine::Decoded& d, const machine::MemoryAccess& access) override;
  void raw_result(const machine::Thread& thread, const machine::Decoded& d, const machine::Operand& operand,
                  std::uint32_t at, std::uint32_t size) override;
  [[nodiscard]] bool wants_texels() const override { return false; }
  [[nodiscard]] bool wants_raw_results() const override { return true; }
  [[nodiscard]] std::uint64_t lines() const { return lines_; }  ///< written so far

 private:
  [[nodiscard]] bool wanted(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes) const;
  const text::InstructionPrinter& printer(const isa::Object& object);
  [[nodiscard]] std::string place_text(const isa::Object& object, const isa::Instruction& instruction);
  std::function<std::string(std::uint32_t)> line_name_;
  std::unordered_map<const isa::Object*, isa::SourceMap> sources_;
  const isa::Program& program_;
  TraceFilter filter_;
  std::uint64_t lines_ = 0;
  std::unordered_map<const isa::Object*, std::unique_ptr<text::InstructionPrinter>> printers_;
  std::function<void(const std::string&)> write_;
  std::unordered_map<const machine::Thread*, std::string>
      accesses_;  ///< of the instruction that each thread is executing
  /// Bytes of the register file that it wrote as a message's result, and the variable.
  struct RawResult {
    std::uint32_t begin = 0, bytes = 0, variable = 0;
    std::uint32_t from = 0;  ///< first byte of the variable's root
  };
  [[nodiscard]] std::string raw_text(const machine::Thread& thread, const machine::Decoded& d,
                                     std::vector<RawResult> results) const;
  std::unordered_map<const machine::Thread*, std::vector<RawResult>> raw_results_;
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
  struct Sum {
    std::string mnemonic;
    std::uint64_t executions = 0;
    bool message = false;  ///< it goes to the sampler, the data port or the render cache
  };
  /// Executions by mnemonic, most frequent first.
  [[nodiscard]] std::vector<Sum> by_mnemonic() const;

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
  void footprint(const machine::FootprintTouch& touch) override;
  void barrier(const machine::Thread& thread, std::uint32_t id) override;
  void raw_result(const machine::Thread& thread, const machine::Decoded& d, const machine::Operand& operand,
                  std::uint32_t at, std::uint32_t size) override;
  [[nodiscard]] bool wants_memory() const override;
  [[nodiscard]] bool wants_texels() const override;
  [[nodiscard]] bool wants_raw_results() const override;

 private:
  std::vector<machine::Observer*> list_;
};

}  // namespace heddle::pipeline
