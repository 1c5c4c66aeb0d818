// SPDX-License-Identifier: MIT
// GATHER4_TYPED and SCATTER4_TYPED.
#include "instructions/reference.hpp"
#include "instructions/data_port/typed.hpp"

namespace heddle::instructions::memory_typed {
namespace {

using machine::ExecutionContext;

TypedAddress address_of(ExecutionContext& s) { return {s.named("u"), s.named("v"), s.named("r"), s.named("lod")}; }

void gather4(ExecutionContext& s) {
  if (image::Surface* surface = typed_surface(s))
    read_texels(s, *surface, address_of(s), static_cast<unsigned>(s.integer("mask")) & 15u, *s.named("dst"));
}
void scatter4(ExecutionContext& s) {
  if (image::Surface* surface = typed_surface(s))
    write_texels(s, *surface, address_of(s), static_cast<unsigned>(s.integer("mask")) & 15u, *s.named("src"));
}

constexpr ReferenceHook kHooks[] = {{"gather4_typed", gather4}, {"scatter4_typed", scatter4}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::memory_typed
