// SPDX-License-Identifier: MIT
// Compiled shaders kept on disk: the same text and the same messages as without, whatever lies in the folder.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/disk_cache.hpp"
#include "footprint_scene.hpp"
#include "shader.hpp"
#include "support/process.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

struct Folder {
  TemporaryFolder folder;
  base::DiskCache cache{"shader", folder.path().string(), 1 << 20};

  [[nodiscard]] std::vector<std::string> keys() const {
    std::vector<std::string> list;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      if (entry.path().extension() == ".shader") list.push_back(entry.path().stem().string());
    return list;
  }
  [[nodiscard]] CompiledShader compile(const spirv::Module& module, const spirv::CompileOptions& options = {}) const {
    CompiledShader c;
    base::Diagnostics warnings;
    const auto compiled = spirv::compile(module, options, warnings, cache);
    c.messages = messages(warnings);
    c.ok = compiled.ok();
    if (c.ok) c.text = compiled->text;
    if (!c.ok)
      for (const base::Diagnostic& d : compiled.diagnostics()) c.messages += base::render(d, {}, false);
    return c;
  }
};

TEST(KeptShaders, TheSecondTimeTheTextComesFromTheFolder) {
  const Folder f;
  const spirv::Module module = load_shader("compute/prefix.spvasm");
  const CompiledShader plain = compile_shader(module), first = f.compile(module);
  ASSERT_TRUE(first.ok) << first.messages;
  EXPECT_EQ(first.text, plain.text);
  ASSERT_EQ(f.keys().size(), 1u);
  EXPECT_EQ(f.compile(module).text, plain.text);
  // That it came from there: another text under this key is believed.
  auto bytes = *f.cache.find(f.keys()[0]);
  bytes.back() = '~';
  f.cache.store(f.keys()[0], bytes);
  EXPECT_EQ(f.compile(module).text.back(), '~');
  EXPECT_EQ(compile_shader(module).text, plain.text);
}

TEST(KeptShaders, EntriesThatDoNotBelongAreIgnored) {
  const Folder f;
  const spirv::Module module = load_shader("compute/prefix.spvasm");
  const std::string text = f.compile(module).text, key = f.keys().at(0);
  const std::vector<std::uint8_t> good = *f.cache.find(key);
  // Another origin under this key (the hashes of two modules being equal), and entries that are cut short.
  const std::size_t origin = good.size() - text.size() - 16;
  for (std::size_t at = 0; at < origin; at += 97) {
    std::vector<std::uint8_t> bad = good;
    bad[at] ^= 1;
    f.cache.store(key, bad);
    EXPECT_EQ(f.compile(module).text, text) << at;
    EXPECT_EQ(*f.cache.find(key), good) << at;  // made anew
  }
  for (std::size_t size = 0; size < good.size(); size += 61) {
    f.cache.store(key, {good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)});
    EXPECT_EQ(f.compile(module).text, text) << size;
  }
  std::vector<std::uint8_t> longer = good;
  longer.push_back('x');
  f.cache.store(key, longer);
  EXPECT_EQ(f.compile(module).text, text);
}

TEST(KeptShaders, EveryOptionIsPartOfTheKey) {
  const Folder f;
  spirv::Module module = load_shader("flow/layouts.spvasm");
  std::vector<spirv::CompileOptions> all(10);
  all[1].simd = 8;
  all[2].platform = isa::Platform::DG2;
  all[3].portable = true;
  all[4].lenient = true;
  all[5].target_env = "universal1.6";
  all[6].runtime_array = 3;
  all[7].entry = "main";
  all[8].specialization = {{2, std::int64_t{1}}};
  all[9].targets = 1;
  std::size_t good = 0;
  for (int round = 0; round < 2; ++round)
    for (const spirv::CompileOptions& options : all) {
      const CompiledShader plain = compile_shader(module, options), kept = f.compile(module, options);
      EXPECT_EQ(kept.ok, plain.ok);
      EXPECT_EQ(kept.text, plain.text);
      EXPECT_EQ(kept.messages, plain.messages);
      good += round == 0 && plain.ok;
    }
  EXPECT_EQ(good, all.size());
  EXPECT_EQ(f.keys().size(), good);
  module.file = "other.spv";  // named in the text
  EXPECT_EQ(f.compile(module).text, compile_shader(module).text);
  EXPECT_EQ(f.keys().size(), good + 1);
  // So is the kind of a specialization constant's value.
  for (const spirv::Specialization& s : {spirv::Specialization{1, std::int64_t{0}}, {1, 0.0}, {1, false}, {1, 2.5}}) {
    spirv::CompileOptions options;
    options.specialization = {s};
    EXPECT_EQ(f.compile(module, options).text, compile_shader(module, options).text);
  }
}

TEST(KeptShaders, WhatHasSomethingToSayIsSaidEachTime) {
  const Folder f;
  const spirv::Module module = corpus("d_gran_reserved.frag");
  for (const bool lenient : {false, true}) {
    spirv::CompileOptions options;
    options.lenient = lenient;
    const CompiledShader plain = compile_shader(module, options);
    EXPECT_EQ(plain.ok, lenient);
    EXPECT_FALSE(plain.messages.empty());
    for (int round = 0; round < 3; ++round) {
      const CompiledShader c = f.compile(module, options);
      EXPECT_EQ(c.ok, lenient);
      EXPECT_EQ(c.messages, plain.messages);
      EXPECT_EQ(c.text, plain.text);
    }
  }
  EXPECT_TRUE(f.keys().empty());
}

TEST(KeptShaders, WithoutAFolderNothingIsKept) {
  const base::DiskCache none("shader", "", 1 << 20);
  const spirv::Module module = load_shader("compute/prefix.spvasm");
  base::Diagnostics warnings;
  const auto compiled = spirv::compile(module, {}, warnings, none);
  ASSERT_TRUE(compiled.ok());
  EXPECT_EQ(compiled->text, compile_shader(module).text);
}

}  // namespace
