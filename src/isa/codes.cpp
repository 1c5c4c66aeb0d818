// SPDX-License-Identifier: MIT
// Names of the codes of integer fields.

#include "isa/description.hpp"

namespace heddle::isa {
namespace {

constexpr Code kCondition[] = {{"eq", 0}, {"ne", 1}, {"gt", 2}, {"ge", 3},
                               {"lt", 4}, {"le", 5}, {"", 6}};  // 6: none was written
constexpr Code kUnormFormat[] = {{"16-full", 0},       {"16-downsampled", 1},      {"8-full", 2},
                                 {"8-downsampled", 3}, {"16-downsample", 1, true}, {"8-downsample", 3, true}};
constexpr Code kRtFlags[] = {{"RTI", 4},    {"A", 8},       {"O", 0x10},       {"Z", 0x20},
                             {"ST", 0x40},  {"LRTW", 0x80}, {"CPS", 0x100},    {"PS", 0x200},
                             {"CM", 0x400}, {"SI", 0x800},  {"NULLRT", 0x1000}};
constexpr Code kRtReadFlags[] = {{"PS", 1}, {"SI", 2}};
constexpr Code kFence[] = {{"E", 1}, {"I", 2}, {"S", 4}, {"C", 8}, {"R", 0x10}, {"L1", 0x40}};
constexpr Code kOwords[] = {{"1", 0}, {"2", 1}, {"4", 2}, {"8", 3}, {"16", 4}};
constexpr Code kMediaModifier[] = {{"nomod", 0},  {"modified", 1}, {"top", 2},
                                   {"bottom", 3}, {"top_mod", 4},  {"bottom_mod", 5}};
constexpr Code kElementBytes[] = {{"1", 0}, {"2", 1}, {"4", 2}};
constexpr Code kScaledBytes[] = {{"1", 0}, {"2", 1}, {"4", 2}, {"8", 3}};
constexpr Code kSvmBlock[] = {{"1", 0}, {"4", 1}, {"8", 2}};
constexpr Code kSvmAlignment[] = {{"", 0}, {"unaligned", 1}, {"aligned", 0, true}};
constexpr Code kBlocks[] = {{"1", 0}, {"2", 1}, {"4", 2}, {"8", 3}};
constexpr Code kByteBlock[] = {{"1", 0}};
constexpr Code kSimd16[] = {{"8", 0}, {"16", 1}};
constexpr Code kAtomic[] = {{"add", 0},     {"sub", 1},       {"inc", 2},      {"dec", 3},     {"min", 4},
                            {"max", 5},     {"xchg", 6},      {"cmpxchg", 7},  {"and", 8},     {"or", 9},
                            {"xor", 10},    {"minsint", 11},  {"maxsint", 12}, {"predec", 13}, {"fmax", 0x10},
                            {"fmin", 0x11}, {"fcmpwr", 0x12}, {"fadd", 0x13},  {"fsub", 0x14}};
constexpr Code kAvsFormat[] = {
    {"AVS_16_FULL", 0}, {"AVS_16_DOWN_SAMPLE", 1}, {"AVS_8_FULL", 2}, {"AVS_8_DOWN_SAMPLE", 3}};
constexpr Code kAvsMode[] = {{"AVS_16x4", 0}, {"AVS_8x4", 1}, {"AVS_16x8", 2}, {"AVS_4x4", 3}};
constexpr Code kPrecision[] = {{"u1", 1}, {"s1", 2}, {"u2", 3},  {"s2", 4},   {"u4", 5},    {"s4", 6},   {"u8", 7},
                               {"s8", 8}, {"bf", 9}, {"hf", 10}, {"bf8", 11}, {"tf32", 12}, {"hf8", 14}, {"e2m1", 15}};
constexpr Code kSfid[] = {{"ugm", 0}, {"ugml", 1}, {"slm", 3}};
constexpr Code kFenceSfid[] = {{"ugm", 0}, {"ugml", 1}, {"tgm", 2}, {"slm", 3}};
constexpr Code kCache[] = {{"df", 0}, {"uc", 1}, {"ca", 2}, {"wb", 3},
                           {"wt", 4}, {"st", 5}, {"ri", 6}, {"cc", 6, true}};
constexpr Code kAddressType[] = {{"flat", 1}, {"bss", 2}, {"ss", 3}, {"bti", 4}, {"arg", 5}, {"surf", 6}};
constexpr Code kAddressSize[] = {{"a16", 1}, {"a32", 2}, {"a64", 3}, {"a32u", 4}, {"a32s", 5}};
constexpr Code kDataSize[] = {{"d8", 1},           {"d16", 2},           {"d32", 3},         {"d64", 4},
                              {"d8c32", 5},        {"d16c32", 6},        {"d16c32h", 7},     {"u8", 1, true},
                              {"u16", 2, true},    {"u32", 3, true},     {"u64", 4, true},   {"u8c32", 5, true},
                              {"u16c32", 6, true}, {"u16c32h", 7, true}, {"d8u32", 5, true}, {"d16u32", 6, true},
                              {"d16u32h", 7, true}};
constexpr Code kVector[] = {{"1", 1}, {"2", 2}, {"3", 3}, {"4", 4}, {"8", 5}, {"16", 6}, {"32", 7}, {"64", 8}};
constexpr Code kOrder[] = {{"n", 1}, {"t", 2}};
constexpr Code kFenceOp[] = {{"none", 0},  {"evict", 1},   {"invalidate", 2}, {"discard", 3},
                             {"clean", 4}, {"flushl3", 5}, {"type6", 6}};
constexpr Code kScope[] = {{"group", 0}, {"local", 1},  {"tile", 2},  {"gpu", 3},
                           {"gpus", 4},  {"sysrel", 5}, {"sysacq", 6}};
constexpr Code kLfsr[] = {{"b32", 0}, {"b16v2", 1}, {"b8v4", 2}};
constexpr Code kDownScale[] = {{"bftoe2m1", 1}, {"bftoint4", 2}, {"hftoe2m1", 4}, {"hftoint4", 5}};
constexpr Code kDownMode[] = {{"mode0", 0}, {"mode1", 1}, {"mode2", 2}, {"mode3", 3}};
constexpr Code kDownRound[] = {{"srnd", 0}, {"rne", 1}};
constexpr Code kSendgSfid[] = {{"null", 0}, {"smpl", 2}, {"gtwy", 3}, {"rc", 5},   {"urb", 6},
                               {"btd", 7},  {"rta", 8},  {"tgm", 13}, {"slm", 14}, {"ugm", 15}};
constexpr Code kFootprintSource[] = {{"implicit", 0}, {"lod", 1}, {"grad", 2}};
constexpr Code kFootprintDim[] = {{"2d", 0}, {"3d", 1}};
constexpr Code kFootprintMode[] = {{"strict", 0}, {"lenient", 1}, {"extended", 2}};
constexpr Code kFcFlags[] = {{"", 0}, {"uniform", 1}, {"noreturn", 2}};

constexpr CodeTable kTables[] = {
    {"condition", kCondition},
    {"unorm", kUnormFormat, "visa-unorm-format"},
    {"rt", kRtFlags},
    {"rt_read", kRtReadFlags},
    {"fence", kFence},
    {"owords", kOwords},
    {"media", kMediaModifier},
    {"element", kElementBytes},
    {"scaled", kScaledBytes},
    {"svm_block", kSvmBlock},
    {"svm_alignment", kSvmAlignment},
    {"blocks", kBlocks},
    {"byte", kByteBlock},
    {"simd16", kSimd16},
    {"atomic", kAtomic},
    {"avs_format", kAvsFormat},
    {"avs_mode", kAvsMode},
    {"precision", kPrecision},
    {"sfid", kSfid},
    {"fence_sfid", kFenceSfid},
    {"cache", kCache},
    {"addr_type", kAddressType},
    {"addr_size", kAddressSize},
    {"data_size", kDataSize},
    {"vector", kVector},
    {"order", kOrder},
    {"fence_op", kFenceOp},
    {"scope", kScope},
    {"lfsr", kLfsr},
    {"dnscl", kDownScale},
    {"dnscl_mode", kDownMode},
    {"dnscl_round", kDownRound},
    {"sendg", kSendgSfid, "visa-bin-subop", true},
    {"fc_flags", kFcFlags},
    {"footprint_source", kFootprintSource},
    {"footprint_dim", kFootprintDim},
    {"footprint_mode", kFootprintMode},
};

}  // namespace

const Code* CodeTable::find(std::string_view code_name) const {
  for (const Code& c : codes)
    if (c.name == code_name) return &c;
  return nullptr;
}

const Code* CodeTable::find(std::uint64_t code) const {
  for (const Code& c : codes)
    if (c.code == code && !c.alias) return &c;
  return nullptr;
}

std::span<const CodeTable> code_tables() { return kTables; }

const CodeTable* find_code_table(std::string_view name) {
  for (const CodeTable& t : kTables)
    if (t.name == name) return &t;
  return nullptr;
}

}  // namespace heddle::isa
