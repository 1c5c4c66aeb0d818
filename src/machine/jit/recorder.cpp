// SPDX-License-Identifier: MIT
#include "machine/jit/recorder.hpp"

namespace heddle::machine::jit {

// A value is its type: element and lanes above a bit that makes it not null.

Value NullBuilder::of(VectorType type) {
  return {
      reinterpret_cast<void*>(std::uintptr_t{type.lanes} << 8 | static_cast<std::uintptr_t>(type.element) << 1 | 1u)};
}

VectorType NullBuilder::type(Value value) const {
  const auto bits = reinterpret_cast<std::uintptr_t>(value.p);
  return {static_cast<Element>(bits >> 1 & 0x7fu), static_cast<unsigned>(bits >> 8)};
}

Value NullBuilder::constants(Element element, std::span<const std::uint64_t> lanes) {
  return of({element, static_cast<unsigned>(lanes.size())});
}

Value NullBuilder::shuffle(Value a, Value, std::span<const int> lanes) {
  return of({type(a).element, static_cast<unsigned>(lanes.size())});
}

Value NullBuilder::call_lanes(const Callee& callee, std::span<const Value> arguments) {
  return of({callee.result.element, type(arguments[0]).lanes});
}

}  // namespace heddle::machine::jit
