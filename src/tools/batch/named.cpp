// SPDX-License-Identifier: MIT
#include "tools/batch/named.hpp"

#include <fmt/format.h>

#include <mutex>

#include "image/objects/sampler_text.hpp"

namespace heddle::tools {
namespace {

constexpr std::size_t kMaxPrepared = 4096, kMaxWords = 4096;  // beyond, all are forgotten and made anew

std::uint64_t bytes_of(const image::Surface& surface) { return surface.memory ? surface.memory->size() : 0; }

template <typename Value>
std::vector<std::string_view> names_of(const std::map<std::string, Value, std::less<>>& map) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

}  // namespace

base::Result<base::Done> NamedState::define(const std::string& name, image::Surface surface) {
  const auto old = surfaces_.find(name);
  const std::uint64_t freed = old == surfaces_.end() ? 0 : bytes_of(*old->second.surface);
  const std::uint64_t bytes = bytes_of(surface);
  if (bytes > limits_.memory_bytes - std::min(limits_.memory_bytes, used_ - freed))
    return base::limit_error(
        "limit-memory", fmt::format("surface '{}' needs {} bytes; with those that are defined that is more than {} "
                                    "(--max-memory)",
                                    name, bytes, limits_.memory_bytes));
  used_ = used_ - freed + bytes;
  surface.name = name;
  surfaces_[name] = {std::make_shared<const image::Surface>(std::move(surface)), ++serial_};
  if (old != surfaces_.end()) {  // what was prepared holds the old one's memory
    const std::unique_lock lock(mutex_);
    prepared_.clear();
  }
  return base::Done{};
}

void NamedState::define(const std::string& name, image::SamplerMembers sampler) {
  samplers_[name] = {std::move(sampler), ++serial_};
}

const BoundSurface* NamedState::surface(std::string_view name) const {
  const auto found = surfaces_.find(name);
  return found == surfaces_.end() ? nullptr : &found->second;
}

const BoundSampler* NamedState::sampler(std::string_view name) const {
  const auto found = samplers_.find(name);
  return found == samplers_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> NamedState::surface_names() const { return names_of(surfaces_); }
std::vector<std::string_view> NamedState::sampler_names() const { return names_of(samplers_); }

base::Result<std::shared_ptr<const BoundSampler>> NamedState::sampler_of_words(const std::string& words) {
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = words_.find(words); found != words_.end()) return found->second;
  }
  auto members = image::parse_sampler(words);
  if (!members.ok()) return members.failure();
  auto sampler = std::make_shared<const BoundSampler>(BoundSampler{std::move(*members), ++serial_});
  const std::unique_lock lock(mutex_);
  if (words_.size() >= kMaxWords) words_.clear();
  return words_.emplace(words, std::move(sampler)).first->second;
}

std::size_t NamedState::HashKey::operator()(const PreparedKey& key) const {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : key) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return hash;
}

std::shared_ptr<const PreparedRequest> NamedState::find(const PreparedKey& key) const {
  const std::shared_lock lock(mutex_);
  const auto found = prepared_.find(key);
  return found == prepared_.end() ? nullptr : found->second;
}

void NamedState::keep(const PreparedKey& key, std::shared_ptr<const PreparedRequest> prepared) {
  const std::unique_lock lock(mutex_);
  if (prepared_.size() >= kMaxPrepared) prepared_.clear();
  prepared_.insert_or_assign(key, std::move(prepared));
}

}  // namespace heddle::tools
