// SPDX-License-Identifier: MIT
// Records of vertices become a mesh, whichever stage wrote them. Rule: PIX-3.
#include "pipeline/primitives/records.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "pipeline/raster/raster.hpp"

namespace heddle::pipeline {
namespace {

constexpr std::uint32_t kStride = 32;

/// Position, a clip distance, a layer, a value and its integer.
RecordLayout layout_of() {
  RecordLayout layout;
  layout.stride = kStride;
  layout.position = {0, 4, 8, 12};
  layout.clip = {16};
  layout.layer = 20;
  return layout;
}

class Records : public ::testing::Test {
 protected:
  Records() { mesh.attributes.resize(2); }
  template <typename T>
  void put(std::size_t slot, std::uint32_t offset, T value) {
    std::memcpy(surface->memory->data() + slot * kStride + offset, &value, sizeof value);
  }
  void make(std::size_t slots, bool with_marks = false) { make_records(surface, slots * kStride, with_marks); }

  const RecordLayout layout = layout_of();
  const std::vector<RecordComponent> from{{24, ComponentType::F32}, {28, ComponentType::I32}};
  const std::vector<ListedPrimitive> triangle{{{2, 0, 1}, 7, false}};
  machine::SurfaceResource surface;
  Mesh mesh;
  const isa::Program program;
  machine::Reports reports{program, machine::CheckMode::Off}, checking{program, machine::CheckMode::Warn};
  engine::reference::Budget budget{base::Limits{}};
  RunContext context{.reports = reports, .budget = budget}, checked{.reports = checking, .budget = budget};
};

TEST_F(Records, HaveWhatTheRasterizerTakes) {
  make(3);
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    for (std::uint32_t c = 0; c < 4; ++c) put(slot, 4 * c, static_cast<float>(10 * slot + c));
    put(slot, 16, -0.5f);
    put(slot, 20, 5 + slot);
    put(slot, 24, 0.25f * static_cast<float>(slot));
    put(slot, 28, -3 - static_cast<std::int32_t>(slot));
  }
  RecordMesh made(layout, from, mesh, context);
  made.begin({.topology = Topology::TriangleStrip, .provoking_last = true}, triangle, *surface, 3);
  made.take(*surface, 0, 2);
  made.take(*surface, 2, 3);
  EXPECT_EQ(mesh.positions[2], (std::array<double, 4>{20, 21, 22, 23}));
  EXPECT_EQ(mesh.clip_distances, (std::vector<std::vector<double>>{{-0.5, -0.5, -0.5}}));
  EXPECT_EQ(mesh.layers, (std::vector<std::uint32_t>{5, 6, 7}));
  EXPECT_EQ(mesh.attributes[0].values, (std::vector<double>{0, 0.25, 0.5}));
  EXPECT_EQ(mesh.attributes[1].values, (std::vector<double>{-3, -4, -5}));
  EXPECT_EQ(mesh.triangles, (std::vector<std::array<std::uint32_t, 3>>{{2, 0, 1}}));
  EXPECT_EQ(mesh.numbers, std::vector<std::uint32_t>{7});
  EXPECT_TRUE(mesh.provoking_last);
  EXPECT_TRUE(mesh.lines.empty() && mesh.points.empty() && mesh.viewports.empty());
}

// Attributes of floats stay where they lie, for whoever draws before the records change.
TEST_F(Records, AMeshRefersToRecordsThatStay) {
  make(4);
  const std::vector<RecordComponent> floats{{20, ComponentType::F32}, {24, ComponentType::F32}};
  for (std::uint32_t slot = 0; slot < 4; ++slot) {
    put(slot, 20, 0.5f * static_cast<float>(slot));
    put(slot, 24, -1.0f * static_cast<float>(slot));
  }
  const auto list_of = [&](const RecordLayout& l, bool stay) {
    RecordMesh made(l, floats, mesh, context);
    made.begin({.topology = Topology::TriangleList, .records_stay = stay}, triangle, *surface, 3, 1);
    made.take(*surface, 0, 3);
    PrimitiveList list;
    list.begin(mesh);
    return list;
  };
  RecordLayout plain = layout;
  plain.layer.reset();
  Primitive p;
  p.corners = {2, 0, 1};
  const PrimitiveList copied = list_of(plain, false);
  EXPECT_EQ(copied.values(p, 0), (std::array<double, 3>{1.5, 0.5, 1}));
  EXPECT_EQ(mesh.attributes[1].value(2, 0), -3);
  EXPECT_EQ(mesh.attributes[1].values, (std::vector<double>{-1, -2, -3}));
  const PrimitiveList referred = list_of(plain, true);
  EXPECT_EQ(referred.values(p, 0), (std::array<double, 3>{1.5, 0.5, 1}));
  EXPECT_EQ(mesh.attributes[1].value(2, 0), -3);
  put(3, 20, 9.0f);  // which a copy would not show
  EXPECT_EQ(referred.values(p, 0), (std::array<double, 3>{9, 0.5, 1}));
}

// What is checked or observed has values of its own.
TEST_F(Records, NobodyRefersToRecordsWhileSomebodyLooksOn) {
  make(3, true);
  const PrimitiveState state{.topology = Topology::TriangleList, .records_stay = true};
  RecordMesh(layout, from, mesh, checked).begin(state, triangle, *surface, 3);
  EXPECT_EQ(mesh.attributes[0].records, nullptr);
  RecordMesh(layout, from, mesh, context).begin(state, triangle, *surface, 3);
  EXPECT_EQ(mesh.attributes[0].records, surface->memory->data() + 24);
  EXPECT_EQ(mesh.attributes[1].records, nullptr);  // an integer
  machine::Observer observer;
  RunContext observed{.reports = reports, .budget = budget, .observer = &observer};
  RecordMesh(layout, from, mesh, observed).begin(state, triangle, *surface, 3);
  EXPECT_EQ(mesh.attributes[0].records, nullptr);
}

TEST_F(Records, NumbersThatAreNotFiniteClipOrRead0) {
  make(1);
  put(0, 0, std::numeric_limits<float>::infinity());
  put(0, 12, std::numeric_limits<float>::quiet_NaN());
  put(0, 16, std::numeric_limits<float>::quiet_NaN());
  RecordMesh made(layout, from, mesh, context);
  made.begin({.topology = Topology::PointList}, std::vector<ListedPrimitive>{{{0, 0, 0}, 0, false}}, *surface, 1);
  made.take(*surface, 0, 1);
  EXPECT_EQ(mesh.positions[0], (std::array<double, 4>{0, 0, 0, 0}));
  EXPECT_EQ(mesh.clip_distances[0][0], -1);
  EXPECT_EQ(mesh.points, std::vector<std::uint32_t>{0});
}

// An attribute that a fragment shader reads and no stage before it writes.
TEST_F(Records, WhatLiesBehindThemIs0AndUnwritten) {
  make(1, true);
  const std::vector<RecordComponent> beyond{{24, ComponentType::F32}, {1u << 20, ComponentType::F32}};
  put(0, 24, 1.5f);
  RecordMesh made(layout, beyond, mesh, checked);
  made.begin({.topology = Topology::PointList}, std::vector<ListedPrimitive>{{{0, 0, 0}, 0, false}}, *surface, 1);
  made.take(*surface, 0, 1);
  EXPECT_EQ(mesh.attributes[0].values, std::vector<double>{1.5});
  EXPECT_EQ(mesh.attributes[1].values, std::vector<double>{0});
  EXPECT_EQ(mesh.attributes[0].unwritten, std::vector<std::uint8_t>{0});
  EXPECT_EQ(mesh.attributes[1].unwritten, std::vector<std::uint8_t>{1});
  EXPECT_EQ(mesh.unwritten_positions, std::vector<std::uint8_t>{0});
}

// Vertices 0 and 1 of a stage lie in the records 2 and 0; nobody who does not look on gets to know it.
TEST_F(Records, AnObservedMeshSaysWhereItsVerticesWereRead) {
  make(3);
  const std::vector<std::uint32_t> places{2, 0}, at{0, 1};
  const std::vector<PrimitiveTag> tags{{}};
  const PrimitiveStream stream{
      .records = surface, .stride = kStride, .vertices = 2, .places = places, .corners = 2, .at = at, .tags = tags};
  machine::Observer observer;
  RunContext observed{.reports = reports, .budget = budget, .observer = &observer};
  RecordMesh(layout, from, mesh, observed).begin({.topology = Topology::LineList}, stream);
  EXPECT_EQ(mesh.records, (std::vector<std::uint64_t>{64, 0}));
  EXPECT_EQ(mesh.record_surface, surface.get());
  RecordMesh(layout, from, mesh, observed).begin({.topology = Topology::TriangleList}, triangle, *surface, 3);
  EXPECT_EQ(mesh.records, (std::vector<std::uint64_t>{0, 32, 64}));
  RecordMesh(layout, from, mesh, context).begin({.topology = Topology::TriangleList}, triangle, *surface, 3);
  EXPECT_TRUE(mesh.records.empty() && mesh.record_surface == nullptr);
}

TEST_F(Records, TheirSurfaceIsUsedAgain) {
  make(2);
  put(1, 0, 1.0f);
  const machine::SurfaceResource first = surface;
  make(2);
  EXPECT_EQ(surface.object(), first.object());
  EXPECT_TRUE(std::ranges::all_of(*surface->memory, [](std::uint8_t byte) { return byte == 0; }));
  make(1, true);
  EXPECT_GE(surface->memory->size(), 2 * surface->entries);
}

}  // namespace
}  // namespace heddle::pipeline
