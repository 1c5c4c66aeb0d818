// SPDX-License-Identifier: MIT
#pragma once
// The lanes of half a pixel thread: window positions and interpolated inputs. Built for several targets
// (lanes.inc); plain data only, so that these builds share no code.

#include <cstddef>
#include <cstdint>

#include "pipeline/raster/plane.hpp"

namespace heddle::pipeline {

/// One row of lanes of the payload.
struct LaneStep {
  enum class Kind : std::uint8_t {
    PixelX,  ///< of the pixel's center
    PixelY,
    PointX,  ///< of the point
    PointY,
    Linear,
    Perspective,
    Sample,   ///< linear, `x` and `y` from the point
    Inverse,  ///< 1 / plane
  };
  Kind kind = Kind::Linear;
  std::uint8_t point = 0;          ///< which of LaneWork::points
  bool wide = false;               ///< stored as binary64, lane after lane
  std::uint32_t group_bytes = 32;  ///< from lanes 0-7 to lanes 8-15
  std::uint8_t* to = nullptr;
  Plane plane;
  double base = 0;      ///< Perspective: added
  double x = 0, y = 0;  ///< Sample: 1/256 pixel
};

/// Points of the lanes in 1/256 pixel from the primitive's corner.
struct alignas(64) LanePoints {
  double x[16], y[16];
  double w[16];  ///< 1 / (plane of 1 / w)
};

struct LaneWork {
  const LaneStep* steps = nullptr;
  std::size_t count = 0;
  const std::uint32_t* subspans = nullptr;  ///< four, x | y << 16; null: `pixels` is filled in
  bool eight = false;                       ///< lanes 0-7 only
  bool plain = false;                       ///< 16 lanes: their centers alone, each row of lanes in one place
  bool centers = false;                     ///< points[0] is wanted: the centers of the pixels
  std::uint8_t weighted = 0;                ///< bit i: w of points[i] is wanted
  std::int32_t left = 0, top = 0;           ///< the primitive's corner, pixels
  Plane inverse_w;
  alignas(64) std::uint32_t pixels[16];  ///< x | y << 16 of each lane
  LanePoints points[3];
};

/// Planes of four values. What is read as one vector is written as one.
struct alignas(64) PackPlanes {
  double at[4], dx[4], dy[4];
  double first[4];  ///< Perspective: added
};
/// One of them: `at` and so on from element to element.
struct PackPlane {
  double* of = nullptr;
  [[nodiscard]] double at() const { return of[0]; }
  [[nodiscard]] double dx() const { return of[4]; }
  [[nodiscard]] double dy() const { return of[8]; }
  [[nodiscard]] double first() const { return of[12]; }
};

/// One row of lanes of a thread whose subspans belong to several primitives: four lanes at a time.
struct PackStep {
  enum class Kind : std::uint8_t { PixelX, PixelY, Word, Linear, Perspective, Sample };
  Kind kind = Kind::Word;
  bool single = false;         ///< its plane is made from `first` and `others`
  std::uint32_t word = 0;      ///< Word: in each lane
  std::uint8_t* to = nullptr;  ///< of the first subspan
  PackPlane plane;             ///< but of Word; several steps may share one
  double first = 0;            ///< the values at the primitive's corners
  PlanePair others{};
  double x = 0, y = 0;  ///< Sample: 1/256 pixel from the pixel's center
};

/// Steps side by side whose values at the corners are binary32 side by side: their planes are made together.
struct PackRun {
  PackStep* steps = nullptr;
  std::uint32_t count = 0;  ///< 2 to 4
  bool active = false;      ///< false: each step is `single`, or has a word
  bool perspective = false;
  PackStep::Kind kind = PackStep::Kind::Word;  ///< that all steps have; Word: not all
  PackPlanes* planes = nullptr;
  const std::uint8_t* corner[3] = {};
  const double* depth = nullptr;  ///< not null: at the corners; its plane is the one behind those of the steps
};

/// What is written shortly before it is read lies apart: a load of several of them would wait until each is in memory.
struct PackWork {
  std::int32_t left = 0;                   ///< the primitive's corner, pixels
  bool centers = false, weighted = false;  ///< there are planes; some of them are weighted by inverse_w
  PackStep* steps = nullptr;
  std::int32_t top = 0;
  std::size_t count = 0;
  PackRun* runs = nullptr;
  std::size_t run_count = 0;
  Plane inverse_w;
};

/// A subspan of the thread.
struct PackedSubspan {
  std::uint32_t subspan;  ///< x | y << 16
  std::uint32_t place;    ///< among those of the thread
  std::uint32_t pixels;   ///< those that are filled, a bit for each
};

using LaneFunction = void (*)(LaneWork&);
struct PackFunctions {
  /// The planes of a primitive's steps, and of 1 / w where they are weighted.
  void (*planes)(PackWork&, const PlaneCorners&);
  /// The lanes of one subspan.
  void (*lanes)(const PackWork&, PackedSubspan);
};
/// The builds for this machine.
[[nodiscard]] LaneFunction lane_function();
[[nodiscard]] PackFunctions pack_functions();

}  // namespace heddle::pipeline
