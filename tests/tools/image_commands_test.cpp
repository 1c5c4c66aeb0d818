// SPDX-License-Identifier: MIT
// The image commands from outside: heddle batch, footprint, info, gather, sample.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "image/files/files.hpp"
#include "support/process.hpp"
#include "texture/operations.hpp"

namespace heddle::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::vector<json> lines_of(const std::string& text) {
  std::vector<json> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(json::parse(line));
  return out;
}

struct Answers {
  int exit_code;
  std::vector<json> lines;
};
Answers batch(const std::string& requests) {
  const Outcome o = run({HEDDLE_PROGRAM, "batch", "-"}, requests);
  return {o.exit_code, lines_of(o.out)};
}
Answers footprints(const std::string& queries) {
  const Outcome o = run({HEDDLE_PROGRAM, "footprint", "--batch", "-"}, queries);
  return {o.exit_code, lines_of(o.out)};
}

// Section 18: examples 2, 3, 5, 6.
TEST(Batch, WorkedExamples) {
  const Answers a = batch(
      R"({"id":"2","op":"gather4","surface":{"type":"2d","format":"R8_UINT","width":4,"height":4,"data":[["00010203101112132021222330313233"]]},"params":{"u":0.5,"v":0.5}}
{"id":"3","op":"resinfo","surface":{"type":"2d","format":"R8G8B8A8_UNORM","width":64,"height":32,"levels":7},"lod":[6,7,6,6,6,6,6,6]}
{"id":"5","op":"sample_unorm","surface":{"type":"2d","format":"R8_UNORM","width":2,"height":1,"data":[["0a1e"]]},"sampler":{"filter":"linear"},"mask":1,"u":0.375,"v":0.5}
{"id":"6","op":"encode_texel","format":"R8G8B8A8_UNORM","rgba":[0.5,"0x7fc00000",1,0]}
)");
  EXPECT_EQ(a.exit_code, 0);
  ASSERT_EQ(a.lines.size(), 4u);
  EXPECT_EQ(a.lines[0]["channels"]["R"][0], "00000021");
  EXPECT_EQ(a.lines[0]["channels"]["G"][0], "00000022");
  EXPECT_EQ(a.lines[0]["channels"]["B"][0], "00000012");
  EXPECT_EQ(a.lines[0]["channels"]["A"][7], "00000011");
  EXPECT_EQ(a.lines[1]["channels"]["R"][0], "00000001");
  EXPECT_EQ(a.lines[1]["channels"]["R"][1], "00000000");
  EXPECT_EQ(a.lines[1]["channels"]["A"][1], "00000007");
  EXPECT_EQ(a.lines[2]["dst"].get<std::string>().substr(0, 4), "000f");  // 0F00h, little-endian
  EXPECT_EQ(a.lines[3]["bytes"], "8000ff00");
}

// A bad line gives an error record for that line; the rest still runs, in order, and the exit code says so.
TEST(Batch, BadLinesDoNotStopTheRest) {
  const Answers a = batch(
      "{\"id\":\"a\",\"op\":\"decode_texel\",\"format\":\"R8_UNORM\",\"bytes\":\"ff\"}\n"
      "not json\n\n"
      "{\"id\":\"b\",\"op\":\"gathr4\"}\n"
      "{\"id\":\"c\",\"op\":\"decode_texel\",\"format\":\"R8_UNORM\",\"bytes\":\"ff\",\"byte\":1}\n"
      "{\"id\":\"d\",\"op\":\"sample\",\"surface\":{\"type\":\"2d\",\"format\":\"R8_UNORM\",\"width\":2,\"height\":2,"
      "\"data\":[[\"00\"]]}}\n"
      "{\"id\":\"e\",\"op\":\"ld\",\"surface\":{\"type\":\"cube\",\"format\":\"R8_UNORM\",\"width\":2,\"height\":2,"
      "\"fill\":\"00\"}}\n"
      "{\"id\":\"f\",\"op\":\"decode_texel\",\"format\":\"R8_UNORM\",\"bytes\":\"00\"}");
  EXPECT_EQ(a.exit_code, 1);
  ASSERT_EQ(a.lines.size(), 7u);
  EXPECT_EQ(a.lines[0]["rgba"][0], "3f800000");
  EXPECT_EQ(a.lines[1]["error"]["id"], "batch-json");
  EXPECT_THAT(a.lines[2]["error"]["message"].get<std::string>(), HasSubstr("did you mean 'gather4'"));
  EXPECT_EQ(a.lines[2]["id"], "b");
  EXPECT_THAT(a.lines[3]["error"]["message"].get<std::string>(), HasSubstr("byte"));
  EXPECT_EQ(a.lines[4]["error"]["id"], "batch-value");  // data that do not fit
  EXPECT_EQ(a.lines[5]["error"]["id"], "LD-4");         // what a rule refuses
  EXPECT_EQ(a.lines[6]["rgba"][0], "00000000");
}

// Every operation of the tables answers by its name.
TEST(Batch, EveryOperationAnswers) {
  std::string requests;
  std::vector<std::string> names;
  for (const texture::Operation& op : texture::all_operations()) {
    json r = {{"id", op.name}, {"op", op.name}};
    json s = {{"type", "2d"}, {"format", "R32_FLOAT"}, {"width", 4}, {"height", 4}, {"fill", "0000803f"}};
    if (op.op == texture::Op::Ld2dmsW || op.op == texture::Op::LdMcs) s["samples"] = 4;
    r["surface"] = s;
    if (op.family != texture::OperationKind::Info) r["null_mask"] = true;
    requests += r.dump() + "\n";
    names.emplace_back(op.name);
  }
  const Answers a = batch(requests);
  ASSERT_EQ(a.lines.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(a.lines[i]["id"], names[i]);
    EXPECT_TRUE(a.lines[i].contains("channels")) << a.lines[i].dump();
    EXPECT_TRUE(a.lines[i].contains("dst"));
  }
  EXPECT_EQ(a.exit_code, 0);
}

// RET-1..5: inactive lanes, narrowing, channel order, fill.
TEST(Batch, DestinationBytes) {
  const Answers a = batch(
      R"({"op":"ld","simd":8,"active":"0x05","channels":"GA","dst_type":"HF","dst_fill":"0xee","grf":32,"null_mask":true,"surface":{"type":"2d","format":"R8G8B8A8_UNORM","width":1,"height":1,"fill":"00ff0080"},"params":{}})");
  ASSERT_EQ(a.lines.size(), 1u);
  const json& line = a.lines[0];
  EXPECT_EQ(line["channels"]["G"][0], "3c00");
  EXPECT_TRUE(line["channels"]["G"][1].is_null());
  EXPECT_FALSE(line["channels"].contains("R"));
  const std::string dst = line["dst"];
  EXPECT_EQ(dst.substr(0, 12), "003ceeee003c");
  EXPECT_EQ(dst.substr(64, 4), "0438");  // 128/255
  EXPECT_EQ(line["null_mask"], "0xffffffff");
}

// LD-4: buffers have entries and no levels; their data is one level of one slice. A sampler beside a load or a query is
// read and not used.
TEST(Batch, BufferDataAndSamplersThatAreNotUsed) {
  const Answers a = batch(
      R"({"op":"ld","surface":{"type":"buffer","format":"R8_UINT","entries":4,"data":[["0a0b0c0d"]]},"params":{"u":[0,1,2,3,0,1,2,3]}}
{"op":"ld","surface":{"type":"buffer","format":"R8_UINT","entries":4,"data":[["0a0b0c0d0e"]]}}
{"op":"ld","surface":{"type":"buffer","format":"R8_UINT","entries":4,"data":[["0a0b"]]}}
{"op":"ld","surface":{"type":"buffer","format":"R8_UINT","entries":4,"data":[["0a"],["0b"]]}}
{"op":"ld","surface":{"type":"2d","format":"R8_UINT","width":1,"height":1,"fill":"07"},"sampler":{"filter":"linear","disable":true}}
{"op":"resinfo","surface":{"type":"2d","format":"R8_UINT","width":9,"height":1},"sampler":{"filter":"linear"}}
{"op":"ld","surface":{"type":"2d","format":"R8_UINT","width":1,"height":1,"fill":"07"},"sampler":{"fliter":"linear"}}
)");
  ASSERT_EQ(a.lines.size(), 7u);
  for (unsigned lane = 0; lane < 8; ++lane)
    EXPECT_EQ(a.lines[0]["channels"]["R"][lane], "0000000" + std::string(1, "abcd"[lane % 4])) << a.lines[0].dump();
  const auto message = [&](unsigned line) { return a.lines[line]["error"]["message"].get<std::string>(); };
  EXPECT_THAT(message(1), HasSubstr("level 0 has more bytes than its 4 entries need"));
  EXPECT_THAT(message(2), HasSubstr("level 0 has 2 bytes too few"));
  EXPECT_THAT(message(3), HasSubstr("2 levels are given, the surface stores 1"));
  EXPECT_EQ(a.lines[4]["channels"]["R"][0], "00000007");
  EXPECT_EQ(a.lines[5]["channels"]["R"][0], "00000009");
  EXPECT_THAT(message(6), HasSubstr("fliter"));
}

TEST(Batch, RenderTargetWrite) {
  const Answers a = batch(
      R"({"op":"rt_write","targets":[{"type":"2d","format":"R8G8B8A8_UNORM","width":4,"height":2,"fill":"00000000"}],"state":{"blend":{"enable":true,"src_color":"ONE","dst_color":"ONE","src_alpha":"ONE","dst_alpha":"ZERO"}},"messages":[{"r":0.5,"a":1,"header":{"x":[0,2],"y":[0,0]},"active":"0x0f"},{"r":0.25,"g":1,"last":true,"header":{"x":[0,2],"y":[0,0]},"active":1}]}
{"op":"rt_write","targets":[{"type":"null"}],"messages":[{"r":1,"last":true}]}
{"op":"rt_write","targets":[],"messages":[{"target":3}]}
)");
  ASSERT_EQ(a.lines.size(), 3u);
  EXPECT_EQ(a.lines[0]["targets"][0][0][0].get<std::string>().substr(0, 16), "c0ff00ff800000ff") << a.lines[0].dump();
  EXPECT_TRUE(a.lines[1]["targets"][0].is_null());
  EXPECT_TRUE(a.lines[2].contains("error"));
}

TEST(Batch, StateAndConversions) {
  const Answers a = batch(
      R"({"op":"encode_state","struct":"SAMPLER_STATE","gen":"9","fields":{"tcx":2,"min_filter":1,"max_lod":3584}}
{"op":"decode_state","struct":"SAMPLER_STATE","gen":"9","dwords":["0x00004000","0x000e0000","0x0","0x00000080"]}
{"op":"convert","from":"F","to":"HF","values":["477fe000","477ff000"]}
{"op":"tile_offset","tile":"x","bpe":4,"pitch":512,"u":100,"v":9}
{"op":"encode_state","struct":"SAMPLER_STATE","gen":"9","fields":{"tcxx":2}}
)");
  ASSERT_EQ(a.lines.size(), 5u);
  EXPECT_EQ(a.lines[0]["dwords"], json::parse(R"(["0x00004000","0x000e0000","0x00000000","0x00000080"])"));
  EXPECT_EQ(a.lines[1]["fields"]["tcx"], 2);
  EXPECT_EQ(a.lines[1]["fields"]["max_lod"], 3584);
  EXPECT_EQ(a.lines[2]["values"], json::parse(R"(["7bff","7c00"])"));
  EXPECT_EQ(a.lines[3]["offset"], 4096 + 512 + 100);
  EXPECT_THAT(a.lines[4]["error"]["message"].get<std::string>(), HasSubstr("did you mean 'tcx'"));
}

// heddle footprint, and examples B, E, K of FP-25 and FP-26.
TEST(Footprint, Contract) {
  const Answers a = footprints(
      R"({"id":"A","image":{"dim":2,"size":[1024,1024]},"coordinate":[0.5,0.5],"granularity":1,"lod":0}
{"id":"T","mode":"extended","report":"set","image":{"dim":2,"size":[1024,1024]},"sampler":{"address":"repeat"},"coordinate":[0,0.25],"granularity":11,"lod":0}
{"id":"s","image":{"dim":2,"size":[64,64]},"sampler":{"address":"repeat"},"coordinate":[0,0],"granularity":1,"lod":0}
{"id":"B","image":{"dim":2,"size":[1024,1024]},"coordinate":[0.5,0.5],"granularity":3,"lod":0}
{"id":"E","image":{"dim":2,"size":[1024,1024]},"coordinate":[0.3,0.6],"granularity":1,"lod":1.5,"coarse":true}
{"id":"K","image":{"dim":2,"size":[1024,1024]},"sampler":{"max_anisotropy":16},"coordinate":[0.4971,0.5013],"granularity":1,"grad":{"dx":[0.0390625,0],"dy":[0,0.00244140625]}}
{"id":"L","image":{"dim":2,"size":[1024,1024]},"coordinate":[0.5,0.5],"granularity":1,"lod":0,"report":"list"}
{"id":"q","image":{"dim":2,"size":[64,64]},"coordinate":[0,0],"granularity":1}
{"id":"g","image":{"dim":2,"size":[64,64]},"coordinate":[0,0],"granularity":8,"lod":0}
{"id":"d","image":{"dim":4,"size":[64,64,1,1]},"coordinate":[0,0,0,0],"granularity":1,"lod":0}
{"id":"3g","image":{"dim":3,"size":[64,64,64]},"coordinate":[0,0,0],"granularity":1,"grad":{"dx":[0,0,0],"dy":[0,0,0]}}
)");
  ASSERT_EQ(a.lines.size(), 11u);
  EXPECT_EQ(a.exit_code, 1);
  EXPECT_EQ(
      a.lines[0].dump(),
      json::parse(
          R"({"id":"A","single":true,"anchor":[32,32],"offset":[1,1],"mask":[129,2164260864],"lod":0,"granularity":0})")
          .dump());
  EXPECT_EQ(
      a.lines[1].dump(),
      json::parse(
          R"({"id":"T","single":true,"lod":0,"granularity":11,"groups":[[0,3],[15,3],[0,4],[15,4]],"border":false})")
          .dump());
  EXPECT_EQ(a.lines[2]["error"]["id"], "footprint-address-mode");
  EXPECT_EQ(a.lines[3]["anchor"], json::parse("[16,16]"));
  EXPECT_EQ(a.lines[4]["mask"], json::parse("[0,16448]"));  // 404000000000h
  EXPECT_EQ(a.lines[4]["single"], false);
  EXPECT_EQ(a.lines[5]["granularity"], 2);
  EXPECT_EQ(a.lines[5]["mask"], json::parse("[227,0]"));
  EXPECT_EQ(a.lines[6]["footprints"].size(), 1u);
  EXPECT_EQ(a.lines[7]["error"]["id"], "footprint-query");
  EXPECT_EQ(a.lines[8]["error"]["id"], "footprint-granularity-value");  // V8
  EXPECT_EQ(a.lines[9]["error"]["id"], "spirv-footprint-dim");
  EXPECT_EQ(a.lines[10]["error"]["id"], "spirv-footprint-operands");
}

/// A 4 x 2 picture whose red ramps upwards row by row from the bottom.
class ImageFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pfm = "Pf\n4 2\n-1.0\n";
    for (const float x : {0.f, 1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f}) pfm.append(reinterpret_cast<const char*>(&x), 4);
    write_text(path(), pfm);
  }
  [[nodiscard]] std::string path() const { return (folder_ / "ramp.pfm").string(); }
  TemporaryFolder folder_;
};

TEST_F(ImageFile, GatherSampleInfo) {
  Outcome o = run({HEDDLE_PROGRAM, "gather", path(), "--uv", "0.5,0.5", "--json"});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_EQ(lines_of(o.out)[0]["values"], json::parse(R"({"R":1.0,"G":2.0,"B":6.0,"A":5.0})"));  // GA-4
  o = run({HEDDLE_PROGRAM, "sample", path(), "--uv", "0.5,0.5", "--json"});
  EXPECT_EQ(lines_of(o.out)[0]["values"]["R"], 3.5);
  o = run({HEDDLE_PROGRAM, "info", path(), "--mips", "--json"});
  EXPECT_EQ(lines_of(o.out)[0]["resinfo"][2]["R"], 1);
  EXPECT_EQ(lines_of(o.out)[0]["resinfo"][0]["A"], 3);
}

TEST_F(ImageFile, PicturesAreWritten) {
  const std::string out = (folder_ / "out.png").string();
  EXPECT_EQ(
      run({HEDDLE_PROGRAM, "sample", path(), "--sampler", "linear,clamp", "--grid", "32x16", "-o", out}).exit_code, 0);
  EXPECT_THAT(run({HEDDLE_PROGRAM, "info", out}).out, HasSubstr("32 x 16"));
  EXPECT_EQ(run({HEDDLE_PROGRAM, "footprint", path(), "--uv", "0.5,0.5", "-o", out}).exit_code, 0);
  EXPECT_EQ(run({HEDDLE_PROGRAM, "footprint", path(), "--view", "plane", "--size", "64x36", "-o", out}).exit_code, 0);
}

// Exit codes: 2 usage, 3 files, 4 limits.
TEST_F(ImageFile, WrongUse) {
  EXPECT_EQ(run({HEDDLE_PROGRAM, "gather", path()}).exit_code, 2);
  EXPECT_EQ(run({HEDDLE_PROGRAM, "gather", path(), "--uv", "nonsense"}).exit_code, 2);
  EXPECT_EQ(run({HEDDLE_PROGRAM, "gather", path(), "--uv", "0,0", "--sampler", "linaer"}).exit_code, 2);
  EXPECT_EQ(run({HEDDLE_PROGRAM, "gather", "missing.png", "--uv", "0,0"}).exit_code, 3);
  EXPECT_EQ(run({HEDDLE_PROGRAM, "gather", path(), "--uv", "0,0", "--max-input", "10"}).exit_code, 4);
  write_text(folder_ / "file", "no folder");
  EXPECT_EQ(run({HEDDLE_PROGRAM, "sample", path(), "--grid", "8x8", "-o", (folder_ / "file/x.png").string()}).exit_code,
            3);
  EXPECT_EQ(run({HEDDLE_PROGRAM, "gahter"}).exit_code, 2);
  EXPECT_EQ(run({HEDDLE_PROGRAM}).exit_code, 2);
  write_text(folder_ / "bad.png", "not a picture");
  EXPECT_EQ(run({HEDDLE_PROGRAM, "info", (folder_ / "bad.png").string()}).exit_code, 1);
}

// A picture of signed integers keeps their sign.
TEST(Sample, SignedIntegersAreSavedAsSigned) {
  const TemporaryFolder folder;
  const std::string from = (folder / "from.ktx2").string();
  image::Surface surface;
  surface.format = image::Format::R8G8_SINT;
  ASSERT_TRUE(image::allocate(surface).ok());
  *surface.memory = {0xfb, 7};
  ASSERT_TRUE(image::save_image(from, surface).ok());
  for (const char* name : {"to.ktx2", "to.exr"}) {
    const std::string to = (folder / name).string();
    const Outcome o = run({HEDDLE_PROGRAM, "sample", from, "--sampler", "nearest", "--grid", "1x1", "-o", to});
    ASSERT_EQ(o.exit_code, 0) << o.err;
    const auto picture = image::load_image(to);
    ASSERT_TRUE(picture.ok());
    const image::Texel texel = image::fetch(*picture, 0, 0, 0, 0).texel;
    if (picture->info().value_class == image::ValueClass::Float) {
      EXPECT_EQ(texel.f(0), -5);
    } else {
      EXPECT_EQ(picture->format, image::Format::R32G32B32A32_SINT);
      EXPECT_EQ(texel.bits[0], 0xfffffffbu);
      EXPECT_EQ(texel.bits[1], 7u);
    }
  }
}

// What a file's reader has to say is printed, unless it is not wanted.
TEST(Info, NotesOfTheFileArePrinted) {
  const TemporaryFolder folder;
  const std::string path = (folder / "typeless.dds").string();
  std::string file = "DDS ";
  const auto word = [&](std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) file.push_back(static_cast<char>(value >> (8 * i)));
  };
  for (const std::uint32_t value : {124u, 0x1007u, 1u, 1u, 0u, 0u, 1u}) word(value);
  for (int i = 0; i < 11; ++i) word(0);
  for (const std::uint32_t value : {32u, 4u, 0x30315844u, 0u, 0u, 0u, 0u, 0u, 0x1000u, 0u, 0u, 0u, 0u}) word(value);
  for (const std::uint32_t value : {27u, 3u, 0u, 1u, 0u}) word(value);
  word(0x04030201);
  write_text(path, file);
  const Outcome o = run({HEDDLE_PROGRAM, "info", path});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_THAT(o.err, HasSubstr("DXGI_FORMAT 27 is typeless: read as R8G8B8A8_UNORM [dds-format]"));
  EXPECT_EQ(run({HEDDLE_PROGRAM, "info", "--quiet", path}).err, "");
}

}  // namespace
}  // namespace heddle::test
