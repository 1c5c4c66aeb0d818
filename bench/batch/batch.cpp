// SPDX-License-Identifier: MIT
// heddle batch on one core: what a request costs, beside the vector functions that answer it.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/base64.hpp"
#include "image/objects/sampler_text.hpp"
#include "support/rates.hpp"
#include "tools/batch/batch.hpp"

namespace heddle::bench {
namespace {

constexpr std::size_t kMany = 100000;

/// Members of a surface of noise.
std::string noise(unsigned size) {
  std::mt19937 random(1);
  std::string data(std::size_t{size} * size * 8, '0');
  for (char& c : data) c = "0123456789abcdef"[random() % 16];
  return fmt::format(R"("type":"2d","format":"rgba8","width":{0},"height":{0},"data":[["{1}"]])", size, data);
}

std::vector<float> points(std::size_t count) {
  std::mt19937 random(2);
  std::vector<float> values(2 * count);
  for (float& value : values) value = static_cast<float>(random() % 100000) / 100000.0f;
  return values;
}

std::string number_points(std::size_t count) {
  const std::vector<float> values = points(count);
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format("{}[{},{}]", i == 0 ? "" : ",", values[2 * i], values[2 * i + 1]);
  return text + "]";
}

std::string packed_points(std::size_t count) {
  const std::vector<float> values = points(count);
  std::string text = "{\"base64\":\"";
  base::append_base64(text, {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(float)});
  return text + "\"}";
}

const std::string& definitions() {
  static const std::string text = R"({"define":{"surface":"noise",)" + noise(256) + "}}";
  return text;
}

/// The same request again and again.
void run(benchmark::State& state, const std::string& request, std::size_t items, const std::string& label) {
  tools::Batch batch{base::Limits()};
  std::string answer;
  if (!batch.answer(definitions(), 1, answer)) std::abort();
  for (auto _ : state) {
    answer.clear();
    if (!batch.answer(request, 2, answer)) std::abort();
    benchmark::DoNotOptimize(answer.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(items) * state.iterations());
  state.SetLabel(label);
}

/// The kernels alone, for the lanes of a large request.
void run_kernels(benchmark::State& state) {
  tools::NamedState named{base::Limits()};
  image::Surface surface;
  surface.width = surface.height = 256;
  if (!image::allocate(surface)) std::abort();
  std::mt19937 random(1);
  for (std::uint8_t& byte : *surface.memory) byte = static_cast<std::uint8_t>(random());
  const auto members = image::parse_sampler("linear,repeat");
  texture::LaneRequest request;
  request.op = texture::Op::SampleLz;
  request.simd = 32;
  request.surface = &surface;
  request.sampler = &members->sampler;
  const texture::LaneWords zeros{};
  request.set(texture::Param::U, zeros);
  request.set(texture::Param::V, zeros);
  texture::OperationContext context;
  const auto prepared = texture::simd::prepare(request, context);
  const std::vector<float> values = points(kMany);
  std::vector<std::uint32_t> u(kMany), v(kMany);
  for (std::size_t i = 0; i < kMany; ++i) {
    std::memcpy(&u[i], &values[2 * i], 4);
    std::memcpy(&v[i], &values[2 * i + 1], 4);
  }
  std::array<std::uint32_t, 4 * texture::kMaxLanes + 1> out;
  texture::simd::Inputs inputs{};
  for (auto _ : state)
    for (std::size_t first = 0; first + 32 <= kMany; first += 32) {
      inputs.param[static_cast<std::size_t>(texture::Param::U)] = &u[first];
      inputs.param[static_cast<std::size_t>(texture::Param::V)] = &v[first];
      texture::simd::run_lanes(*prepared, inputs, 32, ~0u, out.data(), context, texture::simd::best_instruction_set());
      benchmark::DoNotOptimize(out.data());
    }
  state.SetItemsProcessed(static_cast<std::int64_t>(kMany) * state.iterations());
  state.SetLabel("lane");
}

void add_benchmarks() {
  const std::string head = R"({"id":1,"op":"sample_lz","surface":"noise","sampler":"linear,repeat","uv":)";
  const auto add = [](const std::string& name, const std::string& request, std::size_t items,
                      const std::string& label) {
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { run(state, request, items, label); });
  };
  add("8 lanes, named surface", head + number_points(8) + "}", 1, "request");
  add("8 lanes, 16x16 surface in the request",
      R"({"op":"sample_lz","surface":{)" + noise(16) + R"(},"sampler":"linear,repeat","uv":)" + number_points(8) + "}",
      1, "request");
  add("100,000 lanes, numbers in, hexadecimal out", head + number_points(kMany) + "}", kMany, "lane");
  add("100,000 lanes, base64 in and out", head + packed_points(kMany) + R"(,"results":"base64"})", kMany, "lane");
  benchmark::RegisterBenchmark("100,000 lanes, the kernels alone", run_kernels);
}

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {
  using namespace heddle::bench;
  const Options options = parse_options(argc, argv);
  add_benchmarks();
  const std::vector<Rate> rates = run_rates(options, argv[0]);
  Section section("Batch requests");
  section.paragraph(
      "`heddle batch` on one core: bilinear samples of a 256x256 texture at random points. Wanted: 0.2 million "
      "requests "
      "of 8 lanes a second; in base64 at most twice the kernels' time.");
  add_rates(section, rates);
  return section.finish(options.markdown) ? 0 : 1;
}
