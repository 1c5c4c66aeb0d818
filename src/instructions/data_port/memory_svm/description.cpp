// SPDX-License-Identifier: MIT
// SVM, opcode 4e.
#include "instructions/families.hpp"

namespace heddle::instructions::memory_svm {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x4e, "svm_block_ld", "ub=01 ub(7-4=0,3:alignment{svm_alignment},2-0:size{owords}) address:v/uq,q dst:W*owords.size", "{.alignment?} ({size}) {address} {dst}", "", "exec=1 reads", "", "SVM_BLOCK_LD.md",
     "read of owords at an address"},
    {0x4e, "svm_block_st", "ub=02 ub(7-4=0,3:alignment{svm_alignment},2-0:size{owords}) address:v/uq,q src:R*owords.size", "{.alignment?} ({size}) {address} {src}", "", "exec=1", "", "SVM_BLOCK_ST.md",
     "write of owords at an address"},
    {0x4e, "svm_gather", "ub=03 E P block:ub{svm_block} num:ub{blocks} addresses:R*exec/uq,q dst:W*any", "{.block}{.num} {E} {addresses} {dst}", "", "exec=1,2,4,8,16 reads", "", "SVM_GATHER.md",
     "scattered read at addresses"},
    {0x4e, "svm_scatter", "ub=04 E P block:ub{svm_block} num:ub{blocks} addresses:R*exec/uq,q src:R*any", "{.block}{.num} {E} {addresses} {src}", "", "exec=1,2,4,8,16", "", "SVM_SCATTER.md",
     "scattered write at addresses"},
    {0x4e, "svm_gather4scaled", "ub=06 E P M scale:uw address:v/uq,q offsets:R*exec/uq,q dst:W*exec.mask", "{.mask} {E} {address} {offsets} {dst}", "", "exec=8,16 reads", "", "SVM_GATHER4_SCALED.md",
     "scattered read of up to four dwords at addresses"},
    {0x4e, "svm_scatter4scaled", "ub=07 E P M scale:uw address:v/uq,q offsets:R*exec/uq,q src:R*exec.mask", "{.mask} {E} {address} {offsets} {src}", "", "exec=8,16", "", "SVM_SCATTER4_SCALED.md",
     "scattered write of up to four dwords at addresses"},
};
// clang-format on

constexpr isa::Family kFamily = {"memory_svm", "reads and writes through addresses", kEntries,
                                 "lanewise typewarning=visa-svm-address"};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::memory_svm
