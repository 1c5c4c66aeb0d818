// SPDX-License-Identifier: MIT
// Values that printers_test.py looks at in a debugger, at the line of show().

#include "image/surface.hpp"
#include "isa/operand.hpp"
#include "machine/jit/builder.hpp"
#include "machine/operand.hpp"
#include "spirv/compile/module/value.hpp"
#include "texture/taps.hpp"

using namespace heddle;

__attribute__((noinline)) void show() { asm volatile(""); }

int main() {
  isa::Operand general, raw, null_raw, immediate, indirect, predicate, surface_index;
  general.kind = isa::OperandKind::General;
  general.modifier = isa::Modifier::Neg;
  general.id = 33;
  general.row = 1;
  general.col = 2;
  general.region = isa::Region::source(8, 8, 1);
  raw.kind = null_raw.kind = isa::OperandKind::Raw;
  raw.id = 34;
  raw.offset = 64;
  immediate.kind = isa::OperandKind::Immediate;
  immediate.type = isa::Type::F;
  immediate.value = 0x3f800000;
  indirect.kind = isa::OperandKind::Indirect;
  indirect.id = 2;
  indirect.offset = -16;
  indirect.type = isa::Type::HF;
  indirect.region = isa::Region::destination(1);
  predicate.kind = isa::OperandKind::Predicate;
  predicate.id = 1;
  surface_index.kind = isa::OperandKind::Surface;
  surface_index.id = 6;

  machine::Operand resolved;
  resolved.kind = isa::OperandKind::General;
  resolved.type = isa::Type::F;
  resolved.id = 33;
  resolved.base = 1056;
  resolved.root_begin = 1024;
  resolved.root_end = 1152;
  resolved.contiguous = resolved.in_bounds = true;

  image::Surface surface, buffer;
  surface.format = image::Format::R8G8B8A8_UNORM;
  surface.width = 256;
  surface.height = 128;
  surface.levels = 9;
  surface.tile_mode = image::TileMode::Y;
  surface.name = "brick";
  buffer.type = image::SurfaceType::Buffer;
  buffer.entries = 10;

  texture::Tap tap;
  tap.at.x = 3;
  tap.at.y = 4;
  tap.at.slice = 5;
  tap.unwrapped = {-1, 4, 0};
  tap.weighted = false;

  spirv::compiler::Value value;
  value.type = 12;
  spirv::compiler::Part part;
  part.kind = spirv::compiler::Part::Kind::Variable;
  part.type = isa::Type::F;
  part.variable = 40;
  part.offset = 32;
  value.parts = {part, spirv::compiler::ud(7)};
  value.pointer = std::make_shared<spirv::compiler::Pointer>();
  value.pointer->pointee = 9;
  machine::jit::Value none;
  show();
  return static_cast<int>(general.id + raw.id + null_raw.id + immediate.id + indirect.id + predicate.id +
                          surface_index.id + resolved.id + surface.width + buffer.width + tap.at.x + value.type +
                          (none ? 1u : 0u)) == 0
             ? 1
             : 0;
}
