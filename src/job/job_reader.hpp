// SPDX-License-Identifier: MIT
#pragma once
// Reading a job from its tree of keys: read_job.cpp, read_bindings.cpp, read_pixels.cpp, read_draw.cpp.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/node.hpp"
#include "job/job.hpp"

namespace heddle::job {

/// Reads the tables of a job; each function one of them.
struct JobReader {
  using Node = base::Node;
  using NodeContext = base::NodeContext;
  using TableReader = base::TableReader;

  const NodeContext& context;
  std::string folder;

  std::string resolve(const std::string& path) const {
    if (path.empty() || path == "-" || folder.empty()) return path;
    const std::filesystem::path p(path);
    return p.is_absolute() ? path : (std::filesystem::path(folder) / p).lexically_normal().string();
  }
  std::string path_member(TableReader& reader, std::string_view key) const {
    const auto text = reader.text(key);
    if (!text) return {};
    const Node* node = reader.any(key);
    if (text->empty()) reader.wrong_value(key, *node, "a path is expected, not an empty text");
    return node->line == Node::kCommandLine ? *text : resolve(*text);
  }

  std::vector<std::uint32_t> sizes(TableReader& reader, std::string_view key, std::size_t most, std::int64_t low) const;
  void must_fit(TableReader& reader, std::string_view key, ElementType type) const;
  std::optional<std::vector<Scalar>> scalars(TableReader& reader, std::string_view key) const;
  Argument argument(const std::string& name, const Node& value) const;
  BufferBinding buffer(const Key& key, const Node& table) const;
  /// `attachment`: the image is a target, the depth or the stencil of [pixels], whose size it may take.
  ImageBinding image(const Key& key, const Node& table, bool attachment) const;
  void fit_attachments(Job& job) const;
  PixelInput pixel_input(const Key& key, const Node& value) const;
  PixelsJob pixels(const Node& table) const;
  void pixel_sizes(TableReader& reader, PixelsJob& p) const;
  void payload(TableReader& reader, PixelsJob& p) const;
  void raster_state(TableReader& reader, PixelsJob& p) const;
  std::vector<std::string> texts(TableReader& reader, std::string_view key) const;
  std::vector<double> numbers(TableReader& reader, std::string_view key, std::size_t count) const;
  void vertex_stage(TableReader& reader, PixelsJob& p) const;
  void stages_that_fit(TableReader& reader, const PixelsJob& p) const;
  void vertex_numbers(TableReader& reader, PixelsJob& p) const;
  void vertex_buffers(TableReader& reader, PixelsJob& p) const;
  PixelInput vertex_input(const Key& key, const Node& value, const PixelsJob& p) const;
  /// [pixels.raster].
  std::optional<pipeline::RasterState> raster(const Node& table) const;
  void raster_lines(TableReader& reader, pipeline::RasterState& raster) const;
  void limits(const Node& table, base::Limits& limits) const;
  void root(const Node& table, Job& job) const;

  template <typename F>
  void each(TableReader& reader, std::string_view key, F f) const {
    const Node* table = reader.table(key);
    if (table == nullptr) return;
    for (std::size_t i = 0; i < table->keys.size(); ++i) {
      Node at = table->items[i];
      if (i < table->key_places.size()) {
        at.line = table->key_places[i].first;
        at.column = table->key_places[i].second;
        at.length = static_cast<std::uint32_t>(table->keys[i].size());
      }
      f(Key{table->keys[i], context.place(at)}, table->items[i]);
    }
  }
};

}  // namespace heddle::job
