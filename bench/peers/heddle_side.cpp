// SPDX-License-Identifier: MIT
#include "heddle_side.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <optional>

#include "base/disk_cache.hpp"
#include "engine/jit/cache/kernel_cache.hpp"
#include "engine/jit/runtime/expect_code.hpp"
#include "job/run/run.hpp"
#include "spirv/compile/compile.hpp"
#include "support/measure.hpp"
#include "support/process.hpp"
#include "text/text.hpp"

namespace heddle::bench {
namespace fs = std::filesystem;

std::vector<std::uint32_t> spirv_of(const std::string& glsl, const std::string& stage, const fs::path& folder) {
  const fs::path source = folder / ("case." + stage), binary = folder / (stage == "vert" ? "vertex.spv" : "case.spv");
  test::write_text(source, glsl);
  fs::remove(binary);
  const Usage usage = run_process(
      {"glslangValidator", "--target-env", "vulkan1.2", "-o", binary.string(), source.string()}, folder.string());
  if (usage.exit_code != 0) return {};
  const std::vector<std::uint8_t> bytes = test::read_bytes(binary);
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

std::vector<std::uint32_t> spirv_of(const Case& c, const fs::path& folder) {
  return spirv_of(c.glsl, c.fragment ? "frag" : "comp", folder);
}

std::string job_of(const Case& c, const fs::path& folder, unsigned threads) {
  std::string toml = fmt::format("engine = \"fast\"\nthreads = {}\n", threads);
  if (!c.fragment)
    toml += fmt::format("groups = [{}]\n[buffers.\"0.1\"]\ntype = \"f32\"\ncount = {}\n", c.lanes / 64, c.lanes);
  if (c.textured) {
    const Texture& t = c.texture;
    test::write_bytes(folder / "texels.bin", texels(t));
    toml += fmt::format("[images.\"0.0\"]\nformat = \"{}\"\nsize = [{}, {}]\nlevels = {}\nraw = \"{}\"\n", t.format,
                        t.size, t.size, t.levels, (folder / "texels.bin").string());
    if (t.dim == "cube") toml += "type = \"CUBE\"\nlayers = 6\n";
    if (t.dim == "2D array") toml += fmt::format("array = true\nlayers = {}\n", t.layers);
    toml += fmt::format("[samplers.\"0.0\"]\nfilter = \"{}\"\nmip = \"{}\"\naddress = \"{}\"\n",
                        t.anisotropy > 0 ? "anisotropic" : t.filter, t.mip, c.clamp ? "clamp_to_edge" : "repeat");
    if (t.anisotropy > 0) toml += fmt::format("max_anisotropy = {}\n", t.anisotropy);
    if (t.compare) toml += "compare_op = \"less_or_equal\"\n";
  }
  if (!c.fragment) return toml;
  const std::string size = fmt::format("size = [{}, {}]\n", kWidth, kHeight);
  for (std::uint32_t k = 0; k < c.targets; ++k)
    toml += fmt::format("[images.\"out.{}\"]\nformat = \"R8G8B8A8_UNORM\"\n{}{}fill = [0, 0, 0, 1]\n", k, size,
                        c.samples > 1 ? fmt::format("samples = {}\n", c.samples) : "");
  if (c.depth) toml += "[images.z]\nformat = \"R32_FLOAT\"\n" + size + "fill = [1.0]\n";
  toml += fmt::format("[pixels]\nsize = [{}, {}]\n", kWidth, c.rows);
  if (!c.vertex.empty()) toml += fmt::format("vertex = \"vertex.visaasm\"\nvertices = {}\n", c.vertices);
  if (c.depth)
    toml += "depth = \"z\"\nstate = { depth_test = true, depth_write = true, depth_func = \"LESS_OR_EQUAL\" }\n";
  if (c.blend)
    toml += "state = { blend = [{ enable = true, src_color = \"SRC_ALPHA\", dst_color = \"INV_SRC_ALPHA\" }] }\n";
  return toml;
}

namespace {

std::vector<std::uint8_t> bytes_of(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint8_t> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

}  // namespace

struct Heddle::State {
  std::vector<std::uint8_t> spirv, vertex_spirv;
  std::string job_text, job_file;
  bool portable = false, prepared = false;
  isa::Program program;
  std::optional<isa::Program> vertex;
  job::Job job;
  engine::jit::MemoryCache kernels;
};

Heddle::Heddle(const Case& c, const std::vector<std::uint32_t>& words, const fs::path& folder, unsigned threads)
    : state_(std::make_unique<State>()) {
  state_->spirv = bytes_of(words);
  if (!c.vertex.empty()) state_->vertex_spirv = bytes_of(spirv_of(c.vertex, "vert", folder));
  state_->job_text = "program = \"case.visaasm\"\n" + job_of(c, folder, threads);
  state_->job_file = (folder / "case.toml").string();
  state_->portable = c.portable;
}

Heddle::~Heddle() = default;

/// As `heddle run` does it, the disk cache included.
bool Heddle::prepare() {
  const auto fail = [&](const std::vector<base::Diagnostic>& list) {
    for (const base::Diagnostic& d : list)
      if (d.severity == base::Severity::Error && why.empty()) why = d.message;
    if (why.empty()) why = "failed";
    return false;
  };
  const auto program_of = [&](const std::vector<std::uint8_t>& bytes, const std::string& name,
                              std::optional<isa::Program>& program) {
    const auto module = spirv::read_binary(bytes, name + ".spv");
    if (!module.ok()) return fail(module.diagnostics());
    base::Diagnostics notes;
    spirv::CompileOptions options;
    options.portable = state_->portable;
    options.translating = engine::jit::expect_code;
    const auto compiled = spirv::compile(*module, options, notes, base::DiskCache("shader"));
    if (!compiled.ok()) return fail(compiled.diagnostics());
    program = text::parse(compiled->text, name + ".visaasm", {}, notes);
    return program ? true : fail(notes.all());
  };
  std::optional<isa::Program> parsed;
  if (!program_of(state_->spirv, "case", parsed)) return false;
  if (!state_->vertex_spirv.empty() && !program_of(state_->vertex_spirv, "vertex", state_->vertex)) return false;
  auto job = job::read_job(state_->job_text, state_->job_file);
  if (!job.ok()) return fail(job.diagnostics());
  state_->program = std::move(*parsed);
  state_->job = std::move(*job);
  return state_->prepared = true;
}

double Heddle::run(const std::string& cpu) {
  if (!state_->prepared && !prepare()) return -1;
  job::RunHooks hooks;
  hooks.kernels = &state_->kernels;
  hooks.tiers = engine::jit::Tiers::Second;
  hooks.cpu = cpu;
  hooks.stages[isa::ShaderStage::Vertex] = state_->vertex ? &*state_->vertex : nullptr;
  const job::RunResult outcome = job::run(state_->job, state_->program, hooks);
  for (const base::Diagnostic& d : outcome.diagnostics.all())
    if (!outcome.succeeded && why.empty()) why = d.message;
  engine = outcome.summary.engine;
  return outcome.succeeded ? outcome.summary.run_seconds : -1;
}

double Heddle::first_run(engine::jit::MemoryCache* kernels, engine::jit::Tiers tiers, const std::string& cpu) {
  const auto start = std::chrono::steady_clock::now();
  if (!prepare()) return -1;
  job::RunHooks hooks;
  hooks.kernels = kernels;
  hooks.tiers = tiers;
  hooks.cpu = cpu;
  hooks.stages[isa::ShaderStage::Vertex] = state_->vertex ? &*state_->vertex : nullptr;
  const job::RunResult outcome = job::run(state_->job, state_->program, hooks);
  const auto end = std::chrono::steady_clock::now();
  engine = outcome.summary.engine;
  for (const base::Diagnostic& d : outcome.diagnostics.all())
    if (why.empty()) why = d.message;
  return outcome.succeeded ? std::chrono::duration<double>(end - start).count() : -1;
}

}  // namespace heddle::bench
