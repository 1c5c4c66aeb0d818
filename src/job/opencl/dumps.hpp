// SPDX-License-Identifier: MIT
#pragma once
// What Intel's OpenCL compiler dumps beside its binary: the vISA text of each kernel, functions in files of their own
// (KERNEL_f0.visaasm), the binary itself (.progbin), the command line (_cmd.txt).

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/limits.hpp"
#include "base/result.hpp"

namespace heddle::job {

struct KernelDump {
  std::string kernel;
  std::string file;                    ///< its vISA text
  std::vector<std::string> functions;  ///< files of the functions that it may call
  std::string binary;                  ///< zebin of the same compilation; empty: there is none
  std::string platform;                ///< "SKL"; empty: nothing says it
  std::uint32_t simd = 0;              ///< as the text says; 0: it does not
};

/// One file of a text that was put together of several.
struct TextPart {
  std::uint32_t first_line = 1;  ///< in the whole text
  std::string file;
  std::shared_ptr<const std::string> text;
};
/// A kernel's text with that of its functions behind it: the lines of the kernel's file keep their numbers.
struct DumpText {
  std::string text;
  std::vector<TextPart> parts;
};

/// The file and line that a line of the whole text comes from. Places in other files stay as they are.
void place_in_part(base::Place& place, const std::string& whole, const std::vector<TextPart>& parts);

/// Whether a path means dumps: a folder, a zebin, or the text of one kernel that lies beside its binary or functions.
[[nodiscard]] bool means_dumps(const std::string& path, const base::Limits& limits);

/// Every kernel whose dump is found: in a folder; of a zebin, in the folder beside it that holds the same binary; or
/// the one of a text. Ids: dump-missing, zebin-invalid, file-*, limit-input.
[[nodiscard]] base::Result<std::vector<KernelDump>> find_dumps(const std::string& path, const base::Limits& limits);

/// The kernel of that name; without a name the only one. Ids: dump-missing, dump-kernels.
[[nodiscard]] base::Result<KernelDump> choose_dump(const std::vector<KernelDump>& all, const std::string& name,
                                                   const std::string& path);

/// Reads a kernel with the functions that its calls reach. Ids: dump-missing, file-*, limit-input.
[[nodiscard]] base::Result<DumpText> read_dump(const KernelDump& dump, const base::Limits& limits);

/// The platform of a number of Intel's product families, as binaries and command lines name them; empty: unknown.
[[nodiscard]] std::string_view platform_of_product(std::uint32_t family);

}  // namespace heddle::job
