// SPDX-License-Identifier: MIT
#include "explore/service.hpp"

#include <charconv>
#include <string_view>

namespace heddle::explore {

base::Result<base::Done> Service::prepare(const ExploreOptions& options) {
  const std::lock_guard guard(mutex_);
  ExploreOptions own = options;
  fragments_.resize(exploration_.size());
  own.keep = [this](std::size_t command, std::vector<Fragment> fragments) {
    fragments_[command] = std::move(fragments);
  };
  auto documents = exploration_.explore(own);
  if (!documents.ok()) return documents.failure();
  for (const Document& document : *documents)
    documents_[document.name] = document.unpacked != 0 ? document.bytes : deflate(document.bytes);
  return base::Done{};
}

std::optional<std::vector<std::uint8_t>> Service::get(const std::string& name) {
  const std::lock_guard guard(mutex_);
  if (const auto found = documents_.find(name); found != documents_.end()) return found->second;
  auto made = trace(name);
  if (made) documents_[name] = *made;
  return made;
}

/// "trace/COMMAND/THREAD": the command is run once more.
std::optional<std::vector<std::uint8_t>> Service::trace(const std::string& name) {
  constexpr std::string_view kTrace = "trace/";
  if (!name.starts_with(kTrace)) return std::nullopt;
  const char *at = name.data() + kTrace.size(), *const end = name.data() + name.size();
  std::uint32_t command = 0, thread = 0;
  const auto first = std::from_chars(at, end, command);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '/') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, thread);
  if (second.ec != std::errc() || second.ptr != end || command >= exploration_.size()) return std::nullopt;
  const auto text = exploration_.trace_thread(command, thread, fragments_[command]);
  if (!text) return std::nullopt;
  return deflate({reinterpret_cast<const std::uint8_t*>(text->data()), text->size()});
}

}  // namespace heddle::explore
