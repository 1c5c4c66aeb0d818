// SPDX-License-Identifier: MIT
// The triangle meshes of the examples, already in clip coordinates (Vulkan's: y down, depth 0...1).

#include <cstddef>
#include <cstdio>
#include <vector>

#include "drawings.hpp"

namespace examples {
namespace {

struct Vec {
  double x = 0, y = 0, z = 0;
  Vec operator+(const Vec& o) const { return {x + o.x, y + o.y, z + o.z}; }
  Vec operator-(const Vec& o) const { return {x - o.x, y - o.y, z - o.z}; }
  Vec operator*(double k) const { return {x * k, y * k, z * k}; }
};
double dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec cross(const Vec& a, const Vec& b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
Vec unit(const Vec& a) { return a * (1 / std::sqrt(dot(a, a))); }

constexpr double kTurn = 6.28318530717959;

struct Vertex {
  Vec position, normal, color;
  double u = 0, v = 0;
};

struct Mesh {
  std::vector<Vertex> vertices;
  std::vector<std::array<std::size_t, 3>> triangles;

  void quad(const Vec& corner, const Vec& side, const Vec& up, const Vec& normal, const Vec& color) {
    const std::size_t first = vertices.size();
    vertices.push_back({corner, normal, color, 0, 1});
    vertices.push_back({corner + side, normal, color, 1, 1});
    vertices.push_back({corner + side + up, normal, color, 1, 0});
    vertices.push_back({corner + up, normal, color, 0, 0});
    triangles.push_back({first, first + 1, first + 2});
    triangles.push_back({first, first + 2, first + 3});
  }
  void box(const Vec& low, const Vec& high, const Vec& color) {
    const Vec d = high - low, x{d.x, 0, 0}, y{0, d.y, 0}, z{0, 0, d.z};
    quad(low, x, y, {0, 0, -1}, color);
    quad(low + z, x, y, {0, 0, 1}, color);
    quad(low, z, y, {-1, 0, 0}, color);
    quad(low + x, z, y, {1, 0, 0}, color);
    quad(low + y, x, z, {0, 1, 0}, color);
    quad(low, x, z, {0, -1, 0}, color);
  }
  /// A grid of (columns + 1) x (rows + 1) points of a surface f(s, t), both 0...1.
  template <typename F>
  void grid(std::size_t columns, std::size_t rows, const F& f) {
    const std::size_t first = vertices.size();
    for (std::size_t j = 0; j <= rows; ++j)
      for (std::size_t i = 0; i <= columns; ++i)
        vertices.push_back(f(static_cast<double>(i) / static_cast<double>(columns),
                             static_cast<double>(j) / static_cast<double>(rows)));
    for (std::size_t j = 0; j < rows; ++j)
      for (std::size_t i = 0; i < columns; ++i) {
        const std::size_t a = first + j * (columns + 1) + i, b = a + columns + 1;
        triangles.push_back({a, a + 1, b});
        triangles.push_back({a + 1, b + 1, b});
      }
  }
  void sphere(const Vec& center, double radius, const Vec& color) {
    grid(32, 20, [&](double s, double t) {
      const Vec n{sine(t * kTurn / 2) * cosine(s * kTurn), cosine(t * kTurn / 2),
                  sine(t * kTurn / 2) * sine(s * kTurn)};
      return Vertex{center + n * radius, n, color, s, t};
    });
  }
  /// A ring around `axis` (unit) through `center`.
  void torus(const Vec& center, const Vec& axis, double radius, double tube, const Vec& color, std::size_t around,
             std::size_t across) {
    const Vec p = unit(cross(axis, std::abs(axis.y) < 0.9 ? Vec{0, 1, 0} : Vec{1, 0, 0})), q = cross(axis, p);
    grid(around, across, [&](double s, double t) {
      const Vec out = p * cosine(s * kTurn) + q * sine(s * kTurn), n = out * cosine(t * kTurn) + axis * sine(t * kTurn);
      return Vertex{center + out * radius + n * tube, n, color, s * 8, t * 2};
    });
  }
};

struct View {
  Vec eye, right, up, forward;
  double scale_x, scale_y, near, far;
  bool perspective;

  static View look(const Vec& eye, const Vec& at, double scale_x, double scale_y, double near, double far,
                   bool perspective) {
    const Vec forward = unit(at - eye), right = unit(cross(forward, {0, 1, 0}));
    return {eye, right, cross(right, forward), forward, scale_x, scale_y, near, far, perspective};
  }
  std::array<double, 4> clip(const Vec& p) const {
    const Vec d = p - eye;
    const double z = dot(d, forward);
    if (!perspective) return {dot(d, right) * scale_x, -dot(d, up) * scale_y, (z - near) / (far - near), 1};
    return {dot(d, right) * scale_x, -dot(d, up) * scale_y, (z - near) * far / (far - near), z};
  }
};

void number(std::string& out, double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  out += text;
}

void list(std::string& out, std::initializer_list<double> values) {
  out += '[';
  bool first = true;
  for (const double value : values) {
    if (!first) out += ',';
    number(out, value);
    first = false;
  }
  out += "],\n";
}

/// Positions by the view; attributes world, normal, color, uv, and light: where the point is in the light's view (0...1
/// and depth).
bool save_mesh(const std::string& path, const Mesh& mesh, const View& view, const View* light = nullptr) {
  std::string out = "{\"position\": [\n";
  const auto end = [&](const char* next) { out.replace(out.size() - 2, 2, next); };
  for (const Vertex& v : mesh.vertices) {
    const auto p = view.clip(v.position);
    list(out, {p[0], p[1], p[2], p[3]});
  }
  end("],\n\"attributes\": {\"world\": [\n");
  for (const Vertex& v : mesh.vertices) list(out, {v.position.x, v.position.y, v.position.z});
  end("],\n\"normal\": [\n");
  for (const Vertex& v : mesh.vertices) list(out, {v.normal.x, v.normal.y, v.normal.z});
  end("],\n\"color\": [\n");
  for (const Vertex& v : mesh.vertices) list(out, {v.color.x, v.color.y, v.color.z});
  end("],\n\"uv\": [\n");
  for (const Vertex& v : mesh.vertices) list(out, {v.u, v.v});
  if (light != nullptr) {
    end("],\n\"light\": [\n");
    for (const Vertex& v : mesh.vertices) {
      const auto p = light->clip(v.position);
      list(out, {p[0] * 0.5 + 0.5, p[1] * 0.5 + 0.5, p[2]});
    }
  }
  end("]},\n\"triangles\": [\n");
  for (const auto& t : mesh.triangles)
    out += '[' + std::to_string(t[0]) + ',' + std::to_string(t[1]) + ',' + std::to_string(t[2]) + "],\n";
  end("]}\n");
  return write(path, out);
}

/// Columns, balls and a ring on a terrace.
Mesh terrace() {
  Mesh mesh;
  const Vec marble{0.86, 0.82, 0.74}, copper{0.72, 0.33, 0.20}, teal{0.16, 0.46, 0.48}, gold{0.86, 0.62, 0.22};
  mesh.quad({-6, 0, -6}, {12, 0, 0}, {0, 0, 12}, {0, 1, 0}, {0.78, 0.74, 0.68});
  for (int i = 0; i < 4; ++i) {
    const double x = -2.7 + 1.8 * i;
    mesh.box({x - 0.3, 0, -2.3}, {x + 0.3, 0.16, -1.7}, marble);
    mesh.grid(24, 1, [&](double s, double t) {
      const Vec n{cosine(s * kTurn), 0, sine(s * kTurn)};
      return Vertex{Vec{x, 0.16 + 1.7 * t, -2} + n * (0.22 - 0.03 * t), n, marble, s, t};
    });
    mesh.box({x - 0.28, 1.86, -2.28}, {x + 0.28, 2.0, -1.72}, marble);
  }
  mesh.box({-3.1, 2.0, -2.3}, {3.1, 2.25, -1.7}, marble);
  mesh.sphere({-1.55, 0.55, 0.25}, 0.55, copper);
  mesh.sphere({0.25, 0.34, 1.35}, 0.34, teal);
  mesh.torus({1.55, 0.86, 0.1}, unit({0.45, 0.1, 1}), 0.66, 0.2, gold, 48, 18);
  mesh.box({-0.35, 0, -0.75}, {0.35, 0.7, -0.05}, teal);
  mesh.sphere({0, 1.0, -0.4}, 0.3, gold);
  return mesh;
}

/// Cards with the leaf's picture, turned about their stems: a bush against the light.
Mesh foliage() {
  Mesh mesh;
  for (std::uint32_t i = 0; i < 210; ++i) {
    const double ring = std::sqrt(random_at(i, 1, 70)), angle = random_at(i, 2, 70) * kTurn;
    const Vec root{1.55 * ring * cosine(angle), 0.1 + 1.75 * random_at(i, 3, 70) * (1 - 0.5 * ring),
                   1.2 * ring * sine(angle)};
    const double lean = (random_at(i, 4, 70) - 0.5) * 1.9 + 0.5 * root.x, turn = random_at(i, 5, 70) * kTurn,
                 size = 0.55 + 0.4 * random_at(i, 6, 70);
    const Vec up = unit({sine(lean), cosine(lean), 0.7 * (random_at(i, 7, 70) - 0.3)});
    const Vec side = unit(cross(up, {cosine(turn) * 0.6, 0.2, 1}));
    const double tone = 0.6 + 0.5 * random_at(i, 8, 70);
    const double autumn = random_at(i, 9, 70);
    const Vec tint = autumn > 0.88   ? Vec{1.9, 0.75, 0.5}
                     : autumn > 0.74 ? Vec{1.6, 1.1, 0.5}
                                     : Vec{tone, tone, tone * 0.9};
    mesh.quad(root - side * (size * 0.5), side * size, up * size, unit(cross(side, up)),
              tint * (0.65 + 0.25 * root.z + 0.1 * root.y));
  }
  return mesh;
}

/// Two linked rings over a floor.
Mesh rings() {
  Mesh mesh;
  mesh.quad({-4, -1.15, -4}, {8, 0, 0}, {0, 0, 8}, {0, 1, 0}, {0.55, 0.56, 0.60});
  for (Vertex& v : mesh.vertices) v.u *= 6, v.v *= 6;
  mesh.torus({-0.45, 0, 0}, unit({0.25, 1, 0.35}), 1.0, 0.36, {0.95, 0.52, 0.26}, 72, 28);
  mesh.torus({0.55, 0.1, 0}, unit({0.1, -0.25, 1}), 1.0, 0.36, {0.25, 0.55, 0.88}, 72, 28);
  return mesh;
}

}  // namespace

bool save_meshes(const std::string& folder) {
  const View camera = View::look({3.4, 3.0, 6.2}, {0.1, 0.72, -0.3}, 2.5 * 2 / 3, 2.5, 0.5, 20, true);
  const View light = View::look({-6.0, 6.2, 2.4}, {0, 0.5, -0.2}, 1 / 4.3, 1 / 4.3, 3.5, 13.5, false);
  const View garden = View::look({0, 1.3, 5.2}, {0, 1.12, 0}, 2.05, 2.05 * 1.5, 0.5, 20, true);
  const View table = View::look({2.1, 2.3, 4.6}, {0, -0.1, 0}, 2.0, 2.0, 0.5, 20, true);
  return save_mesh(folder + "/terrace.json", terrace(), camera, &light) &&
         save_mesh(folder + "/terrace-from-light.json", terrace(), light) &&
         save_mesh(folder + "/foliage.json", foliage(), garden) && save_mesh(folder + "/rings.json", rings(), table);
}

}  // namespace examples
