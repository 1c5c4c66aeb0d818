// SPDX-License-Identifier: MIT
#pragma once
// Running programs: images, buffers, samplers and values are bound by name or by number; then a grid of work items or
// the pixels of render targets are run.

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "heddle/image.hpp"
#include "heddle/program.hpp"
#include "heddle/render_target.hpp"
#include "heddle/sampler.hpp"

namespace heddle {

class Trace;

/// Bytes that a program reads and writes. A handle: copies name the same bytes.
class Buffer {
 public:
  /// `bytes` zeros. A run counts them against Limits::memory_bytes.
  explicit Buffer(std::size_t bytes = 0);
  /// The elements' bytes, copied: Buffer::of<float>({1, 2, 3}).
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  static Buffer of(const std::vector<T>& elements) {
    Buffer buffer(elements.size() * sizeof(T));
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(elements.data());
    std::copy(bytes, bytes + buffer.bytes().size(), buffer.bytes().begin());
    return buffer;
  }
  /// The bytes themselves, lowest address first; valid as long as a copy of the buffer lives.
  [[nodiscard]] std::span<std::uint8_t> bytes() const { return *bytes_; }
  /// They as elements; a rest of bytes is left out.
  template <typename T>
    requires std::is_trivially_copyable_v<T>
  [[nodiscard]] std::vector<T> as() const {
    std::vector<T> elements(bytes_->size() / sizeof(T));
    auto* to = reinterpret_cast<std::uint8_t*>(elements.data());
    std::copy(bytes_->begin(), bytes_->begin() + static_cast<std::ptrdiff_t>(elements.size() * sizeof(T)), to);
    return elements;
  }
  [[nodiscard]] const std::shared_ptr<std::vector<std::uint8_t>>& memory() const { return bytes_; }

 private:
  std::shared_ptr<std::vector<std::uint8_t>> bytes_;
};

/// Reference: interprets, checks everything, observes. Fast: compiled for this processor; checks nothing. Both give the
/// same bits. Automatic: Fast, where it is there and nothing observes or checks.
enum class Engine : std::uint8_t { Automatic, Reference, Fast };
/// What happens when the program reads what was never written, leaves a surface, races: nothing, a warning, an error
/// that ends the run.
enum class Check : std::uint8_t { Off, Warn, Error };

/// Ends runs before their time. A handle: copies mean the same.
class Cancellation {
 public:
  Cancellation();
  /// Runs that have it fail soon, with id run-canceled, until reset(). From any thread, also from a signal handler.
  void cancel() const noexcept;
  void reset() const noexcept;
  struct Impl;  ///< of the library
  [[nodiscard]] const std::shared_ptr<Impl>& impl() const { return impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

struct RunOptions {
  std::string entry;             ///< kernel; empty: the only one
  std::string platform = "SKL";  ///< sets registers and rules
  Engine engine = Engine::Automatic;
  std::optional<Check> check;            ///< given as Warn or Error, it chooses the reference engine; else Warn there
  std::optional<unsigned> simd;          ///< lanes of a thread, where the kernel does not say: 8, 16 or 32
  unsigned threads = 0;                  ///< of this computer; 0: all cores
  std::string zeinfo;                    ///< path of the OpenCL compiler's description of the kernel, or empty
  std::function<void(double)> progress;  ///< called with the part done, 0 to 1, from one thread at a time
  std::optional<Cancellation> cancellation;
  Trace* trace = nullptr;  ///< observes the run, see heddle/trace.hpp; chooses the reference engine
  Limits limits;
};

struct RunReport {
  std::string kernel, platform;
  Engine engine = Engine::Reference;  ///< that ran: Reference or Fast
  std::string why_reference;          ///< what kept the fast engine from running although nothing asked for the other
  unsigned simd = 0;                  ///< lanes of a thread
  std::uint64_t groups = 0;           ///< thread groups; of a drawing, triangles that may be seen
  std::uint64_t threads = 0, instructions = 0;               ///< hardware threads, instructions executed by them
  std::optional<std::uint64_t> texels_read, texels_written;  ///< the reference engine counts them
  double compile_seconds = 0, run_seconds = 0;
  std::map<std::string, std::uint64_t> findings;  ///< how often each check's id was found
  Diagnostics diagnostics;                        ///< warnings and notes
};

/// Value of an input: an attribute of the geometry ("uv.x", "uv.y" of the rectangle: 0 to 1 from the upper left corner;
/// "position.z", "front" ...), or numbers: the components, the same everywhere, or at the corners (0,0), (width,0) and
/// (0,height).
struct PixelInput {
  PixelInput(std::string name) : attribute(std::move(name)) {}                              // NOLINT
  PixelInput(const char* name) : attribute(name) {}                                         // NOLINT
  PixelInput(std::vector<double> everywhere) { corners.push_back(std::move(everywhere)); }  // NOLINT
  PixelInput(std::vector<double> upper_left, std::vector<double> upper_right, std::vector<double> lower_left)
      : corners{std::move(upper_left), std::move(upper_right), std::move(lower_left)} {}
  std::string attribute;
  std::vector<std::vector<double>> corners;
};

/// A vISA variable by its number: T6 for images and buffers, S6 for samplers.
struct Slot {
  std::uint32_t number = 0;
};
/// A shader's variable by descriptor set and binding, `element` of an array.
struct Descriptor {
  std::uint32_t set = 0, binding = 0;
  std::optional<std::uint32_t> element;
};
/// Argument of an OpenCL kernel by its index. Of other vISA kernels: the input with that number (values), or the
/// binding-table or sampler index (images, buffers, samplers), for programs that compute an index or send raw messages.
struct Argument {
  std::uint32_t index = 0;
};

/// What of a program is bound: by name, or by number. Names: those of the program's own variables (T6, S0, V34, a
/// variable's name), a kernel's arguments, a shader's variables; elements of arrays "tex[2]". docs/job-file.md has all
/// of them.
class Key {
 public:
  Key() = default;
  Key(std::string name) : name_(std::move(name)) {}                    // NOLINT: a name is a key
  Key(const char* name) : name_(name) {}                               // NOLINT
  Key(Slot slot) : name_(std::to_string(slot.number)), slot_(true) {}  // NOLINT
  Key(const Descriptor& descriptor);                                   // NOLINT
  Key(Argument argument) : name_(std::to_string(argument.index)) {}    // NOLINT
  [[nodiscard]] bool empty() const { return name_.empty(); }
  /// The name it stands for; `variable`: the letter of a Slot, T or S.
  [[nodiscard]] std::string name(char variable = 'T') const { return slot_ ? variable + name_ : name_; }

 private:
  std::string name_;
  bool slot_ = false;
};

enum class Cull : std::uint8_t { None, Back, Front };
enum class Topology : std::uint8_t {
  TriangleList,
  TriangleStrip,
  TriangleFan,
  PointList,
  LineList,
  LineStrip,
  LineListAdjacency,
  LineStripAdjacency,
  TriangleListAdjacency,
  TriangleStripAdjacency
};

/// What draw() covers: a rectangle over all pixels, a mesh, or what a vertex shader makes of a number of vertices.
/// Conventions are Vulkan's: y down, 0 <= z <= w.
struct Drawing {
  std::vector<Key> targets;                          ///< bound images, in order of the color targets
  Key depth, stencil;                                ///< bound images, or empty
  std::optional<OutputState> output;                 ///< depth and stencil tests, blending; default: colors are stored
  std::optional<std::array<std::uint32_t, 2>> size;  ///< pixels; default: the first target's
  std::optional<std::uint32_t> samples;              ///< of a pixel; default: the first target's
  bool per_sample = false;                           ///< one thread lane for each sample
  std::map<std::string, PixelInput> inputs;          ///< by the shader's names, or "in.LOCATION"

  std::string mesh;                               ///< path of an .obj, .gltf, .glb or .json mesh; empty: the rectangle
  Cull cull = Cull::None;                         ///< triangles that are left out
  bool front_ccw = true;                          ///< which triangles are front faces
  std::optional<std::array<double, 6>> viewport;  ///< x, y, width, height, least and greatest depth
  std::optional<std::array<std::int32_t, 4>> scissor;  ///< x, y, width, height

  std::optional<Program> vertex;          ///< a compiled vertex shader; its vertices are the mesh's, or `vertices`
  std::string vertex_entry;               ///< where the program has several
  std::optional<std::uint32_t> vertices;  ///< without a mesh: how many; their numbers are all that the shader gets
  std::uint32_t instances = 1;
  Topology topology = Topology::TriangleList;       ///< of `vertices`, where no tessellation takes them as patches
  std::map<std::string, PixelInput> vertex_inputs;  ///< attributes of the mesh, or values that are the same everywhere

  /// Compiled tessellation shaders behind the vertex shader: both or none. Each is the program's only one.
  std::optional<Program> tessellation_control, tessellation_evaluation;
  std::uint32_t patch_vertices = 3;  ///< of a patch, 1 to 32; of the triangles of a mesh 3

  std::optional<Program> geometry;  ///< a compiled geometry shader between the vertex shader and the pixels
  std::string geometry_entry;       ///< where the program has several

  /// A compiled mesh shader in place of all stages of vertices, and a task shader before it. Each is the program's only
  /// one.
  std::optional<Program> task_shader, mesh_shader;
  std::vector<std::uint32_t> groups;  ///< of the first of the two: 1 to 3 numbers, at most 65535 each, 2^22 in all
};

/// A program with what it is bound to. Images and buffers are written in place. One Run may run many times, one at a
/// time: its first dispatch compiles and binds, and the next ones, as long as nothing else is bound or set, only run.
class Run {
 public:
  explicit Run(Program program, RunOptions options = {});

  // Each gives this object back. What was bound before is bound anew.
  Run& bind(const Key& key, const Image& image);
  Run& bind(const Key& key, const Buffer& buffer);
  Run& bind(const Key& key, const Sampler& sampler);
  /// A value, converted to the type that the program declares: integer, boolean or floating point.
  template <typename T>
    requires std::integral<T> || std::floating_point<T>
  Run& set(const Key& key, T value) {
    if constexpr (std::integral<T>)
      return set_integers(key, {static_cast<std::int64_t>(value)}, false);
    else
      return set_reals(key, {static_cast<double>(value)}, false);
  }
  /// A vector, component by component.
  template <typename T>
    requires std::integral<T> || std::floating_point<T>
  Run& set(const Key& key, const std::vector<T>& values) {
    if constexpr (std::integral<T>)
      return set_integers(key, {values.begin(), values.end()}, true);
    else
      return set_reals(key, {values.begin(), values.end()}, true);
  }
  /// The bytes of a value: structs, blocks, push constants.
  Run& set_bytes(const Key& key, std::span<const std::uint8_t> bytes);
  /// A value in the words of job files: members of a block by their names, tables in tables, lists:
  /// "{ scale = 0.5, lights = [{ color = [1, 1, 1], power = 4 }] }". The run reports what is wrong with it.
  Run& set_words(const Key& key, std::string_view value);

  /// Runs work items: `global` items in groups of `local`, each 1 to 3 sizes. `local` empty: what the kernel requires,
  /// else one thread. `offset` is added to global ids. Ids: bind-missing, bind-unknown, bind-type, job-value,
  /// limit-steps, limit-seconds, limit-memory, usage-argument, and those of the rules that the program breaks.
  Result<RunReport> dispatch(const std::vector<std::uint32_t>& global, const std::vector<std::uint32_t>& local = {},
                             const std::vector<std::uint32_t>& offset = {});
  /// Runs thread groups in place of items. Ids: as above.
  Result<RunReport> dispatch_groups(const std::vector<std::uint32_t>& groups,
                                    const std::vector<std::uint32_t>& local = {});
  /// Runs a pixel shader. Ids: as above.
  Result<RunReport> draw(const Drawing& drawing);
  /// What succeeded last, a grid or a drawing, once more: nothing is read, bound or compiled again. Ids: as above;
  /// usage-argument where something was bound or set since, or the run is traced.
  Result<RunReport> again();

  struct Impl;  ///< of the library

 private:
  Run& set_integers(const Key& key, const std::vector<std::int64_t>& values, bool is_vector);
  Run& set_reals(const Key& key, const std::vector<double>& values, bool is_vector);
  std::shared_ptr<Impl> impl_;
};

}  // namespace heddle
