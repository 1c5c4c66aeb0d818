#pragma once
// Heddle as a library: GPU image instructions on the CPU. One include for everything; each header can be included
// alone.
//
// Units and ranges: coordinates are normalized binary32 unless the sampler says otherwise, sizes are texels, levels are
// absolute in image::Surface and relative to SurfMinLOD in operations. Nothing throws on bad input, prints or keeps
// global state: functions return base::Result, or add to base::Diagnostics or texture::OperationContext::reports.

#include "base/diagnostic.hpp"
#include "base/limits.hpp"
#include "base/result.hpp"
#include "image/files/files.hpp"
#include "image/format.hpp"
#include "image/sampler.hpp"
#include "image/sampler_text.hpp"
#include "image/surface.hpp"
#include "render_target/render_target.hpp"
#include "texture/context.hpp"
#include "texture/footprint.hpp"
#include "texture/footprint_map.hpp"
#include "texture/point.hpp"
#include "texture/request.hpp"
#include "texture/sample_unorm.hpp"
#include "texture/simd/prepared.hpp"
