// SPDX-License-Identifier: MIT
// Rules: PIX-2.
#include "job/formats/gltf.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>

#include "base/base64.hpp"
#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "base/node.hpp"

namespace heddle::job {
namespace {

using base::Node;
using pipeline::MeshAttribute;
using Matrix = std::array<double, 16>;  // columns

constexpr Matrix kIdentity{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
constexpr unsigned kMaxDepth = 64;

struct Wrong {
  base::Diagnostic diagnostic;
};

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix out{};
  for (std::size_t c = 0; c < 4; ++c)
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t k = 0; k < 4; ++k) out[c * 4 + r] += a[k * 4 + r] * b[c * 4 + k];
  return out;
}

/// Numbers of an accessor, in order.
struct Values {
  std::size_t components = 0, count = 0;
  std::vector<double> numbers;
};

struct NamedAttribute {
  const char* key;
  const char* name;
  std::size_t components;
};
constexpr std::array kAttributes{NamedAttribute{"TEXCOORD_0", "uv", 2}, NamedAttribute{"TEXCOORD_1", "uv1", 2},
                                 NamedAttribute{"NORMAL", "normal", 3}, NamedAttribute{"COLOR_0", "color", 4}};

class GltfReader {
 public:
  GltfReader(const std::string& path, const base::Limits& limits) : path_(path), limits_(limits) {}

  /// Throws Wrong.
  NamedMesh read(std::span<const std::uint8_t> bytes) {
    split(bytes);
    for (std::size_t i = 0; i < kAttributes.size(); ++i) {
      attributes_[i].components = static_cast<std::uint32_t>(kAttributes[i].components);
      present_[i] = false;
    }
    if (const Node* scenes = root_.find("scenes"); scenes != nullptr && !scenes->items.empty()) {
      const Node& scene = item(*scenes, "scenes", root_.find("scene") != nullptr ? index(root_, "scene") : 0);
      for (const std::size_t n : indices(scene, "nodes")) node(n, kIdentity, 0);
    } else if (const Node* nodes = root_.find("nodes")) {
      for (std::size_t n = 0; n < nodes->items.size(); ++n) node(n, kIdentity, 0);
    }
    if (mesh_.mesh.triangles.empty()) fail("the file's scene has no triangles", "mesh-empty");
    for (std::size_t i = 0; i < kAttributes.size(); ++i)
      if (present_[i]) mesh_.add(kAttributes[i].name, std::move(attributes_[i]));
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void fail(std::string message, const char* id = "mesh-gltf") const {
    throw Wrong{base::error(id, std::move(message), base::Place::in_file(path_))};
  }

  // --- the container ---

  static std::uint32_t word(std::span<const std::uint8_t> bytes, std::size_t at) {
    std::uint32_t value = 0;
    if (at + 4 <= bytes.size()) std::memcpy(&value, bytes.data() + at, 4);
    return value;
  }

  /// The JSON, and the binary part of a .glb.
  void split(std::span<const std::uint8_t> bytes) {
    std::string_view json = base::as_text(bytes);
    if (json.starts_with("glTF")) {
      if (word(bytes, 4) != 2) fail(fmt::format("glTF 2 is read, not version {}", word(bytes, 4)));
      json = {};
      for (std::size_t at = 12; at + 8 <= bytes.size();) {
        const std::size_t length = word(bytes, at);
        const std::uint32_t kind = word(bytes, at + 4);
        if (length > bytes.size() - at - 8) fail(fmt::format("the part at byte {} runs past the end of the file", at));
        const auto part = bytes.subspan(at + 8, length);
        if (kind == 0x4e4f534a) json = base::as_text(part);
        if (kind == 0x004e4942) binary_ = part;
        at += 8 + (length + 3) / 4 * 4;
      }
      if (json.empty()) fail("the file has no JSON part");
    }
    auto root = base::parse_json(json, path_, limits_);
    if (!root.ok()) throw Wrong{root.diagnostics()[0]};
    root_ = std::move(*root);
    if (root_.kind != Node::Kind::Table) fail("the JSON is no object");
    check_asset();
  }

  /// The version, and the extensions without which the file means something else.
  void check_asset() const {
    const Node* asset = root_.find("asset");
    const Node* version = asset == nullptr ? nullptr : asset->find("version");
    if (version == nullptr || version->kind != Node::Kind::Text) fail("the file names no version: asset.version");
    const Node* least = asset->find("minVersion");
    for (const Node* each : {version, least})
      if (each != nullptr && (each == least ? each->text != "2.0" : !each->text.starts_with("2.")))
        fail(fmt::format("glTF 2.0 is read, not version {}", each->text));
    const Node* required = root_.find("extensionsRequired");
    if (required == nullptr) return;
    for (const Node& extension : required->items) {
      static constexpr std::array<std::string_view, 2> kHarmless{"KHR_materials_", "KHR_texture_"};  // no geometry
      const auto starts = [&](std::string_view prefix) { return extension.text.starts_with(prefix); };
      if (extension.text == "KHR_mesh_quantization" || std::ranges::any_of(kHarmless, starts)) continue;
      fail(fmt::format("the file needs the extension '{}', which is not read", extension.text));
    }
  }

  // --- JSON ---

  const Node& item(const Node& list, std::string_view what, std::size_t i) const {
    if (list.kind != Node::Kind::Array || i >= list.items.size() || list.items[i].kind != Node::Kind::Table)
      fail(fmt::format("{}[{}] does not exist", what, i));
    return list.items[i];
  }
  const Node& element(const char* list, std::size_t i) const {
    const Node* found = root_.find(list);
    if (found == nullptr) fail(fmt::format("there are no {}", list));
    return item(*found, list, i);
  }
  std::size_t index(const Node& table, const char* key) const {
    const Node* found = table.find(key);
    if (found == nullptr || found->kind != Node::Kind::Integer || found->big || found->integer < 0 ||
        found->integer > INT32_MAX)
      fail(fmt::format("'{}' is no index", key));
    return static_cast<std::size_t>(found->integer);
  }
  std::size_t size(const Node& table, const char* key, std::size_t missing) const {
    return table.find(key) == nullptr ? missing : index(table, key);
  }
  std::vector<std::size_t> indices(const Node& table, const char* key) const {
    std::vector<std::size_t> list;
    const Node* found = table.find(key);
    if (found == nullptr) return list;
    for (const Node& n : found->items) {
      if (n.kind != Node::Kind::Integer || n.big || n.integer < 0 || n.integer > INT32_MAX)
        fail(fmt::format("'{}' holds no indices", key));
      list.push_back(static_cast<std::size_t>(n.integer));
    }
    return list;
  }
  /// So many numbers; false where the key is missing.
  bool numbers(const Node& table, const char* key, std::span<double> out) const {
    const Node* found = table.find(key);
    if (found == nullptr) return false;
    if (found->kind != Node::Kind::Array || found->items.size() != out.size())
      fail(fmt::format("'{}' of a node needs {} numbers", key, out.size()));
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!found->items[i].is_number()) fail(fmt::format("'{}' of a node needs {} numbers", key, out.size()));
      out[i] = found->items[i].as_real();
    }
    return true;
  }

  // --- buffers ---

  std::span<const std::uint8_t> buffer(std::size_t i) {
    const Node& entry = element("buffers", i);
    if (i >= buffers_.size()) buffers_.resize(i + 1);
    if (buffers_[i]) return *buffers_[i];
    const Node* uri = entry.find("uri");
    if (uri == nullptr) {
      if (i != 0 || binary_.empty()) fail(fmt::format("buffer {} has no bytes", i));
      return binary_;
    }
    if (uri->text.starts_with("data:")) {
      const std::size_t comma = uri->text.find(";base64,");
      auto bytes =
          comma == std::string::npos ? std::nullopt : base::parse_base64(std::string_view(uri->text).substr(comma + 8));
      if (!bytes) fail(fmt::format("the data of buffer {} is not base64", i));
      buffers_[i] = std::move(*bytes);
    } else {
      if (uri->text.find("://") != std::string::npos) fail(fmt::format("'{}' is no file", uri->text));
      auto bytes = base::read_file((std::filesystem::path(path_).parent_path() / uri->text).string(), limits_);
      if (!bytes.ok()) throw Wrong{bytes.diagnostics()[0]};
      buffers_[i] = std::move(*bytes);
    }
    return *buffers_[i];
  }

  static std::size_t component_bytes(std::size_t type) {
    return type == 5120 || type == 5121 ? 1 : type == 5122 || type == 5123 ? 2 : type == 5125 || type == 5126 ? 4 : 0;
  }
  static std::size_t component_count(std::string_view type) {
    return type == "SCALAR" ? 1 : type == "VEC2" ? 2 : type == "VEC3" ? 3 : type == "VEC4" ? 4 : 0;
  }
  static double number(const std::uint8_t* at, std::size_t type, bool normalized) {
    const auto read = [&]<typename T>(T value) {
      std::memcpy(&value, at, sizeof value);
      const double real = value;
      if (!normalized) return real;
      return std::max(real / static_cast<double>(std::numeric_limits<T>::max()), -1.0);
    };
    switch (type) {
      case 5120:
        return read(std::int8_t{});
      case 5121:
        return read(std::uint8_t{});
      case 5122:
        return read(std::int16_t{});
      case 5123:
        return read(std::uint16_t{});
      case 5125:
        return read(std::uint32_t{});
      default: {
        float value = 0;
        std::memcpy(&value, at, 4);
        return static_cast<double>(value);
      }
    }
  }

  Values accessor(std::size_t i) {
    const Node& a = element("accessors", i);
    if (a.find("sparse") != nullptr) fail(fmt::format("accessor {} is sparse, which is not read", i));
    const Node* word = a.find("type");
    Values values;
    values.components = component_count(word == nullptr ? std::string_view() : std::string_view(word->text));
    values.count = index(a, "count");
    const std::size_t type = index(a, "componentType"), bytes = component_bytes(type);
    if (values.components == 0 || bytes == 0) fail(fmt::format("accessor {} has a type that vertices do not have", i));
    const Node& view = element("bufferViews", index(a, "bufferView"));
    const auto all = buffer(index(view, "buffer"));
    const std::size_t begin = size(view, "byteOffset", 0), length = index(view, "byteLength");
    if (begin > all.size() || length > all.size() - begin)
      fail(fmt::format("bufferView {} leaves its buffer of {} bytes", index(a, "bufferView"), all.size()));
    const auto part = all.subspan(begin, length);
    const std::size_t one = values.components * bytes, stride = size(view, "byteStride", one),
                      offset = size(a, "byteOffset", 0);
    const bool inside = values.count == 0 || (offset <= part.size() && one <= part.size() - offset && stride >= one &&
                                              (values.count - 1) <= (part.size() - offset - one) / stride);
    if (!inside) fail(fmt::format("accessor {} leaves its bufferView of {} bytes", i, part.size()));
    const Node* normalized = a.find("normalized");
    values.numbers.reserve(values.count * values.components);
    for (std::size_t n = 0; n < values.count; ++n)
      for (std::size_t c = 0; c < values.components; ++c)
        values.numbers.push_back(
            number(part.data() + offset + n * stride + c * bytes, type, normalized != nullptr && normalized->boolean));
    return values;
  }

  // --- the scene ---

  Matrix transform(const Node& n) const {
    Matrix m = kIdentity;
    if (numbers(n, "matrix", m)) return m;
    std::array<double, 3> t{0, 0, 0}, s{1, 1, 1};
    std::array<double, 4> q{0, 0, 0, 1};
    (void)numbers(n, "translation", t);
    (void)numbers(n, "rotation", q);
    (void)numbers(n, "scale", s);
    const auto [x, y, z, w] = q;
    return {s[0] * (1 - 2 * (y * y + z * z)),
            s[0] * 2 * (x * y + z * w),
            s[0] * 2 * (x * z - y * w),
            0,
            s[1] * 2 * (x * y - z * w),
            s[1] * (1 - 2 * (x * x + z * z)),
            s[1] * 2 * (y * z + x * w),
            0,
            s[2] * 2 * (x * z + y * w),
            s[2] * 2 * (y * z - x * w),
            s[2] * (1 - 2 * (x * x + y * y)),
            0,
            t[0],
            t[1],
            t[2],
            1};
  }

  void node(std::size_t i, const Matrix& parent, unsigned depth) {
    // A node may have one parent: visiting more nodes than there are is a cycle, or one with several.
    const Node* nodes = root_.find("nodes");
    if (depth > kMaxDepth || nodes == nullptr || ++visited_ > nodes->items.size())
      fail("the nodes are no tree, or a deep one");
    const Node& n = element("nodes", i);
    const Matrix m = parent * transform(n);
    if (n.find("mesh") != nullptr) {
      const Node& mesh = element("meshes", index(n, "mesh"));
      if (const Node* primitives = mesh.find("primitives"))
        for (std::size_t p = 0; p < primitives->items.size(); ++p) primitive(item(*primitives, "primitives", p), m);
    }
    for (const std::size_t child : indices(n, "children")) node(child, m, depth + 1);
  }

  /// Normals go through the inverse transpose: the matrix of cofactors, up to a length.
  static std::array<double, 3> turned(const Matrix& m, const double* n) {
    const auto a = [&](std::size_t r, std::size_t c) { return m[c * 4 + r]; };
    std::array<double, 3> out{};
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
        out[r] += (a(r1, c1) * a(r2, c2) - a(r1, c2) * a(r2, c1)) * n[c];
      }
    const double length = std::sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    if (length > 0 && std::isfinite(length))
      for (double& v : out) v /= length;
    return out;
  }
  static double determinant(const Matrix& m) {
    return m[0] * (m[5] * m[10] - m[9] * m[6]) - m[4] * (m[1] * m[10] - m[9] * m[2]) +
           m[8] * (m[1] * m[6] - m[5] * m[2]);
  }

  void primitive(const Node& p, const Matrix& m) {
    const std::size_t mode = size(p, "mode", 4);
    if (mode < 4 || mode > 6) return;  // points and lines
    const Node* attributes = p.find("attributes");
    if (attributes == nullptr || attributes->find("POSITION") == nullptr) fail("a primitive lacks POSITION");
    const Values position = accessor(index(*attributes, "POSITION"));
    if (position.components != 3) fail("POSITION has three components");
    auto& all = mesh_.mesh.positions;
    const auto first = static_cast<std::uint32_t>(all.size());
    if ((all.size() + position.count) * 256 > limits_.memory_bytes || all.size() + position.count > INT32_MAX)
      throw Wrong{base::limit_error("limit-memory", "the mesh needs more memory than --max-memory allows",
                                    base::Place::in_file(path_))};
    for (std::size_t v = 0; v < position.count; ++v) {
      const double* from = position.numbers.data() + v * 3;
      std::array<double, 4> to{};
      for (std::size_t r = 0; r < 4; ++r) to[r] = m[r] * from[0] + m[4 + r] * from[1] + m[8 + r] * from[2] + m[12 + r];
      all.push_back(to);
    }
    for (std::size_t a = 0; a < kAttributes.size(); ++a) attribute(a, *attributes, position.count, m);
    triangles(p, mode, first, position.count, determinant(m) < 0);
  }

  void attribute(std::size_t a, const Node& attributes, std::size_t count, const Matrix& m) {
    const NamedAttribute& row = kAttributes[a];
    std::vector<double>& out = attributes_[a].values;
    if (attributes.find(row.key) == nullptr) {
      out.resize(out.size() + count * row.components);
      return;
    }
    present_[a] = true;
    const Values values = accessor(index(attributes, row.key));
    const bool color = row.components == 4;
    if (values.count != count || (values.components != row.components && !(color && values.components == 3)))
      fail(fmt::format("{} has {} values of {} components for {} vertices", row.key, values.count, values.components,
                       count));
    for (std::size_t v = 0; v < count; ++v) {
      const double* from = values.numbers.data() + v * values.components;
      if (row.components == 3) {
        for (const double value : turned(m, from)) out.push_back(value);
        continue;
      }
      for (std::size_t c = 0; c < row.components; ++c) out.push_back(c < values.components ? from[c] : 1.0);
    }
  }

  void triangles(const Node& p, std::size_t mode, std::uint32_t first, std::size_t vertices, bool mirrored) {
    std::vector<std::uint32_t> order;
    if (p.find("indices") != nullptr) {
      const Values list = accessor(index(p, "indices"));
      for (const double i : list.numbers) {
        if (!(i >= 0 && i < static_cast<double>(vertices)))
          fail(fmt::format("index {} names none of the {} vertices", i, vertices));
        order.push_back(static_cast<std::uint32_t>(i));
      }
    } else {
      for (std::size_t v = 0; v < vertices; ++v) order.push_back(static_cast<std::uint32_t>(v));
    }
    const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
      if (mirrored) std::swap(b, c);
      mesh_.mesh.triangles.push_back({first + a, first + b, first + c});
    };
    if (mode == 4)
      for (std::size_t i = 0; i + 2 < order.size(); i += 3) add(order[i], order[i + 1], order[i + 2]);
    else
      for (std::size_t i = 0; i + 2 < order.size(); ++i) {
        if (mode == 6)
          add(order[0], order[i + 1], order[i + 2]);
        else
          add(order[i], order[i + 1 + i % 2], order[i + 2 - i % 2]);
      }
  }

  const std::string& path_;
  const base::Limits& limits_;
  Node root_;
  std::span<const std::uint8_t> binary_;
  std::vector<std::optional<std::vector<std::uint8_t>>> buffers_;
  std::size_t visited_ = 0;
  NamedMesh mesh_;
  std::array<MeshAttribute, kAttributes.size()> attributes_;
  std::array<bool, kAttributes.size()> present_{};
};

}  // namespace

base::Result<NamedMesh> parse_gltf(std::span<const std::uint8_t> bytes, const std::string& path,
                                   const base::Limits& limits) {
  try {
    return GltfReader(path, limits).read(bytes);
  } catch (Wrong& wrong) {
    return std::move(wrong.diagnostic);
  }
}

}  // namespace heddle::job
