// SPDX-License-Identifier: MIT
// Transfers in bytes a second: what a queue does to images and buffers without a shader.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "pipeline/transfer/transfer.hpp"
#include "support/rates.hpp"

namespace heddle::bench {
namespace {

using image::Filter;
using image::Format;
using image::Surface;
namespace transfer = pipeline::transfer;

constexpr std::uint32_t kWidth = 2048, kHeight = 2048;

transfer::Work work() { return {std::max(1u, std::thread::hardware_concurrency())}; }

Surface make_image(Format format, std::uint32_t width, std::uint32_t height, std::uint32_t samples = 1) {
  Surface s;
  s.format = format;
  s.width = width;
  s.height = height;
  s.samples = samples;
  if (!image::allocate(s).ok()) std::abort();
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < s.memory->size(); ++i) {
    state = state * 1664525u + 1013904223u;
    s.memory->data()[i] = static_cast<std::uint8_t>(state >> 26);  // 0 to 63: floats stay finite
  }
  return s;
}

void require(const base::Result<base::Done>& done) {
  if (!done.ok()) std::abort();
}

/// `bytes` are those written.
void count(benchmark::State& state, std::uint64_t bytes) {
  state.SetItemsProcessed(static_cast<std::int64_t>(bytes * state.iterations()));
  state.SetLabel("byte");
}

void fill(benchmark::State& state) {
  std::vector<std::uint8_t> memory(64u << 20);
  for (auto _ : state) transfer::fill(memory, 0x12345678, work());
  count(state, memory.size());
}

void copy_buffer(benchmark::State& state) {
  std::vector<std::uint8_t> from(64u << 20, 1), to(from.size());
  for (auto _ : state) transfer::copy_bytes(from, to, work());
  count(state, to.size());
}

void copy_rows(benchmark::State& state) {
  std::vector<std::uint8_t> buffer(std::size_t{kWidth} * kHeight * 4, 1);
  Surface image = make_image(Format::R8G8B8A8_UNORM, kWidth, kHeight);
  const transfer::ImageBox box{.offset = {8, 0, 0}, .extent = {kWidth - 16, kHeight, 1}};
  for (auto _ : state) require(transfer::copy_to_image(buffer, {}, image, box, work()));
  count(state, std::uint64_t{kWidth - 16} * kHeight * 4);
}

void clear_image(benchmark::State& state) {
  Surface image = make_image(Format::R8G8B8A8_UNORM, kWidth, kHeight);
  image::Texel value;
  value.set(0, 0.5f), value.set(3, 1.0f);
  for (auto _ : state) require(transfer::clear(image, transfer::whole_level(image, 0, 0, 1), value, work()));
  count(state, image.bytes);
}

transfer::BlitBox whole(const Surface& s) {
  return {.corners = {transfer::Offset{},
                      transfer::Offset{static_cast<std::int32_t>(s.width), static_cast<std::int32_t>(s.height), 1}}};
}

/// From and to images of these formats and sizes.
void blit(benchmark::State& state, Format from_format, std::uint32_t from_size, Format to_format, std::uint32_t to_size,
          Filter filter) {
  const Surface from = make_image(from_format, from_size, from_size);
  Surface to = make_image(to_format, to_size, to_size);
  for (auto _ : state) require(transfer::blit(from, whole(from), to, whole(to), filter, work()));
  count(state, to.bytes);
}

void resolve(benchmark::State& state, Format format) {
  const Surface from = make_image(format, 1024, 1024, 4);
  Surface to = make_image(format, 1024, 1024);
  for (auto _ : state)
    require(
        transfer::resolve(from, transfer::whole_level(from, 0, 0, 1), to, {}, transfer::ResolveMode::Average, work()));
  count(state, to.bytes);
}

void add_benchmarks() {
  benchmark::RegisterBenchmark("fill a buffer", fill);
  benchmark::RegisterBenchmark("copy a buffer", copy_buffer);
  benchmark::RegisterBenchmark("buffer to image, RGBA8, rows", copy_rows);
  benchmark::RegisterBenchmark("clear an image, RGBA8", clear_image);
  const Format rgba8 = Format::R8G8B8A8_UNORM, srgb = Format::R8G8B8A8_UNORM_SRGB, half = Format::R16G16B16A16_FLOAT;
  benchmark::RegisterBenchmark("blit nearest, RGBA8, 2 to 1", blit, rgba8, 2048, rgba8, 1024, Filter::Nearest);
  benchmark::RegisterBenchmark("blit nearest, RGBA8, 1 to 2", blit, rgba8, 1024, rgba8, 2048, Filter::Nearest);
  benchmark::RegisterBenchmark("blit linear, RGBA8, 2 to 1", blit, rgba8, 2048, rgba8, 1024, Filter::Linear);
  benchmark::RegisterBenchmark("blit linear, RGBA8, 1 to 2", blit, rgba8, 1024, rgba8, 2048, Filter::Linear);
  benchmark::RegisterBenchmark("blit linear, sRGB, 2 to 1", blit, srgb, 2048, srgb, 1024, Filter::Linear);
  benchmark::RegisterBenchmark("blit linear, RGBA16F, 2 to 1", blit, half, 2048, half, 1024, Filter::Linear);
  benchmark::RegisterBenchmark("blit, RGBA8 to BGRA8", blit, rgba8, 2048, Format::B8G8R8A8_UNORM, 2048,
                               Filter::Nearest);
  benchmark::RegisterBenchmark("blit, RGBA8 to RGBA16F", blit, rgba8, 2048, half, 2048, Filter::Nearest);
  benchmark::RegisterBenchmark("resolve 4 samples, RGBA8", resolve, rgba8);
  benchmark::RegisterBenchmark("resolve 4 samples, RGBA16F", resolve, half);
}

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {
  using namespace heddle::bench;
  const Options options = parse_options(argc, argv);
  add_benchmarks();
  Section section("Transfers");
  section.paragraph("Bytes written, on all cores.");
  add_rates(section, run_rates(options, argv[0]));
  return section.finish(options.markdown) ? 0 : 1;
}
