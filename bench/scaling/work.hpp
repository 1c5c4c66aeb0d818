// SPDX-License-Identifier: MIT
#pragma once
// What is counted: work of the driver, called as applications call it.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace heddle::bench {

class Client;

/// One row.
struct Work {
  std::string name, unit;   ///< the unit: of what counts are given
  bool by_callers = false;  ///< the threads are the application's; else they are the driver's workers
  std::uint64_t units = 0;  ///< of all threads, or of each of the application's
  int warm = 4;             ///< runs before what is counted
  /// Thread `number` does its units, which are numbered from `first`.
  std::function<void(Client&, unsigned number, std::uint64_t first, std::uint64_t units)> run;
};

[[nodiscard]] std::vector<Work> all_work();

/// Runs one of them in this process with so many threads, and prints what was counted: a child of the benchmark, with
/// count_locks.c before its libraries. `model`: under qemu with qemu_machine.c. The exit code.
int run_child(std::size_t work, unsigned threads, bool model);

}  // namespace heddle::bench
