// SPDX-License-Identifier: MIT
// One Vulkan client on every driver that is there, in one run: Heddle, lavapipe, SwiftShader. Each figure is the best
// of several rounds, in which the drivers take turns.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <sstream>

#include <sched.h>

#include "support/measure.hpp"
#include "support/plot.hpp"
#include "support/process.hpp"
#include "vulkan/bench_vulkan.hpp"
#include "vulkan/pipeline_maker.hpp"

namespace heddle::bench {

namespace fs = std::filesystem;
using test::VulkanDevice;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Bench::Bench(std::string driver, std::string driver_manifest)
    : name(std::move(driver)), manifest(std::move(driver_manifest)), v({}, manifest) {
  a = v.buffer(kBytes);
  b = v.buffer(kBytes);
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, kSide, kSide);
  info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
  first = v.image(info).image;
  second = v.image(info).image;
  half = v.image(VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, kSide / 2, kSide / 2)).image;
  bindings = {{0, kStorage}, {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}, {2, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE}};
  set_layout = v.set_layout(bindings);
  set = v.set(set_layout, bindings);
  layout = v.layout({set_layout});
  v.write(set, 0, kStorage, a);
  v.write(set, 1, bindings[1].type, v.view(first, VK_FORMAT_R8G8B8A8_UNORM),
          v.sampler(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT));
  v.write(set, 2, bindings[2].type, v.view(second, VK_FORMAT_R8G8B8A8_UNORM), VK_NULL_HANDLE);
}

VkPipeline Bench::pipeline(const std::string& body, std::uint32_t local) {
  return v.pipeline("#version 450\nlayout(local_size_x = " + std::to_string(local) +
                        ") in;\nlayout(binding = 0) buffer B { uint o[]; };\n"
                        "layout(binding = 1) uniform sampler2D image;\n"
                        "layout(binding = 2, rgba8) uniform image2D stored;\nvoid main() {\n" +
                        body + "}\n",
                    layout);
}

double Bench::run(const std::function<void(VkCommandBuffer)>& record) {
  const VkCommandBuffer c = v.commands();
  v.begin(c);
  record(c);
  const double seconds = seconds_of([&] { (void)v.submit(c); });
  vkFreeCommandBuffers(v.device, v.pool, 1, &c);
  return seconds;
}

void Bench::bind(VkCommandBuffer c, VkPipeline p) const {
  vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, p);
  vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
}

namespace {

constexpr VkImageSubresourceLayers kColor{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};

void add_transfers(std::vector<Item>& items) {
  const double image = 4.0 * kSide * kSide;
  const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
  const VkBufferImageCopy whole{0, 0, 0, kColor, {}, {kSide, kSide, 1}};
  const auto add = [&](const std::string& name, double bytes, auto record) {
    items.push_back({name, 1, bytes, [=](Bench& b) { return b.run([&](VkCommandBuffer c) { record(b, c); }); }});
  };
  add("fill a buffer, 64 MiB", kBytes,
      [](Bench& b, VkCommandBuffer c) { vkCmdFillBuffer(c, b.b.buffer, 0, VK_WHOLE_SIZE, 7); });
  add("copy a buffer, 64 MiB", kBytes, [](Bench& b, VkCommandBuffer c) {
    const VkBufferCopy region{0, 0, kBytes};
    vkCmdCopyBuffer(c, b.a.buffer, b.b.buffer, 1, &region);
  });
  add("buffer to image, 2048 x 2048 RGBA8", image,
      [=](Bench& b, VkCommandBuffer c) { vkCmdCopyBufferToImage(c, b.a.buffer, b.first, general, 1, &whole); });
  add("image to buffer", image,
      [=](Bench& b, VkCommandBuffer c) { vkCmdCopyImageToBuffer(c, b.first, general, b.b.buffer, 1, &whole); });
  add("image to image", image, [=](Bench& b, VkCommandBuffer c) {
    const VkImageCopy region{kColor, {}, kColor, {}, {kSide, kSide, 1}};
    vkCmdCopyImage(c, b.first, general, b.second, general, 1, &region);
  });
  add("clear an image", image, [=](Bench& b, VkCommandBuffer c) {
    const VkClearColorValue value{{0.25f, 0.5f, 0.75f, 1}};
    const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdClearColorImage(c, b.second, general, &value, 1, &range);
  });
  const auto blit = [=](VkFilter filter, bool scaled) {
    return [=](Bench& b, VkCommandBuffer c) {
      const auto to = static_cast<std::int32_t>(scaled ? kSide / 2 : kSide), from = static_cast<std::int32_t>(kSide);
      const VkImageBlit region{kColor, {{0, 0, 0}, {from, from, 1}}, kColor, {{0, 0, 0}, {to, to, 1}}};
      vkCmdBlitImage(c, b.first, general, scaled ? b.half : b.second, general, 1, &region, filter);
    };
  };
  add("blit, nearest, same size", image, blit(VK_FILTER_NEAREST, false));
  add("blit, nearest, to half", image, blit(VK_FILTER_NEAREST, true));
  add("blit, linear, to half", image, blit(VK_FILTER_LINEAR, true));
}

/// What shaders do for each of 1024 x 1024 invocations.
void add_operations(std::vector<Item>& items) {
  const auto add = [&](const std::string& name, const std::string& body) {
    items.push_back({name, double{kCount} * kCount, 0,
                     [=](Bench& b) {
                       VkPipeline& p = b.kept[name];
                       if (p == VK_NULL_HANDLE) p = b.pipeline(body);
                       return b.run([&](VkCommandBuffer c) {
                         b.bind(c, p);
                         vkCmdDispatch(c, kCount * kCount / 64, 1, 1);
                       });
                     },
                     1.8, true});
  };
  const std::string at =
      "  uint n = gl_GlobalInvocationID.x; ivec2 p = ivec2(n % 1024u, n / 1024u); vec2 uv = (vec2(p) + 0.3) / "
      "1024.0;\n";
  add("write a word", at + "  o[n] = n;\n");
  add("64 multiplications",
      at + "  uint x = n; for (int i = 0; i < 64; ++i) x = x * 1664525u + 1013904223u; o[n] = x;\n");
  add("sample, bilinear", at + "  o[n] = packUnorm4x8(textureLod(image, uv, 0.0));\n");
  add("gather", at + "  o[n] = packUnorm4x8(textureGather(image, uv, 1));\n");
  add("fetch", at + "  o[n] = packUnorm4x8(texelFetch(image, p, 0));\n");
  add("image load and store", at + "  imageStore(stored, p, imageLoad(stored, p).bgra);\n");
  add("atomic add, one word for 64", at + "  atomicAdd(o[n / 64u], n);\n");
}

double make_pipelines(Bench& b, std::uint32_t count, bool cached) {
  const PipelineMaker maker(
      b.v.device, b.layout,
      test::compile_compute(
          "#version 450\nlayout(local_size_x = 64) in;\nlayout(constant_id = 0) const uint k = 0u;\n"
          "layout(binding = 0) buffer B { uint o[]; };\nlayout(binding = 1) uniform sampler2D image;\n"
          "void main() { uint n = gl_GlobalInvocationID.x; vec4 c = textureLod(image, vec2(float(n) / 64.0, 0.5), "
          "0.0);\n"
          "  for (uint i = 0u; i < 8u; ++i) if ((n >> i & 1u) == 1u) c = c.gbar * float(k) + 0.5;\n"
          "  o[n] = packUnorm4x8(c); }\n"));
  const auto create = [&](std::uint32_t value) {
    const VkSpecializationMapEntry entry{0, 0, 4};
    const VkSpecializationInfo special{1, &entry, 4, &value};
    maker.make(&special);
  };
  static const auto kStart = static_cast<std::uint32_t>(std::chrono::system_clock::now().time_since_epoch().count());
  if (cached) create(1);
  return seconds_of([&] {
    for (std::uint32_t i = 0; i < count; ++i) create(cached ? 1 : kStart + ++b.unique);
  });
}

/// A pipeline that was never there before runs once; then with one new sampler state after another, which is what is
/// measured.
double meet_sampler_states(Bench& b) {
  static const auto kStart = std::chrono::system_clock::now().time_since_epoch().count();
  std::string body = "  vec4 c = vec4(" + std::to_string(kStart % 1000) + "." + std::to_string(++b.unique) + ");\n";
  for (int i = 0; i < 37; ++i) body += fmt::format("  c += textureLod(image, c.xy * 0.125 + {}.0 / 64.0, 0.0);\n", i);
  const VkPipeline p = b.pipeline(body + "  o[gl_GlobalInvocationID.x] = packUnorm4x8(c);\n");
  const VkImageView view = b.v.view(b.first, VK_FORMAT_R8G8B8A8_UNORM);
  const VkDescriptorType kind = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  const auto meet = [&](VkFilter filter, VkSamplerAddressMode mode) {
    b.v.write(b.set, 1, kind, view, b.v.sampler(filter, mode));
    return b.run([&](VkCommandBuffer c) { b.bind(c, p), vkCmdDispatch(c, 1, 1, 1); });
  };
  (void)meet(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT);
  double seconds = 0;
  for (const VkFilter filter : {VK_FILTER_NEAREST, VK_FILTER_LINEAR})
    for (const VkSamplerAddressMode mode :
         {VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
          VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER})
      seconds += meet(filter, mode);
  b.v.write(b.set, 1, kind, view, b.v.sampler(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT));
  return seconds;
}

void add_calls(std::vector<Item>& items) {
  const auto small = [](Bench& b) {
    VkPipeline& p = b.kept["small"];
    if (p == VK_NULL_HANDLE) p = b.pipeline("  o[gl_GlobalInvocationID.x] = 1u;\n");
    return p;
  };
  items.push_back({"dispatch of 64 invocations, 1000 in a command buffer", 1000, 0, [=](Bench& b) {
                     const VkPipeline p = small(b);
                     return b.run([&](VkCommandBuffer c) {
                       b.bind(c, p);
                       for (int i = 0; i < 1000; ++i) vkCmdDispatch(c, 1, 1, 1);
                     });
                   }});
  items.push_back({"dispatch, submitted and waited for", 100, 0, [=](Bench& b) {
                     const VkPipeline p = small(b);
                     double seconds = 0;
                     for (int i = 0; i < 100; ++i)
                       seconds += b.run([&](VkCommandBuffer c) { b.bind(c, p), vkCmdDispatch(c, 1, 1, 1); });
                     return seconds;
                   }});
  items.push_back({"record a dispatch", 10000, 0, [=](Bench& b) {
                     const VkPipeline p = small(b);
                     const VkCommandBuffer c = b.v.commands();
                     b.v.begin(c);
                     b.bind(c, p);
                     const double seconds = seconds_of([&] {
                       for (int i = 0; i < 10000; ++i) vkCmdDispatch(c, 1, 1, 1);
                     });
                     (void)vkEndCommandBuffer(c);
                     vkFreeCommandBuffers(b.v.device, b.v.pool, 1, &c);
                     return seconds;
                   }});
  items.push_back({"write a descriptor", 10000, 0, [](Bench& b) {
                     return seconds_of([&] {
                       for (std::uint32_t i = 0; i < 10000; ++i) b.v.write(b.set, 0, kStorage, b.a, 64 * (i % 16));
                     });
                   }});
  items.push_back({"make a pipeline, cold", 8, 0, [](Bench& b) { return make_pipelines(b, 8, false); }});
  items.push_back({"a new sampler state for a pipeline of 37 samples", 6, 0, meet_sampler_states});
  items.push_back({"make a pipeline, cached", 50, 0, [](Bench& b) { return make_pipelines(b, 50, true); }});
}

/// Names and manifests; Heddle's own, the first, is empty.
std::vector<std::pair<std::string, std::string>> manifests_of(const std::string& peers) {
  std::vector<std::pair<std::string, std::string>> list{{"Heddle", ""}};
  if (peers == "none") return list;
  std::string lavapipe = peers + "/lavapipe-newest.json";
  if (!fs::exists(lavapipe)) lavapipe = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
  for (const auto& [name, path] : {std::pair{"lavapipe", lavapipe}, {"SwiftShader", peers + "/swiftshader.json"}})
    if (fs::exists(path)) list.emplace_back(name, path);
  return list;
}

std::string figure(const Item& item, double seconds) {
  if (!std::isfinite(seconds)) return "-";  // the driver lacks what the row needs
  return item.bytes != 0 ? fmt::format("{:.1f} GB/s", item.bytes / seconds / 1e9)
                         : format_seconds(seconds / item.items);
}

/// The process, and every driver in it, has so many processors.
void limit_processors(int count) {
  cpu_set_t all, some;
  CPU_ZERO(&all);
  CPU_ZERO(&some);
  (void)sched_getaffinity(0, sizeof all, &all);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&some) < count; ++cpu)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &some);
  (void)sched_setaffinity(0, sizeof some, &some);
}

struct Setup {
  int rounds = 7, threads = 0;  ///< threads 0: one, then two
  std::size_t first = 0;        ///< row
  std::string peers = "build/peers", filter, figures;
  std::string counted, layer, start,
      memory;        ///< a row to measure alone (add_counted, add_layer, add_start, add_memory)
  std::string plot;  ///< a picture of the ratios; empty: none
};

std::vector<Item> items_of(const Setup& setup) {
  std::vector<Item> items;
  add_draws(items);
  add_operations(items);
  add_calls(items);
  add_newer(items);
  add_transfers(items);
  std::erase_if(items, [&](const Item& item) { return item.name.find(setup.filter) == std::string::npos; });
  return items;
}

/// Drivers, and the best seconds of each item on each of them.
struct Figures {
  std::vector<std::string> names;
  std::vector<std::vector<double>> seconds;
};

/// Is told of the drivers, and of each row when it is measured.
using UseRow = std::function<void(const Figures&)>;

/// In this process, from row `setup.first` on.
Figures measure(const Setup& setup, const std::vector<Item>& items, const UseRow& use = {}) {
  limit_processors(setup.threads);
  setenv("LP_NUM_THREADS", std::to_string(setup.threads).c_str(), 1);
  std::vector<std::unique_ptr<Bench>> list;
  for (const auto& [name, manifest] : manifests_of(setup.peers))
    list.push_back(std::make_unique<Bench>(name, manifest));
  Figures figures;
  for (const auto& driver : list) figures.names.push_back(driver->name);
  if (use) use(figures);
  for (std::size_t k = setup.first; k < items.size(); ++k) {
    std::vector<double> best(list.size(), std::numeric_limits<double>::infinity());
    for (int round = 0; round <= setup.rounds; ++round)  // the first one compiles
      for (std::size_t d = 0; d < list.size(); ++d) {
        const double seconds = items[k].measure(*list[d]);
        if (round > 0) best[d] = std::min(best[d], seconds);
      }
    figures.seconds.push_back(std::move(best));
    if (use) use(figures);
  }
  return figures;
}

/// Each row as soon as it is there, so that what ends the process loses one row.
int write_rows(const Setup& setup, const std::vector<Item>& items) {
  std::ofstream out(setup.figures);
  const auto write = [&](const Figures& figures) {
    if (figures.seconds.empty())
      out << fmt::format("{}\n", fmt::join(figures.names, "\t"));
    else
      out << fmt::format("{}\n", fmt::join(figures.seconds.back(), "\t"));
    out << std::flush;
  };
  (void)measure(setup, items, write);
  return out ? 0 : 3;
}

void read_rows(const std::string& path, Figures& figures) {
  std::istringstream lines(test::read_text(path));
  std::string line, word;
  for (bool head = true; std::getline(lines, line); head = false) {
    std::istringstream words(line);
    std::vector<std::string> list;
    while (std::getline(words, word, '\t')) list.push_back(word);
    if (head) {
      figures.names = list;
      continue;
    }
    auto& row = figures.seconds.emplace_back();
    for (const std::string& each : list) row.push_back(std::strtod(each.c_str(), nullptr));
  }
}

/// In a process of its own: drivers ask for the number of processors once. A row that ends the process has no figures,
/// and another process goes on behind it. Nothing where not even a first row could be measured.
Figures measure_apart(const Setup& setup, int threads, const std::vector<Item>& items) {
  Figures figures;
  while (figures.seconds.size() < items.size()) {
    const test::TemporaryFolder folder;
    const std::string path = (folder.path() / "figures").string();
    const std::size_t first = figures.seconds.size();
    const Usage usage = run_process({fs::read_symlink("/proc/self/exe").string(), "--threads", std::to_string(threads),
                                     "--rounds", std::to_string(setup.rounds), "--peers", setup.peers, "--filter",
                                     setup.filter, "--first", std::to_string(first), "--figures", path},
                                    fs::current_path().string());
    if (fs::exists(path)) read_rows(path, figures);
    if (figures.seconds.size() >= items.size()) break;
    if (figures.names.empty()) return figures;
    fmt::print(
        stderr, "bench_vulkan: \"{}\" ended its process ({}): no figures; alone: --threads {} --filter \"{}\"\n",
        items[figures.seconds.size()].name,
        usage.signal != 0 ? fmt::format("signal {}", usage.signal) : fmt::format("exit code {}", usage.exit_code),
        threads, items[figures.seconds.size()].name);
    figures.seconds.emplace_back(figures.names.size(), std::numeric_limits<double>::infinity());
  }
  return figures;
}

double over(double peer, double own) { return std::isfinite(peer) && std::isfinite(own) ? peer / own : 0; }

/// The better peer's time over Heddle's, with one thread and with two; 0: a driver lacks what the row needs.
std::vector<Bar> bars_of(const std::vector<Item>& items, const Figures& one, const Figures& two) {
  const auto better = [](const std::vector<double>& best) {
    return best.size() > 1 ? over(*std::min_element(best.begin() + 1, best.end()), best[0]) : 0;
  };
  std::vector<Bar> bars;
  for (std::size_t k = 0; k < items.size(); ++k)
    bars.push_back(
        {items[k].name, better(one.seconds[k]), better(two.seconds[k]), items[k].wanted != 0 ? items[k].wanted : 1.0});
  return bars;
}

/// `one`: what one thread took, for the gain; null: there is no such column.
void add_table(Section& section, const std::vector<Item>& items, const Figures& figures, const Figures* one) {
  std::vector<std::vector<std::string>> rows{{"what"}};
  rows[0].insert(rows[0].end(), figures.names.begin(), figures.names.end());
  rows[0].insert(rows[0].end(), {"better peer / Heddle", "wanted"});
  if (one != nullptr) rows[0].insert(rows[0].end(), {"gain of Heddle", "wanted"});
  for (std::size_t k = 0; k < items.size(); ++k) {
    const std::vector<double>& best = figures.seconds[k];
    std::vector<std::string> row{items[k].name};
    for (const double seconds : best) row.push_back(std::isfinite(seconds) ? figure(items[k], seconds) : "-");
    row.push_back(best.size() > 1 ? ratio_text(*std::min_element(best.begin() + 1, best.end()), best[0]) : "-");
    row.push_back(fmt::format("{:.1f}", items[k].wanted != 0 ? items[k].wanted : 1.0));
    if (one != nullptr) {
      row.push_back(ratio_text(one->seconds[k][0], best[0]));
      row.emplace_back(items[k].parallel ? "1.8" : "");
    }
    rows.push_back(std::move(row));
  }
  section.table(rows);
}

Setup setup_of(const Options& options) {
  Setup setup;
  for (std::size_t i = 0; i + 1 < options.rest.size(); i += 2) {
    const std::string &word = options.rest[i], &value = options.rest[i + 1];
    if (word == "--rounds") setup.rounds = std::max(1, std::atoi(value.c_str()));
    if (word == "--threads") setup.threads = std::max(1, std::atoi(value.c_str()));
    if (word == "--filter") setup.filter = value;
    if (word == "--peers") setup.peers = value;
    if (word == "--figures") setup.figures = value;
    if (word == "--first") setup.first = std::strtoul(value.c_str(), nullptr, 10);
    if (word == "--counted") setup.counted = value;
    if (word == "--layer") setup.layer = value;
    if (word == "--start") setup.start = value;
    if (word == "--memory") setup.memory = value;
    if (word == "--plot") setup.plot = value;
  }
  return setup;
}

}  // namespace

std::string ratio_text(double peer, double own) {
  const double value = over(peer, own);
  return value > 0 ? fmt::format("{:.2f}", value) : "-";
}

int run(const Options& options) {
  Setup setup = setup_of(options);
  if (!setup.start.empty()) return start_once(setup.start, setup.figures);
  if (!setup.memory.empty()) return count_memory(setup.memory, setup.figures, options.all);
  if (test::compile_compute("#version 450\nvoid main() {}\n").empty())
    return std::fputs("bench_vulkan: glslangValidator is not installed\n", stderr), 3;
  if (!setup.counted.empty()) return draw_counted(setup.counted, setup.rounds, setup.figures);
  if (!setup.layer.empty()) return measure_layer(setup.layer, setup.rounds, setup.figures);
  const std::vector<Item> items = items_of(setup);
  if (!setup.figures.empty()) return write_rows(setup, items);
  Section section("One Vulkan client on every driver");
  const auto is_wanted = [&](const std::string& name) { return name.find(setup.filter) != std::string::npos; };
  const auto add_apart = [&] {
    if (is_wanted("texels counted")) add_counted(section, setup.rounds);
    if (is_wanted("footprint layer")) add_layer(section, setup.rounds);
    if (is_wanted("first result")) add_start(section, manifests_of(setup.peers), setup.rounds);
    if (setup.filter == "memory of pipelines") add_memory(section, manifests_of(setup.peers), options.all);
  };
  if (items.empty()) return add_apart(), section.finish(options.markdown) ? 0 : 3;
  section.paragraph(
      "Best of several rounds in which the drivers take turns; a ratio says how much faster Heddle is than the better "
      "of the others. With one thread, then with two, the process and all drivers in it stay on as many processors.");
  if (setup.threads != 0) {
    add_table(section, items, measure(setup, items), nullptr);
    return section.finish(options.markdown) ? 0 : 3;
  }
  const Figures one = measure_apart(setup, 1, items), two = measure_apart(setup, 2, items);
  if (one.names.empty() || two.names.empty())
    return std::fputs("bench_vulkan: no row could be measured: try it with --threads 1\n", stderr), 3;
  section.heading("One thread");
  add_table(section, items, one, nullptr);
  section.heading("Two threads");
  add_table(section, items, two, &one);
  if (!setup.plot.empty() && setup.filter.empty()) {
    test::write_text(setup.plot, plot_bars(bars_of(items, one, two),
                                           "Time of the better of lavapipe and SwiftShader / time of Heddle",
                                           "one thread", "two threads"));
    section.paragraph("![Ratios of both tables as bars](" + fs::path(setup.plot).filename().string() + ")");
  }
  add_apart();
  return section.finish(options.markdown) ? 0 : 3;
}

}  // namespace heddle::bench

int main(int argc, char** argv) {
  return heddle::bench::run(heddle::bench::parse_options(
      argc, argv,
      {"--rounds N", "--peers FOLDER|none", "--filter TEXT", "--threads N", "--plot FILE", "--figures FILE",
       "--first ROW", "--counted FRAME", "--layer ROW", "--start MANIFEST", "--memory MANIFEST"}));
}
