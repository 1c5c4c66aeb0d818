// SPDX-License-Identifier: MIT
// heddle_footprint: texture/footprint for each lane.
// Rules: C44, EXE-4, EXE-5, FC11, FLT-5, FP-20, FP-23, LOD-2, RET-7, RET-8.
#include <fmt/format.h>

#include <algorithm>

#include "instructions/reference.hpp"
#include "instructions/sampler/footprint/operands.hpp"
#include "instructions/sampler/request.hpp"
#include "texture/footprint.hpp"

namespace heddle::instructions::footprint {
namespace {

using machine::ExecutionContext;
using machine::Operand;

struct Request {
  Shape shape;
  texture::FootprintView view;
  texture::FootprintSampler sampler;
  texture::FootprintOptions options;
  std::array<texture::LaneWords, kParameterCount> words{};  ///< by Parameter; absent ones are 0

  [[nodiscard]] std::uint32_t word(Parameter p, unsigned lane) const {
    return words[static_cast<std::size_t>(p)][lane];
  }
  [[nodiscard]] float value(Parameter p, unsigned lane) const { return __builtin_bit_cast(float, word(p, lane)); }
};

/// Surface and sampler of a query (V4, V6); false: every lane is zero.
bool read_state(ExecutionContext& s, Request& request) {
  const image::Surface* surface = surface_of(s);
  const image::Sampler* sampler = sampler_of(s);
  if (surface == nullptr || sampler == nullptr) return false;
  if (surface->type == image::SurfaceType::Null || sampler->disable) return false;  // RET-7, RET-8
  request.view = texture::footprint_view(*surface);
  if (request.view.dim != request.shape.dim || surface->samples != 1) {  // V4
    s.check(nullptr, "footprint-view", fmt::format("the surface is no {}D image of one sample", request.shape.dim));
    return false;
  }
  request.sampler = texture::footprint_sampler(*sampler);
  texture::FootprintSampler& f = request.sampler;
  const image::ValueClass values = surface->info().value_class;
  const bool integer = values == image::ValueClass::Uint || values == image::ValueClass::Sint;
  if (integer && (f.mag_linear || f.min_linear || f.mip == image::MipFilter::Linear)) {  // V6, FLT-5 [C44]
    s.check(nullptr, "footprint-filter-format",
            fmt::format("{} cannot be filtered linearly; NEAREST is used", surface->info().name));
    f.mag_linear = f.min_linear = false;
    f.max_anisotropy = 0;
    if (f.mip == image::MipFilter::Linear) f.mip = image::MipFilter::Nearest;
  }
  return true;
}

void read_parameters(ExecutionContext& s, Request& request) {
  const ParameterList list = parameters_of(request.shape);
  const auto first = static_cast<unsigned>(s.instruction().description->fixed_slots());
  for (unsigned i = 0; i < list.count && first + i < s.operand_count(); ++i) {
    const Operand& operand = s.operand(first + i);
    if (!operand.null) read_parameter(s, operand, s.enabled(), request.words[static_cast<std::size_t>(list.at[i])]);
  }
}

texture::FootprintQuery query_of(const Request& r, unsigned lane) {
  constexpr Parameter kCoordinate[3] = {Parameter::U, Parameter::V, Parameter::R};
  constexpr Parameter kDx[3] = {Parameter::DuDx, Parameter::DvDx, Parameter::DrDx};
  constexpr Parameter kDy[3] = {Parameter::DuDy, Parameter::DvDy, Parameter::DrDy};
  constexpr Parameter kOffset[3] = {Parameter::OffU, Parameter::OffV, Parameter::OffR};
  texture::FootprintQuery q;
  q.granularity = r.word(Parameter::Granularity, lane);
  q.coarse = r.word(Parameter::Coarse, lane) != 0;
  q.operand = r.shape.source == Source::Lod    ? texture::FootprintOperand::Lod
              : r.shape.source == Source::Grad ? texture::FootprintOperand::Grad
                                               : texture::FootprintOperand::Derivatives;
  q.lod = r.value(Parameter::Lod, lane);
  if (r.shape.bias) q.bias = r.value(Parameter::Bias, lane);
  if (r.shape.min_lod) q.min_lod = r.value(Parameter::Mlod, lane);
  const unsigned quad = lane & ~3u;
  for (unsigned k = 0; k < r.shape.dim; ++k) {
    q.coordinate[k] = r.value(kCoordinate[k], lane);
    q.offset[k] = static_cast<std::int32_t>(r.word(kOffset[k], lane));
    if (r.shape.source == Source::Grad) {
      q.gradients.dx[k] = r.value(kDx[k], lane);
      q.gradients.dy[k] = r.value(kDy[k], lane);
    } else if (r.shape.source == Source::Implicit) {  // LOD-2, EXE-4, EXE-5: disabled lanes of the quad count
      const float upper_left = r.value(kCoordinate[k], quad);
      q.gradients.dx[k] = r.value(kCoordinate[k], quad + 1) - upper_left;
      q.gradients.dy[k] = r.value(kCoordinate[k], quad + 2) - upper_left;
    }
  }
  return q;
}

using Members = std::array<std::array<std::uint64_t, machine::kMaxLanes>, members_of(3)>;

void place(const texture::Footprint& f, unsigned dim, unsigned lane, Members& members) {
  unsigned m = 0;
  const auto add = [&](std::uint64_t value) { members[m++][lane] = value & 0xffffffffu; };
  add(f.single ? 1 : 0);
  for (unsigned k = 0; k < dim; ++k) add(f.anchor[k]);
  for (unsigned k = 0; k < dim; ++k) add(f.offset[k]);
  add(f.mask);
  add(f.mask >> 32);
  add(f.lod);
  add(f.granularity);
}

/// The texels that an answer names, to who watches: groups that lie beyond the level's end count only as far as it
/// goes, those before its begin are counted from its end (FP-20).
void observe(machine::Observer& observer, const image::Surface& surface, const Request& r, const texture::Footprint& f,
             unsigned lane) {
  const unsigned dim = r.shape.dim;
  const std::uint32_t level = r.view.base_level + f.lod;
  const auto size = texture::granularity_size(
      dim,
      f.granularity != 0 ? f.granularity : texture::nearest_granularity(dim, r.word(Parameter::Granularity, lane)));
  if (!size || level >= surface.layout.size()) return;
  const image::LevelLayout& l = surface.layout[level];
  const texture::Coordinates3 extent{l.width, l.height, dim == 3 ? l.slices : 1};
  for (const texture::Group& group : texture::decode(f, dim)) {
    texture::Coordinates3 first{}, count{1, 1, 1};
    bool inside = true;
    for (unsigned k = 0; k < dim; ++k) {
      const std::int64_t groups = (std::int64_t{extent[k]} + (*size)[k] - 1) / (*size)[k];
      const std::int64_t at = group[k] < 0 ? group[k] + groups : group[k];
      inside = inside && at >= 0 && at < groups;
      first[k] = static_cast<std::uint32_t>(at) * (*size)[k];
      count[k] = inside ? std::min((*size)[k], extent[k] - first[k]) : 0;
    }
    if (!inside) continue;
    for (std::uint32_t z = 0; z < count[2]; ++z)
      observer.footprint({.surface = &surface,
                          .level = level,
                          .slice = dim == 3 ? first[2] + z : surface.min_array_element,
                          .x = first[0],
                          .y = first[1],
                          .width = count[0],
                          .height = count[1],
                          .lane = lane});
  }
}

/// Zeros in place of a footprint are worth a warning whatever is checked.
void refused(ExecutionContext& s, const base::Diagnostic& why, unsigned lane) {
  if (s.checking()) return s.check(nullptr, why.id, why.message, lane);
  machine::Reports& reports = s.thread().reports();
  const isa::Instruction& instruction = *s.instruction().instruction;
  reports.add(base::warning(why.id, why.message + "; the footprint is empty",
                            reports.place_of(*s.thread().object().object, instruction)));
}

void execute(ExecutionContext& s) {
  Request request;
  request.shape = shape_of(s);
  request.options.mode = request.shape.mode == Mode::Strict    ? texture::FootprintMode::Strict
                         : request.shape.mode == Mode::Lenient ? texture::FootprintMode::Lenient
                                                               : texture::FootprintMode::Extended;
  Members members{};
  machine::Observer* observer = s.thread().observer();
  if (observer != nullptr && !observer->wants_texels()) observer = nullptr;
  if (read_state(s, request)) {
    read_parameters(s, request);
    for (unsigned lane = 0; lane < s.lanes(); ++lane) {
      if (!s.is_enabled(lane)) continue;
      base::Diagnostics warnings;
      const auto answer =
          texture::footprint(request.view, request.sampler, query_of(request, lane), request.options, &warnings);
      for (const base::Diagnostic& d : warnings.all()) s.check(nullptr, d.id, d.message, lane);
      if (answer.ok()) {
        place(*answer, request.shape.dim, lane, members);
        if (observer != nullptr) observe(*observer, *surface_of(s), request, *answer, lane);
      } else  // FC11: the result is zero
        for (const base::Diagnostic& d : answer.diagnostics()) refused(s, d, lane);
    }
  }
  const Operand& dst = *s.named("dst");
  if (dst.null) return;
  const unsigned stride = (4 * s.lanes() + s.grf_bytes() - 1) / s.grf_bytes() * s.grf_bytes();
  for (unsigned m = 0; m < members_of(request.shape.dim); ++m)
    s.write_raw(dst, m * stride, 4, s.lanes(), members[m].data(), s.enabled());
}

constexpr ReferenceHook kHooks[] = {{"heddle_footprint", execute}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::footprint
