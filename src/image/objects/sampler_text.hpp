// SPDX-License-Identifier: MIT
#pragma once
// A sampler in one line, for command-line flags:
// "linear,repeat,mip=linear,max_anisotropy=16,border=0:0:0:1,compare_op=less".

#include <string_view>
#include <vector>

#include "base/node.hpp"
#include "base/result.hpp"
#include "image/objects/object.hpp"

namespace heddle::image {

/// Bare words: a filter (nearest, linear, anisotropic), `trilinear` (linear filter and mips), an address mode in either
/// vocabulary for all axes, `mipmap_nearest`, `mipmap_linear`, `unnormalized`. Otherwise NAME=VALUE with the members of
/// the sampler object; the items of an array are separated by colons. Ids: sampler-word,
/// sampler-key, sampler-type, sampler-value.
[[nodiscard]] base::Result<SamplerMembers> parse_sampler(std::string_view text);

/// The same words as the members of a sampler object. Id: sampler-word.
[[nodiscard]] base::Result<base::Node> sampler_words(std::string_view text);

}  // namespace heddle::image
