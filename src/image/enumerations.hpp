// SPDX-License-Identifier: MIT
#pragma once
// The enumerations of surface, sampler and output state, with the values that the hardware's state has. No includes but
// <cstdint>: the vector functions, which are compiled to bitcode, share them.

#include <cstdint>

namespace heddle::image {

// --- surfaces ---

/// What a texel delivers (NUM-30).
enum class ValueClass : std::uint8_t { Float, Uint, Sint };
enum class SurfaceType : std::uint8_t { Dim1, Dim2, Dim3, Cube, Buffer, StrBuf, Scratch, Null };
enum class TileMode : std::uint8_t { Linear, X, Y, W, Tile4, Tile64, Yf, Ys };
enum class ChannelSelect : std::uint8_t { Zero = 0, One = 1, Red = 4, Green = 5, Blue = 6, Alpha = 7 };

// --- samplers ---

enum class Filter : std::uint8_t { Nearest = 0, Linear = 1, Anisotropic = 2, Mono = 6 };
enum class MipFilter : std::uint8_t { None = 0, Nearest = 1, Linear = 3 };
enum class AddressMode : std::uint8_t {
  Wrap = 0,
  Mirror = 1,
  Clamp = 2,
  Cube = 3,
  ClampBorder = 4,
  MirrorOnce = 5,
  HalfBorder = 6,
  Mirror101 = 7
};
/// Shadow Function and the color calculator's compare functions share one enumeration. The sampler's sense is inverted
/// (CMP-1).
enum class CompareFunction : std::uint8_t { Always = 0, Never, Less, Equal, Lequal, Greater, Notequal, Gequal };
enum class Reduction : std::uint8_t { Std = 0, Comparison = 1, Minimum = 2, Maximum = 3 };
enum class BorderMode : std::uint8_t { Dx10 = 0, Dx9 = 1 };
enum class LodPreClamp : std::uint8_t { None = 0, Ogl = 2 };
enum class LodClampMag : std::uint8_t { MipNone = 0, MipFilter = 1 };
/// How much of the blend between two levels a trilinear filter keeps (LOD-5).
enum class TrilinearQuality : std::uint8_t { Full = 0, High = 1, Medium = 2, Low = 3 };

// --- output merger ---

enum class BlendFactor : std::uint8_t {
  One = 0x01,
  SrcColor,
  SrcAlpha,
  DstAlpha,
  DstColor,
  SrcAlphaSaturate,
  ConstColor,
  ConstAlpha,
  Src1Color,
  Src1Alpha,
  Zero = 0x11,
  InvSrcColor,
  InvSrcAlpha,
  InvDstAlpha,
  InvDstColor,
  InvConstColor = 0x17,
  InvConstAlpha,
  InvSrc1Color,
  InvSrc1Alpha
};
enum class BlendFunction : std::uint8_t { Add = 0, Subtract, ReverseSubtract, Min, Max };
enum class LogicOp : std::uint8_t {
  Clear = 0,
  Nor,
  AndInverted,
  CopyInverted,
  AndReverse,
  Invert,
  Xor,
  Nand,
  And,
  Equiv,
  Noop,
  OrInverted,
  Copy,
  OrReverse,
  Or,
  Set
};
enum class StencilOp : std::uint8_t { Keep = 0, Zero, Replace, IncrSat, DecrSat, Incr, Decr, Invert };
enum class ClampRange : std::uint8_t { Unorm = 0, Snorm = 1, Target = 2 };
enum class AlphaFormat : std::uint8_t { Unorm8 = 0, Float32 = 1 };

}  // namespace heddle::image
