// SPDX-License-Identifier: MIT
#include "kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "base/half.hpp"
#include "engine/jit/cache/kernel_cache.hpp"
#include "job/run/run.hpp"
#include "peers/opencl/launch_job.hpp"
#include "support/measure.hpp"
#include "support/process.hpp"
#include "text/text.hpp"

namespace heddle::bench {
namespace {

namespace fs = std::filesystem;
using peers::Argument;
using peers::Launch;

struct Entry {
  std::string function;
  Launch launch;
  bool halves = false;
  bool peer = true;
};

std::mt19937& random_source() {
  static std::mt19937 random(1);
  return random;
}
std::vector<std::uint8_t> any(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (auto& b : bytes) b = static_cast<std::uint8_t>(random_source()() >> 8);
  return bytes;
}
template <typename T>
std::vector<std::uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
std::vector<std::uint8_t> floats(std::size_t count, float low, float high) {
  std::vector<float> values(count);
  for (auto& f : values) f = low + (high - low) * (static_cast<float>(random_source()() >> 8) / 16777216.0f);
  return bytes_of(values);
}
std::vector<std::uint8_t> integers(std::size_t count, int low, int high) {
  std::vector<int> values(count);
  for (auto& i : values) i = low + static_cast<int>(random_source()() % static_cast<unsigned>(high - low + 1));
  return bytes_of(values);
}
std::vector<std::uint8_t> zeros(std::size_t count) { return std::vector<std::uint8_t>(count); }

Argument buffer(std::string name, std::string type, std::vector<std::uint8_t> bytes) {
  return {.kind = Argument::Kind::Buffer, .name = std::move(name), .type = std::move(type), .bytes = std::move(bytes)};
}
template <typename T>
Argument scalar(std::string name, T value) {
  return {.kind = Argument::Kind::Value, .name = std::move(name), .type = "", .bytes = bytes_of(std::vector<T>{value})};
}
Argument picture(std::string name, std::string type, std::uint32_t width, std::uint32_t height,
                 std::vector<std::uint8_t> bytes) {
  return {.kind = Argument::Kind::Image,
          .name = std::move(name),
          .type = std::move(type),
          .bytes = std::move(bytes),
          .width = width,
          .height = height};
}

std::vector<Entry> entries() {
  std::vector<Entry> list;
  const auto add = [&](std::string function, Launch launch) -> Entry& {
    return list.emplace_back(Entry{std::move(function), std::move(launch)});
  };
  constexpr std::size_t k64 = 1u << 16, k256 = 1u << 18, k1M = 1u << 20;
  add("saxpy", {"saxpy",
                {k1M},
                {64},
                {buffer("y", "f32", floats(k1M, -1, 1)), buffer("x", "f32", floats(k1M, -1, 1)), scalar("a", 0.7f),
                 scalar("n", static_cast<int>(k1M))}});
  add("wid", {"wid", {64, 64, 16}, {8, 8, 2}, {buffer("o", "u32", zeros(k64 * 128))}});
  add("conv", {"conv",
               {k256},
               {64},
               {buffer("o", "u8", zeros(k256 + 1000)), buffer("s", "i16", zeros(k256 * 2)),
                buffer("f", "f32", floats(k256, -70000, 70000)), buffer("d", "i32", integers(k256, -100000, 100000)),
                buffer("q", "i64", zeros(k256 * 8))}});
  add("collatz", {"loop", {k64}, {64}, {buffer("o", "u32", zeros(k64 * 4)), scalar("lim", 500u)}});
  add("reduce",
      {"slm", {k256}, {64}, {buffer("o", "f32", zeros(k256 / 16)), buffer("a", "f32", floats(k256, -10, 10))}});
  add("hist", {"atomics",
               {k64},
               {32},
               {buffer("h", "u32", zeros(1024)), buffer("a", "u8", any(k64)),
                buffer("m", "i32", bytes_of(std::vector<int>{-5, 6, 77})), buffer("f", "f32", zeros(k64 * 4))}});
  add("func",
      {"func", {k256}, {64}, {buffer("o", "f32", zeros(k256 * 4)), buffer("n", "i32", integers(k256, -2, 12))}});
  add("vec", {"vec",
              {k256},
              {32},
              {buffer("o", "f32", zeros(k256 * 16)), buffer("a", "f32", floats(k256 * 4, -4, 4)),
               buffer("c", "i8", any(k256 * 8))}});
  std::vector<int> slots(64);
  std::iota(slots.begin(), slots.end(), 0);
  for (int& slot : slots) slot *= 64;
  add("priv", {"priv",
               {k64},
               {32},
               {buffer("o", "i32", zeros(k64 * 4)), scalar("n", 64), buffer("idx", "i32", bytes_of(slots))}});
  add("imgcopy",
      {"imgcopy",
       {1024, 512},
       {16, 4},
       {picture("in", "unorm8", 1024, 512, any(k1M * 2)), picture("out", "unorm8", 1024, 512, zeros(k1M * 2))}});
  add("imgint", {"imgint",
                 {1024, 256},
                 {16, 4},
                 {picture("in", "uint8", 1024, 256, any(k1M)), picture("out", "uint32", 1024, 256, zeros(k1M * 4)),
                  picture("in2", "sint8", 1024, 256, any(k1M))}});
  std::vector<std::uint16_t> halves(k256);
  for (std::size_t i = 0; i < k256; ++i) halves[i] = base::float_to_half(static_cast<float>(i % 256) / 64 - 2);
  add("halfk", {"half",
                {k256},
                {64},
                {buffer("o", "f16", zeros(k256 * 2)), buffer("a", "f16", bytes_of(halves)),
                 buffer("f", "f32", floats(k256, -1.5f, 1.5f))}})
      .halves = true;
  std::vector<float> table(16);
  std::iota(table.begin(), table.end(), 0.0f);
  Argument symbol = buffer("tab", "f32", bytes_of(table));
  symbol.symbol = true;
  add("cst", {"cst",
              {k64},
              {32},
              {buffer("o", "f32", floats(k64, -2, 2)), buffer("c", "f32", floats(k64, -4, 4)),
               picture("im", "unorm8", 8, 1, any(32)), symbol}});
  // POCL has no images with mip levels.
  Argument mipped = picture("in", "unorm8", 64, 64, any((64 * 64 + 32 * 32 + 16 * 16 + 64 + 16 + 4 + 1) * 4));
  mipped.levels = 7;
  add("mip", {"mip",
              {64, 256},
              {16, 1},
              {mipped,
               {.kind = Argument::Kind::Sampler, .name = "s", .type = "", .bytes = {}},
               buffer("o", "f32", zeros(64 * 256 * 16)),
               scalar("lod", 2.25f)}})
      .peer = false;
  return list;
}

KernelJob job_of(const Entry& e, const fs::path& folder) {
  const std::string path = fs::absolute("tests/data/opencl/" + e.launch.kernel + "/skl.simd16").string();
  const std::string job = peers::job_of(e.launch, folder);
  const std::size_t first = job.find('\n') + 1;  // the global size
  return {path,
          fmt::format("{1}program = \"{0}.visaasm\"\nzeinfo = \"{0}.zeinfo\"\nplatform = \"skl\"\nthreads = 1\n{2}",
                      path, job.substr(0, first), job.substr(first))};
}

/// The committed SIMD16 kernel on one engine.
class EngineKernel {
 public:
  /// Where that fails, `why` says so and the object is good for nothing.
  EngineKernel(const KernelJob& kernel, job::EngineKind engine, std::string& why) : engine_(engine) {
    const std::string& path = kernel.path;
    auto job = job::read_job(kernel.text, "kernel.toml");
    if (!job.ok()) {
      why = job.diagnostics().front().message;
      return;
    }
    job_ = std::move(*job);
    job_.engine = engine;
    job_.check = job::CheckLevel::Off;
    base::Diagnostics notes;
    text::ParseOptions options;
    options.platform = isa::Platform::SKL;
    program_ = text::parse(test::read_text(path + ".visaasm"), path + ".visaasm", options, notes);
    if (!program_) {
      why = notes.all().front().message;
      return;
    }
    hooks_.kernels = &kernels_;
    hooks_.tiers = engine::jit::Tiers::Second;
    prepared_.emplace(job_, *program_, hooks_);
  }

  /// Runs it over what it left in its buffers: seconds of its running; 0 where it failed. The first run compiles.
  double run(std::string& why) {
    const job::RunResult outcome = std::exchange(first_, false) ? prepared_->run() : prepared_->run_again();
    if (!outcome.succeeded) return why = outcome.diagnostics.all().front().message, 0;
    if ((outcome.summary.engine == "fast") != (engine_ == job::EngineKind::Fast))
      return why = "ran on the " + outcome.summary.engine + " engine", 0;
    return outcome.summary.run_seconds;
  }

 private:
  job::EngineKind engine_;
  job::Job job_;
  std::optional<isa::Program> program_;
  engine::jit::MemoryCache kernels_;
  job::RunHooks hooks_;
  std::optional<job::PreparedJob> prepared_;
  bool first_ = true;
};

/// A disturbance lasts longer than a run of most of these kernels.
constexpr unsigned kRunsOfTurn = 10;

/// POCL and the fast engine in turns. The runs of a turn follow each other over the same buffers; the first of all,
/// which compiles and touches them for the first time, is not counted.
void take_turns(const Entry& e, const KernelJob& job, bool with_peer, unsigned turns, KernelTimes& t) {
  EngineKernel ours(job, job::EngineKind::Fast, t.why);
  if (!t.why.empty()) return;
  std::optional<peers::PoclKernel> theirs;
  if (with_peer) {
    const std::string source = test::read_text("tests/data/opencl/" + e.launch.kernel + "/" + e.launch.kernel + ".cl");
    theirs.emplace(e.halves ? peers::with_halves(source) : source, e.function, e.launch, t.why);
  }
  const auto turn = [&](auto& side, unsigned runs) {
    double best = std::numeric_limits<double>::infinity();
    for (unsigned k = 0; k < runs && t.why.empty(); ++k) best = std::min(best, side.run(t.why));
    return t.why.empty() ? best : 0;
  };
  if (t.why.empty() && theirs) turn(*theirs, 1);
  if (t.why.empty()) turn(ours, 1);
  for (unsigned k = 0; k < turns && t.why.empty(); ++k) {
    const auto better = [](double& best, double one) { best = best == 0 ? one : std::min(best, one); };
    if (theirs) better(t.peer, turn(*theirs, kRunsOfTurn));
    better(t.fast, turn(ours, kRunsOfTurn));
  }
}

}  // namespace

KernelJob kernel_job(const std::string& function, const fs::path& folder) {
  static const std::vector<Entry> list = entries();
  for (const Entry& e : list)
    if (e.function == function) return job_of(e, folder);
  return {};
}

std::vector<KernelTimes> time_kernels(const fs::path& folder, const std::string& filter, unsigned rounds,
                                      std::string& no_peer) {
  const bool have_peer = peers::have_pocl();
  if (!have_peer) no_peer = "POCL (pocl-opencl-icd) is not installed";
  std::vector<KernelTimes> list;
  for (const Entry& e : entries()) {
    if (e.function.find(filter) == std::string::npos) continue;
    KernelTimes t;
    t.name = e.function;
    const std::size_t items =
        std::accumulate(e.launch.global.begin(), e.launch.global.end(), std::size_t{1}, std::multiplies<std::size_t>());
    t.amount = fmt::format("{} items", items);
    const KernelJob job = job_of(e, folder);
    take_turns(e, job, have_peer && e.peer, rounds, t);
    if (t.why.empty()) {
      EngineKernel reference(job, job::EngineKind::Reference, t.why);
      for (unsigned k = 0; k < 2 && t.why.empty(); ++k) t.reference = reference.run(t.why);
    }
    list.push_back(std::move(t));
  }
  return list;
}

std::vector<KernelTimes> time_gallery(const std::string& heddle, const fs::path& folder, const std::string& filter,
                                      unsigned rounds) {
  std::vector<fs::path> jobs;
  for (const auto& entry : fs::directory_iterator("examples"))
    if (entry.path().extension() == ".toml") jobs.push_back(entry.path());
  std::sort(jobs.begin(), jobs.end());  // later passes read what earlier ones left
  const fs::path summary = folder / "summary.json";
  std::vector<KernelTimes> list;
  for (const fs::path& job : jobs) {
    if (job.stem().string().find(filter) == std::string::npos) continue;
    KernelTimes t;
    t.name = job.stem().string();
    const auto once = [&](const char* engine) {
      fs::remove(summary);
      const Usage usage = run_process(
          {heddle, "run", job.string(), "--engine", engine, "--threads", "1", "--quiet", "--summary", summary.string()},
          fs::current_path().string());
      const std::string text = usage.exit_code == 0 ? test::read_text(summary) : std::string{};
      const std::size_t at = text.find("\"run_seconds\": ");
      if (at == std::string::npos) return t.why = fmt::format("{} engine: exit code {}", engine, usage.exit_code), 0.0;
      if (text.find(fmt::format("\"engine\": \"{}\"", engine)) == std::string::npos)
        t.why = fmt::format("did not run on the {} engine", engine);
      const std::size_t threads = text.find("\"threads_run\": ");
      t.amount = fmt::format("{} threads", std::strtoull(&text[threads + 15], nullptr, 10));
      return std::strtod(&text[at + 15], nullptr);
    };
    std::vector<double> seconds;
    for (unsigned k = 0; k < rounds && t.why.empty(); ++k) seconds.push_back(once("fast"));
    if (t.why.empty()) t.fast = *std::min_element(seconds.begin(), seconds.end());
    if (t.why.empty()) t.reference = once("reference");
    list.push_back(std::move(t));
  }
  return list;
}

}  // namespace heddle::bench
