// SPDX-License-Identifier: MIT
// Where OpenCL's headers and loader were not installed at build time.
#include "peers/opencl/pocl.hpp"

namespace heddle::peers {

std::string with_halves(std::string source) { return source; }
bool have_pocl() { return false; }
struct PoclObjects {};
PoclKernel::PoclKernel(const std::string&, const std::string&, const Launch&, std::string& why) {
  why = "not there at build time";
}
PoclKernel::~PoclKernel() = default;
double PoclKernel::run(std::string&) { return 0; }
std::optional<std::vector<std::vector<std::uint8_t>>> PoclKernel::outputs(std::string&) { return std::nullopt; }
std::optional<std::vector<std::vector<std::uint8_t>>> run_pocl(const std::string&, const std::string&, const Launch&,
                                                               std::string&) {
  return std::nullopt;
}

}  // namespace heddle::peers
