// SPDX-License-Identifier: MIT
#include "machine/thread.hpp"

#include <algorithm>
#include <array>

#include "texture/touches.hpp"

namespace heddle::machine {

texture::UnitPlatform unit_platform(isa::Platform platform) {
  static const auto kUnits = [] {
    std::array<texture::UnitPlatform, isa::kPlatformCount> units{};
    for (const isa::PlatformInfo& row : isa::all_platforms())
      units[static_cast<std::size_t>(row.platform)] =
          texture::find_unit_platform(row.unit).value_or(texture::UnitPlatform::Any);
    return units;
  }();
  return kUnits[static_cast<std::size_t>(platform)];
}

const PreparedObject* Code::function(std::string_view name) const {
  for (const PreparedObject& p : objects)
    if (p.object->kind == isa::ObjectKind::Function && p.object->name == name) return &p;
  return nullptr;
}

Thread::Thread(const Code& code, const Bindings& bindings, Reports& reports)
    : code_(&code), bindings_(&bindings), reports_(&reports) {
  unit_context_.platform = unit_platform(code.platform);
  activations_.push_back(
      {&code.objects.front(), Registers(*code.objects.front().object, code.objects.front().layout), 0});
}

void Thread::payload(std::uint32_t offset, std::span<std::uint8_t> out) const {
  std::ranges::fill(out, std::uint8_t{0});
  if (offset >= start_.payload.size()) return;
  const std::size_t n = std::min<std::size_t>(out.size(), start_.payload.size() - offset);
  std::copy_n(start_.payload.data() + offset, n, out.data());
}

void Thread::start(const ThreadStart& start) {
  start_ = start;
  activations_.resize(1);
  registers().clear();
  finished_ = failed_ = false;
  waiting = {};
  signaled.clear();
  steps_ = order_ = demoted_ = 0;
  find_observers();
  forwarder_->to = start.observer;
  if (texture::TouchSink* const sink = texture::touch_sink(); sink != nullptr)
    unit_context_.observer = sink;
  else
    unit_context_.observer = start.observer != nullptr && start.observer->wants_texels() ? forwarder_.get() : nullptr;
  unit_context_.reports = base::Diagnostics{};
  load_inputs();
  flow_.start(start.dispatch_mask, 0);
  finished_ = start.dispatch_mask == 0;
}

void Thread::start_bare(const ThreadStart& start) {
  start_ = start;
  find_observers();
  restart_bare();
}

void Thread::load_inputs() {
  const isa::Object& object = *activations_.front().object->object;
  const Layout& layout = activations_.front().object->layout;
  Registers& file = registers();
  std::vector<std::uint8_t> bytes;
  const auto copy = [&](std::uint32_t payload_offset, std::uint32_t at, std::uint32_t size) {
    bytes.resize(size);
    payload(payload_offset, bytes);
    file.write(at, bytes.data(), size);
  };
  const VariablePlacement& r0 = *layout.place(predefined::kR0);
  copy(0, r0.begin, r0.root_end - r0.begin);
  for (const std::uint32_t v : {predefined::kTsc, predefined::kSp, predefined::kFp, predefined::kHwId, predefined::kSr0,
                                predefined::kCr0, predefined::kCe0, predefined::kDbg0, predefined::kColor,
                                predefined::kImplicitArgs, predefined::kLocalIds, predefined::kMsg0}) {
    const VariablePlacement& place = *layout.place(v);
    file.define(place.begin, place.root_end - place.begin);
  }
  const VariablePlacement& sr0 = *layout.place(predefined::kSr0);
  file.store(sr0.begin, 4, start_.state0);
  file.store(layout.place(predefined::kHwId)->begin, 4, start_.hardware_id);
  file.store(sr0.begin + 8, 4, start_.dispatch_mask);  // ENC-8: element 2 is the dispatch mask
  file.store(layout.place(predefined::kCr0)->begin, 4, kInitialCr0);
  modes_ = Modes::from(kInitialCr0);

  for (const isa::Input& input : object.inputs) {
    switch (input.kind()) {
      case isa::InputKind::General:
        if (const VariablePlacement* place = layout.place(input.id))
          copy(input.offset, place->begin, std::min(input.size, place->root_end - place->begin));
        break;
      case isa::InputKind::Surface:
      case isa::InputKind::Sampler:
        for (std::uint32_t e = 0; e < input.size / 4; ++e) {
          StateRegister* state =
              input.kind() == isa::InputKind::Surface ? file.surface(input.id, e) : file.sampler(input.id, e);
          if (state == nullptr) break;
          std::uint32_t value = 0;
          std::array<std::uint8_t, 4> word{};
          payload(input.offset + 4 * e, word);
          std::memcpy(&value, word.data(), 4);
          *state = {value, true};
        }
        break;
    }
  }
  // Predefined surfaces (ENC-8).
  constexpr std::array<std::uint32_t, isa::kFirstSurface> kIndices = {kBtiSlm,      1,          2, kBtiTss,
                                                                      kBtiBindless, kBtiScratch};
  for (std::uint32_t s = 0; s < isa::kFirstSurface; ++s) *file.surface(s, 0) = {kIndices[s], true};
  for (const auto& [id, values] : bindings_->surface_variables)
    for (std::uint32_t e = 0; e < values.size(); ++e)
      if (StateRegister* state = file.surface(id, e)) *state = {values[e], true};
  for (const auto& [id, values] : bindings_->sampler_variables)
    for (std::uint32_t e = 0; e < values.size(); ++e)
      if (StateRegister* state = file.sampler(id, e)) *state = {values[e], true};
}

void Thread::refresh_live() {
  const Layout& layout = object().layout;
  registers().store(layout.place(predefined::kCe0)->begin, 4, flow_.active());
  const VariablePlacement& tsc = *layout.place(predefined::kTsc);
  registers().define(tsc.begin, tsc.root_end - tsc.begin);
  registers().store(tsc.begin, 8, steps_);  // time is counted in instructions, so that runs repeat
}

void Thread::reload_modes() {
  modes_ = Modes::from(static_cast<std::uint32_t>(registers().load(object().layout.place(predefined::kCr0)->begin, 4)));
}

namespace {

void copy_variable(const PreparedObject& from_object, const Registers& from, const PreparedObject& to_object,
                   Registers& to, std::uint32_t variable, std::uint32_t bytes) {
  const VariablePlacement &source = *from_object.layout.place(variable), &target = *to_object.layout.place(variable);
  bytes = std::min({bytes, source.root_end - source.begin, target.root_end - target.begin});
  for (std::uint32_t i = 0; i < bytes; ++i)  // byte by byte: what was never written stays so
    if (from.defined(source.begin + i, 1)) to.store(target.begin + i, 1, from.load(source.begin + i, 1));
}

constexpr std::uint32_t kAll = 0xffffffffu;
constexpr std::array kThreadState = {predefined::kSp,   predefined::kFp,   predefined::kSr0,  predefined::kCr0,
                                     predefined::kDbg0, predefined::kMsg0, predefined::kHwId, predefined::kColor};

}  // namespace

bool Thread::enter_function(const PreparedObject& callee, std::uint32_t lanes, unsigned args, unsigned rets) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(callee.layout.bytes()) * activations_.size();
  if (bytes > std::uint64_t{1} << 28 || !flow_.call(lanes, 0, true)) return false;
  Activation next{&callee, Registers(*callee.object, callee.layout), rets};
  const PreparedObject& caller = object();
  const unsigned grf = code_->grf_bytes;
  for (const std::uint32_t v : kThreadState) copy_variable(caller, registers(), callee, next.registers, v, kAll);
  copy_variable(caller, registers(), callee, next.registers, predefined::kR0, kAll);
  copy_variable(caller, registers(), callee, next.registers, predefined::kImplicitArgs, kAll);
  copy_variable(caller, registers(), callee, next.registers, predefined::kLocalIds, kAll);
  copy_variable(caller, registers(), callee, next.registers, predefined::kArg, args * grf);
  for (std::uint32_t s = 0; s < isa::kFirstSurface; ++s) *next.registers.surface(s, 0) = *registers().surface(s, 0);
  activations_.push_back(std::move(next));
  return true;
}

void Thread::leave_function() {
  Activation done = std::move(activations_.back());
  activations_.pop_back();
  for (const std::uint32_t v : kThreadState)
    copy_variable(*done.object, done.registers, object(), registers(), v, kAll);
  copy_variable(*done.object, done.registers, object(), registers(), predefined::kRetval, done.rets * code_->grf_bytes);
  reload_modes();
}

MemoryWatch* watch_of(const Thread& thread) {
  const auto* watched = dynamic_cast<const Watched*>(thread.observer());
  return watched != nullptr ? watched->watch() : nullptr;
}

bool is_helper(const Thread& thread, unsigned lane) {
  if (thread.setup().pixels == nullptr) return false;
  if ((thread.demoted() >> lane & 1) != 0) return true;
  std::array<std::uint8_t, 2> enables{};  // PIX-15: R1.7, of lanes 16 to 31 R2.7
  thread.payload(thread.code().grf_bytes * (1 + lane / 16) + 28, enables);
  return ((enables[0] | enables[1] << 8) >> lane % 16 & 1) == 0;
}

}  // namespace heddle::machine
