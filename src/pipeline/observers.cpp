#include "pipeline/observers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "base/half.hpp"
#include "instructions/send/message.hpp"
#include "machine/thread.hpp"
#include "text/text.hpp"

namespace heddle::pipeline {
namespace {

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

/// Elements that a direct vector destination now holds, for the lanes that were written.
std::string destination_text(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes,
                             const std::optional<std::uint32_t>& only) {
  if (d.destination < 0) return {};
  const machine::PreparedObject& object = thread.object();
  const machine::Operand& dst = object.operands[d.first_operand + static_cast<std::uint32_t>(d.destination)];
  if (dst.kind != isa::OperandKind::General || dst.null || !dst.in_bounds) return {};
  std::string text;
  for (unsigned k = 0; k < d.lanes; ++k) {
    const std::uint32_t lane = k + d.mask_offset;
    if ((lanes >> lane & 1u) == 0 || (only && lane != *only)) continue;
    text += text.empty() ? " =" : "";
    text += " " + value_text(thread.registers().load(dst.base + dst.lane[k], dst.size), dst.type);
    if (text.size() > 400) return text + " ...";
  }
  return text;
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
  const machine::ThreadStart& start = thread.setup();
  if (filter_.group && start.group_id != *filter_.group) return false;
  if (filter_.thread && start.thread != *filter_.thread) return false;
  if (filter_.lane && (lanes >> *filter_.lane & 1u) == 0) return false;
  const std::uint32_t line = d.instruction->position.line;
  return !filter_.lines || (line >= filter_.lines->first && line <= filter_.lines->second);
}

void Tracer::memory(const machine::Thread& thread, const machine::Decoded& d, const machine::MemoryAccess& a) {
  if (!wanted(thread, d, filter_.lane ? 1u << a.lane : 0xffffffffu) || (filter_.lane && a.lane != *filter_.lane))
    return;
  std::string& accesses = accesses_[&thread];
  if (accesses.size() > 400) return;
  constexpr std::string_view kKinds[] = {"surface", "slm", "scratch", "flat"};
  accesses += fmt::format(" {}{} {}{} lane {} at 0x{:x}+{}", a.atomic ? "atomic " : "", a.write ? "write" : "read",
                          kKinds[static_cast<unsigned>(a.kind) & 3u],
                          a.kind == machine::MemoryKind::Surface ? fmt::format(" {}", a.surface) : std::string(),
                          a.lane, a.address, a.bytes);
}

void Tracer::instruction(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes) {
  std::string accesses;
  if (const auto found = accesses_.find(&thread); found != accesses_.end()) accesses = std::exchange(found->second, {});
  if (!wanted(thread, d, lanes)) return;
  const machine::ThreadStart& start = thread.setup();
  const isa::Object& object = *thread.object().object;
  std::string text =
      fmt::format("group {},{},{} thread {} ", start.group_id[0], start.group_id[1], start.group_id[2], start.thread);
  if (d.instruction->position.line != 0) text += fmt::format("line {} ", d.instruction->position.line);
  std::string message = instructions::send::describe_instruction(object, *d.instruction, thread.code().platform);
  if (!message.empty()) message = fmt::format(" [{}]", message);
  text += fmt::format("lanes {:08x}: {}{}{}{}\n", lanes, printer(object).print(*d.instruction), message,
                      destination_text(thread, d, lanes, filter_.lane), accesses);
  ++lines_;
  write_(text);
}

void Coverage::instruction(const machine::Thread&, const machine::Decoded& d, std::uint32_t lanes) {
  Count& count = counts_[d.instruction];
  ++count.executions;
  count.lanes += static_cast<std::uint64_t>(std::popcount(lanes));
  descriptions_[d.instruction] = d.description;
}

std::vector<std::pair<std::string, std::uint64_t>> Coverage::by_mnemonic() const {
  std::map<std::string, std::uint64_t> sums;
  for (const auto& [instruction, count] : counts_)
    sums[std::string(descriptions_.at(instruction)->mnemonic)] += count.executions;
  std::vector<std::pair<std::string, std::uint64_t>> list(sums.begin(), sums.end());
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
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
void Observers::barrier(const machine::Thread& thread, std::uint32_t id) {
  for (machine::Observer* o : list_) o->barrier(thread, id);
}
bool Observers::wants_memory() const {
  return std::any_of(list_.begin(), list_.end(), [](const machine::Observer* o) { return o->wants_memory(); });
}
bool Observers::wants_texels() const {
  return std::any_of(list_.begin(), list_.end(), [](const machine::Observer* o) { return o->wants_texels(); });
}

}  // namespace heddle::pipeline
