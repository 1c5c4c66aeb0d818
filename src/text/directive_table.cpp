// SPDX-License-Identifier: MIT
// Rules: TXT-9 to TXT-15.
#include "text/directive_table.hpp"

namespace heddle::text {
namespace {

constexpr std::string_view kImplicit =
    "An input that the runtime fills by itself; without size= it is an ordinary input, with a warning.";

constexpr Directive kDirectives[] = {
    {"version", ".version MAJOR.MINOR", "The version of vISA, 3.0 to 4.2: the first statement of a file.",
     ".version 4.1", "TXT-9"},
    {"kernel", ".kernel \"NAME\"",
     "Begins a kernel: a program that is started by itself. Declarations, inputs and instructions up to the next "
     "kernel "
     "or function belong to it.",
     ".kernel \"gather\"", "TXT-9"},
    {"global_function", ".global_function NAME",
     "Begins a function with names of its own, which instructions of kernels call.", ".global_function \"shade\"",
     "TXT-9 TXT-10"},
    {"function", ".function NAME", "Begins a subroutine inside of the kernel; 'call' reaches it by its name.",
     ".function \"inner\"", "TXT-10"},
    {"funcdecl", ".funcdecl NAME", "Says that a function is elsewhere; ignored.", ".funcdecl \"shade\"", "TXT-10"},
    {"kernel_attr", ".kernel_attr NAME[=VALUE]",
     "An attribute of the kernel or function: SimdSize=16 (lanes of a thread), SLMSize=N (bytes of shared memory), "
     "Target=\"cm\" or \"3d\", SpillMemOffset=N (bytes of scratch memory) ...",
     ".kernel_attr SimdSize=16", "TXT-15"},
    {"decl",
     ".decl NAME v_type=G type=TYPE num_elts=N [align=ALIGN] [alias=<OTHER,BYTES>] [attrs={...}]\n"
     ".decl NAME v_type=A|P|S|T num_elts=N",
     "Declares a variable, before it is used. v_type: G general (a piece of the register file with N elements of the "
     "type), A address, P predicate (one bit for each of N lanes), S sampler, T surface. TYPE: ud d uw w ub b uq q f "
     "df hf "
     "bf. ALIGN: byte word dword qword oword GRF GRFx2. alias: the same bytes as another variable, from a byte on.",
     ".decl coords v_type=G type=f num_elts=16 align=GRF", "TXT-11 TXT-12 TXT-13 TXT-15"},
    {"input", ".input NAME [offset=BYTES] [size=BYTES]",
     "The declared variable, sampler or surface is filled before the kernel starts: an argument, or a value of the "
     "pixel. `heddle run` fills it by its name (--arg, --input). offset: where it lies in the payload.",
     ".input scale offset=32 size=4", "TXT-14"},
    {"parameter", ".parameter NAME size=BYTES", "An input at offset 0.", ".parameter scale size=4", "TXT-14"},
    {"implicit_LOCAL_SIZE", ".implicit_LOCAL_SIZE NAME [offset=BYTES] size=BYTES", kImplicit,
     ".implicit_LOCAL_SIZE V34 offset=64 size=12", "TXT-14"},
    {"implicit_GROUP_COUNT", ".implicit_GROUP_COUNT NAME [offset=BYTES] size=BYTES", kImplicit,
     ".implicit_GROUP_COUNT V35 offset=76 size=12", "TXT-14"},
    {"implicit_LOCAL_ID", ".implicit_LOCAL_ID NAME [offset=BYTES] size=BYTES", kImplicit,
     ".implicit_LOCAL_ID V36 offset=96 size=96", "TXT-14"},
    {"implicit_PSEUDO_INPUT", ".implicit_PSEUDO_INPUT NAME [offset=BYTES] size=BYTES", kImplicit,
     ".implicit_PSEUDO_INPUT V37 offset=192 size=32", "TXT-14"},
    {"file", ".file \"NAME\"", "The source file that the following instructions come from; also written FILE.",
     ".file \"shade.frag\"", "TXT-9"},
    {"loc", ".loc LINE", "The line of the source file; also written LOC.", ".loc 12", "TXT-9"},
};

}  // namespace

std::span<const Directive> directives() { return kDirectives; }

const Directive* find_directive(std::string_view word) {
  if (word.starts_with('.')) word.remove_prefix(1);
  for (const Directive& d : kDirectives)
    if (d.word == word) return &d;
  return nullptr;
}

}  // namespace heddle::text
