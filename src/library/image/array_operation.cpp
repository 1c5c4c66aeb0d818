// SPDX-License-Identifier: MIT
#include "heddle/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>

#include "base/arenas.hpp"
#include "library/image/operation_call.hpp"
#include "texture/operations.hpp"
#include "texture/simd/prepared.hpp"

namespace heddle {

namespace {

using texture::LaneRequest;
using texture::LaneResult;
using texture::LaneWords;
using texture::OperationContext;
using texture::Param;

constexpr unsigned kLanes = 32;       ///< that the vector functions take at once
constexpr unsigned kHalf = 16;        ///< of the reference's messages, and of the kernels where so few are left
constexpr std::size_t kArray = 64;    ///< elements of an array that is long enough for kernels of its own
constexpr std::size_t kLine = 64;     ///< bytes of a cache line
constexpr std::size_t kPiece = 4096;  ///< elements that one thread takes at a time
constexpr std::size_t kTexels = 8;    ///< of blocks, for each element of a scattered array, that are decoded before it
constexpr std::size_t kMaxTexels = std::size_t{1} << 22;  ///< of an image that are: 64 MiB
constexpr float kKeptTexels = 65536;                      ///< of a region whose decoded blocks messages keep

}  // namespace

struct ArrayOperation::Impl {
  Image image;
  image::Sampler sampler;
  std::vector<Param> parameters;
  std::unique_ptr<texture::simd::PreparedOperation> prepared;
  texture::OperationContext context;  ///< as it was before anything ran
};

namespace {

std::uint32_t word_at(const ArrayInput& input, std::size_t element) {
  std::uint32_t word = 0;
  std::memcpy(&word,
              static_cast<const std::uint8_t*>(input.first) + static_cast<std::ptrdiff_t>(element) * input.stride,
              sizeof word);
  return word;
}

/// The results of an element are four words side by side, and those of the next one follow.
bool lie_together(const ArrayOutput& output) {
  const auto* first = static_cast<const std::uint8_t*>(output.channels[0]);
  bool together = output.stride == 16 && first != nullptr;
  for (std::size_t c = 1; c < 4; ++c) together = together && output.channels[c] == first + 4 * c;
  return together;
}
/// Arrays may have kernels of their own.
bool takes_arrays(const ArrayOutput& output, std::size_t count) {
  return count >= kArray && lie_together(output) && reinterpret_cast<std::uintptr_t>(output.channels[0]) % 4 == 0;
}

/// What one thread needs for its elements.
class Runner {
 public:
  /// `arrays`: the operation for long arrays.
  Runner(const ArrayOperation::Impl& operation, const texture::simd::PreparedOperation& arrays,
         std::span<const ArrayInput> inputs, const ArrayOutput& output)
      : operation_(operation), arrays_(arrays), inputs_(inputs), output_(output), context_(operation.context) {
    for (std::size_t p = 0; p < inputs.size(); ++p)
      if (inputs[p].stride == 0) words_[p].fill(word_at(inputs[p], 0));
    fast_ = texture::simd::is_fast(*operation.prepared);
    together_ = lie_together(output);
    if (!fast_) request_ = operation.prepared->request;
  }

  void run(std::size_t begin, std::size_t end) {
    const std::size_t most = fast_ ? kLanes : kHalf;
    if (fast_ && takes_arrays(output_, end - begin)) begin = run_array(begin, end);
    for (std::size_t first = begin; first < end; first += most)
      run_lanes(first, static_cast<unsigned>(std::min(most, end - first)));
  }
  [[nodiscard]] const base::Diagnostics& reports() const { return context_.reports; }

 private:
  std::size_t run_array(std::size_t begin, std::size_t end);
  static bool lie_side_by_side(const ArrayInput* input);
  [[nodiscard]] const ArrayInput* input_of(Param param) const;
  static const std::uint32_t* words_of(const ArrayInput* input, std::size_t first, std::size_t count,
                                       std::vector<std::uint32_t>& copies);
  void run_lanes(std::size_t first, unsigned count);
  void store(std::size_t first, unsigned count, unsigned width, const std::uint32_t* out);

  const ArrayOperation::Impl& operation_;
  const texture::simd::PreparedOperation& arrays_;
  std::span<const ArrayInput> inputs_;
  const ArrayOutput& output_;
  OperationContext context_;
  LaneRequest request_;
  std::array<LaneWords, texture::kParamCount> words_{};
  texture::simd::Inputs lanes_{};
  bool fast_ = false;
  bool together_ = false;
  const texture::simd::InstructionSet target_ = texture::simd::best_instruction_set();
};

bool Runner::lie_side_by_side(const ArrayInput* input) {
  return input != nullptr && input->stride == 4 && reinterpret_cast<std::uintptr_t>(input->first) % 4 == 0;
}
const ArrayInput* Runner::input_of(Param param) const {
  const auto found = std::ranges::find(operation_.parameters, param);
  return found != operation_.parameters.end()
             ? &inputs_[static_cast<std::size_t>(found - operation_.parameters.begin())]
             : nullptr;
}

/// The words of some elements side by side: where they lie, or copies.
const std::uint32_t* Runner::words_of(const ArrayInput* input, std::size_t first, std::size_t count,
                                      std::vector<std::uint32_t>& copies) {
  if (lie_side_by_side(input)) return static_cast<const std::uint32_t*>(input->first) + first;
  copies.assign(count, 0);
  if (input != nullptr)
    for (std::size_t k = 0; k < count; ++k) copies[k] = word_at(*input, first + k);
  return copies.data();
}

/// Long arrays have kernels of their own for some operations: returns where messages have to go on.
std::size_t Runner::run_array(std::size_t begin, std::size_t end) {
  const auto sample = [&](const texture::simd::ArrayPlaces& at, std::size_t count) {
    return texture::simd::sample_array(arrays_, at, count, target_);
  };
  const std::size_t group = sample({}, 0);
  if (group == 0) return begin;
  const ArrayInput *u = input_of(Param::U), *v = input_of(Param::V);
  const std::size_t most = lie_side_by_side(u) && lie_side_by_side(v) ? end - begin : kPiece;
  // No vector of results lies across two cache lines where their first one does not.
  const std::uintptr_t over = (reinterpret_cast<std::uintptr_t>(output_.channels[0]) + 16 * begin) % kLine;
  if (const std::size_t before = (kLine - over) % kLine / 16; before != 0 && over % 16 == 0) {
    run_lanes(begin, static_cast<unsigned>(before));
    begin += before;
  }
  std::array<std::vector<std::uint32_t>, 2> copies;
  while (end - begin >= group) {
    const std::size_t count = std::min(end - begin, most) / group * group;
    sample({words_of(u, begin, count, copies[0]), words_of(v, begin, count, copies[1]),
            static_cast<std::uint32_t*>(output_.channels[0]) + 4 * begin},
           count);
    if (output_.residency != nullptr) std::fill_n(output_.residency + begin, count, std::uint8_t{1});
    begin += count;
  }
  return begin;
}

void Runner::run_lanes(std::size_t first, unsigned count) {
  const unsigned width = count > kHalf ? kLanes : kHalf;
  for (std::size_t p = 0; p < inputs_.size(); ++p) {
    const ArrayInput& input = inputs_[p];
    const auto* at = static_cast<const std::uint8_t*>(input.first) + static_cast<std::ptrdiff_t>(first) * input.stride;
    const bool in_place = input.stride == 4 && count == width && reinterpret_cast<std::uintptr_t>(at) % 4 == 0;
    if (!in_place && input.stride != 0)
      for (unsigned k = 0; k < count; ++k) words_[p][k] = word_at(input, first + k);
    const auto* words = in_place ? reinterpret_cast<const std::uint32_t*>(at) : words_[p].data();
    const auto param = static_cast<std::size_t>(operation_.parameters[p]);
    lanes_.param[param] = words;
    if (!fast_) {
      std::copy_n(words, width, words_[p].begin());
      request_.set(operation_.parameters[p], words_[p]);
    }
  }
  const std::uint32_t active = count == 32 ? ~0u : (1u << count) - 1;
  std::array<std::uint32_t, 4 * kLanes + 1> out;
  if (fast_) {
    texture::simd::run_lanes(*operation_.prepared, lanes_, width, active, out.data(), context_, target_);
  } else {
    request_.simd = width;
    request_.active = active;
    const LaneResult result = texture::execute(request_, context_);
    for (std::size_t c = 0; c < 4; ++c) std::copy_n(result.channels[c].begin(), width, out.begin() + c * width);
    out[4 * width] = result.null_mask;
  }
  store(first, count, width, out.data());
}

using Four __attribute__((vector_size(16))) = std::uint32_t;

/// Four lanes of four channels, which are `width` words apart, as four elements.
void transpose(const std::uint32_t* out, unsigned width, std::uint8_t* to) {
  std::array<Four, 4> in;
  for (unsigned c = 0; c < 4; ++c) std::memcpy(&in[c], out + c * width, sizeof(Four));
  const Four low01 = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5),
             high01 = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7),
             low23 = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5),
             high23 = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7);
  const std::array<Four, 4> elements{
      __builtin_shufflevector(low01, low23, 0, 1, 4, 5), __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
      __builtin_shufflevector(high01, high23, 0, 1, 4, 5), __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
  std::memcpy(to, elements.data(), sizeof elements);
}

void Runner::store(std::size_t first, unsigned count, unsigned width, const std::uint32_t* out) {
  const auto place = static_cast<std::ptrdiff_t>(first) * output_.stride;
  if (together_ && count % 4 == 0) {
    auto* to = static_cast<std::uint8_t*>(output_.channels[0]) + place;
    for (unsigned k = 0; k < count; k += 4) transpose(out + k, width, to + std::size_t{k} * 16);
  } else {
    for (unsigned c = 0; c < 4; ++c) {
      if (output_.channels[c] == nullptr) continue;
      auto* to = static_cast<std::uint8_t*>(output_.channels[c]) + place;
      for (unsigned k = 0; k < count; ++k, to += output_.stride) std::memcpy(to, out + c * width + k, 4);
    }
  }
  if (output_.residency != nullptr)
    for (unsigned k = 0; k < count; ++k)
      output_.residency[first + k] = static_cast<std::uint8_t>(out[4 * width] >> k & 1);
}

float value_at(const ArrayInput& input, std::size_t element) {
  return __builtin_bit_cast(float, word_at(input, element));
}

/// Whether elements lie all over a large image, each far from the one before it, as some of them say: messages would
/// decode blocks again and again. Coordinates of 0 to 1 are what counts; others are taken for scattered.
bool is_scattered(const ArrayOperation::Impl& operation, std::size_t count, std::span<const ArrayInput> inputs) {
  constexpr std::size_t kLooks = 64;
  const texture::simd::Level& level = operation.prepared->dynamic_state.level[0];
  float area = 1, steps = 0;
  for (const auto& [param, axis] : {std::pair(Param::U, 0), std::pair(Param::V, 1)}) {
    const auto found = std::ranges::find(operation.parameters, param);
    if (found == operation.parameters.end()) return false;
    const ArrayInput& input = inputs[static_cast<std::size_t>(found - operation.parameters.begin())];
    const float texels = operation.sampler.non_normalized ? 1 : level.count[axis];
    float least = std::numeric_limits<float>::infinity(), most = -least, step = 0;
    for (std::size_t look = 0; look < kLooks; ++look) {
      const std::size_t at = look * (count - 1) / kLooks;
      const float one = value_at(input, at) * texels, next = value_at(input, at + 1) * texels;
      least = std::min(least, one);
      most = std::max(most, one);
      step += std::abs(next - one);
    }
    area *= std::max(1.0f, most - least);
    steps = std::max(steps, step / kLooks);
  }
  constexpr float kFar = 16;  // texels from one element to the next: other blocks
  return area > kKeptTexels && steps > kFar;
}

/// The operation with the texels of blocks decoded, where that pays; else null.
std::unique_ptr<texture::simd::DecodedOperation> decode_blocks(const ArrayOperation::Impl& operation, std::size_t count,
                                                               std::span<const ArrayInput> inputs,
                                                               const ArrayOutput& output, unsigned threads) {
  if (!takes_arrays(output, count)) return nullptr;
  const std::size_t texels =
      texture::simd::texels_to_decode(*operation.prepared, texture::simd::best_instruction_set());
  if (texels == 0 || texels > kMaxTexels || texels > kTexels * count) return nullptr;
  if (texels > count && !is_scattered(operation, count, inputs)) return nullptr;
  auto decoded = texture::simd::make_decoded(*operation.prepared);
  if (decoded == nullptr) return nullptr;
  const auto rows = [&](std::size_t begin, std::size_t end) {
    texture::simd::decode_rows(*operation.prepared, *decoded, begin, end);
  };
  if (threads == 1)
    rows(0, decoded->rows);
  else
    base::share_range(threads == 0 ? std::numeric_limits<unsigned>::max() : threads, decoded->rows, 1,
                      [&](unsigned, std::size_t begin, std::size_t end) { rows(begin, end); });
  return decoded;
}

/// What is wrong with the options; the parameters they name.
std::optional<Diagnostic> read_parameters(const ArrayOperationOptions& options, const texture::Operation& operation,
                                          std::vector<Param>& parameters) {
  for (const std::string& name : options.parameters) {
    const auto param = texture::find_param(name);
    if (!param || !operation.has(*param))
      return library::wrong_argument(fmt::format("{} has no parameter '{}'", options.name, name));
    if (std::ranges::find(parameters, *param) != parameters.end())
      return library::wrong_argument(fmt::format("parameter '{}' is given twice", name));
    parameters.push_back(*param);
  }
  return std::nullopt;
}

}  // namespace

Result<ArrayOperation> ArrayOperation::prepare(const Image& image, const Sampler& sampler,
                                               const ArrayOperationOptions& options) {
  OperationOptions common;
  common.offset = options.offset;
  common.platform = options.platform;
  common.warnings = options.warnings;
  if (auto wrong = library::operation_problem(image, common)) return *wrong;
  const texture::Operation* known = texture::find_operation(options.name);
  if (known == nullptr) return library::unknown_operation(options.name);
  if (options.channel > 3)
    return library::wrong_argument(fmt::format("channel {} does not exist; 0 to 3 are R, G, B, A", options.channel));
  auto impl = std::make_shared<Impl>();
  impl->image = image;
  if (auto wrong = read_parameters(options, *known, impl->parameters)) return *wrong;
  const image::Surface& surface = library::surface_of(image);
  impl->sampler = library::sampler_for(sampler, surface);
  LaneRequest request;
  request.op = known->op;
  request.simd = kHalf;
  request.surface = &surface;
  request.sampler = &impl->sampler;
  request.source_channel = static_cast<std::uint8_t>(options.channel);
  request.null_mask = options.residency;
  for (std::size_t i = 0; i < 3; ++i) request.offset[i] = options.offset[i];
  static const LaneWords kNone{};
  for (const Param p : impl->parameters) request.set(p, kNone);
  library::OperationCall call(common);
  impl->context = call.context;
  impl->prepared = texture::simd::prepare(request, call.context);
  library::check_comparison(call.context.reports, *known, sampler);
  if (auto done = call.finish(); !done.ok()) return done.diagnostics();
  return ArrayOperation(std::move(impl));
}

NumberClass ArrayOperation::number_class() const { return static_cast<NumberClass>(impl_->prepared->value_class); }
bool ArrayOperation::is_fast() const { return texture::simd::is_fast(*impl_->prepared); }

Result<Done> ArrayOperation::run(std::size_t count, std::span<const ArrayInput> inputs, const ArrayOutput& output,
                                 unsigned threads) const {
  if (output.residency != nullptr && !impl_->prepared->request.null_mask)
    return library::wrong_argument("the operation was prepared without `residency`");
  if (inputs.size() != impl_->parameters.size())
    return library::wrong_argument(
        fmt::format("{} inputs are given for {} parameters", inputs.size(), impl_->parameters.size()));
  if (std::ranges::any_of(inputs, [](const ArrayInput& input) { return input.first == nullptr; }) && count != 0)
    return library::wrong_argument("an input has no address");
  const auto decoded = decode_blocks(*impl_, count, inputs, output, threads);
  const texture::simd::PreparedOperation& arrays = decoded != nullptr ? decoded->operation : *impl_->prepared;
  if (threads == 1 || count <= kPiece) {
    Runner runner(*impl_, arrays, inputs, output);
    runner.run(0, count);
    if (runner.reports().has_errors()) return library::to_public(runner.reports());
    return Done{};
  }
  std::mutex lock;
  Diagnostics problems;
  const auto take = [&](unsigned, std::size_t begin, std::size_t end) {
    for (std::size_t piece = begin; piece < end; ++piece) {
      Runner runner(*impl_, arrays, inputs, output);
      runner.run(piece * kPiece, std::min(count, (piece + 1) * kPiece));
      if (!runner.reports().has_errors()) continue;
      const std::lock_guard guard(lock);
      if (problems.empty()) problems = library::to_public(runner.reports());
    }
  };
  base::share_range(threads == 0 ? std::numeric_limits<unsigned>::max() : threads, (count + kPiece - 1) / kPiece, 1,
                    take);
  if (!problems.empty()) return problems;
  return Done{};
}

}  // namespace heddle
