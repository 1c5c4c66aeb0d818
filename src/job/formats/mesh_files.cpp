// SPDX-License-Identifier: MIT
// Rules: PIX-2.
#include "job/formats/mesh_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "base/node.hpp"
#include "job/formats/gltf.hpp"

namespace heddle::job {
namespace {

using base::Node;
using pipeline::MeshAttribute;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (true) {
    at = line.find_first_not_of(" \t\r", at);
    if (at == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
}

bool number(std::string_view word, double& value) {
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
  return result.ec == std::errc() && result.ptr == word.data() + word.size() && std::isfinite(value);
}

/// One corner of a face: "v", "v/vt", "v//vn" or "v/vt/vn"; 1-based, negative from the end of the lists with
/// these sizes. -1: not given.
bool parse_corner(std::string_view word, const std::array<std::size_t, 3>& sizes, std::array<std::int64_t, 3>& out) {
  out = {-1, -1, -1};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t slash = std::min(word.find('/'), word.size());
    const std::string_view part = word.substr(0, slash);
    if (!part.empty()) {
      std::int64_t index = 0;
      const auto result = std::from_chars(part.data(), part.data() + part.size(), index);
      if (result.ec != std::errc() || result.ptr != part.data() + part.size()) return false;
      out[i] = index > 0 ? index - 1 : static_cast<std::int64_t>(sizes[i]) + index;
      if (index == 0 || out[i] < 0 || out[i] >= static_cast<std::int64_t>(sizes[i])) return false;
    }
    if (slash == word.size()) break;
    word.remove_prefix(slash + 1);
  }
  return out[0] >= 0;
}

/// Reads an OBJ file line by line.
class ObjReader {
 public:
  explicit ObjReader(const std::string& file) : file_(file) {}

  /// Nothing, or what is wrong with the line.
  std::optional<base::Diagnostic> line(std::string_view text) {
    ++line_;
    words_ = words_of(text.substr(0, std::min(text.size(), text.find('#'))));
    if (words_.empty()) return std::nullopt;
    if (words_[0] == "v") {
      std::array<double, 4> p{0, 0, 0, 1};
      if (!numbers(p.data(), 3, 4)) return error("mesh-syntax", "a vertex needs three or four numbers");
      positions_.push_back(p);
    } else if (words_[0] == "vt") {
      std::array<double, 2> t{0, 0};
      if (!numbers(t.data(), 1, 2)) return error("mesh-syntax", "a texture coordinate needs one or two numbers");
      uvs_.push_back(t);
    } else if (words_[0] == "vn") {
      std::array<double, 3> n{0, 0, 0};
      if (!numbers(n.data(), 3, 3)) return error("mesh-syntax", "a normal needs three numbers");
      normals_.push_back(n);
    } else if (words_[0] == "f") {
      return face();
    }
    return std::nullopt;
  }

  base::Result<NamedMesh> finish() {
    if (mesh_.mesh.triangles.empty())
      return base::error("mesh-empty", "the mesh has no faces", base::Place::in_file(file_));
    if (!uvs_.empty()) mesh_.add("uv", std::move(uv_));
    if (!normals_.empty()) mesh_.add("normal", std::move(normal_));
    return std::move(mesh_);
  }

 private:
  [[nodiscard]] base::Diagnostic error(std::string_view id, std::string message) const {
    return base::error(std::string(id), std::move(message), base::Place::text(file_, line_, 1));
  }

  /// The words behind the first, at least and at most so many.
  bool numbers(double* out, std::size_t least, std::size_t most) const {
    if (words_.size() - 1 < least) return false;
    for (std::size_t i = 0; i < std::min(most, words_.size() - 1); ++i)
      if (!number(words_[i + 1], out[i])) return false;
    return true;
  }

  std::optional<base::Diagnostic> face() {
    if (words_.size() < 4) return error("mesh-syntax", "a face needs three corners or more");
    std::vector<std::uint32_t> face;
    for (std::size_t i = 1; i < words_.size(); ++i) {
      std::array<std::int64_t, 3> corner{};
      if (!parse_corner(words_[i], {positions_.size(), uvs_.size(), normals_.size()}, corner))
        return error("mesh-index", fmt::format("corner '{}' names no vertex", words_[i]));
      face.push_back(vertex(corner));
    }
    for (std::size_t i = 2; i < face.size(); ++i) mesh_.mesh.triangles.push_back({face[0], face[i - 1], face[i]});
    return std::nullopt;
  }

  /// The mesh's vertex of a corner: one for each combination of indices.
  std::uint32_t vertex(const std::array<std::int64_t, 3>& corner) {
    const auto next = static_cast<std::uint32_t>(mesh_.mesh.positions.size());
    const auto [found, fresh] = vertices_.try_emplace(corner, next);
    if (!fresh) return found->second;
    const auto index = [&](std::size_t i) { return static_cast<std::size_t>(corner[i]); };
    mesh_.mesh.positions.push_back(positions_[index(0)]);
    for (std::size_t k = 0; k < 2; ++k) uv_.values.push_back(corner[1] < 0 ? 0 : uvs_[index(1)][k]);
    for (std::size_t k = 0; k < 3; ++k) normal_.values.push_back(corner[2] < 0 ? 0 : normals_[index(2)][k]);
    return next;
  }

  const std::string& file_;
  std::uint32_t line_ = 0;
  std::vector<std::string_view> words_;
  std::vector<std::array<double, 4>> positions_;
  std::vector<std::array<double, 2>> uvs_;
  std::vector<std::array<double, 3>> normals_;
  std::map<std::array<std::int64_t, 3>, std::uint32_t> vertices_;
  NamedMesh mesh_;
  MeshAttribute uv_{2, false, false, {}}, normal_{3, false, false, {}};
};

/// Reads the parts of a JSON mesh.
class JsonReader {
 public:
  JsonReader(const Node& root, const base::NodeContext& context)
      : root_(root), context_(context), reader_(root, context, "the mesh") {}

  NamedMesh read() {
    positions();
    if (const Node* table = reader_.table("attributes"))
      for (std::size_t i = 0; i < table->keys.size(); ++i) attribute(table->keys[i], table->items[i]);
    triangles();
    if (const Node* list = reader_.array("flat"))
      for (const Node& item : list->items) flat(item);
    reader_.finish();
    return std::move(mesh_);
  }

 private:
  double real(const Node& node, std::string_view key) {
    if (node.is_number()) return node.as_real();
    reader_.wrong_type(key, node, "numbers");
    return 0.0;
  }

  void positions() {
    const Node* list = reader_.array("position");
    if (list == nullptr) return context_.error("missing", "the mesh lacks 'position'", root_);
    for (const Node& item : list->items) {
      std::array<double, 4> p{0, 0, 0, 1};
      if (item.kind != Node::Kind::Array || item.items.size() < 3 || item.items.size() > 4)
        return reader_.wrong_value("position", item, "a position has three or four numbers");
      for (std::size_t i = 0; i < item.items.size(); ++i) p[i] = real(item.items[i], "position");
      mesh_.mesh.positions.push_back(p);
    }
  }

  void attribute(const std::string& name, const Node& list) {
    const std::size_t vertices = mesh_.mesh.positions.size();
    if (list.kind != Node::Kind::Array || list.items.size() != vertices)
      return context_.error(
          "value", fmt::format("attribute '{}' needs one value for each of the {} positions", name, vertices), list);
    MeshAttribute attribute;
    for (std::size_t v = 0; v < vertices; ++v) {
      const Node& item = list.items[v];
      const std::size_t count = item.kind == Node::Kind::Array ? item.items.size() : 1;
      if (v == 0) attribute.components = static_cast<std::uint32_t>(count);
      if (count != attribute.components || count == 0 || count > 4) {
        context_.error(
            "value", fmt::format("the values of attribute '{}' must all have the same 1 to 4 components", name), item);
        break;
      }
      if (item.kind == Node::Kind::Array)
        for (const Node& component : item.items) attribute.values.push_back(real(component, name));
      else
        attribute.values.push_back(real(item, name));
    }
    mesh_.add(name, std::move(attribute));
  }

  void triangles() {
    const Node* list = reader_.array("triangles");
    if (list == nullptr) return context_.error("missing", "the mesh lacks 'triangles'", root_);
    const std::size_t vertices = mesh_.mesh.positions.size();
    const auto is_index = [&](const Node& node) {
      return node.kind == Node::Kind::Integer && node.integer >= 0 &&
             static_cast<std::uint64_t>(node.integer) < vertices;
    };
    for (const Node& item : list->items) {
      if (item.kind != Node::Kind::Array || item.items.size() != 3 || !std::ranges::all_of(item.items, is_index))
        return reader_.wrong_value("triangles", item, fmt::format("a triangle has three indices below {}", vertices));
      std::array<std::uint32_t, 3> t{};
      for (std::size_t i = 0; i < 3; ++i) t[i] = static_cast<std::uint32_t>(item.items[i].integer);
      mesh_.mesh.triangles.push_back(t);
    }
  }

  void flat(const Node& item) {
    const auto found = std::ranges::find(mesh_.names, item.text);
    if (item.kind != Node::Kind::Text || found == mesh_.names.end())
      return reader_.wrong_value("flat", item, fmt::format("there is no attribute '{}'", item.text));
    mesh_.mesh.attributes[static_cast<std::size_t>(found - mesh_.names.begin())].flat = true;
  }

  const Node& root_;
  const base::NodeContext& context_;
  base::TableReader reader_;
  NamedMesh mesh_;
};

}  // namespace

const MeshAttribute* NamedMesh::find(std::string_view name) const {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? nullptr : &mesh.attributes[static_cast<std::size_t>(found - names.begin())];
}

const MeshAttribute* NamedMesh::find_usual(std::string_view input) const {
  std::string word;
  for (const char c : input.substr(input.rfind('.') + 1))
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  using Words = std::initializer_list<std::string_view>;
  static constexpr std::array<std::pair<std::string_view, std::array<std::string_view, 4>>, 5> kUsual{{
      {"position", {"position", "pos", "vertex", "vertexposition"}},
      {"normal", {"normal", "norm", "nrm", "vertexnormal"}},
      {"uv", {"uv", "uv0", "texcoord", "texcoord0"}},
      {"uv1", {"uv1", "texcoord1", "", ""}},
      {"color", {"color", "color0", "colour", "vertexcolor"}},
  }};
  for (const std::string_view prefix : Words{"", "in", "a", "i", "v", "vertex"}) {
    if (!word.starts_with(prefix) || word.size() == prefix.size()) continue;
    const std::string_view rest = std::string_view(word).substr(prefix.size());
    for (const auto& [attribute, words] : kUsual)
      if (std::ranges::find(words, rest) != words.end()) return find(attribute);
  }
  return nullptr;
}

void NamedMesh::add(std::string name, MeshAttribute attribute) {
  names.push_back(std::move(name));
  mesh.attributes.push_back(std::move(attribute));
}

NamedMesh full_screen() { return {pipeline::full_screen_triangle(), {"uv"}}; }

base::Result<NamedMesh> parse_obj(std::string_view text, const std::string& file) {
  ObjReader reader(file);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (auto wrong = reader.line(text.substr(0, end))) return std::move(*wrong);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.finish();
}

base::Result<NamedMesh> parse_mesh_json(std::string_view text, const std::string& file, const base::Limits& limits) {
  const base::Result<Node> root = base::parse_json(text, file, limits);
  if (!root.ok()) return root.failure();
  base::Diagnostics diagnostics;
  const base::NodeContext context{file, "mesh", &diagnostics};
  NamedMesh mesh = JsonReader(*root, context).read();
  if (diagnostics.has_errors()) return base::Failure(diagnostics.all());
  return mesh;
}

base::Result<NamedMesh> load_mesh(const std::string& path, const base::Limits& limits) {
  const auto bytes = base::read_file(path, limits);
  if (!bytes.ok()) return bytes.failure();
  const std::string_view text = base::as_text(*bytes);
  if (path.ends_with(".obj")) return parse_obj(text, path);
  if (path.ends_with(".json")) return parse_mesh_json(text, path, limits);
  if (path.ends_with(".gltf") || path.ends_with(".glb")) return parse_gltf(*bytes, path, limits);
  return base::error("mesh-format", "a mesh is an .obj, .gltf, .glb or .json file", base::Place::in_file(path));
}

}  // namespace heddle::job
