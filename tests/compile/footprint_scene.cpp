// SPDX-License-Identifier: MIT
#include "footprint_scene.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace heddle::test {

spirv::Module corpus(const std::string& name) { return load_shader("../footprint/glsl/" + name + ".spv"); }

spirv::CompileOptions options_of(const Variant& v, bool lenient) {
  spirv::CompileOptions o;
  o.simd = v.simd;
  o.portable = v.portable;
  o.lenient = lenient;
  return o;
}

std::string Scene::toml(const std::string& image, const std::string& sampler) const {
  std::string t = fmt::format("[images.{}]\nformat = \"{}\"\nlevels = {}\n", image, format, levels);
  t += dim == 3 ? fmt::format("size = [{}, {}, {}]\ntype = \"3d\"\n", size[0], size[1], size[2])
                : fmt::format("size = [{}, {}]\n", size[0], size[1]);
  t += fmt::format(
      "[samplers.{}]\nfilter = \"{}\"\nmip = \"linear\"\naddress = \"clamp_to_edge\"\nlod_bias = {}\nmin_lod = "
      "{}\nmax_lod = {}\n",
      sampler, anisotropy > 1 ? "anisotropic" : "linear", bias, min_lod, max_lod);
  if (anisotropy > 1) t += fmt::format("max_anisotropy = {}\n", anisotropy);
  return t;
}

texture::FootprintView Scene::view() const {
  texture::FootprintView v;
  v.dim = dim;
  v.size = size;
  v.levels = levels;
  return v;
}

texture::FootprintSampler Scene::sampler() const {
  texture::FootprintSampler s;
  s.bias = bias;
  s.min_lod = min_lod;
  s.max_lod = max_lod;
  s.max_anisotropy = anisotropy;
  return s;
}

texture::Footprint ask(const Scene& scene, const texture::FootprintQuery& q) {
  const auto answer = texture::footprint(scene.view(), scene.sampler(), q);
  EXPECT_TRUE(answer.ok());
  return answer.ok() ? *answer : texture::Footprint{};
}

std::vector<std::string> run_all(const spirv::Module& module, const std::string& toml,
                                 const std::vector<std::string>& saved, bool lenient) {
  std::vector<std::string> first;
  for (const Variant& v : kVariants) {
    spirv::CompileOptions options = options_of(v, lenient);
    options.runtime_array = 2;
    const job::RunResult outcome = run_shader(module, toml, options);
    EXPECT_TRUE(outcome.succeeded) << "simd " << v.simd << " portable " << v.portable << "\n"
                                   << messages(outcome.diagnostics);
    if (!outcome.succeeded) return {};
    std::vector<std::string> outputs;
    for (const std::string& name : saved) outputs.push_back(output_bytes(outcome, name));
    if (first.empty()) first = outputs;
    for (std::size_t k = 0; k < saved.size(); ++k) {
      EXPECT_FALSE(outputs[k].empty());
      EXPECT_EQ(outputs[k] == first[k], true) << saved[k] << " differs: simd " << v.simd << " portable " << v.portable;
    }
  }
  return first;
}

std::vector<std::uint32_t> words(const std::string& bytes) {
  std::vector<std::uint32_t> w(bytes.size() / 4);
  std::memcpy(w.data(), bytes.data(), w.size() * 4);
  return w;
}

std::string integer_target() {
  return fmt::format("[images.color]\nformat = \"R32G32B32A32_UINT\"\nsize = [{}, {}]\nsave = \"color.bin\"\n", kWidth,
                     kHeight);
}

}  // namespace heddle::test
