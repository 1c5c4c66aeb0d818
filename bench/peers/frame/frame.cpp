// SPDX-License-Identifier: MIT
// One frame of the case whose memory is measured, on the newest lavapipe and nothing else: peers_frame FILE.spv
#include <cstdio>
#include <cstring>

#include "peers/cases.hpp"
#include "peers/vulkan_side.hpp"
#include "support/process.hpp"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::vector<std::uint8_t> bytes = heddle::test::read_bytes(argv[1]);
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  std::string why;
  const std::vector<heddle::bench::Driver> drivers = heddle::bench::drivers(why);
  if (drivers.empty()) return std::fprintf(stderr, "peers_frame: %s\n", why.c_str()), 1;
  for (const heddle::bench::Case& c : heddle::bench::cases()) {
    if (c.name != heddle::bench::kMemoryCase) continue;
    heddle::bench::VulkanPeer lavapipe(drivers.front(), c, words);
    if (lavapipe.first_run() > 0) return 0;
    std::fprintf(stderr, "peers_frame: %s\n", lavapipe.why.c_str());
  }
  return 1;
}
