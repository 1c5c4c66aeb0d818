// SPDX-License-Identifier: MIT
// The C++ library's times for bench/python/speed.py: lines of a name and seconds, the best of several.
#include <astcenc.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "heddle/arrays.hpp"

namespace {

double best(int times, const std::function<void()>& work) {
  double found = 1e9;
  for (int k = 0; k <= times; ++k) {
    const auto began = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
    if (k > 0 && passed.count() < found) found = passed.count();
  }
  return found;
}

heddle::Image noise(const char* format, std::mt19937& random) {
  auto image = heddle::Image::create({.format = format, .width = 1024, .height = 1024});
  if (!image.ok()) std::fputs(heddle::to_text(image.diagnostics()).c_str(), stderr), std::exit(1);
  const bool floats = image->format() == "R32_FLOAT";
  std::vector<std::uint8_t> bytes(image->packed().size());
  if (floats) {
    std::uniform_real_distribution<float> real;
    for (std::size_t k = 0; k < bytes.size(); k += 4) {
      const float value = real(random);
      __builtin_memcpy(&bytes[k], &value, 4);
    }
  } else {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  }
  (void)image->set_packed(bytes);
  return *image;
}

/// libastcenc alone, the whole image at once as floats: what Heddle's words of that format are made of.
void astcenc_alone(std::mt19937& random, std::vector<std::uint32_t>& words) {
  astcenc_config config{};
  astcenc_context* context = nullptr;
  if (astcenc_config_init(ASTCENC_PRF_LDR, 4, 4, 1, ASTCENC_PRE_FASTEST, ASTCENC_FLG_DECOMPRESS_ONLY, &config) !=
          ASTCENC_SUCCESS ||
      astcenc_context_alloc(&config, 1, &context) != ASTCENC_SUCCESS)
    std::exit(1);
  std::vector<std::uint8_t> blocks(std::size_t{1024} * 1024);
  for (std::uint8_t& byte : blocks) byte = static_cast<std::uint8_t>(random());
  const astcenc_swizzle swizzle{ASTCENC_SWZ_R, ASTCENC_SWZ_G, ASTCENC_SWZ_B, ASTCENC_SWZ_A};
  for (const auto& [name, type] : {std::pair("floats", ASTCENC_TYPE_F32), std::pair("bytes", ASTCENC_TYPE_U8)}) {
    void* slice = words.data();
    astcenc_image image{1024, 1024, 1, type, &slice};
    std::printf("astcenc_%s %.9f\n", name, best(9, [&] {
                  (void)astcenc_decompress_image(context, blocks.data(), blocks.size(), &image, &swizzle, 0);
                  astcenc_decompress_reset(context);
                }));
  }
  astcenc_context_free(context);
}

}  // namespace

int main() {
  std::mt19937 random(1);
  constexpr std::size_t kCount = 1'000'000;
  std::vector<float> u(kCount), v(kCount), out(kCount * 4);
  std::uniform_real_distribution<float> real;
  for (float& x : u) x = real(random);
  for (float& x : v) x = real(random);
  const auto sampler = heddle::Sampler::parse("linear,clamp_to_edge");
  for (const auto& [name, format] : {std::pair("RGBA8", "R8G8B8A8_UNORM"), std::pair("float32", "R32_FLOAT")}) {
    heddle::ArrayOperationOptions options;
    options.name = "sample_l";
    options.parameters = {"u", "v"};
    const auto operation = heddle::ArrayOperation::prepare(noise(format, random), *sampler, options);
    if (!operation.ok()) return 1;
    const heddle::ArrayInput inputs[] = {{u.data()}, {v.data()}};
    heddle::ArrayOutput output;
    for (std::size_t c = 0; c < 4; ++c) output.channels[c] = &out[c];
    std::printf("bilinear_%s %.9f\n", name, best(9, [&] { (void)operation->run(kCount, inputs, output); }));
  }
  std::vector<std::uint32_t> words(std::size_t{1024} * 1024 * 4);
  for (const auto& [name, format] : {std::pair("BC7", "BC7_UNORM"), std::pair("ASTC", "ASTC_LDR_2D_4X4_FLT16")}) {
    const heddle::Image image = noise(format, random);
    std::printf("decode_%s %.9f\n", name, best(9, [&] { (void)image.decode_level(0, words); }));
  }
  astcenc_alone(random, words);
  return 0;
}
