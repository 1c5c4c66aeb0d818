// SPDX-License-Identifier: MIT
#pragma once
// Runs the real kernels of tests/data/opencl through jobs, and reads what they leave.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "job/run/run.hpp"
#include "text/text.hpp"

namespace heddle::job::kernels {

struct Variant {
  std::string path;  ///< without extension
  std::string device;
  unsigned simd = 0;
  [[nodiscard]] std::string platform() const { return device == "dg2-g10" ? "dg2" : device; }
};

/// Every device and width of a kernel, sorted.
inline std::vector<Variant> variants(const std::string& kernel) {
  std::map<std::string, Variant> found;
  for (const char* folder : {"opencl", "opencl-more"}) {
    const std::filesystem::path root = std::filesystem::path("tests/data") / folder / kernel;
    if (!std::filesystem::exists(root)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(root)) {
      const std::string name = entry.path().filename().string();
      const std::size_t simd = name.find(".simd");
      if (!name.ends_with(".visaasm") || simd == std::string::npos) continue;
      Variant v;
      v.path = entry.path().string().substr(0, entry.path().string().size() - 8);
      v.device = name.substr(0, simd);
      v.simd = static_cast<unsigned>(std::stoul(name.substr(simd + 5)));
      found[name] = v;
    }
  }
  std::vector<Variant> list;
  for (auto& [name, v] : found) list.push_back(std::move(v));
  return list;
}

inline std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::string messages(const base::Diagnostics& diagnostics) {
  std::string text;
  for (const base::Diagnostic& d : diagnostics.all()) text += base::render(d, {}, false);
  return text;
}

/// Runs a program given as text; what is wrong with the job or the text is in the outcome.
inline RunResult run_text(const std::string& program, const std::string& toml, RunHooks hooks,
                          const std::string& vertex) {
  RunResult failed;
  auto job = read_job("program = \"test.visaasm\"\n" + toml, "test.toml");
  if (!job.ok()) {
    for (const base::Diagnostic& d : job.diagnostics()) failed.diagnostics.add(d);
    return failed;
  }
  const auto main = text::parse(program, "test.visaasm", {}, failed.diagnostics);
  std::optional<isa::Program> before;
  if (!vertex.empty()) before = text::parse(vertex, "test.visaasm", {}, failed.diagnostics);
  if (!main || (!vertex.empty() && !before)) return failed;
  if (before) hooks.stages[isa::ShaderStage::Vertex] = &*before;
  return run(*job, *main, hooks);
}
inline RunResult run_text(const std::string& program, const std::string& toml, const RunHooks& hooks = {}) {
  return run_text(program, toml, hooks, {});
}
inline RunResult run_text(const std::string& program, const std::string& toml, const std::string& vertex) {
  return run_text(program, toml, {}, vertex);
}

inline bool same_outputs(const RunResult& a, const RunResult& b) {
  return a.outputs.size() == b.outputs.size() &&
         std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(),
                    [](const Output& x, const Output& y) { return x.bytes == y.bytes; });
}

/// The fast engine leaves the same bits; of one kernel in three, or of all with HEDDLE_TEST_ALL.
inline void compare_engines(Job job, const isa::Program& program, const RunResult& expected, const std::string& name) {
  std::size_t sum = 0;
  for (const char c : name) sum += static_cast<unsigned char>(c);
  if (std::getenv("HEDDLE_TEST_ALL") == nullptr && sum % 3 != 0) return;
  job.engine = EngineKind::Fast;
  job.check = CheckLevel::Off;
  const RunResult fast = run(job, program);
  EXPECT_TRUE(fast.succeeded) << name << '\n' << messages(fast.diagnostics);
  if (same_outputs(fast, expected)) return;
  // The order of atomic operations is that of one thread.
  job.threads = 1;
  const RunResult again = run(job, program);
  job.engine = EngineKind::Reference;
  EXPECT_TRUE(same_outputs(again, run(job, program))) << name << ": the engines differ";
}

/// Runs a variant with the given TOML (without program, zeinfo and platform). Every buffer or image to be looked at has
/// `save = "NAME.bin"`.
inline RunResult run_variant(const Variant& v, const std::string& toml, const std::string& check = "error") {
  const std::string text = "program = \"" + std::filesystem::absolute(v.path + ".visaasm").string() +
                           "\"\nzeinfo = \"" + std::filesystem::absolute(v.path + ".zeinfo").string() +
                           "\"\nplatform = \"" + v.platform() + "\"\ncheck = \"" + check + "\"\n" + toml;
  RunResult failed;
  auto job = read_job(text, "test.toml");
  if (!job.ok()) {
    for (const base::Diagnostic& d : job.diagnostics()) failed.diagnostics.add(d);
    return failed;
  }
  const std::string source = slurp(v.path + ".visaasm");
  text::ParseOptions options;
  options.platform = isa::find_platform(v.platform());
  const auto program = text::parse(source, v.path + ".visaasm", options, failed.diagnostics);
  if (!program) return failed;
  RunResult outcome = run(*job, *program);
  if (outcome.succeeded) compare_engines(*job, *program, outcome, v.path);
  return outcome;
}

template <typename T>
std::vector<T> output(const RunResult& outcome, const std::string& name) {
  for (const Output& o : outcome.outputs) {
    if (std::filesystem::path(o.path).filename() != name + ".bin") continue;
    std::vector<T> values(o.bytes.size() / sizeof(T));
    std::memcpy(values.data(), o.bytes.data(), values.size() * sizeof(T));
    return values;
  }
  ADD_FAILURE() << "no output " << name;
  return {};
}

template <typename T>
std::string list_of(const std::vector<T>& values) {
  std::ostringstream text;
  text.precision(17);
  text << "[";
  for (std::size_t i = 0; i < values.size(); ++i) text << (i ? ", " : "") << +values[i];
  text << "]";
  return text.str();
}

}  // namespace heddle::job::kernels
