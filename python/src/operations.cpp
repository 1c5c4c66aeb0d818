// SPDX-License-Identifier: MIT
// heddle.sample, sample_level, sample_grad, sample_compare, gather, load, operation, sample_unorm, queries.

#include <pybind11/stl.h>

#include <algorithm>

#include "element_call.hpp"

namespace heddle::python {
namespace {

/// What these functions take, by keyword.
enum Slot : std::uint8_t {
  kImage,
  kSampler,
  kU,
  kV,
  kR,
  kX,
  kY,
  kZ,
  kLayer,
  kLod,
  kLevel,
  kSample,
  kDdx,
  kDdy,
  kRef,
  kBias,
  kMinLod,
  kChannel,
  kOffset,
  kQuads,
  kResidency,
  kThreads,
  kOut,
  kProgress,
  kPlatform,
  kSlots
};
constexpr const char* kSlotNames[kSlots] = {"image",   "sampler", "u",        "v",       "r",      "x",     "y",
                                            "z",       "layer",   "lod",      "level",   "sample", "ddx",   "ddy",
                                            "ref",     "bias",    "min_lod",  "channel", "offset", "quads", "residency",
                                            "threads", "out",     "progress", "platform"};
std::array<PyObject*, kSlots> slot_names{};

constexpr std::uint32_t bits(std::initializer_list<Slot> slots) {
  std::uint32_t mask = 0;
  for (const Slot s : slots) mask |= 1u << s;
  return mask;
}

struct Function {
  const char* name;
  std::initializer_list<Slot> positional;
  std::uint32_t keywords;
};

constexpr std::uint32_t kCommon = bits({kLayer, kOffset, kResidency, kThreads, kOut, kProgress, kPlatform});

/// The arguments of a call by slot; None counts as absent.
struct Arguments {
  Arguments(const Function& function, PyObject* const* args, Py_ssize_t count, PyObject* names) : name(function.name) {
    const auto most = static_cast<Py_ssize_t>(function.positional.size());
    if (count > most)
      throw py::type_error(std::string(name) + "() takes " + std::to_string(most) + " arguments by position, " +
                           std::to_string(count) + " are given");
    std::uint32_t allowed = function.keywords;
    const Slot* slots = function.positional.begin();
    for (Py_ssize_t k = 0; k < most; ++k) allowed |= 1u << slots[k];
    for (Py_ssize_t k = 0; k < count; ++k) set(slots[k], args[k]);
    const Py_ssize_t keywords = names != nullptr ? PyTuple_GET_SIZE(names) : 0;
    for (Py_ssize_t k = 0; k < keywords; ++k) {
      PyObject* key = PyTuple_GET_ITEM(names, k);
      const int slot = find(key);
      if (slot < 0 || (allowed >> slot & 1) == 0)
        throw py::type_error(std::string(name) + "() has no argument '" + py::str(key).cast<std::string>() + "'");
      if (values[static_cast<std::size_t>(slot)] != nullptr)
        throw py::type_error(std::string(name) + "() has two values for '" + kSlotNames[slot] + "'");
      set(static_cast<Slot>(slot), args[count + k]);
    }
  }
  static int find(PyObject* key) {
    for (int k = 0; k < kSlots; ++k)
      if (slot_names[static_cast<std::size_t>(k)] == key) return k;
    for (int k = 0; k < kSlots; ++k)
      if (PyUnicode_CompareWithASCIIString(key, kSlotNames[k]) == 0) return k;
    return -1;
  }
  void set(Slot slot, PyObject* value) { values[slot] = value == Py_None ? nullptr : value; }
  [[nodiscard]] bool has(Slot slot) const { return values[slot] != nullptr; }
  [[nodiscard]] PyObject* operator[](Slot slot) const { return values[slot]; }
  [[nodiscard]] PyObject* need(Slot slot) const {
    if (values[slot] == nullptr) throw py::type_error(std::string(name) + "() needs '" + kSlotNames[slot] + "'");
    return values[slot];
  }
  [[nodiscard]] PyImage& image() const {
    PyImage* image = image_of(need(kImage));
    if (image == nullptr) throw py::type_error(std::string(name) + "() takes a heddle.Image first");
    return *image;
  }
  [[nodiscard]] const PySampler& sampler() const {
    const PySampler* sampler = sampler_of(need(kSampler));
    if (sampler != nullptr) return *sampler;
    made_sampler = sampler_of_words(py::reinterpret_borrow<py::object>(values[kSampler]));
    sampler = sampler_of(made_sampler.ptr());
    if (sampler == nullptr)
      throw py::type_error(std::string(name) + "() takes a heddle.Sampler, or its words, behind the image");
    return *sampler;
  }
  [[nodiscard]] bool truth(Slot slot) const {
    const int value = has(slot) ? PyObject_IsTrue(values[slot]) : 0;
    if (value < 0) throw py::error_already_set();
    return value != 0;
  }
  [[nodiscard]] long integer(Slot slot, long otherwise) const {
    if (!has(slot)) return otherwise;
    const long value = PyLong_AsLong(values[slot]);
    if (value == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    return value;
  }

  const char* name;
  std::array<PyObject*, kSlots> values{};
  mutable py::object made_sampler;  ///< of words
};

/// The offsets as numbers; false where they are arrays, one for each element.
bool read_offset(PyObject* offset, std::array<int, 3>& to) {
  if (offset == nullptr) return true;
  const Ref list(PySequence_Fast(offset, "'offset' takes two or three integers, or arrays of them"));
  if (!list) throw py::error_already_set();
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(list.get());
  if (count > 3) throw Failure("'offset' has " + std::to_string(count) + " parts; three is the most");
  for (Py_ssize_t k = 0; k < count; ++k)
    if (!PyLong_Check(PySequence_Fast_GET_ITEM(list.get(), k))) return false;
  for (Py_ssize_t k = 0; k < count; ++k) {
    const long value = PyLong_AsLong(PySequence_Fast_GET_ITEM(list.get(), k));
    if (value == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    to[static_cast<std::size_t>(k)] = static_cast<int>(std::clamp(value, -1000L, 1000L));
  }
  return true;
}

/// What every operation over elements takes. False: the offsets are arrays.
bool common(const Arguments& a, ElementCall& call) {
  call.residency = a.truth(kResidency);
  call.quads = a.truth(kQuads);
  const long threads = a.integer(kThreads, 1);
  if (threads < 0 || threads > 1024) throw Failure("'threads' is 0 (all cores) to 1024");
  call.threads = static_cast<unsigned>(threads);
  call.out = a[kOut];
  call.progress = a[kProgress];
  if (a.has(kPlatform)) call.platform = py::handle(a[kPlatform]).cast<std::string>();
  return read_offset(a[kOffset], call.offset);
}

int dimensions_of(const Image& image) {
  switch (image.type()) {
    case ImageType::Dim1:
    case ImageType::Buffer:
      return 1;
    case ImageType::Dim2:
      return 2;
    case ImageType::Dim3:
    case ImageType::Cube:
      return 3;
  }
  return 2;
}

/// Coordinates and layer where the operation expects them (CRD-5).
void add_point(const Arguments& a, ElementCall& call, const Image& image, std::array<Slot, 3> slots, Numbers numbers) {
  const int dimensions = dimensions_of(image);
  constexpr const char* kNames[] = {"u", "v", "r"};
  for (int d = 0; d < dimensions; ++d) call.add(kNames[d], a.need(slots[static_cast<std::size_t>(d)]), numbers);
  for (int d = dimensions; d < 3; ++d)
    if (a.has(slots[static_cast<std::size_t>(d)]))
      throw Failure("an image of type " + std::string(to_string(image.type())) + " takes no '" +
                    kSlotNames[slots[static_cast<std::size_t>(d)]] + "'" +
                    (image.is_array() ? "; the layer is 'layer'" : ""));
  if (!a.has(kLayer)) return;
  if (!image.is_array()) throw Failure("the image is no array: it has no layers");
  call.add(dimensions == 1 ? "v" : dimensions == 2 ? "r" : "ai", a[kLayer], numbers);
}
constexpr std::array<Slot, 3> kUvr{kU, kV, kR};

void add_gradients(const Arguments& a, ElementCall& call, const Image& image) {
  constexpr const char* kNames[3][2] = {{"dudx", "dudy"}, {"dvdx", "dvdy"}, {"drdx", "drdy"}};
  const int dimensions = dimensions_of(image);
  for (int side = 0; side < 2; ++side) {
    const Slot slot = side == 0 ? kDdx : kDdy;
    const Ref list(PySequence_Fast(a.need(slot), "'ddx' and 'ddy' take one number or array for each coordinate"));
    if (!list) throw py::error_already_set();
    if (PySequence_Fast_GET_SIZE(list.get()) != dimensions)
      throw Failure(std::string("'") + kSlotNames[slot] + "' has " +
                    std::to_string(PySequence_Fast_GET_SIZE(list.get())) + " parts; the image has " +
                    std::to_string(dimensions) + " coordinates");
    for (int d = 0; d < dimensions; ++d)
      call.add(kNames[d][side], PySequence_Fast_GET_ITEM(list.get(), d), Numbers::Float);
  }
}

/// Offsets for each element are packed into words: heddle/_offsets.py.
PyObject* with_offsets(const Arguments& a) {
  py::dict given;
  for (std::size_t k = 0; k < kSlots; ++k)
    if (a.values[k] != nullptr) given[kSlotNames[k]] = py::reinterpret_borrow<py::object>(a.values[k]);
  return py::module_::import("heddle._offsets").attr(a.name)(**given).release().ptr();
}

/// Where the level comes from, as the names of operations have it.
enum class Level : std::uint8_t { Zero, Implicit, Bias, MinLod, Given, Gradients };

Level level_of(const Arguments& a) {
  const bool gradients = a.has(kDdx) || a.has(kDdy);
  const int ways = int{a.has(kLod)} + int{gradients} + int{a.truth(kQuads)};
  if (ways > 1) throw Failure("the level comes from one of 'lod', 'ddx' and 'ddy', 'quads'");
  if ((a.has(kBias) || a.has(kMinLod)) && !a.truth(kQuads))
    throw Failure("'bias' and 'min_lod' belong to the level that quads=True gives");
  if (a.has(kBias) && a.has(kMinLod)) throw Failure("'bias' and 'min_lod' exclude each other");
  if (a.has(kBias)) return Level::Bias;
  if (a.has(kMinLod)) return Level::MinLod;
  if (a.truth(kQuads)) return Level::Implicit;
  return gradients ? Level::Gradients : a.has(kLod) ? Level::Given : Level::Zero;
}

PyObject* run_sample(const Arguments& a, Level level) {
  PyImage& image = a.image();
  const bool compares = a.has(kRef);
  static constexpr const char* kOperations[6][2] = {{"sample_l", "sample_l_c"}, {"sample", "sample_c"},
                                                    {"sample_b", "sample_b_c"}, {"sample_mlod", "sample_c_mlod"},
                                                    {"sample_l", "sample_l_c"}, {"sample_d", "sample_d_c"}};
  ElementCall call(image, &a.sampler(), kOperations[static_cast<std::size_t>(level)][compares ? 1 : 0]);
  if (!common(a, call)) return with_offsets(a);
  add_point(a, call, image.image, kUvr, Numbers::Float);
  if (compares) {
    call.add("ref", a[kRef], Numbers::Float);
    call.channels = 1;
  }
  if (level == Level::Given) call.add("lod", a[kLod], Numbers::Float);
  if (level == Level::Bias) call.add("bias", a[kBias], Numbers::Float);
  if (level == Level::MinLod) call.add("mlod", a[kMinLod], Numbers::Float);
  if (level == Level::Gradients) add_gradients(a, call, image.image);
  return call.run();
}

PyObject* sample(const Arguments& a) { return run_sample(a, level_of(a)); }
PyObject* sample_level(const Arguments& a) {
  (void)a.need(kLod);
  return run_sample(a, Level::Given);
}
PyObject* sample_grad(const Arguments& a) { return run_sample(a, Level::Gradients); }
PyObject* sample_compare(const Arguments& a) {
  (void)a.need(kRef);
  return run_sample(a, level_of(a));
}

PyObject* gather(const Arguments& a) {
  PyImage& image = a.image();
  const bool compares = a.has(kRef);
  static constexpr const char* kOperations[6][2] = {{"gather4", "gather4_c"},     {"gather4_i", "gather4_i_c"},
                                                    {"gather4_b", nullptr},       {nullptr, nullptr},
                                                    {"gather4_l", "gather4_l_c"}, {nullptr, nullptr}};
  const Level level = level_of(a);
  const char* operation = kOperations[static_cast<std::size_t>(level)][compares ? 1 : 0];
  if (operation == nullptr) throw Failure("no gather takes a bias and a reference");
  ElementCall call(image, &a.sampler(), operation);
  const long channel = a.integer(kChannel, 0);
  if (channel < 0 || channel > 3)
    throw Failure("channel " + std::to_string(channel) + " does not exist; 0 to 3 are R, G, B, A");
  call.channel = static_cast<unsigned>(channel);
  if (!common(a, call)) return with_offsets(a);
  add_point(a, call, image.image, kUvr, Numbers::Float);
  if (compares) call.add("ref", a[kRef], Numbers::Float);
  if (level == Level::Given) call.add("lod", a[kLod], Numbers::Float);
  if (level == Level::Bias) call.add("bias", a[kBias], Numbers::Float);
  return call.run();
}

PyObject* load(const Arguments& a) {
  PyImage& image = a.image();
  const bool samples = image.image.samples() > 1;
  if (a.has(kSample) && !samples) throw Failure("the image has one sample");
  ElementCall call(image, nullptr, samples ? "ld2dms_w" : "ld");
  if (!common(a, call)) throw Failure("loads take the same offset for all elements; add arrays to the coordinates");
  add_point(a, call, image.image, {kX, kY, kZ}, Numbers::Integer);
  if (samples && a.has(kLevel)) throw Failure("an image of several samples has one level");
  if (a.has(kLevel)) call.add("lod", a[kLevel], Numbers::Integer);
  if (a.has(kSample)) call.add("si", a[kSample], Numbers::Integer);
  return call.run();
}

// --- functions of the C interface: a call with one coordinate takes about a microsecond
// -----------------------------------

struct Entry {
  Function function;
  PyObject* (*run)(const Arguments&);
  const char* doc;
};

#define HEDDLE_TAIL                                                                                                    \
  "offset : tuple of int or of array_like, optional\n    Texels, -8 to 7; arrays give each element its own.\n"         \
  "residency : bool\n    Return (results, mask): the mask is True where all texels of an element are there (RET-5).\n" \
  "threads : int\n    Threads of this computer; 0: all cores.\n"                                                       \
  "out : ndarray, optional\n    Gets the results.\n"                                                                   \
  "progress : callable, optional\n    Gets the part done, 0 to 1, now and then.\n"                                     \
  "platform : str, optional\n    'skl' ... 'xe2': its rules are checked.\n\n"                                          \
  "All arguments of numbers broadcast; float64 is rounded to float32. The interpreter's lock is given away.\n\n"

#define HEDDLE_POINT                                                                                                 \
  "u, v, r : array_like of float\n    Normalized coordinates (texels where the sampler is unnormalized); 1D images " \
  "take u,\n"                                                                                                        \
  "    2D images u and v, 3D images u, v and r, cubes the direction.\n"                                              \
  "layer : array_like of float, optional\n    Of arrays: layer, or cube.\n"

#define HEDDLE_RETURNS                                                                           \
  "Returns\n-------\nndarray, shape of the coordinates + (4,), image.dtype\n    R, G, B, A.\n\n" \
  "Raises\n------\nError\n    usage-argument and the rules' (RET-9 ...).\nTypeError\n    What is no number."

const Entry kEntries[] = {
    {{"sample", {kImage, kSampler, kU, kV, kR}, kCommon | bits({kQuads, kBias, kMinLod})},
     sample,
     "sample(image, sampler, u, v=None, r=None, *, layer=None, quads=False, bias=None, min_lod=None, offset=None, "
     "residency=False, threads=1, out=None, progress=None, platform=None)\n--\n\n"
     "Filtered colors at level 0, or with quads=True at the level that derivatives give.\n\n"
     "Parameters\n----------\nimage : Image\nsampler : Sampler or str\n" HEDDLE_POINT
     "quads : bool\n    The last two axes are the pixels of a picture: each 2 x 2 of them give implicit derivatives, "
     "as on the\n"
     "    GPU. Quads that reach over the edge have helper pixels whose coordinates go on as those beside them do.\n"
     "bias, min_lod : array_like of float, optional\n    Levels, with quads.\n" HEDDLE_TAIL HEDDLE_RETURNS},
    {{"sample_level", {kImage, kSampler, kU, kV, kR}, kCommon | bits({kLod})},
     sample_level,
     "sample_level(image, sampler, u, v=None, r=None, *, lod, layer=None, offset=None, residency=False, threads=1, "
     "out=None, progress=None, platform=None)\n--\n\nFiltered colors at a level of detail.\n\n"
     "Parameters\n----------\nimage : Image\nsampler : Sampler or str\n" HEDDLE_POINT
     "lod : array_like of float\n    Levels; with offsets for each element its low 12 bits are dropped "
     "(PKO-1).\n" HEDDLE_TAIL HEDDLE_RETURNS},
    {{"sample_grad", {kImage, kSampler, kU, kV, kR}, kCommon | bits({kDdx, kDdy})},
     sample_grad,
     "sample_grad(image, sampler, u, v=None, r=None, *, ddx, ddy, layer=None, offset=None, residency=False, threads=1, "
     "out=None, progress=None, platform=None)\n--\n\nFiltered colors with given derivatives: they set the level and "
     "the "
     "shape of anisotropic filters.\n\n"
     "Parameters\n----------\nimage : Image\nsampler : Sampler or str\n" HEDDLE_POINT
     "ddx, ddy : sequence of array_like of float\n    Derivatives of each coordinate with respect to the screen's x "
     "and y.\n" HEDDLE_TAIL HEDDLE_RETURNS},
    {{"sample_compare",
      {kImage, kSampler, kU, kV, kR},
      kCommon | bits({kRef, kLod, kDdx, kDdy, kQuads, kBias, kMinLod})},
     sample_compare,
     "sample_compare(image, sampler, u, v=None, r=None, *, ref, lod=None, ddx=None, ddy=None, quads=False, bias=None, "
     "min_lod=None, layer=None, offset=None, residency=False, threads=1, out=None, progress=None, "
     "platform=None)\n--\n\n"
     "Filtered comparisons `ref OP texel` by the sampler's `compare`: 0 to 1.\n\n"
     "Parameters\n----------\nimage : Image\nsampler : Sampler or str\n" HEDDLE_POINT
     "ref : array_like of float\nlod : array_like of float, optional\n    Level; without it, derivatives and quads: "
     "0.\n"
     "ddx, ddy, quads, bias, min_lod\n    As of sample_grad() and sample().\n" HEDDLE_TAIL
     "Returns\n-------\nndarray, shape of the coordinates, float32\n\nRaises\n------\nError, TypeError"},
    {{"gather", {kImage, kSampler, kU, kV, kR}, kCommon | bits({kChannel, kRef, kLod, kQuads, kBias})},
     gather,
     "gather(image, sampler, u, v=None, r=None, *, channel=0, ref=None, lod=None, quads=False, bias=None, layer=None, "
     "offset=None, residency=False, threads=1, out=None, progress=None, platform=None)\n--\n\n"
     "One channel of the four texels that a bilinear filter reads, at level 0 or at another.\n\n"
     "Parameters\n----------\nimage : Image\nsampler : Sampler or str\n" HEDDLE_POINT
     "channel : int\n    0 R, 1 G, 2 B, 3 A.\nref : array_like of float, optional\n    Compare each texel with it.\n"
     "lod, bias : array_like of float, optional\n    Levels.\nquads : bool\n    As of sample().\n" HEDDLE_TAIL
     "Returns\n-------\nndarray, shape of the coordinates + (4,), image.dtype\n    With (i0, j0) the upper left texel: "
     "(i0, j1), (i1, j1), (i1, j0), (i0, j0) (GA-4).\n\nRaises\n------\nError, TypeError"},
    {{"load", {kImage, kX, kY, kZ}, kCommon | bits({kLevel, kSample})},
     load,
     "load(image, x, y=None, z=None, *, layer=None, level=None, sample=None, offset=None, residency=False, threads=1, "
     "out=None, progress=None, platform=None)\n--\n\nTexels by their places; zeros outside the image.\n\n"
     "Parameters\n----------\nimage : Image\nx, y, z : array_like of int\n    Texels; 1D images and buffers take x, 3D "
     "images "
     "x, y and z.\nlayer, level, sample : array_like of int, optional\n" HEDDLE_TAIL HEDDLE_RETURNS}};

template <std::size_t kIndex>
PyObject* call(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) noexcept {
  const Entry& entry = kEntries[kIndex];
  try {
    return entry.run(Arguments(entry.function, args, count, names));
  } catch (...) {
    set_error_of_exception();
  }
  return nullptr;
}

template <std::size_t... kIndices>
void add_functions(py::module_& module, std::index_sequence<kIndices...>) {
  static std::array<PyMethodDef, sizeof...(kIndices) + 1> methods{
      PyMethodDef{kEntries[kIndices].function.name,
                  reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call<kIndices>)),
                  METH_FASTCALL | METH_KEYWORDS, kEntries[kIndices].doc}...,
      PyMethodDef{nullptr, nullptr, 0, nullptr}};
  if (PyModule_AddFunctions(module.ptr(), methods.data()) != 0) throw py::error_already_set();
}

// --- slower ones
// ------------------------------------------------------------------------------------------------------

const OperationInfo* known_operation(const std::string& name) {
  static const std::vector<OperationInfo> kAll = heddle::operations();
  const auto found = std::find_if(kAll.begin(), kAll.end(), [&](const OperationInfo& o) { return o.name == name; });
  return found != kAll.end() ? &*found : nullptr;
}

py::object operation(const std::string& name, const py::object& image, const py::object& given,
                     const py::kwargs& parameters) {
  const py::object sampler = sampler_of_words(given);
  PyImage* picture = image_of(image.ptr());
  if (picture == nullptr) throw py::type_error("operation() takes a heddle.Image behind the name");
  const PySampler* state = sampler.is_none() ? nullptr : sampler_of(sampler.ptr());
  if (state == nullptr && !sampler.is_none())
    throw py::type_error("operation() takes a heddle.Sampler, its words or None behind the image");
  const OperationInfo* known = known_operation(name);
  if (known == nullptr) throw Failure("there is no operation '" + name + "'; heddle.operations() has all of them");
  ElementCall call(*picture, state, known->name.data());
  const bool integers = known->family == OperationKind::Load || known->family == OperationKind::Info;
  for (const auto& [key, value] : parameters) {
    const auto word = key.cast<std::string>();
    const auto as_unsigned = [&] { return value.cast<unsigned>(); };
    if (word == "channel") {
      call.channel = as_unsigned();
    } else if (word == "offset") {
      if (!read_offset(value.ptr(), call.offset)) throw Failure("'offset' takes integers here");
    } else if (word == "residency") {
      call.residency = value.cast<bool>();
    } else if (word == "quads") {
      call.quads = value.cast<bool>();
    } else if (word == "threads") {
      call.threads = as_unsigned();
      if (call.threads > 1024) throw Failure("'threads' is 0 (all cores) to 1024");
    } else if (word == "platform") {
      call.platform = value.cast<std::string>();
    } else {
      const int parameter = find_parameter(word);
      if (parameter < 0) throw Failure(name + " has no parameter '" + word + "'");
      call.add(parameter, value.ptr(), integers || is_integer_parameter(parameter) ? Numbers::Integer : Numbers::Float);
    }
  }
  return py::reinterpret_steal<py::object>(call.run());
}

py::tuple size_query(const PyImage& image, std::uint32_t level) {
  const ImageSize size = unwrap(query_size(image.image, level));
  const SampleInfo samples = unwrap(query_samples(image.image));
  return py::make_tuple(size.width, size.height, size.depth, size.layers, size.levels, samples.samples);
}

/// (elements..., 4, 8, 4) words of sample_unorm for contiguous float32 arrays of one length.
void unorm(const PyImage& image, const PySampler& sampler, const py::buffer& requests, const std::string& channels,
           const std::string& format, const py::buffer& result) {
  const auto known = find_unorm_format(format);
  if (!known) throw Failure("unknown form '" + format + "'; one of: 16-full 16-downsampled 8-full 8-downsampled");
  UnormRequest request;
  request.format = *known;
  request.channels = {};
  for (const char letter : channels) {
    const std::size_t at = std::string_view("rgba").find(letter);
    if (at == std::string_view::npos) throw Failure("channels are letters of 'rgba', not '" + channels + "'");
    request.channels[at] = true;
  }
  const py::buffer_info from = requests.request(), to = result.request(true);
  const auto count = static_cast<std::size_t>(from.size) / 4;
  if (from.itemsize != 4 || to.itemsize != 2 || static_cast<std::size_t>(to.size) != count * 128)
    throw Failure("the arrays do not fit each other");
  const auto* numbers = static_cast<const float*>(from.ptr);
  auto* words = static_cast<std::uint16_t*>(to.ptr);
  const py::gil_scoped_release release;
  for (std::size_t k = 0; k < count; ++k, numbers += 4, words += 128) {
    request.u = numbers[0], request.v = numbers[1], request.du = numbers[2], request.dv = numbers[3];
    const UnormBlock block = unwrap(sample_unorm(image.image, sampler.sampler, request));
    for (std::size_t pixel = 0; pixel < 32; ++pixel)
      for (std::size_t c = 0; c < 4; ++c) words[pixel * 4 + c] = block.channels[c][pixel];
  }
}

}  // namespace

void add_operations(py::module_& module) {
  for (std::size_t k = 0; k < kSlots; ++k) slot_names[k] = PyUnicode_InternFromString(kSlotNames[k]);
  add_functions(module, std::make_index_sequence<std::size(kEntries)>());
  module.def(
      "_fail",
      [](const std::string& message, const std::string& id, const std::vector<std::string>& notes) {
        Diagnostics list(1);
        list[0].id = id;
        list[0].message = message;
        for (const std::string& note : notes) list[0].notes.push_back({note, {}});
        throw Failure(std::move(list));
      },
      py::arg("message"), py::arg("id") = "usage-argument", py::arg("notes") = std::vector<std::string>());
  module.def("_fail_at", &fail_at);
  module.def("_query", &size_query);
  module.def("_unorm", &unorm);
  module.def(
      "operation", &operation, py::arg("name"), py::arg("image"), py::arg("sampler") = py::none(),
      "operation(name, image, sampler=None, *, channel=0, offset=None, quads=False, residency=False, threads=1,\n"
      "          platform=None, **parameters)\n\n"
      "Any operation of the texture unit by its name; the parameters by theirs (operations() has both). Floats, or\n"
      "integers for loads, queries and packed words; they broadcast. Those that are missing are 0 (EXE-6).\n\n"
      "Returns\n-------\nndarray, shape of the parameters + (4,)");
  module.def(
      "operations",
      [] {
        py::dict all;
        constexpr const char* kFamilies[] = {"sample", "load", "gather", "info"};
        for (const OperationInfo& o : heddle::operations()) {
          py::list names;
          for (const std::string_view p : o.parameters) names.append(std::string(p));
          all[py::str(std::string(o.name))] =
              py::make_tuple(kFamilies[static_cast<std::size_t>(o.family)], py::tuple(names));
        }
        return all;
      },
      "dict: (family, parameters) of each operation of the texture unit.");
}

}  // namespace heddle::python
