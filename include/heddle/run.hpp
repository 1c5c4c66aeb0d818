#pragma once
// Running programs: images, buffers, samplers and values are bound by the program's names; then a grid of work items or
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

struct RunOptions {
  std::string entry;             ///< kernel; empty: the only one
  std::string platform = "SKL";  ///< sets registers and rules
  Engine engine = Engine::Automatic;
  std::optional<Check> check;            ///< given as Warn or Error, it chooses the reference engine; else Warn there
  std::optional<unsigned> simd;          ///< lanes of a thread, where the kernel does not say: 8, 16 or 32
  unsigned threads = 0;                  ///< of this computer; 0: all cores
  std::string zeinfo;                    ///< path of the OpenCL compiler's description of the kernel, or empty
  std::function<void(double)> progress;  ///< called with the part done, 0 to 1, from one thread at a time
  Trace* trace = nullptr;                ///< observes the run, see heddle/trace.hpp; chooses the reference engine
  Limits limits;
};

struct RunReport {
  std::string kernel, platform;
  Engine engine = Engine::Reference;  ///< that ran: Reference or Fast
  std::string why_reference;          ///< what kept the fast engine from running although nothing asked for the other
  unsigned simd = 0;                  ///< lanes of a thread
  std::uint64_t groups = 0;           ///< thread groups; of a drawing, triangles
  std::uint64_t threads = 0, instructions = 0;               ///< hardware threads, instructions executed by them
  std::optional<std::uint64_t> texels_read, texels_written;  ///< the reference engine counts them
  double compile_seconds = 0, run_seconds = 0;
  std::map<std::string, std::uint64_t> findings;  ///< how often each check's id was found
  Diagnostics diagnostics;                        ///< warnings and notes
};

/// Value of a pixel input: an attribute of the full-screen rectangle ("uv.x", "uv.y": 0 to 1 from the upper left
/// corner), or numbers: the components, the same everywhere, or at the corners (0,0), (width,0) and (0,height).
struct PixelInput {
  PixelInput(std::string attribute) : attribute(std::move(attribute)) {}                    // NOLINT
  PixelInput(const char* attribute) : attribute(attribute) {}                               // NOLINT
  PixelInput(std::vector<double> everywhere) { corners.push_back(std::move(everywhere)); }  // NOLINT
  PixelInput(std::vector<double> upper_left, std::vector<double> upper_right, std::vector<double> lower_left)
      : corners{std::move(upper_left), std::move(upper_right), std::move(lower_left)} {}
  std::string attribute;
  std::vector<std::vector<double>> corners;
};

/// What draw() covers: a rectangle over all pixels, or a mesh.
struct Drawing {
  std::vector<std::string> targets;                  ///< bound images, in order of the colour targets
  std::string depth, stencil;                        ///< bound images, or empty
  std::optional<std::array<std::uint32_t, 2>> size;  ///< pixels; default: the first target's
  std::map<std::string, PixelInput> inputs;          ///< by the shader's names
  std::string mesh;                                  ///< path of an .obj or .json mesh; empty: the rectangle
  std::optional<Program> vertex;                     ///< a compiled vertex shader for the mesh
  bool per_sample = false;                           ///< one thread lane for each sample
};

/// A program with what it is bound to. Names: those of the program's own variables (T6, S0, V34, a variable's name), a
/// kernel's arguments by name or index, a shader's variables by name or "set.binding", elements of arrays "tex[2]".
/// docs/job-file.md has all of them. Images and buffers are written in place. One Run may run many times, one at a
/// time.
class Run {
 public:
  explicit Run(Program program, RunOptions options = {});

  // Each gives this object back. A name bound before is bound anew.
  Run& bind(const std::string& name, const Image& image);
  Run& bind(const std::string& name, const Buffer& buffer);
  Run& bind(const std::string& name, const Sampler& sampler);
  /// A value, converted to the type that the program declares: integer, boolean or floating point.
  template <typename T>
    requires std::integral<T> || std::floating_point<T>
  Run& set(const std::string& name, T value) {
    if constexpr (std::integral<T>)
      return set_integers(name, {static_cast<std::int64_t>(value)}, false);
    else
      return set_reals(name, {static_cast<double>(value)}, false);
  }
  /// A vector, component by component.
  template <typename T>
    requires std::integral<T> || std::floating_point<T>
  Run& set(const std::string& name, const std::vector<T>& values) {
    if constexpr (std::integral<T>)
      return set_integers(name, {values.begin(), values.end()}, true);
    else
      return set_reals(name, {values.begin(), values.end()}, true);
  }
  /// The bytes of a value: structs, blocks, push constants.
  Run& set_bytes(const std::string& name, std::span<const std::uint8_t> bytes);

  /// Runs work items: `global` items in groups of `local`, each 1 to 3 sizes. `local` empty: what the kernel requires,
  /// else one thread. Ids: bind-missing, bind-unknown, bind-type, job-value, limit-steps, limit-seconds, limit-memory,
  /// usage-argument, and those of the rules that the program breaks.
  Result<RunReport> dispatch(const std::vector<std::uint32_t>& global, const std::vector<std::uint32_t>& local = {});
  /// Runs thread groups in place of items. Ids: as above.
  Result<RunReport> dispatch_groups(const std::vector<std::uint32_t>& groups,
                                    const std::vector<std::uint32_t>& local = {});
  /// Runs a pixel shader. Ids: as above.
  Result<RunReport> draw(const Drawing& drawing);

  struct Impl;  ///< of the library

 private:
  Run& set_integers(const std::string& name, const std::vector<std::int64_t>& values, bool is_vector);
  Run& set_reals(const std::string& name, const std::vector<double>& values, bool is_vector);
  std::shared_ptr<Impl> impl_;
};

}  // namespace heddle
