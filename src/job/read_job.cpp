// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/fixed_limits.hpp"
#include "base/quantity.hpp"
#include "isa/platform.hpp"
#include "job/formats/toml.hpp"
#include "job/job_reader.hpp"

namespace heddle::job {

using base::Node;
using base::NodeContext;
using base::TableReader;

std::vector<std::uint32_t> JobReader::sizes(TableReader& reader, std::string_view key, std::size_t most,
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

std::optional<std::vector<Scalar>> JobReader::scalars(TableReader& reader, std::string_view key) const {
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
void JobReader::must_fit(TableReader& reader, std::string_view key, ElementType type) const {
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

namespace {

/// "2GiB", "512 MiB", "1000000" or a number of bytes.
std::optional<std::uint64_t> byte_count(const Node& node) {
  if (node.is_number())
    return node.as_real() >= 0 && node.as_real() < 1e18 ? std::optional(static_cast<std::uint64_t>(node.as_real()))
                                                        : std::nullopt;
  if (node.kind != Node::Kind::Text) return std::nullopt;
  return base::parse_size(node.text);
}

}  // namespace

void JobReader::limits(const Node& table, base::Limits& limits) const {
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

/// What is drawn to and has no size has that of the pixels: theirs, or the first target's that has one. It has their
/// samples too.
void JobReader::fit_attachments(Job& job) const {
  if (!job.pixels) return;
  const PixelsJob& p = *job.pixels;
  const auto binding = [&](const std::string& name) -> ImageBinding* {
    const auto found = std::ranges::find_if(job.images, [&](const ImageBinding& b) { return b.key.text == name; });
    return found == job.images.end() ? nullptr : &*found;
  };
  std::vector<std::uint32_t> size;
  if (p.size) size = {(*p.size)[0], (*p.size)[1]};
  for (const std::string& name : p.targets) {
    const ImageBinding* target = size.empty() ? binding(name) : nullptr;
    if (target == nullptr) continue;
    size = target->size;
    if (target->members.width) size = {*target->members.width, target->members.height.value_or(1)};
  }
  const auto made = [](const ImageBinding& b) {
    return b.file.empty() && b.files.empty() && b.same_as.empty() && b.raw.empty() && !b.data && !b.surface;
  };
  std::vector<std::string> all = p.targets;
  all.push_back(p.depth);
  all.push_back(p.stencil);
  for (const std::string& name : all) {
    ImageBinding* b = name.empty() ? nullptr : binding(name);
    if (b == nullptr || !made(*b) || !b->size.empty() || b->members.width || b->members.state ||
        b->members.type == image::SurfaceType::Null)
      continue;
    if (size.size() == 2) {
      b->size = size;
      continue;
    }
    base::Diagnostic problem = base::error(
        "job-missing", fmt::format("[images.{}] lacks 'size', and the pixels have none", name), b->key.place);
    if (b->key.place.on_command_line()) problem.note("--size 640x480, or the size behind the format: rgba8:640x480");
    context.diagnostics->add(std::move(problem));
  }
  if (!p.samples || *p.samples == 1) return;
  for (const std::string& name : all)
    if (ImageBinding* b = binding(name); b != nullptr && made(*b) && !b->members.samples)
      b->members.samples = p.samples;
}

void JobReader::root(const Node& table, Job& job) const {
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
  if (const auto threads = reader.integer("threads", 1, base::kWorkerThreads))
    job.threads = static_cast<unsigned>(*threads);
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
    const bool of_groups = job.pixels->has(isa::ShaderStage::Mesh);
    for (const std::string_view key : {"global", "groups", "local", "offset"})
      if (reader.has(key) && !(of_groups && key == "groups"))
        reader.wrong_value(key, *reader.any(key), "[pixels] is given as well");
    if (of_groups && !reader.has("groups"))
      context.error("missing", "a draw of a mesh shader lacks 'groups'", *pixel_table);
  }
  each(reader, "args", [&](const Key& key, const Node& value) {
    job.args.push_back(argument(key.text, value));
    job.args.back().key = key;
  });
  each(reader, "buffers", [&](const Key& key, const Node& value) { job.buffers.push_back(buffer(key, value)); });
  each(reader, "images", [&](const Key& key, const Node& value) {
    const bool attachment =
        job.pixels && (job.pixels->depth == key.text || job.pixels->stencil == key.text ||
                       std::ranges::find(job.pixels->targets, key.text) != job.pixels->targets.end());
    job.images.push_back(image(key, value, attachment));
  });
  fit_attachments(job);
  each(reader, "samplers", [&](const Key& key, const Node& value) {
    TableReader sampler(value, context, fmt::format("[samplers.{}]", key.text));
    job.samplers.push_back({key, image::read_sampler_members(sampler)});
    sampler.finish();
  });
  reader.finish();
  if (job.program.empty() && !reader.has("program")) context.error("missing", "the job lacks 'program'", table);
}

base::Result<Job> read_job(const Node& table, const std::string& folder, const std::string& file,
                           const base::Limits& limits) {
  base::Diagnostics diagnostics(limits.diagnostics);
  const NodeContext context{file, "job", &diagnostics};
  Job job;
  job.file = file;
  job.limits = limits;
  JobReader{context, folder}.root(table, job);
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

}  // namespace heddle::job
