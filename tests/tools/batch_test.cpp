// SPDX-License-Identifier: MIT
// heddle batch as others use it: as a service behind pipes, with named resources, with any number of lanes; and its
// page.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/process.hpp"
#include "support/processor_time.hpp"
#include "texture/operations.hpp"

namespace heddle::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

struct Answers {
  int exit_code;
  std::vector<json> lines;
};
Answers batch(const std::string& requests) {
  const Outcome o = run({HEDDLE_PROGRAM, "batch"}, requests);
  Answers answers{o.exit_code, {}};
  for (const std::string& line : lines_of(o.out)) answers.lines.push_back(json::parse(line));
  return answers;
}

const std::string kBrick =
    R"({"define": {"surface": "brick", "type": "2d", "format": "r8", "width": 4, "height": 4, "data": [["00102030405060708090a0b0c0d0e0f0"]]}})"
    "\n";

/// A client that holds both ends: what it writes is answered before it closes anything.
class Client {
 public:
  Client() {
    std::array<int, 2> in{}, out{};
    if (::pipe(in.data()) != 0 || ::pipe(out.data()) != 0) return;
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(in[0], 0);
      ::dup2(out[1], 1);
      for (const int fd : {in[0], in[1], out[0], out[1]}) ::close(fd);
      ::execl(HEDDLE_PROGRAM, HEDDLE_PROGRAM, "batch", static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }
  ~Client() {
    close_input();
    ::close(from_);
    if (!ended_) ::waitpid(child_, nullptr, 0);
  }
  Client(const Client&) = delete;
  void write(const std::string& text) {
    ASSERT_EQ(::write(to_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  /// The next line, or what came before ten seconds of silence, an emulator's ten minutes.
  static constexpr unsigned kPatience = 10 * static_cast<unsigned>(test::kSlowness);
  std::string line() {
    std::string text;
    for (char c = 0; ::alarm(kPatience), ::read(from_, &c, 1) == 1 && c != '\n';) text += c;
    ::alarm(0);
    return text;
  }
  void close_input() {
    if (to_ >= 0) ::close(to_);
    to_ = -1;
  }
  void close_output() { ::close(from_); }
  int status() {
    int status = 0;
    ::waitpid(child_, &status, 0);
    ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t child_ = -1;
  int to_ = -1, from_ = -1;
  bool ended_ = false;
};

// Before, all of standard input was read before the first answer.
TEST(BatchService, AnswersComeBeforeTheInputEnds) {
  Client client;
  client.write(kBrick);
  EXPECT_EQ(client.line(), R"({"defined":"brick"})");
  client.write(
      "\n  \n{\"id\":1,\"op\":\"ld\",\"lanes\":1,\"surface\":\"brick\",\"channels\":\"R\",\"params\":{\"u\":1}}\n");
  EXPECT_EQ(client.line(), R"({"id":1,"channels":{"R":["3d808081"]}})");
  client.write("{\"id\":2,\"op\":\"decode_te");  // half a line waits for the other half
  client.write("xel\",\"format\":\"r8\",\"bytes\":\"ff\"}\nnonsense\n{\"id\":3,\"op\":\"convert\"");
  EXPECT_EQ(client.line(), R"({"id":2,"rgba":["3f800000","00000000","00000000","3f800000"]})");
  EXPECT_EQ(json::parse(client.line())["error"]["line"], 6);
  client.write("}");  // the last line has no newline
  client.close_input();
  EXPECT_THAT(client.line(), HasSubstr("missing member 'from'"));
  EXPECT_EQ(client.status(), 1);
}

TEST(BatchService, AClosedPipeEndsIt) {
  Client client;
  client.close_output();
  for (int i = 0; i < 3; ++i)
    client.write("{\"op\":\"decode_texel\",\"format\":\"r8\",\"bytes\":\"ff\"}\n"), ::usleep(1000);
  client.close_input();
  EXPECT_EQ(client.status(), 3);
}

// Thousands of lines, several at a time: the answers stand in order, and definitions hold from their line on.
TEST(BatchService, AnswersStandInOrder) {
  std::string requests;
  for (int i = 0; i < 6000; ++i) {
    if (i % 1000 == 0)
      requests += R"({"define":{"surface":"one","type":"2d","format":"r8ui","width":1,"height":1,"fill":")" +
                  std::string(1, "0123456789"[i / 1000]) + "0\"}}\n";
    if (i % 7 == 0) requests += '\n';
    requests += R"({"id":)" + std::to_string(i) +
                R"(,"op":"ld","lanes":1,"channels":"R","results":"numbers","surface":"one"})" +
                (i % 3 == 0 ? "\r\n" : "\n");
  }
  const Answers a = batch(requests);
  EXPECT_EQ(a.exit_code, 0);
  ASSERT_EQ(a.lines.size(), 6006u);
  std::size_t at = 0;
  for (int i = 0; i < 6000; ++i) {
    if (i % 1000 == 0) ASSERT_EQ(a.lines[at++].dump(), R"({"defined":"one"})");
    ASSERT_EQ(a.lines[at]["id"], i);
    ASSERT_EQ(a.lines[at++]["channels"]["R"][0], i / 1000 * 16) << i;
  }
}

TEST(BatchService, LongLinesAndOddBytes) {
  const TemporaryFolder folder;
  const std::string good = "{\"op\":\"decode_texel\",\"format\":\"r8\",\"bytes\":\"ff\"}\n";
  const Outcome o = run({HEDDLE_PROGRAM, "batch", "--max-input", "1MiB"}, good + std::string(3 << 20, ' ') + good);
  EXPECT_EQ(o.exit_code, 4);
  EXPECT_THAT(o.err, HasSubstr("line 2 of '-' is longer than 1048576 bytes"));
  EXPECT_EQ(lines_of(o.out).size(), 1u);  // what came before was answered
  const Outcome kept = run({HEDDLE_PROGRAM, "batch", "--max-input", "1MiB", "-o", folder / "out"},
                           good + std::string(3 << 20, ' ') + good);
  EXPECT_EQ(kept.exit_code, 4);
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  const Answers a = batch(std::string("{\"op\":\"decode_texel\"\0}\n", 23) + "\0\n\n" + good);
  ASSERT_GE(a.lines.size(), 2u);
  EXPECT_EQ(a.lines[0]["error"]["message"], "a NUL byte");
  const Outcome file = run({HEDDLE_PROGRAM, "batch", "-o", folder / "out"}, good + good);
  EXPECT_EQ(file.exit_code, 0);
  EXPECT_EQ(lines_of(read_text(folder / "out")).size(), 2u);
  EXPECT_EQ(run({HEDDLE_PROGRAM, "batch", folder.path()}).exit_code, 3);
  EXPECT_EQ(run({HEDDLE_PROGRAM, "batch", folder / "none"}).exit_code, 3);
  EXPECT_EQ(run({HEDDLE_PROGRAM, "batch", "/dev/zero"}).exit_code, 3);
}

// A name gives what the object gives, whatever the operation; redefinition replaces.
TEST(BatchNames, AnswerAsObjectsDo) {
  const std::string surface =
      R"("type":"2d","format":"R8_UNORM","width":4,"height":4,"levels":1,"data":[["00102030405060708090a0b0c0d0e0f0"]])";
  const std::string sampler = R"("filter":"linear","address":"repeat")";
  std::string named = "{\"define\":{\"surface\":\"s\"," + surface + "}}\n{\"define\":{\"sampler\":\"p\"," + sampler +
                      "}}\n",
              plain;
  std::size_t count = 0;
  for (const texture::Operation& op : texture::all_operations()) {
    if (op.op == texture::Op::Ld2dmsW || op.op == texture::Op::LdMcs) continue;
    for (int repeat = 0; repeat < 2; ++repeat) {  // the second time it is prepared
      const std::string rest = op.family == texture::OperationKind::Info ? "}"
                               : op.family == texture::OperationKind::Load
                                   ? R"(,"params":{"u":[0,1,2,3,4,5,6,7],"v":2}})"
                                   : R"(,"params":{"u":[0,0.1,0.2,0.3,0.4,0.5,0.6,0.7],"v":0.4}})";
      const std::string head = "{\"op\":\"" + std::string(op.name) + "\"";
      named += head + R"(,"surface":"s","sampler":"p")" + rest + "\n";
      plain += head + ",\"surface\":{" + surface + "},\"sampler\":{" + sampler + "}" + rest + "\n";
      ++count;
    }
  }
  const Answers a = batch(named), b = batch(plain);
  ASSERT_EQ(a.lines.size(), count + 2);
  ASSERT_EQ(b.lines.size(), count);
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(a.lines[i + 2].dump(), b.lines[i].dump());
}

TEST(BatchNames, DefinitionsAndTheirErrors) {
  const TemporaryFolder folder;
  write_bytes(folder / "two.bin", {0x11, 0x22});
  const std::string file = (folder / "two.bin").string();
  const Answers a = batch(
      "{\"id\":\"d\",\"define\":{\"surface\":\"r\",\"type\":\"2d\",\"format\":\"r8ui\",\"width\":2,\"height\":1,"
      "\"raw\":\"" +
      file +
      "\"}}\n"
      R"({"op":"ld","lanes":2,"channels":"R","results":"numbers","surface":"r","params":{"u":[0,1]}}
{"define":{"surface":"r","type":"2d","format":"r8ui","width":1,"height":1,"fill":"07"}}
{"op":"ld","lanes":2,"channels":"R","results":"numbers","surface":"r"}
{"op":"ld","lanes":1,"surface":"rr"}
{"define":{"surface":"x","type":"2d","format":"r8ui","width":1,"height":1,"fill":"07","color":1}}
{"op":"ld","lanes":1,"surface":"x"}
{"define":{"surface":"x","sampler":"y"}}
{"define":{"size":1}}
{"define":{"sampler":"y","words":"linier"}}
{"op":"sample","lanes":1,"surface":"r","sampler":"linier"}
{"define":{"surface":"bare","type":"2d","format":"r8","width":2,"height":2}}
{"op":"resinfo","lanes":1,"surface":"bare","channels":"R"}
{"op":"sample","lanes":1,"surface":"bare"}
{"define":{"surface":"f","file":"/nowhere.png"}}
{"\u0064efine":{"surface":"e","type":"2d","format":"r8ui","width":1,"height":1,"fill":"09"}}
{"op":"sample4","lanes":1,"surface":"e"}
)");
  ASSERT_EQ(a.lines.size(), 17u);
  EXPECT_EQ(a.lines[0].dump(), R"({"defined":"r","id":"d"})");
  EXPECT_EQ(a.lines[1]["channels"]["R"].dump(), "[17,34]");
  EXPECT_EQ(a.lines[3]["channels"]["R"].dump(), "[7,7]");
  const auto message = [&](unsigned i) { return a.lines[i]["error"]["message"].get<std::string>(); };
  EXPECT_THAT(message(4), HasSubstr("no surface 'rr' is defined"));
  EXPECT_EQ(a.lines[4]["error"]["id"], "batch-name");
  EXPECT_EQ(a.lines[4]["error"]["line"], 5);
  EXPECT_THAT(message(5), HasSubstr("unknown key 'color'"));
  EXPECT_THAT(message(6), HasSubstr("no surface 'x' is defined"));
  EXPECT_THAT(message(7), HasSubstr("one of them is expected"));
  EXPECT_THAT(message(8), HasSubstr("lacks 'surface', 'target' or 'sampler'"));
  EXPECT_THAT(message(9), HasSubstr("unknown word 'linier'"));
  EXPECT_THAT(message(10), HasSubstr("no sampler 'linier' is defined"));
  EXPECT_EQ(a.lines[12]["channels"]["R"][0], "00000002");
  EXPECT_THAT(message(13), HasSubstr("defined without texels"));
  EXPECT_THAT(message(14), HasSubstr("/nowhere.png"));
  EXPECT_EQ(a.lines[15].dump(), R"({"defined":"e"})");
  EXPECT_EQ(a.lines[16]["channels"]["A"][0], "00000009");
}

TEST(BatchNames, FilesThatDoNotFit) {
  const TemporaryFolder folder;
  write_bytes(folder / "two.bin", {0x11, 0x22});
  const Answers a =
      batch("{\"define\":{\"surface\":\"r\",\"type\":\"2d\",\"format\":\"r8ui\",\"width\":3,\"height\":1,\"raw\":\"" +
            (folder / "two.bin").string() + "\"}}\n");
  ASSERT_EQ(a.lines.size(), 1u);
  EXPECT_EQ(a.lines[0]["error"]["id"], "batch-value");
  EXPECT_THAT(a.lines[0]["error"]["message"].get<std::string>(), HasSubstr("has 2 bytes"));
}

// What is defined counts together; what is replaced no longer.
TEST(BatchNames, MemoryIsLimited) {
  const std::string one = R"(,"type":"2d","format":"r8","width":600,"height":600,"fill":"01"}})"
                          "\n";
  const Outcome o = run(
      {HEDDLE_PROGRAM, "batch", "--max-memory", "500000"},
      R"({"define":{"surface":"a")" + one + R"({"define":{"surface":"a")" + one + R"({"define":{"surface":"b")" + one);
  const std::vector<std::string> lines = lines_of(o.out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1], R"({"defined":"a"})");
  EXPECT_EQ(json::parse(lines[2])["error"]["id"], "limit-memory");
}

// A request leaves a defined target as it was.
TEST(BatchNames, TargetsAreCopied) {
  const std::string write =
      R"({"op":"rt_write","targets":["t"],"messages":[{"r":1,"a":1,"header":{"x":[0],"y":[0]},"active":1,"last":true}]})"
      "\n";
  const Answers a =
      batch(R"({"define":{"target":"t","type":"2d","format":"rgba8","width":2,"height":2,"fill":"00000000"}})"
            "\n" +
            write + R"({"op":"ld","surface":"t","lanes":1,"channels":"R","results":"numbers"})" + "\n" + write);
  ASSERT_EQ(a.lines.size(), 4u);
  EXPECT_EQ(a.lines[1]["targets"][0][0][0].get<std::string>().substr(0, 8), "ff0000ff") << a.lines[1].dump();
  EXPECT_EQ(a.lines[2]["channels"]["R"][0], 0.0);
  EXPECT_EQ(a.lines[1].dump(), a.lines[3].dump());
}

std::string base64(const std::vector<float>& values) {
  static const char* kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (i + k < bytes.size() ? bytes[i + k] : 0);
    for (std::size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : kAlphabet[group >> (18 - 6 * k) & 63];
  }
  return text;
}

// Any number of lanes gives what messages of eight give, however the points are written.
TEST(BatchLanes, AnyNumber) {
  constexpr std::size_t kLanes = 1000;
  std::vector<float> flat;
  json points = json::array(), us = json::array(), vs = json::array();
  std::string pieces;
  for (std::size_t i = 0; i < kLanes; ++i) {
    const float u = static_cast<float>(i * 37 % 101) / 64, v = static_cast<float>(i * 53 % 89) / 32;
    flat.insert(flat.end(), {u, v});
    points.push_back({u, v});
    us.push_back(u);
    vs.push_back(v);
    if (i % 8 != 7) continue;
    json request = {{"op", "sample"}, {"surface", "brick"}, {"sampler", "linear,repeat"}};
    request["params"] = {{"u", json(us.end() - 8, us.end())}, {"v", json(vs.end() - 8, vs.end())}};
    pieces += request.dump() + "\n";
  }
  json request = {{"op", "sample"}, {"surface", "brick"}, {"sampler", "linear,repeat"}};
  std::string whole;
  const auto ask = [&](const json& more) {
    json one = request;
    one.update(more);
    whole += one.dump() + "\n";
  };
  ask({{"params", {{"u", us}, {"v", vs}}}});
  ask({{"uv", points}});
  ask({{"uv", {{"base64", base64(flat)}}}});
  ask({{"uv", points}, {"results", "base64"}});
  ask({{"uv", points}, {"results", "numbers"}});
  const Answers a = batch(kBrick + pieces), b = batch(kBrick + whole);
  ASSERT_EQ(b.lines.size(), 6u);
  EXPECT_EQ(b.exit_code, 0);
  EXPECT_FALSE(b.lines[1].contains("dst"));
  EXPECT_EQ(b.lines[1].dump(), b.lines[2].dump());
  EXPECT_EQ(b.lines[1].dump(), b.lines[3].dump());
  std::vector<float> numbers;
  for (std::size_t i = 0; i < kLanes; ++i) {
    const std::string hex = a.lines[1 + i / 8]["channels"]["R"][i % 8];
    ASSERT_EQ(b.lines[1]["channels"]["R"][i], hex) << i;
    numbers.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(std::stoul(hex, nullptr, 16))));
    ASSERT_EQ(b.lines[5]["channels"]["R"][i].get<float>(), numbers.back());
  }
  EXPECT_EQ(b.lines[4]["channels"]["R"], base64(numbers));
}

// One to a few hundred lanes, with lanes switched off: each lane as in a longer request.
TEST(BatchLanes, OddNumbers) {
  std::string requests = kBrick;
  json values = json::array();
  for (int i = 0; i < 300; ++i) values.push_back(i % 4);
  const auto load = [&](std::size_t lanes, const json& more) {
    json one = {
        {"op", "ld"},
        {"surface", "brick"},
        {"channels", "R"},
        {"params", {{"u", json(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(lanes))}, {"v", 1}}}};
    one.update(more);
    requests += one.dump() + "\n";
  };
  const std::vector<std::size_t> counts{1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 300};
  for (const std::size_t lanes : counts) load(lanes, {{"null_mask", true}});
  load(3, {{"active", "0x5"}});
  json active = json::array();
  for (int i = 0; i < 40; ++i) active.push_back(i % 3 == 0 ? 1 : 0);
  load(40, {{"active", active}, {"results", "numbers"}});
  load(40, {{"active", 5}});
  load(3, {{"simd", 8}});
  load(3, {{"lanes", 4}});
  load(3, {{"lanes", 0}});
  load(1, {{"params", {{"u", {{"base64", "AAAA"}}}}}});
  load(1, {{"params", {{"u", {{"base64", "AAA"}}}}}});
  load(1, {{"params", {{"u", json::array()}}}});
  load(1, {{"results", "words"}});
  load(
      1,
      {{"dst_type", "HF"}, {"param_type", "UW"}, {"params", {{"u", {{"base64", "AQACAA=="}}}}}, {"results", "base64"}});
  const Answers a = batch(requests);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const json& line = a.lines[k + 1];
    ASSERT_EQ(line["channels"]["R"].size(), counts[k]) << line.dump();
    for (std::size_t i = 0; i < counts[k]; ++i)
      EXPECT_EQ(line["channels"]["R"][i], a.lines[1 + 11]["channels"]["R"][i]);
    EXPECT_EQ(line.contains("dst"), counts[k] == 8 || counts[k] == 16 || counts[k] == 32) << counts[k];
    EXPECT_EQ(line["null_mask"].is_array(), counts[k] > 32);
  }
  const std::size_t at = counts.size() + 1;
  EXPECT_TRUE(a.lines[at]["channels"]["R"][1].is_null());
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(a.lines[at + 1]["channels"]["R"][i].is_null(), i % 3 != 0);
  const auto message = [&](std::size_t i) { return a.lines[at + i]["error"]["message"].get<std::string>(); };
  EXPECT_THAT(message(2), HasSubstr("a mask holds 32 lanes"));
  EXPECT_THAT(message(3), HasSubstr("3 values for 8 lanes"));
  EXPECT_THAT(message(4), HasSubstr("3 values for 4 lanes"));
  EXPECT_THAT(message(5), HasSubstr("between 1 and"));
  EXPECT_THAT(message(6), HasSubstr("no whole number of 4-byte words"));
  EXPECT_THAT(message(7), HasSubstr("not base64"));
  EXPECT_THAT(message(8), HasSubstr("no lanes"));
  EXPECT_THAT(message(9), HasSubstr("hex, numbers or base64"));
  EXPECT_EQ(a.lines[at + 10]["channels"]["R"], "BCwEMA==") << a.lines[at + 10].dump();
}

// Long arrays are read in one piece: what they give, and what is said about them, is that of short ones.
TEST(BatchLanes, LongAndShortArraysMeanTheSame) {
  const auto request = [](std::size_t lanes, const std::string& op, const json& first, const std::string& name) {
    json values = json::array();
    for (std::size_t i = 0; i < lanes; ++i)
      values.push_back(i == 3 ? first : json(name == "uv" ? json({0.5, 1}) : json(1)));
    json one = {{"op", op}, {"surface", "brick"}, {"lanes", lanes}, {"channels", "R"}};
    if (name == "uv" || name == "active")
      one[name] = values, one["params"] = name == "uv" ? json::object() : json{{"u", 1}};
    else
      one["params"] = {{name, values}};
    return one.dump() + "\n";
  };
  const std::vector<std::tuple<std::string, json, std::string>> cases{{"ld", 3, "u"},
                                                                      {"ld", -1, "u"},
                                                                      {"ld", 4294967295u, "u"},
                                                                      {"ld", 2.0, "u"},
                                                                      {"ld", 1.5, "u"},
                                                                      {"ld", 1e10, "u"},
                                                                      {"ld", json({1}), "u"},
                                                                      {"ld", "0x2", "u"},
                                                                      {"ld", nullptr, "u"},
                                                                      {"sample_lz", 0.25, "u"},
                                                                      {"sample_lz", 1e300, "u"},
                                                                      {"sample_lz", -0.0, "u"},
                                                                      {"sample_lz", json({1, 2}), "u"},
                                                                      {"sample_lz", json({0.25, 0.75}), "uv"},
                                                                      {"sample_lz", json({1, 2, 3}), "uv"},
                                                                      {"sample_lz", 1, "uv"},
                                                                      {"sample_lz", json({1, "x"}), "uv"},
                                                                      {"ld", 0, "active"},
                                                                      {"ld", 2, "active"},
                                                                      {"ld", 1.0, "active"},
                                                                      {"ld", true, "active"}};
  std::string requests = kBrick;
  for (const auto& [op, value, name] : cases)
    for (const std::size_t lanes : {20u, 100u}) requests += request(lanes, op, value, name);
  const Answers a = batch(requests);
  ASSERT_EQ(a.lines.size(), 1 + 2 * cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const json &few = a.lines[1 + 2 * i], &many = a.lines[2 + 2 * i];
    if (few.contains("error")) {
      EXPECT_EQ(few["error"]["message"], many["error"]["message"]) << i;
      continue;
    }
    ASSERT_TRUE(many.contains("channels")) << i << many.dump();
    for (std::size_t lane = 0; lane < 20; ++lane)
      EXPECT_EQ(few["channels"]["R"][lane], many["channels"]["R"][lane]) << i << " lane " << lane;
  }
}

// Long texts in base64 are read in one piece: 16 and 32 bits, points of two and three, and what is wrong with them.
TEST(BatchLanes, LongBase64) {
  const std::string zeros(4000, 'A');
  std::vector<float> uv(2000), uvr(3000), u(1000), v(1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    uv[2 * i] = uvr[3 * i] = u[i] = static_cast<float>(i) / 999;
    uv[2 * i + 1] = uvr[3 * i + 1] = v[i] = static_cast<float>(i % 7) / 7;
  }
  const auto text = [](const std::vector<float>& values) { return "{\"base64\":\"" + base64(values) + "\"}"; };
  const std::string head = R"({"op":"sample_lz","surface":"brick","sampler":"linear","channels":"R",)";
  const Answers a = batch(kBrick + head + "\"uv\":" + text(uv) + "}\n" + head + "\"uvr\":" + text(uvr) + "}\n" + head +
                          "\"params\":{\"u\":" + text(u) + ",\"v\":" + text(v) + "}}\n" + head +
                          "\"param_type\":\"HF\",\"params\":{\"u\":{\"base64\":\"" + zeros + "\"}}}\n" + head +
                          "\"uv\":{\"base64\":\"" + zeros + "AAAA\"}}\n" + head + "\"uv\":{\"base64\":\"" + zeros +
                          "A!AA\"}}\n" + head + "\"uv\":{\"base64\":\"" + zeros + "\",\"base\":1}}\n" +
                          R"({"op":"ld","surface":{"base64":")" + zeros + "\"}}\n");
  ASSERT_EQ(a.lines.size(), 9u);
  EXPECT_EQ(a.lines[1]["channels"]["R"].size(), 1000u) << a.lines[1].dump().substr(0, 300);
  EXPECT_EQ(a.lines[1]["channels"], a.lines[2]["channels"]);  // whose third coordinate is told (batch-operand)
  EXPECT_EQ(a.lines[1].dump(), a.lines[3].dump());
  EXPECT_EQ(a.lines[4]["channels"]["R"].size(), 1500u);
  const auto message = [&](std::size_t i) { return a.lines[i]["error"]["message"].get<std::string>(); };
  EXPECT_THAT(message(5), HasSubstr("no whole number of 4-byte words"));
  EXPECT_THAT(message(6), HasSubstr("not base64"));
  EXPECT_THAT(message(7), HasSubstr("unknown key 'base'"));
  EXPECT_THAT(message(8), HasSubstr("surface lacks 'type'"));
}

// Dwords of the hardware's structures as surfaces and samplers, in requests and in jobs.
TEST(BatchState, DwordsAreBound) {
  const Answers state = batch(
      R"({"op":"encode_state","struct":"RENDER_SURFACE_STATE","gen":"9","fields":{"surface_type":1,"surface_format":320,"width":3,"height":3,"pitch":63,"mip_count":0,"scs_r":4,"scs_g":5,"scs_b":6,"scs_a":7}}
{"op":"encode_state","struct":"SAMPLER_STATE","gen":"9","fields":{"min_filter":1,"mag_filter":1,"max_lod":3584,"tcx":2,"tcy":2,"tcz":2,"round_u_min":1,"round_v_min":1,"round_r_min":1,"round_u_mag":1,"round_v_mag":1,"round_r_mag":1}}
)");
  ASSERT_EQ(state.lines.size(), 2u);
  ASSERT_TRUE(state.lines[0].contains("dwords")) << state.lines[0].dump();
  ASSERT_TRUE(state.lines[1].contains("dwords")) << state.lines[1].dump();
  const std::string fields = R"({"op":"decode_state","struct":"RENDER_SURFACE_STATE","gen":"9","dwords":)" +
                             state.lines[0]["dwords"].dump() + "}\n";
  const std::string data = R"("data":[["00102030405060708090a0b0c0d0e0f0"]])";
  const std::string rest = R"(,"op":"sample","uv":[[0.3,0.6],[0.4,0.6],[0.3,0.7],[0.4,0.7]],"channels":"R"})"
                           "\n";
  const std::string dwords = R"({"state":)" + state.lines[0]["dwords"].dump() + R"(,"gen":"9",)" + data + "}";
  const std::string plain = R"({"type":"2d","format":"R8_UNORM","width":4,"height":4,)" + data + "}";
  const std::string sampler = R"({"state":)" + state.lines[1]["dwords"].dump() + R"(,"gen":"9"})";
  const Answers a =
      batch("{\"surface\":" + dwords + ",\"sampler\":" + sampler + rest + "{\"surface\":" + plain +
            R"(,"sampler":{"filter":"linear","address":"clamp"})" + rest + "{\"surface\":" + plain +
            R"(,"sampler":{"state":["0x0"],"gen":"9"})" + rest + "{\"surface\":{\"state\":[1]}" + rest + fields);
  ASSERT_EQ(a.lines.size(), 5u);
  EXPECT_TRUE(a.lines[0].contains("channels")) << a.lines[0].dump() << a.lines[4].dump();
  EXPECT_EQ(a.lines[0].dump(), a.lines[1].dump());
  EXPECT_THAT(a.lines[2]["error"]["message"].get<std::string>(), HasSubstr("4 dwords, not 1"));
  EXPECT_THAT(a.lines[3]["error"]["message"].get<std::string>(), HasSubstr("'gen' must say the generation"));
}

TEST(State, DecodesAndEncodes) {
  const Outcome encoded =
      run({HEDDLE_PROGRAM, "state", "encode", "sampler_state", "tcx=2", "min_filter=1", "max_lod=0xe00"});
  EXPECT_EQ(encoded.out, "0x00004000 0x000e0000 0x00000000 0x00000080\n") << encoded.err;
  const Outcome decoded = run({HEDDLE_PROGRAM, "state", "decode", "SAMPLER_STATE", "-"}, encoded.out);
  EXPECT_THAT(decoded.out, HasSubstr("tcx = 2\n"));
  EXPECT_EQ(run({HEDDLE_PROGRAM, "state", "encode", "SAMPLER_STATE", "-"}, decoded.out).out, encoded.out);
  EXPECT_EQ(
      json::parse(run({HEDDLE_PROGRAM, "state", "decode", "CC_VIEWPORT", "0", "0x3f800000", "--json"}).out).size(), 2u);
  EXPECT_THAT(run({HEDDLE_PROGRAM, "state", "encode", "SAMPLER_STATE", "tcxx=2"}).err, HasSubstr("did you mean 'tcx'"));
  EXPECT_EQ(run({HEDDLE_PROGRAM, "state", "encode", "SAMPLER_STATE", "tcx=8"}).exit_code, 1);
  EXPECT_EQ(run({HEDDLE_PROGRAM, "state", "decode", "SAMPLER_STATE", "1", "2"}).exit_code, 1);
  EXPECT_EQ(run({HEDDLE_PROGRAM, "state", "decode", "SAMPLER_STAT", "1", "2"}).exit_code, 2);
  EXPECT_EQ(run({HEDDLE_PROGRAM, "state", "decode", "SAMPLER_STATE", "x"}).exit_code, 2);
}

/// The lines of all blocks ```json WORD of docs/batch.md.
std::string blocks(const std::string& word) {
  std::string text;
  bool inside = false;
  for (const std::string& line : lines_of(read_text("docs/batch.md"))) {
    if (line.starts_with("```"))
      inside = line == "```json " + word;
    else if (inside)
      text += line + "\n";
  }
  return text;
}

// docs/batch.md: every request gives the answer that stands behind it.
TEST(BatchPage, AnswersAreWhatTheProgramSays) {
  const Outcome o = run({HEDDLE_PROGRAM, "batch"}, blocks("request"));
  const std::vector<std::string> mine = lines_of(o.out), theirs = lines_of(blocks("answer"));
  ASSERT_GT(mine.size(), 60u);
  ASSERT_EQ(mine.size(), theirs.size());
  for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_EQ(mine[i], theirs[i]) << "answer " << i + 1;
}

// Every operation has its part, with a request; explain shows it, --help names it.
TEST(BatchPage, HasEveryOperation) {
  std::vector<std::string> names{"sample_unorm", "decode_texel", "encode_texel", "convert",  "rt_write",
                                 "tile_offset",  "decode_state", "encode_state", "footprint"};
  for (const texture::Operation& op : texture::all_operations()) names.emplace_back(op.name);
  const std::string help = run({HEDDLE_PROGRAM, "batch", "--help"}).out;
  std::vector<std::string> words{HEDDLE_PROGRAM, "explain"};
  words.insert(words.end(), names.begin(), names.end());
  const Outcome all = run(words);
  EXPECT_EQ(all.exit_code, 0) << all.err;
  for (const std::string& name : names) {
    EXPECT_THAT(help, HasSubstr(" " + name));
    EXPECT_THAT(all.out, HasSubstr(name + " (an operation of heddle batch; docs/batch.md)\n  "));
    EXPECT_THAT(all.out, HasSubstr("    {\"op\": \"" + name + "\"")) << name;
  }
  EXPECT_THAT(run({HEDDLE_PROGRAM, "explain", "sample4_c"}).out, HasSubstr("gather4_c (an operation"));
  EXPECT_EQ(json::parse(run({HEDDLE_PROGRAM, "explain", "--format", "json", "tile_offset"}).out)["kind"], "operation");
  const std::string define = run({HEDDLE_PROGRAM, "explain", "define"}).out;
  EXPECT_THAT(define, HasSubstr("define (names of heddle batch; docs/batch.md)"));
  EXPECT_THAT(define, HasSubstr("\n    {\"define\": {\"surface\": "));
}

}  // namespace
}  // namespace heddle::test
