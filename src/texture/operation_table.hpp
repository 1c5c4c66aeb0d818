// SPDX-License-Identifier: MIT
#pragma once
// The operations of 3D_SAMPLE, 3D_LOAD, 3D_SAMPLE4 and INFO, once: names, codes, platforms, parameters in order (SAM-1,
// LD-1, GA-2, INF-1). The texture unit takes the meaning of operands from here; the rows of the sampler instructions
// (instructions/sampler/message_entries.hpp) are made from it. Needs nothing but the enumerations.

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "texture/enumerations.hpp"

namespace heddle::texture {

inline constexpr std::size_t kOpCount = static_cast<std::size_t>(Op::Sampleinfo) + 1;

/// Platforms that have an operation.
enum class OpPlatforms : std::uint8_t { All, FromGen9, UpToGen12lp, Xe2Up };

/// Parameters in order.
struct ParameterList {
  static constexpr std::size_t kMax = 12;
  std::array<Param, kMax> names{};
  std::uint8_t count = 0;

  constexpr ParameterList() = default;
  constexpr ParameterList(std::initializer_list<Param> list) {
    for (const Param p : list) add(p);
  }
  constexpr void add(Param p) { names[count++] = p; }
  [[nodiscard]] constexpr std::span<const Param> all() const { return {names.data(), count}; }
};

/// PKO-1: a word with texel offsets among other things.
[[nodiscard]] constexpr bool has_packed_offsets(Param p) { return p >= Param::OffUv && p <= Param::BiasOffUvr; }
/// PKO-1: a word of several fields.
[[nodiscard]] constexpr bool is_packed(Param p) { return has_packed_offsets(p) || p == Param::MlodR; }

struct Operation {
  Op op{};
  std::string_view name;  ///< as in the rules' tables and in JSON requests
  OperationKind family{};
  std::uint8_t code = 0;
  LodSource lod{};
  OpPlatforms platforms = OpPlatforms::All;
  std::uint8_t required = 0;  ///< an instruction has at least so many parameters; those behind them may be left out
  ParameterList list;
  ParameterList short_list = {};      ///< instead, where an instruction has no more operands than this (GA-2)
  ParameterList half_list = {};       ///< instead, where the operands have 16 bits (LD-1)
  std::uint8_t second_code = code;    ///< another encoding that decoders know
  std::uint8_t document_code = code;  ///< under document behavior (E1)

  [[nodiscard]] constexpr std::span<const Param> parameters() const { return list.all(); }
  /// How documents and messages list the parameters.
  [[nodiscard]] constexpr const ParameterList& usual_list() const { return short_list.count != 0 ? short_list : list; }
  [[nodiscard]] constexpr bool has(Param p) const { return std::ranges::find(list.all(), p) != list.all().end(); }
  [[nodiscard]] constexpr bool compare() const { return has(Param::Ref); }
  /// Takes a packed operand (PKO-4: 32-bit lanes).
  [[nodiscard]] constexpr bool packed() const { return std::ranges::any_of(list.all(), is_packed); }
  /// Immediate offsets are ignored (GA-8).
  [[nodiscard]] constexpr bool per_lane_offsets() const {
    return has(Param::OffU) || std::ranges::any_of(list.all(), has_packed_offsets);
  }
  [[nodiscard]] constexpr bool derivatives() const { return lod == LodSource::Implicit || lod == LodSource::Bias; }
};

namespace operation_table {

using enum Param;
using enum OpPlatforms;
using Source = LodSource;

// clang-format off
// Columns: op, name, family, code, where the level comes from, platforms, required parameters, parameters; then, where
// there are any, the short list, the list of 16-bit operands, the second code, the document's code.
inline constexpr Operation kRows[] = {
    {Op::Sample, "sample", OperationKind::Sample, 0x00, Source::Implicit, All, 1, {U, V, R, Ai}},
    {Op::SampleB, "sample_b", OperationKind::Sample, 0x01, Source::Bias, All, 2, {Bias, U, V, R, Ai}},
    {Op::SampleL, "sample_l", OperationKind::Sample, 0x02, Source::Lane, All, 2, {Lod, U, V, R, Ai}},
    {Op::SampleC, "sample_c", OperationKind::Sample, 0x03, Source::Implicit, All, 2, {Ref, U, V, R, Ai}},
    {Op::SampleD, "sample_d", OperationKind::Sample, 0x04, Source::Gradient, All, 3, {U, DuDx, DuDy, V, DvDx, DvDy, R, DrDx, DrDy, Ai}},
    {Op::SampleBC, "sample_b_c", OperationKind::Sample, 0x05, Source::Bias, All, 3, {Ref, Bias, U, V, R, Ai}},
    {Op::SampleLC, "sample_l_c", OperationKind::Sample, 0x06, Source::Lane, All, 3, {Ref, Lod, U, V, R, Ai}},
    {Op::Lod, "lod", OperationKind::Sample, 0x09, Source::Implicit, All, 1, {U, V, R, Ai}},
    {Op::SampleKillpix, "sample_killpix", OperationKind::Sample, 0x0c, Source::Implicit, All, 1, {U, V, R}},
    {Op::SampleDC, "sample_d_c", OperationKind::Sample, 0x14, Source::Gradient, All, 4, {Ref, U, DuDx, DuDy, V, DvDx, DvDy, R, DrDx, DrDy, Ai}},
    {Op::SampleLz, "sample_lz", OperationKind::Sample, 0x18, Source::Zero, FromGen9, 1, {U, V, R, Ai}},
    {Op::SampleCLz, "sample_c_lz", OperationKind::Sample, 0x19, Source::Zero, FromGen9, 2, {Ref, U, V, R, Ai}},
    {Op::SampleDCMlod, "sample_d_c_mlod", OperationKind::Sample, 0x11, Source::Gradient, Xe2Up, 4, {Ref, U, DuDx, DuDy, V, DvDx, DvDy, MlodR}},
    {Op::SampleMlod, "sample_mlod", OperationKind::Sample, 0x12, Source::Implicit, Xe2Up, 2, {Mlod, U, V, R, Ai}},
    {Op::SampleCMlod, "sample_c_mlod", OperationKind::Sample, 0x13, Source::Implicit, Xe2Up, 3, {Mlod, Ref, U, V, R, Ai}},
    {Op::SamplePo, "sample_po", OperationKind::Sample, 0x20, Source::Implicit, Xe2Up, 1, {U, V, R, OffUvr, Ai}},
    {Op::SamplePoB, "sample_po_b", OperationKind::Sample, 0x21, Source::Bias, Xe2Up, 2, {BiasOffUvr, U, V, R, Ai}},
    {Op::SamplePoL, "sample_po_l", OperationKind::Sample, 0x22, Source::Lane, Xe2Up, 2, {LodOffUvr, U, V, R, Ai}},
    {Op::SamplePoC, "sample_po_c", OperationKind::Sample, 0x23, Source::Implicit, Xe2Up, 2, {Ref, U, V, OffUvIndex, R, Ai}},
    {Op::SamplePoD, "sample_po_d", OperationKind::Sample, 0x24, Source::Gradient, Xe2Up, 3, {U, DuDx, DuDy, V, DvDx, DvDy, OffUvrIndex, R, Ai}},
    {Op::SamplePoLC, "sample_po_l_c", OperationKind::Sample, 0x26, Source::Lane, Xe2Up, 3, {Ref, LodOffUv, U, V, R, Ai}},
    {Op::SamplePoLz, "sample_po_lz", OperationKind::Sample, 0x38, Source::Zero, Xe2Up, 1, {U, V, R, OffUvr, Ai}},
    {Op::SamplePoCLz, "sample_po_c_lz", OperationKind::Sample, 0x39, Source::Zero, Xe2Up, 2, {Ref, U, V, OffUvIndex, R, Ai}},
    {Op::SamplePoBC, "sample_po_b_c", OperationKind::Sample, 0x3a, Source::Bias, Xe2Up, 3, {Ref, BiasOffUvr, U, V, R, Ai}, {}, {}, 0x25},
    {Op::SamplePoDC, "sample_po_d_c", OperationKind::Sample, 0x3b, Source::Gradient, Xe2Up, 4, {Ref, U, DuDx, DuDy, V, DvDx, DvDy, OffUvIndex, R, Ai}, {}, {}, 0x34},
    {Op::Ld, "ld", OperationKind::Load, 0x07, Source::None, All, 1, {U, V, Lod, R}},
    {Op::LdLz, "ld_lz", OperationKind::Load, 0x1a, Source::None, FromGen9, 1, {U, V, R}},
    {Op::LdL, "ld_l", OperationKind::Load, 0x1b, Source::None, FromGen9, 1, {U, V, R, Lod}},
    {Op::Ld2dmsW, "ld2dms_w", OperationKind::Load, 0x1c, Source::None, FromGen9, 4, {Si, McsL, McsH, U, V, R, Lod}, {}, {Si, Mcs0, Mcs1, Mcs2, Mcs3, U, V, R, Lod}},
    {Op::LdMcs, "ld_mcs", OperationKind::Load, 0x1d, Source::None, All, 1, {U, V, R, Lod}},
    {Op::Gather4, "gather4", OperationKind::Gather4, 0x08, Source::Base, All, 1, {U, V, R, Ai}},
    {Op::Gather4L, "gather4_l", OperationKind::Gather4, 0x0d, Source::Lane, Xe2Up, 2, {Lod, U, V, R, Ai}},
    {Op::Gather4B, "gather4_b", OperationKind::Gather4, 0x0e, Source::Bias, Xe2Up, 2, {Bias, U, V, R, Ai}, {}, {}, 0x0e, 0x0f},
    {Op::Gather4I, "gather4_i", OperationKind::Gather4, 0x0f, Source::Implicit, Xe2Up, 1, {U, V, R, Ai}, {}, {}, 0x0f, 0x0e},
    {Op::Gather4C, "gather4_c", OperationKind::Gather4, 0x10, Source::Base, All, 2, {Ref, U, V, R, Ai}},
    {Op::Gather4Po, "gather4_po", OperationKind::Gather4, 0x11, Source::Base, UpToGen12lp, 4, {U, V, OffU, OffV, R}},
    {Op::Gather4PoC, "gather4_po_c", OperationKind::Gather4, 0x12, Source::Base, UpToGen12lp, 5, {Ref, U, V, OffU, OffV, R}},
    {Op::Gather4IC, "gather4_i_c", OperationKind::Gather4, 0x15, Source::Implicit, Xe2Up, 2, {Ref, U, V, R, Ai}},
    {Op::Gather4LC, "gather4_l_c", OperationKind::Gather4, 0x17, Source::Lane, Xe2Up, 3, {Ref, Lod, U, V, R, Ai}},
    {Op::Gather4PoPacked, "gather4_po_packed", OperationKind::Gather4, 0x28, Source::Base, Xe2Up, 2, {U, V, R, OffUv}},
    {Op::Gather4PoL, "gather4_po_l", OperationKind::Gather4, 0x2d, Source::Lane, Xe2Up, 2, {LodOffUv, U, V, R}},
    {Op::Gather4PoB, "gather4_po_b", OperationKind::Gather4, 0x2e, Source::Bias, Xe2Up, 2, {BiasOffUv, U, V, R}},
    {Op::Gather4PoI, "gather4_po_i", OperationKind::Gather4, 0x2f, Source::Implicit, Xe2Up, 2, {U, V, R, OffUv}},
    {Op::Gather4PoCPacked, "gather4_po_c_packed", OperationKind::Gather4, 0x30, Source::Base, Xe2Up, 2, {Ref, U, V, OffUvIndex}},
    {Op::Gather4PoIC, "gather4_po_i_c", OperationKind::Gather4, 0x35, Source::Implicit, Xe2Up, 3, {Ref, U, V, R, OffUvIndex}, {Ref, U, V, OffUvIndex}},
    {Op::Gather4PoLC, "gather4_po_l_c", OperationKind::Gather4, 0x37, Source::Lane, Xe2Up, 3, {Ref, LodOffUv, U, V, R}},
    {Op::Resinfo, "resinfo", OperationKind::Info, 0x0a, Source::None, All, 1, {Lod}},
    {Op::Sampleinfo, "sampleinfo", OperationKind::Info, 0x0b, Source::None, All, 0, {}},
};

inline constexpr std::string_view kParamNames[] = {
    "u", "v", "r", "ai", "bias", "lod", "ref", "dudx", "dudy", "dvdx", "dvdy", "drdx", "drdy", "mlod", "mlod_r",
    "offu", "offv", "offuv", "offuvr", "offuv_r", "offuvr_r", "lod_offuv", "lod_offuvr", "bias_offuv", "bias_offuvr",
    "si", "mcsl", "mcsh", "mcs0", "mcs1", "mcs2", "mcs3"};
// clang-format on
static_assert(std::size(kParamNames) == kParamCount);

constexpr bool is_in_order() {
  std::size_t at = 0;
  for (const Operation& row : kRows)
    if (static_cast<std::size_t>(row.op) != at++) return false;
  return at == kOpCount;
}
static_assert(is_in_order(), "kRows is indexed by Op");

}  // namespace operation_table

[[nodiscard]] constexpr std::span<const Operation> all_operations() { return operation_table::kRows; }
[[nodiscard]] constexpr const Operation& operation(Op op) {
  return operation_table::kRows[static_cast<std::size_t>(op)];
}
/// "u", "dudx", "offuv_r" ...
[[nodiscard]] constexpr std::string_view param_name(Param param) {
  return operation_table::kParamNames[static_cast<std::size_t>(param)];
}

/// The parameters in order. 16-bit operands (UW) of ld2dms_w carry the MCS value in four words instead of two (LD-1).
[[nodiscard]] constexpr const ParameterList& parameters(const Operation& op, bool half_parameters) {
  return half_parameters && op.half_list.count != 0 ? op.half_list : op.list;
}
/// The most operands the operation takes.
[[nodiscard]] constexpr unsigned most_operands(const Operation& op, bool half_parameters) {
  return parameters(op, half_parameters).count;
}
/// The meaning of each of `count` operands of an instruction; missing trailing parameters are left out (EXE-6). Its
/// count is less than `count` where there are more operands than the operation takes.
[[nodiscard]] constexpr ParameterList operand_parameters(const Operation& op, unsigned count,
                                                         bool half_parameters = false) {
  ParameterList list = count <= op.short_list.count ? op.short_list : parameters(op, half_parameters);
  list.count = static_cast<std::uint8_t>(std::min<unsigned>(list.count, count));
  return list;
}

}  // namespace heddle::texture
