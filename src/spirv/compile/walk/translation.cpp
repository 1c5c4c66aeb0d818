// The walk over a module: reading it, calls, blocks, instructions.
// Rules: SPV-1, SPV-5 to SPV-7, SPV-17.
#include "spirv/compile/core/context.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <spirv/unified1/spirv.hpp11>

#include "base/fixed_limits.hpp"
#include "isa/quad_remark.hpp"
#include "spirv/compile/module/functions.hpp"
#include "spirv/compile/walk/handlers.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

namespace {

std::vector<Part> zeros(ShaderTranslator& t, std::uint32_t type) {
  std::vector<Part> parts;
  for (const isa::Type scalar : t.scalars(type)) parts.push_back(constant(scalar, 0));
  return parts;
}

}  // namespace

ShaderTranslator::ShaderTranslator(const Module& m, const CompileOptions& o, base::Diagnostics& d)
    : module(m), options(o), diagnostics(d), b(o.platform, o.simd) {
  read_module();
}
ShaderTranslator::~ShaderTranslator() = default;

void ShaderTranslator::read_module() {
  for (const Instruction& i : module.instructions) {
    if (i.opcode == static_cast<std::uint16_t>(Spv::OpCapability) && !i.operands.empty()) {
      const auto capability = static_cast<spv::Capability>(i.operands[0]);
      shared_pointers_ = shared_pointers_ || capability == spv::Capability::VariablePointers;
      buffer_pointers_ =
          buffer_pointers_ || shared_pointers_ || capability == spv::Capability::VariablePointersStorageBuffer;
    }
    if (i.opcode == static_cast<std::uint16_t>(Spv::OpDecorate) && i.operands.size() >= 2)
      decorations_[i.operands[0]].push_back({i.operands[1], i.operands.subspan(2)});
    else if (i.opcode == static_cast<std::uint16_t>(Spv::OpMemberDecorate) && i.operands.size() >= 3)
      member_decorations_[{i.operands[0], i.operands[1]}].push_back({i.operands[2], i.operands.subspan(3)});
    else if (i.opcode == static_cast<std::uint16_t>(Spv::OpMemberName) && i.operands.size() >= 3)
      member_names_[{i.operands[0], i.operands[1]}] = Module::string_at(i.operands, 2);
    else if (i.opcode == static_cast<std::uint16_t>(Spv::OpFunction))
      break;
  }
  // Decoration groups: what the group has, its targets have.
  for (const Instruction& i : module.instructions) {
    if (i.opcode == static_cast<std::uint16_t>(Spv::OpFunction)) break;
    if (i.operands.empty()) continue;
    const auto group = decorations_.find(i.operands[0]);
    if (group == decorations_.end()) continue;
    const std::vector<Decoration> list = group->second;
    if (i.opcode == static_cast<std::uint16_t>(Spv::OpGroupDecorate))
      for (std::size_t k = 1; k < i.operands.size(); ++k)
        decorations_[i.operands[k]].insert(decorations_[i.operands[k]].end(), list.begin(), list.end());
    else if (i.opcode == static_cast<std::uint16_t>(Spv::OpGroupMemberDecorate))
      for (std::size_t k = 1; k + 1 < i.operands.size(); k += 2) {
        std::vector<Decoration>& to = member_decorations_[{i.operands[k], i.operands[k + 1]}];
        to.insert(to.end(), list.begin(), list.end());
      }
  }
  has_lines_ = std::ranges::any_of(module.instructions, [](const Instruction& i) { return i.source_line != 0; });
  find_dynamic();
}

std::optional<std::span<const std::uint32_t>> ShaderTranslator::decoration(std::uint32_t id, std::uint32_t kind) const {
  if (const auto found = decorations_.find(id); found != decorations_.end())
    for (const Decoration& d : found->second)
      if (d.kind == kind) return d.operands;
  return std::nullopt;
}

std::optional<std::span<const std::uint32_t>> ShaderTranslator::member_decoration(std::uint32_t type,
                                                                                  std::uint32_t member,
                                                                                  std::uint32_t kind) const {
  if (const auto found = member_decorations_.find({type, member}); found != member_decorations_.end())
    for (const Decoration& d : found->second)
      if (d.kind == kind) return d.operands;
  return std::nullopt;
}

std::string ShaderTranslator::name_of(std::uint32_t id, std::string_view otherwise) const {
  const auto found = module.names.find(id);
  return found == module.names.end() || found->second.empty() ? std::string(otherwise) : found->second;
}

std::string ShaderTranslator::member_name(std::uint32_t type, std::uint32_t member) const {
  const auto found = member_names_.find({type, member});
  return found == member_names_.end() ? fmt::format("m{}", member) : found->second;
}

void ShaderTranslator::refuse(std::string reason) {
  if (at == nullptr || !refused_.insert(at->offset).second) return;
  base::Diagnostic d =
      base::error("compile-unsupported", fmt::format("{}: {}", opcode_name(at->opcode), reason), module.place(*at));
  if (at->source_line != 0) {
    const std::string file = module.source_file(*at);
    d.note(fmt::format("from {}:{}", file.empty() ? "line" : file, at->source_line));
  }
  diagnostics.add(std::move(d));
}

const Value& ShaderTranslator::unread_value(std::uint32_t id) {
  const auto found = values_.find(id);
  return found != values_.end() ? found->second : value(id);
}

const Value& ShaderTranslator::value(std::uint32_t id) {
  if (const auto found = values_.find(id); found != values_.end()) {
    const Value& known = found->second;
    if (known.pointer == nullptr || !known.parts.empty() || pointer_scalars(known.pointer->storage_class) == 0)
      return known;
    // Written at each use: lanes of another branch may not have passed the first one.
    Value v = known;
    v.parts = pointer_parts(*known.pointer);
    return pointer_values_[id] = std::move(v);
  }
  Value v;
  if (const Instruction* i = module.find(id)) {
    if (i->opcode == static_cast<std::uint16_t>(Spv::OpUndef)) {
      v.type = i->type;
      for (const isa::Type t : scalars(i->type)) v.parts.push_back(Part{}.as(t));
    } else {
      v = constant_value(*i);
    }
  }
  return values_[id] = std::move(v);
}

Part ShaderTranslator::part(std::uint32_t id, unsigned index) {
  const Value& v = value(id);
  if (index >= v.parts.size()) {
    const std::vector<isa::Type> types = scalars(module.type_of(id));
    return constant(index < types.size() ? types[index] : isa::Type::UD, 0);
  }
  Part p = v.parts[index];
  if (p.kind == Part::Kind::Undefined) {
    p.kind = Part::Kind::Constant;
    p.bits = 0;
  }
  return p;
}

void ShaderTranslator::set(std::uint32_t id, Value v) { values_[id] = std::move(v); }

void ShaderTranslator::set(std::vector<Part> parts) {
  Value v;
  v.type = at->type;
  v.parts = std::move(parts);
  values_[at->result] = std::move(v);
}

Part ShaderTranslator::result(isa::Type t, unsigned index) {
  static constexpr std::string_view kComponents[] = {"x", "y", "z", "w"};
  const TypeInfo& info = type(at->type);
  const bool vector = info.op == static_cast<std::uint16_t>(Spv::OpTypeVector);
  const std::string name = name_of(at->result, "t");
  return b.lanes(t, vector && index < 4 && name != "t" ? fmt::format("{}_{}", name, kComponents[index]) : name);
}

Guard ShaderTranslator::both(const Guard& x, const Guard& y) {
  if (x.predicate.kind != Part::Kind::Predicate) return y;
  if (y.predicate.kind != Part::Kind::Predicate) return x;
  const auto plain = [&](const Guard& g) {
    if (!g.inverse) return g.predicate;
    const Part p = b.predicate("p");
    b.op("not", p, {g.predicate});
    return p;
  };
  const Part p = b.predicate("p");
  b.op("and", p, {plain(x), plain(y)});
  return {p, false, false};
}

/// Lanes that are covered and not discarded: bits 15:0 of R1.7 (SIMD32: and of R2.7) at the start.
Guard ShaderTranslator::live() {
  if (stage != isa::ShaderStage::Fragment) return {};
  if (live_.kind != Part::Kind::Predicate) {
    live_ = b.predicate("live");
    b.at_start([&] {
      for (unsigned start = 0; start < b.simd(); start += 16) {
        const unsigned lanes = std::min(16u, b.simd());
        Part enables = subspans.as(isa::Type::UW);
        enables.offset = start / 16 * 32 + 28;
        b.instruction("setp", {start, lanes}, {b.name(live_), b.source(enables, kOneLane)}, every_lane());
      }
    });
  }
  return {live_, false, false};
}

void ShaderTranslator::discard() {
  const Part lanes = live().predicate;
  discards = true;
  b.remark(isa::kDemoteRemark);
  const Part lane = b.lane_numbers();
  b.op("cmp.ne", lanes, {lane, lane});  // only active lanes' bits are written: theirs are cleared
}

Part ShaderTranslator::add_input(isa::Type t, std::string_view hint, unsigned elements) {
  const Part p = elements == 0 ? b.lanes(t, hint) : b.array(t, hint, elements);
  const std::uint32_t bytes = (elements == 0 ? b.simd() : elements) * isa::type_bytes(t);
  b.input(p, next_input, bytes);
  next_input += (bytes + b.grf() - 1) / b.grf() * b.grf();
  return p;
}

const Part& ShaderTranslator::kept_input(std::optional<Part>& kept, isa::Type type, std::string_view hint,
                                         std::string_view value) {
  if (!kept) {
    kept = add_input(type, hint);
    b.interface_line(fmt::format("value {} {}", b.name(*kept), value));
  }
  return *kept;
}

/// The place that the next lines of text are made from. An assembly without lines of its own is the source itself.
void ShaderTranslator::source_line(const Instruction& i) {
  if (has_lines_) {
    if (i.source_line == 0) return;
    if (i.source_file != last_file_id_ || last_file_.empty()) {
      last_file_id_ = i.source_file;
      last_file_ = module.source_file(i);
      if (last_file_.empty()) last_file_ = module.file;
    }
    b.source_line(last_file_, i.source_line, i.source_column);
  } else if (i.line != 0) {
    b.source_line(module.file, i.line, i.column);
  }
}

void ShaderTranslator::instruction(const Instruction& i) {
  at = &i;
  b.set_origin(static_cast<std::uint32_t>(&i - module.instructions.data()));
  switch (static_cast<Spv>(i.opcode)) {
    case Spv::OpLine:
    case Spv::OpNoLine:
    case Spv::OpName:
    case Spv::OpNop:
    case Spv::OpLabel:
    case Spv::OpUndef:
    case Spv::OpSelectionMerge:
    case Spv::OpLoopMerge:
    case Spv::OpPhi:
      return;
    case Spv::OpFunctionCall:
      source_line(i);
      call(i);
      return;
    case Spv::OpDemoteToHelperInvocation:
      source_line(i);
      discard();
      return;
    case Spv::OpIsHelperInvocationEXT: {
      const Part helper = b.predicate("helper");
      b.op("not", helper, {live().predicate});
      set({helper});
      return;
    }
    default:
      break;
  }
  source_line(i);
  if (i.result != 0 && i.type != 0 && type(i.type).flat > base::kValueScalars) {
    refuse(fmt::format("a value of more than {} scalars", base::kValueScalars));
    set(i.result, {i.type, {}, nullptr, nullptr});
    return;
  }
  const Handler handler = find_handler(i.opcode);
  if (handler == nullptr) {
    refuse("this instruction is not supported");
    if (i.result != 0) set(zeros(*this, i.type));
    return;
  }
  b.round_to_zero(rounds_to_zero(i));
  by_element(indexed_arrays(i), [&] { handler(*this); });
  flush_result(i);
  if (i.result != 0 && values_.find(i.result) == values_.end()) set(zeros(*this, i.type));
}

void ShaderTranslator::call(const Instruction& i) {
  const Function& callee = function(i.operands[0]);
  work_ += 1 + callee.block_of.size();
  if (depth_ >= 64 || b.instructions() > base::kCompiledInstructions || work_ > 4 * base::kCompiledInstructions) {
    diagnostics.add(
        base::limit_error("compile-limit", "calls make the program longer than the compiler allows", module.place(i)));
    stopped_ = true;
    return;
  }
  for (std::size_t k = 0; k < callee.parameters.size() && k + 1 < i.operands.size(); ++k)
    set(callee.parameters[k], Value(unread_value(i.operands[k + 1])));
  CallFrame frame;
  frame.return_label = b.label(name_of(callee.id, "function") + "_end");
  if (i.type != 0 && type(i.type).flat != 0)
    frame.returned = new_storage(i.type, name_of(callee.id, "result") + "_result");
  const auto home = frame_->function->block_of.find(static_cast<std::size_t>(&i - module.instructions.data()));
  frame.in_loop = frame_->in_loop ||
                  (home != frame_->function->block_of.end() && frame_->function->blocks.at(home->second).in_loop);
  ++depth_;
  body(callee, frame);
  --depth_;
  if (frame.return_used) b.place(frame.return_label);
  at = &i;
  if (i.result != 0 && frame.returned != nullptr) set(*frame.returned);
}

/// All types are looked at in the module's order, so that no walk into them goes deep; so are constants made of others.
bool ShaderTranslator::types_are_shallow() {
  for (const Instruction& i : module.instructions) {
    const auto op = static_cast<Spv>(i.opcode);
    if (op == Spv::OpFunction) break;
    if (op == Spv::OpSpecConstantOp) (void)value(i.result);
    if (op < Spv::OpTypeVoid || op > Spv::OpTypeFunction || type(i.result).depth <= base::kTypeDepth) continue;
    diagnostics.add(base::limit_error("compile-limit", fmt::format("types nest more than {} deep", base::kTypeDepth),
                                      module.place(i)));
    return false;
  }
  return true;
}

/// The instructions of a function, its OpFunction first; none where the id is not defined.
std::span<const Instruction> ShaderTranslator::instructions_of(std::uint32_t function) const {
  const auto start = module.definition.find(function);
  if (start == module.definition.end()) return {};
  const std::span<const Instruction> rest = std::span(module.instructions).subspan(start->second);
  const auto end = std::ranges::find(rest, static_cast<std::uint16_t>(Spv::OpFunctionEnd), &Instruction::opcode);
  return rest.first(static_cast<std::size_t>(end - rest.begin()));
}

/// Ids of the functions that the entry point reaches.
std::set<std::uint32_t> ShaderTranslator::reachable_functions() const {
  std::set<std::uint32_t> functions{entry.function};
  std::vector<std::uint32_t> pending{entry.function};
  while (!pending.empty()) {
    const std::uint32_t function = pending.back();
    pending.pop_back();
    for (const Instruction& i : instructions_of(function))
      if (static_cast<Spv>(i.opcode) == Spv::OpFunctionCall && functions.insert(i.operands[0]).second)
        pending.push_back(i.operands[0]);
  }
  return functions;
}

/// Words of the functions that the entry point reaches: variables that are not among them belong to other entry points.
std::set<std::uint32_t> ShaderTranslator::used_words() const {
  std::set<std::uint32_t> words;
  for (const std::uint32_t function : reachable_functions())
    for (const Instruction& i : instructions_of(function)) words.insert(i.operands.begin(), i.operands.end());
  return words;
}

/// The first instruction of a ray query that the entry point reaches; nullptr: there is none.
const Instruction* ShaderTranslator::first_ray_query() const {
  if (std::none_of(module.instructions.begin(), module.instructions.end(),
                   [](const Instruction& i) { return static_cast<Spv>(i.opcode) == Spv::OpTypeRayQueryKHR; }))
    return nullptr;
  for (const std::uint32_t function : reachable_functions())
    for (const Instruction& i : instructions_of(function))
      if (opcode_name(i.opcode).starts_with("OpRayQuery")) return &i;
  return nullptr;
}

bool ShaderTranslator::run(const Instruction& point) {
  const auto known = isa::stage_of_model(point.operands[0]);
  entry.function = point.operands[1];
  entry.name = Module::string_at(point.operands, 2);
  const std::size_t name_words = entry.name.size() / 4 + 1;
  for (std::size_t k = 2 + name_words; k < point.operands.size(); ++k) entry.interface_ids.push_back(point.operands[k]);
  for (const Instruction& i : module.instructions) {
    const auto op = static_cast<Spv>(i.opcode);
    if ((op != Spv::OpExecutionMode && op != Spv::OpExecutionModeId) || i.operands.size() < 2 ||
        i.operands[0] != entry.function)
      continue;
    std::vector<std::uint32_t>& words = entry.modes[i.operands[1]];
    for (const std::uint32_t word : i.operands.subspan(2))
      words.push_back(op == Spv::OpExecutionMode ? word : static_cast<std::uint32_t>(constant_of(word).value_or(0)));
  }
  read_float_modes();
  at = &point;
  b.set_origin(static_cast<std::uint32_t>(&point - module.instructions.data()));
  const std::unique_ptr<Stage> entry_stage = known ? make_stage(*known) : nullptr;
  if (entry_stage == nullptr) {
    refuse(fmt::format("only {} shaders are compiled", isa::compiled_stage_names("and")));
    return false;
  }
  stage = *known;
  if (!types_are_shallow()) return false;
  if (const Instruction* query = first_ray_query(); query != nullptr) {
    at = query;
    refuse("ray queries are not supported: there is nothing that rays could meet");
    return false;
  }
  kills =
      stage == isa::ShaderStage::Fragment &&
      std::any_of(module.instructions.begin(), module.instructions.end(), [](const Instruction& i) {
        return static_cast<Spv>(i.opcode) == Spv::OpKill || static_cast<Spv>(i.opcode) == Spv::OpTerminateInvocation;
      });
  const std::set<std::uint32_t> used = used_words();
  b.interface_line("interface 1");
  for (const Instruction& i : module.instructions) {
    if (static_cast<Spv>(i.opcode) == Spv::OpFunction) break;
    if (static_cast<Spv>(i.opcode) != Spv::OpVariable) continue;
    at = &i;
    const auto storage = static_cast<spv::StorageClass>(i.operands[0]);
    if (storage != spv::StorageClass::Input && storage != spv::StorageClass::Output && used.contains(i.result))
      variable(i);
  }
  at = &point;
  entry_stage->begin(*this);
  if (stopped_) return false;
  write_float_modes();
  CallFrame frame;
  frame.return_label = b.label("shader_end");
  end_label = frame.return_label;
  body(function(entry.function), frame);
  if (frame.return_used || end_used_) b.place(end_label);
  at = &point;
  b.round_to_zero(false);
  entry_stage->end(*this);
  b.instruction("ret", kOneLane, {}, every_lane());
  if (shared_bytes != 0) b.kernel_attribute(fmt::format("SLMSize={}", shared_bytes));
  if (scratch_dwords != 0)
    b.kernel_attribute(fmt::format("SpillMemOffset={}", (scratch_dwords * b.simd() * 4 + 1023) / 1024 * 1024));
  if (diagnostics.has_errors()) return false;
  if (const auto origin = b.fit_predicates(options.predicates)) {
    diagnostics.add(base::limit_error(
        "compile-limit", fmt::format("more than {} booleans and conditions are needed at once", options.predicates),
        module.place(module.instructions[*origin])));
    return false;
  }
  return true;
}

}  // namespace heddle::spirv::compiler
