// SPDX-License-Identifier: MIT
// Instructions of a dozen kernels, counted by callgrind and compared with bench/quick/baseline.txt: speed that does not
// depend on what else the machine does. Compiled for x86-64-v3, which valgrind can run, one thread.
// The program runs itself under valgrind. Each kernel runs at two sizes; the difference is what the items cost, without
// set-up and compiling. Options: --update writes the baseline anew; --filter TEXT counts only kernels whose name has
// it. Built for arm64 it runs itself under qemu with --plugin FILE, and shows its counts beside the baseline.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <string_view>
#include <thread>

#include "binary/writer.hpp"
#include "engine/jit/cache/kernel_cache.hpp"
#include "job/run/run.hpp"
#include "peers/cases.hpp"
#include "peers/heddle_side.hpp"
#include "peers/kernels.hpp"
#include "quick/counting.hpp"
#include "quick/quick.hpp"
#include "support/measure.hpp"
#include "support/process.hpp"
#include "text/text.hpp"
#include "texture/simd/prepared.hpp"
#include "toolchain/generate.hpp"

using namespace heddle;
using namespace heddle::bench;
namespace fs = std::filesystem;

namespace {

constexpr const char* kBaseline = "bench/quick/baseline.txt";
constexpr bool kIsBaseline = std::string_view(kCpu) == "x86-64-v3";  ///< what the baseline is of
constexpr double kTolerance = 0.02;
constexpr int kWarm = 20;  // runs until the second tier is wished for

/// Kernels of lanes or pixels.
Item item_of(Case c, const fs::path& folder) {
  c.wanted = 0;
  Case large = c;
  if (c.fragment) {
    c.rows = 16, large.rows = 48;
  } else {
    c.lanes = 1u << 9, large.lanes = 3u << 9;
    if (c.operations > kLoops) c.lanes /= 4, large.lanes /= 4;
  }
  struct Both {
    std::unique_ptr<Heddle> side[2];
  };
  auto both = std::make_shared<Both>();
  Item item{c.name, c.fragment ? "pixel" : "lane", c.amount(), large.amount(), {}, {}};
  item.prepare = [both, c, large, folder](bool is_large) -> std::string {
    const Case& which = is_large ? large : c;
    const std::vector<std::uint32_t> words = spirv_of(which, folder);
    if (words.empty()) return "glslangValidator is not installed or failed";
    both->side[is_large] = std::make_unique<Heddle>(which, words, folder, 1);
    if (both->side[is_large]->run(kCpu) < 0) return both->side[is_large]->why;
    return both->side[is_large]->engine == "fast" ? "" : "did not run on the fast engine";
  };
  item.run = [both](bool is_large) { return both->side[is_large]->run(kCpu) < 0 ? both->side[is_large]->why : ""; };
  return item;
}

/// OpenCL kernels; `reference`: on the reference engine.
Item item_of(const std::string& function, std::uint32_t items, bool reference, const fs::path& folder) {
  struct State {
    std::optional<isa::Program> program;
    std::optional<job::Job> jobs[2];
    engine::jit::MemoryCache kernels;
  };
  auto state = std::make_shared<State>();
  Item item{
      (reference ? "reference engine: OpenCL " : "OpenCL ") + function, "item", double(items), 3.0 * items, {}, {}};
  item.run = [state, reference](bool large) -> std::string {
    job::RunHooks hooks;
    hooks.kernels = &state->kernels;
    hooks.tiers = engine::jit::Tiers::Second;
    hooks.cpu = kCpu;
    const job::RunResult outcome = job::run(*state->jobs[large], *state->program, hooks);
    if (!outcome.succeeded) return outcome.diagnostics.all().front().message;
    return outcome.summary.engine == (reference ? "reference" : "fast") ? "" : "ran on the other engine";
  };
  item.prepare = [=, run = item.run](bool large) -> std::string {
    KernelJob kernel = kernel_job(function, folder);
    kernel.text.replace(0, kernel.text.find('\n'), fmt::format("global = [{}]", large ? 3 * items : items));
    auto job = job::read_job(kernel.text, (folder / "kernel.toml").string());
    if (!job.ok()) return job.diagnostics().front().message;
    job->engine = reference ? job::EngineKind::Reference : job::EngineKind::Fast;
    job->check = job::CheckLevel::Off;
    state->jobs[large] = std::move(*job);
    base::Diagnostics notes;
    text::ParseOptions options;
    options.platform = isa::Platform::SKL;
    state->program = text::parse(test::read_text(kernel.path + ".visaasm"), kernel.path + ".visaasm", options, notes);
    return state->program ? run(large) : notes.all().front().message;
  };
  return item;
}

/// Text to the bytes of a container.
Item assembling(const fs::path& folder) {
  auto texts = std::make_shared<std::array<std::string, 2>>();
  Item item{"assembling text", "instruction", 2000, 6000, {}, {}};
  item.prepare = [=](bool large) -> std::string {
    const fs::path path = folder / "generated.visaasm";
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) return "no temporary file";
    generate(file, Mix::Mixed, large ? 6000 : 2000, false);
    std::fclose(file);
    (*texts)[large] = test::read_text(path);
    return {};
  };
  item.run = [=](bool large) -> std::string {
    base::Diagnostics notes;
    const auto program = text::parse((*texts)[large], "generated.visaasm", {}, notes);
    if (!program) return notes.all().front().message;
    const auto bytes = binary::write(*program, {});
    return bytes.ok() ? "" : bytes.diagnostics().front().message;
  };
  return item;
}

/// From SPIR-V to the end of one group, nothing coming from a cache: what a texture operation more costs.
Item compiling(const char* name, engine::jit::Tiers tiers, const fs::path& folder) {
  constexpr unsigned kFew = 16, kMany = 64;
  auto words = std::make_shared<std::array<std::vector<std::uint32_t>, 2>>();
  Item item{name, "texture operation", kFew, kMany, {}, {}};
  item.prepare = [=](bool large) -> std::string {
    (*words)[large] = spirv_of(many_textures(large ? kMany : kFew), folder);
    return (*words)[large].empty() ? "glslangValidator is not installed or failed" : "";
  };
  item.run = [=](bool large) -> std::string {
    setenv("HEDDLE_CACHE_DIR", "", 1);
    Heddle side(many_textures(large ? kMany : kFew), (*words)[large], folder, 1);
    const double seconds = side.first_run(nullptr, tiers, kCpu);
    unsetenv("HEDDLE_CACHE_DIR");
    if (seconds < 0) return side.why;
    return side.engine == "fast" ? "" : "did not run on the fast engine";
  };
  return item;
}

std::vector<Item> items(const fs::path& folder, const std::string& filter) {
  std::vector<Item> list;
  for (const Case& c : cases())
    for (const char* name : {"gather4 RGBA8, coherent", "gather4 RGBA8, random 64x64", "gather4 cube", "bilinear RGBA8",
                             "bilinear RGBA16F", "trilinear RGBA8", "ALU: mandelbrot, an iteration", "ALU: value noise",
                             "frame: 4 targets", "frame: blend"})
      if (c.name == name) list.push_back(item_of(c, folder));
  list.push_back(item_of(footprint_cases()[1], folder));
  list.push_back(item_of("saxpy", 1u << 16, false, folder));
  list.push_back(item_of("reduce", 1u << 13, false, folder));
  list.push_back(item_of("halfk", 1u << 12, false, folder));
  list.push_back(item_of("collatz", 1u << 9, false, folder));
  list.push_back(item_of("vec", 1u << 9, true, folder));
  list.push_back(assembling(folder));
  list.push_back(compiling("compiling, first tier", engine::jit::Tiers::First, folder));
  list.push_back(compiling("compiling, second tier", engine::jit::Tiers::Second, folder));
  add_driver(list);
  std::erase_if(list, [&](const Item& item) { return item.name.find(filter) == std::string::npos; });
  return list;
}

/// Until no thread has put another kernel there for some time: the second tier is on its way then.
void wait_for_cache(const fs::path& cache) {
  using namespace std::chrono_literals;
  const auto files = [&] {
    std::size_t count = 0;
    if (fs::exists(cache))
      for (const auto& entry : fs::recursive_directory_iterator(cache)) count += entry.is_regular_file() ? 1 : 0;
    return count;
  };
  std::size_t known = files();
  for (int quiet = 0; quiet < 4; ++quiet) {
    std::this_thread::sleep_for(500ms);
    if (const std::size_t now = files(); now != known) known = now, quiet = 0;
  }
}

/// Under what counts, each under its number.
int count(const fs::path& folder, const std::string& filter) {
  // One way on all machines, whatever they are, and under valgrind, which looks like another one.
  texture::simd::set_gathers_are_slow(false);
  const std::vector<Item> list = items(folder, filter);
  const bool fast = !is_counting();
  for (std::size_t k = 0; k < list.size(); ++k) {
    std::string why;
    for (const bool large : {false, true})
      if (why.empty()) why = list[k].prepare(large);
    for (const bool large : {false, true}) {
      if (!why.empty()) break;
      if (!large) why = list[k].run(large);  // once without counting: what is done once is done
      for (int more = 0; fast && list[k].tiers && more < kWarm && why.empty(); ++more) why = list[k].run(true);
      begin_counting();
      if (why.empty()) why = list[k].run(large);
      end_counting(k, large);
    }
    if (!why.empty()) test::write_text(folder / fmt::format("why.{}", k), why);
  }
  if (fast) wait_for_cache(folder / "cache");
  return 0;
}

std::map<std::string, double> read_baseline() {
  std::map<std::string, double> found;
  std::istringstream text(fs::exists(kBaseline) ? test::read_text(kBaseline) : std::string{});
  for (std::string line; std::getline(text, line);)
    if (const std::size_t tab = line.find('\t'); tab != std::string::npos)
      found[line.substr(tab + 1)] = std::strtod(line.c_str(), nullptr);
  return found;
}

/// What an item more costs; negative, with a message, where it was not counted, or more items took less.
double instructions_of(const Item& item, std::size_t k, const std::map<std::string, double>& counts,
                       const fs::path& folder) {
  const auto small = counts.find(fmt::format("item {} small", k)), large = counts.find(fmt::format("item {} large", k));
  const fs::path why = folder / fmt::format("why.{}", k);
  if (!fs::exists(why) && small != counts.end() && large != counts.end()) {
    const double each = (large->second - small->second) / (item.large - item.small);
    if (each < 0)
      fmt::print(
          stderr,
          "bench_quick: {}: {:.0f} items took {:.0f} instructions and {:.0f} only {:.0f}: what is done once fell "
          "into the smaller run; count again\n",
          item.name, item.small, small->second, item.large, large->second);
    return each;
  }
  fmt::print(stderr, "bench_quick: {}: {}\n", item.name, fs::exists(why) ? test::read_text(why) : "was not counted");
  return -1;
}

using Table = std::vector<std::vector<std::string>>;

/// Of code for another processor than the baseline's.
std::vector<std::string> beside_baseline(const Item& item, double each, double before) {
  return {item.name, item.of, format_number(each), before > 0 ? format_number(before) : "-",
          before > 0 ? fmt::format("{:.2f}", each / before) : ""};
}

std::vector<std::string> against_baseline(const Item& item, double each, double before, bool& worse) {
  const double change = before > 0 ? each / before - 1 : 0;
  const char* word = before <= 0 ? "new" : change > kTolerance ? "WORSE" : change < -kTolerance ? "better" : "";
  worse |= change > kTolerance;
  return {item.name,
          item.of,
          format_number(each),
          before > 0 ? format_number(before) : "-",
          before > 0 ? fmt::format("{:+.1f} %", change * 100) : "",
          word};
}

int show(const Table& table, const std::string& markdown) {
  Section section(kIsBaseline ? "Instructions by callgrind" : "Instructions on arm64");
  section.paragraph(fmt::format("Compiled for {}, one thread, counted by {}; what an item more costs. Baseline: {}{}.",
                                kCpu, kCounter, kBaseline, kIsBaseline ? "" : ", of x86-64-v3 by callgrind"));
  section.table(table);
  return section.finish(markdown) ? 0 : 3;
}

int compare(const fs::path& folder, const std::string& filter, bool update, const std::string& markdown) {
  const std::map<std::string, double> counts = read_counts(folder), baseline = read_baseline();
  const std::vector<Item> list = items(folder, filter);
  Table table{{"kernel", "for each", "instructions", "baseline", kIsBaseline ? "change" : "ratio"}};
  if (kIsBaseline) table.front().emplace_back();
  std::string lines;
  bool worse = false, failed = false;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const double each = instructions_of(list[k], k, counts, folder);
    failed |= each < 0;
    if (each < 0) continue;
    lines += fmt::format("{:.3f}\t{}\n", each, list[k].name);
    const auto found = baseline.find(list[k].name);
    const double before = found != baseline.end() ? found->second : 0;
    table.push_back(kIsBaseline ? against_baseline(list[k], each, before, worse)
                                : beside_baseline(list[k], each, before));
  }
  if (show(table, markdown) != 0 || failed) return 3;
  if (update) {
    test::write_text(kBaseline, lines);
    fmt::print("\n{} is written anew.\n", kBaseline);
    return 0;
  }
  if (worse)
    fmt::print("\nSomething got slower by more than {:.0f} %. Where that is meant: ./dev bench quick --update\n",
               kTolerance * 100);
  return worse ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv, {"--update", "--filter TEXT", "--count CASE", "--plugin FILE"});
  bool update = false;
  std::string filter, counting, plugin;
  for (std::size_t k = 0; k < options.rest.size(); ++k) {
    if (options.rest[k] == "--update") update = true;
    for (const auto& [name, value] : {std::pair{"--filter", &filter}, {"--count", &counting}, {"--plugin", &plugin}})
      if (options.rest[k] == name && k + 1 < options.rest.size()) *value = options.rest[++k];
  }
  if (!counting.empty()) return count(counting, filter);
  if (update && (!filter.empty() || !kIsBaseline)) {
    fmt::print(stderr, "bench_quick: --update writes the whole baseline, {}\n",
               kIsBaseline ? "so leave --filter out" : "which is that of x86-64");
    return 2;
  }
  const test::TemporaryFolder folder;
  setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
  unsetenv("HEDDLE_CACHE_DIR");
  if (kIsBaseline) setenv("HEDDLE_VECTORS", "v3", 1);  // of the driver
  const std::vector<std::string> counted = {fs::absolute(argv[0]).string(), "--filter", filter, "--count",
                                            folder.path().string()};
  // Compiled by a process that runs at full speed; where instructions are counted the kernels come from the disk cache.
  (void)run_process(counted, fs::current_path().string());
  std::string why;
  const std::vector<std::string> words = counting_words(counted, plugin, folder.path(), why);
  if (!why.empty()) {
    fmt::print(stderr, "bench_quick: {}\n", why);
    return 3;
  }
  const Usage usage = run_process(words, fs::current_path().string());
  if (usage.exit_code != 0) {
    fmt::print(stderr, "bench_quick: {}: exit code {}\n", kCounter, usage.exit_code);
    return 3;
  }
  return compare(folder.path(), filter, update, options.markdown);
}
