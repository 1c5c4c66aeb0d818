// SPDX-License-Identifier: MIT
#include "pipeline/observers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <map>

#include "base/half.hpp"
#include "instructions/send/message.hpp"
#include "machine/memory.hpp"
#include "machine/pixels.hpp"
#include "machine/thread.hpp"
#include "text/text.hpp"

namespace heddle::pipeline {

std::string value_text(std::uint64_t bits, isa::Type type) {
  switch (type) {
    case isa::Type::F:
      return fmt::format("{}", base::float_from_bits(static_cast<std::uint32_t>(bits)));
    case isa::Type::DF:
      return fmt::format("{}", base::double_from_bits(bits));
    case isa::Type::HF:
      return fmt::format("{}", base::half_to_float(static_cast<std::uint16_t>(bits)));
    case isa::Type::D:
      return fmt::format("{}", static_cast<std::int32_t>(bits));
    case isa::Type::W:
      return fmt::format("{}", static_cast<std::int16_t>(bits));
    case isa::Type::B:
      return fmt::format("{}", static_cast<int>(static_cast<std::int8_t>(bits)));
    case isa::Type::Q:
      return fmt::format("{}", static_cast<std::int64_t>(bits));
    default:
      return fmt::format("{}", bits);
  }
}

// Of each 2x2 block its place stands in R1 (SIMD32: and R2).
std::optional<std::array<std::uint32_t, 2>> pixel_of(const machine::Thread& thread, std::uint32_t lane) {
  const machine::ThreadStart& start = thread.setup();
  if (start.pixels == nullptr || lane >= 32 || (start.dispatch_mask >> lane & 1u) == 0) return std::nullopt;
  const std::uint32_t grf = isa::platform_info(thread.code().platform).grf_bytes;
  return pixel_in(start.payload, grf, {start.pixels->fragment_size[0], start.pixels->fragment_size[1]}, lane);
}

std::optional<std::array<std::uint32_t, 2>> pixel_in(std::span<const std::uint8_t> payload, std::uint32_t grf_bytes,
                                                     std::array<std::uint32_t, 2> fragment_size, std::uint32_t lane) {
  const std::uint32_t block = lane / 4;
  const std::size_t at = std::size_t{grf_bytes} * (1 + block / 4) + 8 + std::size_t{4} * (block % 4);
  if (at + 4 > payload.size()) return std::nullopt;
  std::uint32_t corner = 0;
  std::memcpy(&corner, payload.data() + at, 4);
  return std::array<std::uint32_t, 2>{(corner & 0xffffu) + (lane & 1u) * fragment_size[0],
                                      (corner >> 16) + (lane >> 1 & 1u) * fragment_size[1]};
}

const machine::PreparedObject& object_of(const machine::Thread& thread, const machine::Decoded& d) {
  const auto has = [&](const machine::PreparedObject& o) {
    const std::less<const machine::Decoded*> before;
    return !o.code.empty() && !before(&d, o.code.data()) && before(&d, o.code.data() + o.code.size());
  };
  if (has(thread.object())) return thread.object();
  for (const machine::PreparedObject& o : thread.code().objects)
    if (has(o)) return o;
  return thread.object();
}

/// Lanes of a thread that shade the pixel.
static std::uint32_t lanes_at(const machine::Thread& thread, const std::array<std::uint32_t, 2>& pixel) {
  std::uint32_t lanes = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    if (pixel_of(thread, lane) == pixel) lanes |= 1u << lane;
  return lanes;
}

std::uint32_t TraceFilter::lanes_of(const machine::Thread& running) const {
  std::uint32_t lanes = lane ? 1u << *lane : 0xffffffffu;
  if (pixel) lanes &= lanes_at(running, *pixel);
  return lanes;
}

std::string TraceFilter::pixel_text(const machine::Thread& running) const {
  if (!pixel) return {};
  const std::uint32_t lanes = lanes_at(running, *pixel);
  std::string text = fmt::format("pixel {},{} is lane", (*pixel)[0], (*pixel)[1]);
  for (std::uint32_t k = 0; k < 32; ++k)
    if ((lanes >> k & 1u) != 0) text += fmt::format(" {}", k);
  return lanes != 0 ? text : std::string();
}

bool TraceFilter::lets(const machine::Thread& running, std::uint32_t lanes) const {
  const machine::ThreadStart& start = running.setup();
  if (group && start.group_id != *group) return false;
  if (thread && start.thread != *thread) return false;
  return (!lane && !pixel) || (lanes & lanes_of(running)) != 0;
}

namespace {

/// Elements that a direct vector destination now holds, for the lanes that were written.
std::string destination_text(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes,
                             std::uint32_t only) {
  if (d.destination < 0 || &object_of(thread, d) != &thread.object()) return {};
  const machine::PreparedObject& object = thread.object();
  const machine::Operand& dst = object.operands[d.first_operand + static_cast<std::uint32_t>(d.destination)];
  if (dst.kind != isa::OperandKind::General || dst.null || !dst.in_bounds) return {};
  std::string text;
  for (unsigned k = 0; k < d.lanes; ++k) {
    const std::uint32_t lane = k + d.mask_offset;
    if (((lanes & only) >> lane & 1u) == 0) continue;
    text += text.empty() ? " =" : "";
    text += " " + value_text(thread.registers().load(dst.base + dst.lane[k], dst.size), dst.type);
  }
  return text;
}

/// " P1 = 0000000f": all bits, and those of the lanes that are asked for.
std::string predicate_text(const machine::Thread& thread, std::uint32_t id, std::uint32_t only) {
  const isa::Object& object = *thread.object().object;
  if (id == 0 || id > object.predicates.size()) return {};
  const std::uint32_t bits = thread.registers().predicate(id);
  std::string text = fmt::format(" {} = {:08x}", object.predicates[id - 1].name, bits);
  if (only == 0xffffffffu) return text;
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    if ((only >> lane & 1u) != 0)
      text += fmt::format(", lane {}: {}", lane, (bits >> lane & 1u) != 0 ? "true" : "false");
  return text;
}

/// The predicates that an instruction wrote or read, its own among them.
std::string predicates_text(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t only) {
  const machine::PreparedObject& object = object_of(thread, d);
  if (&object != &thread.object()) return {};  // the registers are another activation's
  std::string text;
  std::vector<std::uint32_t> shown;
  const auto show = [&](std::uint32_t id) {
    if (std::ranges::find(shown, id) != shown.end()) return;
    shown.push_back(id);
    text += (text.empty() ? "" : ";") + predicate_text(thread, id, only);
  };
  for (unsigned k = 0; k < d.operand_count; ++k)
    if (const machine::Operand& o = object.operands[d.first_operand + k]; o.kind == isa::OperandKind::Predicate)
      show(o.id);
  if (d.predicate.present()) show(static_cast<std::uint32_t>(d.predicate.id()));
  return text.empty() ? text : fmt::format(" [{}]", text.substr(1));
}

}  // namespace

Tracer::Tracer(const isa::Program& program, TraceFilter filter, std::function<void(const std::string&)> write)
    : program_(program), filter_(std::move(filter)), write_(std::move(write)) {}

Tracer::~Tracer() = default;

const text::InstructionPrinter& Tracer::printer(const isa::Object& object) {
  std::unique_ptr<text::InstructionPrinter>& printer = printers_[&object];
  if (!printer) printer = std::make_unique<text::InstructionPrinter>(program_, object);
  return *printer;
}

bool Tracer::wanted(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes) const {
  if (!filter_.lets(thread, lanes)) return false;
  if (filter_.instructions && !filter_.instructions->contains(d.instruction)) return false;
  const std::uint32_t line = d.instruction->position.line;
  return !filter_.lines || (line >= filter_.lines->first && line <= filter_.lines->second);
}

void Tracer::memory(const machine::Thread& thread, const machine::Decoded& d, const machine::MemoryAccess& a) {
  if (!wanted(thread, d, 1u << a.lane % 32)) return;
  std::string& accesses = accesses_[&thread];
  constexpr std::size_t kMax = 1u << 16;
  if (accesses.size() > kMax) {
    if (!accesses.ends_with("...")) accesses += " ...";
    return;
  }
  constexpr std::string_view kKinds[] = {"surface", "slm", "scratch", "flat"};
  accesses += fmt::format(
      " {}{} {}{} lane {} at 0x{:x}+{}", a.atomic ? "atomic " : "", a.write ? "write" : "read",
      kKinds[static_cast<unsigned>(a.kind) & 3u],
      a.kind == machine::MemoryKind::Surface ? fmt::format(" {}", a.surface & ~machine::kByHandle) : std::string(),
      a.lane, a.address, a.bytes);
}

void Tracer::raw_result(const machine::Thread& thread, const machine::Decoded& d, const machine::Operand& operand,
                        std::uint32_t at, std::uint32_t size) {
  if (wanted(thread, d, 0xffffffffu))
    raw_results_[&thread].push_back({operand.base + at, size, operand.id, operand.root_begin});
}

/// "V34.0: 0.5 0.25 ...; V34.64: ...": the elements in the variable's type, a row for each register that one parameter
/// of all lanes takes; "-" stands for elements between others that were not written.
std::string Tracer::raw_text(const machine::Thread& thread, const machine::Decoded& d,
                             std::vector<RawResult> results) const {
  if (results.empty()) return {};
  std::ranges::stable_sort(results, {}, &RawResult::begin);
  const isa::Object& object = *thread.object().object;
  const auto info =
      isa::variable_info(object, results[0].variable, isa::platform_info(thread.code().platform).grf_bytes);
  const std::string name = info ? std::string(info->name) : fmt::format("V{}", results[0].variable);
  isa::Type type = info ? info->type : isa::Type::UD;
  // Lanes write elements of their own size: halves in a variable of floats are halves.
  std::uint32_t size = isa::type_bytes(type);
  const std::uint32_t smallest = std::ranges::min(results, {}, &RawResult::bytes).bytes;
  if (smallest < size) {
    size = smallest;
    type = size == 2   ? (type == isa::Type::F ? isa::Type::HF : isa::Type::UW)
           : size == 1 ? isa::Type::UB
                       : isa::Type::UD;
    if (size != 1 && size != 2 && size != 4) size = 1, type = isa::Type::UB;
  }
  const std::uint32_t shown = filter_.lanes_of(thread);
  const std::uint32_t row = std::max(1u, std::uint32_t{d.lanes} * size), from = results[0].from;
  std::string text;
  std::uint32_t next = 0;  // byte behind what was printed
  for (const RawResult& r : results)
    for (std::uint32_t at = std::max(r.begin, next); at + size <= r.begin + r.bytes; at += size) {
      const std::uint32_t start = from + (at - from) / row * row;
      if (next == 0 || next <= start) {
        text += fmt::format("{} {}.{}:", text.empty() ? " =" : ";", name, start - from);
        next = start;
      }
      for (; next + size <= at; next += size)
        if (shown == 0xffffffffu) text += " -";
      const std::uint32_t lane = (at - start) / size;
      if (lane < 32 && (shown >> lane & 1u) != 0) text += " " + value_text(thread.registers().load(at, size), type);
      next = at + size;
    }
  return text;
}

void Tracer::instruction(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes) {
  std::string accesses;
  if (const auto found = accesses_.find(&thread); found != accesses_.end()) accesses = std::exchange(found->second, {});
  std::vector<RawResult> results;
  if (const auto found = raw_results_.find(&thread); found != raw_results_.end())
    results = std::exchange(found->second, {});
  if (!wanted(thread, d, lanes)) return;
  const machine::ThreadStart& start = thread.setup();
  const isa::Object& object = *object_of(thread, d).object;
  std::string text =
      fmt::format("group {},{},{} thread {} ", start.group_id[0], start.group_id[1], start.group_id[2], start.thread);
  text += place_text(object, *d.instruction);
  std::string message = instructions::send::describe_instruction(object, *d.instruction, thread.code().platform);
  if (!message.empty()) message = fmt::format(" [{}]", message);
  const std::string pixel = filter_.pixel_text(thread);
  text += fmt::format(
      "lanes {:08x}{}: {}{}{}{}{}\n", lanes, pixel.empty() ? pixel : fmt::format(" ({})", pixel),
      printer(object).print(*d.instruction), message,
      destination_text(thread, d, lanes, filter_.lanes_of(thread)) + raw_text(thread, d, std::move(results)),
      predicates_text(thread, d, filter_.lanes_of(thread)), accesses);
  ++lines_;
  write_(text);
}

/// "line 48 (scene.frag:5) ": of the program, and what that was made from.
std::string Tracer::place_text(const isa::Object& object, const isa::Instruction& instruction) {
  std::string text;
  if (const std::uint32_t line = instruction.position.line; line != 0) {
    if (line_name_) text = line_name_(line);
    if (text.empty()) text = fmt::format("line {}", line);
  }
  auto found = sources_.find(&object);
  if (found == sources_.end()) found = sources_.emplace(&object, isa::SourceMap(object)).first;
  if (const auto source = found->second.find(instruction)) {
    const std::string place =
        fmt::format("{}:{}", source->file.substr(source->file.find_last_of('/') + 1), source->line);
    text += text.empty() ? place : fmt::format(" ({})", place);
  }
  return text.empty() ? text : text + " ";
}

void Coverage::instruction(const machine::Thread&, const machine::Decoded& d, std::uint32_t lanes) {
  Count& count = counts_[d.instruction];
  ++count.executions;
  count.lanes += static_cast<std::uint64_t>(std::popcount(lanes));
  descriptions_[d.instruction] = d.description;
}

namespace {
/// Whether it names a surface or a sampler, or has a payload that goes to memory.
bool is_message(const isa::InstructionDescription& d) {
  const bool memory = d.traits.any_memory || d.traits.lane_wise;
  return std::ranges::any_of(d.slots, [&](const isa::Slot& slot) {
    return slot.kind == isa::SlotKind::Surface || slot.kind == isa::SlotKind::Sampler ||
           (slot.kind == isa::SlotKind::Raw && memory);
  });
}
}  // namespace

std::vector<Coverage::Sum> Coverage::by_mnemonic() const {
  std::map<std::string_view, Sum> sums;
  for (const auto& [instruction, count] : counts_) {
    const isa::InstructionDescription& d = *descriptions_.at(instruction);
    Sum& sum = sums[d.mnemonic];
    sum.executions += count.executions;
    sum.message = is_message(d);
  }
  std::vector<Sum> list;
  for (auto& [mnemonic, sum] : sums) list.push_back({std::string(mnemonic), sum.executions, sum.message});
  std::sort(list.begin(), list.end(), [](const Sum& a, const Sum& b) {
    return a.executions != b.executions ? a.executions > b.executions : a.mnemonic < b.mnemonic;
  });
  return list;
}

std::string Coverage::listing(const isa::Program& program) const {
  std::string text;
  if (program.source) {
    std::map<std::uint32_t, Count> lines;
    std::map<std::uint32_t, bool> code;
    for (const isa::Object& object : program.objects)
      for (const isa::Instruction& i : object.instructions) {
        if (i.position.line == 0) continue;
        code[i.position.line] = true;
        if (const auto found = counts_.find(&i); found != counts_.end()) {
          lines[i.position.line].executions += found->second.executions;
          lines[i.position.line].lanes += found->second.lanes;
        }
      }
    std::uint32_t number = 1;
    std::string_view rest = *program.source;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const auto found = lines.find(number);
      if (found != lines.end())
        text += fmt::format("{:>10} {:>12} | ", found->second.executions, found->second.lanes);
      else
        text += code.contains(number) ? fmt::format("{:>10} {:>12} | ", "-", "-") : fmt::format("{:>23} | ", "");
      text += rest.substr(0, end);
      text += '\n';
      rest.remove_prefix(std::min(end + 1, rest.size()));
      ++number;
    }
    return text;
  }
  for (const isa::Object& object : program.objects) {
    text += object.name + ":\n";
    const text::InstructionPrinter printer(program, object);
    for (const isa::Instruction& i : object.instructions) {
      const auto found = counts_.find(&i);
      text += found != counts_.end() ? fmt::format("{:>10} {:>12} | ", found->second.executions, found->second.lanes)
                                     : fmt::format("{:>10} {:>12} | ", "-", "-");
      text += printer.print(i) + "\n";
    }
  }
  return text;
}

void Observers::instruction(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes) {
  for (machine::Observer* o : list_) o->instruction(thread, d, lanes);
}
void Observers::memory(const machine::Thread& thread, const machine::Decoded& d, const machine::MemoryAccess& access) {
  for (machine::Observer* o : list_)
    if (o->wants_memory()) o->memory(thread, d, access);
}
void Observers::texel(const texture::TexelTouch& touch) {
  for (machine::Observer* o : list_)
    if (o->wants_texels()) o->texel(touch);
}
void Observers::footprint(const machine::FootprintTouch& touch) {
  for (machine::Observer* o : list_)
    if (o->wants_texels()) o->footprint(touch);
}
void Observers::barrier(const machine::Thread& thread, std::uint32_t id) {
  for (machine::Observer* o : list_) o->barrier(thread, id);
}
void Observers::raw_result(const machine::Thread& thread, const machine::Decoded& d, const machine::Operand& operand,
                           std::uint32_t at, std::uint32_t size) {
  for (machine::Observer* o : list_)
    if (o->wants_raw_results()) o->raw_result(thread, d, operand, at, size);
}
bool Observers::wants_raw_results() const {
  return std::any_of(list_.begin(), list_.end(), [](const machine::Observer* o) { return o->wants_raw_results(); });
}
bool Observers::wants_memory() const {
  return std::any_of(list_.begin(), list_.end(), [](const machine::Observer* o) { return o->wants_memory(); });
}
bool Observers::wants_texels() const {
  return std::any_of(list_.begin(), list_.end(), [](const machine::Observer* o) { return o->wants_texels(); });
}

}  // namespace heddle::pipeline
