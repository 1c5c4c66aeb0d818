// Rules: PIX-1, PIX-2.
#include "dispatch/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "base/node.hpp"

namespace heddle::dispatch {
namespace {

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

struct Obj {
  std::vector<std::array<double, 4>> positions;
  std::vector<std::array<double, 2>> uv;
  std::vector<std::array<double, 3>> normals;
};

/// One corner of a face: "v", "v/vt", "v//vn" or "v/vt/vn"; 1-based, negative from the end. -1 = not given.
bool corner(std::string_view word, const Obj& obj, std::array<std::int64_t, 3>& out) {
  const std::array<std::size_t, 3> sizes{obj.positions.size(), obj.uv.size(), obj.normals.size()};
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

}  // namespace

const MeshAttribute* Mesh::find(std::string_view name) const {
  for (const MeshAttribute& attribute : attributes)
    if (attribute.name == name) return &attribute;
  return nullptr;
}

Mesh full_screen_triangle() {
  Mesh mesh;
  mesh.positions = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
  mesh.attributes.push_back({"uv", 2, false, false, {0, 0, 2, 0, 0, 2}});
  mesh.triangles = {{0, 1, 2}};
  mesh.full_screen = true;
  return mesh;
}

base::Result<Mesh> parse_obj(std::string_view text, const std::string& file) {
  Obj obj;
  Mesh mesh;
  MeshAttribute uv{"uv", 2, false, false, {}}, normal{"normal", 3, false, false, {}};
  std::map<std::array<std::int64_t, 3>, std::uint32_t> vertices;
  std::uint32_t line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, std::min(end, text.substr(0, end).find('#')));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) continue;
    const auto bad = [&](std::string message) {
      return base::error("mesh-syntax", std::move(message), base::Place::text(file, line_number, 1));
    };
    const auto numbers = [&](double* out, std::size_t least, std::size_t most) {
      if (words.size() - 1 < least) return false;
      for (std::size_t i = 0; i < std::min(most, words.size() - 1); ++i)
        if (!number(words[i + 1], out[i])) return false;
      return true;
    };
    if (words[0] == "v") {
      std::array<double, 4> p{0, 0, 0, 1};
      if (!numbers(p.data(), 3, 4)) return bad("a vertex needs three or four numbers");
      obj.positions.push_back(p);
    } else if (words[0] == "vt") {
      std::array<double, 2> t{0, 0};
      if (!numbers(t.data(), 1, 2)) return bad("a texture coordinate needs one or two numbers");
      obj.uv.push_back(t);
    } else if (words[0] == "vn") {
      std::array<double, 3> n{0, 0, 0};
      if (!numbers(n.data(), 3, 3)) return bad("a normal needs three numbers");
      obj.normals.push_back(n);
    } else if (words[0] == "f") {
      if (words.size() < 4) return bad("a face needs three corners or more");
      std::vector<std::uint32_t> face;
      for (std::size_t i = 1; i < words.size(); ++i) {
        std::array<std::int64_t, 3> c{};
        if (!corner(words[i], obj, c))
          return base::error("mesh-index", fmt::format("corner '{}' names no vertex", words[i]),
                             base::Place::text(file, line_number, 1));
        const auto [found, fresh] = vertices.try_emplace(c, static_cast<std::uint32_t>(mesh.positions.size()));
        if (fresh) {
          mesh.positions.push_back(obj.positions[static_cast<std::size_t>(c[0])]);
          for (std::size_t k = 0; k < 2; ++k)
            uv.values.push_back(c[1] < 0 ? 0 : obj.uv[static_cast<std::size_t>(c[1])][k]);
          for (std::size_t k = 0; k < 3; ++k)
            normal.values.push_back(c[2] < 0 ? 0 : obj.normals[static_cast<std::size_t>(c[2])][k]);
        }
        face.push_back(found->second);
      }
      for (std::size_t i = 2; i < face.size(); ++i) mesh.triangles.push_back({face[0], face[i - 1], face[i]});
    }
  }
  if (mesh.triangles.empty()) return base::error("mesh-empty", "the mesh has no faces", base::Place::in_file(file));
  if (!obj.uv.empty()) mesh.attributes.push_back(std::move(uv));
  if (!obj.normals.empty()) mesh.attributes.push_back(std::move(normal));
  return mesh;
}

base::Result<Mesh> parse_mesh_json(std::string_view text, const std::string& file, const base::Limits& limits) {
  using base::Node;
  const base::Result<Node> root = base::parse_json(text, file, limits);
  if (!root.ok()) return root.failure();
  base::Diagnostics diagnostics;
  const base::NodeContext context{file, "mesh", &diagnostics};
  base::TableReader reader(*root, context, "the mesh");
  Mesh mesh;
  const auto real = [&](const Node& node, std::string_view key) {
    if (node.is_number()) return node.as_real();
    reader.wrong_type(key, node, "numbers");
    return 0.0;
  };
  if (const Node* list = reader.array("position")) {
    for (const Node& item : list->items) {
      std::array<double, 4> p{0, 0, 0, 1};
      if (item.kind != Node::Kind::Array || item.items.size() < 3 || item.items.size() > 4) {
        reader.wrong_value("position", item, "a position has three or four numbers");
        break;
      }
      for (std::size_t i = 0; i < item.items.size(); ++i) p[i] = real(item.items[i], "position");
      mesh.positions.push_back(p);
    }
  } else {
    context.error("missing", "the mesh lacks 'position'", *root);
  }
  if (const Node* table = reader.table("attributes")) {
    for (std::size_t i = 0; i < table->keys.size(); ++i) {
      MeshAttribute attribute;
      attribute.name = table->keys[i];
      const Node& list = table->items[i];
      if (list.kind != Node::Kind::Array || list.items.size() != mesh.positions.size()) {
        context.error("value",
                      fmt::format("attribute '{}' needs one value for each of the {} positions", attribute.name,
                                  mesh.positions.size()),
                      list);
        continue;
      }
      for (std::size_t v = 0; v < list.items.size(); ++v) {
        const Node& item = list.items[v];
        const std::size_t count = item.kind == Node::Kind::Array ? item.items.size() : 1;
        if (v == 0) attribute.components = static_cast<std::uint32_t>(count);
        if (count != attribute.components || count == 0 || count > 4) {
          context.error(
              "value",
              fmt::format("the values of attribute '{}' must all have the same 1 to 4 components", attribute.name),
              item);
          break;
        }
        if (item.kind == Node::Kind::Array)
          for (const Node& component : item.items) attribute.values.push_back(real(component, attribute.name));
        else
          attribute.values.push_back(real(item, attribute.name));
      }
      mesh.attributes.push_back(std::move(attribute));
    }
  }
  if (const Node* list = reader.array("triangles")) {
    for (const Node& item : list->items) {
      std::array<std::uint32_t, 3> t{};
      bool good = item.kind == Node::Kind::Array && item.items.size() == 3;
      for (std::size_t i = 0; good && i < 3; ++i) {
        const Node& index = item.items[i];
        good = index.kind == Node::Kind::Integer && index.integer >= 0 &&
               static_cast<std::uint64_t>(index.integer) < mesh.positions.size();
        if (good) t[i] = static_cast<std::uint32_t>(index.integer);
      }
      if (!good) {
        reader.wrong_value("triangles", item,
                           fmt::format("a triangle has three indices below {}", mesh.positions.size()));
        break;
      }
      mesh.triangles.push_back(t);
    }
  } else {
    context.error("missing", "the mesh lacks 'triangles'", *root);
  }
  if (const Node* list = reader.array("flat")) {
    for (const Node& item : list->items) {
      const auto found = std::find_if(mesh.attributes.begin(), mesh.attributes.end(),
                                      [&](const MeshAttribute& a) { return a.name == item.text; });
      if (item.kind == Node::Kind::Text && found != mesh.attributes.end())
        found->flat = true;
      else
        reader.wrong_value("flat", item, fmt::format("there is no attribute '{}'", item.text));
    }
  }
  reader.finish();
  if (diagnostics.has_errors()) return base::Failure(diagnostics.all());
  return mesh;
}

base::Result<Mesh> load_mesh(const std::string& path, const base::Limits& limits) {
  const auto bytes = base::read_file(path, limits);
  if (!bytes.ok()) return bytes.failure();
  const std::string_view text = base::as_text(*bytes);
  if (path.ends_with(".obj")) return parse_obj(text, path);
  if (path.ends_with(".json")) return parse_mesh_json(text, path, limits);
  return base::error("mesh-format", "a mesh is an .obj or a .json file", base::Place::in_file(path));
}

}  // namespace heddle::dispatch
