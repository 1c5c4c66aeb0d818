// heddle_footprint: texture/footprint for each lane.
// Rules: FP-23.
#include <fmt/format.h>

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
  if (read_state(s, request)) {
    read_parameters(s, request);
    for (unsigned lane = 0; lane < s.lanes(); ++lane) {
      if (!s.is_enabled(lane)) continue;
      base::Diagnostics warnings;
      const auto answer =
          texture::footprint(request.view, request.sampler, query_of(request, lane), request.options, &warnings);
      for (const base::Diagnostic& d : warnings.all()) s.check(nullptr, d.id, d.message, lane);
      if (answer.ok())
        place(*answer, request.shape.dim, lane, members);
      else  // FC11: the result is zero
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
