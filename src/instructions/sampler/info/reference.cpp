// INFO: resinfo and sampleinfo (RES, SIN).
#include "instructions/reference.hpp"
#include "instructions/sampler/request.hpp"

namespace heddle::instructions::info {
namespace {

using machine::ExecutionContext;

void query(ExecutionContext& s, texture::Op op) {
  texture::LaneRequest request;
  request.op = op;
  request.simd = s.lanes();
  request.active = s.enabled();
  request.channels = static_cast<std::uint8_t>(s.integer("mask"));
  request.surface = surface_of(s);
  if (request.surface == nullptr) return;
  texture::LaneWords lod{};
  if (const machine::Operand* operand = s.named("lod")) {
    read_parameter(s, *operand, request.active, lod);
    request.set(texture::Param::Lod, lod);
  }
  execute_and_write(s, request, *s.named("dst"));
}

void resinfo(ExecutionContext& s) { query(s, texture::Op::Resinfo); }
void sampleinfo(ExecutionContext& s) { query(s, texture::Op::Sampleinfo); }

constexpr ReferenceHook kHooks[] = {{"resinfo", resinfo}, {"sampleinfo", sampleinfo}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::info
