// SPDX-License-Identifier: MIT
#include "engine/jit/runtime/background.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/arenas.hpp"
#include "base/disk_cache.hpp"
#include "engine/jit/runtime/expect_code.hpp"
#include "engine/jit/runtime/unfinished.hpp"

namespace heddle::engine::jit {

struct BackgroundCompiler::Parts {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::shared_ptr<SecondTierJob>> waiting;
  std::shared_ptr<SecondTierJob> current;
  std::thread thread;
  bool stopping = false;
};

using State = SecondTierJob::State;

/// Ends the thread where its own destructor stands among those of other statics.
struct BackgroundCompiler::Stopper {
  BackgroundCompiler& owner;
  ~Stopper() { owner.stop(); }
};

/// Never destroyed: kernels may go away after it has stopped.
BackgroundCompiler& BackgroundCompiler::instance() {
  static BackgroundCompiler& one = *new BackgroundCompiler;
  static const Stopper stopper{one};
  return one;
}

BackgroundCompiler::BackgroundCompiler() : parts_(std::make_unique<Parts>()) {}
BackgroundCompiler::~BackgroundCompiler() = default;

/// False where no thread can be had.
bool BackgroundCompiler::start() {
  Parts& p = *parts_;
  if (p.stopping) return false;
  try {
    if (!p.thread.joinable()) p.thread = std::thread([this] { work(); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

void BackgroundCompiler::open() {
  const std::lock_guard guard(parts_->mutex);
  (void)start();
}

void BackgroundCompiler::ask(std::shared_ptr<SecondTierJob> job) {
  Parts& p = *parts_;
  const std::lock_guard guard(p.mutex);
  if (!start()) {  // the first tier stays
    job->state = State::Ended;
    return;
  }
  p.waiting.push_back(std::move(job));
  p.changed.notify_all();
}

static void give_up(const SecondTierJob& job) { job.again ? job.code->give_up_again() : job.code->give_up(); }

void BackgroundCompiler::forget(SecondTierJob& job) {
  Parts& p = *parts_;
  std::unique_lock lock(p.mutex);
  if (job.state == State::Waiting) {
    std::erase_if(p.waiting, [&](const auto& one) { return one.get() == &job; });
    job.state = State::Ended;
    give_up(job);
    return;
  }
  if (job.disk_key.empty()) job.cancel = true;
  p.changed.wait(lock, [&] { return job.state != State::Translating; });
}

void BackgroundCompiler::wait(const SecondTierJob& job) {
  std::unique_lock lock(parts_->mutex);
  parts_->changed.wait(lock, [&] { return job.state == State::Ended; });
}

bool BackgroundCompiler::has_ended(const SecondTierJob& job) const {
  const std::lock_guard guard(parts_->mutex);
  return job.state == State::Ended;
}

void BackgroundCompiler::work() {
  Parts& p = *parts_;
  base::name_own_thread();
  open_compiler();
  // LLVM's own statics are made by now: this, which comes later, is called before they go.
  ::on_exit([](int, void*) { instance().stop(); }, nullptr);  // also in a module that destroys no statics
  std::unique_lock lock(p.mutex);
  for (;;) {
    p.changed.wait(lock, [&] { return p.stopping || !p.waiting.empty(); });
    if (p.stopping) return;
    p.current = std::move(p.waiting.front());
    p.waiting.pop_front();
    p.current->state = State::Translating;
    lock.unlock();
    try {
      make(*p.current);
      // Such as memory that is not there: the first tier stays.
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
    }
    lock.lock();
    p.current->state = State::Ended;
    p.current.reset();
    p.changed.notify_all();
  }
}

bool BackgroundCompiler::find_on_disk(const SecondTierJob& job) {
  if (job.disk_key.empty()) return false;
  const auto object = base::DiskCache("kernel").find(job.disk_key);
  std::string error;
  auto code = object ? LoadedCode::load(*object, error) : nullptr;
  if (code == nullptr) return false;
  job.code->set(Tier::Second, std::move(code));
  return true;
}

void BackgroundCompiler::make(SecondTierJob& job) {
  if (!job.again && find_on_disk(job)) return;  // another process has made it since the first tier was
  CompileOptions options = job.options;
  options.tier = Tier::Second;
  options.cancel = &job.cancel;
  options.translated = [&] {
    const std::lock_guard guard(parts_->mutex);
    job.state = State::Compiling;
    parts_->changed.notify_all();
  };
  const CompileOutput output = job.compile(options);
  if (!output.error.empty()) {  // the first tier stays
    if (job.cancel) give_up(job);
    return;
  }
  std::string error;
  auto code = LoadedCode::load(output.object, error);
  if (code == nullptr) return;
  if (!job.disk_key.empty()) base::DiskCache("kernel").store(job.disk_key, output.object);
  if (job.again)
    job.code->set_again(std::move(code));
  else
    job.code->set(Tier::Second, std::move(code));
}

void BackgroundCompiler::stop() {
  Parts& p = *parts_;
  {
    const std::lock_guard guard(p.mutex);
    p.stopping = true;
    if (p.current != nullptr) p.current->cancel = true;
    for (const auto& job : p.waiting) job->state = State::Ended;
    p.waiting.clear();
    p.changed.notify_all();
  }
  if (p.thread.joinable()) p.thread.join();
}

bool BackgroundCompiler::busy() const {
  const std::lock_guard guard(parts_->mutex);
  return parts_->current != nullptr || !parts_->waiting.empty();
}

void expect_code() {
  if (has_compiler()) BackgroundCompiler::instance().open();
}

bool has_unfinished_code() { return BackgroundCompiler::instance().busy(); }

}  // namespace heddle::engine::jit
