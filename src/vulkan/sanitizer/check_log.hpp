// SPDX-License-Identifier: MIT
#pragma once
// What the shader sanitizer found: each finding once, for its place, with a count at the end (HEDDLE_CHECK).

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "machine/report.hpp"

namespace heddle::vulkan {

struct Instance;

/// What a slot of a program's binding table is, in words of the shader and of the application.
struct CheckedResource {
  std::string kind;  ///< "storage buffer"; empty: the slot is none of the shader's
  std::string name;  ///< in the shader; may be empty
  std::uint32_t set = 0, binding = 0;
  std::optional<std::uint32_t> element;  ///< of an array
  std::string object;                    ///< the application's name for it (VK_EXT_debug_utils); may be empty
  [[nodiscard]] std::string text() const;
};

/// Of one device; may be used from several threads. HEDDLE_CHECK_FORMAT: "json" writes JSON lines in place of text.
class CheckLog {
 public:
  explicit CheckLog(Instance& instance);
  /// Says how often each finding was met.
  ~CheckLog();
  CheckLog(const CheckLog&) = delete;
  CheckLog& operator=(const CheckLog&) = delete;

  /// Findings of one run of `shader`, in words about it ("compute shader 'main' in 'blur'"). New ones go to the
  /// application's messengers and to standard error.
  void add(const std::string& shader, std::vector<machine::Finding> findings,
           const std::function<std::optional<CheckedResource>(std::uint32_t surface)>& resource);

 private:
  struct Entry {
    base::Diagnostic diagnostic;
    std::string shader;
    std::uint64_t count = 0;
  };
  [[nodiscard]] std::string json(const machine::Finding& finding, const std::string& shader,
                                 const std::optional<CheckedResource>& resource) const;
  std::string_view source(const std::string& file);

  Instance& instance_;
  const machine::CheckMode mode_;
  const bool json_;
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;
  std::vector<std::string> order_;              ///< keys of the entries as they came
  std::map<std::string, std::string> sources_;  ///< files that messages point into
};

}  // namespace heddle::vulkan
