#pragma once
// What compiled code and the program around it share while a thread runs.

#include <cstdint>

namespace heddle::machine::jit {

/// Bytes behind a binding-table index. Without data: nothing is bound there, or too much to be reached with 31 bits;
/// the reference engine then says what happens.
struct View {
  std::uint8_t* data = nullptr;
  std::uint32_t size = 0;
  std::uint32_t unused = 0;
};
inline constexpr unsigned kViews = 256;

/// A piece of 64-bit address space.
struct FlatView {
  std::uint64_t address = 0, size = 0;
  std::uint8_t* data = nullptr;
};

struct Context {
  const View* views = nullptr;            ///< kViews of them
  const std::uint8_t* payload = nullptr;  ///< readable as far as any `.input` reaches
  std::uint64_t steps = 0;                ///< instructions executed so far
  std::uint64_t granted = 0;              ///< a look at the budget is due from here on
  std::uint32_t dispatch_mask = 0;
  std::uint32_t state0 = 0;             ///< %sr0 element 0
  void* runner = nullptr;               ///< what the runtime functions need
  const void* const* images = nullptr;  ///< unit::lanes::Varying of each image state
  const void* pixels = nullptr;         ///< machine::PixelInput of a pixel thread
  void* unit_context = nullptr;         ///< unit::Context, for the image unit's fallback
  std::uint32_t hardware_id = 0;        ///< %hw_id
};

/// What the compiled function returns.
enum class Result : std::uint32_t { Finished = 0, Failed = 1, Limit = 2 };

}  // namespace heddle::machine::jit
