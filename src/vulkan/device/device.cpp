// SPDX-License-Identifier: MIT
#include "vulkan/device/device.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/environment/environment.hpp"
#include "vulkan/device/features.hpp"
#include "vulkan/device/object_observer.hpp"
#include "vulkan/device/private_data_slot.hpp"
#include "vulkan/device/properties/limits.hpp"
#include "vulkan/device/properties/settings.hpp"
#include "vulkan/generated/entry_points.hpp"

namespace heddle::vulkan {
namespace {

/// What is wrong with the environment, to the application's messengers, and once in a process to standard error, where
/// who has set it looks.
void tell_environment(Instance& instance) {
  static std::mutex mutex;
  static std::set<std::string> told;
  std::vector<base::Diagnostic> problems = base::environment_problems(base::VariableReader::Driver);
  for (base::Diagnostic& d : base::environment_problems(base::VariableReader::Everything))
    problems.push_back(std::move(d));
  for (const base::Diagnostic& d : problems) {
    const std::string text = fmt::format("{}; {}", d.message, d.notes.front().message);
    (void)instance.report(VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT, d.id.c_str(), text);
    const std::lock_guard guard(mutex);
    if (told.insert(text).second) std::fputs(("heddle: " + text + " [" + d.id + "]\n").c_str(), stderr);
  }
}

/// Whether every feature of the chain is there.
bool all_features(const VkDeviceCreateInfo& info) {
  if (info.pEnabledFeatures != nullptr && !has_features(*info.pEnabledFeatures)) return false;
  for (auto* s = static_cast<const VkBaseInStructure*>(info.pNext); s != nullptr; s = s->pNext) {
    if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2) {
      if (!has_features(reinterpret_cast<const VkPhysicalDeviceFeatures2*>(s)->features)) return false;
    } else if (!has_features(s)) {
      return false;
    }
  }
  return true;
}

bool binds_sparsely(const VkDeviceCreateInfo& info) {
  const auto* all = find_in_chain<VkPhysicalDeviceFeatures2>(info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  return (info.pEnabledFeatures != nullptr && info.pEnabledFeatures->sparseBinding != VK_FALSE) ||
         (all != nullptr && all->features.sparseBinding != VK_FALSE);
}

bool clamps_to_one(const VkDeviceCreateInfo& info) {
  const auto* clamp = find_in_chain<VkPhysicalDeviceDepthClampZeroOneFeaturesKHR>(
      info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLAMP_ZERO_ONE_FEATURES_KHR);
  return clamp != nullptr && clamp->depthClampZeroOne != VK_FALSE;
}

/// Whether the queues may have the priorities that they ask for.
bool may_have_priorities(const VkDeviceCreateInfo& info) {
  for (const VkDeviceQueueCreateInfo& queue : std::span(info.pQueueCreateInfos, info.queueCreateInfoCount))
    if (const auto* priority = find_in_chain<VkDeviceQueueGlobalPriorityCreateInfo>(
            queue.pNext, VK_STRUCTURE_TYPE_DEVICE_QUEUE_GLOBAL_PRIORITY_CREATE_INFO);
        priority != nullptr &&
        std::ranges::find(kGlobalPriorities, priority->globalPriority) == kGlobalPriorities.end())
      return false;
  return true;
}

}  // namespace

Device::Device(PhysicalDevice& from)
    : physical(from),
      queues(make_queues(*this)),
      shader_links(make_shader_links()),
      time_limit(submission_seconds()),
      capture(capture_folder()),
      checks(check_mode() != machine::CheckMode::Off),
      observer(checks           ? make_device_observer(*this)
               : texel_folder() ? make_object_observer()
                                : nullptr),
      traced(traced_invocation()),
      heap_(heap_bytes()) {
  ++physical.instance.devices;
  tell_environment(from.instance);
  if (checks && texel_folder())
    from.instance.error("vulkan-texels",
                        "texels are not counted while shaders are checked: HEDDLE_TEXELS and "
                        "HEDDLE_CHECK are both set");
}
Device::~Device() {
  queues.reset();  // their thread uses the members
  physical.memory_used -= memory_used_;
  --physical.instance.devices;
}

void Device::lose(const std::string& message) {
  physical.instance.error("vulkan-device-lost", message, reinterpret_cast<std::uint64_t>(this), VK_OBJECT_TYPE_DEVICE);
  const std::lock_guard guard(mutex);
  if (loss_.empty()) loss_ = message;
  lost = true;
  changed.notify_all();
}
std::string Device::loss() {
  const std::lock_guard guard(mutex);
  return loss_;
}
bool Device::reports_loss() const { return lost && queue_state.idle(); }

void Device::block_queue(std::string by) {
  queue_state.blocked_by = std::move(by);
  changed.notify_all();
}

bool Device::add_addresses(machine::MemoryRange range) {
  const std::lock_guard guard(descriptors);
  ++descriptor_objects.arrivals;
  return addresses->add(std::move(range));
}
/// Under the lock, as a descriptor that nobody uses may name the memory that goes.
void Device::remove_addresses(std::uint64_t address) {
  const std::lock_guard guard(descriptors);
  ++descriptor_objects.departures;
  (void)addresses->remove(address);
}

bool Device::take_memory(std::uint64_t bytes) {
  // Where many threads allocate, one that compares first would find another number each time.
  const auto fits = [&](std::uint64_t used) { return bytes <= heap_ && used <= heap_ - bytes; };
  if (!fits(memory_used_.load(std::memory_order_relaxed))) return false;
  if (!fits(memory_used_.fetch_add(bytes, std::memory_order_relaxed))) {
    memory_used_.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }
  physical.memory_used += bytes;
  return true;
}
void Device::give_back_memory(std::uint64_t bytes) {
  memory_used_ -= bytes;
  physical.memory_used -= bytes;
}

void Device::name(VkObjectType type, std::uint64_t object, const char* text) {
  const std::lock_guard guard(names_mutex_);
  // Another type is another object: the one that had the handle went without being forgotten.
  if (const auto at = names_.find(object); at != names_.end() && at->second.type != type) names_.erase(at);
  if (text == nullptr || *text == 0)
    names_.erase(object);
  else if (const auto [at, added] = names_.try_emplace(object, NamedObject{type, object, text, named_}); added)
    ++named_, remembers_ = true;
  else
    at->second.name = text;
  if (auto* const objects = dynamic_cast<ObjectObserver*>(observer.get()); objects != nullptr && text != nullptr)
    objects->object_named(object, text);
}
std::string Device::name_of(std::uint64_t object) {
  const std::lock_guard guard(names_mutex_);
  const auto found = names_.find(object);
  return found == names_.end() ? std::string() : found->second.name;
}
void Device::visit_named(const std::string& name, const std::function<void(const NamedObject&)>& visit) {
  const std::lock_guard guard(names_mutex_);
  std::vector<const NamedObject*> found;
  for (const auto& [handle, object] : names_)
    if (object.name == name) found.push_back(&object);
  std::ranges::sort(found, {}, &NamedObject::number);
  for (const NamedObject* object : found) visit(*object);
}
void Device::forget_names(const std::function<bool(const NamedObject&)>& whose) {
  const std::lock_guard guard(names_mutex_);
  std::erase_if(names_, [&](const auto& entry) { return whose(entry.second); });
}

void Device::add(PrivateDataSlot* slot) {
  const std::lock_guard guard(names_mutex_);
  slots_.insert(slot);
  remembers_ = true;
}
void Device::remove(PrivateDataSlot* slot) {
  const std::lock_guard guard(names_mutex_);
  slots_.erase(slot);
}
void Device::set_data(PrivateDataSlot& slot, std::uint64_t object, std::uint64_t value) {
  const std::lock_guard guard(names_mutex_);
  slot.values[object] = value;
}
std::uint64_t Device::data_of(const PrivateDataSlot& slot, std::uint64_t object) {
  const std::lock_guard guard(names_mutex_);
  const auto found = slot.values.find(object);
  return found == slot.values.end() ? 0 : found->second;
}
void Device::forget(std::uint64_t object) {
  if (!remembers_) return;
  const std::lock_guard guard(names_mutex_);
  names_.erase(object);
  for (PrivateDataSlot* slot : slots_) slot->values.erase(object);
}

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physicalDevice, const VkDeviceCreateInfo* pCreateInfo,
                                            const VkAllocationCallbacks*, VkDevice* pDevice) {
  return guarded([&] {
    ExtensionSet enabled;
    if (!add_extensions(device_extensions(), {pCreateInfo->ppEnabledExtensionNames, pCreateInfo->enabledExtensionCount},
                        enabled))
      return VK_ERROR_EXTENSION_NOT_PRESENT;
    if (!all_features(*pCreateInfo)) return VK_ERROR_FEATURE_NOT_PRESENT;
    if (!may_have_priorities(*pCreateInfo)) return VK_ERROR_NOT_PERMITTED;
    PhysicalDevice& physical = *from_handle(physicalDevice);
    auto device = std::make_unique<Device>(physical);
    device->enabled = enabled | physical.instance.enabled;
    device->shares_pages = binds_sparsely(*pCreateInfo);
    device->clamps_depths = clamps_to_one(*pCreateInfo);
    device->clamps_float_depths =
        device->clamps_depths &&
        !device->enabled.test(static_cast<std::size_t>(Extension::EXT_depth_range_unrestricted));
    device->stores_descriptors = device->enabled.test(static_cast<std::size_t>(Extension::EXT_descriptor_buffer));
    *pDevice = to_handle(device.release());
    return VK_SUCCESS;
  });
}

VKAPI_ATTR void VKAPI_CALL DestroyDevice(VkDevice device, const VkAllocationCallbacks*) {
  if (device != VK_NULL_HANDLE) delete from_handle(device);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* pName) {
  if (pName == nullptr || device == VK_NULL_HANDLE) return nullptr;
  const EntryPoint* found = find_entry_point(pName);
  if (found == nullptr || found->level != EntryPoint::Level::Device) return nullptr;
  const Device& of = *from_handle(device);
  return is_given(*found, of.physical.instance.minor(), of.enabled) ? found->function : nullptr;
}

VKAPI_ATTR void VKAPI_CALL GetDeviceGroupPeerMemoryFeatures(VkDevice, uint32_t, uint32_t, uint32_t,
                                                            VkPeerMemoryFeatureFlags* pPeerMemoryFeatures) {
  *pPeerMemoryFeatures = VK_PEER_MEMORY_FEATURE_COPY_SRC_BIT | VK_PEER_MEMORY_FEATURE_COPY_DST_BIT |
                         VK_PEER_MEMORY_FEATURE_GENERIC_SRC_BIT | VK_PEER_MEMORY_FEATURE_GENERIC_DST_BIT;
}

VKAPI_ATTR VkResult VKAPI_CALL SetDebugUtilsObjectNameEXT(VkDevice device,
                                                          const VkDebugUtilsObjectNameInfoEXT* pNameInfo) {
  return guarded([&] {
    from_handle(device)->name(pNameInfo->objectType, pNameInfo->objectHandle, pNameInfo->pObjectName);
    return VK_SUCCESS;
  });
}
VKAPI_ATTR VkResult VKAPI_CALL SetDebugUtilsObjectTagEXT(VkDevice, const VkDebugUtilsObjectTagInfoEXT*) {
  return VK_SUCCESS;  // tags are for tools that read them back; nothing here does
}
/// What lost the device: the message, whole lines of it as what vendors add, as texts are short here.
VKAPI_ATTR VkResult VKAPI_CALL GetDeviceFaultInfoEXT(VkDevice device, VkDeviceFaultCountsEXT* pFaultCounts,
                                                     VkDeviceFaultInfoEXT* pFaultInfo) {
  return guarded([&] {
    std::string rest = from_handle(device)->loss();
    std::vector<std::string> parts;
    for (constexpr std::size_t kPart = VK_MAX_DESCRIPTION_SIZE - 1; !rest.empty();) {
      parts.push_back(rest.substr(0, std::min(kPart, rest.find('\n'))));
      rest.erase(0, parts.back().size());
      if (rest.starts_with('\n')) rest.erase(0, 1);
    }
    const auto there = static_cast<std::uint32_t>(parts.size());
    if (pFaultInfo == nullptr) {
      pFaultCounts->addressInfoCount = 0;
      pFaultCounts->vendorInfoCount = there;
      pFaultCounts->vendorBinarySize = 0;
      return VK_SUCCESS;
    }
    const std::uint32_t given =
        pFaultInfo->pVendorInfos != nullptr ? std::min(pFaultCounts->vendorInfoCount, there) : 0;
    const auto put = [](const std::string& text, char(&to)[VK_MAX_DESCRIPTION_SIZE]) {
      to[text.copy(to, VK_MAX_DESCRIPTION_SIZE - 1)] = 0;
    };
    put(parts.empty() ? std::string("the device is not lost") : parts[0], pFaultInfo->description);
    for (std::uint32_t i = 0; i < given; ++i) {
      pFaultInfo->pVendorInfos[i] = {};
      put(parts[i], pFaultInfo->pVendorInfos[i].description);
    }
    *pFaultCounts = {pFaultCounts->sType, pFaultCounts->pNext, 0, given, 0};
    return given < there ? VK_INCOMPLETE : VK_SUCCESS;
  });
}

}  // namespace entry
}  // namespace heddle::vulkan
