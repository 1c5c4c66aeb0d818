// SPDX-License-Identifier: MIT
#include "element_call.hpp"

#include <algorithm>
#include <cstring>

namespace heddle::python {
namespace {

struct Parameter {
  const char* name;
  bool integer = false;
};
constexpr Parameter kParameters[] = {{"u"},
                                     {"v"},
                                     {"r"},
                                     {"ai"},
                                     {"bias"},
                                     {"lod"},
                                     {"ref"},
                                     {"dudx"},
                                     {"dudy"},
                                     {"dvdx"},
                                     {"dvdy"},
                                     {"drdx"},
                                     {"drdy"},
                                     {"mlod"},
                                     {"mlod_r", true},
                                     {"offu", true},
                                     {"offv", true},
                                     {"offuv", true},
                                     {"offuvr", true},
                                     {"offuv_r", true},
                                     {"offuvr_r", true},
                                     {"lod_offuv", true},
                                     {"lod_offuvr", true},
                                     {"bias_offuv", true},
                                     {"bias_offuvr", true},
                                     {"si", true},
                                     {"mcsl", true},
                                     {"mcsh", true},
                                     {"mcs0", true},
                                     {"mcs1", true},
                                     {"mcs2", true},
                                     {"mcs3", true}};

constexpr std::size_t kPrepared = 16;    ///< operations that an image remembers
constexpr std::size_t kPiece = 1 << 16;  ///< elements between two looks at Ctrl-C
constexpr std::size_t kThreadPiece = 1 << 20;

int numpy_type(NumberClass numbers) {
  return numbers == NumberClass::Float ? NPY_FLOAT32 : numbers == NumberClass::Uint ? NPY_UINT32 : NPY_INT32;
}

void check(const Result<Done>& done) {
  if (!done.ok()) throw Failure(done.diagnostics());
}

}  // namespace

int find_parameter(std::string_view name) {
  for (std::size_t k = 0; k < std::size(kParameters); ++k)
    if (name == kParameters[k].name) return static_cast<int>(k);
  return -1;
}
bool is_integer_parameter(int parameter) { return kParameters[parameter].integer; }

void ElementCall::add(int parameter, PyObject* value, Numbers numbers) {
  if (count_ == kMax) throw Failure("too many parameters");
  Operand operand(value, numbers, kParameters[parameter].name);
  std::size_t at = count_++;
  for (; at > 0 && parameters_[at - 1] > parameter; --at) {
    parameters_[at] = parameters_[at - 1];
    operands_[at] = std::move(operands_[at - 1]);
  }
  parameters_[at] = parameter;
  operands_[at] = std::move(operand);
}

void ElementCall::add(const char* parameter, std::uint32_t word) {
  const Ref number(PyLong_FromUnsignedLong(word));
  if (!number) throw py::error_already_set();
  add(find_parameter(parameter), number.get(), Numbers::Integer);
}

ArrayOperation ElementCall::prepared() {
  static const Sampler kNearest;
  const Sampler& sampler = sampler_ != nullptr ? sampler_->sampler : kNearest;
  PreparedEntry::Key key;
  key.sampler = sampler.impl();
  key.operation = operation_;
  for (std::size_t k = 0; k < count_; ++k) key.parameters |= 1u << parameters_[k];
  for (std::size_t i = 0; i < 3; ++i) key.offset[i] = static_cast<std::int8_t>(std::clamp(offset[i], -128, 127));
  key.channel = static_cast<std::uint8_t>(std::min(channel, 255u));
  key.residency = residency;
  if (platform.empty())
    for (const PreparedEntry& entry : image_.prepared)
      if (entry.key == key) return entry.operation;
  ArrayOperationOptions options;
  options.name = operation_;
  for (std::size_t k = 0; k < count_; ++k) options.parameters.emplace_back(kParameters[parameters_[k]].name);
  options.offset = offset;
  options.channel = channel;
  options.residency = residency;
  options.platform = platform;
  Diagnostics warnings;
  options.warnings = &warnings;
  ArrayOperation operation = unwrap(ArrayOperation::prepare(image_.image, sampler, options));
  warn(warnings);
  if (platform.empty()) {
    PreparedEntry entry{key, sampler, operation};
    if (image_.prepared.size() < kPrepared) {
      image_.prepared.push_back(std::move(entry));
    } else {
      image_.prepared[image_.next] = std::move(entry);
      image_.next = (image_.next + 1) % kPrepared;
    }
  }
  return operation;
}

PyObject* ElementCall::run() {
  const ArrayOperation operation = prepared();
  const bool numbers = std::all_of(operands_.begin(), operands_.begin() + static_cast<std::ptrdiff_t>(count_),
                                   [](const Operand& operand) { return operand.is_number(); });
  const bool plain = (out == nullptr || out == Py_None) && (progress == nullptr || progress == Py_None);
  return numbers && plain && !quads ? run_one(operation) : run_arrays(operation);
}

PyObject* ElementCall::with_residency(Ref result, Ref mask) const {
  if (!residency) return result.release();
  PyObject* both = PyTuple_Pack(2, result.get(), mask.get());
  if (both == nullptr) throw py::error_already_set();
  return both;
}

PyObject* ElementCall::run_one(const ArrayOperation& operation) {
  std::array<ArrayInput, kMax> inputs;
  for (std::size_t k = 0; k < count_; ++k) inputs[k] = {operands_[k].first(), 0};
  npy_intp size = channels;
  Ref result(PyArray_EMPTY(channels == 1 ? 0 : 1, &size, numpy_type(operation.number_class()), 0));
  Ref mask;
  if (residency) mask = Ref(PyArray_EMPTY(0, &size, NPY_BOOL, 0));
  if (!result || (residency && !mask)) throw py::error_already_set();
  auto* words = static_cast<std::uint32_t*>(PyArray_DATA(result.array()));
  ArrayOutput output;
  for (unsigned c = 0; c < channels; ++c) output.channels[c] = words + c;
  if (residency) output.residency = static_cast<std::uint8_t*>(PyArray_DATA(mask.array()));
  check(operation.run(1, std::span(inputs.data(), count_), output));
  return with_residency(std::move(result), std::move(mask));
}

/// Inputs that share bytes with the results are copied first.
void ElementCall::part_from(PyArrayObject* result) {
  const char *low = static_cast<const char*>(PyArray_DATA(result)), *high = low + PyArray_ITEMSIZE(result);
  for (int d = 0; d < PyArray_NDIM(result); ++d) {
    const npy_intp reach = (PyArray_DIM(result, d) - 1) * PyArray_STRIDE(result, d);
    (reach < 0 ? low : high) += reach;
  }
  for (std::size_t k = 0; k < count_; ++k) {
    const auto [from, to] = operands_[k].extent();
    if (from != nullptr && from < high && to > low) operands_[k].own();
  }
}

PyObject* ElementCall::run_arrays(const ArrayOperation& operation) {
  std::array<Operand*, kMax> all{};
  for (std::size_t k = 0; k < count_; ++k) all[k] = &operands_[k];
  const std::span<Operand* const> given(all.data(), count_);
  Shape shape = broadcast(given);
  if (quads && shape.size() < 2)
    throw Failure("quads are made of the last two axes; the coordinates have shape " + to_string(shape));
  Shape result_shape = shape;
  if (channels > 1) result_shape.push_back(channels);
  if (result_shape.size() > NPY_MAXDIMS) throw Failure("the arrays have too many axes");
  Ref result = result_array(out, result_shape, numpy_type(operation.number_class()));
  Ref mask;
  if (residency) mask = result_array(nullptr, shape, NPY_BOOL);
  if (out != nullptr && out != Py_None) {
    part_from(result.array());
    (void)broadcast(given);
  }
  auto* bytes = residency ? static_cast<std::uint8_t*>(PyArray_DATA(mask.array())) : nullptr;
  // Results with gaps or in another order are made side by side and copied.
  const bool contiguous = PyArray_IS_C_CONTIGUOUS(result.array());
  Ref target = contiguous ? Ref::borrow(result.get())
                          : result_array(nullptr, result_shape, numpy_type(operation.number_class()));
  if (elements(shape) != 0) {
    if (quads)
      run_quads(operation, shape, target.array(), bytes);
    else
      run_elements(operation, shape, target.array(), bytes);
  }
  if (!contiguous && PyArray_CopyInto(result.array(), target.array()) != 0) throw py::error_already_set();
  return with_residency(std::move(result), std::move(mask));
}

void ElementCall::run_elements(const ArrayOperation& operation, const Shape& shape, PyArrayObject* result,
                               std::uint8_t* mask) {
  auto* words = static_cast<std::uint32_t*>(PyArray_DATA(result));
  std::array<std::optional<npy_intp>, kMax> strides;
  std::array<std::vector<std::uint32_t>, kMax> copies;
  bool direct = true;
  for (std::size_t k = 0; k < count_; ++k) {
    strides[k] = operands_[k].linear_stride(shape);
    direct = direct && strides[k];
  }
  const std::size_t piece = threads != 1 ? kThreadPiece : kPiece;
  in_pieces(elements(shape), direct ? std::max<std::size_t>(piece, kPiece * 4) : piece, progress,
            [&](std::size_t begin, std::size_t size) {
              std::array<ArrayInput, kMax> inputs;
              for (std::size_t k = 0; k < count_; ++k) {
                if (strides[k]) {
                  inputs[k] = {operands_[k].first() + static_cast<std::ptrdiff_t>(begin) * *strides[k], *strides[k]};
                  continue;
                }
                copies[k].resize(size);
                operands_[k].copy(shape, begin, size, copies[k].data());
                inputs[k] = {copies[k].data(), 4};
              }
              ArrayOutput output;
              output.stride = static_cast<std::ptrdiff_t>(channels) * 4;
              for (unsigned c = 0; c < channels; ++c) output.channels[c] = words + begin * channels + c;
              if (mask != nullptr) output.residency = mask + begin;
              check(operation.run(size, std::span(inputs.data(), count_), output, threads));
            });
}

namespace {

/// A quad at an edge has pixels outside: their coordinates go on as the two before them do, other parameters are those
/// of the pixel beside them.
std::uint32_t go_on(std::uint32_t last, std::uint32_t before) {
  const float a = __builtin_bit_cast(float, last), b = __builtin_bit_cast(float, before);
  return __builtin_bit_cast(std::uint32_t, a + (a - b));
}

constexpr int kLastCoordinate = 2;  ///< of kParameters: u, v, r

class QuadReader {
 public:
  QuadReader(const Shape& shape) : shape_(shape), height_(shape[shape.size() - 2]), width_(shape.back()) {}
  [[nodiscard]] npy_intp quads_of_row() const { return (width_ + 1) / 2; }
  [[nodiscard]] npy_intp rows() const { return (height_ + 1) / 2; }

  /// The four words of a quad of picture `picture`.
  void read(const Operand& operand, bool goes_on, npy_intp picture, npy_intp row, npy_intp column,
            std::uint32_t* to) const {
    npy_intp base = 0;
    for (std::size_t d = shape_.size() - 2; d-- > 0; picture /= shape_[d])
      base += picture % shape_[d] * operand.stride(d);
    const npy_intp down = operand.stride(shape_.size() - 2), right = operand.stride(shape_.size() - 1);
    const auto at = [&](npy_intp y, npy_intp x) { return operand.read(base + y * down + x * right); };
    const npy_intp y = row * 2, x = column * 2;
    const auto along = [&](npy_intp line, std::uint32_t* two) {
      two[0] = at(line, x);
      two[1] = x + 1 < width_ ? at(line, x + 1) : goes_on && x > 0 ? go_on(two[0], at(line, x - 1)) : two[0];
    };
    along(y, to);
    if (y + 1 < height_) return along(y + 1, to + 2);
    to[2] = to[0], to[3] = to[1];
    if (!goes_on || y == 0) return;
    std::array<std::uint32_t, 2> before{};
    along(y - 1, before.data());
    to[2] = go_on(to[0], before[0]), to[3] = go_on(to[1], before[1]);
  }

 private:
  const Shape& shape_;
  npy_intp height_, width_;
};

}  // namespace

void ElementCall::run_quads(const ArrayOperation& operation, const Shape& shape, PyArrayObject* result,
                            std::uint8_t* mask) {
  const QuadReader reader(shape);
  const npy_intp height = shape[shape.size() - 2], width = shape.back(), across = reader.quads_of_row();
  const std::size_t pictures = elements(shape) / static_cast<std::size_t>(height * width);
  const std::size_t rows = pictures * static_cast<std::size_t>(reader.rows()),
                    row_lanes = static_cast<std::size_t>(across) * 4;
  auto* words = static_cast<std::uint32_t*>(PyArray_DATA(result));
  std::array<std::vector<std::uint32_t>, kMax> lanes;
  std::vector<std::uint32_t> results;
  std::vector<std::uint8_t> masks;
  in_pieces(rows, std::max<std::size_t>(1, kPiece / row_lanes), progress, [&](std::size_t begin, std::size_t count) {
    const std::size_t size = count * row_lanes;
    std::array<ArrayInput, kMax> inputs;
    const auto place = [&](std::size_t k) {
      return std::pair(static_cast<npy_intp>((begin + k) / static_cast<std::size_t>(reader.rows())),
                       static_cast<npy_intp>((begin + k) % static_cast<std::size_t>(reader.rows())));
    };
    for (std::size_t p = 0; p < count_; ++p) {
      lanes[p].resize(size);
      std::uint32_t* to = lanes[p].data();
      for (std::size_t k = 0; k < count; ++k)
        for (npy_intp column = 0; column < across; ++column, to += 4)
          reader.read(operands_[p], parameters_[p] <= kLastCoordinate, place(k).first, place(k).second, column, to);
      inputs[p] = {lanes[p].data(), 4};
    }
    results.resize(size * channels);
    masks.resize(mask != nullptr ? size : 0);
    ArrayOutput output;
    output.stride = static_cast<std::ptrdiff_t>(channels) * 4;
    for (unsigned c = 0; c < channels; ++c) output.channels[c] = results.data() + c;
    if (mask != nullptr) output.residency = masks.data();
    check(operation.run(size, std::span(inputs.data(), count_), output, threads));
    for (std::size_t k = 0; k < size; ++k) {
      const auto [picture, row] = place(k / row_lanes);
      const auto lane = static_cast<npy_intp>(k % row_lanes);
      const npy_intp x = lane / 4 * 2 + (lane & 1), y = row * 2 + (lane >> 1 & 1);
      if (x >= width || y >= height) continue;
      const auto to = static_cast<std::size_t>((picture * height + y) * width + x);
      std::copy_n(results.data() + k * channels, channels, words + to * channels);
      if (mask != nullptr) mask[to] = masks[k];
    }
  });
}

}  // namespace heddle::python
