#pragma once
// The families' own checks, and what several of them share. A family with rules of its own: check.cpp in its folder and
// a line in checks.cpp.

#include "instructions/check.hpp"

namespace heddle::instructions {

namespace info {
void check(Check& check);
}
namespace sample_unorm {
void check(Check& check);
}
namespace sample4 {
void check(Check& check);
}
namespace sample {
void check(Check& check);
}
namespace footprint {
void check(Check& check);
}
namespace load {
void check(Check& check);
}
namespace rt_write {
void check(Check& check);
}
namespace arithmetic {
void check(Check& check);
void check_plane(Check& check);
}  // namespace arithmetic
namespace logic {
void check(Check& check);
}
namespace compare {
void check(Check& check);
}
namespace move {
void check_mov(Check& check);
void check_movs(Check& check);
void check_convert(Check& check);
}  // namespace move
namespace flow {
void check_switch(Check& check);
}
namespace atomic {
void check(Check& check);
}
namespace dpas {
void check(Check& check);
}
namespace lsc {
void check(Check& check);
}
namespace media {
void check(Check& check);
}
namespace memory_block {
void check(Check& check);
}
namespace memory_scattered {
void check(Check& check);
}
namespace memory_svm {
void check(Check& check);
}
namespace memory_typed {
void check(Check& check);
}
namespace send {
void check(Check& check);
}
namespace sync {
void check(Check& check);
}
namespace urb {
void check(Check& check);
}

// --- shared by families ---

/// Parameters, result, address offset, sampler and surface of a sampler message (6d, 6e, 6f) that returns `channels`
/// channels.
void check_sampler_message(Check& check, unsigned channels);
/// visa-exec-size: image messages of 32 channels came with XE2 (row 3).
void check_wide_message(Check& check);
/// visa-surface-special, visa-sampler-surface: an image is no memory surface.
void check_image_surface(Check& check);
/// visa-surface-special: leftovers of the stack model as memory surfaces.
void check_memory_surface(Check& check);
/// Platforms whose messages take 32 channels.
[[nodiscard]] isa::PlatformSet platforms_with_simd32();
[[nodiscard]] unsigned channels_of(std::uint64_t mask);  ///< enabled channels of a mask

}  // namespace heddle::instructions
