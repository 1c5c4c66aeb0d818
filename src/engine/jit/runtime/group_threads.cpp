// SPDX-License-Identifier: MIT
#include "engine/jit/runtime/group_threads.hpp"

#include <algorithm>
#include <cstring>

#include "machine/jit/context.hpp"

namespace heddle::engine::jit {

GroupThreads::GroupThreads(const PreparedKernel& kernel, std::span<const std::uint8_t> payload, std::uint32_t count)
    : shared(payload.begin(), payload.end()),
      payload_bytes(payload.size()),
      own_bytes(kernel.options().own_bytes),
      stride((own_bytes + 8 + 31) / 32 * 32) {
  shared.resize(std::max({payload.size(), kernel.payload_bytes(), machine::jit::kSharedBytes}));
  own.resize(std::size_t{stride} * count);
  masks.resize(count);
}

void GroupThreads::set(std::uint32_t thread, std::span<const std::uint8_t> payload, std::uint32_t mask,
                       std::uint32_t state0, std::uint32_t hardware_id) {
  std::uint8_t* record = own.data() + std::size_t{thread} * stride;
  std::copy_n(payload.data(), std::min<std::size_t>(payload.size(), own_bytes), record);
  std::memcpy(record + own_bytes, &state0, 4);
  std::memcpy(record + own_bytes + 4, &hardware_id, 4);
  masks[thread] = mask;
}

machine::ThreadStart GroupThreads::start(std::uint32_t thread, const std::array<std::uint32_t, 3>& number,
                                         std::vector<std::uint8_t>& whole) const {
  const std::uint8_t* record = own.data() + std::size_t{thread} * stride;
  whole.assign(shared.begin(), shared.begin() + static_cast<std::ptrdiff_t>(payload_bytes));
  std::copy_n(record, std::min<std::size_t>(own_bytes, whole.size()), whole.begin());
  for (std::size_t d = 0; d < 3; ++d)
    if (const std::size_t at = machine::kGroupPlaces[d]; at + 4 <= whole.size())
      std::memcpy(whole.data() + at, &number[d], 4);
  machine::ThreadStart start;
  start.payload = whole;
  start.arguments = arguments;
  start.thread = thread;
  start.group_id = number;
  start.dispatch_mask = masks[thread];
  std::memcpy(&start.state0, record + own_bytes, 4);
  std::memcpy(&start.hardware_id, record + own_bytes + 4, 4);
  return start;
}

}  // namespace heddle::engine::jit
