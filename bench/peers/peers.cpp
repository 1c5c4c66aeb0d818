// SPDX-License-Identifier: MIT
// Heddle's fast engine beside Vulkan drivers for the CPU and POCL: the same programs on all sides, in interleaved
// rounds. What is timed is running alone, everything compiled and in place; compiling has a table of its own. Options:
// --rounds N, --filter TEXT (cases whose name has it; no other table, or those of --only kernels), --only TABLE
// (operations, vertices, footprints, runs, first, threads, memory, kernels), --threads N, --plot FILE, --peers FOLDER
// (drivers that are not installed: NAME.json, see unpack-peers).
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "cases.hpp"
#include "engine/jit/cache/kernel_cache.hpp"
#include "heddle_side.hpp"
#include "kernels.hpp"
#include "support/measure.hpp"
#include "support/plot.hpp"
#include "support/process.hpp"
#include "vulkan_side.hpp"

using namespace heddle::bench;
namespace fs = std::filesystem;

namespace {

constexpr const char* kOther = "x86-64-v3";

struct Setup {
  std::string self, heddle, filter, only, plot, child, name, on, state, out;
  fs::path folder, peers;
  unsigned rounds = 5, threads = 1;
  std::vector<Driver> drivers;  ///< the first one is what ratios are of

  [[nodiscard]] std::string peer() const { return drivers.empty() ? "no driver" : drivers.front().name; }
};

void progress(const std::string& text) {
  if (isatty(2) != 0) fmt::print(stderr, "\r\033[K{}", text);
}
void trouble(const std::string& name, const std::string& why) {
  progress("");
  fmt::print(stderr, "bench_peers: {}: {}\n", name, why);
}

/// The best of several rounds: what else runs on the machine only ever adds time.
double best(const std::vector<double>& seconds) {
  return seconds.empty() ? 0 : *std::min_element(seconds.begin(), seconds.end());
}
std::string each(double seconds) { return seconds > 0 ? fmt::format("{:.3g} ns", seconds * 1e9) : "-"; }
std::string whole(double seconds) { return seconds > 0 ? format_seconds(seconds) : "-"; }
double over(double a, double b) { return a > 0 && b > 0 ? a / b : 0; }
std::string ratio(double value) { return value > 0 ? fmt::format("{:.2f}", value) : "-"; }
std::string wish(double value) { return value > 0 ? fmt::format("{:.1f}", value) : ""; }

/// Seconds of one operation on each driver, on Heddle, and on Heddle compiled for the other processor; 0: none.
struct Times {
  std::vector<double> peers;
  double own = 0, other = 0;

  [[nodiscard]] double peer() const { return peers.empty() ? 0 : peers.front(); }
};

bool measure(const Setup& setup, const Case& c, Times& times, bool with_other) {
  const std::vector<std::uint32_t> words = spirv_of(c, setup.folder);
  if (words.empty()) return trouble(c.name, "glslangValidator is not installed or failed"), false;
  Heddle ours(c, words, setup.folder, setup.threads);
  std::vector<std::unique_ptr<VulkanPeer>> theirs;
  for (const Driver& driver : setup.drivers) theirs.push_back(std::make_unique<VulkanPeer>(driver, c, words));
  (void)ours.run();  // compiles
  if (with_other) (void)ours.run(kOther);
  std::vector<std::vector<double>> peers(theirs.size());
  std::vector<double> own, other;
  for (unsigned k = 0; k < setup.rounds && ours.why.empty(); ++k) {
    for (std::size_t d = 0; d < theirs.size(); ++d)
      if (theirs[d]->why.empty()) peers[d].push_back(theirs[d]->run() / c.amount());
    own.push_back(ours.run() / c.amount());
    if (with_other) other.push_back(ours.run(kOther) / c.amount());
  }
  times = {};
  for (std::size_t d = 0; d < theirs.size(); ++d) {
    if (!theirs[d]->why.empty()) trouble(c.name, setup.drivers[d].name + ": " + theirs[d]->why);
    times.peers.push_back(theirs[d]->why.empty() ? best(peers[d]) : 0);
  }
  if (!ours.why.empty()) return trouble(c.name, ours.why), false;
  if (ours.engine != "fast") trouble(c.name, "ran on the " + ours.engine + " engine");
  times.own = best(own), times.other = best(other);
  progress(fmt::format("{}: {:.2f}", c.name, over(times.peer(), times.own)));
  return true;
}

/// Names of all drivers, then what follows.
std::vector<std::string> head(const Setup& setup, std::string first, const std::vector<std::string>& rest) {
  std::vector<std::string> row{std::move(first)};
  for (const Driver& driver : setup.drivers) row.push_back(driver.name);
  if (setup.drivers.empty()) row.emplace_back("no driver");
  row.insert(row.end(), rest.begin(), rest.end());
  return row;
}
void add_peers(const Setup& setup, std::vector<std::string>& row, const std::vector<double>& seconds,
               std::string (*format)(double)) {
  for (std::size_t d = 0; d < std::max<std::size_t>(1, setup.drivers.size()); ++d)
    row.push_back(d < seconds.size() ? format(seconds[d]) : "-");
}

/// One row for each case; their bars.
std::vector<Bar> case_table(const Setup& setup, Section& section, const std::vector<Case>& list) {
  std::vector<std::vector<std::string>> table{
      head(setup, "for each lane (frames: pixel)", {"Heddle", "ratio", "wanted", kOther, "its ratio", "wanted"})};
  std::vector<Bar> bars;
  for (const Case& c : list) {
    if (!setup.filter.empty() && c.name.find(setup.filter) == std::string::npos) continue;
    Times t;
    const bool good = measure(setup, c, t, true);
    const double first = over(t.peer(), t.own), second = over(t.peer(), t.other);
    std::vector<std::string> row{c.name};
    add_peers(setup, row, t.peers, each);
    for (std::string cell :
         {each(t.own), ratio(first), wish(c.wanted), each(t.other), ratio(second), wish(c.wanted > 0 ? 1.0 : 0.0)})
      row.push_back(std::move(cell));
    table.push_back(std::move(row));
    if (good && first > 0) bars.push_back({c.name, first, second, c.wanted});
  }
  section.table(table);
  return bars;
}

void operations(const Setup& setup, Section& section, const std::string& peers) {
  section.heading("Operations and frames");
  section.paragraph(fmt::format(
      "{} thread{} on {} core{}; peers: {}; best of {} interleaved rounds. The same SPIR-V on all sides; an "
      "operation's time "
      "includes its loop; frames have 1920 x 1080 pixels. Ratio: time of {} / time of Heddle. The right half: "
      "Heddle compiled for {}, which has AVX2 and no AVX-512, in the same rounds.",
      setup.threads, setup.threads == 1 ? "" : "s", setup.threads, setup.threads == 1 ? "" : "s", peers, setup.rounds,
      setup.peer(), kOther));
  const std::vector<Bar> bars = case_table(setup, section, cases());
  if (setup.plot.empty() || bars.empty() || !setup.filter.empty()) return;
  heddle::test::write_text(setup.plot,
                           plot_bars(bars, fmt::format("Time of {} / time of Heddle, one thread", setup.peer()),
                                     "this processor", std::string("--cpu ") + kOther));
  section.paragraph("![Ratios of the table as bars](" + fs::path(setup.plot).filename().string() + ")");
}

void vertices(const Setup& setup, Section& section) {
  section.heading("Draws through a vertex shader");
  section.paragraph(
      "The frames above with a triangle whose corners a vertex shader computes, and 1,000,000 triangles of one or two "
      "pixels (time of each triangle).");
  (void)case_table(setup, section, vertex_cases());
}

void footprints(const Setup& setup, Section& section) {
  std::vector<std::vector<std::string>> table{
      {"for each lane", "Heddle", "x bilinear", "at most", kOther, "x bilinear"}};
  Times base;
  for (const Case& c : footprint_cases()) {
    Setup alone = setup;
    alone.drivers.clear();
    Times t;
    if (!measure(alone, c, t, true)) continue;
    if (base.own == 0) base = t;
    table.push_back({c.name, each(t.own), ratio(over(t.own, base.own)), wish(c.wanted), each(t.other),
                     ratio(over(t.other, base.other))});
  }
  section.heading("Footprint queries");
  section.paragraph(
      "textureFootprintNV in the loop of the bilinear sample above it, with coordinates that clamp: Heddle's own "
      "instruction, and compiled with `--portable` to plain vISA. lavapipe has no footprints.");
  section.table(table);
}

/// The loader also finds Heddle's own driver, as long as this lives: other tables are of processes without it.
class WithOwnDriver {
 public:
  WithOwnDriver() {
#ifdef HEDDLE_VULKAN_MANIFEST
    if (const char* files = std::getenv("VK_DRIVER_FILES")) before_ = files;
    set(before_ + (before_.empty() ? "" : ":") + HEDDLE_VULKAN_MANIFEST);
#endif
  }
  ~WithOwnDriver() { set(before_); }
  WithOwnDriver(const WithOwnDriver&) = delete;
  WithOwnDriver& operator=(const WithOwnDriver&) = delete;

 private:
  static void set(const std::string& files) {
    for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"})
      if (files.empty())
        unsetenv(name);
      else
        setenv(name, files.c_str(), 1);
  }
  std::string before_;
};

/// Much small work in one submission: Heddle's own Vulkan driver beside the others, through the same program.
void small_runs(const Setup& setup, Section& section) {
  const WithOwnDriver all;
  const Driver own{"Heddle's driver", "Heddle"};
  std::vector<std::vector<std::string>> table{head(setup, "in one submission", {own.name, "ratio", "wanted"})};
  for (const bool draw : {false, true})
    for (const unsigned count : {1u, 1000u}) {
      const SmallWork work{draw, count};
      const std::string what = draw ? "draw{} of 64x64 pixels{}" : "dispatch{} of 64 invocations{}";
      const std::string name = count == 1 ? "one " + fmt::format(fmt::runtime(what), "", "")
                                          : "1,000 " + fmt::format(fmt::runtime(what), draw ? "s" : "es", ", each");
      std::vector<Driver> sides = setup.drivers;
      sides.push_back(own);
      std::vector<std::vector<double>> seconds(sides.size());
      std::vector<std::string> failed(sides.size());
      for (unsigned k = 0; k < 4 * setup.rounds; ++k)
        for (std::size_t d = 0; d < sides.size(); ++d)
          if (failed[d].empty())
            if (const double taken = run_small(sides[d], work, failed[d]); taken > 0)
              seconds[d].push_back(taken / count);
      for (std::size_t d = 0; d < sides.size(); ++d)
        if (!failed[d].empty()) trouble(name, sides[d].name + ": " + failed[d]);
      progress(name);
      std::vector<double> peers;
      for (std::size_t d = 0; d + 1 < sides.size(); ++d) peers.push_back(best(seconds[d]));
      std::vector<std::string> row{name};
      add_peers(setup, row, peers, whole);
      const double ours = best(seconds.back());
      for (std::string cell : {whole(ours), ratio(over(peers.empty() ? 0 : peers.front(), ours)), std::string("2.0")})
        row.push_back(std::move(cell));
      table.push_back(std::move(row));
    }
  section.heading("Small runs");
  section.paragraph(
      "From vkQueueSubmit until the queue is idle, everything compiled and in place: the same Vulkan program on each "
      "driver, Heddle's own among them. A draw has a render pass of its own.");
  section.table(table);
}

/// Two numbers that a child process wrote.
struct Pair {
  double first = 0, second = 0;
};
bool child_numbers(const Setup& setup, const std::vector<std::string>& words, unsigned threads, Pair& numbers) {
  const fs::path out = setup.folder / "child";
  fs::remove(out);
  std::vector<std::string> all{
      setup.self,   "--threads", std::to_string(threads), "--rounds", std::to_string(setup.rounds), "--out",
      out.string(), "--folder",  setup.folder.string(),   "--peers",  setup.peers.string()};
  all.insert(all.end(), words.begin(), words.end());
  const Usage usage = run_process(all, fs::current_path().string());
  if (usage.exit_code != 0 || !fs::exists(out)) return false;
  const std::string text = heddle::test::read_text(out);
  return std::sscanf(text.c_str(), "%lf %lf", &numbers.first, &numbers.second) == 2;
}

/// The first run of a kernel on one side: seconds of making the device, and of everything from the SPIR-V on.
Pair first_run_on(const Setup& setup, const Case& c, const std::vector<std::uint32_t>& words) {
  Pair p{0, -1};
  const Case before = many_textures(2);
  const bool known = setup.state == "known";
  const std::vector<std::uint32_t> other = known ? spirv_of(before, setup.folder) : std::vector<std::uint32_t>{};
  if (setup.on.empty()) {
    heddle::engine::jit::MemoryCache kernels;
    if (known && Heddle(before, other, setup.folder, setup.threads).first_run(&kernels) < 0) return p;
    p.second = Heddle(c, words, setup.folder, setup.threads).first_run(&kernels);
    return p;
  }
  const Driver driver{setup.on, setup.on};
  std::string why;
  p.first = make_device(driver, why);
  if (p.first < 0 || (known && VulkanPeer(driver, before, other).first_run() < 0)) return p;
  p.second = VulkanPeer(driver, c, words).first_run();
  return p;
}

int child(const Setup& setup) {
  Pair p;
  if (setup.child == "first") {
    unsigned operations = 1, groups = 1;
    if (std::sscanf(setup.name.c_str(), "%u,%u", &operations, &groups) != 2) return 1;
    const Case c = many_textures(operations, groups);
    const std::vector<std::uint32_t> words = spirv_of(c, setup.folder);
    if (words.empty()) return 1;
    p = first_run_on(setup, c, words);
    if (p.second < 0) return 1;
  } else {
    Setup one = setup;
    one.drivers.resize(std::min<std::size_t>(1, one.drivers.size()));
    for (const Case& c : cases()) {
      Times t;
      if (c.name != setup.name) continue;
      if (!measure(one, c, t, false)) return 1;
      p = {t.peer(), t.own};
    }
  }
  heddle::test::write_text(setup.out, fmt::format("{} {}\n", p.first, p.second));
  return 0;
}

void threads(const Setup& setup, Section& section) {
  const std::string peer = setup.peer();
  std::vector<std::vector<std::string>> table{{"for each lane (frames: pixel)", peer + ", one", "two", "gain",
                                               "Heddle, one", "two", "gain", "wanted", "ratio with two"}};
  for (const Case& c : cases()) {
    if (!c.threads) continue;
    Pair one, two;
    progress(c.name + ", two threads");
    const std::vector<std::string> words{"--child", "case", "--name", c.name};
    if (!child_numbers(setup, words, 1, one) || !child_numbers(setup, words, 2, two)) {
      trouble(c.name, "could not be measured in a process of its own");
      continue;
    }
    table.push_back({c.name, each(one.first), each(two.first), ratio(over(one.first, two.first)), each(one.second),
                     each(two.second), ratio(over(one.second, two.second)), "1.8", ratio(over(two.first, two.second))});
  }
  section.heading("Two threads");
  section.paragraph("Each number is measured in a process of its own, one thread directly before two.");
  section.table(table);
}

/// A row of first runs: each in a fresh process; `state`: cold, known or disk.
std::vector<std::string> first_row(const Setup& setup, unsigned count, const std::string& state,
                                   const std::string& wanted, std::vector<double>& devices, unsigned groups = 1) {
  const fs::path cache = setup.folder / "cache", mesa = setup.folder / "mesa";
  const bool disk = state == "disk";
  if (disk) unsetenv("MESA_SHADER_CACHE_DISABLE");
  std::vector<std::string> sides;  // "": Heddle
  for (const Driver& driver : setup.drivers) sides.push_back(driver.selector);
  sides.emplace_back();
  std::vector<std::vector<double>> seconds(sides.size());
  devices.resize(sides.size());
  for (unsigned k = 0; k < std::max(3u, setup.rounds) + (disk ? 1 : 0); ++k) {
    progress(fmt::format("first run of {} operations, {}", count, state));
    for (std::size_t d = 0; d < sides.size(); ++d) {
      if (!disk) fs::remove_all(cache);
      Pair p;
      if (!child_numbers(
              setup,
              {"--child", "first", "--name", fmt::format("{},{}", count, groups), "--state", state, "--on", sides[d]},
              setup.threads, p))
        continue;
      if (disk && k == 0) continue;  // it filled the cache
      seconds[d].push_back(p.second);
      if (p.first > 0 && (devices[d] == 0 || p.first < devices[d])) devices[d] = p.first;
    }
  }
  setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
  const std::string words = state == "known" ? "known sampler state" : state == "disk" ? "from the disk cache" : "cold";
  std::vector<std::string> row{fmt::format("{} operation{}, {}", count, count == 1 ? "" : "s", words)};
  if (groups != 1) row.front() += fmt::format(", {} groups", groups);
  std::vector<double> peers;
  for (std::size_t d = 0; d + 1 < sides.size(); ++d) peers.push_back(best(seconds[d]));
  add_peers(setup, row, peers, whole);
  const double own = best(seconds.back());
  for (std::string cell : {whole(own), ratio(over(peers.empty() ? 0 : peers.front(), own)), wanted})
    row.push_back(std::move(cell));
  return row;
}

void first_runs(const Setup& setup, Section& section) {
  std::vector<std::vector<std::string>> table{
      head(setup, "texture operations in the kernel", {"Heddle", "ratio", "wanted"})};
  std::vector<double> devices;
  for (const unsigned count : {1u, 16u, 64u, 256u}) table.push_back(first_row(setup, count, "cold", "1.5", devices));
  for (const unsigned count : {1u, 16u, 64u, 256u}) table.push_back(first_row(setup, count, "known", "1.0", devices));
  for (const unsigned groups : {100u, 10'000u}) table.push_back(first_row(setup, 16, "cold", "1.0", devices, groups));
  table.push_back(first_row(setup, 16, "disk", "2.0", devices));
  std::vector<std::string> row{"making the device, not in the rows above"};
  devices.resize(setup.drivers.size());
  add_peers(setup, row, devices, whole);
  for (const char* cell : {"", "", ""}) row.emplace_back(cell);
  table.push_back(std::move(row));
  section.heading("The first run of a kernel");
  section.paragraph(
      "From SPIR-V in memory to the end of a run of one group of 64 invocations, or as many groups as are named, each "
      "number from a fresh process on one core; Heddle reads the texels from a file in this time, and opens its "
      "compiler where it needs it: runs of few groups are interpreted. Cold: no caches on disk. Known sampler state: "
      "another "
      "kernel with the same sampler and the same kind of texture ran before in the process. From the disk cache: in a "
      "new process, which has not compiled anything.");
  section.table(table);
}

/// Peak memory of whole processes. Runs first: a child's peak counts what this process holds at that time.
std::vector<std::string> memory(const Setup& setup) {
  Case c;
  for (const Case& each_case : cases())
    if (each_case.name == kMemoryCase) c = each_case;
  const std::vector<std::uint32_t> words = spirv_of(c, setup.folder);
  if (words.empty()) return {};
  heddle::test::write_text(setup.folder / "frame.toml",
                           "program = \"case.spv\"\n" + job_of(c, setup.folder, setup.threads));
  std::vector<Usage> peer, own;
  const std::string program = (fs::path(setup.self).parent_path() / "peers_frame").string();
  for (unsigned k = 0; k < 3; ++k) {
    const Usage a = run_process({program, (setup.folder / "case.spv").string()}, setup.folder.string());
    const Usage b =
        run_process({setup.heddle, "run", (setup.folder / "frame.toml").string(), "--quiet"}, setup.folder.string());
    if (a.exit_code == 0) peer.push_back(a);
    if (b.exit_code != 0) trouble(c.name, fmt::format("heddle run: exit code {}", b.exit_code));
    if (b.exit_code == 0) own.push_back(b);
  }
  const auto a = static_cast<double>(median(peer).peak_bytes), b = static_cast<double>(median(own).peak_bytes);
  return {c.name, a > 0 ? format_bytes(a) : "-", b > 0 ? format_bytes(b) : "-", ratio(over(a, b)), "1.0"};
}

void kernels(const Setup& setup, Section& section) {
  progress("kernels and gallery");
  std::string no_peer;
  std::vector<std::vector<std::string>> table{
      {"kernel or job", "of", "POCL", "fast", "POCL / fast", "reference", "reference / fast"}};
  std::vector<KernelTimes> list = time_kernels(setup.folder, setup.filter, std::max(3u, setup.rounds), no_peer);
  const std::size_t kernels_only = list.size();
  const auto gallery = time_gallery(setup.heddle, setup.folder, setup.filter, std::min(2u, setup.rounds));
  list.insert(list.end(), gallery.begin(), gallery.end());
  for (std::size_t k = 0; k < list.size(); ++k) {
    const KernelTimes& t = list[k];
    if (!t.why.empty()) trouble(t.name, t.why);
    table.push_back({(k < kernels_only ? "OpenCL: " : "gallery: ") + t.name, t.amount,
                     k < kernels_only ? whole(t.peer) : "", whole(t.fast),
                     k < kernels_only ? ratio(over(t.peer, t.fast)) : "", whole(t.reference),
                     t.reference > 0 ? format_number(over(t.reference, t.fast)) : "-"});
  }
  section.heading("Kernels and gallery");
  section.paragraph(fmt::format(
      "One thread, running alone. The OpenCL kernels of `tests/data/opencl`: Intel's SIMD16 code for SKL here, the "
      "same "
      "source on POCL{}. The gallery's jobs as `heddle run` runs them, at their own size (threads: of the GPU).",
      no_peer.empty() ? "" : "; " + no_peer));
  section.table(table);
}

Setup read_setup(const Options& options, const char* self) {
  Setup setup;
  setup.self = fs::absolute(self).string();
  setup.heddle = options.heddle;
  for (std::size_t k = 0; k + 1 < options.rest.size(); ++k) {
    const std::string &word = options.rest[k], &next = options.rest[k + 1];
    const auto number = [&] { return static_cast<unsigned>(std::max(1, std::atoi(next.c_str()))); };
    if (word == "--rounds") setup.rounds = number();
    if (word == "--threads") setup.threads = number();
    if (word == "--filter") setup.filter = next;
    if (word == "--only") setup.only = next;
    if (word == "--plot") setup.plot = next;
    if (word == "--child") setup.child = next;
    if (word == "--name") setup.name = next;
    if (word == "--on") setup.on = next;
    if (word == "--state") setup.state = next;
    if (word == "--peers") setup.peers = next;
    if (word == "--out") setup.out = next;
    if (word == "--folder") setup.folder = next;
  }
  return setup;
}

/// This process and its threads get as many cores as the options say threads, the same for all sides.
void take_cores(unsigned threads) {
  constexpr const char* kAllowed = "HEDDLE_BENCH_CORES";  // children start with their parent's few
  if (std::getenv(kAllowed) == nullptr) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return;
    std::string text;
    for (int k = 0; k < CPU_SETSIZE; ++k)
      if (CPU_ISSET(k, &set)) text += std::to_string(k) + " ";
    setenv(kAllowed, text.c_str(), 1);
  }
  cpu_set_t few;
  CPU_ZERO(&few);
  const char* at = std::getenv(kAllowed);
  for (unsigned k = 0; k < threads && *at != 0; ++k) {
    char* end = nullptr;
    CPU_SET(std::strtoul(at, &end, 10), &few);
    at = *end == ' ' ? end + 1 : end;
  }
  (void)sched_setaffinity(0, sizeof few, &few);
}

/// The loader looks at the drivers of a folder first, then at those that are installed.
void add_drivers(const fs::path& folder) {
  std::vector<std::string> files;
  for (const fs::path& at : {folder, fs::path("/usr/share/vulkan/icd.d"), fs::path("/etc/vulkan/icd.d")}) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(at, none))
      if (entry.path().extension() == ".json" && (at == folder || entry.path().filename().string().starts_with("lvp")))
        files.push_back(fs::absolute(entry.path()).string());
  }
  if (files.empty() || std::getenv("VK_DRIVER_FILES") != nullptr) return;
  setenv("VK_DRIVER_FILES", fmt::format("{}", fmt::join(files, ":")).c_str(), 1);
  setenv("VK_ICD_FILENAMES", std::getenv("VK_DRIVER_FILES"), 1);  // its older name
}

}  // namespace

int main(int argc, char** argv) {
  const Options options =
      parse_options(argc, argv,
                    {"--rounds N", "--threads N", "--filter TEXT", "--only TABLE", "--plot FILE", "--peers FOLDER",
                     "--child WHAT", "--name CASE", "--on DRIVER", "--state STATE", "--out FILE", "--folder PATH"});
  Setup setup = read_setup(options, argv[0]);
  take_cores(setup.threads);
  add_drivers(setup.peers);
  setenv("LP_NUM_THREADS", std::to_string(setup.threads).c_str(), 1);
  std::string why;
  if (!setup.child.empty()) {
    if (setup.child != "first") setup.drivers = drivers(why);
    std::_Exit(child(setup));  // what drivers do when a process ends is not measured, and can fail
  }
  const heddle::test::TemporaryFolder folder;
  setup.folder = folder.path();
  setenv("XDG_CACHE_HOME", (setup.folder / "cache").c_str(), 1);
  setenv("MESA_SHADER_CACHE_DIR", (setup.folder / "mesa").c_str(), 1);
  setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
  setenv("POCL_CACHE_DIR", (setup.folder / "pocl").c_str(), 1);
  setenv("POCL_MAX_PTHREAD_COUNT", std::to_string(setup.threads).c_str(), 1);
  unsetenv("HEDDLE_CACHE_DIR");
  const auto wanted = [&](const char* table) {
    if (!setup.filter.empty() && setup.only != "kernels") return std::string(table) == "operations";
    return setup.only.empty() || setup.only == table;
  };
  const std::vector<std::string> peak = wanted("memory") ? memory(setup) : std::vector<std::string>{};
  setup.drivers = drivers(why);
  if (setup.drivers.empty()) trouble("no Vulkan driver", why);
  std::vector<std::string> names;
  for (const Driver& driver : setup.drivers) names.push_back(driver.name);
  Section section("Fast engine beside Vulkan drivers for the CPU and POCL");
  if (wanted("operations"))
    operations(setup, section, names.empty() ? "none (" + why + ")" : fmt::format("{}", fmt::join(names, ", ")));
  if (wanted("vertices")) vertices(setup, section);
  if (wanted("footprints")) footprints(setup, section);
  if (wanted("runs")) small_runs(setup, section);
  if (wanted("first")) first_runs(setup, section);
  if (wanted("threads")) threads(setup, section);
  if (!peak.empty()) {
    section.heading("Peak memory");
    section.paragraph(
        "Whole processes: `heddle run`, and a small Vulkan program. Heddle's kernel comes from its disk cache.");
    section.table({{"case", setup.peer(), "Heddle", "ratio", "wanted"}, peak});
  }
  if (wanted("kernels")) kernels(setup, section);
  progress("");
  const int code = section.finish(options.markdown) ? 0 : 3;
  std::error_code none;
  fs::remove_all(setup.folder, none);
  std::fflush(nullptr);
  std::_Exit(code);  // what drivers do when a process ends can fail
}
