// SPDX-License-Identifier: MIT
// OpImageFetch, OpImageRead, OpImageWrite: texels by integer coordinates. Sampled images, texel buffers and input
// attachments go through 3D_LOAD (LD-1), storage images through typed messages, which convert from
// and to the surface's format.
// Rules: LD-2, SPV-27, SPV-29.
#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/images/image.hpp"

namespace heddle::spirv::compiler::image {
namespace {

std::vector<Part> integers(ShaderContext& t, std::uint32_t id, unsigned count) {
  std::vector<Part> list;
  for (unsigned c = 0; c < count; ++c) list.push_back(parameter(t, t.values.part(id, c), isa::Type::D, "coordinate"));
  return list;
}

/// 3D_LOAD at `coordinates` (array index last). Offsets were added already: the message's own would be added without
/// wrapping round (LD-2), so that negative coordinates could not be moved inside.
void load(ShaderContext& t, const Image& image, std::vector<Part> coordinates, const Operands& o, bool sparse) {
  const std::vector<GuardedImage> targets = guarded_images(t, image.handle, false);
  const Result result = result_of(t, sparse);
  const auto components = static_cast<unsigned>(std::min<std::size_t>(result.types.size(), 4));
  const unsigned channels = image.wide() ? wide_channels(components) : components;
  const auto receive_texel = [&](const SamplerMessage& message) {
    if (!image.wide()) return finish(t, result, send(t, targets, message, channels, image.info.texel, sparse));
    const std::vector<Part> halves = send(t, targets, message, channels, isa::Type::UD, sparse);
    finish(t, result, wide_texel(t, halves, image.info.texel, components));
  };
  SamplerMessage m;
  m.sampler = false;
  m.channels = std::string("RGBA").substr(0, channels);
  if (image.info.multisampled) {
    SamplerMessage mcs;
    mcs.sampler = false;
    mcs.op = "load_mcs";
    mcs.channels = "RG";
    mcs.parameters = coordinates;
    const std::vector<Part> control = send(t, targets, mcs, 2, isa::Type::UD, false);
    m.op = "load_2dms_w";
    m.parameters = {parameter(t, o.sample != 0 ? t.values.part(o.sample) : ud(0), isa::Type::UD, "sample"), control[0],
                    control[1]};
    m.parameters.insert(m.parameters.end(), coordinates.begin(), coordinates.end());
    return receive_texel(m);
  }
  const Part lod = o.lod != 0 ? t.values.part(o.lod) : ud(0);
  if (lod.constant() && lod.bits == 0) {
    m.op = "load_lz";
    m.parameters = std::move(coordinates);
  } else {
    m.op = "load_3d";  // u v lod r
    m.parameters = std::move(coordinates);
    while (m.parameters.size() < 2) m.parameters.push_back(zeros(t, isa::Type::D));
    m.parameters.insert(m.parameters.begin() + 2, parameter(t, lod, isa::Type::D, "lod"));
  }
  receive_texel(m);
}

/// Operands that OpImageRead and OpImageWrite may have: Sample, and a level of a view of several.
bool refuse_others(ShaderContext& t, const Operands& o) {
  if ((o.bias | o.dx | o.const_offset | o.offset | o.const_offsets | o.min_lod) == 0) return false;
  t.refuse("of the image operands only Lod and Sample are supported here");
  return true;
}

Part level_of(ShaderContext& t, const Operands& o) {
  return o.lod == 0 ? Part{} : parameter(t, t.values.part(o.lod), isa::Type::D, "lod");
}

/// Adds the pixel of each lane, which the dispatch gives: with one thread for several samples, places in R1 are not
/// those of the lanes. The layer of the lane comes last: with several views that of the view.
void move_to_pixel(ShaderContext& t, std::vector<Part>& coordinates) {
  VisaWriter& b = t.b;
  if (t.fragment.pixel.empty())
    for (const char axis : {'x', 'y'}) {
      const Part position = t.inputs.add(isa::Type::F, fmt::format("position_{}", axis));
      b.interface_line(fmt::format("value {} position.{}", b.name(position), axis));
      b.at_start([&] { t.fragment.pixel.push_back(b.convert(position, isa::Type::D, fmt::format("pixel_{}", axis))); });
    }
  for (unsigned axis = 0; axis < 2 && axis < coordinates.size(); ++axis) {
    const bool zero = coordinates[axis].constant() && coordinates[axis].bits == 0;
    coordinates[axis] = zero ? t.fragment.pixel[axis]
                             : b.make("add", isa::Type::D, {t.fragment.pixel[axis], coordinates[axis]}, "coordinate");
  }
  coordinates.push_back(t.inputs.keep(t.fragment.layer, isa::Type::UD, "layer", "layer").as(isa::Type::D));
}

}  // namespace

void fetch(ShaderContext& t) {
  const bool sparse = static_cast<spv::Op>(t.at->opcode) == spv::Op::OpImageSparseFetch;
  const auto image = image_of(t, t.operand(0));
  const auto operands = read_operands(t, 2);
  if (!image || !operands) return;
  if (image->cube()) return t.refuse("cube images are not fetched from");
  std::vector<Part> coordinates = integers(t, t.operand(1), image->coordinates());
  if (const std::uint32_t id = operands->const_offset != 0 ? operands->const_offset : operands->offset; id != 0)
    for (unsigned c = 0; c < image->axes; ++c)
      coordinates[c] =
          t.b.make("add", isa::Type::D, {coordinates[c], t.values.part(id, c).as(isa::Type::D)}, "coordinate");
  load(t, *image, std::move(coordinates), *operands, sparse);
}

void read(ShaderContext& t) {
  const bool sparse = static_cast<spv::Op>(t.at->opcode) == spv::Op::OpImageSparseRead;
  const auto image = image_of(t, t.operand(0));
  const auto operands = read_operands(t, 2);
  if (!image || !operands || refuse_others(t, *operands)) return;
  if (image->subpass()) {
    std::vector<Part> coordinates{t.values.part(t.operand(1), 0).as(isa::Type::D),
                                  t.values.part(t.operand(1), 1).as(isa::Type::D)};
    move_to_pixel(t, coordinates);
    return load(t, *image, std::move(coordinates), *operands, sparse);
  }
  std::vector<Part> coordinates =
      integers(t, t.operand(1), image->cube() ? 3 : image->coordinates());  // cubes: layers are faces
  // No typed message has a sample number or a null mask; the sampler reads the same surface, but no cube's.
  if ((image->info.multisampled || sparse) && !image->cube())
    return load(t, *image, std::move(coordinates), *operands, sparse);
  const Result result = result_of(t, sparse);
  const auto channels = static_cast<unsigned>(std::min<std::size_t>(result.types.size(), 4));
  const std::vector<GuardedImage> targets = guarded_images(t, image->handle, false);
  const Part level = level_of(t, *operands);
  std::vector<Part> parts = image->wide()
                                ? typed_read(t, targets, coordinates, wide_channels(channels), isa::Type::UD, level)
                                : typed_read(t, targets, coordinates, channels, image->info.texel, level);
  if (sparse) parts.push_back(ud(1));  // SPV-29
  finish(t, result, image->wide() ? wide_texel(t, parts, image->info.texel, channels) : std::move(parts));
}

void write(ShaderContext& t) {
  const auto image = image_of(t, t.operand(0));
  const auto operands = read_operands(t, 3);
  if (!image || !operands || refuse_others(t, *operands)) return;
  std::vector<Part> coordinates = integers(t, t.operand(1), image->cube() ? 3 : image->coordinates());
  if (image->info.multisampled)
    enter_samples(t, image->handle.image, image->info.arrayed, coordinates,
                  operands->sample != 0 ? t.values.part(operands->sample) : ud(0));
  std::vector<Part> texel = t.values.of(t.operand(2)).parts;
  if (texel.size() > 4) texel.resize(4);
  isa::Type type = image->info.texel;
  if (image->wide()) texel = {low_half(texel[0]), high_half(texel[0])}, type = isa::Type::UD;
  typed_write(t, guarded_images(t, image->handle.image, t.lanes.live(), image->info.multisampled), coordinates, texel,
              type, level_of(t, *operands));
}

/// Typed messages name no sample. The samples of a layer are stored like layers, which a second surface shows. A sample
/// that the image doesn't have must not become one of the next layer, nor a layer beyond all others wrap to one that
/// is there: both go to a layer that no view has, where accesses do nothing.
void enter_samples(ShaderContext& t, const Descriptor& image, bool arrayed, std::vector<Part>& coordinates,
                   const Part& sample) {
  const Part number = parameter(t, sample, isa::Type::D, "sample");
  if (!arrayed) {
    coordinates.push_back(number);
    return;
  }
  const std::vector<GuardedImage> targets = guarded_images(t, image, {});
  constexpr unsigned kInfoLanes = 16;
  constexpr std::uint32_t kMaxLayers = 1u << 24;  // times 16 samples: no overflow
  const Part samples = receive(t, targets, kInfoLanes, 1, isa::Type::UD,
                               [&](const GuardedImage& target, const LaneRange& range, const VisaOperand& dst) {
                                 t.b.instruction("sampleinfo.R", range, {target.surface, dst});
                               })[0];
  const Part layer = coordinates.back();
  const Part first = t.b.make("mul", isa::Type::D, {layer, samples.as(isa::Type::D)}, "layer");
  const Part place = t.b.make("add", isa::Type::D, {first, number}, "layer");
  const Part has_sample = t.b.compare("lt", number.as(isa::Type::UD), samples.as(isa::Type::UD), "has_sample");
  const Part has_layer = t.b.compare("lt", layer.as(isa::Type::UD), ud(kMaxLayers), "has_layer");
  const Part none = constant(isa::Type::D, 0xffffffffu);
  coordinates.back() = parameter(t, t.b.select(has_sample, t.b.select(has_layer, place, none, "layer"), none, "layer"),
                                 isa::Type::D, "layer");
}

}  // namespace heddle::spirv::compiler::image
