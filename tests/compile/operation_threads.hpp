// SPDX-License-Identifier: MIT
#pragma once
// run_operations with a number of threads.

#include "operation_run.hpp"

namespace heddle::test {

/// As run_operations; `threads`: 0: as many as there are cores.
[[nodiscard]] std::vector<Bits> run_operations_on(unsigned threads, std::span<const Operation> operations,
                                                  const std::map<std::pair<std::string, unsigned>, Bits>& inputs,
                                                  std::size_t count, const spirv::CompileOptions& options,
                                                  const std::string& engine, std::span<const std::string> modes = {});

}  // namespace heddle::test
