// Heddle's fast engine beside lavapipe: the same SPIR-V on both, in interleaved rounds of one process. lavapipe's time
// for one operation is the difference of a long and a short call (loops, or render passes), so that set-up and
// compiling cancel; Heddle's is its engine's running time.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include <fmt/format.h>

#include "base/half.hpp"
#include "cases.hpp"
#include "dispatch/session.hpp"
#include "peers/vulkan/vulkan_client.hpp"
#include "spirv/compile/compile.hpp"
#include "support/measure.hpp"
#include "text/text.hpp"

using namespace heddle;
using namespace heddle::bench;
namespace fs = std::filesystem;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "heddle-bench-XXXXXX").string();
    path = mkdtemp(name.data()) != nullptr ? name : ".";
  }
  ~Folder() { fs::remove_all(path); }
};

void put(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
std::string get(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::uint32_t> spirv_of(const Folder& folder, const std::string& glsl, bool fragment) {
  const fs::path source = folder.path / (fragment ? "s.frag" : "s.comp"), binary = folder.path / "s.spv";
  put(source, glsl);
  fs::remove(binary);
  const Usage usage = run_process(
      {"glslangValidator", "--target-env", "vulkan1.3", "-o", binary.string(), source.string()}, folder.path.string());
  const std::string bytes = usage.exit_code == 0 ? get(binary) : std::string{};
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

/// Random texels in [0, 1], level after level, layer after layer.
std::vector<std::uint8_t> texels(const Texture& t) {
  std::vector<std::uint8_t> data;
  std::mt19937 random(1);
  for (std::uint32_t level = 0; level < t.levels; ++level) {
    const std::size_t edge = std::max(1u, t.size >> level), count = edge * edge * (t.dim == "cube" ? 6 : t.layers);
    for (std::size_t k = 0; k < count; ++k) {
      const auto number = [&] { return static_cast<float>(random() >> 8) / 16777216.0f; };
      const auto append = [&](const void* bytes, std::size_t size) {
        const auto* b = static_cast<const std::uint8_t*>(bytes);
        data.insert(data.end(), b, b + size);
      };
      if (t.format == "R32_FLOAT" || t.format == "R32G32B32A32_FLOAT") {
        for (int c = 0; c < (t.format == "R32_FLOAT" ? 1 : 4); ++c) {
          const float v = number();
          append(&v, 4);
        }
      } else if (t.format == "R16G16B16A16_FLOAT") {
        for (int c = 0; c < 4; ++c) {
          const std::uint16_t v = base::double_to_half(static_cast<double>(number()));
          append(&v, 2);
        }
      } else {
        const auto v = static_cast<std::uint32_t>(random());
        append(&v, 4);
      }
    }
  }
  return data;
}

VkFormat vulkan_format(const Texture& t) {
  if (t.format == "R32_FLOAT") return t.compare ? VK_FORMAT_D32_SFLOAT : VK_FORMAT_R32_SFLOAT;
  if (t.format == "R32G32B32A32_FLOAT") return VK_FORMAT_R32G32B32A32_SFLOAT;
  if (t.format == "R16G16B16A16_FLOAT") return VK_FORMAT_R16G16B16A16_SFLOAT;
  return t.format == "R8G8B8A8_UNORM_SRGB" ? VK_FORMAT_R8G8B8A8_SRGB : VK_FORMAT_R8G8B8A8_UNORM;
}

constexpr std::uint32_t kWidth = 1920, kHeight = 1080;

class Heddle {
 public:
  Heddle(const Folder& folder, const Case& c, const std::vector<std::uint32_t>& words, unsigned threads) {
    prepare(folder, c, words, threads);
  }

  /// Seconds of the engine's running, or of everything; negative when it failed.
  double run(bool everything = false) {
    if (!job_ || !program_) return -1;
    const double start = now();
    const dispatch::Outcome outcome = dispatch::run(*job_, *program_);
    const double all = now() - start;
    if (!outcome.succeeded) {
      fail(outcome.diagnostics.all());
      return -1;
    }
    engine = outcome.summary.engine;
    return everything ? all : outcome.summary.run_seconds;
  }

  std::string why, engine;

 private:
  void prepare(const Folder& folder, const Case& c, const std::vector<std::uint32_t>& words, unsigned threads) {
    std::vector<std::uint8_t> bytes(words.size() * 4);
    std::memcpy(bytes.data(), words.data(), bytes.size());
    auto module = spirv::read_binary(bytes, "case.spv");
    if (!module.ok()) return fail(module.diagnostics());
    base::Diagnostics notes;
    auto compiled = spirv::compile(*module, {}, notes);
    if (!compiled.ok()) return fail(compiled.diagnostics());
    auto parsed = text::parse(compiled->text, "case.visaasm", {}, notes);
    if (!parsed) return fail(notes.all());
    program_ = std::move(*parsed);
    std::string toml =
        fmt::format("program = \"case.visaasm\"\nengine = \"fast\"\ncheck = \"off\"\nthreads = {}\n", threads);
    if (!c.fragment)
      toml += fmt::format("groups = [{}]\n[buffers.\"0.1\"]\ntype = \"f32\"\ncount = {}\n", kLanes / 64, kLanes);
    if (c.textured) {
      const Texture& t = c.texture;
      const std::vector<std::uint8_t> data = texels(t);
      put(folder.path / "texels.bin", {data.begin(), data.end()});
      toml += fmt::format("[images.\"0.0\"]\nformat = \"{}\"\nsize = [{}, {}]\nlevels = {}\nraw = \"{}\"\n", t.format,
                          t.size, t.size, t.levels, (folder.path / "texels.bin").string());
      if (t.dim == "cube") toml += "type = \"CUBE\"\nlayers = 6\n";
      if (t.dim == "2D array") toml += fmt::format("array = true\nlayers = {}\n", t.layers);
      toml += fmt::format("[samplers.\"0.0\"]\nfilter = \"{}\"\nmip = \"{}\"\naddress = \"repeat\"\n",
                          t.anisotropy > 0 ? "anisotropic" : t.filter, t.mip);
      if (t.anisotropy > 0) toml += fmt::format("max_anisotropy = {}\n", t.anisotropy);
      if (t.compare) toml += "compare_op = \"less_or_equal\"\n";
    }
    if (c.fragment) {
      for (std::uint32_t k = 0; k < c.targets; ++k)
        toml += fmt::format("[images.\"out.{}\"]\nformat = \"R8G8B8A8_UNORM\"\nsize = [{}, {}]\nfill = [0, 0, 0, 1]\n",
                            k, kWidth, kHeight);
      toml += "[pixels]\n";
      if (c.blend)
        toml += "state = { blend = [{ enable = true, src_color = \"SRC_ALPHA\", dst_color = \"INV_SRC_ALPHA\" }] }\n";
    }
    auto job = dispatch::read_job(toml, (folder.path / "case.toml").string());
    if (!job.ok()) return fail(job.diagnostics());
    job_ = std::move(*job);
  }
  void fail(const std::vector<base::Diagnostic>& list) {
    for (const base::Diagnostic& d : list)
      if (d.severity == base::Severity::Error && why.empty()) why = d.message;
    if (why.empty()) why = "failed";
  }
  std::optional<isa::Program> program_;
  std::optional<dispatch::Job> job_;
};

class Lavapipe {
 public:
  Lavapipe(test::VulkanClient& client, const Case& c, std::vector<std::uint32_t> words)
      : client_(client), case_(c), words_(std::move(words)) {
    if (!c.textured) return;
    const Texture& t = c.texture;
    image_.format = vulkan_format(t);
    image_.depth_aspect = t.compare;
    image_.width = image_.height = t.size;
    image_.levels = t.levels;
    image_.layers = t.dim == "cube" ? 6 : t.layers;
    image_.view = t.dim == "cube"       ? VK_IMAGE_VIEW_TYPE_CUBE
                  : t.dim == "2D array" ? VK_IMAGE_VIEW_TYPE_2D_ARRAY
                                        : VK_IMAGE_VIEW_TYPE_2D;
    image_.data = texels(t);
  }

  /// Seconds of a call; negative when it failed. Compute: so many groups; frames: so many passes.
  double run(std::uint32_t amount) {
    std::vector<test::PeerBinding> bindings;
    if (case_.textured) {
      test::PeerBinding b;
      b.image = &image_;
      b.sampler = test::peer_sampler(
          VK_FILTER_LINEAR,
          case_.texture.mip == "linear" ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST,
          VK_SAMPLER_ADDRESS_MODE_REPEAT);
      b.sampler.maxLod = VK_LOD_CLAMP_NONE;
      if (case_.texture.anisotropy > 0) {
        b.sampler.anisotropyEnable = VK_TRUE;
        b.sampler.maxAnisotropy = case_.texture.anisotropy;
      }
      if (case_.texture.compare) {
        b.sampler.compareEnable = VK_TRUE;
        b.sampler.compareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
      }
      b.binding = 0;
      bindings.push_back(b);
    }
    std::vector<std::uint8_t> out(std::size_t{kLanes} * 4);
    if (!case_.fragment) {
      test::PeerBinding b;
      b.buffer = &out;
      b.binding = 1;
      bindings.push_back(b);
      const double start = now();
      why = client_.compute(words_, bindings, amount);
      return why.empty() ? now() - start : -1;
    }
    test::PeerDraw draw;
    draw.width = kWidth;
    draw.height = kHeight;
    draw.target.resize(std::size_t{kWidth} * kHeight * 4);
    for (std::uint32_t k = 1; k < case_.targets; ++k) draw.more.push_back({VK_FORMAT_R8G8B8A8_UNORM, draw.target});
    draw.blend.colorWriteMask = 15;
    if (case_.blend)
      draw.blend = {VK_TRUE,
                    VK_BLEND_FACTOR_SRC_ALPHA,
                    VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                    VK_BLEND_OP_ADD,
                    VK_BLEND_FACTOR_ONE,
                    VK_BLEND_FACTOR_ZERO,
                    VK_BLEND_OP_ADD,
                    15};
    draw.passes = amount;
    const double start = now();
    why = client_.draw(words_, bindings, draw);
    return why.empty() ? now() - start : -1;
  }

  std::string why;

 private:
  test::VulkanClient& client_;
  const Case& case_;
  std::vector<std::uint32_t> words_;
  test::PeerImage image_;
};

std::string nanoseconds(double seconds) { return fmt::format("{:.3g} ns", seconds * 1e9); }

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  unsigned rounds = 5, threads = 1;
  std::string filter;
  for (std::size_t k = 0; k < options.rest.size(); ++k) {
    if (options.rest[k] == "--rounds" && k + 1 < options.rest.size())
      rounds = static_cast<unsigned>(std::max(1, std::atoi(options.rest[k + 1].c_str())));
    if (options.rest[k] == "--threads" && k + 1 < options.rest.size())
      threads = static_cast<unsigned>(std::max(1, std::atoi(options.rest[k + 1].c_str())));
    if (options.rest[k] == "--filter" && k + 1 < options.rest.size()) filter = options.rest[k + 1];
  }
  setenv("LP_NUM_THREADS", std::to_string(threads).c_str(), 1);
  setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
  Folder folder;
  setenv("XDG_CACHE_HOME", (folder.path / "cache").c_str(), 1);
  std::string why;
  test::VulkanClient* client = test::lavapipe(why);
  if (client == nullptr) {
    fmt::print(stderr, "bench_peers: no lavapipe: {}\n", why);
    return 0;
  }
  Section section("Fast engine against lavapipe");
  section.paragraph(
      fmt::format("{} thread{}; {}; medians of {} interleaved rounds. Both run the same SPIR-V; an operation's time "
                  "includes its loop. Ratio: lavapipe / "
                  "Heddle.",
                  threads, threads == 1 ? "" : "s", client->device_name(), rounds));
  std::vector<std::vector<std::string>> table{
      {"case, for each lane (frames: pixel)", "lavapipe", "Heddle", "ratio", "wanted"}};
  for (const Case& c : cases()) {
    if (!filter.empty() && c.name.find(filter) == std::string::npos) continue;
    const std::vector<std::uint32_t> words = spirv_of(folder, c.glsl, c.fragment);
    if (words.empty()) {
      fmt::print(stderr, "bench_peers: {}: glslangValidator failed\n", c.name);
      continue;
    }
    Heddle ours(folder, c, words, threads);
    Lavapipe theirs(*client, c, words);
    (void)ours.run();  // compiles
    const std::uint32_t little = 1, much = c.fragment ? 9 : kLanes / 64;
    std::vector<double> a, b;
    for (unsigned k = 0; k < rounds && ours.why.empty() && theirs.why.empty(); ++k) {
      const double quick = theirs.run(little), slow = theirs.run(much), mine = ours.run();
      const double lanes =
          c.fragment ? double{kWidth} * kHeight * (much - little) : double{64} * (much - little) * c.operations;
      a.push_back((slow - quick) / lanes);
      b.push_back(mine / (c.fragment ? double{kWidth} * kHeight : double{kLanes} * c.operations));
    }
    if (!ours.why.empty() || !theirs.why.empty()) {
      fmt::print(stderr, "bench_peers: {}: {}\n", c.name, ours.why.empty() ? theirs.why : ours.why);
      table.push_back({c.name, "-", "-", "-", c.wanted == 0 ? "" : format_number(c.wanted)});
      continue;
    }
    const double lavapipe = median(a), heddle = median(b);
    table.push_back({c.name, nanoseconds(lavapipe), nanoseconds(heddle), fmt::format("{:.2f}", lavapipe / heddle),
                     c.wanted == 0 ? "" : format_number(c.wanted)});
    if (isatty(2) != 0) fmt::print(stderr, "\r\033[K{}: {:.2f}", c.name, lavapipe / heddle);
    if (ours.engine != "fast") fmt::print(stderr, "bench_peers: {} ran on the {} engine\n", c.name, ours.engine);
  }
  section.table(table);
  if (filter.empty()) {
    std::vector<std::vector<std::string>> first{
        {"first run of a kernel with so many texture operations", "lavapipe", "Heddle, cold", "ratio"}};
    for (const unsigned count : {1u, 16u, 64u}) {
      Case c;
      c.glsl = many_textures(count);
      c.texture.size = 64;
      const std::vector<std::uint32_t> words = spirv_of(folder, c.glsl, false);
      if (words.empty()) continue;
      std::vector<double> a, b;
      for (unsigned k = 0; k < 3; ++k) {
        fs::remove_all(folder.path / "cache");
        const double start = now();
        Heddle ours(folder, c, words, threads);
        (void)ours.run(true);
        b.push_back(now() - start);
        a.push_back(Lavapipe(*client, c, words).run(1));
      }
      first.push_back({std::to_string(count), format_seconds(median(a)), format_seconds(median(b)),
                       fmt::format("{:.2f}", median(a) / median(b))});
    }
    section.table(first);
  }
  if (isatty(2) != 0) fmt::print(stderr, "\r\033[K");
  return section.finish(options.markdown) ? 0 : 3;
}
