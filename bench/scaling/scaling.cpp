// SPDX-License-Identifier: MIT
// How the driver scales to more processors than this machine has, by counting: each row runs in processes of its own,
// with count_locks.c before their libraries, and once more under qemu with qemu_machine.c, which models a machine with
// as many processors as threads. Nothing is timed across threads.
// Options: --filter TEXT takes the rows whose name has it; --places prints which code hands lines over, and what ran
// while all others slept; --work N, --threads N and --model are for the children.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "scaling/symbols.hpp"
#include "scaling/work.hpp"
#include "support/measure.hpp"
#include "support/process.hpp"

using namespace heddle;
using namespace heddle::bench;
namespace fs = std::filesystem;

namespace {

constexpr std::array<unsigned, 6> kThreads{1, 2, 8, 32, 64, 128};
constexpr double kSeconds = 900;  // of one process, emulated

using Numbers = std::map<std::string, double>;
using Ranking = std::vector<std::pair<std::string, double>>;  ///< names, those with most first

struct Lock {
  std::string name;  ///< where it is taken most
  double taken = 0, held = 0;
};

/// What one process counted; without qemu the model is empty.
struct Counts {
  Numbers locks, model;
  Ranking most_locks, places, alone;
  double held = 0;        ///< nanoseconds of the lock that is held longest
  std::string held_lock;  ///< its name
};

/// "word number word number ..."
Numbers read_numbers(std::istringstream& words) {
  Numbers found;
  std::string name;
  for (double value = 0; words >> name >> value;) found[name] = value;
  return found;
}

Ranking ranked(const std::map<std::string, double>& of) {
  Ranking all(of.begin(), of.end());
  std::ranges::sort(all, std::greater<>{}, &Ranking::value_type::second);
  return all;
}

void read_locks(const std::string& text, Symbols& symbols, Counts& counts) {
  struct Sites {
    std::map<std::string, double> taken;
    double all = 0, held = 0;
  };
  std::map<std::string, Sites> by_lock;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "units") {
      words.seekg(0);
      counts.locks = read_numbers(words);
    }
    if (word != "site") continue;
    std::string lock, file;
    double taken = 0, waited = 0, held = 0;
    std::uint64_t offset = 0;
    words >> lock >> taken >> waited >> held >> file >> offset;
    if (file.find("bench_scaling") != std::string::npos || file == "-") continue;  // the application's own
    Sites& sites = by_lock[lock];
    sites.taken[symbols.function(file, offset - 1)] += taken;
    sites.all += taken;
    sites.held += held;
  }
  std::map<std::string, double> most;
  for (const auto& [lock, sites] : by_lock) {
    const std::string name = ranked(sites.taken).front().first;
    most[name] = std::max(most[name], sites.all);
    if (sites.held <= counts.held) continue;
    counts.held = sites.held;
    counts.held_lock = name;
  }
  counts.most_locks = ranked(most);
}

void read_model(const std::string& text, const std::string& output, Symbols& symbols, Counts& counts) {
  Maps maps;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("map ")) maps.add(line.substr(4));
  std::map<std::string, double> places, alone;
  std::istringstream model(text);
  for (std::string line; std::getline(model, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "elapsed") {
      words.seekg(0);
      counts.model = read_numbers(words);
    }
    if (word != "place" && word != "alone") continue;
    std::uint64_t address = 0;
    double count = 0;
    words >> std::hex >> address >> std::dec >> count;
    (word == "place" ? places : alone)[maps.name(address, symbols)] += count;
  }
  counts.places = ranked(places);
  counts.alone = ranked(alone);
}

struct Setup {
  std::string filter, folder, own;
  bool model = false, places = false;
};

Counts count(const Setup& setup, std::size_t work, unsigned threads, Symbols& symbols) {
  const std::vector<std::string> child{setup.own, "--work", std::to_string(work), "--threads", std::to_string(threads)};
  const std::vector<std::pair<std::string, std::string>> environment{
      {"LD_PRELOAD", HEDDLE_COUNT_LOCKS},
      {"HEDDLE_CACHE_DIR", setup.folder + "/cache"},
      {"HEDDLE_VECTORS", "v3"},  // which qemu has
      // As many heaps as a machine with so many processors has.
      {"GLIBC_TUNABLES", fmt::format("glibc.malloc.arena_max={}", 8 * threads)}};
  std::vector<std::string> words{"env"};
  for (const auto& [name, value] : environment) words.push_back(name + "=" + value);
  words.insert(words.end(), child.begin(), child.end());
  Counts counts;
  const test::Outcome native = test::run(words, {}, {}, kSeconds);
  if (native.exit_code != 0) fmt::print(stderr, "bench: {}\n{}", fmt::join(words, " "), native.err);
  read_locks(native.out, symbols, counts);
  if (!setup.model) return counts;
  const std::string file = setup.folder + "/model";
  words = {"qemu-x86_64", "-cpu", "max", "-plugin", fmt::format("file={},out={}", HEDDLE_QEMU_MACHINE, file)};
  for (const auto& [name, value] : environment) words.insert(words.end(), {"-E", name + "=" + value});
  words.insert(words.end(), child.begin(), child.end());
  words.emplace_back("--model");
  test::Outcome emulated;
  for (int again = 0; again < 3; ++again) {  // where the machine was so busy that the model's order broke
    fs::remove(file);
    emulated = test::run(words, {}, {}, kSeconds);
    if (!fs::exists(file) || test::read_text(file).find(" stolen 0 ") != std::string::npos) break;
  }
  if (emulated.exit_code != 0 || !fs::exists(file))
    fmt::print(stderr, "bench: {}\n{}", fmt::join(words, " "), emulated.err);
  else
    read_model(test::read_text(file), emulated.out, symbols, counts);
  return counts;
}

/// Three digits.
std::string figure(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  return value >= 9.995 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

double value_of(const Numbers& numbers, const std::string& name) {
  const auto at = numbers.find(name);
  return at == numbers.end() ? std::nan("") : at->second;
}

struct Row {
  Work work;
  std::vector<Counts> by_threads;
  [[nodiscard]] double units(std::size_t t) const { return value_of(by_threads[t].locks, "units"); }
  [[nodiscard]] double of_locks(std::size_t t, const std::string& name) const {
    return value_of(by_threads[t].locks, name) / units(t);
  }
  [[nodiscard]] double of_model(std::size_t t, const std::string& name) const {
    return value_of(by_threads[t].model, name) / units(t);
  }
  /// Units in a time, beside those with one thread.
  [[nodiscard]] double speed(std::size_t t) const { return of_model(0, "elapsed") / of_model(t, "elapsed"); }
  [[nodiscard]] double share(std::size_t t) const {
    return value_of(by_threads[t].model, "most") / value_of(by_threads[t].model, "instructions");
  }
};

void table(Section& section, const std::vector<Row>& rows,
           const std::function<std::string(const Row&, std::size_t)>& cell) {
  std::vector<std::vector<std::string>> lines{{"threads"}};
  for (const unsigned threads : kThreads) lines[0].push_back(std::to_string(threads));
  for (const Row& row : rows) {
    std::vector<std::string>& line = lines.emplace_back();
    line.push_back(row.work.name + ": " + row.work.unit);
    for (std::size_t t = 0; t < kThreads.size(); ++t) line.push_back(cell(row, t));
  }
  section.table(lines);
}

/// The lock of a row that is busy first, as threads grow: processor time of a unit beside that in which the lock is
/// held.
void bounds(Section& section, const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> lines{{"unit", "locks", "the most of them in", "held longest in", "ns",
                                               "busy always at", "lines handed over by, at 64"}};
  for (const Row& row : rows) {
    // With one worker the draw's lock isn't taken; two of them share this machine.
    const std::size_t t = row.work.by_callers ? 0 : 1;
    const Counts& counts = row.by_threads[t];
    const double units = row.units(t), time = value_of(counts.locks, "nanoseconds") / units, held = counts.held / units;
    const Counts& many = row.by_threads[4];
    std::vector<std::string> hot;
    double all = 0;
    for (const auto& [name, transfers] : many.places) all += transfers;
    for (const auto& [name, transfers] : many.places)
      if (hot.size() < 3 && transfers > 0.08 * all)
        hot.push_back(fmt::format("{} {:.0f}%", name, 100 * transfers / all));
    const bool any = !counts.most_locks.empty();
    lines.push_back(
        {row.work.name, figure(row.of_locks(t, "taken")),
         any ? fmt::format("`{}` {}", counts.most_locks[0].first, figure(counts.most_locks[0].second / units)) : "-",
         any ? "`" + counts.held_lock + "`" : "-", any ? figure(held) : "-",
         any && held > 0 ? fmt::format("{:.0f}", time / held) : "-", fmt::format("{}", fmt::join(hot, ", "))});
  }
  section.table(lines);
}

void print_places(const Row& row) {
  for (std::size_t t = 0; t < kThreads.size(); ++t) {
    fmt::print("{}, {} threads:\n", row.work.name, kThreads[t]);
    const Counts& counts = row.by_threads[t];
    for (const auto& [list, what] : {std::pair{&counts.places, "handed over"}, {&counts.alone, "alone"}})
      for (std::size_t k = 0; k < 12 && k < list->size(); ++k)
        fmt::print("  {:>11} {:>12.0f} {}\n", what, (*list)[k].second, (*list)[k].first);
  }
}

constexpr const char* kWhat =
    "Two processors stand in for 128 here, so nothing is timed across threads: all is counted. Rows above that of "
    "submissions have one thread of the\n"
    "application and so many workers; the others have so many threads of the application, each of which does all "
    "units. Locks are counted by a library\n"
    "that stands before the C library (`bench/scaling/count_locks.c`), lines of caches by a plugin of qemu "
    "(`qemu_machine.c`), a model of a machine: each\n"
    "thread has a processor with AVX2, without AVX-512, and a cache without end; threads take turns of 1,000 "
    "instructions, the one furthest behind first.\n"
    "A line of 64 bytes is handed over when one that another thread wrote is read, and when one that others hold is "
    "written. The model's clock is\n"
    "instructions: a line handed over costs 300 (30 behind its neighbor), those who ask for one line at once come one "
    "after another, `pause` costs 60, a\n"
    "system call 600, waking 6,000; 30,000 pass until who was woken runs, as about 5 microseconds do. What the "
    "system's own locks cost (pages that are\n"
    "touched first, maps of memory) is not in it.";

}  // namespace

int main(int argc, char** argv) {
  const Options options =
      parse_options(argc, argv, {"--filter TEXT", "--places", "--work N", "--threads N", "--model"});
  Setup setup;
  std::size_t work = 0;
  unsigned threads = 0;
  bool in_model = false;
  for (std::size_t i = 0; i < options.rest.size(); ++i) {
    const std::string& word = options.rest[i];
    if (word == "--filter") setup.filter = options.rest[++i];
    if (word == "--places") setup.places = true;
    if (word == "--work") work = std::strtoul(options.rest[++i].c_str(), nullptr, 10);
    if (word == "--threads") threads = static_cast<unsigned>(std::strtoul(options.rest[++i].c_str(), nullptr, 10));
    if (word == "--model") in_model = true;
  }
  if (threads != 0) return run_child(work, threads, in_model);

  const test::TemporaryFolder folder;
  setup.folder = folder.path().string();
  setup.own = fs::absolute("/proc/self/exe").string();
  std::error_code failed;
  setup.own = fs::read_symlink("/proc/self/exe", failed).string();
  setup.model = test::have_program("qemu-x86_64") && fs::exists(HEDDLE_QEMU_MACHINE);
  if (!setup.model) fmt::print(stderr, "bench: qemu-x86_64 is not installed: lines of caches are not counted\n");
  Symbols symbols;
  std::vector<Row> rows;
  const std::vector<Work> all = all_work();
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].name.find(setup.filter) == std::string::npos) continue;
    Row& row = rows.emplace_back(Row{all[k], {}});
    for (const unsigned t : kThreads) {
      row.by_threads.push_back(count(setup, k, t, symbols));
      fmt::print(stderr, "{}, {} threads: {} locks, {} lines, speed {}\n", row.work.name, t,
                 figure(row.of_locks(row.by_threads.size() - 1, "taken")),
                 figure(row.of_model(row.by_threads.size() - 1, "transfers")),
                 figure(row.speed(row.by_threads.size() - 1)));
    }
    if (setup.places) print_places(row);
  }

  Section section("On a machine with many processors");
  section.paragraph(kWhat);
  section.heading("What is done in a time, beside one thread (the model)");
  table(section, rows, [](const Row& row, std::size_t t) { return figure(row.speed(t)); });
  section.heading("The largest share of the instructions that one processor executes, in percent (the model)");
  table(section, rows, [](const Row& row, std::size_t t) { return figure(100 * row.share(t)); });
  section.heading("Locks of a unit");
  table(section, rows, [](const Row& row, std::size_t t) { return figure(row.of_locks(t, "taken")); });
  section.heading("Lines of caches that change hands for a unit (the model)");
  table(section, rows, [](const Row& row, std::size_t t) { return figure(row.of_model(t, "transfers")); });
  section.heading("Sleeps of a unit, waits for locks among them; thousands of instructions for each (the model)");
  table(section, rows, [](const Row& row, std::size_t t) {
    const double sleeps = row.of_model(t, "sleeps");
    return figure(sleeps) + "; " + (sleeps > 0 ? figure(row.of_model(t, "instructions") / sleeps / 1000) : "-");
  });
  section.heading("What bounds them");
  section.paragraph(
      "Locks are counted and timed with one thread of the application or two workers; each seems held some 10 ns "
      "longer\n"
      "than it is. Processor time of a unit divided by that of the lock that is held longest is how many threads keep "
      "that\n"
      "lock busy always, were handing it over free.");
  bounds(section, rows);
  return section.finish(options.markdown) ? 0 : 1;
}
