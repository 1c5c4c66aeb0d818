// SPDX-License-Identifier: MIT
// Streams of primitives: what stages are given, how records are laid out for them, what is captured, and the mesh at
// the end. Rules: PRM-7, PRM-8, PRM-11.
#include "pipeline/primitives/stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "isa/program.hpp"
#include "pipeline/primitives/record_link.hpp"
#include "pipeline/primitives/stream_mesh.hpp"
#include "pipeline/primitives/transform_feedback.hpp"
#include "pipeline/vertices/vertex_list.hpp"

namespace heddle::pipeline {
namespace {

using ::testing::ElementsAre;
using Numbers = std::vector<std::uint32_t>;

/// The primitives of a draw, all of them in one piece: VertexIndex of their vertices.
std::vector<Numbers> whole(VertexDraw draw, std::uint32_t patch = 3, std::uint64_t at_once = 1000) {
  draw.whole = true;
  draw.patch_vertices = patch;
  VertexList list;
  list.begin(draw);
  std::vector<Numbers> all;
  std::uint32_t number = 0;
  while (list.next(draw, at_once, 1000)) {
    const std::size_t corners = whole_corners_of(draw.topology, patch);
    for (std::size_t p = 0; p < list.tags().size(); ++p) {
      EXPECT_EQ(list.tags()[p].number, number++);
      Numbers& one = all.emplace_back();
      for (std::size_t k = 0; k < corners; ++k) one.push_back(list.vertices()[list.corners()[p * corners + k]].vertex);
    }
  }
  return all;
}

TEST(WholePrimitives, ListsHaveTheirVertices_PRM8) {
  EXPECT_THAT(whole({.vertices = 9, .topology = Topology::LineListAdjacency}),
              ElementsAre(Numbers{0, 1, 2, 3}, Numbers{4, 5, 6, 7}));
  EXPECT_THAT(whole({.vertices = 5, .topology = Topology::LineStripAdjacency}),
              ElementsAre(Numbers{0, 1, 2, 3}, Numbers{1, 2, 3, 4}));
  EXPECT_THAT(whole({.vertices = 12, .topology = Topology::TriangleListAdjacency}),
              ElementsAre(Numbers{0, 1, 2, 3, 4, 5}, Numbers{6, 7, 8, 9, 10, 11}));
  EXPECT_THAT(whole({.vertices = 11, .topology = Topology::PatchList}, 5),
              ElementsAre(Numbers{0, 1, 2, 3, 4}, Numbers{5, 6, 7, 8, 9}));
  EXPECT_EQ(whole({.vertices = 64, .topology = Topology::PatchList}, 32).size(), 2u);
}

TEST(WholePrimitives, TrianglesOfAStripKnowTheirNeighbors_PRM8) {
  const auto strip = [](std::uint32_t vertices, bool last = false) {
    return whole({.vertices = vertices, .topology = Topology::TriangleStripAdjacency, .provoking_last = last});
  };
  EXPECT_TRUE(strip(5).empty());
  EXPECT_THAT(strip(6), ElementsAre(Numbers{0, 1, 2, 5, 4, 3})) << "the only one";
  EXPECT_THAT(strip(7), ElementsAre(Numbers{0, 1, 2, 5, 4, 3})) << "half a triangle more";
  EXPECT_THAT(strip(8), ElementsAre(Numbers{0, 1, 2, 6, 4, 3}, Numbers{2, 5, 6, 7, 4, 0}));
  EXPECT_THAT(strip(10, true),
              ElementsAre(Numbers{0, 1, 2, 6, 4, 3}, Numbers{4, 0, 2, 5, 6, 8}, Numbers{4, 2, 6, 9, 8, 7}));
}

// What is left of a strip comes with its end: at a restart, and with the instance.
TEST(WholePrimitives, StripsEndAtARestart_PRM8) {
  const std::vector<std::uint8_t> indices{0, 1, 2, 3, 4, 5, 255, 10, 11, 12, 13, 14, 15};
  VertexDraw draw{.vertices = 13, .instances = 1, .topology = Topology::TriangleStripAdjacency};
  draw.indices = {.bytes = indices, .index_bytes = 1, .restart = true};
  EXPECT_THAT(whole(draw), ElementsAre(Numbers{0, 1, 2, 5, 4, 3}, Numbers{10, 11, 12, 15, 14, 13}));
}

// A piece ends anywhere; what the next primitives need of it is shaded again.
TEST(WholePrimitives, PiecesCutStrips_PRM7) {
  for (const Topology topology : {Topology::TriangleStripAdjacency, Topology::LineStripAdjacency, Topology::PatchList})
    for (const std::uint64_t at_once : {1, 2, 3})
      EXPECT_EQ(whole({.vertices = 30, .topology = topology}, 4, at_once),
                whole({.vertices = 30, .topology = topology}, 4));
}

/// A stream of records of four dwords: vertex v has 100 v, 100 v + 1 ...
class Streams : public ::testing::Test {
 protected:
  Streams()
      : reports(source, machine::CheckMode::Off),
        budget(base::Limits{}),
        context{.reports = reports, .budget = budget} {}
  PrimitiveStream stream(std::uint32_t vertices, std::uint32_t corners) {
    make_records(records, std::uint64_t{vertices} * 16, false);
    for (std::uint32_t v = 0; v < vertices; ++v)
      for (std::uint32_t d = 0; d < 4; ++d) {
        const std::uint32_t word = 100 * v + d;
        std::memcpy(records->memory->data() + 16 * v + 4 * d, &word, 4);
      }
    PrimitiveStream s;
    s.records = records;
    s.stride = 16;
    s.vertices = vertices;
    s.corners = corners;
    s.at = at;
    s.tags = tags;
    return s;
  }
  static Numbers words(std::span<const std::uint8_t> bytes) {
    Numbers list(bytes.size() / 4);
    std::memcpy(list.data(), bytes.data(), list.size() * 4);
    return list;
  }

  isa::Program source;
  machine::Reports reports;
  engine::reference::Budget budget;
  RunContext context;
  machine::SurfaceResource records;
  Numbers at{0, 1, 2, 2, 1, 3};
  std::vector<PrimitiveTag> tags{{0, false}, {1, false}};
};

TEST_F(Streams, RecordsAreLaidOutAsTheNextStageReadsThem_PRM7) {
  const PrimitiveStream in = stream(4, 3);
  machine::SurfaceResource own;
  const RecordLink link(12, {{8, 4, 1}, {4, 0, 1}});
  const image::Surface& made = *link.take(in, own, false);
  EXPECT_THAT(words({made.memory->data(), 48}), ElementsAre(1, 2, 0, 101, 102, 0, 201, 202, 0, 301, 302, 0));
  const RecordLink same(16, {{0, 0, 2}, {8, 8, 2}});
  EXPECT_EQ(same.take(in, own, false).identity(), records.identity()) << "nothing to move";
  PrimitiveStream listed = in;
  const Numbers places{3, 1};
  listed.places = places;
  listed.vertices = 2;
  EXPECT_THAT(words({same.take(listed, own, false)->memory->data(), 32}),
              ElementsAre(300, 301, 302, 303, 100, 101, 102, 103));
}

// What nobody wrote is marked for whoever checks the run.
TEST_F(Streams, DwordsThatNobodyWritesAreMarked_PRM7) {
  make_records(records, 64, true);
  PrimitiveStream in = stream(4, 3);
  make_records(records, 64, true);
  in.records = records;
  records->memory->data()[records->entries + 16 + 4] = 1;  // of vertex 1
  machine::SurfaceResource own;
  const image::Surface& made = *RecordLink(8, {{4, 0, 1}}).take(in, own, true);
  const std::uint8_t* marks = made.memory->data() + made.entries;
  EXPECT_EQ(marks[0], 0);
  EXPECT_EQ(marks[4], 1) << "no output has it";
  EXPECT_EQ(marks[8], 1) << "the shader left it";
}

TEST_F(Streams, PrimitivesAreCapturedWhileThereIsRoom_PRM11) {
  const PrimitiveStream in = stream(4, 3);
  CapturePlan plan;
  plan[0] = {8, 0, in_runs({{4, 4, 1}, {0, 0, 1}})};
  plan[2] = {12, 0, {{12, 4, 1}}};
  std::vector<std::uint8_t> first(56, 0xff), third(12 * 6, 0xff);
  CaptureTargets targets;
  targets[0] = {first, 8};
  targets[2] = {third, 0};
  CaptureCount count = capture(in, plan, targets, context);
  EXPECT_EQ(count.written, 2u);
  EXPECT_EQ(count.needed, 2u);
  constexpr std::uint32_t kKept = 0xffffffff;
  EXPECT_THAT(words(first), ElementsAre(kKept, kKept, 0, 1, 100, 101, 200, 201, 200, 201, 100, 101, 300, 301));
  EXPECT_THAT(words(third), ElementsAre(kKept, 3, kKept, kKept, 103, kKept, kKept, 203, kKept, kKept, 203, kKept, kKept,
                                        103, kKept, kKept, 303, kKept));
  EXPECT_EQ(targets[0].at, 56u);
  EXPECT_EQ(targets[1].at, 0u);
  EXPECT_EQ(targets[2].at, 72u);
  targets[0] = {first, 0};
  targets[2] = {std::span(third).first(71), 0};
  count = capture(in, plan, targets, context);
  EXPECT_EQ(count.written, 1u) << "one buffer has room for one primitive";
  EXPECT_EQ(count.needed, 2u);
  EXPECT_EQ(targets[0].at, 24u);
  targets[0].at = 1000;  // a counter beyond the buffer
  EXPECT_EQ(capture(in, plan, targets, context).written, 0u);
}

TEST_F(Streams, ABufferTakesTheVerticesOfItsStream_PRM11) {
  PrimitiveStream in = stream(4, 3);
  in.stream = 1;
  CapturePlan plan;
  plan[0] = {4, 0, {{0, 0, 1}}};
  plan[1] = {4, 1, {{8, 0, 1}}};
  std::vector<std::uint8_t> zero(24, 0), one(24, 0);
  CaptureTargets targets;
  targets[0] = {zero, 0};
  targets[1] = {one, 0};
  EXPECT_EQ(capture(in, plan, targets, context).written, 2u);
  EXPECT_THAT(words(zero), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(words(one), ElementsAre(2, 102, 202, 202, 102, 302));
  in.stream = 2;
  const CaptureCount none = capture(in, plan, targets, context);
  EXPECT_EQ(none.written, 0u);
  EXPECT_EQ(none.needed, 2u);
}

TEST_F(Streams, BecomeMeshes_PRM7) {
  PrimitiveStream in = stream(4, 3);
  const Numbers places{3, 2, 1, 0};
  in.places = places;
  RecordLayout layout;
  layout.stride = 16;
  layout.position = {0, 4, 8, 12};
  layout.layer = 4;
  Mesh mesh;
  mesh.attributes.resize(1);
  const std::vector<RecordComponent> from{{8, ComponentType::U32}};
  make_mesh(in, layout, from, {.provoking_last = true}, mesh, context);
  EXPECT_THAT(mesh.triangles,
              ElementsAre(std::array<std::uint32_t, 3>{0, 1, 2}, std::array<std::uint32_t, 3>{2, 1, 3}));
  EXPECT_THAT(mesh.layers, ElementsAre(301, 201, 101, 1));
  EXPECT_THAT(mesh.attributes[0].values, ElementsAre(302, 202, 102, 2));
  EXPECT_THAT(mesh.numbers, ElementsAre(0, 1));
  in.corners = 2;
  const Numbers lines{0, 1, 1, 2};
  in.at = lines;
  const std::vector<PrimitiveTag> strip{{4, false}, {5, true}};
  in.tags = strip;
  make_mesh(in, layout, from, {}, mesh, context);
  ASSERT_EQ(mesh.lines.size(), 2u);
  EXPECT_TRUE(mesh.triangles.empty());
  EXPECT_EQ(mesh.lines[1].from, 1u);
  EXPECT_TRUE(mesh.lines[1].continues);
  EXPECT_THAT(mesh.numbers, ElementsAre(4, 5));
}

// Pieces of a stream whose vertices several primitives have, or none: together they are the mesh.
TEST_F(Streams, BecomeMeshesPieceByPiece_PRM7) {
  constexpr std::uint32_t kVertices = 3000, kPrimitives = 2000;
  PrimitiveStream in = stream(kVertices, 3);
  Numbers places, at;
  std::vector<PrimitiveTag> numbers;
  for (std::uint32_t v = 0; v < kVertices; ++v) places.push_back(kVertices - 1 - v);
  for (std::uint32_t p = 0; p < kPrimitives; ++p) numbers.push_back({p / 3, p % 5 == 0});
  RecordLayout layout;
  layout.stride = 16;
  layout.position = {0, 4, 8, 12};
  layout.layer = 4;
  const std::vector<RecordComponent> from{{8, ComponentType::U32}};
  context.workers = 2;
  for (const bool shares : {true, false})
    for (const bool places_them : {true, false}) {
      at.clear();
      for (std::uint32_t p = 0; p < kPrimitives; ++p)
        for (std::uint32_t k = 0; k < 3; ++k) at.push_back((shares ? p + 700 * k : 3 * (p % 900) + k) % kVertices);
      in.at = at;
      in.tags = numbers;
      in.places = places_them ? std::span<const std::uint32_t>(places) : std::span<const std::uint32_t>();
      Mesh all, piece;
      all.attributes.resize(1);
      piece.attributes.resize(1);
      const PrimitiveState state{.provoking_last = true};
      make_mesh(in, layout, from, state, all, context);
      ASSERT_TRUE(StreamPieces::divides(in, context));
      StreamPieces::Workspace workspace;
      StreamPieces pieces(in, layout, from, state, context, workspace);
      std::size_t seen = 0;
      for (std::size_t place = 0; pieces.next(place); place = (place + 1) % pieces.places()) {
        ASSERT_TRUE(pieces.make(static_cast<unsigned>(place % 2), place, piece));
        EXPECT_TRUE(piece.provoking_last);
        EXPECT_LE(piece.positions.size(), 3 * piece.count());
        for (std::size_t p = 0; p < piece.count(); ++p, ++seen) {
          EXPECT_EQ(piece.numbers[p], all.numbers[seen]);
          for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t own = piece.triangles[p][k], of = all.triangles[seen][k];
            ASSERT_EQ(piece.positions[own], all.positions[of]) << seen;
            EXPECT_EQ(piece.layers[own], all.layers[of]);
            EXPECT_EQ(piece.attributes[0].values[own], all.attributes[0].values[of]);
          }
        }
      }
      EXPECT_EQ(seen, all.count());
    }
  context.workers = 1;
  EXPECT_FALSE(StreamPieces::divides(in, context));
}

}  // namespace
}  // namespace heddle::pipeline
