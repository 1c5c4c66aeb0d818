// SPDX-License-Identifier: MIT
// A thread that nobody traced is traced when it is asked for, as it was drawn.

#include "explore/pages/service.hpp"

#include "explore/trace_view.hpp"
#include "kernels.hpp"
#include "support.hpp"

namespace heddle::explore {
namespace {

using test::History;
using test::Small;

/// The service's document.
std::vector<std::uint8_t> got(Service& service, const std::string& name, std::size_t most = 1u << 22) {
  const auto packed = service.get(name);
  EXPECT_TRUE(packed.has_value()) << name;
  if (!packed) return {};
  std::vector<std::uint8_t> out(most);
  uLongf size = out.size();
  EXPECT_EQ(uncompress(out.data(), &size, packed->data(), packed->size()), Z_OK);
  out.resize(size);
  return out;
}

TEST(Service, AnyThreadIsTracedWhenItIsAskedFor) {
  std::string job = test::kJob;
  job.replace(job.find("[10, 6]"), 7, "[80, 70]");
  Small small(test::kKernel, job);
  small.image("T6", test::random_texture());
  Exploration exploration("test");
  exploration.add(small.input);
  ExploreOptions options;
  options.traced = {{0, 0, 1, 1}};
  Service service(exploration);
  ASSERT_TRUE(service.prepare(options).ok());
  Documents documents;
  documents.push_back({"picture", Priority::Picture, got(service, "image/0/1/after/0/0")});
  documents.push_back({"history", Priority::History, got(service, "history/0/1/1")});
  const auto program = nlohmann::json::parse(got(service, "program/0"));
  const auto picture = test::words_of(documents, "picture");
  const History history(documents, "history");
  for (const std::size_t row : {std::size_t{0}, history.count / 2, history.count - 1}) {
    const std::uint32_t x = history.at(row, 0) & 0xffff, y = history.at(row, 0) >> 16, thread = history.at(row, 1);
    const auto trace = nlohmann::json::parse(got(service, "trace/0/" + std::to_string(thread)));
    EXPECT_EQ(trace["thread"], thread);
    std::size_t lane = 0;
    while (lane < 16 && trace["places"][lane] != nlohmann::json({x, y, 0})) ++lane;
    ASSERT_LT(lane, 16u);
    EXPECT_EQ(test::word_at(test::replayed(trace), test::place_of_variable(program, "sum") + 4 * lane),
              picture[y * 80 + x]);
  }
}

std::string hex_of(const std::string& text) {
  std::string hex;
  for (const char c : text) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

// A command with changes is a command more, with documents of its own, and the index has it.
TEST(Service, AChangedCommandIsRun) {
  Small small(test::kKernel, test::kJob);
  small.image("T6", test::random_texture());
  CommandInput clamped = small.input;
  clamped.job.samplers[0].members.sampler.tcx = clamped.job.samplers[0].members.sampler.tcy = image::AddressMode::Clamp;
  std::vector<Change> asked;
  small.input.changer = [&](const std::vector<Change>& changes) -> base::Result<CommandInput> {
    asked = changes;
    if (changes[0].flag != "sampler") return base::error("explore-change", "no");
    return clamped;
  };
  Exploration exploration("test"), other("test");
  exploration.add(small.input);
  other.add(clamped);
  Service service(exploration), expected(other);
  ASSERT_TRUE(service.prepare({}).ok());
  ASSERT_TRUE(expected.prepare({}).ok());
  const std::string name = "whatif/0/" + hex_of("sampler S0=address=clamp\nsampler S0=lod_bias=0");
  const auto part = nlohmann::json::parse(got(service, name));
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[1].text, "S0=lod_bias=0");
  EXPECT_EQ(part["number"], 1);
  EXPECT_EQ(part["of"], 0);
  EXPECT_NE(got(service, "image/1/1/after/0/0"), got(service, "image/0/1/after/0/0"));
  EXPECT_EQ(got(service, "image/1/1/after/0/0"), got(expected, "image/0/1/after/0/0"));
  EXPECT_EQ(nlohmann::json::parse(got(service, "index"))["commands"].size(), 2u);
  EXPECT_EQ(nlohmann::json::parse(got(service, name)), part);  // asked again: the same, not another command
  EXPECT_EQ(nlohmann::json::parse(got(service, "whatif/0/" + hex_of("image T6=/etc/passwd")))["refused"], "no");
  for (const std::string& bad : {std::string("whatif/0/"), std::string("whatif/0/7"), std::string("whatif/0/zz"),
                                 std::string("whatif/0/6162"), "whatif/9/" + hex_of("sampler S0=address=clamp")})
    EXPECT_FALSE(service.get(bad).has_value()) << bad;
}

TEST(Service, WhatIsNotThereIsNothing) {
  const Small small(test::kKernel, test::kJob);
  Exploration exploration("test");
  exploration.add(small.input);
  Service service(exploration);
  ASSERT_TRUE(service.prepare({}).ok());
  for (const char* name : {"", "trace", "trace/", "trace/0", "trace/0/", "trace/0/99999", "trace/1/0", "trace/-1/0",
                           "trace/0/1/2", "trace/0/vert/0", "trace/0/frag/0", "trace/0/nothing/0",
                           "trace/99999999999999999999/0", "image/9/9/after/0/0", "../../etc/passwd"})
    EXPECT_FALSE(service.get(name).has_value()) << name;
}

}  // namespace
}  // namespace heddle::explore
