// SPDX-License-Identifier: MIT
// Atomics on buffers, typed surfaces and addresses. Bit 5 of the operation is .16, bit 6 is .64.
#include "instructions/families.hpp"

namespace heddle::instructions::atomic {
namespace {

// clang-format off
constexpr isa::InstructionEntry kEntries[] = {
    {0x4e, "svm_atomic", "ub=05 E P ub(4-0:op{atomic},5:w16,6:w64) addresses:R*exec/uq,q src0:R^*exec src1:R^*exec dst:W^*exec", "{.op}{.w16:flag=16}{.w64:flag=64} {E} {addresses} {dst} {src0} {src1}", "", "exec=1,2,4,8,16 typewarning=addresses:visa-svm-address", "", "SVM_ATOMIC.md",
     "atomic operation at addresses (text has dst first)"},
    {0x73, "typed_atomic", "ub(4-0:op{atomic},5:w16,6:w64) E P T u:R*exec/d,ud v:R^*exec/d,ud r:R^*exec/d,ud lod:R^*exec/d,ud src0:R^*exec src1:R^*exec dst:W^*exec", "{.op}{.w16:flag=16}{.w64:flag=64} {E} {T} {u} {v} {r} {lod} {src0} {src1} {dst}", "", "typed exec=1,2,4,8,16", "", "TYPED_ATOMIC.md",
     "atomic operation on texels"},
    {0x7d, "dword_atomic", "ub(4-0:op{atomic},5:w16,6:w64) E P T offsets:R*exec/ud src0:R^*exec src1:R^*exec dst:W^*exec", "{.op}{.w16:flag=16}{.w64:flag=64} {E} {T} {offsets} {src0} {src1} {dst}", "", "exec=1,2,4,8,16,32", "", "DWORD_ATOMIC.md",
     "atomic operation on a buffer"},
};
// clang-format on

constexpr isa::Family kFamily = {"atomic", "atomic operations", kEntries, "lanewise"};

}  // namespace

const isa::Family& family() { return kFamily; }

}  // namespace heddle::instructions::atomic
