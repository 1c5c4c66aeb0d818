// Heddle's fast engine beside lavapipe and POCL: the same programs on both sides, in interleaved rounds. What is timed
// is running alone, everything compiled and in place; compiling has a table of its own.
// Options: --rounds N, --filter TEXT (cases whose name has it; no other table, or those of --only kernels), --only
// TABLE (operations, footprints, first, threads, memory, kernels), --threads N, --plot FILE.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "cases.hpp"
#include "heddle_side.hpp"
#include "kernels.hpp"
#include "lavapipe_side.hpp"
#include "plot.hpp"
#include "support/measure.hpp"
#include "support/process.hpp"

using namespace heddle::bench;
namespace fs = std::filesystem;

namespace {

constexpr const char* kOther = "x86-64-v3";

struct Setup {
  std::string self, heddle, filter, only, plot, child, name, out;
  fs::path folder;
  unsigned rounds = 5, threads = 1;
  bool lavapipe = true;
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

/// Seconds of one operation on lavapipe, on Heddle, and on Heddle compiled for the other processor.
struct Times {
  double peer = 0, own = 0, other = 0;
};

bool measure(const Setup& setup, const Case& c, Times& times, bool with_other) {
  const std::vector<std::uint32_t> words = spirv_of(c, setup.folder);
  if (words.empty()) return trouble(c.name, "glslangValidator is not installed or failed"), false;
  Heddle ours(c, words, setup.folder, setup.threads);
  Lavapipe theirs(c, words);
  (void)ours.run();  // compiles
  if (with_other) (void)ours.run(kOther);
  std::vector<double> peer, own, other;
  for (unsigned k = 0; k < setup.rounds && ours.why.empty(); ++k) {
    if (setup.lavapipe && theirs.why.empty()) peer.push_back(theirs.run() / c.amount());
    own.push_back(ours.run() / c.amount());
    if (with_other) other.push_back(ours.run(kOther) / c.amount());
  }
  if (!theirs.why.empty()) {
    trouble(c.name, "lavapipe: " + theirs.why);
    peer.clear();
  }
  if (!ours.why.empty()) return trouble(c.name, ours.why), false;
  if (ours.engine != "fast") trouble(c.name, "ran on the " + ours.engine + " engine");
  times = {best(peer), best(own), best(other)};
  progress(fmt::format("{}: {:.2f}", c.name, over(times.peer, times.own)));
  return true;
}

void operations(const Setup& setup, Section& section, const std::string& peer) {
  section.heading("Operations and frames");
  section.paragraph(fmt::format(
      "{} thread{}; peer: {}; best of {} interleaved rounds. The same SPIR-V on both sides; an operation's time "
      "includes its loop; frames have 1920 x 1080 pixels. Ratio: time of lavapipe / time of Heddle. The right half: "
      "Heddle compiled for {}, which has AVX2 and no AVX-512, in the same rounds.",
      setup.threads, setup.threads == 1 ? "" : "s", peer, setup.rounds, kOther));
  std::vector<std::vector<std::string>> table{
      {"for each lane (frames: pixel)", "lavapipe", "Heddle", "ratio", "wanted", kOther, "its ratio", "wanted"}};
  std::vector<Bar> bars;
  for (const Case& c : cases()) {
    if (!setup.filter.empty() && c.name.find(setup.filter) == std::string::npos) continue;
    Times t;
    const bool good = measure(setup, c, t, true);
    const double first = over(t.peer, t.own), second = over(t.peer, t.other);
    table.push_back({c.name, each(t.peer), each(t.own), ratio(first), wish(c.wanted), each(t.other), ratio(second),
                     wish(c.wanted > 0 ? 1.0 : 0.0)});
    if (good && first > 0) bars.push_back({c.name, first, second, c.wanted});
  }
  section.table(table);
  if (setup.plot.empty() || bars.empty() || !setup.filter.empty()) return;
  heddle::test::write_text(setup.plot, plot_bars(bars, "Time of lavapipe / time of Heddle, one thread",
                                                 "this processor", std::string("--cpu ") + kOther));
  section.paragraph("![Ratios of the table as bars](" + fs::path(setup.plot).filename().string() + ")");
}

void footprints(const Setup& setup, Section& section) {
  std::vector<std::vector<std::string>> table{
      {"for each lane", "Heddle", "x bilinear", "at most", kOther, "x bilinear"}};
  Times base;
  for (const Case& c : footprint_cases()) {
    Setup alone = setup;
    alone.lavapipe = false;
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

/// Seconds that a child process wrote: lavapipe's and Heddle's.
bool child_times(const Setup& setup, const std::string& what, const std::string& name, unsigned threads, Times& times) {
  const fs::path out = setup.folder / "child";
  fs::remove(out);
  const Usage usage =
      run_process({setup.self, "--child", what, "--name", name, "--threads", std::to_string(threads), "--rounds",
                   std::to_string(setup.rounds), "--out", out.string(), "--folder", setup.folder.string()},
                  fs::current_path().string());
  if (usage.exit_code != 0 || !fs::exists(out)) return false;
  const std::string text = heddle::test::read_text(out);
  return std::sscanf(text.c_str(), "%lf %lf", &times.peer, &times.own) == 2;
}

int child(const Setup& setup) {
  Times t;
  if (setup.child == "first") {
    const Case c = many_textures(16);
    const std::vector<std::uint32_t> words = spirv_of(c, setup.folder);
    if (words.empty()) return 1;
    t.peer = setup.lavapipe ? Lavapipe(c, words).first_run() : 0;
    t.own = Heddle(c, words, setup.folder, setup.threads).first_run();
  } else {
    for (const Case& c : cases())
      if (c.name == setup.name && !measure(setup, c, t, false)) return 1;
  }
  heddle::test::write_text(setup.out, fmt::format("{} {}\n", t.peer, t.own));
  return 0;
}

void threads(const Setup& setup, Section& section) {
  std::vector<std::vector<std::string>> table{{"for each lane (frames: pixel)", "lavapipe, one", "two", "gain",
                                               "Heddle, one", "two", "gain", "wanted", "ratio with two"}};
  for (const Case& c : cases()) {
    if (!c.threads) continue;
    Times one, two;
    progress(c.name + ", two threads");
    if (!child_times(setup, "case", c.name, 1, one) || !child_times(setup, "case", c.name, 2, two)) {
      trouble(c.name, "could not be measured in a process of its own");
      continue;
    }
    table.push_back({c.name, each(one.peer), each(two.peer), ratio(over(one.peer, two.peer)), each(one.own),
                     each(two.own), ratio(over(one.own, two.own)), "1.8", ratio(over(two.peer, two.own))});
  }
  section.heading("Two threads");
  section.paragraph("Each number is measured in a process of its own, one thread directly before two.");
  section.table(table);
}

void first_runs(const Setup& setup, Section& section) {
  std::vector<std::vector<std::string>> table{{"kernel", "lavapipe", "Heddle", "ratio", "wanted"}};
  const fs::path cache = setup.folder / "cache";
  for (const unsigned count : {1u, 16u, 64u}) {
    const Case c = many_textures(count);
    const std::vector<std::uint32_t> words = spirv_of(c, setup.folder);
    if (words.empty()) continue;
    std::vector<double> peer, own;
    for (unsigned k = 0; k < std::max(3u, setup.rounds); ++k) {
      progress(c.name);
      fs::remove_all(cache);
      own.push_back(Heddle(c, words, setup.folder, setup.threads).first_run());
      if (own.back() < 0) return trouble(c.name, "failed");
      if (setup.lavapipe) peer.push_back(Lavapipe(c, words).first_run());
    }
    const double a = best(peer), b = best(own);
    table.push_back({c.name + ", cold", whole(a), whole(b), ratio(over(a, b)), count == 16 ? "1.0" : ""});
  }
  // The disk caches of both: processes of their own, the first of which fills them.
  Times t;
  std::vector<double> peer, own;
  unsetenv("MESA_SHADER_CACHE_DISABLE");
  (void)child_times(setup, "first", "", setup.threads, t);
  for (unsigned k = 0; k < std::max(3u, setup.rounds); ++k) {
    if (!child_times(setup, "first", "", setup.threads, t)) break;
    peer.push_back(t.peer);
    own.push_back(t.own);
  }
  setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
  const double a = best(peer), b = best(own);
  table.push_back({"16 texture operations, from the disk cache", whole(a), whole(b), ratio(over(a, b)), "1.0"});
  section.heading("The first run of a kernel");
  section.paragraph(
      "From SPIR-V in memory to the end of a run of one group; Heddle reads the texels from a file. From the disk "
      "cache: "
      "in a new process, which has not compiled anything.");
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
    if (word == "--out") setup.out = next;
    if (word == "--folder") setup.folder = next;
  }
  return setup;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  Setup setup = read_setup(options, argv[0]);
  setenv("LP_NUM_THREADS", std::to_string(setup.threads).c_str(), 1);
  std::string why;
  if (!setup.child.empty()) {
    setup.lavapipe = !lavapipe_name(why).empty();
    return child(setup);
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
  const std::string device = lavapipe_name(why);
  setup.lavapipe = !device.empty();
  if (!setup.lavapipe) trouble("no lavapipe", why);
  Section section("Fast engine against lavapipe and POCL");
  if (wanted("operations")) operations(setup, section, setup.lavapipe ? device : "none (" + why + ")");
  if (wanted("footprints")) footprints(setup, section);
  if (wanted("first")) first_runs(setup, section);
  if (wanted("threads")) threads(setup, section);
  if (!peak.empty()) {
    section.heading("Peak memory");
    section.paragraph(
        "Whole processes: `heddle run`, and a small Vulkan program. Heddle's kernel comes from its disk cache.");
    section.table({{"case", "lavapipe", "Heddle", "ratio", "wanted"}, peak});
  }
  if (wanted("kernels")) kernels(setup, section);
  progress("");
  return section.finish(options.markdown) ? 0 : 3;
}
