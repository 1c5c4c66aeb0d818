// SPDX-License-Identifier: MIT
#include "heddle/footprint.hpp"

#include <algorithm>

#include "library/image/impl.hpp"
#include "texture/footprint.hpp"
#include "texture/footprint_map.hpp"

namespace heddle {

struct FootprintMap::Impl {
  texture::FootprintMap map;
};

namespace {

std::optional<Diagnostic> problem(const Image& image) {
  if (image.empty()) return library::empty_image();
  if (image.type() != ImageType::Dim2 && image.type() != ImageType::Dim3)
    return library::wrong_argument("footprints exist for images of type 2D and 3D");
  return std::nullopt;
}

texture::FootprintQuery to_query(const FootprintRequest& request) {
  texture::FootprintQuery query;
  query.coordinate = request.coordinate;
  query.granularity = request.granularity;
  query.coarse = request.coarse;
  query.lod = request.lod;
  query.bias = request.bias;
  query.min_lod = request.min_lod;
  if (request.gradients) {
    query.operand = texture::FootprintOperand::Grad;
    query.gradients = {request.gradients->dx, request.gradients->dy};
  }
  return query;
}

Footprint to_public(const texture::Footprint& f) {
  return {f.single, f.anchor, f.offset, f.mask, f.lod, f.granularity};
}

/// The options as the texture unit takes them. Warnings are handed out at the end of the call.
struct Rules {
  explicit Rules(const FootprintOptions& wanted) : to(wanted.warnings) {
    options.mode = static_cast<texture::FootprintMode>(wanted.mode);
    options.conservative = wanted.conservative;
  }
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;
  ~Rules() {
    if (to != nullptr) library::append(*to, library::to_public(warnings));
  }
  Diagnostics* to;
  texture::FootprintOptions options;
  base::Diagnostics warnings;
};

texture::FootprintSampler to_sampler(const Sampler& sampler, const Image& image) {
  return texture::footprint_sampler(library::sampler_for(sampler, library::surface_of(image)));
}

}  // namespace

std::optional<GridPlace> group_size(unsigned dimensions, std::uint32_t granularity) {
  return dimensions == 2 || dimensions == 3 ? texture::granularity_size(dimensions, granularity) : std::nullopt;
}

Result<Footprint> footprint(const Image& image, const Sampler& sampler, const FootprintRequest& request,
                            const FootprintOptions& options) {
  if (auto wrong = problem(image)) return *wrong;
  Rules rules(options);
  return library::map(texture::footprint(texture::footprint_view(library::surface_of(image)),
                                         to_sampler(sampler, image), to_query(request), rules.options, &rules.warnings),
                      [](texture::Footprint&& f) { return to_public(f); });
}

Result<FootprintList> footprint_list(const Image& image, const Sampler& sampler, const FootprintRequest& request,
                                     const FootprintOptions& options) {
  if (auto wrong = problem(image)) return *wrong;
  Rules rules(options);
  return library::map(
      texture::footprint_list(texture::footprint_view(library::surface_of(image)), to_sampler(sampler, image),
                              to_query(request), rules.options, &rules.warnings),
      [](texture::FootprintList&& list) {
        FootprintList result{.single_level = list.single, .footprints = {}};
        for (const texture::Footprint& f : list.footprints) result.footprints.push_back(to_public(f));
        return result;
      });
}

Result<FootprintTexels> footprint_texels(const Image& image, const Sampler& sampler, const FootprintRequest& request,
                                         const FootprintOptions& options) {
  if (auto wrong = problem(image)) return *wrong;
  Rules rules(options);
  return library::map(
      texture::footprint_set(texture::footprint_view(library::surface_of(image)), to_sampler(sampler, image),
                             to_query(request), rules.options, true, &rules.warnings),
      [](texture::FootprintSet&& set) {
        return FootprintTexels{set.single,           set.border, set.lod, set.granularity, std::move(set.groups),
                               std::move(set.texels)};
      });
}

Result<FootprintMap> FootprintMap::create(const Image& image, std::uint32_t granularity, const Limits& limits) {
  if (auto wrong = problem(image)) return *wrong;
  return library::map(
      texture::FootprintMap::create(texture::footprint_view(library::surface_of(image)), granularity,
                                    library::to_base(limits)),
      [](texture::FootprintMap&& map) { return FootprintMap(std::make_shared<Impl>(Impl{std::move(map)})); });
}

void FootprintMap::insert(const Footprint& f) {
  if (f.lod >= impl_->map.view().levels) return;
  impl_->map.insert({f.single_level, f.anchor, f.offset, f.mask, f.lod, f.granularity});
}

namespace {
bool inside(const texture::FootprintMap& map, std::uint32_t level, const GridPlace& texel) {
  if (level >= map.view().levels) return false;
  const texture::Coordinates3 size = map.level_size(level);
  return texel[0] < size[0] && texel[1] < size[1] && texel[2] < size[2];
}
}  // namespace

void FootprintMap::insert_texel(std::uint32_t level, const GridPlace& texel) {
  if (inside(impl_->map, level, texel)) impl_->map.mark_texel(level, texel);
}
bool FootprintMap::touched(std::uint32_t level, const GridPlace& texel) const {
  return inside(impl_->map, level, texel) && impl_->map.texel_touched(level, texel);
}
std::vector<GridPlace> FootprintMap::touched_groups(std::uint32_t level) const {
  return level < impl_->map.view().levels ? impl_->map.touched_groups(level) : std::vector<GridPlace>();
}
double FootprintMap::touched_fraction(std::uint32_t level) const {
  return level < impl_->map.view().levels ? impl_->map.touched_fraction(level) : 0;
}

}  // namespace heddle
