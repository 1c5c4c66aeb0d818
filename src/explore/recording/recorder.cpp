// SPDX-License-Identifier: MIT
// Rules: FBO-1, RTW-1.
#include "explore/recording/recorder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/half.hpp"
#include "isa/description.hpp"
#include "machine/execution_context.hpp"
#include "machine/memory.hpp"
#include "machine/pixels.hpp"
#include "pipeline/observers.hpp"

namespace heddle::explore {
namespace {

std::uint32_t simd_of(const isa::Object& kernel) {
  return static_cast<std::uint32_t>(kernel.integer_attribute("SimdSize").value_or(16));
}

}  // namespace

std::array<std::uint32_t, 3> place_of(const machine::Thread& thread, std::uint32_t lane) {
  if (const auto pixel = pipeline::pixel_of(thread, lane)) return {(*pixel)[0], (*pixel)[1], 0};
  const machine::ThreadStart& start = thread.setup();
  if (start.pixels != nullptr) return {};
  if (start.invocations == nullptr)
    return {start.group_id[0] * simd_of(*thread.code().objects.front().object) + lane, 0, 0};
  return start.invocations->global_id(start.group_id, start.invocations->local_id(start.thread, lane));
}

Recorder::Recorder(const WatchedPrograms& programs, Choice choice, SurfaceNumber number, bool fragments)
    : choice_(std::move(choice)), surface_number_(std::move(number)), wants_fragments_(fragments) {
  watched_.emplace_back(*programs.main, std::nullopt);
  for (const isa::ShaderStageInfo& stage : isa::kShaderStages)
    if (const isa::Program* program = programs.front[stage.stage]; program != nullptr)
      watched_.emplace_back(*program, stage.stage);
}

Recorder::Watched* Recorder::watched(const isa::Program* program) {
  const auto found = std::ranges::find(watched_, program, &Watched::program);
  return found != watched_.end() ? &*found : nullptr;
}

std::uint32_t Recorder::threads(isa::ShaderStage stage) const {
  const auto found = std::ranges::find(watched_, std::optional(stage), &Watched::stage);
  return found != watched_.end() ? found->threads : 0;
}

/// Writes to the records of the last stage before the pixels are kept until the instruction is done.
void Recorder::memory(const machine::Thread& thread, const machine::Decoded&, const machine::MemoryAccess& access) {
  if (!wants_fragments_ || !access.write || !last_stage() || thread.code().program != watched_.back().program) return;
  const auto& surfaces = thread.bindings().surfaces;
  if (access.kind != machine::MemoryKind::Surface || access.surface >= surfaces.size()) return;
  const machine::SurfaceResource& surface = surfaces[access.surface];
  if (surface && surface->name == machine::kVertexRecords)
    recorded_.push_back({surface.get(), access.address, access.bytes, access.lane});
}

void Recorder::note_records(const Running& r) {
  if (std::exchange(writers_used_, false)) writers_.clear();
  for (const Recorded& write : recorded_) {
    const std::uint64_t first = write.address / 4, end = (write.address + write.bytes + 3) / 4;
    std::vector<std::uint32_t>& of = writers_[write.surface];
    if (of.size() < end) of.resize(end, kNoInvocation);
    std::fill(of.begin() + static_cast<std::ptrdiff_t>(first), of.begin() + static_cast<std::ptrdiff_t>(end),
              32 * r.number + write.lane);
  }
}

/// The invocation that wrote the position of a vertex of the mesh.
std::uint32_t Recorder::made_by(std::uint32_t vertex) const {
  if (mesh_ == nullptr || vertex >= mesh_->records.size()) return kNoInvocation;
  const auto of = writers_.find(mesh_->record_surface);
  const std::uint64_t dword = mesh_->records[vertex] / 4;
  return of != writers_.end() && dword < of->second.size() ? of->second[dword] : kNoInvocation;
}

Recorder::Running& Recorder::running(const machine::Thread& thread, Watched& of) {
  Running& r = running_[&thread];
  if (thread.steps() == 1) {  // the first instruction of a thread has just run
    end(r);
    begin(thread, of, r);
  }
  return r;
}

void Recorder::begin(const machine::Thread& thread, Watched& of, Running& r) {
  r = {};
  r.number = of.threads++;
  r.wanted = choice_(thread, {of.stage, r.number});
  const machine::ThreadStart& start = thread.setup();
  if (start.pixels != nullptr) {
    r.primitive = start.group_id[2] == primitive_[0] ? primitive_[1] : start.group_id[2];
    if (!output_ && start.pixels->state != nullptr) output_ = start.pixels->state->output;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const auto pixel = pipeline::pixel_of(thread, lane);
      if (!pixel) continue;
      r.pixel[lane] = *pixel;
      r.depth[lane] = start.pixels->depth[0][lane];
      if (start.pixels->coverage[lane] != 0) r.open |= 1u << lane;
    }
  }
  if (r.wanted == 0) return;
  r.trace = static_cast<std::int64_t>(traces_.size());
  ThreadTrace& trace = traces_.emplace_back();
  trace.stage = of.stage;
  trace.thread = r.number;
  trace.mask = start.dispatch_mask;
  trace.group = start.group_id;
  trace.in_group = start.thread;
  trace.pixels = start.pixels != nullptr;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    trace.places.push_back(place_of(thread, lane));
    if ((start.dispatch_mask >> lane & 1u) != 0 && machine::is_helper(thread, lane)) trace.helpers |= 1u << lane;
  }
  // What inputs bring; the first instruction may have written over it since.
  const machine::PreparedObject& object = thread.object();
  for (const isa::Input& input : object.object->inputs) {
    const machine::VariablePlacement* place =
        input.kind() == isa::InputKind::General ? object.layout.place(input.id) : nullptr;
    if (place == nullptr) continue;
    TraceStep::Run run{place->begin, {}};
    run.bytes.resize(std::min(input.size, place->root_end - place->begin));
    thread.payload(input.offset, run.bytes);
    trace.start.push_back(std::move(run));
  }
  r.before.assign(thread.registers().bytes(), thread.registers().bytes() + thread.registers().size());
  for (const TraceStep::Run& run : trace.start) std::ranges::copy(run.bytes, r.before.begin() + run.at);
}

void Recorder::mesh(const pipeline::Mesh& mesh) {
  writers_used_ = true;
  drawn_ += in_mesh_;
  mesh_ = &mesh;
  in_mesh_ = static_cast<std::uint32_t>(mesh.count());
}

void Recorder::primitive(std::uint32_t number, const pipeline::Primitive& p,
                         const std::array<std::uint32_t, 3>& vertices) {
  primitive_ = {number, drawn_ + p.source};
  if (!wants_fragments_) return;
  const auto [at, is_new] = primitives_.try_emplace(primitive_[1]);
  if (!is_new) return;
  at->second = {vertices, p.x, p.y, {}, p.front, at->second.made_by};
  for (std::size_t k = 0; k < 3; ++k) {
    at->second.z[k] = static_cast<float>(p.z[k]);
    at->second.made_by[k] = made_by(vertices[k]);
  }
}

/// Lanes that had samples, and have none any more.
void Recorder::tested(const machine::PixelState& state, const machine::PixelInput& input,
                      std::span<const std::uint16_t> before, std::span<const std::uint8_t> payload) {
  tested_early_ = true;
  if (!wants_fragments_) return;
  std::uint32_t header = 0;
  std::memcpy(&header, payload.data(), sizeof header);
  for (std::uint32_t lane = 0; lane < before.size() && lane < 32; ++lane) {
    if (before[lane] == 0 || input.coverage[lane] != 0) continue;
    const auto pixel = pipeline::pixel_in(payload, 32, {input.fragment_size[0], input.fragment_size[1]}, lane);
    if (!pixel) continue;
    Fragment f;
    f.x = (*pixel)[0];
    f.y = (*pixel)[1];
    f.thread = kNoThread;
    f.primitive = primitive_[1];
    f.lane = lane;
    f.fate = Fate::Early;
    const auto sample = static_cast<std::uint32_t>(std::countr_zero(before[lane]));
    f.depth = input.depth[input.depth_pitch != 0 ? sample : 0][lane];
    const FailedTest failed = find_failed_test(state, {.x = f.x,
                                                       .y = f.y,
                                                       .sample = sample,
                                                       .header = machine::PixelHeader::unpack(header),
                                                       .depth = base::float_from_bits(f.depth),
                                                       .late = false});
    f.reason = failed.reason;
    f.stored = failed.stored;
    fragments_.push_back(f);
  }
}

/// Lanes that came to no target were discarded.
Fragment Recorder::fragment_of(const Running& r, std::uint32_t lane, Fate fate, std::uint32_t instruction) {
  Fragment f;
  f.x = r.pixel[lane][0];
  f.y = r.pixel[lane][1];
  f.thread = r.number;
  f.primitive = r.primitive;
  f.lane = lane;
  f.fate = fate;
  f.instruction = instruction;
  f.depth = r.depth[lane];
  return f;
}

void Recorder::end(Running& r) {
  for (std::uint32_t lanes = wants_fragments_ ? r.open : 0; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    const std::uint32_t last = (r.active >> lane & 1u) != 0 ? r.last_instruction : r.last[lane];
    fragments_.push_back(fragment_of(r, lane, Fate::Discarded, last));
  }
  r.open = 0;
}

void Recorder::finish() {
  for (auto& [thread, r] : running_) end(r);
  running_.clear();
  mesh_ = nullptr;
}

void Recorder::texel(const texture::TexelTouch& touch) {
  if (!touch.written) {
    ++texels_read_;
    return;
  }
  if (!wants_fragments_) return;
  const image::Surface& s = *touch.surface;
  if (s.is_buffer()) return;
  touched_.push_back({touch, image::fetch(s, touch.level, touch.slice, touch.x, touch.y).texel});
}

void Recorder::raw_result(const machine::Thread&, const machine::Decoded&, const machine::Operand& operand,
                          std::uint32_t at, std::uint32_t size) {
  raw_.push_back({operand.base + at, size});
}

void Recorder::instruction(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes) {
  if (Watched* const of = watched(thread.code().program); of != nullptr) {
    Running& r = running(thread, *of);
    const std::uint32_t number = of->numbers.of(*pipeline::object_of(thread, d).object, *d.instruction);
    follow_lanes(thread, number, lanes, r);
    if (wants_fragments_ && !of->stage) {
      if (!touched_.empty()) add_fragments(thread, d, number, lanes, r);
      if (d.description->traits.target_write) add_failed(thread, d, number, lanes, r);
    }
    if (!recorded_.empty()) note_records(r);
    if (r.trace >= 0) add_step(thread, d, *of, number, lanes, r);
  }
  touched_.clear();
  recorded_.clear();
  raw_.clear();
}

/// Where each lane was last, for those that the shader ends.
void Recorder::follow_lanes(const machine::Thread& thread, std::uint32_t number, std::uint32_t lanes, Running& r) {
  const std::uint32_t demoted = thread.demoted() & ~r.demoted;
  for (std::uint32_t gone = (r.active & ~lanes) | demoted; gone != 0; gone &= gone - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(gone));
    r.last[lane] = (demoted >> lane & 1u) != 0 ? number : r.last_instruction;
  }
  r.demoted |= demoted;
  r.active = lanes & ~r.demoted;
  r.last_instruction = number;
}

namespace {

/// What the shader sent for a lane: R, G, B, A.
std::array<std::uint32_t, 4> sent_color(const machine::Thread& thread, const machine::Decoded& d, unsigned k) {
  std::array<std::uint32_t, 4> color{};
  const machine::Operands operands(thread.object(), d);
  constexpr std::string_view kNames[] = {"r", "g", "b", "a"};
  for (unsigned c = 0; c < 4; ++c) {
    const machine::Operand* o = operands.named(kNames[c]);
    if (o == nullptr || o->null || o->kind != isa::OperandKind::Raw) continue;
    const std::uint32_t at = o->base + k * o->size;
    if (at + o->size <= o->root_end) color[c] = static_cast<std::uint32_t>(thread.registers().load(at, o->size));
  }
  return color;
}

/// RTW-1: whether the message has a color target that stores anything.
bool has_color(const machine::Thread& thread, const machine::Decoded& d) {
  constexpr unsigned kNullTarget = 12;
  const machine::Operands operands(thread.object(), d);
  const machine::Operand* target = operands.of_kind(isa::OperandKind::Surface);
  if (target == nullptr || (operands.integer("mode") >> kNullTarget & 1u) != 0) return false;
  // The context only looks.
  machine::ExecutionContext context(const_cast<machine::Thread&>(thread), d);
  const image::Surface* surface = context.surface(*target);
  return surface != nullptr && surface->memory != nullptr && surface->type != image::SurfaceType::Null;
}

/// The depth of a fragment that has no color is stored: early tests let it through, or it is what is there now.
bool stores_depth(const machine::PixelState& state, const FailedTest& test, bool tested_early) {
  return state.depth && state.output.depth_write && (tested_early || test.own == test.stored);
}

}  // namespace

void Recorder::add_fragments(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t number,
                             std::uint32_t, Running& r) {
  for (const Touched& t : touched_) {
    const image::Surface& s = *t.at.surface;
    const std::uint32_t lane = t.at.lane + d.mask_offset;
    Fragment f;
    f.x = t.at.x;
    f.y = t.at.y;
    f.thread = r.number;
    f.primitive = r.primitive;
    f.target = surface_number_(s);
    f.sample = t.at.slice;
    f.lane = lane;
    f.instruction = number;
    f.depth = r.depth[lane % 32];
    if (d.description->traits.target_write) {
      f.color = sent_color(thread, d, t.at.lane);
      r.open &= ~(1u << lane);
    }
    f.before = t.before.bits;
    f.after = image::fetch(s, t.at.level, t.at.slice, t.at.x, t.at.y).texel.bits;
    fragments_.push_back(f);
  }
}

/// Lanes whose samples are covered, and that were sent to the target, but stored nothing.
void Recorder::add_failed(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t number,
                          std::uint32_t lanes, Running& r) {
  if (thread.setup().pixels == nullptr) return;
  for (std::uint32_t rest = r.open & lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    Fragment f = fragment_of(r, lane, Fate::Failed, number);
    f.color = sent_color(thread, d, lane - d.mask_offset);
    const machine::PixelInput& input = *thread.setup().pixels;
    if (input.state != nullptr) {
      std::array<std::uint8_t, 4> header{};
      thread.payload(0, header);
      std::uint32_t word = 0;
      std::memcpy(&word, header.data(), sizeof word);
      const FailedTest failed =
          find_failed_test(*input.state, {.x = f.x,
                                          .y = f.y,
                                          .sample = static_cast<std::uint32_t>(std::countr_zero(input.coverage[lane])),
                                          .header = machine::PixelHeader::unpack(word),
                                          .depth = base::float_from_bits(f.depth),
                                          .alpha = base::float_from_bits(f.color[3])});
      f.reason = failed.reason;
      f.stored = failed.stored;
      const bool color = has_color(thread, d);
      if (!color && stores_depth(*input.state, failed, tested_early_)) {
        f.fate = Fate::Written;
        f.reason = Reason::None;
        f.target = surface_number_(*input.state->depth);
        f.sample = failed.slice;
        f.after[0] = failed.own;
      } else if (!color && tested_early_) {
        f.fate = Fate::Passed;
        f.reason = Reason::None;
      }
    }
    fragments_.push_back(f);
    r.open &= ~(1u << lane);
  }
}

void Recorder::add_step(const machine::Thread& thread, const machine::Decoded& d, const Watched& of,
                        std::uint32_t number, std::uint32_t lanes, Running& r) {
  ThreadTrace& trace = traces_[static_cast<std::size_t>(r.trace)];
  const machine::PreparedObject& now = thread.object();
  TraceStep step;
  step.instruction = number;
  step.lanes = lanes;
  step.object = of.numbers.of_object(*now.object);
  const machine::Registers& registers = thread.registers();
  if (r.object != &now) {  // the kernel starts, or another activation: all that it has
    if (r.object != nullptr) step.writes.push_back({0, {registers.bytes(), registers.bytes() + registers.size()}});
    r.object = &now;
    r.predicates.assign(now.object->predicates.size(), 0);
  }
  if (&pipeline::object_of(thread, d) == &now) {
    if (r.before.size() == registers.size())
      step.texels = texel_steps(thread, d, lanes, r.wanted, r.before, surface_number_);
    add_writes(thread, d, lanes, r, step);
  }
  for (std::uint32_t id = 1; id <= r.predicates.size(); ++id) {
    const std::uint32_t bits = registers.predicate(id);
    if (bits != std::exchange(r.predicates[id - 1], bits)) step.predicates.push_back({id, bits});
  }
  r.before.assign(registers.bytes(), registers.bytes() + registers.size());
  trace.steps.push_back(std::move(step));
}

void Recorder::add_writes(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes, Running& r,
                          TraceStep& step) {
  const machine::Registers& registers = thread.registers();
  std::vector<std::array<std::uint32_t, 2>> ranges = raw_;
  bool whole = false;
  for (const int slot : {int{d.destination}, int{d.second_destination}}) {
    if (slot < 0) continue;
    const machine::Operand& dst = thread.object().operands[d.first_operand + static_cast<std::uint32_t>(slot)];
    if (dst.kind == isa::OperandKind::Indirect) whole = true;
    if (dst.kind != isa::OperandKind::General || dst.null || !dst.in_bounds) continue;
    for (unsigned k = 0; k < d.lanes; ++k)
      if ((lanes >> (k + d.mask_offset) & 1u) != 0) ranges.push_back({dst.base + dst.lane[k], dst.size});
  }
  if (whole)  // where its addresses point to is seen by what changed
    for (std::uint32_t at = 0; at < registers.size() && at < r.before.size(); ++at)
      if (registers.bytes()[at] != r.before[at]) ranges.push_back({at, 1});
  std::ranges::sort(ranges);
  for (const auto& [from, count] : ranges) {
    const std::uint32_t end = std::min(from + count, registers.size());
    if (from >= end) continue;
    if (!step.writes.empty()) {
      TraceStep::Run& last = step.writes.back();
      const auto last_end = last.at + static_cast<std::uint32_t>(last.bytes.size());
      if (from <= last_end) {
        if (end > last_end) last.bytes.insert(last.bytes.end(), registers.bytes() + last_end, registers.bytes() + end);
        continue;
      }
    }
    step.writes.push_back({from, {registers.bytes() + from, registers.bytes() + end}});
  }
}

}  // namespace heddle::explore
