// SPDX-License-Identifier: MIT
// heddle batch: {"define": {"surface": NAME, ...}}, and the surfaces and samplers of requests.

#include <fmt/format.h>

#include "image/files/open_surface.hpp"
#include "image/objects/sampler_text.hpp"
#include "tools/batch/batch.hpp"

namespace heddle::tools {
namespace {

using base::Node;
using base::TableReader;

void pass_on(BatchRequest& request, const std::vector<base::Diagnostic>& list) {
  for (const base::Diagnostic& d : list) {
    base::Diagnostic own = d;
    if (own.id == "surface-file") own.id = "batch-value";
    request.problems.add(std::move(own));
  }
}

std::optional<image::Surface> file_surface(BatchRequest& request, TableReader& reader, const std::string& path,
                                           const image::SurfaceMembers& members, bool mips, const std::string& name) {
  for (const std::string_view other : {"raw", "data", "fill"})
    if (reader.has(other)) reader.wrong_value(other, *reader.any(other), "'file' is given as well");
  if (request.failed()) return std::nullopt;
  base::Diagnostics notes;
  auto surface = image::open_surface(path, members, mips, "the definition", name, request.limits, &notes);
  for (const base::Diagnostic& d : notes.all())
    if (d.severity == base::Severity::Warning) request.unit.warn(d.id, d.message);
  if (surface.ok()) return std::move(*surface);
  pass_on(request, surface.diagnostics());
  return std::nullopt;
}

std::optional<image::Surface> raw_surface(BatchRequest& request, TableReader& reader, const std::string& path,
                                          const image::SurfaceMembers& members, const Node& object,
                                          const std::string& name) {
  for (const std::string_view other : {"data", "fill"})
    if (reader.has(other)) reader.wrong_value(other, *reader.any(other), "'raw' is given as well");
  if (request.failed()) return std::nullopt;
  auto surface = image::make_surface(reader, members, object, request.limits, false);
  if (!surface) return std::nullopt;
  surface->name = name;
  auto done = image::allocate(*surface, request.limits);
  if (done.ok()) done = image::read_packed_texels(path, *surface, fmt::format("surface '{}'", name), request.limits);
  if (done.ok()) return surface;
  pass_on(request, done.diagnostics());
  return std::nullopt;
}

void define_surface(BatchRequest& request, TableReader& reader, const Node& object, const std::string& name) {
  const image::SurfaceMembers members = image::read_surface_members(reader);
  const auto file = reader.text("file"), raw = reader.text("raw"), mips = reader.text("mips");
  if (mips && *mips != "generate" && *mips != "file")
    reader.wrong_value("mips", *reader.any("mips"), "expected \"generate\" or \"file\"");
  const bool generate = mips && *mips == "generate";
  std::optional<image::Surface> surface;
  if (file)
    surface = file_surface(request, reader, *file, members, generate, name);
  else if (raw)
    surface = raw_surface(request, reader, *raw, members, object, name);
  else
    surface = image::make_surface(reader, members, object, request.limits, false);
  reader.know("data");
  reader.know("fill");
  reader.finish();
  if (!surface || request.failed()) return;
  if (generate && !file) {
    surface->name = name;
    auto full = image::with_mip_chain(*surface, request.limits);
    if (!full.ok()) return pass_on(request, full.diagnostics());
    surface = std::move(*full);
  }
  const auto done = request.named.define(name, std::move(*surface));
  if (!done.ok()) pass_on(request, done.diagnostics());
}

void define_sampler(BatchRequest& request, TableReader& reader, const std::string& name) {
  image::SamplerMembers members;
  if (const auto words = reader.text("words")) {
    auto sampler = image::parse_sampler(*words);
    if (!sampler.ok()) return pass_on(request, sampler.diagnostics());
    members = std::move(*sampler);
  } else {
    members = image::read_sampler_members(reader);
  }
  reader.finish();
  if (!request.failed()) request.named.define(name, std::move(members));
}

}  // namespace

void answer_define(BatchRequest& request, const Node& object, std::string& text) {
  TableReader reader(object, request.nodes, "define");
  if (object.kind != Node::Kind::Table) return;
  std::string_view kind;
  for (const std::string_view word : {"surface", "target", "sampler"})
    if (reader.has(word)) {
      if (!kind.empty())
        request.fail("batch-value", fmt::format("'define' names a {} and a {}: one of them is expected", kind, word));
      kind = word;
    }
  if (kind.empty()) request.fail("batch-missing", "'define' lacks 'surface', 'target' or 'sampler', the name");
  if (request.failed()) return;
  const auto name = reader.text(kind);
  if (name && name->empty()) reader.wrong_value(kind, *reader.any(kind), "a name has at least one character");
  if (!name || request.failed()) return;
  if (kind == "sampler")
    define_sampler(request, reader, *name);
  else
    define_surface(request, reader, object, *name);
  text += "\"defined\":" + base::json_quote(*name);
}

BoundSurface read_bound_surface(BatchRequest& request, const Node& node, const std::string& what, bool texels) {
  if (node.kind != Node::Kind::Text) {
    auto surface = image::read_surface(node, request.nodes, what, request.limits, texels);
    if (!surface) return {};
    return {std::make_shared<const image::Surface>(std::move(*surface)), 0};
  }
  const BoundSurface* found = request.named.surface(node.text);
  if (found == nullptr) {
    const std::string_view near = base::nearest(node.text, request.named.surface_names());
    request.fail("batch-name", fmt::format("no surface '{}' is defined{}", node.text,
                                           near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
    return {};
  }
  if (texels && !found->surface->memory && found->surface->type != image::SurfaceType::Null) {
    request.fail("batch-missing", fmt::format("surface '{}' was defined without texels", node.text));
    return {};
  }
  return *found;
}

BoundSurface surface_member(BatchRequest& request, std::string_view name, bool texels) {
  const Node* node = request.reader.any(name);
  if (node != nullptr) return read_bound_surface(request, *node, std::string(name), texels);
  request.fail("batch-missing", fmt::format("missing member '{}'", name));
  return {};
}

BoundSampler sampler_member(BatchRequest& request) {
  const Node* node = request.reader.any("sampler");
  if (node == nullptr) return {{}, 1};
  if (node->kind == Node::Kind::Text) {
    if (const BoundSampler* found = request.named.sampler(node->text)) return *found;
    const auto words = request.named.sampler_of_words(node->text);
    if (words.ok()) return **words;
    const std::string_view near = base::nearest(node->text, request.named.sampler_names());
    const base::Diagnostic& why = words.diagnostics().front();
    request.fail("batch-name",
                 fmt::format("no sampler '{}' is defined{}, and it is not one in words: {}", node->text,
                             near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near), why.message));
    return {};
  }
  TableReader reader(*node, request.nodes, "sampler");
  BoundSampler sampler{image::read_sampler_members(reader), 0};
  reader.finish();
  return sampler;
}

}  // namespace heddle::tools
