#include "dispatch/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "isa/platform.hpp"

namespace heddle::dispatch {
namespace {

using base::Node;
using base::NodeContext;
using base::TableReader;

struct Reader {
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
  ImageBinding image(const Key& key, const Node& table) const;
  PixelInput pixel_input(const Key& key, const Node& value) const;
  PixelsJob pixels(const Node& table) const;
  void vertex_stage(TableReader& reader, PixelsJob& p) const;
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

std::vector<std::uint32_t> Reader::sizes(TableReader& reader, std::string_view key, std::size_t most,
                                         std::int64_t low) const {
  const Node* node = reader.any(key);
  std::vector<std::uint32_t> result;
  if (node == nullptr) return result;
  const auto add = [&](const Node& item) {
    if (item.kind != Node::Kind::Integer) return reader.wrong_type(key, item, "an integer or an array of integers");
    if (item.big || item.integer < low || item.integer > std::int64_t{UINT32_MAX})
      return reader.wrong_value(key, item, fmt::format("a size must lie between {} and 4294967295", low));
    result.push_back(static_cast<std::uint32_t>(item.integer));
  };
  if (node->kind == Node::Kind::Array) {
    if (node->items.empty() || node->items.size() > most)
      reader.wrong_value(key, *node, fmt::format("1 to {} sizes are expected", most));
    else
      for (const Node& item : node->items) add(item);
  } else {
    add(*node);
  }
  return result;
}

std::optional<std::vector<Scalar>> Reader::scalars(TableReader& reader, std::string_view key) const {
  const Node* node = reader.any(key);
  if (node == nullptr) return std::nullopt;
  std::vector<Scalar> result;
  const auto add = [&](const Node& item) {
    if (const auto scalar = Scalar::from(item))
      result.push_back(*scalar);
    else
      reader.wrong_type(key, item, "numbers or \"0x...\"");
  };
  if (node->kind == Node::Kind::Array)
    for (const Node& item : node->items) add(item);
  else
    add(*node);
  return result;
}

/// Numbers that the elements cannot hold are reported where they stand.
void Reader::must_fit(TableReader& reader, std::string_view key, ElementType type) const {
  const Node* node = reader.any(key);
  if (node == nullptr) return;
  const auto check = [&](const Node& item) {
    std::string why;
    if (const auto scalar = Scalar::from(item); scalar && !encode(*scalar, type, why))
      reader.wrong_value(key, item, why);
  };
  if (node->kind == Node::Kind::Array)
    for (const Node& item : node->items) check(item);
  else
    check(*node);
}

Argument Reader::argument(const std::string& name, const Node& value) const {
  Argument result;
  result.key = {name, context.place(value)};
  if (value.kind == Node::Kind::Array) {
    result.is_vector = true;
    for (const Node& item : value.items) {
      if (item.kind == Node::Kind::Array) {  // a matrix or array of vectors: element by element
        for (const Node& inner : item.items)
          if (const auto scalar = Scalar::from(inner))
            result.values.push_back(*scalar);
          else
            context.error("type", fmt::format("argument '{}' must hold numbers, not {}", name, kind_name(inner.kind)),
                          inner);
      } else if (const auto scalar = Scalar::from(item)) {
        result.values.push_back(*scalar);
      } else {
        context.error("type", fmt::format("argument '{}' must hold numbers, not {}", name, kind_name(item.kind)), item);
      }
    }
  } else if (value.kind == Node::Kind::Table) {
    const bool bytes = value.find("bytes") != nullptr, typed = value.find("value") != nullptr;
    if (bytes) {
      TableReader reader(value, context, fmt::format("argument '{}'", name));
      if (const auto text = reader.text("bytes")) {
        result.bytes = base::parse_bytes(*text);
        if (!result.bytes)
          reader.wrong_value("bytes", *reader.any("bytes"), "an even number of hexadecimal digits is expected");
      }
      reader.finish();
    } else if (typed) {
      TableReader reader(value, context, fmt::format("argument '{}'", name));
      result.type = reader.word("type", find_element_type, element_words());
      result.is_vector = value.find("value")->kind == Node::Kind::Array;
      if (auto values = scalars(reader, "value")) result.values = std::move(*values);
      reader.finish();
    } else {
      for (std::size_t i = 0; i < value.keys.size(); ++i)
        result.members.push_back(argument(value.keys[i], value.items[i]));
    }
  } else if (const auto scalar = Scalar::from(value)) {
    result.values.push_back(*scalar);
  } else {
    context.error(
        "type",
        fmt::format("argument '{}' must be a number, an array, or a table with 'bytes', 'value' or members, not {}",
                    name, kind_name(value.kind)),
        value, value.kind == Node::Kind::Text ? "bits are written \"0x3f800000\"" : "");
  }
  return result;
}

BufferBinding Reader::buffer(const Key& key, const Node& table) const {
  BufferBinding b;
  b.key = key;
  TableReader reader(table, context, fmt::format("[buffers.{}]", key.text));
  if (table.kind != Node::Kind::Table) return b;
  b.type = reader.word("type", find_element_type, element_words());
  if (const auto name = reader.text("format")) {
    const image::FormatInfo* info = image::find_format(*name);
    if (info != nullptr)
      b.format = info->format;
    else {
      const std::string_view near = base::nearest(*name, image::format_words());
      reader.wrong_value("format", *reader.any("format"), fmt::format("unknown format '{}'", *name),
                         near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    }
    if (b.type) reader.wrong_value("format", *reader.any("format"), "'type' is given as well");
  }
  if (const auto count = reader.integer("count", 0, std::int64_t{1} << 40))
    b.count = static_cast<std::uint64_t>(*count);
  if (const Node* fill = reader.any("fill")) {
    b.fill = Scalar::from(*fill);
    if (!b.fill) reader.wrong_type("fill", *fill, "a number or \"0x...\"");
  }
  if (const Node* data = reader.array("data"); data != nullptr) b.data = scalars(reader, "data");
  if (b.type.has_value() == reader.has("type") && b.format.has_value() == reader.has("format"))
    for (const std::string_view word : {"fill", "data"}) must_fit(reader, word, element_type(b));
  b.file = path_member(reader, "file");
  b.save = path_member(reader, "save");
  if (const Node* save = reader.any("save")) b.save_place = context.place(*save);
  if (const auto address = reader.integer("address", 0, INT64_MAX)) b.address = static_cast<std::uint64_t>(*address);
  b.same_as = reader.text("same_as").value_or("");
  reader.finish();
  const int sources = (b.fill ? 1 : 0) + (b.data ? 1 : 0) + (b.file.empty() ? 0 : 1);
  if (sources > 1)
    context.error("value", fmt::format("[buffers.{}] takes one of 'fill', 'data' and 'file'", key.text), table);
  if (!b.same_as.empty() && (sources != 0 || b.type || b.format || b.count || b.address || !b.save.empty()))
    context.error("value", fmt::format("'same_as' of [buffers.{}] stands in place of all other members", key.text),
                  table);
  const bool given = reader.has("count") || reader.has("data") || reader.has("file") || reader.has("fill");
  if (b.same_as.empty() && !given)
    context.error("missing", fmt::format("[buffers.{}] lacks 'count', 'data' or 'file'", key.text), table);
  if (b.fill && !reader.has("count"))
    context.error("missing", fmt::format("[buffers.{}] has 'fill' but lacks 'count'", key.text), table);
  return b;
}

ImageBinding Reader::image(const Key& key, const Node& table) const {
  ImageBinding b;
  b.key = key;
  TableReader reader(table, context, fmt::format("[images.{}]", key.text));
  if (table.kind != Node::Kind::Table) return b;
  b.members = image::read_surface_members(reader);
  b.file = path_member(reader, "file");
  b.raw = path_member(reader, "raw");
  b.save = path_member(reader, "save");
  if (const Node* save = reader.any("save")) b.save_place = context.place(*save);
  b.size = sizes(reader, "size", 3, 1);
  b.size_place = key.place;
  for (const std::string_view word : {"entries", "width", "size"})
    if (const Node* size = reader.any(word)) b.size_place = context.place(*size);
  if (auto fill = scalars(reader, "fill")) b.fill = std::move(*fill);
  if (!b.fill.empty() && b.members.format) {
    const image::FormatInfo& format = *image::format_info(*b.members.format);
    if (!image::encodable(format))
      reader.wrong_value("fill", *reader.any("fill"), fmt::format("{} is not written texel by texel", format.name));
    else
      must_fit(reader, "fill", fill_type(format));
  }
  if (b.fill.size() > 4) reader.wrong_value("fill", *reader.any("fill"), "one to four numbers are expected");
  if (const Node* data = reader.array("data")) b.data = *data;
  b.same_as = reader.text("same_as").value_or("");
  if (const auto mips = reader.text("mips")) {
    b.generate_mips = *mips == "generate";
    if (*mips != "generate" && *mips != "file")
      reader.wrong_value("mips", *reader.any("mips"), fmt::format("unknown word '{}'", *mips), "one of: generate file");
  }
  reader.finish();
  if (!b.same_as.empty()) return b;
  const bool sized =
      reader.has("size") || reader.has("width") || reader.has("entries") || b.members.type == image::SurfaceType::Null;
  if (!b.size.empty() && (b.members.width || b.members.height || b.members.depth))
    context.error("value", fmt::format("[images.{}] has both 'size' and 'width'", key.text), table);
  if (!b.file.empty()) {
    if (!b.raw.empty() || b.data || !b.fill.empty())
      context.error("value", fmt::format("[images.{}] takes one of 'file', 'fill', 'raw' and 'data'", key.text), table);
    if (sized) context.error("value", fmt::format("the size of [images.{}] is that of its file", key.text), table);
  } else {
    if (!sized && b.members.type != image::SurfaceType::Null)
      context.error("missing", fmt::format("[images.{}] lacks 'file' or 'size'", key.text), table);
    if (!reader.has("format") && b.members.type != image::SurfaceType::Null)
      context.error("missing", fmt::format("[images.{}] lacks 'format'", key.text), table);
  }
  return b;
}

PixelInput Reader::pixel_input(const Key& key, const Node& value) const {
  PixelInput input;
  input.key = key;
  if (value.kind == Node::Kind::Text && !base::parse_hex(value.text)) {
    input.attribute = value.text;
    return input;
  }
  const auto vector = [&](const Node& item) {
    std::vector<Scalar> components;
    const auto add = [&](const Node& number) {
      if (const auto scalar = Scalar::from(number))
        components.push_back(*scalar);
      else
        context.error("type",
                      fmt::format("pixel input '{}' must hold numbers, not {}", key.text, kind_name(number.kind)),
                      number);
    };
    if (item.kind == Node::Kind::Array)
      for (const Node& number : item.items) add(number);
    else
      add(item);
    return components;
  };
  const bool nested =
      value.kind == Node::Kind::Array && !value.items.empty() && value.items[0].kind == Node::Kind::Array;
  if (value.kind == Node::Kind::Array && (value.items.size() == 3 || nested)) {
    for (const Node& item : value.items) input.values.push_back(vector(item));
    if (input.values.size() != 1 && input.values.size() != 3)
      context.error(
          "value",
          fmt::format("pixel input '{}' takes one value, or three: at the corners (0,0), (w,0), (0,h)", key.text),
          value);
    for (const auto& v : input.values)
      if (v.size() != input.values[0].size())
        context.error("value", fmt::format("the values of pixel input '{}' differ in length", key.text), value);
  } else {
    input.values.push_back(vector(value));
  }
  if (!input.values.empty() && (input.values[0].empty() || input.values[0].size() > 4))
    context.error("value", fmt::format("a value of pixel input '{}' has 1 to 4 components", key.text), value);
  return input;
}

void Reader::vertex_stage(TableReader& reader, PixelsJob& p) const {
  p.vertex = path_member(reader, "vertex");
  p.vertex_entry = reader.text("vertex_entry").value_or("");
  if (const auto count = reader.integer("vertices", 0, INT32_MAX)) p.vertices = static_cast<std::uint32_t>(*count);
  if (const auto count = reader.integer("instances", 0, INT32_MAX)) p.instances = static_cast<std::uint32_t>(*count);
  const auto find_topology = [](std::string_view w) -> std::optional<Topology> {
    return w == "triangle_list"    ? std::optional(Topology::TriangleList)
           : w == "triangle_strip" ? std::optional(Topology::TriangleStrip)
           : w == "triangle_fan"   ? std::optional(Topology::TriangleFan)
                                   : std::nullopt;
  };
  p.topology = reader.word("topology", find_topology, {"triangle_list", "triangle_strip", "triangle_fan"})
                   .value_or(Topology::TriangleList);
  each(reader, "vertex_inputs",
       [&](const Key& key, const Node& value) { p.vertex_inputs.push_back(pixel_input(key, value)); });
  for (const PixelInput& input : p.vertex_inputs)
    if (input.values.size() > 1)
      context.error("value", fmt::format("vertex input '{}' takes an attribute's name or one value", input.key.text),
                    *reader.any("vertex_inputs"));
  if (!p.vertex.empty()) {
    if (p.vertices && p.geometry != "fullscreen")
      reader.wrong_value("vertices", *reader.any("vertices"), "'geometry' gives the vertices");
    return;
  }
  for (const std::string_view key : {"vertex_entry", "vertices", "instances", "topology", "vertex_inputs"})
    if (reader.has(key)) reader.wrong_value(key, *reader.any(key), "there is no 'vertex' shader that it belongs to");
}

PixelsJob Reader::pixels(const Node& table) const {
  PixelsJob p;
  p.place = context.place(table);
  TableReader reader(table, context, "[pixels]");
  if (const std::vector<std::uint32_t> size = sizes(reader, "size", 2, 1); size.size() == 2)
    p.size = {size[0], size[1]};
  else if (size.size() == 1)
    reader.wrong_value("size", *reader.any("size"), "a width and a height are expected");
  if (const auto samples = reader.integer("samples", 1, 16)) {
    p.samples = static_cast<std::uint32_t>(*samples);
    if ((*samples & (*samples - 1)) != 0)
      reader.wrong_value("samples", *reader.any("samples"), "the number must be 1, 2, 4, 8 or 16");
  }
  p.per_sample = reader.boolean("per_sample").value_or(false);
  if (const auto simd = reader.integer("simd", 8, 32)) p.simd = static_cast<std::uint32_t>(*simd);
  if (p.simd && *p.simd != 8 && *p.simd != 16 && *p.simd != 32)
    reader.wrong_value("simd", *reader.any("simd"), "the width must be 8, 16 or 32");
  const auto texts = [&](std::string_view key, std::vector<std::string>& out) {
    if (const Node* list = reader.array(key))
      for (const Node& item : list->items) {
        if (item.kind == Node::Kind::Text)
          out.push_back(item.text);
        else
          reader.wrong_type(key, item, "an array of texts");
      }
  };
  texts("targets", p.targets);
  if (p.targets.size() > 8) reader.wrong_value("targets", *reader.any("targets"), "there are at most 8 targets");
  p.depth = reader.text("depth").value_or("");
  p.stencil = reader.text("stencil").value_or("");
  if (const auto geometry = reader.text("geometry"))
    p.geometry = *geometry == "fullscreen" ? *geometry : path_member(reader, "geometry");
  if (reader.has("payload"))
    texts("payload", p.payload.emplace());
  else
    reader.know("payload");
  const std::vector<std::string_view>& words = payload_words();
  for (const std::string& word : p.payload.value_or(std::vector<std::string>())) {
    if (std::ranges::find(words, word) != words.end()) continue;
    const std::string_view near = base::nearest(word, words);
    reader.wrong_value(
        "payload", *reader.any("payload"), fmt::format("unknown word '{}'", word),
        near.empty() ? fmt::format("one of: {}", fmt::join(words, " ")) : fmt::format("did you mean '{}'?", near));
  }
  if (const Node* state = reader.table("state")) p.state = *state;
  const auto numbers = [&](std::string_view key, std::size_t count) -> std::vector<double> {
    const Node* list = reader.array(key);
    if (list == nullptr) return {};
    std::vector<double> result;
    for (const Node& item : list->items)
      if (item.is_number()) result.push_back(item.as_real());
    if (result.size() == count && list->items.size() == count) return result;
    reader.wrong_value(key, *list, fmt::format("{} numbers are expected", count));
    return {};
  };
  if (const auto v = numbers("viewport", 6); !v.empty()) p.viewport = {v[0], v[1], v[2], v[3], v[4], v[5]};
  if (const auto v = numbers("scissor", 4); !v.empty()) {
    p.scissor.emplace();
    for (std::size_t i = 0; i < 4; ++i)
      (*p.scissor)[i] = static_cast<std::int32_t>(std::clamp(v[i], -2147483648.0, 2147483647.0));
  }
  const auto find_cull = [](std::string_view w) -> std::optional<Cull> {
    return w == "none"    ? std::optional(Cull::None)
           : w == "back"  ? std::optional(Cull::Back)
           : w == "front" ? std::optional(Cull::Front)
                          : std::nullopt;
  };
  p.cull = reader.word("cull", find_cull, {"none", "back", "front"}).value_or(Cull::None);
  const auto find_face = [](std::string_view w) -> std::optional<bool> {
    return w == "ccw" ? std::optional(true) : w == "cw" ? std::optional(false) : std::nullopt;
  };
  p.front_ccw = reader.word("front_face", find_face, {"ccw", "cw"}).value_or(true);
  if (const std::vector<std::uint32_t> size = sizes(reader, "coarse_size", 2, 1); size.size() == 2)
    p.coarse_size = {size[0], size[1]};
  each(reader, "inputs", [&](const Key& key, const Node& value) { p.inputs.push_back(pixel_input(key, value)); });
  vertex_stage(reader, p);
  reader.finish();
  return p;
}

/// "2GiB", "512 MiB", "1000000" or a number of bytes.
std::optional<std::uint64_t> byte_count(const Node& node) {
  if (node.is_number())
    return node.as_real() >= 0 && node.as_real() < 1e18 ? std::optional(static_cast<std::uint64_t>(node.as_real()))
                                                        : std::nullopt;
  if (node.kind != Node::Kind::Text) return std::nullopt;
  std::size_t used = 0;
  while (used < node.text.size() &&
         (std::isdigit(static_cast<unsigned char>(node.text[used])) != 0 || node.text[used] == '.'))
    ++used;
  if (used == 0 || used > 18) return std::nullopt;
  const double number = std::strtod(node.text.substr(0, used).c_str(), nullptr);
  std::string unit = node.text.substr(used);
  unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? unit.size() : unit.find_first_not_of(' '));
  const std::pair<std::string_view, double> units[] = {
      {"", 1},     {"B", 1},    {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {"TiB", 1099511627776.0},
      {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}};
  for (const auto& [name, factor] : units)
    if (unit == name && number * factor < 1e18) return static_cast<std::uint64_t>(number * factor);
  return std::nullopt;
}

void Reader::limits(const Node& table, base::Limits& limits) const {
  TableReader reader(table, context, "limits");
  if (const auto steps = reader.integer("steps", 1, INT64_MAX)) limits.steps = static_cast<std::uint64_t>(*steps);
  if (const auto seconds = reader.number("seconds")) {
    limits.seconds = *seconds;
    if (!(*seconds > 0)) reader.wrong_value("seconds", *reader.any("seconds"), "a time above 0 is expected");
  }
  if (const Node* memory = reader.any("memory")) {
    if (const auto bytes = byte_count(*memory))
      limits.memory_bytes = *bytes;
    else
      reader.wrong_value("memory", *memory, "a number of bytes is expected, or a text such as \"2GiB\"");
  }
  reader.finish();
}

void Reader::root(const Node& table, Job& job) const {
  TableReader reader(table, context, "the job");
  job.program = path_member(reader, "program");
  job.entry = reader.text("entry").value_or("");
  job.zeinfo = path_member(reader, "zeinfo");
  if (const auto platform = reader.text("platform")) {
    job.platform = *platform;
    if (!isa::find_platform(*platform)) {
      std::vector<std::string_view> words;
      for (const isa::PlatformInfo& info : isa::all_platforms()) words.push_back(info.name);
      reader.wrong_value("platform", *reader.any("platform"), fmt::format("unknown platform '{}'", *platform),
                         fmt::format("one of: {}", fmt::join(words, " ")));
    }
  }
  if (const auto simd = reader.integer("simd", 1, 32)) {
    job.simd = static_cast<std::uint32_t>(*simd);
    if (*simd != 1 && *simd != 8 && *simd != 16 && *simd != 32)
      reader.wrong_value("simd", *reader.any("simd"), "the width must be 8, 16 or 32");
  }
  const auto find_engine = [](std::string_view w) -> std::optional<EngineKind> {
    return w == "fast"        ? std::optional(EngineKind::Fast)
           : w == "reference" ? std::optional(EngineKind::Reference)
                              : std::nullopt;
  };
  job.engine = reader.word("engine", find_engine, {"fast", "reference"}).value_or(EngineKind::Automatic);
  const auto find_check = [](std::string_view w) -> std::optional<CheckLevel> {
    return w == "off"     ? std::optional(CheckLevel::Off)
           : w == "warn"  ? std::optional(CheckLevel::Warn)
           : w == "error" ? std::optional(CheckLevel::Error)
                          : std::nullopt;
  };
  const auto check = reader.word("check", find_check, {"off", "warn", "error"});
  job.check = check.value_or(CheckLevel::Warn);
  job.check_asked = check.has_value() && *check != CheckLevel::Off;
  if (const auto threads = reader.integer("threads", 1, 4096)) job.threads = static_cast<unsigned>(*threads);
  if (const Node* table_limits = reader.table("limits")) limits(*table_limits, job.limits);
  job.global = sizes(reader, "global", 3, 0);
  job.local = sizes(reader, "local", 3, 1);
  job.offset = sizes(reader, "offset", 3, 0);
  job.groups = sizes(reader, "groups", 3, 0);
  if (!job.global.empty() && !job.groups.empty())
    reader.wrong_value("groups", *reader.any("groups"), "'global' is given as well");
  const Node* pixel_table = reader.table("pixels");
  if (pixel_table != nullptr) {
    job.pixels = pixels(*pixel_table);
    for (const std::string_view key : {"global", "groups", "local", "offset"})
      if (reader.has(key)) reader.wrong_value(key, *reader.any(key), "[pixels] is given as well");
  }
  each(reader, "args", [&](const Key& key, const Node& value) {
    job.args.push_back(argument(key.text, value));
    job.args.back().key = key;
  });
  each(reader, "buffers", [&](const Key& key, const Node& value) { job.buffers.push_back(buffer(key, value)); });
  each(reader, "images", [&](const Key& key, const Node& value) { job.images.push_back(image(key, value)); });
  each(reader, "samplers", [&](const Key& key, const Node& value) {
    TableReader sampler(value, context, fmt::format("[samplers.{}]", key.text));
    job.samplers.push_back({key, image::read_sampler_members(sampler)});
    sampler.finish();
  });
  reader.finish();
  if (job.program.empty() && !reader.has("program")) context.error("missing", "the job lacks 'program'", table);
}

}  // namespace

const std::vector<std::string_view>& payload_words() {
  static const std::vector<std::string_view> kWords{"perspective_pixel",
                                                    "perspective_centroid",
                                                    "perspective_sample",
                                                    "linear_pixel",
                                                    "linear_centroid",
                                                    "linear_sample",
                                                    "depth",
                                                    "w",
                                                    "sample_position",
                                                    "coverage"};
  return kWords;
}

ElementType element_type(const BufferBinding& buffer) {
  if (buffer.type) return *buffer.type;
  const unsigned bytes = buffer.format ? image::format_info(*buffer.format)->bytes_per_element() : 1;
  return bytes == 2   ? ElementType::U16
         : bytes == 4 ? ElementType::U32
         : bytes == 8 ? ElementType::U64
                      : ElementType::U8;
}

ElementType fill_type(const image::FormatInfo& format) {
  return format.value_class == image::ValueClass::Float  ? ElementType::F32
         : format.value_class == image::ValueClass::Uint ? ElementType::U32
                                                         : ElementType::I32;
}

base::Result<Job> read_job(const Node& table, const std::string& folder, const std::string& file,
                           const base::Limits& limits) {
  base::Diagnostics diagnostics(limits.diagnostics);
  const NodeContext context{file, "job", &diagnostics};
  Job job;
  job.file = file;
  job.limits = limits;
  Reader{context, folder}.root(table, job);
  if (diagnostics.has_errors()) return base::Failure(diagnostics.all());
  return job;
}

base::Result<Job> read_job(std::string_view toml, const std::string& file, const base::Limits& limits,
                           const Node* flags) {
  base::Result<Node> table = parse_toml(toml, file);
  if (!table.ok()) return table.failure();
  if (flags != nullptr) {
    // A target given by a flag joins those of the file; every other list is replaced.
    Node changed = *flags;
    Node* mine = table->find("pixels");
    Node* theirs = changed.find("pixels");
    mine = mine != nullptr ? mine->find("targets") : nullptr;
    theirs = theirs != nullptr ? theirs->find("targets") : nullptr;
    if (mine != nullptr && theirs != nullptr) {
      std::vector<Node> all = mine->items;
      for (Node& item : theirs->items)
        if (std::none_of(all.begin(), all.end(), [&](const Node& n) { return n.text == item.text; }))
          all.push_back(std::move(item));
      theirs->items = std::move(all);
    }
    table->merge(std::move(changed));
  }
  return read_job(*table, std::filesystem::path(file).parent_path().string(), file, limits);
}

}  // namespace heddle::dispatch
