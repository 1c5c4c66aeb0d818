// SPDX-License-Identifier: MIT
// Clipping, culling and snapping of primitives. Rules: PIX-5 to PIX-7, PRM-4 to PRM-6, RAS-1 to RAS-6, RAS-8, RAS-9.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "pipeline/raster/clip.hpp"
#include "pipeline/raster/edge.hpp"
#include "pipeline/raster/lines.hpp"
#include "pipeline/raster/pixel_bounds.hpp"
#include "pipeline/raster/raster.hpp"
#include "pipeline/raster/tiny.hpp"

namespace heddle::pipeline {
namespace {

[[nodiscard]] bool any(const Wide& b) { return b.left < b.right && b.top < b.bottom; }

/// How far clip coordinates may reach, in multiples of w: beyond this band triangles are clipped; inside it the
/// viewport's rectangle does it, so that the full-screen triangle stays one.
double guard_band(double origin, double size) {
  return std::max(1.0, (kGuardBand - std::abs(origin) - std::abs(size)) / std::max(std::abs(size) / 2, 1e-6));
}

void set_bounds(Primitive& t, const Wide& bounds) {
  t.left = static_cast<std::int32_t>(bounds.left);
  t.top = static_cast<std::int32_t>(bounds.top);
  t.right = static_cast<std::int32_t>(bounds.right);
  t.bottom = static_cast<std::int32_t>(bounds.bottom);
}

/// RAS-6: the bias of a triangle in window coordinates.
double depth_bias(const DepthBias& bias, const Primitive& t) {
  const auto area = static_cast<double>(t.area);
  const double z1 = t.z[1] - t.z[0], z2 = t.z[2] - t.z[0];
  const auto by = [](std::int32_t a, std::int32_t b) { return static_cast<double>(std::int64_t{a} - b); };
  const double dx = (z1 * by(t.y[2], t.y[0]) - z2 * by(t.y[1], t.y[0])) / area * kPixel,
               dy = (z2 * by(t.x[1], t.x[0]) - z1 * by(t.x[2], t.x[0])) / area * kPixel;
  const double slope = std::max(std::abs(dx), std::abs(dy));
  double unit = std::ldexp(1.0, -static_cast<int>(bias.bits));
  if (bias.bits == 0) {
    const double most = std::max({std::abs(t.z[0]), std::abs(t.z[1]), std::abs(t.z[2])});
    unit = std::ldexp(1.0, std::max(most > 0 ? std::ilogb(most) : -126, -126) - 23);
  }
  const double sum = slope * bias.slope + unit * bias.constant;
  return bias.clamp > 0 ? std::min(sum, bias.clamp) : bias.clamp < 0 ? std::max(sum, bias.clamp) : sum;
}

/// PIX-6: what lies beyond the guard band, or is no number, shows nothing.
bool shows(const Viewport& v) {
  return std::abs(v[0]) + std::abs(v[2]) <= kGuardBand && std::abs(v[1]) + std::abs(v[3]) <= kGuardBand;
}

}  // namespace

ClipVolume::ClipVolume(const Mesh& mesh, const RasterState& state, const Viewport& viewport)
    : planes_(mesh.clip_distances.size()),
      limits_{guard_band(viewport[0], viewport[2]), guard_band(viewport[1], viewport[3]),
              state.negative_one_to_one ? -1.0 : 0.0, state.depth_clip} {}

struct SetUp::Impl {
  Impl(const Mesh& m, const RasterState& s, KnownVertices& k)
      : mesh(m),
        state(s),
        known(k),
        samples(sample_bounds(s, false)),
        anywhere(sample_bounds(s, true)),
        one_view(m.viewports.empty()) {
    const std::uint32_t count = std::clamp<std::uint32_t>(s.viewport_count, 1, RasterState::kMaxViewports);
    for (std::uint32_t v = 0; v < count; ++v) {
      const bool shown = shows(s.viewports[v]);
      const Viewport placed = shown ? s.viewports[v] : Viewport{0, 0, 0, 0, 0, 1};
      const Wide scissor = shown ? scissor_bounds(s, s.scissors[v]) : Wide{0, 0, 0, 0};
      const Wide bounds = s.conservative == Conservative::Off ? viewport_bounds(scissor, placed)
                                                              : conservative_bounds(scissor, placed, s.conservative);
      views.push_back({placed, scissor, bounds, {m, s, placed}});
    }
  }
  struct View {
    Viewport viewport;
    Wide scissor, bounds;
    ClipVolume volume;
  };
  /// A corner: where it is, its clip w, and what PrimitiveList::values knows it by.
  struct Corner {
    WindowVertex at;
    double w;
    std::uint32_t id;
  };

  const Mesh& mesh;
  const RasterState& state;
  KnownVertices& known;
  const Wide samples, anywhere;  ///< where samples lie; a whole pixel
  const bool one_view;           ///< `known` is of its window
  const BatchFunctions functions = batch_functions();
  std::vector<View> views;
  ClipRows polygon, spare;
  double stipple = 0;         ///< counter at the end of the last line
  std::uint64_t clipped = 0;  ///< primitives that clipping has left
  // Of the primitive in work:
  PrimitiveList* list = nullptr;
  const View* view = nullptr;
  std::uint32_t source = 0, layer = 0, viewport_name = 0;
  bool lacks_layer = false;
  std::uint8_t viewport = 0, rate = 0;
  bool front = true;
  double bias = 0;

  void triangle();
  /// Both are false where nothing is left of it.
  bool line(std::uint32_t from, std::uint32_t to);
  bool point(std::uint32_t vertex);
  bool begin(std::size_t index, std::uint32_t corners);
  void find_window(const double* positions, std::size_t count, WindowVertex* to, std::uint8_t* within) const;
  /// The vertices up to that one are known from here on.
  void need(std::uint32_t vertex) {
    if (one_view && vertex >= known.count) find_more(vertex);
  }
  void find_more(std::uint32_t vertex);
  void find_vertices(std::size_t first, std::size_t last) const;
  [[nodiscard]] Corner corner_of(std::uint32_t vertex) const;
  [[nodiscard]] bool is_inside(std::uint32_t vertex) const;
  void take_rows(const std::uint32_t* vertices, std::size_t count);
  [[nodiscard]] auto linear() const {
    return [this](std::size_t component) { return list->is_linear(component); };
  }
  [[nodiscard]] Corner corner_at(const Position& p, std::uint32_t id) const {
    Corner corner{{}, p[3], id};
    std::uint8_t within = 0;
    find_window(p.data(), 1, &corner.at, &within);
    return corner;
  }
  [[nodiscard]] Corner corner_of_row(std::size_t row) {
    return corner_at(polygon.position(row), list->add_cut(polygon.values(row)));
  }
  Primitive& add_primitive();
  void set_corner(Primitive& t, std::size_t k, const WindowVertex& at, double w, std::uint32_t id) const {
    t.x[k] = at.x;
    t.y[k] = at.y;
    t.z[k] = at.z + bias;
    t.w[k] = w;
    t.corners[k] = id;
  }
  Primitive& add_primitive(const Corner& a, const Corner& b, const Corner& c);
  bool add_triangle(const Corner& a, const Corner& b, const Corner& c);
  [[nodiscard]] bool is_shown(const Primitive& t) const { return t.left < t.right && t.top < t.bottom; }
  struct Face {
    std::int64_t area;
    bool front, seen;
  };
  [[nodiscard]] Face face_of(const WindowVertex& a, const WindowVertex& b, const WindowVertex& c) const {
    return face_of(cross<std::int64_t>(a.x, a.y, b.x, b.y, c.x, c.y));
  }
  [[nodiscard]] Face face_of(std::int64_t area) const;
  void finish(Primitive& t, const Face& face) const;
  [[nodiscard]] bool has_batches() const;
  [[nodiscard]] bool covers_nothing(const Primitive& t) const;
  /// Eight triangles, and room for their corners.
  struct Batch {
    TriangleBatch found;
    WindowVertex corners[3 * TriangleBatch::kCount];
  };
  bool find_corners(const std::array<std::uint32_t, 3>* triangles, Batch& batch);
  bool add_batch(std::size_t first);
  void add_line(const Corner& a, const Corner& b);
  void outline_bounds(Primitive& t, bool limited) const;
  void draw_edges();
};

/// False where the primitive is gone (PRM-4); its layer and viewport (PRM-5).
bool SetUp::Impl::begin(std::size_t index, std::uint32_t corners) {
  source = static_cast<std::uint32_t>(index);
  if (!mesh.cull_distances.empty()) {
    const std::array<std::uint32_t, 3> vertices = list->vertices(source);
    for (const std::vector<double>& plane : mesh.cull_distances)
      if (std::all_of(vertices.begin(), vertices.begin() + corners, [&](std::uint32_t v) { return plane[v] < 0; }))
        return false;
  }
  const bool plain = mesh.layers.empty() && mesh.viewports.empty() && mesh.shading_rates.empty();
  const std::uint32_t chooses = plain ? 0 : mesh.of_primitives ? source : list->provoking(source);
  layer = mesh.layers.empty() ? state.layer : mesh.layers[chooses];
  viewport_name = mesh.viewports.empty() ? 0 : mesh.viewports[chooses];
  viewport = static_cast<std::uint8_t>(viewport_name < views.size() ? viewport_name : 0);
  view = &views[viewport];
  rate = static_cast<std::uint8_t>(mesh.shading_rates.empty() ? 0 : mesh.shading_rates[chooses] & 15u);
  front = true;
  bias = 0;
  lacks_layer = layer >= std::min(state.layers, 2048u);
  return true;
}

/// PIX-6, in the view of the primitive.
void SetUp::Impl::find_window(const double* positions, std::size_t count, WindowVertex* to,
                              std::uint8_t* within) const {
  const Viewport& v = view->viewport;
  functions.window({v[0], v[2] / 2, v[1], v[3] / 2, v[4], v[5] - v[4], state.negative_one_to_one, view->volume.limits(),
                    positions, to, within, count});
}

void SetUp::Impl::find_more(std::uint32_t vertex) {
  constexpr std::size_t kAhead = 256;
  const std::size_t end = std::min(mesh.positions.size(), std::max<std::size_t>(vertex + 1, known.count + kAhead));
  find_vertices(known.count, end);
  known.count = end;
}

void SetUp::Impl::find_vertices(std::size_t first, std::size_t last) const {
  find_window(mesh.positions[first].data(), last - first, known.at.data() + first, known.within.data() + first);
}

/// A vertex that need() was called for.
SetUp::Impl::Corner SetUp::Impl::corner_of(std::uint32_t vertex) const {
  if (one_view) return {known.at[vertex], mesh.positions[vertex][3], vertex};
  return corner_at(mesh.positions[vertex], vertex);
}

/// Nothing is to be cut off at a vertex that need() was called for.
bool SetUp::Impl::is_inside(std::uint32_t vertex) const {
  if (!(one_view ? known.within[vertex] != 0 : view->volume.contains(mesh.positions[vertex]))) return false;
  return std::ranges::all_of(mesh.clip_distances, [&](const std::vector<double>& plane) { return plane[vertex] >= 0; });
}

/// Vertices of the mesh to be clipped.
void SetUp::Impl::take_rows(const std::uint32_t* vertices, std::size_t count) {
  polygon.begin(mesh.clip_distances.size(), list->components());
  for (std::size_t k = 0; k < count; ++k) {
    double* row = polygon.add();
    row = std::copy_n(mesh.positions[vertices[k]].data(), 4, row);
    for (const std::vector<double>& plane : mesh.clip_distances) *row++ = plane[vertices[k]];
    for (std::size_t c = 0; c < list->components(); ++c) *row++ = list->value(source, vertices[k], c);
  }
}

/// One more primitive of the list, but for its corners.
inline Primitive& SetUp::Impl::add_primitive() {
  Primitive& t = list->add();
  t.source = source;
  t.number = mesh.numbers.empty() ? source : mesh.numbers[source];
  t.layer = layer;
  t.lacks_layer = lacks_layer;
  t.viewport = viewport;
  t.viewport_name = viewport_name;
  t.rate = rate;
  t.view = static_cast<std::uint8_t>(state.view);
  t.front = front;
  t.is_point = t.is_tiny = false;
  t.block = 0;
  t.shape = Primitive::Shape::Triangle;
  t.piece = 0;
  t.pieces = 1;
  return t;
}

Primitive& SetUp::Impl::add_primitive(const Corner& a, const Corner& b, const Corner& c) {
  Primitive& t = add_primitive();
  set_corner(t, 0, a.at, a.w, a.id);
  set_corner(t, 1, b.at, b.w, b.id);
  set_corner(t, 2, c.at, c.w, c.id);
  return t;
}

/// Orientation (PIX-7) by the signed area; a triangle without one vanishes.
SetUp::Impl::Face SetUp::Impl::face_of(std::int64_t area) const {
  // Vulkan: the signed area -1/2 sum(x_i y_j - x_j y_i) is positive for counter-clockwise; y points down.
  const bool is_front = mesh.full_screen || (area < 0) == state.front_ccw;
  return {area, is_front,
          area != 0 && state.cull != Cull::FrontAndBack && state.cull != (is_front ? Cull::Front : Cull::Back)};
}

void SetUp::Impl::finish(Primitive& t, const Face& face) const {
  t.area = face.area;
  t.front = face.front;
  if (!state.depth_bias) return;
  const double o = depth_bias(*state.depth_bias, t);
  for (double& z : t.z) z += o;
}

/// False where no pixel would see it.
bool SetUp::Impl::add_triangle(const Corner& a, const Corner& b, const Corner& c) {
  const bool conservative = state.conservative != Conservative::Off;
  const std::int64_t x[3] = {a.at.x, b.at.x, c.at.x}, y[3] = {a.at.y, b.at.y, c.at.y};
  const Wide outline = bounds_of(x, y),
             bounds = covered_bounds(outline, view->bounds, conservative ? anywhere : samples);
  if (!any(bounds)) return false;
  const Face face = face_of(a.at, b.at, c.at);
  if (!face.seen) return false;
  Primitive& t = add_primitive(a, b, c);
  set_bounds(t, bounds);
  if (conservative) t.shape = Primitive::Shape::Conservative;
  t.is_tiny = !conservative && is_tiny(outline, bounds);
  finish(t, face);
  return !covers_nothing(t) || (list->remove_last(), false);
}

/// As batches leave triangles out, so that the list does not depend on what is set up together.
bool SetUp::Impl::covers_nothing(const Primitive& t) const {
  return t.is_tiny && t.right - (t.left & ~1) <= 4 && t.bottom - (t.top & ~1) <= 4 && has_batches() &&
         scan_tiny(t, state.samples[0], [](std::uint32_t, std::uint32_t) { return false; });
}

/// Whether all triangles lie in one view, have one sample a pixel, and are cut off by nothing but the clip volume.
bool SetUp::Impl::has_batches() const {
  return one_view && state.polygon_mode == PolygonMode::Fill && state.conservative == Conservative::Off &&
         state.samples.size() == 1 && mesh.layers.empty() && mesh.shading_rates.empty() &&
         mesh.clip_distances.empty() && mesh.cull_distances.empty();
}

/// The corners of some triangles. False where some have to be clipped.
bool SetUp::Impl::find_corners(const std::array<std::uint32_t, 3>* triangles, Batch& batch) {
  constexpr std::size_t kCorners = 3 * TriangleBatch::kCount;
  std::uint32_t vertices[kCorners], different = 0;
  std::memcpy(vertices, triangles, sizeof vertices);
  for (std::uint32_t k = 0; k < kCorners; ++k) different |= vertices[k] ^ (vertices[0] + k);
  std::uint8_t within = 0xff;
  if (different == 0) {  // one behind the other, as those that nobody shares are
    need(vertices[0] + kCorners - 1);
    for (std::size_t k = 0; k < kCorners; ++k) within &= known.within[vertices[0] + k];
    batch.found.corners = known.at.data() + vertices[0];
    return within != 0;
  }
  need(*std::max_element(vertices, vertices + kCorners));
  for (std::size_t k = 0; k < kCorners; ++k) {
    within &= known.within[vertices[k]];
    batch.corners[k] = known.at[vertices[k]];
  }
  batch.found.corners = batch.corners;
  return within != 0;
}

/// Triangles as triangle() would add them, but for tiny ones that cover nothing. False where some have to be clipped.
bool SetUp::Impl::add_batch(std::size_t first) {
  const std::array<std::uint32_t, 3>* triangles = mesh.triangles.data() + first;
  Batch of;
  TriangleBatch& batch = of.found;
  if (!find_corners(triangles, of)) return false;
  const auto narrow = [](std::int64_t at) { return static_cast<std::int32_t>(at); };
  batch.pixels = {narrow(view->bounds.left), narrow(view->bounds.top), narrow(view->bounds.right),
                  narrow(view->bounds.bottom)};
  batch.sample_x = narrow(samples.left);
  batch.sample_y = narrow(samples.top);
  functions.triangles(batch);
  clipped += TriangleBatch::kCount;
  for (std::size_t n = 0; n < TriangleBatch::kCount; ++n) {
    if (batch.drawn[n] == 0) continue;
    source = static_cast<std::uint32_t>(first + n);
    const auto& v = triangles[n];
    if (batch.tiny[n] == 0) {
      add_triangle(corner_of(v[0]), corner_of(v[1]), corner_of(v[2]));
      continue;
    }
    const Face face = face_of(batch.area[n]);
    if (!face.seen) continue;
    Primitive& t = add_primitive();
    for (std::size_t k = 0; k < 3; ++k) set_corner(t, k, batch.corners[3 * n + k], mesh.positions[v[k]][3], v[k]);
    t.left = batch.left[n];
    t.top = batch.top[n];
    t.right = batch.right[n];
    t.bottom = batch.bottom[n];
    t.is_tiny = true;
    t.block = batch.in_block[n] != 0 ? batch.block[n] : std::uint16_t{0};
    finish(t, face);
  }
  return true;
}

void SetUp::Impl::triangle() {
  const std::array<std::uint32_t, 3>& v = mesh.triangles[source];
  if (state.polygon_mode != PolygonMode::Fill) return draw_edges();
  need(std::max({v[0], v[1], v[2]}));
  if (is_inside(v[0]) && is_inside(v[1]) && is_inside(v[2])) {
    ++clipped;
    add_triangle(corner_of(v[0]), corner_of(v[1]), corner_of(v[2]));
    return;
  }
  take_rows(v.data(), 3);
  view->volume.clip_polygon(polygon, spare, linear());
  if (polygon.count() < 3) return;
  clipped += polygon.count() - 2;
  const std::size_t before = list->size();
  const Corner first = corner_of_row(0);
  Corner last = corner_of_row(1);
  for (std::size_t i = 2; i < polygon.count(); ++i) {
    const Corner next = corner_of_row(i);
    add_triangle(first, last, next);
    last = next;
  }
  list->number_pieces(before);
}

/// RAS-5: the triangle decides what is seen, its edges or corners are drawn.
void SetUp::Impl::draw_edges() {
  const std::array<std::uint32_t, 3> v = mesh.triangles[source];
  take_rows(v.data(), 3);
  view->volume.clip_polygon(polygon, spare, linear());
  if (polygon.count() >= 3) clipped += polygon.count() - 2;
  bool found = false, seen = false;
  for (std::size_t i = 2; !found && i < polygon.count(); ++i) {
    const Corner a = corner_at(polygon.position(0), 0), b = corner_at(polygon.position(i - 1), 0),
                 c = corner_at(polygon.position(i), 0);
    const Face face = face_of(a.at, b.at, c.at);
    seen = face.seen;
    found = face.area != 0;
    front = face.front;
    if (!seen || !state.depth_bias) continue;
    Primitive& t = add_primitive(a, b, c);
    t.area = face.area;
    bias = depth_bias(*state.depth_bias, t);
    list->remove_last();
  }
  if (!seen) return;
  for (std::size_t k = 0; k < 3; ++k)
    if (state.polygon_mode == PolygonMode::Point) {
      point(v[k]);
    } else {
      stipple = 0;
      line(v[k], v[(k + 1) % 3]);
    }
}

/// The pixels of a primitive with an outline. `limited`: to the viewport.
void SetUp::Impl::outline_bounds(Primitive& t, bool limited) const {
  const auto [min_x, max_x] = std::ranges::minmax(t.outline_x);
  const auto [min_y, max_y] = std::ranges::minmax(t.outline_y);
  set_bounds(t, covered_bounds<std::int64_t>({min_x, min_y, max_x, max_y}, limited ? view->bounds : view->scissor,
                                             t.shape == Primitive::Shape::Smooth ? anywhere : samples));
}

/// RAS-1: a square; it is there when its center is (PRM-4).
bool SetUp::Impl::point(std::uint32_t vertex) {
  need(vertex);
  if (!is_inside(vertex) || !view->volume.shows(mesh.positions[vertex])) return false;
  const Corner at = corner_of(vertex);
  Primitive& t = add_primitive(at, at, at);
  const double size = mesh.point_sizes.empty() ? 1 : std::clamp(mesh.point_sizes[vertex], kMinPoint, kMaxPoint);
  const auto half = static_cast<std::int32_t>(std::llrint(size * (static_cast<double>(kPixel) / 2)));
  const std::int32_t left = t.x[0] - half, top = t.y[0] - half, right = t.x[0] + half, bottom = t.y[0] + half;
  t.x = {left, right, left};
  t.y = {top, top, bottom};
  t.area = std::int64_t{4} * half * half;
  t.outline_x = {left, right, right, left};
  t.outline_y = {top, top, bottom, bottom};
  t.shape = Primitive::Shape::Outline;
  t.is_point = true;
  outline_bounds(t, false);
  if (!is_shown(t)) list->remove_last();
  return true;
}

bool SetUp::Impl::line(std::uint32_t from, std::uint32_t to) {
  need(std::max(from, to));
  const bool wide = state.line_width > 1;
  const auto inside = [&](std::uint32_t v) { return is_inside(v) && (!wide || view->volume.shows(mesh.positions[v])); };
  if (inside(from) && inside(to)) return add_line(corner_of(from), corner_of(to)), true;
  const std::uint32_t ends[2] = {from, to};
  take_rows(ends, 2);
  view->volume.clip_line(polygon, linear(), wide);
  if (polygon.count() != 2) return false;
  const Corner a = corner_of_row(0), b = corner_of_row(1);
  add_line(a, b);
  return true;
}

void SetUp::Impl::add_line(const Corner& a, const Corner& b) {
  Primitive& t = add_primitive(a, b, a);
  const std::int32_t dx = t.x[1] - t.x[0], dy = t.y[1] - t.y[0];
  t.x[2] = t.x[0] - dy;
  t.y[2] = t.y[0] + dx;
  t.area = std::int64_t{dx} * dx + std::int64_t{dy} * dy;
  if (t.area == 0) return list->remove_last();
  t.stipple_at = stipple;
  const double length = std::sqrt(static_cast<double>(t.area));
  if (state.line_mode == LineMode::Bresenham) {
    t.shape = Primitive::Shape::Bresenham;
    t.columns = static_cast<std::int32_t>(std::clamp(std::nearbyint(state.line_width), 1.0, kMaxLine));
    const std::int32_t reach = (t.columns / 2 + 2) * static_cast<std::int32_t>(kPixel);
    t.outline_x = {std::min(t.x[0], t.x[1]) - reach, std::max(t.x[0], t.x[1]) + reach, t.x[0], t.x[1]};
    t.outline_y = {std::min(t.y[0], t.y[1]) - reach, std::max(t.y[0], t.y[1]) + reach, t.y[0], t.y[1]};
    if (state.line_stipple) {
      t.stipple_at -= static_cast<double>(BresenhamLine(t).first_step());
      stipple += static_cast<double>(BresenhamLine(t).steps());
    }
  } else {
    t.shape = state.line_mode == LineMode::Smooth ? Primitive::Shape::Smooth : Primitive::Shape::Outline;
    const double half = std::clamp(state.line_width, kMinLine, kMaxLine) * (static_cast<double>(kPixel) / 2) / length;
    const auto nx = static_cast<std::int32_t>(std::llrint(-dy * half)),
               ny = static_cast<std::int32_t>(std::llrint(dx * half));
    t.outline_x = {t.x[0] + nx, t.x[1] + nx, t.x[1] - nx, t.x[0] - nx};
    t.outline_y = {t.y[0] + ny, t.y[1] + ny, t.y[1] - ny, t.y[0] - ny};
    stipple += length / kPixel;
  }
  outline_bounds(t, state.line_width <= 1);
  if (!is_shown(t)) list->remove_last();
}

void KnownVertices::begin(const Mesh& mesh) {
  count = 0;
  if (at.size() >= mesh.positions.size()) return;
  at.resize(mesh.positions.size());
  within.resize(mesh.positions.size());
}

SetUp::SetUp(const Mesh& mesh, const RasterState& state, KnownVertices& known)
    : impl_(std::make_unique<Impl>(mesh, state, known)) {}
SetUp::~SetUp() = default;
std::uint64_t SetUp::clipped() const { return impl_->clipped; }
bool SetUp::knows_vertices() const { return impl_->one_view; }

void SetUp::know(std::size_t first, std::size_t last) {
  if (!impl_->one_view || first >= last) return;
  impl_->view = &impl_->views[0];
  impl_->find_vertices(first, last);
}

void SetUp::add(std::size_t first, std::size_t last, PrimitiveList& list) {
  Impl& i = *impl_;
  i.list = &list;
  const bool batches = !i.mesh.triangles.empty() && i.has_batches();
  for (std::size_t index = first; index < last; ++index) {
    if (batches && index + TriangleBatch::kCount <= last && i.begin(index, 3) && i.add_batch(index)) {
      index += TriangleBatch::kCount - 1;
      continue;
    }
    if (!i.mesh.triangles.empty()) {
      if (i.begin(index, 3)) i.triangle();
    } else if (!i.mesh.lines.empty()) {
      const MeshLine& line = i.mesh.lines[index];
      if (!line.continues) i.stipple = 0;
      if (i.begin(index, 2) && i.line(line.from, line.to)) ++i.clipped;
    } else if (i.begin(index, 1) && i.point(i.mesh.points[index])) {
      ++i.clipped;
    }
  }
}

PrimitiveList set_up(const Mesh& mesh, const RasterState& state) {
  PrimitiveList list;
  list.begin(mesh);
  KnownVertices known;
  known.begin(mesh);
  SetUp(mesh, state, known).add(0, mesh.count(), list);
  return list;
}

}  // namespace heddle::pipeline
