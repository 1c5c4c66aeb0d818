// SPDX-License-Identifier: MIT
#pragma once
// The second tier, made while the first runs: one thread of the process compiles what kernels ask for.

#include <atomic>
#include <memory>
#include <string>

#include "engine/jit/cache/tiered_code.hpp"
#include "engine/jit/codegen/compile.hpp"

namespace heddle::engine::jit {

/// A wish for the second tier of one function of a kernel.
struct SecondTierJob {
  enum class State : std::uint8_t {
    Waiting,
    Translating,  ///< the kernel is looked at
    Compiling,    ///< it is not any more
    Ended,        ///< with code or without
  };
  std::function<CompileOutput(const CompileOptions&)> compile;  ///< reads the kernel until CompileOptions::translated
  CompileOptions options;
  std::shared_ptr<TieredCode> code;
  bool again = false;    ///< the code has a second tier, which is made once more
  std::string disk_key;  ///< empty: it is not stored on disk
  State state = State::Waiting;
  std::atomic<bool> cancel = false;
};

/// One thread, which starts with the first job, or when one is expected, and opens the compiler. When the process ends
/// it gives up what it is doing, within milliseconds.
class BackgroundCompiler {
 public:
  static BackgroundCompiler& instance();

  void ask(std::shared_ptr<SecondTierJob> job);
  /// Opens the compiler, on the thread.
  void open();
  /// The kernel goes away: when this returns it is not looked at any more. What has come further goes on if the disk
  /// gets it.
  void forget(SecondTierJob& job);
  /// Until the job has ended.
  void wait(const SecondTierJob& job);
  [[nodiscard]] bool has_ended(const SecondTierJob& job) const;
  [[nodiscard]] bool busy() const;

  BackgroundCompiler(const BackgroundCompiler&) = delete;
  BackgroundCompiler& operator=(const BackgroundCompiler&) = delete;

 private:
  struct Parts;
  struct Stopper;
  ~BackgroundCompiler();
  BackgroundCompiler();
  [[nodiscard]] bool start();
  void work();
  void make(SecondTierJob& job);
  [[nodiscard]] static bool find_on_disk(const SecondTierJob& job);
  void stop();
  std::unique_ptr<Parts> parts_;
};

}  // namespace heddle::engine::jit
