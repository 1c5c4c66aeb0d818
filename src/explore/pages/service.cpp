// SPDX-License-Identifier: MIT
#include "explore/pages/service.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "explore/documents/json.hpp"

namespace heddle::explore {
namespace {

constexpr std::string_view kWhatIf = "whatif/";
constexpr std::size_t kMaxChanged = 64;  ///< commands with changes; each keeps its documents

/// The text that hexadecimal digits stand for.
std::optional<std::string> text_of(std::string_view hex) {
  std::string text;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    std::uint8_t byte = 0;
    if (i + 2 > hex.size()) return std::nullopt;
    const auto read = std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
    if (read.ec != std::errc() || read.ptr != hex.data() + i + 2) return std::nullopt;
    text += static_cast<char>(byte);
  }
  return text;
}

/// Lines "FLAG VALUE".
std::optional<std::vector<Change>> read_changes(std::string_view text) {
  std::vector<Change> changes;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    changes.push_back({std::string(line.substr(0, space)), std::string(line.substr(space + 1))});
  }
  return changes.empty() ? std::nullopt : std::optional(std::move(changes));
}

std::vector<std::uint8_t> packed(const std::string& text) {
  return deflate({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

std::string refusal(std::string_view why) {
  Json json;
  return json.open('{').member("refused", why).close('}').take();
}

}  // namespace

base::Result<base::Done> Service::prepare(const ExploreOptions& options) {
  const std::lock_guard guard(mutex_);
  options_ = options;
  options_.keep = [this](std::size_t command, std::vector<Fragment> fragments) {
    fragments_.resize(std::max(fragments_.size(), command + 1));
    Fragments& kept = fragments_[command] = {std::move(fragments), {}};
    for (std::uint32_t k = 0; k < kept.all.size(); ++k) kept.first.try_emplace(kept.all[k].thread, k);
  };
  auto documents = exploration_.explore(options_);
  options_.progress = {};
  if (!documents.ok()) return documents.failure();
  for (const Document& document : *documents) {
    if (document.name == "index") index_.assign(document.bytes.begin(), document.bytes.end());
    documents_[document.name] = document.unpacked != 0 ? document.bytes : deflate(document.bytes);
  }
  return base::Done{};
}

std::optional<std::vector<std::uint8_t>> Service::get(const std::string& name) {
  const std::lock_guard guard(mutex_);
  if (const auto found = documents_.find(name); found != documents_.end()) return found->second;
  auto made = name.starts_with(kWhatIf) ? what_if(name) : trace(name);
  if (made) documents_[name] = *made;
  return made;
}

/// "trace/COMMAND/THREAD" and "trace/COMMAND/STAGE/THREAD": the command is run once more.
std::optional<std::vector<std::uint8_t>> Service::trace(const std::string& name) {
  constexpr std::string_view kTrace = "trace/";
  if (!name.starts_with(kTrace)) return std::nullopt;
  const char *at = name.data() + kTrace.size(), *const end = name.data() + name.size();
  std::uint32_t command = 0, thread = 0;
  const auto first = std::from_chars(at, end, command);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '/') return std::nullopt;
  if (command >= exploration_.size()) return std::nullopt;
  const std::string_view rest(first.ptr + 1, static_cast<std::size_t>(end - first.ptr - 1));
  const std::size_t slash = rest.find('/');
  const auto stage =
      slash != std::string_view::npos ? isa::stage_of_word(rest.substr(0, slash)) : std::optional<isa::ShaderStage>();
  if (slash != std::string_view::npos && (!stage || exploration_.command(command).stages[*stage] == nullptr))
    return std::nullopt;
  const auto second = std::from_chars(stage ? rest.data() + slash + 1 : rest.data(), end, thread);
  if (second.ec != std::errc() || second.ptr != end) return std::nullopt;
  const Fragments& met = fragments_[command];
  const auto known = met.first.find(thread);
  const auto text = stage ? exploration_.trace_front_thread(command, *stage, thread)
                          : exploration_.trace_thread(command, thread, met.all,
                                                      known != met.first.end() ? &met.all[known->second] : nullptr);
  if (!text) return std::nullopt;
  return packed(*text);
}

/// The changed command's part of the index; its documents are there from now on.
base::Result<std::string> Service::run_changed(std::size_t command, const std::vector<Change>& changes) {
  auto changed = exploration_.command(command).changer(changes);
  if (!changed.ok()) return changed.failure();
  changed->of = command;
  const std::size_t number = exploration_.size();
  exploration_.add(std::move(*changed));
  Documents documents;
  auto part = exploration_.explore_command(number, options_, documents);
  if (!part.ok()) {
    exploration_.remove_last();
    return part.failure();
  }
  for (const Document& document : documents) documents_[document.name] = deflate(document.bytes);
  index_.insert(index_.size() - 2, "," + *part);  // before the end of the list of commands
  documents_["index"] = packed(index_);
  ++changed_;
  return part;
}

/// "whatif/COMMAND/HEX": the command with changes, as a command more.
std::optional<std::vector<std::uint8_t>> Service::what_if(const std::string& name) {
  const char *at = name.data() + kWhatIf.size(), *const end = name.data() + name.size();
  std::uint32_t command = 0;
  const auto number = std::from_chars(at, end, command);
  if (number.ec != std::errc() || number.ptr == end || *number.ptr != '/' || command >= exploration_.size() ||
      !exploration_.command(command).changer)
    return std::nullopt;
  const auto text = text_of({number.ptr + 1, static_cast<std::size_t>(end - number.ptr - 1)});
  const auto changes = text ? read_changes(*text) : std::nullopt;
  if (!changes) return std::nullopt;
  if (changed_ >= kMaxChanged) return packed(refusal("64 changed commands are kept: serve the command anew"));
  const auto part = run_changed(command, *changes);
  return packed(part.ok() ? *part : refusal(part.diagnostics().front().message));
}

}  // namespace heddle::explore
