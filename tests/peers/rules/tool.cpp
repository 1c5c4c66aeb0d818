// SPDX-License-Identifier: MIT
#include "peers/rules/tool.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "support/process.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

std::string objection(const ToolCase& c) {
  const TemporaryFolder folder;
  write_text(folder / "k.visaasm", c.text);
  const Outcome o = run({"GenX_IR", "k.visaasm", "-platform", c.platform, "-output", "-noschedule", "-nopresched",
                         "-nocompaction", "-asmOutput", "k"},
                        {}, folder.path(), 120);
  std::string said = fs::exists(folder / "k.errors.txt") ? read_text(folder / "k.errors.txt") : std::string();
  const bool made = std::ranges::any_of(fs::directory_iterator(folder.path()), [](const fs::directory_entry& entry) {
    return (entry.path().extension() == ".asm" || entry.path().filename() == ".asm") && entry.file_size() > 0;
  });
  if (said.empty() && made && o.exit_code == 0 && o.signal == 0 && !o.timed_out) return {};
  return "refused: " + said + o.out + o.err + (o.signal != 0 ? "crashed" : "");
}

}  // namespace

std::vector<std::string> tool_objections(const std::vector<ToolCase>& cases) {
  std::vector<std::string> found(cases.size());
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> threads;
  for (unsigned n = std::clamp(std::thread::hardware_concurrency(), 1u, 8u); n > 0; --n)
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < cases.size(); i = next++) found[i] = objection(cases[i]);
    });
  threads.clear();
  return found;
}

}  // namespace heddle::test
