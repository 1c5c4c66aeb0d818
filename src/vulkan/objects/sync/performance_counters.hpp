// SPDX-License-Identifier: MIT
#pragma once
// VK_KHR_performance_query: what is counted exactly while commands run on a processor.

#include <vulkan/vulkan.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle::vulkan {

enum class PerformanceCounter : std::uint8_t {
  Instructions,
  Threads,
  Vertices,
  VertexInvocations,
  ClippingInvocations,
  ClippingPrimitives,
  FragmentInvocations,
  SamplesPassed,
  ComputeInvocations,
  Time,
};

struct PerformanceCounterRow {
  PerformanceCounter counter;
  VkPerformanceCounterUnitKHR unit;
  const char *name, *category, *description;
};

/// In the order of the enumeration; all of them are 64-bit integers, of any commands of a queue that draws.
inline constexpr std::array kPerformanceCounters{
    PerformanceCounterRow{PerformanceCounter::Instructions, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, "Instructions",
                          "Shaders", "vISA instructions that hardware threads have executed, those of all stages"},
    PerformanceCounterRow{PerformanceCounter::Threads, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, "Hardware threads",
                          "Shaders", "Threads of 16 or 32 invocations that have run, those of all stages"},
    PerformanceCounterRow{PerformanceCounter::Vertices, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, "Vertices", "Geometry",
                          "Vertices that draws have read, shared ones each time"},
    PerformanceCounterRow{PerformanceCounter::VertexInvocations, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR,
                          "Vertex shader invocations", "Geometry", "How often vertex shaders have run"},
    PerformanceCounterRow{PerformanceCounter::ClippingInvocations, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR,
                          "Primitives before clipping", "Geometry", "Primitives that came to the clip stage"},
    PerformanceCounterRow{PerformanceCounter::ClippingPrimitives, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR,
                          "Primitives behind clipping", "Geometry", "Primitives that the clip stage has made"},
    PerformanceCounterRow{PerformanceCounter::FragmentInvocations, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR,
                          "Fragment shader invocations", "Pixels", "How often fragment shaders have run"},
    PerformanceCounterRow{PerformanceCounter::SamplesPassed, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, "Samples passed",
                          "Pixels", "Samples of fragments that have passed all tests"},
    PerformanceCounterRow{PerformanceCounter::ComputeInvocations, VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR,
                          "Compute shader invocations", "Compute", "How often compute shaders have run"},
    PerformanceCounterRow{PerformanceCounter::Time, VK_PERFORMANCE_COUNTER_UNIT_NANOSECONDS_KHR, "Time", "Queue",
                          "Nanoseconds from the query's begin to its end, by the monotonic clock"},
};

static_assert([] {
  for (std::size_t k = 0; k < kPerformanceCounters.size(); ++k)
    if (kPerformanceCounters[k].counter != static_cast<PerformanceCounter>(k)) return false;
  return true;
}());

}  // namespace heddle::vulkan
