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
  // Pixel threads side by side that one call runs (engine/jit Specialisation::row):
  std::uint32_t place = 0;  ///< of the first subspan of the thread that runs: x | y << 16
  std::uint32_t left = 0;   ///< threads, with the one that runs
  std::uint32_t stop = 0;   ///< not zero: the call ends behind the thread that runs
  /// Writes what else differs from thread to thread into the payload, where R1 and R2 have the places; null: nothing.
  void (*fill)(void* filler) = nullptr;
  void* filler = nullptr;
};

/// What the compiled function returns.
enum class Result : std::uint32_t { Finished = 0, Failed = 1, Limit = 2 };

}  // namespace heddle::machine::jit
