// Where OpenCL's headers and loader were not installed at build time.
#include "peers/opencl/pocl.hpp"

namespace heddle::peers {

std::string with_halves(std::string source) { return source; }
bool have_pocl() { return false; }
std::optional<std::vector<std::vector<std::uint8_t>>> run_pocl(const std::string&, const std::string&, const Launch&,
                                                               std::string&, PoclTiming*) {
  return std::nullopt;
}

}  // namespace heddle::peers
