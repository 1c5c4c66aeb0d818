// SPDX-License-Identifier: MIT
#include "vulkan/sanitizer/check_log.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "base/environment/environment.hpp"
#include "base/file.hpp"
#include "vulkan/device/instance.hpp"
#include "vulkan/device/properties/settings.hpp"

namespace heddle::vulkan {
namespace {

/// The first finding of this process: who started it finds the mark.
void mark_findings() {
  static std::once_flag once;
  std::call_once(once, [] {
    const auto mark = base::read_text_variable(base::Variable::CheckMark);
    std::FILE* file = mark && !mark->empty() ? std::fopen(mark->c_str(), "ab") : nullptr;
    if (file == nullptr) return;
    std::fputc('x', file);
    std::fclose(file);
  });
}

/// `exit` in a function of on_exit() runs the other functions, and the last code counts: the host program ends as it
/// wants to, but for its code. (atexit() is off in this module.)
void end_with_findings() {
  static std::once_flag once;
  std::call_once(once, [] { ::on_exit([](int, void*) { std::exit(base::kFindingsExitCode); }, nullptr); });
}

std::string numbers(const std::array<std::uint32_t, 3>& id) { return fmt::format("[{},{},{}]", id[0], id[1], id[2]); }

std::string place_text(const base::Place& place) {
  if (place.kind != base::Place::Kind::Text) return {};
  return place.column != 0 ? fmt::format("{}:{}:{}", place.file, place.line, place.column)
                           : fmt::format("{}:{}", place.file, place.line);
}

/// One line for an application's messenger.
std::string message_text(const base::Diagnostic& d, const std::string& shader) {
  std::string text = shader;
  if (const std::string place = place_text(d.place); !place.empty()) text += ", " + place;
  text += ": " + d.message;
  for (const base::Note& note : d.notes) {
    const std::string place = place_text(note.place);
    text += fmt::format(" ({}{}{})", note.message, place.empty() ? "" : " at ", place);
  }
  return text;
}

void replace(std::string& text, std::string_view what, const std::string& by) {
  if (const std::size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), by);
}

}  // namespace

std::string CheckedResource::text() const {
  std::string text = kind;
  if (!name.empty()) text += fmt::format(" '{}'", name);
  text += fmt::format(" (set {}, binding {}", set, binding);
  if (element) text += fmt::format(", element {}", *element);
  if (!object.empty()) text += fmt::format(", object '{}'", object);
  return text + ")";
}

CheckLog::CheckLog(Instance& instance)
    : instance_(instance),
      mode_(check_mode()),
      json_(base::read_word_variable(base::Variable::CheckFormat).value == "json") {}

CheckLog::~CheckLog() {
  if (order_.empty()) return;
  std::string text;
  if (!json_) text = fmt::format("heddle: {} finding{}\n", order_.size(), order_.size() == 1 ? "" : "s");
  for (const std::string& key : order_) {
    const Entry& e = entries_.at(key);
    const std::string place = place_text(e.diagnostic.place);
    text += json_ ? fmt::format("{{\"summary\":{},\"shader\":{},\"place\":{},\"count\":{}}}\n",
                                base::json_quote(e.diagnostic.id), base::json_quote(e.shader), base::json_quote(place),
                                e.count)
                  : fmt::format("heddle: {} x {} {}\n", e.count, e.diagnostic.id, place.empty() ? e.shader : place);
  }
  std::fputs(text.c_str(), stderr);
}

std::string_view CheckLog::source(const std::string& file) {
  const auto found = sources_.find(file);
  if (found != sources_.end()) return found->second;
  base::Limits limits;
  limits.input_bytes = std::uint64_t{16} << 20;
  auto text = base::read_text(file, limits);
  return sources_.emplace(file, text.ok() ? std::move(*text) : std::string()).first->second;
}

std::string CheckLog::json(const machine::Finding& finding, const std::string& shader,
                           const std::optional<CheckedResource>& resource) const {
  std::string line = base::render_json(finding.diagnostic());
  line.pop_back();  // the brace
  line += fmt::format(",\"shader\":{}", base::json_quote(shader));
  if (finding.occurrence) {
    const machine::Occurrence& who = *finding.occurrence;
    if (who.global) line += ",\"invocation\":" + numbers(*who.global);
    if (who.local) line += ",\"local\":" + numbers(*who.local);
    line += ",\"workgroup\":" + numbers(who.group);
  }
  if (resource)
    line += fmt::format(",\"resource\":{{\"kind\":{},\"name\":{},\"set\":{},\"binding\":{}{},\"object\":{}}}",
                        base::json_quote(resource->kind), base::json_quote(resource->name), resource->set,
                        resource->binding,
                        resource->element ? fmt::format(",\"element\":{}", *resource->element) : std::string(),
                        base::json_quote(resource->object));
  return line + "}\n";
}

void CheckLog::add(const std::string& shader, std::vector<machine::Finding> findings,
                   const std::function<std::optional<CheckedResource>(std::uint32_t surface)>& resource) {
  const std::lock_guard guard(mutex_);
  for (machine::Finding& finding : findings) {
    const base::Place& p = finding.place;
    const std::string key = fmt::format("{}@{}@{}:{}:{}:{}:{}@{}", shader, finding.id, p.file, p.line, p.column,
                                        p.instruction, finding.subject, finding.surface.value_or(UINT32_MAX));
    const auto [entry, is_new] = entries_.try_emplace(key);
    entry->second.count += finding.count;
    if (!is_new) continue;
    std::optional<CheckedResource> what;
    if (finding.surface) what = resource(*finding.surface);
    if (what) {
      for (const std::string_view unnamed : {"the surface", "the image"})
        replace(finding.message, unnamed, what->text());
    }
    entry->second.shader = shader;
    entry->second.diagnostic = finding.diagnostic();
    order_.push_back(key);
    if (finding.severity != base::Severity::Note) {
      mark_findings();
      if (mode_ == machine::CheckMode::Error) end_with_findings();
    }
    const bool heard = instance_.report(VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT, finding.id.c_str(),
                                        message_text(entry->second.diagnostic, shader));
    (void)heard;  // standard error has it in any case
    std::string text = json_ ? json(finding, shader, what)
                             : base::render(
                                   entry->second.diagnostic.note("in " + shader),
                                   [this](const std::string& file) { return source(file); }, false);
    std::fputs(text.c_str(), stderr);
  }
}

}  // namespace heddle::vulkan
