// SPDX-License-Identifier: MIT
#pragma once
// The one list of families. A new family: a folder with description.cpp, and one line here, which says what else the
// folder has. The three kinds of functions are apart: a program that only assembles and checks links no engine.

#include "isa/description.hpp"

// clang-format off
//    family            check.cpp  reference.cpp  jit.cpp
#define HEDDLE_FAMILIES(X) \
  X(info,              yes,       yes,           yes) \
  X(sample_unorm,      yes,       yes,           yes) \
  X(sample4,           yes,       yes,           yes) \
  X(rt_write,          yes,       yes,           yes) \
  X(sample,            yes,       yes,           yes) \
  X(load,              yes,       yes,           yes) \
  X(arithmetic,        yes,       yes,           yes) \
  X(logic,             yes,       yes,           yes) \
  X(move,              yes,       yes,           yes) \
  X(compare,           yes,       yes,           yes) \
  X(flow,              yes,       yes,           no)  \
  X(memory_scattered,  yes,       yes,           yes) \
  X(memory_block,      yes,       yes,           yes) \
  X(memory_typed,      yes,       yes,           yes) \
  X(memory_svm,        yes,       yes,           yes) \
  X(atomic,            yes,       yes,           yes) \
  X(lsc,               yes,       yes,           yes) \
  X(sync,              yes,       yes,           no)  \
  X(send,              yes,       yes,           no)  \
  X(urb,               yes,       no,            no)  \
  X(media,             yes,       yes,           no)  \
  X(dpas,              yes,       yes,           no)  \
  X(va,                no,        no,            no)  \
  X(misc,              no,        yes,           no)  \
  X(newer,             no,        yes,           no)  \
  X(footprint,         yes,       yes,           yes)
// clang-format on

#define HEDDLE_IF_yes(...) __VA_ARGS__
#define HEDDLE_IF_no(...)

namespace heddle::instructions {
#define HEDDLE_DECLARE_FAMILY(name, has_check, has_reference, has_jit) \
  namespace name {                                                     \
  const isa::Family& family();                                         \
  }
HEDDLE_FAMILIES(HEDDLE_DECLARE_FAMILY)
#undef HEDDLE_DECLARE_FAMILY
}  // namespace heddle::instructions
