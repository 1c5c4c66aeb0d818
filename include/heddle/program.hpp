// SPDX-License-Identifier: MIT
#pragma once
// vISA programs: text (.visaasm) and containers (.isa) to a program and back.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.hpp"

namespace heddle {

/// How operands of the sampler messages are read and written: those of the finalizer of 2022, or its successors'.
/// DocumentCodes is for containers alone: their sub-operations have the numbers of a document (ENC-29).
enum class Dialect : std::uint8_t { Automatic, Igc12504, Newer, DocumentCodes };

struct ProgramOptions {
  /// "SKL", "ICLLP", "TGLLP", "DG2", "PVC", "XE2" ...: decides the size of registers. Empty: 32 bytes.
  std::string platform;
  Dialect dialect = Dialect::Automatic;
  bool lenient = false;  ///< containers: reserved bits are a warning
  Limits limits;
};

/// Names of all platforms, oldest first.
[[nodiscard]] std::vector<std::string_view> platform_names();
/// The name among them of any accepted spelling ("skl", "Gen9" ...); nothing for other words.
[[nodiscard]] std::optional<std::string_view> find_platform(std::string_view word);

/// A program that was read without errors. A handle: copies are cheap and share what never changes.
class Program {
 public:
  /// Reads text. All errors are reported, line by line. `file` names the text in messages. Ids: usage-argument
  /// (platform), visa-text-*, limit-*, and those of the rules that text alone shows.
  static Result<Program> parse(std::string text, const std::string& file, const ProgramOptions& options = {});
  /// Reads a container, versions 3.2 to 4.1. Ids: usage-argument, visa-bin-*, limit-*.
  static Result<Program> read(std::span<const std::uint8_t> bytes, const std::string& file,
                              const ProgramOptions& options = {});
  /// Reads a file of either form, "-" for standard input; the content decides. Ids: those of both, file-open,
  /// file-read, limit-input.
  static Result<Program> load(const std::string& path, const ProgramOptions& options = {});

  /// Canonical text. `parse(print())` gives the same program.
  [[nodiscard]] std::string print() const;
  /// A container, version 4.1. Ids: visa-bin-range (a value does not fit its field), visa-bin-dialect,
  /// visa-operand-class.
  Result<std::vector<std::uint8_t>> write() const;
  /// print() or write() to a file, by the extension: .isa is a container, all others text; "-" is text on standard
  /// output. Ids: those of write(), file-write.
  Result<Done> save(const std::string& path) const;

  [[nodiscard]] const std::string& file() const;
  [[nodiscard]] std::vector<std::string> kernels() const;  ///< names, in the order of the file
  [[nodiscard]] std::uint64_t instructions() const;        ///< of all kernels and functions
  [[nodiscard]] const Diagnostics& warnings() const;       ///< of reading
  [[nodiscard]] std::string_view source() const;           ///< the text it was parsed from; empty for containers

  struct Impl;  ///< of the library
  explicit Program(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace heddle
