// SPDX-License-Identifier: MIT
// Hostile job, zeinfo and mesh files: every truncation and seeded mutations end in a value or in diagnostics.

#include <gtest/gtest.h>

#include <random>

#include "job/formats/buffer_data.hpp"
#include "job/formats/mesh_files.hpp"
#include "job/formats/toml.hpp"
#include "job/job.hpp"
#include "job/opencl/zebin.hpp"
#include "job/opencl/zeinfo.hpp"
#include "opencl_support.hpp"

using namespace heddle;
using namespace heddle::job;
using heddle::job::kernels::slurp;

namespace {

template <typename F>
void damage(const std::string& text, unsigned seed, F parse) {
  for (std::size_t size = 0; size <= text.size(); size += text.size() > 4000 ? 7 : 1) parse(text.substr(0, size));
  std::mt19937 random(seed);
  for (int round = 0; round < 1500; ++round) {
    std::string mutant = text;
    for (unsigned k = 0; k <= random() % 4; ++k) {
      const std::size_t at = random() % mutant.size();
      switch (random() % 4) {
        case 0:
          mutant[at] = static_cast<char>(random());
          break;
        case 1:
          mutant.erase(at, random() % 9);
          break;
        case 2:
          mutant.insert(at, mutant.substr(random() % mutant.size(), random() % 30));
          break;
        default:
          mutant[at] = "[]{}=\"'0-,:\n"[random() % 12];
          break;
      }
      if (mutant.empty()) mutant = "x";
    }
    parse(mutant);
  }
}

const std::string kJob = R"(program = "p.visaasm"
limits = { steps = 1e9, seconds = 60, memory = "2GiB" }
[args]
n = { type = "f16", value = [1.5, 2.5] }
[buffers.b]
type = "f32"
data = [1.5, 2, "0x7fc00000"]
[images."0.3[2]"]
format = "R8G8B8A8_UNORM"
size = [4, 4]
null_texels = [[0, 0, 1, 1]]
[samplers.s]
filter = "linear"
address = ["repeat", "clamp"]
border = [0, 0, 0, 1]
[pixels]
targets = ["T7"]
viewport = [0, 0, 1, 1, 0, 1]
[pixels.inputs]
uv = [[0, 0], [1, 0], [0, 1]]
)";

TEST(Robust, Jobs) {
  ASSERT_TRUE(read_job(kJob, "j.toml").ok());
  damage(kJob, 1, [](const std::string& text) {
    const auto job = read_job(text, "j.toml");
    if (!job.ok()) {
      EXPECT_FALSE(job.diagnostics().empty());
    }
  });
}

TEST(Robust, DeepKeysHitTheLimit) {
  std::string plain = "a", spaced = "\"a,\"", numbers = "1";
  for (int i = 0; i < 300000; ++i) {
    plain += ".a";
    spaced += " . \"a,\"";
    numbers += i % 2 != 0 ? ".1" : " . 1";
  }
  for (const std::string& key : {plain, spaced, numbers}) {
    const auto table = parse_toml(key + " = 1\n", "j.toml");
    ASSERT_FALSE(table.ok());
    EXPECT_EQ(table.diagnostics()[0].id, "limit-nesting");
  }
  std::string list = "a = [";
  for (int i = 0; i < 5000; ++i) list += "1.5, -2.25e3,";
  EXPECT_TRUE(parse_toml(list + "]\n", "j.toml").ok());
  EXPECT_FALSE(parse_toml("a = " + std::string(100000, '['), "j.toml").ok());
  EXPECT_FALSE(parse_toml("a = " + std::string(100000, '{'), "j.toml").ok());
}

TEST(Robust, ZeInfo) {
  const std::string text = slurp("tests/data/opencl/abi_args/skl.simd16.zeinfo");
  const auto info = parse_zeinfo(text, "z");
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->kernels[0].names[15].type_name, "S;24");
  EXPECT_EQ(info->kernels[0].bti_of(20), 5u);
  damage(text, 2, [](const std::string& mutant) { (void)parse_zeinfo(mutant, "z"); });
  EXPECT_EQ(parse_zeinfo("a: &x [1]\nb: *x\n", "z").diagnostics()[0].id, "zeinfo-syntax");
  EXPECT_EQ(parse_zeinfo("kernels: []\n", "z").diagnostics()[0].id, "zeinfo-value");
  EXPECT_FALSE(parse_zeinfo(std::string(100000, '['), "z").ok());
}

TEST(Robust, Meshes) {
  damage("v 0 0 0\nv 1 0 0 1\nv 0 1 0\nvt 0 0\nvt 1 1\nvn 0 0 1\nf 1/1/1 2/2/1 3//1\nf -1 -2 -3\n", 3,
         [](const std::string& text) {
           const auto mesh = parse_obj(text, "m.obj");
           if (!mesh.ok()) return;
           for (const auto& t : mesh->mesh.triangles)
             for (const auto i : t) EXPECT_LT(i, mesh->mesh.positions.size());
         });
  damage(
      R"({"position": [[0,0,0],[1,0,0,1],[0,1,0]], "attributes": {"uv": [[0,0],[1,0],[0,1]], "id": [7,8,9]}, "triangles": [[0,1,2]], "flat": ["id"]})",
      4, [](const std::string& text) {
        const auto mesh = parse_mesh_json(text, "m.json");
        if (!mesh.ok()) return;
        for (const auto& a : mesh->mesh.attributes)
          EXPECT_EQ(a.values.size(), mesh->mesh.positions.size() * a.components);
      });
}

TEST(BufferData, RoundTripsAndErrors) {
  for (const ElementType type :
       {ElementType::I8, ElementType::U8, ElementType::I16, ElementType::U16, ElementType::F16, ElementType::I32,
        ElementType::U32, ElementType::F32, ElementType::I64, ElementType::U64, ElementType::F64}) {
    std::mt19937 random(5);
    std::vector<std::uint8_t> bytes(element_bytes(type) * 500u);
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random() >> 5);
    const auto json = parse_buffer_json(print_buffer_json(bytes, type), "b.json", type, {});
    const auto csv = parse_buffer_csv(print_buffer_csv(bytes, type), "b.csv", type);
    ASSERT_TRUE(json.ok() && csv.ok()) << element_name(type);
    EXPECT_EQ(*json, bytes) << element_name(type);
    EXPECT_EQ(*csv, bytes) << element_name(type);
  }
  for (const auto& wrong :
       {parse_buffer_json("{}", "b", ElementType::U8, {}), parse_buffer_json("[1, 300]", "b", ElementType::U8, {}),
        parse_buffer_csv("1,two", "b", ElementType::U8)}) {
    ASSERT_FALSE(wrong.ok());
    EXPECT_EQ(wrong.diagnostics()[0].id, "buffer-data");
  }
  EXPECT_EQ(parse_buffer_json("[[1,2],[3]]", "b", ElementType::U8, {}).value().size(), 3u);
}

TEST(Robust, CompilersBinaries) {
  const std::string good = slurp("tests/data/opencl/cst/skl.simd16.bin");
  const auto parse = [](const std::string& text) {
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    const auto binary = parse_zebin(bytes, "k.bin");
    if (!binary.ok()) {
      EXPECT_EQ(binary.diagnostics()[0].id, "zebin-invalid");
      return;
    }
    machine::Bindings bindings;
    binary->bind(bindings);
  };
  parse(good);
  // ocloc's older format is an ELF file as well.
  std::string other = good;
  for (std::size_t at = other.find(".ze_info"); at != std::string::npos; at = other.find(".ze_info")) other[at] = '_';
  const auto refused = parse_zebin(std::vector<std::uint8_t>(other.begin(), other.end()), "k.bin");
  ASSERT_FALSE(refused.ok());
  ASSERT_FALSE(refused.diagnostics()[0].notes.empty());
  EXPECT_NE(refused.diagnostics()[0].notes[0].message.find("--format zebin"), std::string::npos);
  damage(good, 5, parse);
}

}  // namespace
