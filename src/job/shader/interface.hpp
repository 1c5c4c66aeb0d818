// SPDX-License-Identifier: MIT
#pragma once
// Names of shader_interface/ that all of job/ uses.

#include "shader_interface/interface.hpp"

namespace heddle::job {

using shader_interface::BlockMember;
using shader_interface::element_type;
using shader_interface::kClipDistanceLocation;
using shader_interface::kCullDistanceLocation;
using shader_interface::kFirstHandle;
using shader_interface::kind_word;
using shader_interface::kLayerLocation;
using shader_interface::kPointSizeLocation;
using shader_interface::kPositionLocation;
using shader_interface::kViewportLocation;
using shader_interface::MemberType;
using shader_interface::parse_member_type;
using shader_interface::read_interface;
using shader_interface::ResourceKind;
using shader_interface::SamplerLine;
using shader_interface::ShaderInterface;
using shader_interface::ShaderStage;
using shader_interface::StageVariable;
using shader_interface::SurfaceLine;
using shader_interface::ValueLine;

}  // namespace heddle::job
