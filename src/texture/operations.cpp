#include "texture/operations.hpp"

#include <algorithm>

namespace heddle::texture {
namespace {

using enum Param;
using enum OpFamily;
using Source = LodSource;
using On = OpPlatforms;

// clang-format off
// Columns: op, name, family, code, second code, LOD, compare, platforms, parameter count, parameters, accepted extras.
constexpr Operation kOperations[] = {
    {Op::Sample, "sample", OpFamily::Sample, 0x00, 0x00, Source::Implicit, false, On::All, 4, {U, V, R, Ai}, false},
    {Op::SampleB, "sample_b", OpFamily::Sample, 0x01, 0x01, Source::Bias, false, On::All, 5, {Param::Bias, U, V, R, Ai}, false},
    {Op::SampleL, "sample_l", OpFamily::Sample, 0x02, 0x02, Source::Lane, false, On::All, 5, {Param::Lod, U, V, R, Ai}, false},
    {Op::SampleC, "sample_c", OpFamily::Sample, 0x03, 0x03, Source::Implicit, true, On::All, 5, {Ref, U, V, R, Ai}, false},
    {Op::SampleD, "sample_d", OpFamily::Sample, 0x04, 0x04, Source::Gradient, false, On::All, 10, {U, DuDx, DuDy, V, DvDx, DvDy, R, DrDx, DrDy, Ai}, false},
    {Op::SampleBC, "sample_b_c", OpFamily::Sample, 0x05, 0x05, Source::Bias, true, On::All, 6, {Ref, Param::Bias, U, V, R, Ai}, false},
    {Op::SampleLC, "sample_l_c", OpFamily::Sample, 0x06, 0x06, Source::Lane, true, On::All, 6, {Ref, Param::Lod, U, V, R, Ai}, false},
    {Op::Lod, "lod", OpFamily::Sample, 0x09, 0x09, Source::Implicit, false, On::All, 4, {U, V, R, Ai}, false},
    {Op::SampleKillpix, "sample_killpix", OpFamily::Sample, 0x0c, 0x0c, Source::Implicit, false, On::All, 3, {U, V, R}, false},
    {Op::SampleDC, "sample_d_c", OpFamily::Sample, 0x14, 0x14, Source::Gradient, true, On::All, 11, {Ref, U, DuDx, DuDy, V, DvDx, DvDy, R, DrDx, DrDy, Ai}, false},
    {Op::SampleLz, "sample_lz", OpFamily::Sample, 0x18, 0x18, Source::Zero, false, On::All, 4, {U, V, R, Ai}, false},
    {Op::SampleCLz, "sample_c_lz", OpFamily::Sample, 0x19, 0x19, Source::Zero, true, On::All, 5, {Ref, U, V, R, Ai}, false},
    {Op::SampleDCMlod, "sample_d_c_mlod", OpFamily::Sample, 0x11, 0x11, Source::Gradient, true, On::Xe2Up, 8, {Ref, U, DuDx, DuDy, V, DvDx, DvDy, MlodR}, false},
    {Op::SampleMlod, "sample_mlod", OpFamily::Sample, 0x12, 0x12, Source::Implicit, false, On::Xe2Up, 5, {Mlod, U, V, R, Ai}, false},
    {Op::SampleCMlod, "sample_c_mlod", OpFamily::Sample, 0x13, 0x13, Source::Implicit, true, On::Xe2Up, 6, {Mlod, Ref, U, V, R, Ai}, false},
    {Op::SamplePo, "sample_po", OpFamily::Sample, 0x20, 0x20, Source::Implicit, false, On::All, 5, {U, V, R, OffUvr, Ai}, false},
    {Op::SamplePoB, "sample_po_b", OpFamily::Sample, 0x21, 0x21, Source::Bias, false, On::All, 5, {BiasOffUvr, U, V, R, Ai}, false},
    {Op::SamplePoL, "sample_po_l", OpFamily::Sample, 0x22, 0x22, Source::Lane, false, On::All, 5, {LodOffUvr, U, V, R, Ai}, false},
    {Op::SamplePoC, "sample_po_c", OpFamily::Sample, 0x23, 0x23, Source::Implicit, true, On::All, 4, {Ref, U, V, OffUvIndex}, true},
    {Op::SamplePoD, "sample_po_d", OpFamily::Sample, 0x24, 0x24, Source::Gradient, false, On::All, 7, {U, DuDx, DuDy, V, DvDx, DvDy, OffUvrIndex}, true},
    {Op::SamplePoLC, "sample_po_l_c", OpFamily::Sample, 0x26, 0x26, Source::Lane, true, On::All, 6, {Ref, LodOffUv, U, V, R, Ai}, false},
    {Op::SamplePoLz, "sample_po_lz", OpFamily::Sample, 0x38, 0x38, Source::Zero, false, On::All, 4, {U, V, R, OffUvr}, true},
    {Op::SamplePoCLz, "sample_po_c_lz", OpFamily::Sample, 0x39, 0x39, Source::Zero, true, On::All, 4, {Ref, U, V, OffUvIndex}, true},
    {Op::SamplePoBC, "sample_po_b_c", OpFamily::Sample, 0x3a, 0x25, Source::Bias, true, On::All, 6, {Ref, BiasOffUvr, U, V, R, Ai}, false},
    {Op::SamplePoDC, "sample_po_d_c", OpFamily::Sample, 0x3b, 0x34, Source::Gradient, true, On::All, 8, {Ref, U, DuDx, DuDy, V, DvDx, DvDy, OffUvIndex}, true},
    {Op::Ld, "ld", OpFamily::Load, 0x07, 0x07, Source::None, false, On::All, 4, {U, V, Param::Lod, R}, false},
    {Op::LdLz, "ld_lz", OpFamily::Load, 0x1a, 0x1a, Source::None, false, On::All, 3, {U, V, R}, false},
    {Op::LdL, "ld_l", OpFamily::Load, 0x1b, 0x1b, Source::None, false, On::All, 4, {U, V, R, Param::Lod}, false},
    {Op::Ld2dmsW, "ld2dms_w", OpFamily::Load, 0x1c, 0x1c, Source::None, false, On::All, 7, {Si, McsL, McsH, U, V, R, Param::Lod}, false},
    {Op::LdMcs, "ld_mcs", OpFamily::Load, 0x1d, 0x1d, Source::None, false, On::All, 4, {U, V, R, Param::Lod}, false},
    {Op::Gather4, "gather4", OpFamily::Gather4, 0x08, 0x08, Source::Base, false, On::All, 4, {U, V, R, Ai}, false},
    {Op::Gather4L, "gather4_l", OpFamily::Gather4, 0x0d, 0x0d, Source::Lane, false, On::Xe2Up, 5, {Param::Lod, U, V, R, Ai}, false},
    {Op::Gather4B, "gather4_b", OpFamily::Gather4, 0x0e, 0x0e, Source::Bias, false, On::Xe2Up, 5, {Param::Bias, U, V, R, Ai}, false},
    {Op::Gather4I, "gather4_i", OpFamily::Gather4, 0x0f, 0x0f, Source::Implicit, false, On::Xe2Up, 4, {U, V, R, Ai}, false},
    {Op::Gather4C, "gather4_c", OpFamily::Gather4, 0x10, 0x10, Source::Base, true, On::All, 5, {Ref, U, V, R, Ai}, false},
    {Op::Gather4Po, "gather4_po", OpFamily::Gather4, 0x11, 0x11, Source::Base, false, On::UpToGen12lp, 5, {U, V, OffU, OffV, R}, false},
    {Op::Gather4PoC, "gather4_po_c", OpFamily::Gather4, 0x12, 0x12, Source::Base, true, On::UpToGen12lp, 6, {Ref, U, V, OffU, OffV, R}, false},
    {Op::Gather4IC, "gather4_i_c", OpFamily::Gather4, 0x15, 0x15, Source::Implicit, true, On::Xe2Up, 5, {Ref, U, V, R, Ai}, false},
    {Op::Gather4LC, "gather4_l_c", OpFamily::Gather4, 0x17, 0x17, Source::Lane, true, On::Xe2Up, 6, {Ref, Param::Lod, U, V, R, Ai}, false},
    {Op::Gather4PoPacked, "gather4_po_packed", OpFamily::Gather4, 0x28, 0x28, Source::Base, false, On::Xe2Up, 4, {U, V, R, OffUv}, false},
    {Op::Gather4PoL, "gather4_po_l", OpFamily::Gather4, 0x2d, 0x2d, Source::Lane, false, On::Xe2Up, 4, {LodOffUv, U, V, R}, false},
    {Op::Gather4PoB, "gather4_po_b", OpFamily::Gather4, 0x2e, 0x2e, Source::Bias, false, On::Xe2Up, 4, {BiasOffUv, U, V, R}, false},
    {Op::Gather4PoI, "gather4_po_i", OpFamily::Gather4, 0x2f, 0x2f, Source::Implicit, false, On::Xe2Up, 4, {U, V, R, OffUv}, false},
    {Op::Gather4PoCPacked, "gather4_po_c_packed", OpFamily::Gather4, 0x30, 0x30, Source::Base, true, On::Xe2Up, 4, {Ref, U, V, OffUvIndex}, false},
    {Op::Gather4PoIC, "gather4_po_i_c", OpFamily::Gather4, 0x35, 0x35, Source::Implicit, true, On::Xe2Up, 5, {Ref, U, V, R, OffUvIndex}, false},
    {Op::Gather4PoLC, "gather4_po_l_c", OpFamily::Gather4, 0x37, 0x37, Source::Lane, true, On::Xe2Up, 5, {Ref, LodOffUv, U, V, R}, false},
    {Op::Resinfo, "resinfo", OpFamily::Info, 0x0a, 0x0a, Source::None, false, On::All, 1, {Param::Lod}, false},
    {Op::Sampleinfo, "sampleinfo", OpFamily::Info, 0x0b, 0x0b, Source::None, false, On::All, 0, {}, false},
};
// clang-format on

constexpr std::string_view kParamNames[kParamCount] = {
    "u",           "v",     "r",      "ai",      "bias",     "lod",       "ref",        "dudx",
    "dudy",        "dvdx",  "dvdy",   "drdx",    "drdy",     "mlod",      "mlod_r",     "offu",
    "offv",        "offuv", "offuvr", "offuv_r", "offuvr_r", "lod_offuv", "lod_offuvr", "bias_offuv",
    "bias_offuvr", "si",    "mcsl",   "mcsh",    "mcs0",     "mcs1",      "mcs2",       "mcs3"};

constexpr bool table_is_in_order() {
  std::size_t at = 0;
  for (const auto& row : kOperations)
    if (static_cast<std::size_t>(row.op) != at++) return false;
  return true;
}
static_assert(table_is_in_order(), "kOperations is indexed by Op");

constexpr Param kLd2dmsWords[] = {Si, Mcs0, Mcs1, Mcs2, Mcs3, U, V, R, Param::Lod};

constexpr bool is_packed(Param p) { return p >= OffUv && p <= BiasOffUvr; }

}  // namespace

std::string_view param_name(Param param) { return kParamNames[static_cast<std::size_t>(param)]; }

std::optional<Param> find_param(std::string_view name) {
  for (std::size_t i = 0; i < kParamCount; ++i)
    if (kParamNames[i] == name) return static_cast<Param>(i);
  return std::nullopt;
}

bool Operation::has(Param p) const { return std::ranges::find(parameters(), p) != parameters().end(); }
bool Operation::packed() const { return std::ranges::any_of(parameters(), is_packed) || has(MlodR); }
bool Operation::per_lane_offsets() const { return has(OffU) || std::ranges::any_of(parameters(), is_packed); }

std::span<const Operation> all_operations() { return kOperations; }
const Operation& operation(Op op) { return kOperations[static_cast<std::size_t>(op)]; }

const Operation* find_operation(std::string_view name) {
  for (const auto& row : kOperations)
    if (row.name == name) return &row;
  return nullptr;
}

const Operation* find_operation(OpFamily family, std::uint8_t code, Behaviour behaviour) {
  if (family == OpFamily::Gather4 && behaviour == Behaviour::Document) {  // E1
    if (code == 0x0e) return &operation(Op::Gather4I);
    if (code == 0x0f) return &operation(Op::Gather4B);
  }
  for (const auto& row : kOperations)
    if (row.family == family && (row.code == code || row.second_code == code)) return &row;
  return nullptr;
}

std::uint8_t operation_code(const Operation& op, Behaviour behaviour) {
  if (behaviour == Behaviour::Document) {  // E1
    if (op.op == Op::Gather4I) return 0x0e;
    if (op.op == Op::Gather4B) return 0x0f;
  }
  return op.code;
}

std::span<const Param> parameters(const Operation& op, bool half_parameters) {
  if (op.op == Op::Ld2dmsW && half_parameters) return kLd2dmsWords;
  return op.parameters();
}

unsigned most_operands(const Operation& op, bool half_parameters) {
  const unsigned extra = !op.extra_r_ai ? 0u : op.has(R) ? 1u : 2u;
  return static_cast<unsigned>(parameters(op, half_parameters).size()) + extra;
}

ParameterList operand_parameters(const Operation& op, unsigned count, bool half_parameters) {
  ParameterList list;
  const auto add = [&list](Param p) { list.names[list.count++] = p; };
  for (const Param p : parameters(op, half_parameters)) {
    // GA-2: gather4_po_i_c with four operands has no r before the packed one.
    if (op.op == Op::Gather4PoIC && p == R && count <= 4) continue;
    if (list.count < count) add(p);
  }
  if (op.extra_r_ai) {
    if (!op.has(R) && list.count < count) add(R);
    if (list.count < count) add(Ai);
  }
  return list;
}

bool platform_has(OpPlatforms platforms, Platform platform) {
  switch (platforms) {
    case OpPlatforms::All:
      return true;
    case OpPlatforms::UpToGen12lp:
      return platform == Platform::Any || platform <= Platform::Tgllp;
    case OpPlatforms::Xe2Up:
      return platform == Platform::Any || platform == Platform::Xe2;
  }
  return true;
}

}  // namespace heddle::texture
