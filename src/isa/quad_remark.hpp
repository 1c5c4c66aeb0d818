#pragma once
// A remark of compiled shaders ("heddle: quad", isa::remark_of) behind which an instruction takes differences inside
// quads: a derivative, or a sample whose level of detail follows from its neighbours (run-derivative-undefined).

#include <string_view>

namespace heddle::isa {

inline constexpr std::string_view kQuadRemark = "quad";

}  // namespace heddle::isa
