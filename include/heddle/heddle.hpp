// SPDX-License-Identifier: MIT
#pragma once
// Heddle as a library: GPU image instructions, and the programs around them, on the CPU. This header includes all
// others; each of them can be included alone.
//
// Link heddle::image for image.hpp to render_target.hpp and what is about texels (bounds.hpp, feedback.hpp ...),
// heddle::program for program.hpp, check.hpp and explain.hpp, heddle::shader for shader.hpp, heddle::run for run.hpp
// and trace.hpp, heddle::heddle for all.

#include "heddle/arrays.hpp"
#include "heddle/bounds.hpp"
#include "heddle/check.hpp"
#include "heddle/environment.hpp"
#include "heddle/explain.hpp"
#include "heddle/feedback.hpp"
#include "heddle/footprint.hpp"
#include "heddle/footprint_bytes.hpp"
#include "heddle/image.hpp"
#include "heddle/program.hpp"
#include "heddle/render_target.hpp"
#include "heddle/result.hpp"
#include "heddle/run.hpp"
#include "heddle/sampler.hpp"
#include "heddle/shader.hpp"
#include "heddle/texture.hpp"
#include "heddle/trace.hpp"
