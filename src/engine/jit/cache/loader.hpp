// SPDX-License-Identifier: MIT
#pragma once
// Machine code from a relocatable ELF file into memory. Small on purpose: a kernel from the disk cache runs
// without a compiler being loaded. Every offset and count is checked.

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "machine/jit/context.hpp"
#include "machine/registers.hpp"

namespace heddle::engine::jit {

/// machine::jit::Result of a thread.
using Function = std::uint32_t (*)(machine::jit::ThreadContext*, std::uint8_t* registers, machine::AddressRegister*,
                                   machine::StateRegister*, std::uint32_t* predicates);

class LoadedCode {
 public:
  /// The object's function `heddle_kernel`; symbols that it does not define are the runtime's. Null with `error` when
  /// the file is damaged or wants something unknown.
  static std::shared_ptr<const LoadedCode> load(std::span<const std::uint8_t> object, std::string& error);
  ~LoadedCode();
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;
  [[nodiscard]] Function function() const { return function_; }
  [[nodiscard]] std::size_t bytes() const { return size_; }

 private:
  LoadedCode() = default;
  void* memory_ = nullptr;
  std::size_t size_ = 0;
  Function function_ = nullptr;
};

/// Address of a function that compiled code may call, or nullptr.
[[nodiscard]] void* runtime_symbol(std::string_view name);

}  // namespace heddle::engine::jit
