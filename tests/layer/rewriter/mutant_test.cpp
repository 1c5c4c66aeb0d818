// SPDX-License-Identifier: MIT
// Modules that somebody spoiled: the rewriter leaves them alone, refuses them or rewrites them; it never fails.

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "layer/rewriter/rewrite.hpp"
#include "support/process.hpp"
#include "support/spirv_mutator.hpp"

namespace heddle::test {
namespace {

using layer::RewriteOptions;
using layer::Rewritten;
using layer::Words;

Words read_words(const std::filesystem::path& path) {
  const std::vector<std::uint8_t> bytes = read_bytes(path);
  Words words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

std::vector<Words> shaders() {
  std::vector<Words> found;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(HEDDLE_TEST_DIR) / "data/footprint/glsl"))
    if (entry.path().extension() == ".spv") found.push_back(read_words(entry.path()));
  return found;
}

RewriteOptions options(bool lenient) {
  RewriteOptions o;
  o.lenient = lenient;
  o.samplers = {{0, 0, 4, {}, 0}, {0, 1, 1, {o.unknown}, {}}, {0, 2, 2, {}, 4}};
  o.buffers = {{0, 9, 6}};
  return o;
}

/// What comes out is a list of instructions without the one that is rewritten, or a reason.
void expect_whole(const Rewritten& r, unsigned seed) {
  if (r.status == Rewritten::Status::Refused) EXPECT_NE(r.message, "") << "seed " << seed;
  if (r.status != Rewritten::Status::Done) return;
  ASSERT_TRUE(layer::Module::read(r.words)) << "seed " << seed;
  EXPECT_FALSE(layer::has_footprints(r.words)) << "seed " << seed;
}

TEST(FootprintRewriter, MutantsOfOneGrammarDoNoHarm) {
  const std::vector<Words> modules = shaders();
  ASSERT_FALSE(modules.empty());
  std::size_t done = 0, refused = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    SpirvMutator mutator(seed);
    const Words words = mutator.mutate(modules[seed % modules.size()], 1 + seed % 8);
    const Rewritten r = layer::rewrite_footprints(words, options(seed % 5 == 0));
    expect_whole(r, seed);
    done += r.status == Rewritten::Status::Done ? 1 : 0;
    refused += r.status == Rewritten::Status::Refused ? 1 : 0;
  }
  EXPECT_GT(done, 500u);
  EXPECT_GT(refused, 50u);
}

TEST(FootprintRewriter, MutantsOfWordsDoNoHarm) {
  const std::vector<Words> modules = shaders();
  std::size_t other = 0;
  for (unsigned seed = 0; seed < 6000; ++seed) {
    std::mt19937 random(seed);
    Words words = modules[seed % modules.size()];
    for (unsigned k = 0; k < 1 + seed % 6; ++k) {
      std::uint32_t& word = words[random() % words.size()];
      switch (random() % 4) {
        case 0:
          word ^= 1u << (random() % 32);
          break;
        case 1:
          word = static_cast<std::uint32_t>(random());
          break;
        case 2:
          word = words[random() % words.size()];
          break;
        default:
          word = (word & 0xffff0000u) | 5283;
      }
    }
    if (seed % 7 == 0) words.resize(random() % words.size());
    const Rewritten r = layer::rewrite_footprints(words, options(seed % 5 == 0));
    expect_whole(r, seed);
    other += r.status != Rewritten::Status::Done ? 1 : 0;
  }
  EXPECT_GT(other, 1500u);
}

}  // namespace
}  // namespace heddle::test
