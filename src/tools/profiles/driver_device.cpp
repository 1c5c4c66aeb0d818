// SPDX-License-Identifier: MIT
#include "tools/profiles/driver_device.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <set>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "vulkan/generated/names.hpp"

namespace heddle::tools {
namespace {

using GetProcedure = PFN_vkVoidFunction (*)(VkInstance, const char*);
using Negotiate = VkResult (*)(std::uint32_t*);

/// The newest interface between loaders and drivers that this program speaks.
constexpr std::uint32_t kInterface = 5;

base::Diagnostic broken(std::string message) { return base::error("vulkan-driver", std::move(message)); }

/// The library that a manifest names, a path from the manifest's folder.
base::Result<std::string> library_of(const std::string& manifest) {
  const auto text = base::read_text(manifest);
  if (!text.ok()) return text.failure();
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object() || !json.contains("ICD") || !json["ICD"].contains("library_path") ||
      !json["ICD"]["library_path"].is_string())
    return broken(fmt::format("{} names no driver", manifest));
  const std::string path = json["ICD"]["library_path"];
  return (std::filesystem::path(manifest).parent_path() / path).string();
}

/// A structure of vkGetPhysicalDeviceFeatures2 or -Properties2, filled.
struct Answer {
  std::vector<std::uint64_t> memory;
  explicit Answer(const registry::Member& member) : memory(member.size / 8 + 1) {
    auto* head = reinterpret_cast<VkBaseOutStructure*>(memory.data());
    head->sType = member.structure;
  }
  [[nodiscard]] const std::byte* element(const registry::Member& member, std::size_t index) const {
    const std::size_t size = member.kind == registry::Kind::Unsigned64 ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
    return reinterpret_cast<const std::byte*>(memory.data()) + member.offset + index * size;
  }
  template <typename T>
  [[nodiscard]] T read(const registry::Member& member, std::size_t index) const {
    T value;
    std::memcpy(&value, element(member, index), sizeof value);
    return value;
  }
  [[nodiscard]] double number(const registry::Member& member, std::size_t index) const {
    switch (member.kind) {
      case registry::Kind::Unsigned32:
        return read<std::uint32_t>(member, index);
      case registry::Kind::Signed32:
        return read<std::int32_t>(member, index);
      case registry::Kind::Unsigned64:
        return static_cast<double>(read<std::uint64_t>(member, index));
      case registry::Kind::Float32:
        return read<float>(member, index);
    }
    return 0;
  }
};

template <std::size_t N>
std::optional<std::uint64_t> find_value(const registry::Value (&values)[N], std::string_view name) {
  for (const registry::Value& each : values)
    if (each.name == name) return each.value;
  return std::nullopt;
}

}  // namespace

struct DriverDevice::Inside {
  GetProcedure get = nullptr;
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice device = VK_NULL_HANDLE;
  std::set<std::string, std::less<>> extensions;

  template <typename Function>
  Function procedure(const char* name) const {
    return reinterpret_cast<Function>(get(instance, name));
  }

  [[nodiscard]] base::Result<base::Done> open(const std::string& path);
  [[nodiscard]] bool make_instance();
  void collect_extensions();

  [[nodiscard]] Answer ask(const registry::Member& member, bool is_feature) const {
    Answer answer(member);
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, answer.memory.data(), {}};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, answer.memory.data(), {}};
    void* whole = is_feature ? static_cast<void*>(&features) : &properties;
    const VkStructureType own = is_feature ? features.sType : properties.sType;
    if (member.structure == own) whole = answer.memory.data();
    if (is_feature)
      procedure<PFN_vkGetPhysicalDeviceFeatures2>("vkGetPhysicalDeviceFeatures2")(
          device, static_cast<VkPhysicalDeviceFeatures2*>(whole));
    else
      procedure<PFN_vkGetPhysicalDeviceProperties2>("vkGetPhysicalDeviceProperties2")(
          device, static_cast<VkPhysicalDeviceProperties2*>(whole));
    return answer;
  }

  /// Calls `see` for each structure that has the limit; whether there is one.
  template <typename See>
  bool each_limit(std::string_view name, See see) const {
    bool found = false;
    for (const registry::Member& member : registry::kLimits) {
      if (name != member.name) continue;
      found = true;
      see(member, ask(member, false));
    }
    return found;
  }
};

base::Result<base::Done> DriverDevice::Inside::open(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // never closed: its threads and statics stay
  if (library == nullptr) return broken(fmt::format("the driver cannot be loaded: {}", dlerror()));
  get = reinterpret_cast<GetProcedure>(dlsym(library, "vk_icdGetInstanceProcAddr"));
  const auto negotiate = reinterpret_cast<Negotiate>(dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion"));
  std::uint32_t interface = kInterface;
  if (get == nullptr || negotiate == nullptr || negotiate(&interface) != VK_SUCCESS || !make_instance())
    return broken(fmt::format("{} gives no device", path));
  collect_extensions();
  return base::Done{};
}

bool DriverDevice::Inside::make_instance() {
  const VkApplicationInfo application{
      VK_STRUCTURE_TYPE_APPLICATION_INFO, nullptr, "heddle", 0, nullptr, 0, VK_API_VERSION_1_4};
  const VkInstanceCreateInfo info{
      VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, nullptr, 0, &application, 0, nullptr, 0, nullptr};
  if (procedure<PFN_vkCreateInstance>("vkCreateInstance")(&info, nullptr, &instance) != VK_SUCCESS) return false;
  std::uint32_t count = 1;
  procedure<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices")(instance, &count, &device);
  return count == 1;
}

void DriverDevice::Inside::collect_extensions() {
  const auto of_device = procedure<PFN_vkEnumerateDeviceExtensionProperties>("vkEnumerateDeviceExtensionProperties");
  const auto of_instance = reinterpret_cast<PFN_vkEnumerateInstanceExtensionProperties>(
      get(VK_NULL_HANDLE, "vkEnumerateInstanceExtensionProperties"));
  std::uint32_t count = 0;
  of_device(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> list(count);
  of_device(device, nullptr, &count, list.data());
  for (const VkExtensionProperties& each : list) extensions.insert(each.extensionName);
  of_instance(nullptr, &count, nullptr);
  list.resize(count);
  of_instance(nullptr, &count, list.data());
  for (const VkExtensionProperties& each : list) extensions.insert(each.extensionName);
}

DriverDevice::DriverDevice(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}

DriverDevice::~DriverDevice() {
  if (inside_->instance != VK_NULL_HANDLE)
    inside_->procedure<PFN_vkDestroyInstance>("vkDestroyInstance")(inside_->instance, nullptr);
}

base::Result<std::unique_ptr<DriverDevice>> DriverDevice::open(const std::string& manifest) {
  const auto library = library_of(manifest);
  if (!library.ok()) return library.failure();
  std::unique_ptr<DriverDevice> device(new DriverDevice(std::make_unique<Inside>()));
  if (const auto opened = device->inside_->open(*library); !opened.ok()) return opened.failure();
  return device;
}

std::uint32_t DriverDevice::version() const {
  VkPhysicalDeviceProperties properties;
  inside_->procedure<PFN_vkGetPhysicalDeviceProperties>("vkGetPhysicalDeviceProperties")(inside_->device, &properties);
  return properties.apiVersion;
}

std::optional<bool> DriverDevice::extension(std::string_view name) const {
  for (const char* each : registry::kExtensions)
    if (name == each) return inside_->extensions.contains(name);
  return std::nullopt;
}

std::optional<bool> DriverDevice::feature(std::string_view name) const {
  std::optional<bool> found;
  for (const registry::Member& member : registry::kFeatures)
    if (name == member.name)
      found = found.value_or(false) || inside_->ask(member, true).read<VkBool32>(member, 0) == VK_TRUE;
  return found;
}

std::optional<std::vector<double>> DriverDevice::limit(std::string_view name) const {
  // Structures of versions repeat those of extensions; one that the driver passes over stays zero.
  std::vector<double> best;
  const bool found = inside_->each_limit(name, [&](const registry::Member& member, const Answer& answer) {
    std::vector<double> numbers;
    for (std::size_t i = 0; i < member.count; ++i) numbers.push_back(answer.number(member, i));
    if (best.empty() || best < numbers) best = numbers;
  });
  return found ? std::optional(best) : std::nullopt;
}

std::optional<std::uint64_t> DriverDevice::limit_bits(std::string_view name) const {
  std::uint64_t bits = 0;
  const bool found = inside_->each_limit(name, [&](const registry::Member& member, const Answer& answer) {
    bits |= member.kind == registry::Kind::Unsigned64 ? answer.read<std::uint64_t>(member, 0)
                                                      : answer.read<std::uint32_t>(member, 0);
  });
  return found ? std::optional(bits) : std::nullopt;
}

std::optional<std::uint64_t> DriverDevice::value(std::string_view name) { return find_value(registry::kValues, name); }

std::optional<std::uint64_t> DriverDevice::format_feature(std::string_view name) {
  for (const char* begin : {"VK_FORMAT_FEATURE_2_", "VK_FORMAT_FEATURE_"})
    for (const char* end : {"_BIT", "_BIT_KHR", "_BIT_EXT"})
      if (const auto bit = find_value(registry::kFormatFeatures, fmt::format("{}{}{}", begin, name, end))) return bit;
  return std::nullopt;
}

std::optional<std::uint64_t> DriverDevice::format(std::string_view name, std::string_view tiling) const {
  const auto format = find_value(registry::kFormats, name);
  if (!format) return std::nullopt;
  VkFormatProperties3 newer{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3, nullptr, 0, 0, 0};
  VkFormatProperties2 properties{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, &newer, {}};
  inside_->procedure<PFN_vkGetPhysicalDeviceFormatProperties2>("vkGetPhysicalDeviceFormatProperties2")(
      inside_->device, static_cast<VkFormat>(*format), &properties);
  if (tiling == "optimal") return newer.optimalTilingFeatures;
  if (tiling == "linear") return newer.linearTilingFeatures;
  return tiling == "buffer" ? std::optional<std::uint64_t>(newer.bufferFeatures) : std::nullopt;
}

bool DriverDevice::has_queue(std::uint64_t flags) const {
  const auto families =
      inside_->procedure<PFN_vkGetPhysicalDeviceQueueFamilyProperties>("vkGetPhysicalDeviceQueueFamilyProperties");
  std::uint32_t count = 0;
  families(inside_->device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> list(count);
  families(inside_->device, &count, list.data());
  for (const VkQueueFamilyProperties& family : list)
    if ((family.queueFlags & flags) == flags) return true;
  return false;
}

std::vector<std::string_view> DriverDevice::known_names() {
  std::vector<std::string_view> names(std::begin(registry::kExtensions), std::end(registry::kExtensions));
  for (const registry::Member& member : registry::kFeatures) names.emplace_back(member.name);
  for (const registry::Member& member : registry::kLimits) names.emplace_back(member.name);
  return names;
}

}  // namespace heddle::tools
