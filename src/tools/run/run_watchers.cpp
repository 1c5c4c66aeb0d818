// SPDX-License-Identifier: MIT
#include "tools/run/run_watchers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "image/files/files.hpp"
#include "tools/command_line/console.hpp"
#include "tools/pictures/texel_sheet.hpp"
#include "tools/run/line_choice.hpp"

namespace heddle::tools {
namespace {

base::Diagnostic wrong_flag(const std::string& message) { return base::error("usage-flag", message); }

/// "3", "1,2,0" or "10-20" as numbers.
std::optional<std::vector<std::uint32_t>> numbers_of(const std::string& text, std::size_t least, std::size_t most) {
  std::vector<std::uint32_t> result;
  std::uint64_t value = 0;
  bool digits = false;
  for (const char c : text + ",") {
    if (c >= '0' && c <= '9') {
      value = value * 10 + static_cast<unsigned>(c - '0');
      digits = true;
      if (value > UINT32_MAX) return std::nullopt;
    } else if ((c == ',' || c == '-' || c == ':') && digits) {
      result.push_back(static_cast<std::uint32_t>(value));
      value = 0;
      digits = false;
    } else {
      return std::nullopt;
    }
  }
  return result.size() >= least && result.size() <= most ? std::optional(result) : std::nullopt;
}

/// Empty, or what is wrong with the flags.
std::string read_filter(const RunOptions& o, pipeline::TraceFilter& filter) {
  const auto one = [](const std::string& text, std::optional<std::uint32_t>& out) {
    if (text.empty()) return true;
    const auto n = numbers_of(text, 1, 1);
    if (n) out = (*n)[0];
    return n.has_value();
  };
  if (!one(o.trace_thread, filter.thread)) return "--trace-thread takes a number";
  if (!one(o.trace_lane, filter.lane) || filter.lane.value_or(0) > 31)
    return "--trace-lane takes a number from 0 to 31";
  if (!o.trace_group.empty()) {
    auto n = numbers_of(o.trace_group, 1, 3);
    if (!n) return "--trace-group takes X,Y,Z";
    n->resize(3);
    filter.group = {(*n)[0], (*n)[1], (*n)[2]};
  }
  if (!o.trace_pixel.empty()) {
    const auto n = numbers_of(o.trace_pixel, 2, 2);
    if (!n) return "--trace-pixel takes X,Y";
    filter.pixel = {(*n)[0], (*n)[1]};
  }
  return {};
}

/// Empty, or why the flags that choose what is shown choose nothing.
std::string useless_filter(const RunOptions& o, const job::Job& job) {
  const std::array<std::pair<const char*, const std::string*>, 5> filters{{{"--trace-group", &o.trace_group},
                                                                           {"--trace-thread", &o.trace_thread},
                                                                           {"--trace-lane", &o.trace_lane},
                                                                           {"--trace-lines", &o.trace_lines},
                                                                           {"--trace-pixel", &o.trace_pixel}}};
  const bool shown = o.trace || !o.trace_file.empty() || !o.dump_registers.empty();
  for (const auto& [name, text] : filters)
    if (!shown && !text->empty())
      return fmt::format("{} chooses what --trace, --trace-file or --dump-registers shows: one of them is needed",
                         name);
  if (!o.trace_pixel.empty() && !job.pixels)
    return "--trace-pixel: this job shades no pixels; --trace-group, --trace-thread and --trace-lane choose here";
  return {};
}

/// SURFACE=FILE[:level=N][:slice=N] of --texels.
struct TexelPicture {
  std::string surface, file;
  std::optional<std::uint32_t> level, slice;
};
std::optional<TexelPicture> texel_picture(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) return std::nullopt;
  TexelPicture picture{text.substr(0, equals), text.substr(equals + 1), {}, {}};
  for (std::size_t colon = picture.file.rfind(':'); colon != std::string::npos; colon = picture.file.rfind(':')) {
    const std::string word = picture.file.substr(colon + 1);
    const bool level = word.starts_with("level=");
    if (!level && !word.starts_with("slice=")) break;
    const auto number = numbers_of(word.substr(6), 1, 1);
    if (!number) return std::nullopt;
    (level ? picture.level : picture.slice) = (*number)[0];
    picture.file.resize(colon);
  }
  return picture.file.empty() ? std::nullopt : std::optional(picture);
}

/// A level or slice that the image has not.
base::Result<base::Done> check_place(const job::TexelCoverage& texels, const TexelPicture& wanted,
                                     const std::string& text) {
  const job::TexelCoverage::Extent extent = texels.extent(wanted.surface);
  if (wanted.level && extent.levels != 0 && *wanted.level >= extent.levels)
    return wrong_flag(fmt::format("--texels {}: '{}' has the levels 0 to {}", text, wanted.surface, extent.levels - 1));
  if (wanted.slice && extent.slices != 0 && *wanted.slice >= extent.slices)
    return wrong_flag(fmt::format("--texels {}: '{}' has the slices 0 to {}", text, wanted.surface, extent.slices - 1));
  return base::Done{};
}

/// The picture of what was touched; nothing where nothing was.
base::Result<std::optional<image::Surface>> draw_texels(const job::TexelCoverage& texels, const TexelPicture& wanted) {
  std::vector<job::TexelCoverage::Plane> planes = texels.planes(wanted.surface);
  std::erase_if(planes, [&](const job::TexelCoverage::Plane& p) {
    return (wanted.level && p.level != *wanted.level) || (wanted.slice && p.slice != *wanted.slice);
  });
  if (planes.empty()) return std::optional<image::Surface>();
  const Picture picture = texel_sheet(planes, fmt::format("{}: texels touched", wanted.surface));
  image::Surface surface;
  surface.width = picture.width();
  surface.height = picture.height();
  if (const auto done = image::allocate(surface); !done.ok()) return done.failure();
  *surface.memory = picture.rgba();
  return std::optional(std::move(surface));
}

/// Surfaces that have texels are the job's images; and the picture's kind is known by its name.
base::Result<base::Done> check_texels(const std::string& text, const job::Job& job) {
  const auto picture = texel_picture(text);
  if (!picture) return wrong_flag(fmt::format("--texels {}: SURFACE=FILE[:level=N][:slice=N] is expected", text));
  const std::string& name = picture->surface;
  const auto named = [&](const auto& binding) { return binding.key.text == name; };
  const base::Place place = base::Place::command_line("--texels");
  const auto found = std::ranges::find_if(job.images, named);
  const bool no_texels = found != job.images.end() && (found->members.type == image::SurfaceType::Buffer ||
                                                       found->members.type == image::SurfaceType::StrBuf ||
                                                       found->members.type == image::SurfaceType::Null);
  if (no_texels || (found == job.images.end() && std::ranges::any_of(job.buffers, named)))
    return base::error("bind-type",
                       fmt::format("'{}' is no image: it has no texels of which a picture could be made", name), place);
  if (found == job.images.end()) {
    std::vector<std::string_view> names;
    for (const job::ImageBinding& b : job.images) names.push_back(b.key.text);
    base::Diagnostic d = base::error("bind-unknown", fmt::format("the job has no image '{}'", name), place);
    const std::string_view near = base::nearest(name, names);
    if (!near.empty())
      d.note(fmt::format("did you mean '{}'?", near));
    else if (!names.empty() && names.size() <= 24)
      d.note(fmt::format("it has: {}", fmt::join(names, " ")));
    return d;
  }
  if (!image::picture_file(picture->file))
    return wrong_flag(
        fmt::format("--texels {}: '{}' has no extension of an image file (.png .ktx2 .exr .pfm)", text, picture->file));
  if (const auto file = image::written_picture(picture->file); !file.ok()) return file.failure();
  return base::Done{};
}

}  // namespace

Watchers::~Watchers() {
  if (trace_file_ != nullptr) std::fclose(trace_file_);
}

base::Result<base::Done> Watchers::set_up(const RunOptions& o, const job::Job& job, const RunPrograms& programs,
                                          base::OutputFiles& files) {
  if (const std::string why = useless_filter(o, job); !why.empty()) return wrong_flag(why);
  for (const std::string& text : o.texels)
    if (auto good = check_texels(text, job); !good.ok()) return good;
  if (o.trace || !o.trace_file.empty())
    if (auto begun = trace(o, programs, files); !begun.ok()) return begun;
  if (!o.dump_registers.empty())
    if (auto begun = dump_registers(o, programs); !begun.ok()) return begun;
  if (!o.coverage.empty() || o.counts) {
    coverage = std::make_unique<pipeline::Coverage>();
    all.add(coverage.get());
  }
  if (!o.texels.empty()) {
    texels = std::make_unique<job::TexelCoverage>();
    all.add(texels.get());
  }
  return base::Done{};
}

base::Result<base::Done> Watchers::trace(const RunOptions& o, const RunPrograms& programs, base::OutputFiles& files) {
  pipeline::TraceFilter filter;
  if (const std::string why = read_filter(o, filter); !why.empty()) return wrong_flag(why);
  if (!o.trace_lines.empty()) {
    const auto lines = choose_lines("--trace-lines", o.trace_lines, programs, o, false);
    if (!lines.ok()) return lines.failure();
    filter.instructions = lines->instructions;
  }
  std::function<void(const std::string&)> write = [](const std::string& line) { std::fputs(line.c_str(), stderr); };
  if (o.trace_file == "-") {
    write = [](const std::string& line) { print(line); };
  } else if (!o.trace_file.empty()) {
    trace_path_ = o.trace_file;
    const auto descriptor = files.open(trace_path_);
    if (!descriptor.ok()) return descriptor.failure();
    trace_file_ = ::fdopen(*descriptor, "w");
    write = [this](const std::string& line) {
      if (std::fputs(line.c_str(), trace_file_) < 0 && trace_error_ == 0) trace_error_ = errno;
    };
  }
  tracer = std::make_unique<pipeline::Tracer>(*programs.main.program, filter, std::move(write));
  if (programs.main.parts.size() > 1)
    tracer->name_lines([&file = programs.main](std::uint32_t line) {
      base::Place place = base::Place::text(file.name, line, 1);
      job::place_in_part(place, file.name, file.parts);
      if (place.file == file.parts[0].file) return std::string();
      return fmt::format("{}:{}", place.file.substr(place.file.find_last_of('/') + 1), place.line);
    });
  all.add(tracer.get());
  return base::Done{};
}

base::Result<base::Done> Watchers::dump_registers(const RunOptions& o, const RunPrograms& programs) {
  pipeline::TraceFilter filter;
  if (const std::string why = read_filter(o, filter); !why.empty()) return wrong_flag(why);
  std::string where;
  if (o.dump_registers != "end") {
    const auto line = choose_lines("--dump-registers", o.dump_registers, programs, o, true);
    if (!line.ok()) return line.failure();
    filter.instructions = line->instructions;
    where = line->text;
  }
  registers = std::make_unique<pipeline::RegisterDump>(filter, where, [](const std::string& text) { print(text); });
  all.add(registers.get());
  return base::Done{};
}

base::Result<base::Done> Watchers::end_trace() {
  if (trace_file_ == nullptr) return base::Done{};
  if (std::fclose(std::exchange(trace_file_, nullptr)) != 0 && trace_error_ == 0) trace_error_ = errno;
  if (trace_error_ == 0) return base::Done{};
  return base::error("file-write", fmt::format("cannot write '{}': {}", trace_path_, std::strerror(trace_error_)),
                     base::Place::in_file(trace_path_));
}

base::Result<base::Done> Watchers::save(const RunOptions& o, const isa::Program& program, base::OutputFiles& files) {
  if (tracer && tracer->lines() == 0)
    std::fputs("note: the trace is empty: its filters let through no instruction that was executed\n", stderr);
  if (registers && registers->dumps() == 0)
    std::fputs(fmt::format("note: no registers are shown: no thread that the --trace flags choose {}\n",
                           o.dump_registers == "end" ? std::string("came to its end")
                                                     : fmt::format("executed line {}", o.dump_registers))
                   .c_str(),
               stderr);
  if (auto done = end_trace(); !done.ok()) return done;
  if (!o.coverage.empty())
    if (auto done = files.add(o.coverage, std::string_view(coverage->listing(program))); !done.ok()) return done;
  if (o.counts)
    for (const pipeline::Coverage::Sum& sum : coverage->by_mnemonic())
      std::fputs(fmt::format("{:>14}  {}{}\n", sum.executions, sum.mnemonic, sum.message ? "  message" : "").c_str(),
                 stderr);
  for (const std::string& text : o.texels) {
    const TexelPicture wanted = *texel_picture(text);
    if (auto good = check_place(*texels, wanted, text); !good.ok()) return good;
    const auto drawn = draw_texels(*texels, wanted);
    if (!drawn.ok()) return drawn.failure();
    const std::optional<image::Surface>& picture = *drawn;
    if (!picture) {
      std::fputs(fmt::format("note: --texels {}: no texel of '{}' was touched there, there is nothing to write\n", text,
                             wanted.surface)
                     .c_str(),
                 stderr);
      continue;
    }
    const image::PictureFile file = *image::picture_file(wanted.file);
    const auto bytes = image::encode_image(*picture, file.kind);
    if (!bytes.ok()) return bytes.failure();
    if (auto done = files.add(file.path, *bytes); !done.ok()) return done;
  }
  return base::Done{};
}

}  // namespace heddle::tools
