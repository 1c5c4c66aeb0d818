// Where Vulkan's headers and loader were not installed at build time.
#include "lavapipe_side.hpp"

namespace heddle::bench {

struct Lavapipe::State {};
std::string lavapipe_name(std::string& why) { return why = "built without Vulkan (libvulkan-dev)", std::string{}; }
Lavapipe::Lavapipe(const Case&, std::vector<std::uint32_t>) {}
Lavapipe::~Lavapipe() = default;
double Lavapipe::run() { return -1; }
double Lavapipe::first_run() { return -1; }

}  // namespace heddle::bench
