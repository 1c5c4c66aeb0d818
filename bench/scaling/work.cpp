// SPDX-License-Identifier: MIT
#include "scaling/work.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <fstream>
#include <mutex>
#include <thread>

#include "quick/qemu_mark.h"
#include "scaling/count_locks.h"
#include "vulkan/canvas.hpp"
#include "vulkan/shaders.hpp"

namespace heddle::bench {

using test::Canvas;
using test::PipelineState;
using test::VulkanDevice;

namespace {

constexpr std::uint32_t kWidth = 1920, kHeight = 1080;
constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr VkDescriptorType kTexture = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;

constexpr const char* kOneColor =
    "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(gl_FragCoord.xy * 0.0005, 0.5, 1.0); }\n";
constexpr const char* kBilinear =
    "#version 450\nlayout(binding = 1) uniform sampler2D t;\nlayout(location = 0) out vec4 c;\n"
    "void main() { c = texture(t, gl_FragCoord.xy * 0.001); }\n";
constexpr const char* kWord =
    "#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer B { uint o[]; };\n"
    "void main() { o[gl_GlobalInvocationID.x & 65535u] = gl_GlobalInvocationID.x; }\n";
constexpr const char* kProducts =
    "#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer B { uint o[]; };\n"
    "void main() { uint n = gl_GlobalInvocationID.x, x = n;\n"
    "  for (int i = 0; i < 64; ++i) x = x * 1664525u + 1013904223u;\n  o[n & 65535u] = x; }\n";
/// Of each constant a shader of its own.
constexpr const char* kSpecial =
    "#version 450\nlayout(local_size_x = 64) in;\nlayout(constant_id = 0) const uint k = 0u;\n"
    "layout(binding = 0) buffer B { uint o[]; };\nvoid main() { uint n = gl_GlobalInvocationID.x; vec4 c = vec4(n);\n"
    "  for (uint i = 0u; i < 8u; ++i) if ((n >> i & 1u) == 1u) c = c.gbar * float(k) + 0.5;\n"
    "  o[n & 65535u] = packUnorm4x8(c); }\n";

}  // namespace

/// The device, and what all work needs; each thread of the application has a pool, a set and a fence.
class Client {
 public:
  struct Own {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;
  };

  explicit Client(unsigned threads) : canvas_(kWidth, kHeight), v(canvas_.v), own(threads) {
    v.stages = VK_SHADER_STAGE_ALL;
    const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}, {1, kTexture}};
    const VkDescriptorSetLayout sets = v.set_layout(bindings);
    buffer = v.buffer(65536 * 4);
    layout = v.layout({sets}, 16);
    texture_ = v.image(VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 256, 256)).image;
    const VkImageView view = v.view(texture_, VK_FORMAT_R8G8B8A8_UNORM);
    const VkSampler sampler = v.sampler(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT);
    for (Own& one : own) {
      const VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr,
                                         VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, 0};
      (void)vkCreateCommandPool(v.device, &pool, nullptr, &one.pool);
      const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, one.pool,
                                             VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
      (void)vkAllocateCommandBuffers(v.device, &info, &one.commands);
      one.set = v.set(sets, bindings);
      v.write(one.set, 0, kStorage, buffer);
      v.write(one.set, 1, kTexture, view, sampler);
      const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
      (void)vkCreateFence(v.device, &fence, nullptr, &one.fence);
    }
    word = v.pipeline(kWord, layout);
    products = v.pipeline(kProducts, layout);
    draws = pipeline(kOne, kOneColor);
    small = pipeline(kSmall, kOneColor);
    frame = pipeline(test::covering_vertices().c_str(), kBilinear);
    special_ = v.module(kSpecial, "comp");
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo plain{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    plain.queueCreateInfoCount = 1;
    plain.pQueueCreateInfos = &queue;
    (void)vkCreateDevice(v.physical, &plain, nullptr, &plain_);
    const VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    (void)vkCreatePipelineCache(v.device, &info, nullptr, &cache_);
  }
  ~Client() {
    for (const Own& one : own) {
      vkDestroyFence(v.device, one.fence, nullptr);
      vkDestroyCommandPool(v.device, one.pool, nullptr);
    }
    vkDestroyDevice(plain_, nullptr);
    vkDestroyPipelineCache(v.device, cache_, nullptr);
    vkDestroyShaderModule(v.device, special_, nullptr);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Records commands of one thread.
  template <typename Record>
  void record(Own& mine, const Record& commands) const {
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    (void)vkBeginCommandBuffer(mine.commands, &begin);
    commands(mine.commands);
    (void)vkEndCommandBuffer(mine.commands);
  }
  void compute(VkCommandBuffer c, const Own& mine, VkPipeline p) const {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, p);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &mine.set, 0, nullptr);
  }
  /// What the thread recorded, to its end.
  void submit(Own& mine) {
    const VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 0, nullptr, nullptr, 1, &mine.commands};
    {
      const std::lock_guard guard(queue_);  // queues are the application's to guard
      (void)vkQueueSubmit(v.queue, 1, &info, mine.fence);
    }
    (void)vkWaitForFences(v.device, 1, &mine.fence, VK_TRUE, UINT64_MAX);
    (void)vkResetFences(v.device, 1, &mine.fence);
  }
  template <typename Draws>
  void draw(VkPipeline p, const Draws& draws_of) {
    record(own[0], [&](VkCommandBuffer c) {
      canvas_.begin(c, false);
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, p);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &own[0].set, 0, nullptr);
      draws_of(c);
      canvas_.end(c);
    });
    submit(own[0]);
  }
  template <typename Dispatches>
  void dispatch(VkPipeline p, const Dispatches& dispatches_of) {
    record(own[0], [&](VkCommandBuffer c) {
      compute(c, own[0], p);
      dispatches_of(c);
    });
    submit(own[0]);
  }
  void make_pipeline(std::uint32_t constant) const {
    const VkSpecializationMapEntry entry{0, 0, 4};
    const VkSpecializationInfo special{1, &entry, 4, &constant};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  nullptr,
                  0,
                  VK_SHADER_STAGE_COMPUTE_BIT,
                  special_,
                  "main",
                  &special};
    info.layout = layout;
    VkPipeline made = VK_NULL_HANDLE;
    (void)vkCreateComputePipelines(v.device, cache_, 1, &info, nullptr, &made);
    vkDestroyPipeline(v.device, made, nullptr);
  }
  /// A buffer with memory of its own.
  void make_buffer() const {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = 1024;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    VkBuffer made = VK_NULL_HANDLE;
    (void)vkCreateBuffer(plain_, &info, nullptr, &made);
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(plain_, made, &needs);
    const VkMemoryAllocateInfo bytes{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, 0};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    (void)vkAllocateMemory(plain_, &bytes, nullptr, &memory);
    (void)vkBindBufferMemory(plain_, made, memory, 0);
    vkDestroyBuffer(plain_, made, nullptr);
    vkFreeMemory(plain_, memory, nullptr);
  }
  void write_descriptor(const Own& mine, std::uint32_t number) const {
    const VkDescriptorBufferInfo bytes{buffer.buffer, VkDeviceSize{64} * (number % 16), VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = mine.set;
    write.descriptorCount = 1;
    write.descriptorType = kStorage;
    write.pBufferInfo = &bytes;
    vkUpdateDescriptorSets(v.device, 1, &write, 0, nullptr);
  }

 private:
  Canvas canvas_;
  VkImage texture_ = VK_NULL_HANDLE;
  VkShaderModule special_ = VK_NULL_HANDLE;
  VkPipelineCache cache_ = VK_NULL_HANDLE;
  VkDevice plain_ = VK_NULL_HANDLE;  ///< without features: memory that is bound sparsely is made otherwise
  std::mutex queue_;

  VkPipeline pipeline(const char* vertex, const char* fragment) {
    PipelineState state;
    state.vertex = vertex;
    state.fragment = fragment;
    state.layout = layout;
    return canvas_.pipeline(state);
  }

 public:
  VulkanDevice& v;
  std::vector<Own> own;
  VulkanDevice::Buffer buffer;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline word = VK_NULL_HANDLE, products = VK_NULL_HANDLE;
  VkPipeline draws = VK_NULL_HANDLE, small = VK_NULL_HANDLE, frame = VK_NULL_HANDLE;
};

std::vector<Work> all_work() {
  std::vector<Work> list;
  const auto add = [&](const char* name, const char* unit, std::uint64_t units, bool by_callers, auto run,
                       int warm = 4) { list.push_back({name, unit, by_callers, units, warm, run}); };
  const auto one = [](VkCommandBuffer c, std::uint64_t n) {
    vkCmdDraw(c, 3, 1, static_cast<std::uint32_t>(3 * (n % 10000)), 0);
  };
  add("a draw of a triangle behind another", "draw", 500, false,
      [one](Client& t, unsigned, std::uint64_t, std::uint64_t units) {
        t.draw(t.draws, [&](VkCommandBuffer c) {
          for (std::uint64_t n = 0; n < units; ++n) one(c, n);
        });
      });
  add("a draw of a triangle behind push constants", "draw", 500, false,
      [one](Client& t, unsigned, std::uint64_t, std::uint64_t units) {
        t.draw(t.draws, [&](VkCommandBuffer c) {
          for (std::uint64_t n = 0; n < units; ++n) {
            vkCmdPushConstants(c, t.layout, VK_SHADER_STAGE_ALL, 0, 8, &n);
            one(c, n);
          }
        });
      });
  add("200,000 small triangles in a draw", "1,000 triangles", 200, false,
      [](Client& t, unsigned, std::uint64_t, std::uint64_t units) {
        t.draw(t.small, [&](VkCommandBuffer c) { vkCmdDraw(c, static_cast<std::uint32_t>(3000 * units), 1, 0, 0); });
      });
  add("a bilinear frame of 1920 x 1080", "frame", 1, false,
      [](Client& t, unsigned, std::uint64_t, std::uint64_t units) {
        for (std::uint64_t n = 0; n < units; ++n) t.draw(t.frame, [](VkCommandBuffer c) { vkCmdDraw(c, 3, 1, 0, 0); });
      });
  add("a dispatch of 16,384 groups", "1,000 groups", 16, false,
      [](Client& t, unsigned, std::uint64_t, std::uint64_t units) {
        t.dispatch(t.products,
                   [&](VkCommandBuffer c) { vkCmdDispatch(c, static_cast<std::uint32_t>(1024 * units), 1, 1); });
      });
  add("dispatches of 16 groups", "dispatch", 500, false, [](Client& t, unsigned, std::uint64_t, std::uint64_t units) {
    t.dispatch(t.word, [&](VkCommandBuffer c) {
      for (std::uint64_t n = 0; n < units; ++n) vkCmdDispatch(c, 16, 1, 1);
    });
  });
  add("dispatches of a group", "dispatch", 500, false, [](Client& t, unsigned, std::uint64_t, std::uint64_t units) {
    t.dispatch(t.word, [&](VkCommandBuffer c) {
      for (std::uint64_t n = 0; n < units; ++n) vkCmdDispatch(c, 1, 1, 1);
    });
  });
  add("submitting a dispatch and waiting for its fence", "submission", 8, true,
      [](Client& t, unsigned number, std::uint64_t, std::uint64_t units) {
        Client::Own& mine = t.own[number];
        for (std::uint64_t n = 0; n < units; ++n) {
          t.record(mine, [&](VkCommandBuffer c) {
            t.compute(c, mine, t.word);
            vkCmdDispatch(c, 1, 1, 1);
          });
          t.submit(mine);
        }
      });
  add(
      "making a pipeline", "pipeline", 1, true,
      [](Client& t, unsigned, std::uint64_t first, std::uint64_t units) {
        static const auto kStart =
            static_cast<std::uint32_t>(std::chrono::system_clock::now().time_since_epoch().count() / 1000);
        for (std::uint64_t n = 0; n < units; ++n) t.make_pipeline(kStart + static_cast<std::uint32_t>(first + n));
      },
      1);
  add(
      "making a pipeline that a cache has", "pipeline", 8, true,
      [](Client& t, unsigned number, std::uint64_t, std::uint64_t units) {
        for (std::uint64_t n = 0; n < units; ++n) t.make_pipeline(2 * number + static_cast<std::uint32_t>(n % 2));
      },
      1);
  add("recording a dispatch", "dispatch", 4000, true,
      [](Client& t, unsigned number, std::uint64_t, std::uint64_t units) {
        Client::Own& mine = t.own[number];
        t.record(mine, [&](VkCommandBuffer c) {
          t.compute(c, mine, t.word);
          for (std::uint64_t n = 0; n < units; ++n) vkCmdDispatch(c, 1, 1, 1);
        });
      });
  add("recording a draw", "draw", 4000, true, [one](Client& t, unsigned number, std::uint64_t, std::uint64_t units) {
    Client::Own& mine = t.own[number];
    t.record(mine, [&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, t.draws);
      for (std::uint64_t n = 0; n < units; ++n) one(c, n);
    });
  });
  add("writing a descriptor", "descriptor", 4000, true,
      [](Client& t, unsigned number, std::uint64_t, std::uint64_t units) {
        for (std::uint64_t n = 0; n < units; ++n) t.write_descriptor(t.own[number], static_cast<std::uint32_t>(n));
      });
  add("making and destroying a buffer with its memory", "buffer", 50, true,
      [](Client& t, unsigned, std::uint64_t, std::uint64_t units) {
        for (std::uint64_t n = 0; n < units; ++n) t.make_buffer();
      });
  return list;
}

namespace {

/// The threads of an application, which begin together.
class Callers {
 public:
  Callers(Client& client, const Work& work, unsigned count) : client_(client), work_(work), meet_(count + 1) {
    for (unsigned number = 0; number < count; ++number) threads_.emplace_back([this, number] { live(number); });
  }
  ~Callers() {
    ends_ = true;
    meet_.arrive_and_wait();
    for (std::thread& one : threads_) one.join();
  }
  Callers(const Callers&) = delete;
  Callers& operator=(const Callers&) = delete;
  void run() {
    meet_.arrive_and_wait();
    meet_.arrive_and_wait();
    first_ += threads_.size() * work_.units;
  }

 private:
  void live(unsigned number) {
    for (;;) {
      meet_.arrive_and_wait();
      if (ends_) return;
      work_.run(client_, number, first_ + number * work_.units, work_.units);
      meet_.arrive_and_wait();
    }
  }
  Client& client_;
  const Work& work_;
  std::barrier<> meet_;
  std::vector<std::thread> threads_;
  std::atomic<std::uint64_t> first_{0};
  std::atomic<bool> ends_{false};
};

void mark(int what) { (void)::prctl(what, 0, 0, 0, 0); }

/// Places in the code as "FILE OFFSET".
std::string place_of(const void* address) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "- 0";
  return fmt::format("{} {}", info.dli_fname,
                     static_cast<const char*>(address) - static_cast<const char*>(info.dli_fbase));
}

void print_counts(const HeddleLockCounter& counter, std::uint64_t units) {
  const HeddleLockTotals all = counter.totals(0);
  fmt::print("units {} taken {} waited {} sleeps {} wakes {} yields {} threads {} nanoseconds {}\n", units, all.taken,
             all.waited, all.sleeps, all.wakes, all.yields, all.threads, all.nanoseconds);
  std::vector<HeddleLockSite> sites(4096);
  sites.resize(std::min<std::size_t>(sites.size(), static_cast<std::size_t>(counter.sites(sites.data(), 4096))));
  for (const HeddleLockSite& one : sites)
    fmt::print("site {} {} {} {} {}\n", one.lock, one.taken, one.waited, one.held_nanoseconds, place_of(one.from));
}

void print_maps() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) fmt::print("map {}\n", line);
}

}  // namespace

int run_child(std::size_t number, unsigned threads, bool model) {
  const auto* const counter = static_cast<const HeddleLockCounter*>(::dlsym(RTLD_DEFAULT, HEDDLE_LOCK_COUNTER));
  if (counter == nullptr) {
    fmt::print(stderr, "bench_scaling: count_locks.c is not loaded\n");
    return 3;
  }
  const Work work = all_work().at(number);
  counter->pretend(static_cast<int>(threads));
  Client client(threads);
  const std::unique_ptr<Callers> callers = work.by_callers ? std::make_unique<Callers>(client, work, threads) : nullptr;
  std::uint64_t units = work.units;
  if (callers != nullptr) units *= threads;
  const auto run = [&] {
    if (callers != nullptr)
      callers->run();
    else
      work.run(client, 0, 0, work.units);
  };
  for (int k = 0; k < work.warm; ++k) run();
  // What compiles beside them ends.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  if (model) mark(HEDDLE_COUNT_WARM);
  run();
  counter->begin();
  if (model) mark(HEDDLE_COUNT_BEGIN);
  run();
  if (model) mark(HEDDLE_COUNT_END);
  counter->end();
  print_counts(*counter, units);
  if (model) print_maps();
  std::fflush(stdout);
  return 0;
}

}  // namespace heddle::bench
