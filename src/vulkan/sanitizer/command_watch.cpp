// SPDX-License-Identifier: MIT
// Rules: run-memory-unwritten, run-image-layout, run-barrier-missing, run-barrier-unwatched.
#include "vulkan/sanitizer/command_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/memory.hpp"
#include "vulkan/device/device.hpp"

namespace heddle::vulkan {
namespace {

constexpr VkAccessFlags2 kShaderWrite = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;

std::string_view word_of(bool write) { return write ? "write" : "read"; }

std::string unordered_text(std::string_view access, std::string_view of, bool other_writes) {
  return fmt::format("{} of {} and an earlier {} by another command: no barrier orders them", access, of,
                     word_of(other_writes));
}

base::Note other_note(const CommandUse& other) {
  return {fmt::format("the other access: {} by {}", word_of(other.write), other.what), {}};
}

}  // namespace

CommandWatch::CommandWatch(Device& device, const std::vector<std::string>& labels) : device_(device), labels_(labels) {}

void CommandWatch::begin_submission() {
  order_.clear();
  map_.clear();
  reported_.clear();
  number_ = 0;
  pass_ = passes_ = subpass_ = 0;
}

void CommandWatch::begin_command(const char* name) {
  command_ = name;
  ++number_;
  ++command_in_buffer_;
}

void CommandWatch::begin_stage(WatchedStage stage) {
  stage_ = std::move(stage);
  stage_uses_.clear();
  drawn_use_ = 0;
  seen_.clear();
}
void CommandWatch::end_stage() {
  stage_ = {};
  seen_.clear();
  if (map_.full()) say_full();
}

std::string CommandWatch::command_text() const {
  return fmt::format("{}, command {} of its command buffer", command_, command_in_buffer_);
}

CommandOrder::Use CommandWatch::use_of(const Usage& usage, bool write) {
  CommandUse use{.what = {},
                 .command = number_,
                 .pass = pass_,
                 .subpass = subpass_,
                 .role = usage.role,
                 .stages = usage.stages,
                 .accesses = usage.accesses,
                 .write = write,
                 .atomic = usage.atomic};
  if (const CommandOrder::Use known = order_.find(use); known != 0) return known;
  use.what = command_text();
  if (!stage_.what.empty()) use.what += fmt::format(" ({})", stage_.what);
  return order_.add(std::move(use));
}

std::string CommandWatch::name_of(std::uint64_t object, std::string_view kind) const {
  const std::string name = object == 0 ? std::string() : device_.name_of(object);
  return name.empty() ? fmt::format("the {}", kind) : fmt::format("{} '{}'", kind, name);
}

void CommandWatch::report(machine::Finding finding) {
  finding.severity = base::Severity::Warning;
  for (const std::string& label : labels_) finding.notes.push_back({"in '" + label + "'", {}});
  std::vector<machine::Finding> list;
  list.push_back(std::move(finding));
  checks_of(device_).log.add(command_text(), std::move(list), [](std::uint32_t) { return std::nullopt; });
}

void CommandWatch::report_layout(std::uint64_t image, std::uint32_t level, std::uint32_t layer, VkImageLayout current,
                                 VkImageLayout declared, std::string_view who) {
  machine::Finding finding;
  finding.id = "run-image-layout";
  finding.message = fmt::format("level {}, layer {} of {} is in the layout {}, but {} says {}", level, layer,
                                name_of(image, "image"), layout_name(current), who, layout_name(declared));
  finding.subject = fmt::format("{} {}", image, who);
  report(std::move(finding));
}

void CommandWatch::say_full() {
  if (reported_full_) return;
  reported_full_ = true;
  machine::Finding finding;
  finding.id = "run-barrier-unwatched";
  finding.message =
      "the commands of a submission access memory in too many pieces: barriers that are missing between "
      "further ones are not found";
  report(std::move(finding));
}

// --- what orders commands ---

void CommandWatch::touch(Bytes bytes, CommandOrder::Use use, const std::function<void(CommandOrder::Use)>& found) {
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  map_.access(
      begin, begin + bytes.size(), use, order_[use].write,
      [&](CommandOrder::Use other) { return order_[other].command == order_[use].command; },
      [&](CommandOrder::Use other, std::uintptr_t at) {
        if (!order_.ordered(other, use, at)) found(other);
      });
}

void CommandWatch::touch_and_report(Bytes bytes, const Usage& usage, bool write) {
  if (bytes.empty()) return;
  std::vector<CommandOrder::Use> others;
  {
    const std::lock_guard guard(mutex_);
    const CommandOrder::Use use = use_of(usage, write);
    touch(bytes, use, [&](CommandOrder::Use other) {
      if (reported_.emplace(other, use, 0).second) others.push_back(other);
    });
  }
  for (const CommandOrder::Use other : others) {
    machine::Finding finding;
    finding.id = "run-barrier-missing";
    finding.message = unordered_text(word_of(write), name_of(usage.object, usage.kind), order_[other].write);
    finding.subject = order_[other].what;
    finding.notes.push_back(other_note(order_[other]));
    report(std::move(finding));
  }
  if (map_.full()) say_full();
}

void CommandWatch::read(Bytes bytes, const Usage& usage) { touch_and_report(bytes, usage, false); }
void CommandWatch::write(Bytes bytes, const Usage& usage) {
  touch_and_report(bytes, usage, true);
  checks_of(device_).written.write(bytes);
}
void CommandWatch::copy(Bytes from, Bytes to, const Usage& reads, const Usage& writes) {
  touch_and_report(from, reads, false);
  touch_and_report(to, writes, true);
  checks_of(device_).written.copy(from, to);
}
void CommandWatch::read_box(const image::Surface& surface, const pipeline::transfer::ImageBox& box,
                            const Usage& usage) {
  for_each_row(surface, box, [&](Bytes bytes) { read(bytes, usage); });
}
void CommandWatch::write_box(const image::Surface& surface, const pipeline::transfer::ImageBox& box,
                             const Usage& usage) {
  for_each_row(surface, box, [&](Bytes bytes) { write(bytes, usage); });
}
void CommandWatch::forget(Bytes bytes) { checks_of(device_).written.forget(bytes); }

void CommandWatch::fetch(Bytes bytes, const Usage& usage, const std::function<std::string()>& what) {
  read(bytes, usage);
  if (bytes.empty() || !checks_of(device_).written.first_unwritten(bytes)) return;
  machine::Finding finding;
  finding.id = "run-memory-unwritten";
  finding.message =
      fmt::format("read of {} from {}, whose bytes nobody has written", what(), name_of(usage.object, usage.kind));
  finding.subject = fmt::format("fetch {} {}", usage.object, usage.accesses);
  report(std::move(finding));
}

// --- of shaders ---

void CommandWatch::access(machine::ExecutionContext& context, const machine::MemoryTarget& target,
                          const std::uint8_t* at, std::uint32_t bytes, machine::AccessKind kind, unsigned lane) {
  if (stage_.stage == 0) return;
  const bool surface = target.kind == machine::MemoryKind::Surface;
  const VkAccessFlags2 reads = surface ? stage_.reads(target.index) : VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
  if (reads == 0) return;
  const Bytes range(at, bytes);
  const bool write = kind != machine::AccessKind::Read;
  const auto finding_of = [&](std::string_view id) {
    machine::Finding finding;
    finding.id = id;
    finding.subject = machine::name_of(target);
    if (surface) finding.surface = target.index;
    return finding;
  };
  if (kind != machine::AccessKind::Write) {
    if (const auto first = checks_of(device_).written.first_unwritten(range)) {
      machine::Finding finding = finding_of("run-memory-unwritten");
      finding.message =
          fmt::format("{} of {}, whose bytes nobody has written",
                      kind == machine::AccessKind::Atomic ? "atomic operation" : "read", machine::name_of(target));
      context.check(nullptr, std::move(finding), lane);
    }
  }
  if (write) checks_of(device_).written.write(range);

  std::vector<machine::Finding> found;
  {
    const std::lock_guard guard(mutex_);
    const PassRole role = (reads & VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT) != 0 && stage_.reads_in_order(at)
                              ? PassRole::Ordered
                              : PassRole::None;
    CommandOrder::Use& use = stage_uses_[std::uint64_t{surface ? target.index : UINT32_MAX} << 3 |
                                         (role == PassRole::Ordered ? 4u : 0u) | static_cast<std::uint64_t>(kind)];
    if (use == 0) {
      // What an atomic operation reads is ordered where its write is.
      const VkAccessFlags2 accesses = kind == machine::AccessKind::Atomic  ? reads | kShaderWrite
                                      : kind == machine::AccessKind::Write ? kShaderWrite
                                                                           : reads;
      use = use_of({stage_.stage, accesses, role, kind == machine::AccessKind::Atomic}, write);
    }
    touch(range, use, [&](CommandOrder::Use other) {
      if (!reported_.emplace(other, use, context.site()).second) return;
      machine::Finding& finding = found.emplace_back(finding_of("run-barrier-missing"));
      finding.message = unordered_text(write ? "write" : "read", machine::name_of(target), order_[other].write);
      finding.notes.push_back(other_note(order_[other]));
    });
  }
  for (machine::Finding& finding : found) context.check(nullptr, std::move(finding), lane);
}

void CommandWatch::drawn(machine::ExecutionContext& context, const std::uint8_t* at, std::uint32_t bytes,
                         unsigned lane) {
  if (stage_.stage == 0) return;
  std::vector<machine::Finding> found;
  {
    const std::lock_guard guard(mutex_);
    if (drawn_use_ == 0)
      drawn_use_ = use_of({.stages = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                           .accesses = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
                           .role = PassRole::Attachment},
                          true);
    touch(Bytes(at, bytes), drawn_use_, [&](CommandOrder::Use other) {
      if (!reported_.emplace(other, drawn_use_, context.site()).second) return;
      machine::Finding& finding = found.emplace_back();
      finding.id = "run-barrier-missing";
      finding.subject = "attachment";
      finding.message = unordered_text("write", "a color attachment", order_[other].write);
      finding.notes.push_back(other_note(order_[other]));
    });
  }
  for (machine::Finding& finding : found) context.check(nullptr, std::move(finding), lane);
}

void CommandWatch::texel(machine::ExecutionContext& context, const image::Surface& surface, std::uint32_t level,
                         std::uint32_t slice, std::uint32_t index, unsigned lane) {
  if (stage_.stage == 0) return;
  machine::Finding finding;
  {
    const std::lock_guard guard(mutex_);
    auto found = seen_.find(&surface);
    if (found == seen_.end()) {
      Seen seen{checks_of(device_).find(&surface), {}};
      if (seen.view) seen.declared = stage_.layouts(&surface);
      found = seen_.emplace(&surface, std::move(seen)).first;
    }
    const Seen& seen = found->second;
    if (!seen.view || seen.view->layouts == nullptr || seen.declared.empty()) return;
    const TrackedView& view = *seen.view;
    // Blocks of a compressed image are a surface of one level.
    const std::uint32_t at = surface.levels == 1 ? view.range.baseMipLevel : level;
    const VkImageLayout current = view.layouts->of(view.plane, at, view.volume ? 0 : slice / view.samples);
    if (std::ranges::any_of(seen.declared, [&](VkImageLayout d) { return same_layout(d, current, view.aspect); }))
      return;
    finding.message = fmt::format("the image is in the layout {}, but its descriptor says {}", layout_name(current),
                                  layout_name(seen.declared.front()));
  }
  finding.id = "run-image-layout";
  finding.subject = surface.name;
  finding.surface = index;
  context.check(nullptr, std::move(finding), lane);
}

}  // namespace heddle::vulkan
