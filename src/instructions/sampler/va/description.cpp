// SPDX-License-Identifier: MIT
// VA and VA+, opcodes 44 and 4d, undocumented. The text is Heddle's own: operands in binary order.
#include "instructions/families.hpp"

namespace heddle::instructions::va {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x44, "va_convolve_2d", "ub=01 S T u:v/f v:v/f properties:ub dst:W*any", "", "", "unimplemented", "", "",
     "2D convolution"},
    {0x44, "va_minmax", "ub=02 T u:v/f v:v/f mode:v dst:W*any", "", "", "unimplemented", "", "",
     "minimum and maximum"},
    {0x44, "va_minmaxfilter", "ub=03 S T u:v/f v:v/f control:ub exec:ub mode:v dst:W*any", "", "", "unimplemented", "", "",
     "minimum or maximum filter"},
    {0x44, "va_erode", "ub=04 S T u:v/f v:v/f exec:ub dst:W*any", "", "", "unimplemented", "", "",
     "erosion"},
    {0x44, "va_dilate", "ub=05 S T u:v/f v:v/f exec:ub dst:W*any", "", "", "unimplemented", "", "",
     "dilation"},
    {0x44, "va_boolcentroid", "ub=06 T u:v/f v:v/f vsize:v hsize:v dst:W*any", "", "", "unimplemented", "", "",
     "centroid of a bit mask"},
    {0x44, "va_centroid", "ub=07 T u:v/f v:v/f vsize:v dst:W*any", "", "", "unimplemented", "", "",
     "centroid"},
    {0x4d, "va_convolve_1d_v", "ub=08 S T u:v/f v:v/f mode:ub dst:W*any", "", "", "unimplemented", "", "",
     "1D convolution, vertical"},
    {0x4d, "va_convolve_1d_h", "ub=09 S T u:v/f v:v/f mode:ub dst:W*any", "", "", "unimplemented", "", "",
     "1D convolution, horizontal"},
    {0x4d, "va_convolve_1pixel", "ub=0a S T u:v/f v:v/f mode:ub offsets:R*any dst:W*any", "", "", "unimplemented", "", "",
     "convolution of single pixels"},
    {0x4d, "va_floodfill", "ub=0b connect:ub mask:R*any h:v w:v v:v dst:W*any", "", "", "unimplemented", "", "",
     "flood fill"},
    {0x4d, "va_lbpcreation", "ub=0c T u:v/f v:v/f mode:ub dst:W*any", "", "", "unimplemented", "", "",
     "local binary patterns"},
    {0x4d, "va_lbpcorrelation", "ub=0d T u:v/f v:v/f disparity:v dst:W*any", "", "", "unimplemented", "", "",
     "correlation of local binary patterns"},
    {0x4d, "va_correlationsearch", "ub=0f T u:v/f v:v/f v_origin:v h_origin:v x_direction:v y_direction:v x_size:v y_size:v dst:W*any", "", "", "unimplemented", "", "",
     "correlation search"},
    {0x4d, "va_hdc_convolve_2d", "ub=10 S T u:v/f v:v/f properties:ub target:T x:v y:v", "", "", "unimplemented", "", "",
     "2D convolution into a surface"},
    {0x4d, "va_hdc_minmaxfilter", "ub=11 S T u:v/f v:v/f control:ub format:ub target:T x:v y:v", "", "", "unimplemented", "", "",
     "minimum or maximum filter into a surface"},
    {0x4d, "va_hdc_erode", "ub=12 S T u:v/f v:v/f target:T x:v y:v", "", "", "unimplemented", "", "",
     "erosion into a surface"},
    {0x4d, "va_hdc_dilate", "ub=13 S T u:v/f v:v/f target:T x:v y:v", "", "", "unimplemented", "", "",
     "dilation into a surface"},
    {0x4d, "va_hdc_lbpcorrelation", "ub=14 T u:v/f v:v/f disparity:v target:T x:v y:v", "", "", "unimplemented", "", "",
     "correlation of local binary patterns into a surface"},
    {0x4d, "va_hdc_lbpcreation", "ub=15 T u:v/f v:v/f mode:ub target:T x:v y:v", "", "", "unimplemented", "", "",
     "local binary patterns into a surface"},
    {0x4d, "va_hdc_convolve_1d_h", "ub=16 S T u:v/f v:v/f mode:ub target:T x:v y:v", "", "", "unimplemented", "", "",
     "1D convolution into a surface, horizontal"},
    {0x4d, "va_hdc_convolve_1d_v", "ub=17 S T u:v/f v:v/f mode:ub target:T x:v y:v", "", "", "unimplemented", "", "",
     "1D convolution into a surface, vertical"},
    {0x4d, "va_hdc_convolve_1pixel", "ub=18 S T u:v/f v:v/f mode:ub offsets:R*any target:T x:v y:v", "", "", "unimplemented", "", "",
     "convolution of single pixels into a surface"},
};
// clang-format on

constexpr isa::Family kFamily = {"va", "video analytics", kEntries, "",
                                 "no public document describes the video analytics functions of the sampler"};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::va
