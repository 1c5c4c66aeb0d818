// SPDX-License-Identifier: MIT
#pragma once
// OpenCL kernels run natively by POCL, and the same through `heddle run`'s library.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::peers {

/// One argument of a kernel; what it holds goes to both sides.
struct Argument {
  enum class Kind : std::uint8_t { Value, Buffer, Image, Sampler, Local };
  Kind kind = Kind::Value;
  std::string name;
  std::string type;  ///< element type of buffers and values as in job files: "f32", "u8" ...; images: "unorm8",
                     ///< "uint8", "sint8", "float32", "uint32"
  std::vector<std::uint8_t> bytes;                 ///< initial content; of a local buffer only the size counts
  std::uint32_t width = 0, height = 0, depth = 0;  ///< a depth of 0: two dimensions
  std::uint32_t levels = 1;
  bool output = false;
  bool symbol = false;  ///< a program-scope variable: Heddle is given it, the peer's compiler has it from the source
  // samplers
  bool linear = false, normalized = true;
  std::string address = "clamp_to_edge";
};

struct Launch {
  std::string kernel;  ///< folder of tests/data/opencl, or a source file
  std::vector<std::size_t> global, local;
  std::vector<Argument> arguments;
  std::vector<std::size_t> offset = {};
};

/// What POCL's compiler lacks, added so that it takes the source as it is: halves as clang's _Float16, spelled its way.
std::string with_halves(std::string source);

/// A kernel that POCL has compiled, with buffers and images of its own.
class PoclKernel {
 public:
  /// Where that fails, `why` says so and the object is good for nothing.
  PoclKernel(const std::string& source, const std::string& kernel, const Launch& launch, std::string& why);
  ~PoclKernel();
  PoclKernel(const PoclKernel&) = delete;
  PoclKernel& operator=(const PoclKernel&) = delete;
  /// Runs it over what it left in its buffers: seconds from its enqueueing to its end; 0 where it failed. The first run
  /// compiles.
  double run(std::string& why);
  /// Content of the output arguments, in order; nothing where reading one failed.
  std::optional<std::vector<std::vector<std::uint8_t>>> outputs(std::string& why);

 private:
  std::unique_ptr<struct PoclObjects> objects_;
};

/// Content of the output arguments, in order; nothing with a reason when POCL cannot run it.
std::optional<std::vector<std::vector<std::uint8_t>>> run_pocl(const std::string& source, const std::string& kernel,
                                                               const Launch& launch, std::string& why);
/// True when a POCL device is there.
bool have_pocl();

}  // namespace heddle::peers
