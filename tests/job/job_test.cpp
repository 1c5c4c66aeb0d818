// SPDX-License-Identifier: MIT
#include "job/job.hpp"
#include "job/formats/toml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::job;

namespace {

constexpr const char* kFull = R"(
program  = "blur.visaasm"
entry    = "blur"
platform = "skl"
simd     = 16
zeinfo   = "/abs/blur.zeinfo"
engine   = "reference"
check    = "error"
threads  = 2
limits   = { steps = 1e9, seconds = 60, memory = "2GiB" }
global = [512, 512]
local  = [16, 1]
offset = [0, 4]

[args]
n     = 3
scale = 0.5
size  = [4, 5, 6]
raw   = { bytes = "0000803f" }
h     = { type = "f16", value = [1.5, 2.5] }
"spec.1" = true
push = { a = 1, b = [1.0, 2.0] }

[buffers.out]
type  = "f32"
count = 1024
fill  = 0
save  = "out.bin"
address = 0x100000
[buffers.in]
type = "f32"
data = [1.5, 2, "0x7fc00000"]
[buffers.alias]
same_as = "in"

[images.src]
file = "brick.png"
mips = "generate"
[images.dst]
format = "R8G8B8A8_UNORM"
size   = [512, 256]
fill   = [0, 0, 0, 1]
save   = "-"

[samplers.S0]
filter  = "linear"
mip     = "linear"
address = ["repeat", "clamp"]
compare_op = "less_or_equal"
border  = [0, 0, 0, 1]
max_anisotropy = 8
)";

TEST(Job, ReadsEveryWord) {
  const auto job = read_job(kFull, "jobs/a.toml");
  ASSERT_TRUE(job.ok()) << job.diagnostics()[0].message;
  EXPECT_EQ(job->program, "jobs/blur.visaasm");
  EXPECT_EQ(job->zeinfo, "/abs/blur.zeinfo");
  EXPECT_EQ(job->check, CheckLevel::Error);
  EXPECT_EQ(job->limits.steps, 1000000000u);
  EXPECT_EQ(job->limits.memory_bytes, std::uint64_t{2} << 30);
  EXPECT_EQ(job->global, (std::vector<std::uint32_t>{512, 512}));
  ASSERT_EQ(job->args.size(), 7u);
  EXPECT_EQ(job->args[0].key.text, "n");
  EXPECT_EQ(job->args[0].values[0].integer, 3);
  EXPECT_TRUE(job->args[2].is_vector);
  EXPECT_EQ(job->args[3].bytes, (std::vector<std::uint8_t>{0, 0, 0x80, 0x3f}));
  EXPECT_EQ(job->args[4].type, ElementType::F16);
  EXPECT_EQ(job->args[6].members.size(), 2u);
  ASSERT_EQ(job->buffers.size(), 3u);
  EXPECT_EQ(job->buffers[0].address, 0x100000u);
  EXPECT_EQ(job->buffers[1].data->at(2).bits, 0x7fc00000u);
  EXPECT_EQ(job->buffers[2].same_as, "in");
  EXPECT_EQ(job->images[0].file, "jobs/brick.png");
  EXPECT_TRUE(job->images[0].generate_mips);
  EXPECT_EQ(job->images[1].save, "-");
  EXPECT_EQ(job->samplers[0].members.sampler.tcx, image::AddressMode::Wrap);
  EXPECT_EQ(job->samplers[0].members.sampler.tcz, image::AddressMode::Clamp);
  EXPECT_EQ(job->samplers[0].members.sampler.compare, image::CompareFunction::Less);  // CMP-1
  EXPECT_EQ(job->samplers[0].members.sampler.max_anisotropy, 3);                      // ANI-1
  EXPECT_TRUE(job->samplers[0].members.sampler.round_min[0]);                         // CRD-6
  EXPECT_EQ((*job->samplers[0].members.integer_border)[3], 1u);
}

TEST(Job, PixelsTable) {
  const auto job = read_job(R"(
program = "p.visaasm"
[pixels]
size = [1280, 720]
samples = 4
targets = ["T7", "T8"]
depth = "z"
geometry = "mesh.obj"
payload = ["perspective_pixel", "depth"]
state = { depth_test = true, depth_func = "LEQUAL" }
cull = "back"
[pixels.inputs]
uv = [[0, 0], [1, 0], [0, 1]]
tag = 5
V40 = "uv.x"
gray = [0.1, 0.2, 0.3]
color = [[1, 0, 0, 1]]
)",
                            "d/p.toml");
  ASSERT_TRUE(job.ok()) << job.diagnostics()[0].message;
  const PixelsJob& p = *job->pixels;
  EXPECT_EQ(p.geometry, "d/mesh.obj");
  EXPECT_EQ(p.cull, heddle::pipeline::Cull::Back);
  ASSERT_EQ(p.inputs.size(), 5u);
  EXPECT_EQ(p.inputs[0].values.size(), 3u);
  EXPECT_EQ(p.inputs[0].values[1].size(), 2u);
  EXPECT_EQ(p.inputs[1].values.size(), 1u);
  EXPECT_EQ(p.inputs[2].attribute, "uv.x");
  EXPECT_EQ(p.inputs[3].values.size(), 3u);
  EXPECT_EQ(p.inputs[4].values[0].size(), 4u);
}

struct Bad {
  const char* text;
  const char* id;
  std::uint32_t line, column;
  const char* note;
};

TEST(Job, ErrorsNameTheNearestWordAndThePlace) {
  const Bad cases[] = {
      {"program = \"x\"\nglobl = [1]\n", "job-key", 2, 1, "did you mean 'global'?"},
      {"program = \"x\"\n[images.a]\nformt = \"R8_UNORM\"\nsize = 4\n", "job-key", 3, 1, "did you mean 'format'?"},
      {"program = \"x\"\n[samplers.s]\naddress = \"repaet\"\n", "job-value", 3, 11, "did you mean 'repeat'?"},
      {"program = \"x\"\n[buffers.a]\ntype = \"f23\"\ncount = 1\n", "job-value", 3, 8, nullptr},
      {"program = 3\n", "job-type", 1, 11, nullptr},
      {"program = \"x\"\nglobal = [1.5]\n", "job-type", 2, 11, nullptr},
      {"program = \"x\"\nplatform = \"slk\"\n", "job-value", 2, 12, nullptr},
      {"program = \"x\"\n[buffers.a]\ntype = \"u8\"\ndata = [1, 256]\n", "job-value", 4, 12, nullptr},
      {"program = \"x\"\n[buffers.a]\ncount = 1\nsave = \"\"\n", "job-value", 4, 8, nullptr},
      {"program = \"x\"\nglobal = [1]\ngroups = [1]\n", "job-value", 3, 10, nullptr},
      {"program = \"x\"\nglobal = [1]\n[pixels]\ntargets = [\"a\"]\n", "job-value", 2, 10, nullptr},
      {"program = \"x\"\n[buffers.a]\ntype = \"f32\"\n", "job-missing", 2, 1, nullptr},
      {"program = \"x\"\n[pixels]\npayload = [\"perspectiv_pixel\"]\n", "job-value", 3, 11,
       "did you mean 'perspective_pixel'?"},
      {"program = = 3\n", "job-syntax", 1, 11, nullptr},
      {"global = 3\n", "job-missing", 1, 1, nullptr},
      {"program = \"x\"\n[args]\nn = \"three\"\n", "job-type", 3, 5, nullptr},
      {"program = \"x\"\nlimits = { memory = \"2 bananas\" }\n", "job-value", 2, 21, nullptr},
      {"program = \"x\"\ndate = 2020-01-01\n", "job-key", 2, 1, nullptr},
      {"program = \"x\"\n\u022f = 1\n", "job-syntax", 2, 1, nullptr},
      {"program = \"x\"\n[images.T\u0262\nfile = \"x\"\n", "job-syntax", 2, 10, nullptr},
  };
  for (const Bad& bad : cases) {
    const auto job = read_job(bad.text, "j.toml");
    ASSERT_FALSE(job.ok()) << bad.text;
    const base::Diagnostic& d = job.diagnostics()[0];
    EXPECT_EQ(d.id, bad.id) << bad.text;
    EXPECT_EQ(d.place.line, bad.line) << bad.text;
    EXPECT_EQ(d.place.column, bad.column) << bad.text;
    if (bad.note != nullptr) {
      ASSERT_FALSE(d.notes.empty()) << bad.text;
      EXPECT_EQ(d.notes[0].message, bad.note);
    }
  }
}

TEST(Job, FlagsOverrideTheFile) {
  base::Node flags = base::Node::make_table();
  base::Node args = base::Node::make_table(), n = parse_toml_value("7");
  args.add("n", n);
  flags.add("args", args);
  flags.add("simd", parse_toml_value("8"));
  const auto job = read_job(kFull, "jobs/a.toml", {}, &flags);
  ASSERT_TRUE(job.ok());
  EXPECT_EQ(job->args[0].values[0].integer, 7);
  EXPECT_EQ(job->args.size(), 7u);
  EXPECT_EQ(job->simd, 8u);
}

TEST(Scalar, EncodesWithRangeChecks) {
  std::string why;
  EXPECT_EQ(encode(Scalar::of(std::int64_t{-1}), ElementType::I8, why), 0xffu);
  EXPECT_FALSE(encode(Scalar::of(std::int64_t{-1}), ElementType::U8, why));
  EXPECT_FALSE(encode(Scalar::of(std::int64_t{128}), ElementType::I8, why));
  EXPECT_FALSE(encode(Scalar::of(1.5), ElementType::I32, why));
  EXPECT_EQ(encode(Scalar::of(2.0), ElementType::I32, why), 2u);
  EXPECT_EQ(encode(Scalar::of(std::int64_t{1}), ElementType::F32, why), 0x3f800000u);
  EXPECT_EQ(encode(Scalar::of(1.5), ElementType::F16, why), 0x3e00u);
  EXPECT_EQ(encode(*Scalar::from(base::Node::make_text("0x7fc00000")), ElementType::F32, why), 0x7fc00000u);
  EXPECT_FALSE(encode(*Scalar::from(base::Node::make_text("0x17fc00000")), ElementType::F32, why));
  const std::uint8_t nan[] = {0, 0, 0xc0, 0x7f};
  EXPECT_EQ(print(nan, ElementType::F32), "\"0x7fc00000\"");
  const std::uint8_t one[] = {0, 0, 0x80, 0x3f};
  EXPECT_EQ(print(one, ElementType::F32), "1.0");
}

}  // namespace
