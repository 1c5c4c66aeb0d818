// SPDX-License-Identifier: MIT
// heddle.Image: files, arrays and bytes to images, and images as buffers.

#include <pybind11/stl.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "module.hpp"
#include "numpy.hpp"

namespace heddle::python {
namespace {

PyTypeObject* image_type = nullptr;

/// An element of a buffer: how many numbers, and which, in the letters of Python's struct module.
struct BufferElement {
  unsigned channels = 0, bytes = 0;
  const char* letter = nullptr;
};

const char* letter_of(ChannelKind kind, unsigned bits) {
  const bool is_signed = kind == ChannelKind::Snorm || kind == ChannelKind::Sint;
  if (kind == ChannelKind::Float) return bits == 16 ? "e" : bits == 32 ? "f" : bits == 64 ? "d" : nullptr;
  switch (bits) {
    case 8:
      return is_signed ? "b" : "B";
    case 16:
      return is_signed ? "h" : "H";
    case 32:
      return is_signed ? "i" : "I";
    case 64:
      return is_signed ? "q" : "Q";
    default:
      return nullptr;
  }
}

/// Of formats whose channels are whole numbers of one kind, side by side.
std::optional<BufferElement> buffer_element(const FormatDescription& format) {
  if (format.block_width != 1 || format.block_height != 1 || format.channels.empty()) return std::nullopt;
  BufferElement element;
  std::optional<ChannelKind> kind;
  unsigned bits = 0;
  for (const FormatChannel& channel : format.channels) {
    if (channel.bits == 0 || channel.kind == ChannelKind::Packed) return std::nullopt;
    if (bits != 0 && channel.bits != bits) return std::nullopt;
    if (channel.kind != ChannelKind::Unused) {
      if (kind && *kind != channel.kind) return std::nullopt;
      kind = channel.kind;
    }
    bits = channel.bits;
  }
  if (!kind || bits % 8 != 0 || format.element_bytes % (bits / 8) != 0) return std::nullopt;
  for (const FormatChannel& channel : format.channels)
    if (channel.start % bits != 0) return std::nullopt;
  element.letter = letter_of(*kind, bits);
  element.bytes = bits / 8;
  element.channels = format.element_bytes / element.bytes;
  if (element.letter == nullptr) return std::nullopt;
  return element;
}

bool has_slices(const Image& image) {
  return image.type() == ImageType::Dim3 || image.type() == ImageType::Cube || image.is_array() || image.samples() > 1;
}

/// Sizes of a level as an array, without the channels.
std::vector<py::ssize_t> array_shape(const Image& image, std::uint32_t level) {
  std::vector<py::ssize_t> shape;
  if (has_slices(image)) shape.push_back(image.slices(level));
  if (image.type() == ImageType::Dim2 || image.type() == ImageType::Dim3 || image.type() == ImageType::Cube)
    shape.push_back(image.height(level));
  shape.push_back(image.width(level));
  return shape;
}

// --- the buffer protocol: level 0 ----------------------------------------------------------------------------------

struct Exported {
  Image image;
  std::array<Py_ssize_t, 4> shape{}, strides{};
};

int refuse(Py_buffer* view, const char* why) {
  view->obj = nullptr;
  PyErr_SetString(PyExc_BufferError, why);
  return -1;
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  const PyImage* own = image_of(self);
  if (own == nullptr) return refuse(view, "the image is not initialized");
  const auto format = describe_format(own->image.format());
  const auto element = format ? buffer_element(*format) : std::nullopt;
  const auto memory = own->image.level_memory(0);
  if (!element || !memory) return refuse(view, "the format has no plain layout: use Image.decode()");
  auto exported = std::make_unique<Exported>();
  exported->image = own->image;
  int dimensions = 0;
  const auto add = [&](std::size_t size, std::size_t stride) {
    exported->shape[static_cast<std::size_t>(dimensions)] = static_cast<Py_ssize_t>(size);
    exported->strides[static_cast<std::size_t>(dimensions++)] = static_cast<Py_ssize_t>(stride);
  };
  const bool flat = own->image.type() == ImageType::Dim1 || own->image.type() == ImageType::Buffer;
  if (has_slices(own->image)) add(memory->slices, memory->slice_pitch);
  if (!flat) add(memory->rows, memory->row_pitch);
  add(memory->columns, memory->element_bytes);
  add(element->channels, element->bytes);
  Py_ssize_t expected = element->bytes;
  bool contiguous = true;
  for (int d = dimensions; d-- > 0;) {
    const auto at = static_cast<std::size_t>(d);
    contiguous = contiguous && (exported->shape[at] == 1 || exported->strides[at] == expected);
    expected *= exported->shape[at];
  }
  if (!contiguous && ((flags & PyBUF_STRIDES) != PyBUF_STRIDES || (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS))
    return refuse(view, "the texels of this view are not contiguous");
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS) return refuse(view, "the texels are in C order");
  view->buf = memory->first;
  view->len = expected;
  view->itemsize = element->bytes;
  view->readonly = 0;
  view->ndim = (flags & PyBUF_ND) != 0 ? dimensions : 1;
  view->format = (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(element->letter) : nullptr;
  view->shape = (flags & PyBUF_ND) != 0 ? exported->shape.data() : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? exported->strides.data() : nullptr;
  view->suboffsets = nullptr;
  view->internal = exported.release();
  Py_INCREF(self);
  view->obj = self;
  return 0;
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<Exported*>(view->internal); }

// --- making images
// ----------------------------------------------------------------------------------------------------

std::optional<ImageType> find_type(const std::string& word) {
  for (const ImageType type : {ImageType::Dim1, ImageType::Dim2, ImageType::Dim3, ImageType::Cube, ImageType::Buffer})
    if (to_string(type) == word) return type;
  return std::nullopt;
}

std::uint32_t size_of(const py::dict& options, const char* name, std::uint32_t otherwise) {
  if (!options.contains(name)) return otherwise;
  const auto value = options[name].cast<long long>();
  if (value < 0 || value > std::numeric_limits<std::uint32_t>::max())
    throw Failure(std::string(name) + " is " + std::to_string(value) + "; sizes are 1 and more");
  return static_cast<std::uint32_t>(value);
}

ImageOptions options_of(const py::dict& words) {
  ImageOptions o;
  const auto type_word = words.contains("type") ? words["type"].cast<std::string>() : std::string("2d");
  const auto type = find_type(type_word);
  if (!type) throw Failure("unknown type '" + type_word + "'; one of: 1d 2d 3d cube buffer");
  o.type = *type;
  if (words.contains("format")) o.format = words["format"].cast<std::string>();
  o.width = size_of(words, "width", 1), o.height = size_of(words, "height", 1), o.depth = size_of(words, "depth", 1);
  o.layers = size_of(words, "layers", 1), o.levels = size_of(words, "levels", 1);
  o.samples = size_of(words, "samples", 1);
  o.array = words.contains("array") && words["array"].cast<bool>();
  return o;
}

/// An image over the bytes of a contiguous, writable object, which is kept as long as the image.
Image wrap(const py::object& bytes, const py::dict& options) {
  auto* view = new Py_buffer;
  if (PyObject_GetBuffer(bytes.ptr(), view, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) != 0) {
    delete view;
    throw py::error_already_set();
  }
  const std::shared_ptr<void> owner(view, [](void* pointer) {
    if (Py_IsInitialized() == 0) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyBuffer_Release(static_cast<Py_buffer*>(pointer));
    PyGILState_Release(state);
    delete static_cast<Py_buffer*>(pointer);
  });
  const std::span<std::uint8_t> texels(static_cast<std::uint8_t*>(view->buf), static_cast<std::size_t>(view->len));
  return unwrap(Image::wrap(options_of(options), texels, owner));
}

PyImage make(const py::args& args, const py::kwargs& options) {
  // The rules for arrays are Python's: heddle/_arrays.py.
  const py::tuple plan = py::module_::import("heddle._arrays").attr("plan_image")(*args, **options);
  const auto kind = plan[0].cast<std::string>();
  if (kind == "wrap") {
    Image image = wrap(plan[1], plan[2]);
    return PyImage(plan[3].cast<bool>() ? unwrap(image.with_mips()) : image);
  }
  Diagnostics notes;
  LoadOptions load;
  load.srgb = plan[2].cast<bool>();
  load.mips = plan[3].cast<bool>();
  load.bc7 = plan[4].cast<bool>();
  load.notes = &notes;
  const std::string path = kind == "load" ? plan[1].cast<std::string>() : std::string();
  const py::bytes bytes = kind == "load" ? py::bytes() : plan[1].cast<py::bytes>();
  const std::string_view view = bytes;
  Image image = [&] {
    const py::gil_scoped_release release;
    return unwrap(kind == "load" ? Image::load(path, load)
                                 : Image::decode({reinterpret_cast<const std::uint8_t*>(view.data()), view.size()},
                                                 "<bytes>", load));
  }();
  warn(notes);
  return PyImage(std::move(image));
}

// --- texels
// -----------------------------------------------------------------------------------------------------------

py::object decode(const PyImage& self, std::uint32_t level) {
  const Image& image = self.image;
  if (level >= image.levels())
    throw Failure("level " + std::to_string(level) + " is not there: the image has " + std::to_string(image.levels()));
  std::vector<npy_intp> shape;
  for (const py::ssize_t size : array_shape(image, level)) shape.push_back(size);
  shape.push_back(4);
  const int type = image.number_class() == NumberClass::Float  ? NPY_FLOAT32
                   : image.number_class() == NumberClass::Uint ? NPY_UINT32
                                                               : NPY_INT32;
  PyObject* array = PyArray_EMPTY(static_cast<int>(shape.size()), shape.data(), type, 0);
  if (array == nullptr) throw py::error_already_set();
  auto result = py::reinterpret_steal<py::object>(array);
  auto* numbers = reinterpret_cast<PyArrayObject*>(array);
  const std::span<std::uint32_t> words(static_cast<std::uint32_t*>(PyArray_DATA(numbers)),
                                       static_cast<std::size_t>(PyArray_SIZE(numbers)));
  Result<Done> done = Done{};
  {
    const py::gil_scoped_release release;
    done = image.decode_level(level, words);
  }
  unwrap(std::move(done));
  return result;
}

/// Encodes (slices, h, w, 4) words, contiguous, into a level.
void encode(const PyImage& self, std::uint32_t level, const py::buffer& words) {
  const py::buffer_info info = words.request();
  Image image = self.image;
  const std::uint32_t columns = image.width(level), rows = std::max(1u, image.height(level)),
                      slices = image.slices(level);
  if (info.itemsize != 4 || info.size != py::ssize_t{4} * columns * rows * slices)
    throw Failure("the texels do not fit the level");
  const auto* from = static_cast<const std::uint32_t*>(info.ptr);
  const NumberClass numbers = image.number_class();
  bool good = true;
  {
    const py::gil_scoped_release release;
    for (std::uint32_t slice = 0; slice < slices && good; ++slice)
      for (std::uint32_t y = 0; y < rows && good; ++y)
        for (std::uint32_t x = 0; x < columns && good; ++x, from += 4) {
          Color color;
          color.number_class = numbers;
          std::copy_n(from, 4, color.words.begin());
          good = image.set_texel({.x = x, .y = y, .slice = slice, .level = level}, color);
        }
  }
  if (!good) throw Failure("texels of " + std::string(image.format()) + " can't be written one by one");
}

py::object level_size(const PyImage& self, std::uint32_t level) {
  const Image& image = self.image;
  if (level >= image.levels()) throw Failure("level " + std::to_string(level) + " is not there");
  return py::make_tuple(image.width(level), image.height(level), image.depth(level));
}

py::dict description(const Image& image) {
  py::dict options;
  options["type"] = std::string(to_string(image.type()));
  options["format"] = std::string(image.format());
  options["width"] = image.width();
  options["height"] = image.height();
  options["depth"] = image.depth();
  options["layers"] = image.layers();
  options["levels"] = image.levels();
  options["samples"] = image.samples();
  options["array"] = image.is_array();
  return options;
}

py::bytes packed(const PyImage& self) {
  const auto bytes = self.image.packed();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

PyImage unpacked(const py::dict& options, const std::string& bytes) {
  Image image = unwrap(Image::create(options_of(options)));
  unwrap(image.set_packed({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}));
  return PyImage(std::move(image));
}

PyImage view(const PyImage& self, const std::optional<std::string>& format, std::optional<std::uint32_t> level,
             std::uint32_t levels, const py::object& layers, const std::string& swizzle) {
  ViewOptions o;
  if (format) o.format = *format;
  o.first_level = level.value_or(0), o.levels = levels;
  if (PyLong_Check(layers.ptr()) != 0) {
    o.first_layer = layers.cast<std::uint32_t>(), o.layers = 1;
  } else if (!layers.is_none()) {
    const auto range = layers.cast<std::pair<std::uint32_t, std::uint32_t>>();
    if (range.second <= range.first) throw Failure("the view has no layers; layers=(first, end) or one layer");
    o.first_layer = range.first, o.layers = range.second - range.first;
  }
  o.swizzle = swizzle;
  return PyImage(unwrap(self.image.view(o)));
}

void save(const PyImage& self, const std::string& path, std::uint32_t level, std::uint32_t slice, bool zstd) {
  SaveOptions o;
  Diagnostics notes;
  o.level = level, o.slice = slice, o.zstd = zstd, o.notes = &notes;
  {
    const py::gil_scoped_release release;
    unwrap(self.image.save(path, o));
  }
  warn(notes);
}

py::dict describe(const std::string& name) {
  const auto format = describe_format(name);
  if (!format) throw Failure("unknown format '" + name + "'");
  py::dict d;
  constexpr const char* kKinds[] = {"unorm", "snorm", "uint", "sint", "float", "packed", "unused"};
  constexpr const char* kClasses[] = {"float32", "uint32", "int32"};
  d["name"] = std::string(format->name);
  d["element_bytes"] = format->element_bytes;
  d["block"] = py::make_tuple(format->block_width, format->block_height);
  d["numbers"] = kClasses[static_cast<std::size_t>(format->number_class)];
  d["srgb"] = format->srgb;
  d["readable"] = format->readable;
  d["writable"] = format->writable;
  d["sampleable"] = format->sampleable;
  d["renderable"] = format->renderable;
  py::list channels;
  for (const FormatChannel& c : format->channels)
    channels.append(py::make_tuple(std::string(1, c.name), kKinds[static_cast<std::size_t>(c.kind)], c.bits));
  d["channels"] = channels;
  const auto element = buffer_element(*format);
  d["dtype"] = element ? py::object(py::make_tuple(element->letter, element->channels)) : py::object(py::none());
  return d;
}

constexpr const char* kDoc =
    "A texture, storage image or render target with its texels.\n\n"
    "Image(source, *, format=None, type=None, mips=False, srgb=False, bc7=False, array=None, width=None, height=None, "
    "...)\n\n"
    "Parameters\n----------\n"
    "source : str, os.PathLike, bytes, array_like or list of array_like\n"
    "    A file (PNG, KTX2, DDS, EXR, HDR, PFM, JPEG, BMP, TGA, WebP), the bytes of one, or texels: shape (h, w), (h, "
    "w, c), (layers, h, w, c); "
    "of\n"
    "    type '1d' (w, c), of '3d' (depth, h, w, c), of 'cube' (6 * cubes, h, w, c), of 'buffer' (entries, c). A list "
    "has\n"
    "    one array for each level. Contiguous, writable arrays of the format's own dtype are not copied: the image "
    "and\n"
    "    the array name the same memory.\n"
    "format : str, optional\n"
    "    Intel's or Vulkan's name. Default by dtype and channels: uint8 and uint16 UNORM, int8 and int16 SNORM, "
    "float16\n"
    "    and float32 FLOAT, uint32 UINT, int32 SINT. With another format than the dtype's, texels are encoded (a "
    "copy);\n"
    "    of block formats `source` has the blocks' bytes, and `width` and `height` say how many texels.\n"
    "type : {'1d', '2d', '3d', 'cube', 'buffer'}, optional\n"
    "mips : bool\n    Make all levels from level 0.\n"
    "srgb : bool\n    8 bit channels are sRGB.\n"
    "bc7 : bool\n    A KTX2 file of UASTC becomes BC7 blocks, not RGBA8.\n"
    "array : bool, optional\n    An array also where it has one layer.\n\n"
    "np.asarray(image) is level 0 without a copy where the format's channels are whole numbers side by side, in the "
    "order\n"
    "of memory; of other formats it is decode().\n\n"
    "Raises\n------\nError\n    usage-argument, limit-surface, file-open ...\nTypeError\n    Arrays of other dtypes.";

}  // namespace

PyImage* image_of(PyObject* object) {
  if (Py_TYPE(object) != image_type) return nullptr;
  return static_cast<PyImage*>(reinterpret_cast<py::detail::instance*>(object)->get_value_and_holder().value_ptr());
}

void add_images(py::module_& module) {
  auto type =
      py::class_<PyImage>(module, "Image", kDoc, py::is_final(), py::custom_type_setup([](PyHeapTypeObject* heap) {
                            construct_by_new<PyImage, make>(heap);
                            heap->as_buffer.bf_getbuffer = get_buffer;
                            heap->as_buffer.bf_releasebuffer = release_buffer;
                            heap->ht_type.tp_as_buffer = &heap->as_buffer;
                          }));
  image_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.def_static(
          "empty", [](const py::kwargs& options) { return PyImage(unwrap(Image::create(options_of(options)))); },
          "Zeros: empty(width=, height=, depth=, layers=, levels=, samples=, format='R8G8B8A8_UNORM', type='2d', "
          "array=False).")
      .def_property_readonly("type", [](const PyImage& i) { return std::string(to_string(i.image.type())); })
      .def_property_readonly(
          "format", [](const PyImage& i) { return std::string(i.image.format()); }, "str: Intel's name")
      .def_property_readonly(
          "width", [](const PyImage& i) { return i.image.width(); }, "int: texels of level 0")
      .def_property_readonly("height", [](const PyImage& i) { return i.image.height(); })
      .def_property_readonly("depth", [](const PyImage& i) { return i.image.depth(); })
      .def_property_readonly(
          "layers", [](const PyImage& i) { return i.image.layers(); }, "int: array layers; cubes: number of cubes")
      .def_property_readonly("levels", [](const PyImage& i) { return i.image.levels(); })
      .def_property_readonly("samples", [](const PyImage& i) { return i.image.samples(); })
      .def_property_readonly("is_array", [](const PyImage& i) { return i.image.is_array(); })
      .def_property_readonly(
          "dtype",
          [](const PyImage& i) {
            constexpr const char* kClasses[] = {"float32", "uint32", "int32"};
            return py::module_::import("numpy").attr("dtype")(
                kClasses[static_cast<std::size_t>(i.image.number_class())]);
          },
          "numpy.dtype: of decoded texels and of the results of operations")
      .def_property_readonly(
          "shape", [](const PyImage& i) { return py::tuple(py::cast(array_shape(i.image, 0))); },
          "tuple: of level 0 as an array, without the channels")
      .def("level_size", &level_size, py::arg("level"), "(width, height, depth) of a level in texels.")
      .def("decode", &decode, py::arg("level") = 0,
           "Texels of a level as numbers: R, G, B, A by the last axis, sRGB decoded to linear. Any of the formats.\n\n"
           "Returns\n-------\nndarray, shape `shape` + (4,), float32, uint32 or int32")
      .def("_encode", &encode, py::arg("level"), py::arg("words"))
      .def("view", &view, py::kw_only(), py::arg("format") = py::none(), py::arg("level") = py::none(),
           py::arg("levels") = 0, py::arg("layers") = py::none(), py::arg("swizzle") = "",
           "The same texels by another format of that size, from `level` on (`levels` of them; 0: all), of `layers`\n"
           "(one, or (first, end)), with channels exchanged as four letters of R G B A 0 1 say. Nothing is copied.")
      .def(
          "mips",
          [](const PyImage& i) {
            const py::gil_scoped_release release;
            return PyImage(unwrap(i.image.with_mips()));
          },
          "A copy with all levels, made from level 0 by a box filter in linear light.")
      .def(
          "copy", [](const PyImage& i) { return PyImage(i.image.copy()); }, "An image of its own with the same texels.")
      .def(
          "save",
          [](const PyImage& i, const py::object& path, std::uint32_t level, std::uint32_t slice, bool zstd) {
            save(i, py::module_::import("os").attr("fspath")(path).cast<std::string>(), level, slice, zstd);
          },
          py::arg("path"), py::kw_only(), py::arg("level") = 0, py::arg("slice") = 0, py::arg("zstd") = false,
          "Writes a file: .png .ktx2 .exr .pfm. `level` and `slice` choose the picture; `zstd` compresses KTX2.")
      .def("packed", &packed, "bytes: level after level, slice after slice, row after row.")
      .def("_description", [](const PyImage& i) { return description(i.image); })
      .def(
          "__array__",
          [](const py::object& self, const py::object& dtype) {
            const py::module_ numpy = py::module_::import("numpy");
            py::object array;
            const auto& image = self.cast<const PyImage&>();
            const auto format = describe_format(image.image.format());
            if (format && buffer_element(*format) && image.image.level_memory(0))
              array = numpy.attr("asarray")(py::reinterpret_steal<py::object>(PyMemoryView_FromObject(self.ptr())));
            else
              array = decode(image, 0);
            return dtype.is_none() ? array : array.attr("astype")(dtype, py::arg("copy") = false);
          },
          py::arg("dtype") = py::none())
      .def("__repr__",
           [](const PyImage& i) {
             const Image& image = i.image;
             std::string text = "<heddle.Image " + std::string(to_string(image.type())) + " " +
                                std::string(image.format()) + " " + std::to_string(image.width());
             if (image.type() != ImageType::Dim1 && image.type() != ImageType::Buffer)
               text += "x" + std::to_string(image.height());
             if (image.type() == ImageType::Dim3) text += "x" + std::to_string(image.depth());
             if (image.is_array()) text += ", " + std::to_string(image.layers()) + " layers";
             if (image.levels() > 1) text += ", " + std::to_string(image.levels()) + " levels";
             if (image.samples() > 1) text += ", " + std::to_string(image.samples()) + " samples";
             return text + ">";
           })
      .def(
          "_repr_png_",
          [](const py::object& self) { return py::module_::import("heddle.notebook").attr("image_png")(self); },
          "bytes: a picture for notebooks, level 0.")
      .def("__reduce__",
           [](const py::object& self) {
             const auto& i = self.cast<const PyImage&>();
             return py::make_tuple(py::module_::import("heddle._arrays").attr("unpacked"),
                                   py::make_tuple(description(i.image), packed(i)));
           })
      .def_static("_unpacked", &unpacked);
  module.def(
      "formats",
      [] {
        std::vector<std::string> names;
        for (const std::string_view name : format_names()) names.emplace_back(name);
        return names;
      },
      "Names of all formats, Intel's.");
  module.def(
      "describe_format", &describe, py::arg("name"),
      "What a format is: a dict with name, element_bytes, block, numbers (dtype of decoded texels), srgb, readable,\n"
      "writable, sampleable, renderable, channels (name, kind, bits), dtype ((letter, channels) or None).");
}

}  // namespace heddle::python
