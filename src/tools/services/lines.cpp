// SPDX-License-Identifier: MIT
#include "tools/services/lines.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "base/file.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/progress.hpp"

namespace heddle::tools {
namespace {

constexpr std::size_t kRead = std::size_t{1} << 20;      // bytes asked for at a time; a pipe gives what it has
constexpr std::size_t kWaiting = std::size_t{1} << 16;   // bytes of answers that are written although lines remain
constexpr std::size_t kTogether = std::size_t{1} << 18;  // bytes of lines that are answered before any is written
constexpr std::size_t kFew = 8;                          // lines that one thread answers

struct Line {
  std::string_view text;
  std::uint64_t number;
};

class Answering {
 public:
  Answering(const std::string& output, const LineService& service) : output_(output), service_(service) {}

  /// Answers all lines of `text`, which ends behind a newline or is the last. False where they can't be written.
  bool answer(std::string_view text);
  bool write();
  [[nodiscard]] bool all_good() const { return all_good_; }
  [[nodiscard]] std::uint64_t lines() const { return number_; }

 private:
  bool answer_together(std::size_t bytes);

  const std::string& output_;
  const LineService& service_;
  std::uint64_t number_ = 0;
  std::vector<Line> together_;
  std::vector<std::string> answers_;
  std::string waiting_;
  std::atomic<bool> all_good_{true};
};

bool Answering::answer_together(std::size_t bytes) {
  const std::size_t count = together_.size();
  if (answers_.size() < count) answers_.resize(count);
  const auto one = [this](std::size_t i) {
    if (!service_.answer(together_[i].text, together_[i].number, answers_[i]))
      all_good_.store(false, std::memory_order_relaxed);
  };
  if (count > kFew || (count > 1 && bytes > kWaiting)) {
    const std::size_t grain = std::max<std::size_t>(1, std::min<std::size_t>(64, count / 8));
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain), [&](const auto& range) {
      for (std::size_t i = range.begin(); i < range.end(); ++i) one(i);
    });
  } else {
    for (std::size_t i = 0; i < count; ++i) one(i);
  }
  for (std::size_t i = 0; i < count; ++i) {
    answers_[i] += '\n';
    if (output_ == "-" && answers_[i].size() > kWaiting) {  // not copied once more
      if (!write()) return false;
      waiting_.swap(answers_[i]);
      if (!write()) return false;
      waiting_.swap(answers_[i]);
    } else {
      waiting_ += answers_[i];
    }
    answers_[i].clear();
    if (output_ == "-" && waiting_.size() > kWaiting && !write()) return false;
  }
  together_.clear();
  return true;
}

bool Answering::answer(std::string_view text) {
  std::size_t bytes = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number_;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const bool changes = service_.changes_state && service_.changes_state(line);
    if ((changes || bytes > kTogether) && !together_.empty()) {
      if (!answer_together(bytes)) return false;
      bytes = 0;
    }
    together_.push_back({line, number_});
    bytes += line.size();
    if (!changes) continue;
    if (!answer_together(bytes)) return false;
    bytes = 0;
  }
  return (together_.empty() || answer_together(bytes)) && (output_ != "-" || write());
}

bool Answering::write() {
  if (waiting_.empty() && output_ == "-") return true;
  const base::Result<base::Done> written = base::write_file(output_, waiting_);
  waiting_.clear();
  if (written.ok()) return true;
  // A reader that has seen enough (head) wants no message.
  if (written.diagnostics().front().id != "file-pipe") print_diagnostics(written.diagnostics());
  return false;
}

/// The input's bytes as they come.
class Input {
 public:
  static base::Result<Input> open(const std::string& path) {
    const base::Result<int> descriptor = base::open_input(path);
    if (!descriptor.ok()) return descriptor.failure();
    return Input(path, *descriptor);
  }
  Input(Input&& other) noexcept
      : path_(std::move(other.path_)),
        descriptor_(std::exchange(other.descriptor_, STDIN_FILENO)),
        bytes_(std::move(other.bytes_)),
        start_(other.start_),
        end_(other.end_) {}
  Input(const Input&) = delete;
  ~Input() {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }

  /// Waits for bytes, and gives the whole lines that are there now (perhaps none); at the end of the input what is
  /// left. They hold until the next call.
  base::Result<std::string_view> next();
  [[nodiscard]] bool at_end() const { return at_end_; }
  [[nodiscard]] std::size_t unfinished() const { return end_ - start_; }  ///< bytes of the line that has not ended
  /// Of a file; 0 where it is not known.
  [[nodiscard]] std::uint64_t size() const {
    struct stat info{};
    return ::fstat(descriptor_, &info) == 0 && S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
  }

 private:
  Input(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_;
  std::vector<char> bytes_;
  std::size_t start_ = 0, end_ = 0;  ///< what has not been given
  bool at_end_ = false;
};

base::Result<std::string_view> Input::next() {
  if (start_ != 0) {
    std::memmove(bytes_.data(), bytes_.data() + start_, end_ - start_);
    end_ -= start_;
    start_ = 0;
  }
  if (bytes_.size() - end_ < kRead) bytes_.resize(std::max(end_ + kRead, bytes_.size() + bytes_.size() / 2));
  ssize_t count = 0;
  do count = ::read(descriptor_, bytes_.data() + end_, bytes_.size() - end_);
  while (count < 0 && errno == EINTR);
  if (count < 0)
    return base::error("file-read", fmt::format("cannot read '{}': {}", path_, std::strerror(errno)),
                       base::Place::in_file(path_));
  const std::string_view read(bytes_.data() + end_, static_cast<std::size_t>(count));
  const std::size_t newline = read.rfind('\n');
  at_end_ = count == 0;
  const std::size_t whole = at_end_ ? end_ : newline == std::string_view::npos ? 0 : end_ + newline + 1;
  end_ += read.size();
  start_ = whole;
  return std::string_view(bytes_.data(), whole);
}

}  // namespace

base::ExitCode answer_lines(const std::string& path, const std::string& output, const base::Limits& limits,
                            const LineService& service) {
  if (const auto writable = base::check_writable(output); !writable.ok()) {  // said before the work, not behind it
    print_diagnostics(writable.diagnostics());
    return base::ExitCode::File;
  }
  base::Result<Input> input = Input::open(path);
  if (!input.ok()) {
    print_diagnostics(input.diagnostics());
    return exit_code(input.diagnostics());
  }
  const std::uint64_t total = input->size();
  std::optional<Progress> progress;
  if (total != 0) progress.emplace(service.what, total);
  std::uint64_t done = 0;
  Answering answering(output, service);
  base::ExitCode ended = base::ExitCode::Done;
  while (!input->at_end() && ended == base::ExitCode::Done) {
    const base::Result<std::string_view> text = input->next();
    if (!text.ok()) {
      print_diagnostics(text.diagnostics());
      ended = exit_code(text.diagnostics());
      break;
    }
    if (!answering.answer(*text)) return base::ExitCode::File;
    done += text->size();
    if (progress) progress->at(std::min(done, total));
    if (input->unfinished() <= limits.input_bytes) continue;
    const std::vector<base::Diagnostic> why{
        base::limit_error("limit-input",
                          fmt::format("line {} of '{}' is longer than {} bytes; --max-input raises the limit",
                                      answering.lines() + 1, path, limits.input_bytes),
                          base::Place::in_file(path))};
    print_diagnostics(why);
    ended = exit_code(why);
  }
  progress.reset();
  if (output != "-" && ended != base::ExitCode::Done) return ended;  // whole, or not at all
  if (!answering.write()) return base::ExitCode::File;
  return ended != base::ExitCode::Done ? ended
         : answering.all_good()        ? base::ExitCode::Done
                                       : base::ExitCode::WrongInput;
}

}  // namespace heddle::tools
