// SPDX-License-Identifier: MIT
// The vertex stage: which vertices a draw names, how their inputs are fetched from bytes, and that both engines make
// the same mesh of them. Rule: PIX-3.
#include "pipeline/vertices/vertices.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "base/half.hpp"
#include "pipeline/pixels/pixels.hpp"
#include "pipeline/primitives/stream_mesh.hpp"
#include "pipeline/raster/names.hpp"
#include "pipeline/vertices/vertex_fetch.hpp"
#include "pipeline/vertices/vertex_list.hpp"
#include "support/programs.hpp"

namespace heddle::pipeline {
namespace {

using Triangles = std::vector<std::array<std::uint32_t, 3>>;

template <typename T>
std::vector<std::uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::vector<std::uint32_t> vertices_of(const VertexList& list) {
  std::vector<std::uint32_t> vertices;
  for (const ShadedVertex& v : list.vertices()) vertices.push_back(v.vertex);
  return vertices;
}

Triangles triangles_of(const VertexList& list) {
  Triangles triangles;
  for (const VertexList::Entry& p : list.primitives()) triangles.push_back(p.at);
  return triangles;
}

/// The whole draw as one piece.
void make(VertexList& list, const VertexDraw& draw) {
  list.begin(draw);
  ASSERT_TRUE(list.next(draw, 1000, 1000));
}

TEST(VertexList, VerticesInARow) {
  VertexList list;
  make(list, {.vertices = 7, .first_vertex = 10});
  EXPECT_EQ(vertices_of(list), (std::vector<std::uint32_t>{10, 11, 12, 13, 14, 15, 16}));
  EXPECT_EQ(triangles_of(list), (Triangles{{0, 1, 2}, {3, 4, 5}}));
  make(list, {.vertices = 4, .topology = Topology::TriangleStrip});
  EXPECT_EQ(triangles_of(list), (Triangles{{0, 1, 2}, {1, 3, 2}}));
  make(list, {.vertices = 4, .topology = Topology::TriangleFan});
  EXPECT_EQ(triangles_of(list), (Triangles{{1, 2, 0}, {2, 3, 0}}));
}

// FBO-9: draws that follow each other are one piece; strips do not go from one to the next.
TEST(VertexList, DrawsThatFollowEachOther_FBO9) {
  const std::vector<VertexRange> others{{.first_vertex = 20, .vertices = 3, .vertex_offset = 0},
                                        {.first_vertex = 30, .vertices = 4, .vertex_offset = 0}};
  VertexList list;
  VertexDraw draw{.vertices = 4, .first_vertex = 10, .topology = Topology::TriangleStrip};
  draw.others = others;
  make(list, draw);
  EXPECT_EQ(vertices_of(list), (std::vector<std::uint32_t>{10, 11, 12, 13, 20, 21, 22, 30, 31, 32, 33}));
  EXPECT_EQ(triangles_of(list), (Triangles{{0, 1, 2}, {1, 3, 2}, {4, 5, 6}, {7, 8, 9}, {8, 10, 9}}));
  std::vector<std::uint32_t> numbers;  // PrimitiveId begins with 0 in each draw
  for (const VertexList::Entry& p : list.primitives()) numbers.push_back(p.number);
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{0, 1, 0, 0, 1}));
  EXPECT_FALSE(list.next(draw, 1000, 1000));
}

TEST(VertexList, IndexedVerticesRunOnce) {
  const auto indices = bytes_of<std::uint16_t>({99, 5, 6, 7, 7, 6, 8, 1000});
  VertexList list;
  VertexDraw draw{.vertices = 6, .first_vertex = 1, .vertex_offset = -4};
  draw.indices = {.bytes = indices, .index_bytes = 2};
  make(list, draw);
  EXPECT_EQ(vertices_of(list), (std::vector<std::uint32_t>{1, 2, 3, 4}));
  EXPECT_EQ(triangles_of(list), (Triangles{{0, 1, 2}, {2, 1, 3}}));
  draw.first_vertex = 7;  // beyond the buffer indices are 0
  draw.vertices = 3;
  draw.vertex_offset = 0;
  make(list, draw);
  EXPECT_EQ(vertices_of(list), (std::vector<std::uint32_t>{1000, 0}));
}

TEST(VertexList, RestartBeginsANewStrip) {
  const auto indices = bytes_of<std::uint8_t>({0, 1, 2, 3, 255, 4, 5, 6});
  VertexDraw draw{.vertices = 8, .topology = Topology::TriangleStrip};
  draw.indices = {.bytes = indices, .index_bytes = 1, .restart = true};
  VertexList list;
  make(list, draw);
  EXPECT_EQ(triangles_of(list), (Triangles{{0, 1, 2}, {1, 3, 2}, {4, 5, 6}}));
  draw.indices->restart = false;
  make(list, draw);
  EXPECT_EQ(triangles_of(list).size(), 6u);
  EXPECT_EQ(list.vertices()[4].vertex, 255u);
}

// However a draw is cut into pieces, its primitives are the same, of the same vertices. Rules: PIX-3, PRM-1 to PRM-3.
TEST(VertexList, PiecesMakeTheSamePrimitives) {
  std::uint32_t random = 7;
  const auto below = [&](std::uint32_t n) { return (random = random * 1664525 + 1013904223) / 65536 % n; };
  using Made = std::vector<std::array<std::uint32_t, 6>>;
  const auto take = [](const VertexList& list, Topology topology, Made& made) {
    for (const VertexList::Entry& p : list.primitives()) {
      std::array<std::uint32_t, 6>& to = made.emplace_back();
      to[3] = list.vertices()[p.at[0]].instance;
      to[4] = p.number;
      to[5] = p.continues;
      for (std::size_t k = 0; k < corners_of(topology); ++k) {
        to[k] = list.vertices()[p.at[k]].vertex;
        EXPECT_EQ(list.vertices()[p.at[k]].instance, to[3]);
      }
    }
  };
  for (unsigned round = 0; round < 200; ++round) {
    std::vector<std::uint8_t> indices(80);
    for (std::uint8_t& index : indices) index = static_cast<std::uint8_t>(below(10) == 0 ? 255 : below(20));
    VertexDraw draw{.vertices = below(70), .instances = 1 + below(3), .first_vertex = below(9)};
    draw.topology = static_cast<Topology>(round % 10);
    draw.provoking_last = below(2) == 0;
    if (below(3) != 0) draw.indices = {.bytes = indices, .index_bytes = 1, .restart = below(2) == 0};
    Made whole, pieces;
    VertexList list;
    list.begin(draw);
    if (list.next(draw, 10000, 10000)) take(list, draw.topology, whole);
    EXPECT_FALSE(list.next(draw, 10000, 10000));
    const std::uint32_t primitives = 1 + below(9), vertices = 7 + below(20);
    std::uint64_t read = 0;
    for (list.begin(draw); list.next(draw, primitives, vertices);) {
      EXPECT_LE(list.primitives().size(), primitives);
      EXPECT_LE(list.count(), vertices);
      read += list.read();
      take(list, draw.topology, pieces);
    }
    EXPECT_EQ(pieces, whole) << round;
    if (!draw.indices) {
      EXPECT_EQ(read, std::uint64_t{draw.vertices} * draw.instances);
    }
  }
}

class Fetch : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kPlace = 64;
  /// The component of `format` for one lane.
  std::uint64_t get(std::string_view format, std::uint32_t component, ComponentType type = ComponentType::F32,
                    ShadedVertex lane = {}) {
    VertexPlan plan;
    plan.fetches = {{.register_offset = kPlace,
                     .type = type,
                     .offset = offset,
                     .format = image::find_format(format)->format,
                     .component = component}};
    VertexDraw draw{.first_instance = first_instance};
    const VertexBuffer buffer{bytes, stride, divisor};
    draw.buffers = {&buffer, 1};
    std::vector<std::uint8_t> payload(128, 0xee);
    VertexFetcher(plan).fill(draw, {&lane, 1}, payload);
    std::uint64_t value = 0;
    std::memcpy(&value, payload.data() + kPlace, is_wide(type) ? 8 : 4);
    EXPECT_EQ(payload[kPlace + (is_wide(type) ? 8 : 4)], 0xee);
    return value;
  }
  std::vector<std::uint8_t> bytes;
  std::uint32_t stride = 0, offset = 0, first_instance = 0;
  std::optional<std::uint32_t> divisor;
};

TEST_F(Fetch, FormatsAreDecoded) {
  bytes = {255, 0, 51, 128, 0, 0x3c, 0xff, 0xff};
  EXPECT_EQ(get("R8G8B8A8_UNORM", 0), base::bits_of(1.0f));
  EXPECT_EQ(get("R8G8B8A8_UNORM", 2), base::bits_of(0.2f));
  EXPECT_EQ(get("R8G8B8A8_UINT", 3, ComponentType::U32), 128u);
  EXPECT_EQ(get("R8G8B8A8_SINT", 0, ComponentType::I32), 0xffffffffu);
  offset = 4;
  EXPECT_EQ(get("R16G16_FLOAT", 0), base::bits_of(1.0f));
  EXPECT_EQ(get("R16G16_SINT", 1, ComponentType::I32), 0xffffffffu);
}

TEST_F(Fetch, WhatAFormatLacksIs0001) {
  bytes = bytes_of<float>({3, 4});
  EXPECT_EQ(get("R32G32_FLOAT", 1), base::bits_of(4.0f));
  EXPECT_EQ(get("R32G32_FLOAT", 2), 0u);
  EXPECT_EQ(get("R32G32_FLOAT", 3), base::bits_of(1.0f));
  EXPECT_EQ(get("R32G32_UINT", 3, ComponentType::U32), 1u);
  EXPECT_EQ(get("R16G16_FLOAT", 3), base::bits_of(1.0f));
}

// VKF-9: bytes beyond the buffer are zero; channels that the format lacks are those of (0, 0, 0, 1) there, too.
TEST_F(Fetch, WhatLiesBeyondTheBufferIs0) {
  bytes = bytes_of<float>({3, 4, 5});
  stride = 4;
  EXPECT_EQ(get("R32G32_FLOAT", 1, ComponentType::F32, {.vertex = 1}), base::bits_of(5.0f));
  EXPECT_EQ(get("R32G32_FLOAT", 0, ComponentType::F32, {.vertex = 2}), 0u);
  EXPECT_EQ(get("R32G32_FLOAT", 1, ComponentType::F32, {.vertex = 0xffffffff}), 0u);
  EXPECT_EQ(get("R32G32_FLOAT", 2, ComponentType::F32, {.vertex = 0xffffffff}), 0u);
  EXPECT_EQ(get("R32G32_FLOAT", 3, ComponentType::F32, {.vertex = 0xffffffff}), base::bits_of(1.0f));
  EXPECT_EQ(get("R32G32B32A32_FLOAT", 3, ComponentType::F32, {.vertex = 0xffffffff}), 0u);
}

// Lanes are fetched together where they can be: each is what it is alone, up to the buffer's last byte.
TEST_F(Fetch, ManyLanesAreWhatEachIsAlone) {
  constexpr std::uint32_t kLanes = 19, kRow = 4 * kLanes;
  constexpr std::array kTypes{ComponentType::F32, ComponentType::U32};
  for (std::size_t i = 0; i < 700; ++i) bytes.push_back(static_cast<std::uint8_t>(i * 151 + i / 7));
  for (const std::string_view format :
       {"R32_FLOAT", "R32G32_UINT", "R32G32B32_FLOAT", "R32G32B32A32_SINT", "R8G8B8A8_UNORM", "B8G8R8A8_UNORM",
        "R8G8_SNORM", "R8_UINT", "R16G16B16A16_FLOAT", "R10G10B10A2_UNORM"})
    for (const std::uint32_t step : {0u, 16u, 20u, 36u}) {
      stride = step;
      const image::FormatInfo& info = *image::find_format(format);
      VertexPlan plan;
      for (std::uint32_t c = 0; c < 4; ++c)
        plan.fetches.push_back(
            {.register_offset = kPlace + kRow * c, .type = kTypes[c % 2], .format = info.format, .component = c});
      std::vector<ShadedVertex> lanes;
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) lanes.push_back({.vertex = (lane * 5) % kLanes});
      const std::vector<std::uint8_t> all = bytes;
      bytes.resize(std::size_t{step} * (kLanes - 1) + info.bytes_per_element());  // the last vertex ends with it
      const VertexBuffer buffer{bytes, stride, divisor};
      const VertexDraw draw{.buffers = {&buffer, 1}};
      std::vector<std::uint8_t> payload(kPlace + 4 * kRow + 4, 0xee);
      VertexFetcher(plan).fill(draw, lanes, payload);
      for (std::uint32_t c = 0; c < 4; ++c)
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
          std::uint32_t word = 0;
          std::memcpy(&word, payload.data() + kPlace + std::size_t{kRow} * c + std::size_t{4} * lane, 4);
          EXPECT_EQ(word, get(format, c, kTypes[c % 2], lanes[lane]))
              << format << ' ' << step << ' ' << c << ' ' << lane;
          const image::Texel texel = image::decode_texel(info, bytes.data() + std::size_t{step} * lanes[lane].vertex);
          const std::uint32_t missing = c < 3 ? 0 : 1;  // the fourth is read as an integer here
          EXPECT_EQ(word, info.has_channel("RGBA"[c]) ? texel.bits[c] : missing) << format << ' ' << c << ' ' << lane;
        }
      EXPECT_EQ(payload[kPlace + 4 * kRow], 0xee);
      bytes = all;
    }
}

TEST_F(Fetch, InstancesShareElements) {
  bytes = bytes_of<std::uint32_t>({10, 11, 12, 13, 14});
  stride = 4;
  const auto at = [&](std::uint32_t instance) {
    return get("R32_UINT", 0, ComponentType::U32, {.vertex = 4, .instance = instance});
  };
  EXPECT_EQ(at(3), 14u);
  divisor = 2;
  EXPECT_EQ(at(3), 11u);
  first_instance = 2;
  EXPECT_EQ(at(3), 13u);
  divisor = 0;
  EXPECT_EQ(at(3), 12u);
}

TEST_F(Fetch, SixtyFourBits) {
  bytes = bytes_of<double>({1.5, 2.5});
  EXPECT_EQ(get("R64_FLOAT", 0, ComponentType::F64), base::bits_of(1.5));
  EXPECT_EQ(get("R64G64_FLOAT", 1, ComponentType::F64), base::bits_of(2.5));
  EXPECT_EQ(get("R64_FLOAT", 3, ComponentType::F64), base::bits_of(1.0));
}

/// The record of a slot: x, y of the input, z = the instance's number / 16, w = 1, and the vertex's number.
constexpr const char* kVertex = R"(.version 4.1
.kernel "v"
.decl x v_type=G type=f num_elts=16 align=GRF
.decl y v_type=G type=f num_elts=16 align=GRF
.decl vertex v_type=G type=ud num_elts=16 align=GRF
.decl instance v_type=G type=ud num_elts=16 align=GRF
.decl slot v_type=G type=ud num_elts=16 align=GRF
.decl at v_type=G type=ud num_elts=16 align=GRF
.decl record v_type=G type=f num_elts=64 align=GRF
.decl T6 v_type=T num_elts=1
.input x offset=64 size=64
.input y offset=128 size=64
.input vertex offset=192 size=64
.input instance offset=256 size=64
.input slot offset=320 size=64
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "main"
main:
    mul (M1, 16) at(0,0)<1> slot(0,0)<1;1,0> 20:ud
    mov (M1, 16) record(0,0)<1> x(0,0)<1;1,0>
    mov (M1, 16) record(2,0)<1> y(0,0)<1;1,0>
    mov (M1, 16) record(4,0)<1> instance(0,0)<1;1,0>
    mul (M1, 16) record(4,0)<1> record(4,0)<1;1,0> 0.0625:f
    mov (M1, 16) record(6,0)<1> 1.0:f
    scatter4_scaled.RGBA (M1, 16) T6 0x0:ud at.0 record.0
    scatter4_scaled.R (M1, 16) T6 0x10:ud at.0 vertex.0
    ret (M1, 1)
)";

/// Topology, primitives of each kind.
void expect_kind(const Mesh& mesh, std::size_t triangles, std::size_t lines, std::size_t points) {
  EXPECT_EQ(mesh.triangles.size(), triangles);
  EXPECT_EQ(mesh.lines.size(), lines);
  EXPECT_EQ(mesh.points.size(), points);
  EXPECT_EQ(mesh.numbers.size(), triangles + lines + points);
}

TEST(VertexProgram, BothEnginesMakeTheSameMesh) {
  const auto program = test::program_of(kVertex);
  Bound bound;
  bound.bindings.surface_variables = {{6, {0}}};
  bound.payload.resize(384);
  VertexPlan plan;
  plan.stride = 20;
  plan.position = {0, 4, 8, 12};
  plan.point_size = 8;
  plan.layer = plan.viewport = 16;
  plan.fetches = {{.register_offset = 64, .format = image::Format::R32G32_FLOAT},
                  {.register_offset = 128, .format = image::Format::R32G32_FLOAT, .component = 1}};
  plan.values = {{SystemValue::Vertex, 192}, {SystemValue::Instance, 256}, {SystemValue::Slot, 320}};
  engine::jit::MemoryCache codes;
  const auto vertices = VertexProgram::create(program, plan, bound, {.disk_cache = false, .memory = &codes});
  std::vector<float> places;
  for (unsigned k = 0; k < 200; ++k) places.insert(places.end(), {0.01f * static_cast<float>(k), -1.0f});
  const auto bytes = bytes_of(places);
  const VertexBuffer buffer{bytes, 8};
  for (const std::uint32_t count : {3u, 120u, 47u, 300u}) {
    VertexDraw draw{.vertices = count, .instances = 3, .first_vertex = 2, .first_instance = 1};
    draw.buffers = {&buffer, 1};
    Mesh meshes[2];
    for (const bool reference : {false, true}) {
      machine::Reports reports(program->source(), machine::CheckMode::Off);
      engine::reference::Budget budget(base::Limits{});
      RunContext context{.reports = reports, .budget = budget};
      context.reference = reference;
      context.workers = count == 120 ? 2 : 1;
      context.memory_bytes = base::Limits{}.memory_bytes;
      Counters counters;
      Mesh& mesh = meshes[reference];
      mesh.attributes.resize(1);
      const RecordComponent from{16, ComponentType::U32};
      ASSERT_TRUE(vertices->run(draw, bound, {&from, 1}, mesh, context, counters));
      EXPECT_EQ(counters.threads, (3 * count + 15) / 16);
    }
    EXPECT_EQ(meshes[0].positions, meshes[1].positions);
    EXPECT_EQ(meshes[0].triangles, meshes[1].triangles);
    EXPECT_EQ(meshes[0].attributes[0].values, meshes[1].attributes[0].values);
    EXPECT_EQ(meshes[0].numbers, meshes[1].numbers);
    EXPECT_EQ(meshes[0].layers, meshes[1].layers);
    ASSERT_EQ(meshes[0].layers.size(), 3 * count);  // PRM-5
    EXPECT_EQ(meshes[0].layers[count + 1], 3u);
    EXPECT_EQ(meshes[0].viewports, meshes[0].layers);
    EXPECT_TRUE(meshes[0].point_sizes.empty());  // which triangles don't have
    ASSERT_EQ(meshes[0].positions.size(), 3 * count);
    EXPECT_EQ(meshes[0].triangles.size(), 3 * (count / 3));
    EXPECT_EQ(meshes[0].positions[count], (std::array<double, 4>{0.01f * 2, -1, 0.125, 1}));
    EXPECT_EQ(meshes[0].attributes[0].values[count + 1], 3);
    if (count == 300)
      EXPECT_EQ(meshes[0].positions[298], (std::array<double, 4>{0, 0, 0.0625, 1}));  // beyond the buffer
  }
  for (const Topology topology : {Topology::PointList, Topology::LineStrip, Topology::TriangleFan}) {
    VertexDraw draw{.vertices = 20000, .instances = 2, .topology = topology};
    draw.buffers = {&buffer, 1};
    machine::Reports reports(program->source(), machine::CheckMode::Off);
    engine::reference::Budget budget(base::Limits{});
    RunContext context{.reports = reports, .budget = budget};
    context.memory_bytes = base::Limits{}.memory_bytes;
    Counters counters;
    Mesh mesh;
    ASSERT_TRUE(vertices->run(draw, bound, {}, mesh, context, counters));
    expect_kind(mesh, topology == Topology::TriangleFan ? 2 * 19998 : 0,
                topology == Topology::LineStrip ? 2 * 19999 : 0, topology == Topology::PointList ? 40000 : 0);
    EXPECT_EQ(mesh.point_sizes.size(), topology == Topology::TriangleFan ? 0u : 40000u);
    EXPECT_EQ(counters.input_vertices, 40000u);  // FBO-4
    EXPECT_EQ(counters.input_primitives, mesh.numbers.size());
    EXPECT_EQ(counters.vertex_invocations, 40000u);
    std::size_t pieces = 0, primitives = 0;
    ASSERT_TRUE(vertices->run_pieces(draw, bound, {}, mesh, context, counters, [&] {
      ++pieces;
      primitives += mesh.numbers.size();
      return true;
    }));
    EXPECT_EQ(primitives, counters.input_primitives / 2);
    // One worker's pieces are small where they share no vertices.
    EXPECT_EQ(pieces, topology == Topology::PointList ? 14u : topology == Topology::TriangleFan ? 3u : 2u);
    EXPECT_FALSE(vertices->run_pieces(draw, bound, {}, mesh, context, counters, [] { return false; }));
    context.memory_bytes = 1 << 20;
    EXPECT_FALSE(vertices->run(draw, bound, {}, mesh, context, counters));  // 40000 vertices at once
    EXPECT_TRUE(reports.failed());
  }
}

/// What a draw's pieces have in all, in order.
struct Drawn {
  std::vector<std::array<double, 4>> positions;
  std::vector<double> values;
  std::vector<std::uint32_t> numbers, corners;
  void add(const Mesh& mesh) {
    const auto before = static_cast<std::uint32_t>(positions.size());
    positions.insert(positions.end(), mesh.positions.begin(), mesh.positions.end());
    numbers.insert(numbers.end(), mesh.numbers.begin(), mesh.numbers.end());
    const std::vector<double>& of = mesh.attributes[0].values;
    values.insert(values.end(), of.begin(), of.end());
    for (const auto& t : mesh.triangles) corners.insert(corners.end(), {before + t[0], before + t[1], before + t[2]});
    for (const MeshLine& line : mesh.lines) corners.insert(corners.end(), {before + line.from, before + line.to});
    for (const std::uint32_t point : mesh.points) corners.push_back(before + point);
  }
  bool operator==(const Drawn&) const = default;
};

// Several workers make pieces of plain lists; in order they are what one worker makes, and so is what is counted.
TEST(VertexProgram, PiecesOfSeveralWorkersAreThoseOfOne) {
  const auto program = test::program_of(kVertex);
  Bound bound;
  bound.bindings.surface_variables = {{6, {0}}};
  bound.payload.resize(384);
  VertexPlan plan;
  plan.stride = 20;
  plan.position = {0, 4, 8, 12};
  plan.fetches = {{.register_offset = 64, .format = image::Format::R32G32_FLOAT},
                  {.register_offset = 128, .format = image::Format::R32G32_FLOAT, .component = 1}};
  plan.values = {{SystemValue::Vertex, 192}, {SystemValue::Instance, 256}, {SystemValue::Slot, 320}};
  engine::jit::MemoryCache codes;
  const auto vertices = VertexProgram::create(program, plan, bound, {.disk_cache = false, .memory = &codes});
  std::vector<float> places;
  for (unsigned k = 0; k < 9000; ++k) places.insert(places.end(), {0.01f * static_cast<float>(k), -1.0f});
  const auto bytes = bytes_of(places);
  const VertexBuffer buffer{bytes, 8};
  const RecordComponent from{16, ComponentType::U32};
  const std::vector<VertexRange> others{{6, 6}, {0, 0}, {60, 1200}, {0, 6}, {9, 6000}};
  for (const Topology topology : {Topology::TriangleList, Topology::LineList, Topology::PointList})
    for (const std::uint32_t instances : {1u, 3u})
      for (const std::uint32_t odd : {0u, 1u}) {  // vertices that make no primitive are shaded, too
        SCOPED_TRACE(testing::Message() << name_of(topology) << " instances " << instances << " odd " << odd);
        VertexDraw draw{.vertices = 2400 + odd, .instances = instances, .first_vertex = 3, .topology = topology};
        draw.buffers = {&buffer, 1};
        if (instances == 1) draw.others = others;
        const auto run = [&](unsigned workers, bool streams, Drawn& drawn, Counters& counters) {
          machine::Reports reports(program->source(), machine::CheckMode::Off);
          engine::reference::Budget budget(base::Limits{});
          RunContext context{.reports = reports, .budget = budget, .workers = workers};
          context.memory_bytes = base::Limits{}.memory_bytes;
          Mesh mesh;
          mesh.attributes.resize(1);
          bool shared = false;
          if (streams) {
            EXPECT_TRUE(vertices->run_stream(draw, bound, context, counters, [&](const PrimitiveStream& stream) {
              make_mesh(stream, plan, {&from, 1}, {.topology = topology}, mesh, context);
              drawn.add(mesh);
              return true;
            }));
            return;
          }
          EXPECT_TRUE(vertices->run_pieces(
              draw, bound, {&from, 1}, mesh, context, counters, [&] { return drawn.add(mesh), true; },
              [&](MeshPieces& pieces) {
                shared = true;
                for (std::size_t place = 0; pieces.next(place); place = (place + 1) % pieces.places()) {
                  EXPECT_TRUE(pieces.make(static_cast<unsigned>(place) % workers, place, mesh));
                  drawn.add(mesh);
                }
                return !pieces.failed();
              }));
          EXPECT_EQ(shared,
                    workers > 1 && engine::jit::has_compiler() && (odd == 0 || topology == Topology::PointList));
        };
        Drawn wanted;
        Counters counted;
        run(1, false, wanted, counted);
        for (const bool streams : {false, true})
          for (const unsigned workers : {1u, 2u, 3u}) {
            Drawn drawn;
            Counters counters;
            run(workers, streams, drawn, counters);
            EXPECT_TRUE(drawn == wanted) << workers << streams;
            EXPECT_EQ(counters.input_vertices, counted.input_vertices);  // FBO-4
            EXPECT_EQ(counters.input_primitives, counted.input_primitives);
            EXPECT_EQ(counters.vertex_invocations, counted.vertex_invocations);
          }
      }
}

/// Writes its first attribute to the target.
constexpr const char* kWhichVertex = R"(.version 4.1
.kernel "p"
.decl a v_type=G type=f num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1
.input a offset=64 size=64
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "main"
main:
    rt_write_3d.<LRTW> (M1, 16) T6 %null.0 a.0 a.0 a.0 a.0
    ret (M1, 1)
)";

// Those who draw pieces make them: triangles over one another leave what one worker leaves, with all counts.
TEST(VertexProgram, PiecesAreDrawnInTheirOrder) {
  constexpr std::uint32_t kSize = 256, kTriangles = 3000;
  Bound bound, pixel_bound;
  bound.bindings.surface_variables = pixel_bound.bindings.surface_variables = {{6, {0}}};
  bound.payload.resize(384);
  pixel_bound.payload.resize(128);
  VertexPlan plan;
  plan.stride = 20;
  plan.position = {0, 4, 8, 12};
  plan.fetches = {{.register_offset = 64, .format = image::Format::R32G32_FLOAT},
                  {.register_offset = 128, .format = image::Format::R32G32_FLOAT, .component = 1}};
  plan.values = {{SystemValue::Vertex, 192}, {SystemValue::Instance, 256}, {SystemValue::Slot, 320}};
  engine::jit::MemoryCache codes;
  const auto vertices =
      VertexProgram::create(test::program_of(kVertex), plan, bound, {.disk_cache = false, .memory = &codes});
  const auto target = test::image_of("R32_FLOAT", kSize);
  pixel_bound.bindings.surfaces = {target};
  PixelPlan pixel_plan;
  pixel_plan.own_subspans = pixel_plan.keeps_fragments = true;
  pixel_plan.inputs.resize(1);
  pixel_plan.inputs[0].components = {0};
  pixel_plan.inputs[0].offset = 64;
  const auto pixels = PixelProgram::create(test::program_of(kWhichVertex), pixel_plan, pixel_bound,
                                           {.disk_cache = false, .memory = &codes});
  std::mt19937 random(5);
  std::vector<float> places;
  for (std::uint32_t t = 0; t < kTriangles; ++t) {
    const auto number = [&] { return static_cast<float>(random() % 2001) / 1000 - 1; };
    const float x = number(), y = number(), size = t % 100 == 0 ? 1.0f : t % 2 == 0 ? 0.1f : 0.01f;
    for (int k = 0; k < 3; ++k) places.insert(places.end(), {x + size * number(), y + size * number()});
  }
  const auto bytes = bytes_of(places);
  const VertexBuffer buffer{bytes, 8};
  const RecordComponent from{16, ComponentType::U32};
  VertexDraw what{.vertices = 3 * kTriangles};
  what.buffers = {&buffer, 1};
  const auto run = [&](unsigned workers, bool may_skip, Counters& counters) {
    std::ranges::fill(*target->memory, std::uint8_t{0});
    Draw draw;
    draw.raster.width = draw.raster.height = kSize;
    draw.raster.viewports[0] = {0, 0, kSize, kSize, 0, 1};
    draw.state = std::make_shared<machine::PixelState>();
    draw.mesh.attributes.resize(1);
    draw.mesh.attributes[0].flat = true;
    machine::Reports reports(vertices->program().source(), machine::CheckMode::Off);
    engine::reference::Budget budget(base::Limits{});
    RunContext context{.reports = reports, .budget = budget, .may_skip = may_skip, .workers = workers};
    context.memory_bytes = base::Limits{}.memory_bytes;
    bool shared = false;
    EXPECT_TRUE(vertices->run_pieces(
        what, bound, {&from, 1}, draw.mesh, context, counters,
        [&] { return pixels->run(draw, pixel_bound, context, counters); },
        [&](MeshPieces& pieces) {
          shared = true;
          return pixels->run(draw, pixel_bound, context, counters, &pieces);
        }));
    EXPECT_EQ(shared, workers > 1 && engine::jit::has_compiler());
    return target->memory->copy();
  };
  Counters counted;
  const std::vector<std::uint8_t> wanted = run(1, false, counted);
  EXPECT_GT(counted.fragment_invocations, 150000u);
  for (const bool may_skip : {false, true})
    for (const unsigned workers : {1u, 2u, 3u, 64u}) {
      Counters counters;
      EXPECT_EQ(run(workers, may_skip, counters), wanted) << workers << may_skip;
      EXPECT_EQ(counters.groups, counted.groups);
      EXPECT_EQ(counters.clipping_invocations, counted.clipping_invocations);
      EXPECT_EQ(counters.clipping_primitives, counted.clipping_primitives);
      EXPECT_EQ(counters.fragment_invocations, counted.fragment_invocations);
      EXPECT_EQ(counters.vertex_invocations, counted.vertex_invocations);
    }
  if (!engine::jit::has_compiler()) return;  // nothing is shared
  // A limit ends it: no worker waits for one that has stopped. Each of the 150,000 fragments is one lane of 16 in a
  // thread of two instructions: more than 18,000 steps.
  for (const unsigned workers : {2u, 3u}) {
    machine::Reports reports(vertices->program().source(), machine::CheckMode::Off);
    engine::reference::Budget budget(base::Limits{.steps = 10000});
    RunContext context{.reports = reports, .budget = budget, .workers = workers};
    context.memory_bytes = base::Limits{}.memory_bytes;
    Draw draw;
    draw.raster.width = draw.raster.height = kSize;
    draw.raster.viewports[0] = {0, 0, kSize, kSize, 0, 1};
    draw.state = std::make_shared<machine::PixelState>();
    draw.mesh.attributes.resize(1);
    Counters counters;
    EXPECT_FALSE(vertices->run_pieces(
        what, bound, {&from, 1}, draw.mesh, context, counters, [] { return true; },
        [&](MeshPieces& pieces) { return pixels->run(draw, pixel_bound, context, counters, &pieces); }));
    EXPECT_TRUE(budget.hit().has_value());
  }
}

}  // namespace
}  // namespace heddle::pipeline
