// SPDX-License-Identifier: MIT
#include "tools/diff/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "isa/description.hpp"
#include "isa/platform.hpp"
#include "text/text.hpp"

namespace heddle::tools {
namespace {

using Json = nlohmann::ordered_json;

struct Where {
  std::string file;
  std::uint32_t line = 0;         ///< 0: the program is no text
  std::uint32_t instruction = 0;  ///< number in its object
};

Where where(const VisaFile& file, const isa::Object& object, const isa::Instruction& instruction) {
  Where w{file.name, 0, static_cast<std::uint32_t>(&instruction - object.instructions.data())};
  if (instruction.position.line == 0) return w;
  base::Place place = base::Place::text(file.name, instruction.position.line, 1);
  job::place_in_part(place, file.name, file.parts);
  return {place.file, place.line, w.instruction};
}

std::string where_text(const VisaFile& file, const isa::Object& object, const isa::Instruction& instruction) {
  const Where w = where(file, object, instruction);
  return w.line != 0 ? fmt::format("{}:{}", w.file, w.line) : fmt::format("{}: instruction {}", w.file, w.instruction);
}

std::string title(const isa::Object& object) {
  return fmt::format("{} \"{}\"", object.kind == isa::ObjectKind::Kernel ? "kernel" : "function", object.name);
}

struct Counts {
  std::size_t same = 0, changed = 0, only_a = 0, only_b = 0;
};
Counts count(const Alignment& alignment) {
  Counts c;
  for (const StepPair& p : alignment.pairs)
    ++(p.kind == PairKind::Same      ? c.same
       : p.kind == PairKind::Changed ? c.changed
       : p.kind == PairKind::OnlyA   ? c.only_a
                                     : c.only_b);
  return c;
}

/// One object, line by line.
class Unified {
 public:
  Unified(const ProgramDiff& diff, const ObjectDiff& object, const ReportOptions& options)
      : diff_(diff),
        o_(object),
        options_(options),
        print_a_(*object.a.program, *object.a.object),
        print_b_(*object.b.program, *object.b.object) {}

  std::string run() {
    const auto& pairs = o_.alignment.pairs;
    std::vector<bool> shown(pairs.size(), pressure());
    for (std::size_t k = 0; k < pairs.size(); ++k)
      if (pairs[k].kind != PairKind::Same)
        for (std::size_t n = k - std::min<std::size_t>(k, options_.context);
             n <= k + options_.context && n < pairs.size(); ++n)
          shown[n] = true;
    if (pressure()) {
      out_ += fmt::format("{:>7} {:>7}  live bytes behind each instruction; * marks the most\n", "a", "b");
      out_ += fmt::format("{:>7} {:>7}  at the start\n", o_.pressure_a->start.bytes, o_.pressure_b->start.bytes);
    }
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      if (!shown[k]) continue;
      if (k != 0 && !shown[k - 1]) paint("36", "...\n");
      line(pairs[k]);
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool pressure() const { return o_.pressure_a && o_.pressure_b; }
  void paint(const char* color, const std::string& text) {
    out_ += options_.color ? fmt::format("\x1b[{}m{}\x1b[0m{}", color, text.substr(0, text.size() - 1), "\n") : text;
  }
  [[nodiscard]] std::string live(const std::optional<verify::Pressure>& p, const Sequence& s,
                                 std::uint32_t step) const {
    if (step == kNothing) return fmt::format("{:>7}", "");
    const auto i = static_cast<std::uint32_t>(s.steps[step].instruction - s.object->instructions.data());
    return fmt::format("{:>6}{}", p->behind[i].bytes, i == p->greatest ? "*" : " ");
  }
  [[nodiscard]] std::string number(const VisaFile& file, const Sequence& s, std::uint32_t step) const {
    if (step == kNothing) return {};
    const Where w = where(file, *s.object, *s.steps[step].instruction);
    return fmt::to_string(w.line != 0 ? w.line : w.instruction);
  }
  void row(char mark, const char* color, std::uint32_t a, std::uint32_t b, const std::string& text) {
    std::string line = fmt::format("{} {:>5} {:>5} ", mark, number(*diff_.a, o_.a, a), number(*diff_.b, o_.b, b));
    if (pressure()) line = live(o_.pressure_a, o_.a, a) + " " + live(o_.pressure_b, o_.b, b) + "  " + line;
    line += " " + text + "\n";
    if (color != nullptr)
      paint(color, line);
    else
      out_ += line;
  }
  void line(const StepPair& p) {
    const std::string a = p.a == kNothing ? std::string() : print_a_.print(*o_.a.steps[p.a].instruction);
    const std::string b = p.b == kNothing ? std::string() : print_b_.print(*o_.b.steps[p.b].instruction);
    if (p.kind == PairKind::Same) return row(' ', nullptr, p.a, p.b, a);
    if (p.a != kNothing) row('-', "31", p.a, kNothing, a);
    if (p.b != kNothing) row('+', "32", kNothing, p.b, b);
  }

  const ProgramDiff& diff_;
  const ObjectDiff& o_;
  const ReportOptions& options_;
  text::InstructionPrinter print_a_, print_b_;
  std::string out_;
};

std::string printed(const VisaFile& file, const Executed& e) {
  if (e.instruction == nullptr) return "(this thread executes no further instruction of those that both have)";
  return text::InstructionPrinter(*file.program, *e.object).print(*e.instruction);
}
std::string place_of(const VisaFile& file, const Executed& e) {
  return e.instruction == nullptr ? file.name : where_text(file, *e.object, *e.instruction);
}

std::string first_text(const ProgramDiff& diff) {
  const FirstDifference& d = *diff.first;
  std::string who = fmt::format("group {},{},{} thread {}", d.group[0], d.group[1], d.group[2], d.thread);
  if (d.lane) who += fmt::format(", lane {}", *d.lane);
  if (d.pixel) who += fmt::format(", pixel {},{}", (*d.pixel)[0], (*d.pixel)[1]);
  if (!d.part.empty()) who += ", " + d.part;
  const char* what = d.what == FirstDifference::What::Value   ? "first result that differs"
                     : d.what == FirstDifference::What::Lanes ? "first instruction that other lanes execute"
                                                              : "first place where the ways part";
  std::string text = fmt::format("{}: {}\n", what, who);
  const auto side = [&](const VisaFile& file, const Executed& e) {
    text += fmt::format("  {}: {}", place_of(file, e), printed(file, e));
    if (d.what == FirstDifference::What::Value) text += " = " + e.value;
    if (d.what == FirstDifference::What::Lanes) text += fmt::format(" (lanes {:08x})", e.lanes);
    text += "\n";
  };
  side(*diff.a, d.a);
  side(*diff.b, d.b);
  return text;
}

std::string greatest_text(const VisaFile& file, const Sequence& s, const verify::Pressure& p) {
  const unsigned grf = isa::platform_info(file.platform.value_or(isa::Platform::SKL)).grf_bytes;
  const std::string at = p.greatest < p.behind.size() ? where_text(file, *s.object, s.object->instructions[p.greatest])
                                                      : file.name + ", at the start";
  return fmt::format("most live bytes: {} ({} registers of {} bytes), {}\n", p.most().bytes,
                     (p.most().bytes + grf - 1) / grf, grf, at);
}

Json side_json(const VisaFile& file, const Sequence& s, std::uint32_t step, const text::InstructionPrinter& printer) {
  const isa::Instruction& i = *s.steps[step].instruction;
  const Where w = where(file, *s.object, i);
  Json j{{"file", w.file}};
  if (w.line != 0) j["line"] = w.line;
  j["instruction"] = w.instruction;
  j["text"] = printer.print(i);
  return j;
}

Json pressure_json(const VisaFile& file, const Sequence& s, const verify::Pressure& p) {
  Json lines = Json::array();
  const auto at = [](const verify::Pressure::At& a) {
    return Json{{"bytes", a.bytes}, {"addresses", a.addresses}, {"predicates", a.predicates}};
  };
  for (const Step& step : s.steps) {
    const auto i = static_cast<std::uint32_t>(step.instruction - s.object->instructions.data());
    Json line = at(p.behind[i]);
    const Where w = where(file, *s.object, *step.instruction);
    if (w.line != 0) line["line"] = w.line;
    line["instruction"] = i;
    if (i == p.greatest) line["greatest"] = true;
    lines.push_back(std::move(line));
  }
  return {{"start", at(p.start)}, {"greatest", p.most().bytes}, {"lines", std::move(lines)}};
}

Json object_json(const ProgramDiff& diff, const ObjectDiff& o) {
  const text::InstructionPrinter print_a(*o.a.program, *o.a.object), print_b(*o.b.program, *o.b.object);
  const Counts c = count(o.alignment);
  Json changes = Json::array();
  for (const StepPair& p : o.alignment.pairs) {
    if (p.kind == PairKind::Same) continue;
    Json change{{"kind", p.kind == PairKind::Changed ? "changed" : p.kind == PairKind::OnlyA ? "only_a" : "only_b"}};
    if (p.a != kNothing) change["a"] = side_json(*diff.a, o.a, p.a, print_a);
    if (p.b != kNothing) change["b"] = side_json(*diff.b, o.b, p.b, print_b);
    changes.push_back(std::move(change));
  }
  Json j{{"kind", o.a.object->kind == isa::ObjectKind::Kernel ? "kernel" : "function"},
         {"a", o.a.object->name},
         {"b", o.b.object->name},
         {"same", c.same},
         {"changed", c.changed},
         {"only_a", c.only_a},
         {"only_b", c.only_b},
         {"changes", std::move(changes)},
         {"declarations", o.declarations}};
  if (o.pressure_a) j["pressure_a"] = pressure_json(*diff.a, o.a, *o.pressure_a);
  if (o.pressure_b) j["pressure_b"] = pressure_json(*diff.b, o.b, *o.pressure_b);
  return j;
}

Json executed_json(const VisaFile& file, const FirstDifference& d, const Executed& e) {
  Json j{{"file", file.name}};
  if (e.instruction != nullptr) {
    const Where w = where(file, *e.object, *e.instruction);
    j["file"] = w.file;
    if (w.line != 0) j["line"] = w.line;
    j["instruction"] = w.instruction;
    j["text"] = printed(file, e);
    j["lanes"] = fmt::format("0x{:08x}", e.lanes);
  }
  if (d.what == FirstDifference::What::Value) j["value"] = e.value;
  return j;
}

}  // namespace

bool ProgramDiff::same_instructions() const {
  return only_a.empty() && only_b.empty() &&
         std::ranges::all_of(objects, [](const ObjectDiff& o) { return o.alignment.same() && o.declarations.empty(); });
}

std::vector<std::string> compare_declarations(const Sequence& a, const Sequence& b, const Correspondence& variables) {
  std::vector<std::string> list;
  const isa::Object &x = *a.object, &y = *b.object;
  for (std::uint32_t v = 0; v < x.variables.size(); ++v) {
    const std::uint32_t partner = variables.partner(ReferenceKind::General, v + isa::kFirstVariable);
    if (partner == kNothing || partner < isa::kFirstVariable) continue;
    const isa::GeneralVariable &p = x.variables[v], &q = y.variables[partner - isa::kFirstVariable];
    const auto bytes = [](const isa::GeneralVariable& g) {
      return std::uint64_t{g.elements} * isa::type_bytes(g.type);
    };
    if (bytes(p) != bytes(q))
      list.push_back(fmt::format("variable {} has {} bytes, {} has {}", p.name, bytes(p), q.name, bytes(q)));
  }
  const auto input = [](const isa::Input& i) {
    return fmt::format("kind {}, bytes {} to {}", i.kind_bits, i.offset, i.offset + i.size);
  };
  if (x.inputs.size() != y.inputs.size())
    list.push_back(fmt::format("{} inputs, {} inputs", x.inputs.size(), y.inputs.size()));
  for (std::size_t k = 0; k < std::min(x.inputs.size(), y.inputs.size()); ++k)
    if (input(x.inputs[k]) != input(y.inputs[k]))
      list.push_back(fmt::format("input {}: {}; {}", k, input(x.inputs[k]), input(y.inputs[k])));
  const auto attribute = [](const isa::Object& o, std::string_view name) {
    const isa::Attribute* found = o.attribute(name);
    if (found == nullptr) return std::string("not there");
    if (found->value.empty()) return std::string("set");
    if (const auto number = o.integer_attribute(name); number && !found->is_string) return fmt::to_string(*number);
    return base::json_quote(std::string_view(reinterpret_cast<const char*>(found->value.data()), found->value.size()));
  };
  std::vector<std::string_view> names;
  for (const isa::Object* o : {&x, &y})
    for (const isa::Attribute& n : o->attributes)
      if (n.name != "OutputAsmPath" && std::ranges::find(names, n.name) == names.end()) names.push_back(n.name);
  for (const std::string_view name : names) {
    const isa::Attribute *p = x.attribute(name), *q = y.attribute(name);
    const auto number_p = x.integer_attribute(name), number_q = y.integer_attribute(name);
    const bool same = p != nullptr && q != nullptr && (p->value == q->value || (number_p && number_p == number_q));
    if (!same) list.push_back(fmt::format("attribute {}: {}; {}", name, attribute(x, name), attribute(y, name)));
  }
  return list;
}

std::string diff_text(const ProgramDiff& diff, const ReportOptions& options) {
  std::string out;
  for (const std::string& name : diff.only_a) out += fmt::format("only in {}: {}\n", diff.a->name, name);
  for (const std::string& name : diff.only_b) out += fmt::format("only in {}: {}\n", diff.b->name, name);
  for (const ObjectDiff& o : diff.objects) {
    const Counts c = count(o.alignment);
    const bool same = o.alignment.same() && o.declarations.empty();
    if (!same || o.pressure_a) {
      out +=
          fmt::format("--- {}: {}\n+++ {}: {}\n", diff.a->name, title(*o.a.object), diff.b->name, title(*o.b.object));
      for (const std::string& d : o.declarations) out += "! " + d + "\n";
      out += Unified(diff, o, options).run();
      if (o.pressure_a) out += greatest_text(*diff.a, o.a, *o.pressure_a) + greatest_text(*diff.b, o.b, *o.pressure_b);
    }
    if (!options.quiet)
      out += c.changed + c.only_a + c.only_b == 0
                 ? fmt::format("{}: no instruction differs, of {}\n", title(*o.a.object), c.same)
                 : fmt::format("{}: {} the same, {} changed, {} only in a, {} only in b\n", title(*o.a.object), c.same,
                               c.changed, c.only_a, c.only_b);
  }
  if (diff.first) out += first_text(diff);
  for (const std::string& path : diff.outputs) out += fmt::format("output '{}' differs\n", path);
  if (diff.ran && !diff.first && !options.quiet)
    out +=
        diff.outputs.empty() ? "both runs: the same results\n" : "both runs: the same results of what both execute\n";
  return out;
}

std::string diff_json(const ProgramDiff& diff) {
  Json objects = Json::array();
  for (const ObjectDiff& o : diff.objects) objects.push_back(object_json(diff, o));
  Json j{{"a", diff.a->name},     {"b", diff.b->name},    {"same", diff.same()}, {"objects", std::move(objects)},
         {"only_a", diff.only_a}, {"only_b", diff.only_b}};
  if (diff.ran) {
    Json run{{"same", !diff.first && diff.outputs.empty()}, {"outputs", diff.outputs}};
    if (diff.first) {
      const FirstDifference& d = *diff.first;
      Json first{{"what", d.what == FirstDifference::What::Value   ? "value"
                          : d.what == FirstDifference::What::Lanes ? "lanes"
                                                                   : "way"},
                 {"group", d.group},
                 {"thread", d.thread}};
      if (d.lane) first["lane"] = *d.lane;
      if (d.pixel) first["pixel"] = *d.pixel;
      if (!d.part.empty()) first["part"] = d.part;
      first["a"] = executed_json(*diff.a, d, d.a);
      first["b"] = executed_json(*diff.b, d, d.b);
      run["first"] = std::move(first);
    }
    j["run"] = std::move(run);
  }
  return j.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string pressure_text(const isa::Program& program, const isa::Object& object, const verify::Pressure& pressure,
                          unsigned grf_bytes) {
  const text::InstructionPrinter printer(program, object);
  std::string out = fmt::format("{}\n{:>7}  {:>5}  at the start\n", title(object), pressure.start.bytes, "");
  for (std::uint32_t i = 0; i < object.instructions.size(); ++i) {
    const isa::Instruction& instruction = object.instructions[i];
    if (instruction.description->traits.flow == isa::FlowKind::Remark) continue;
    const std::uint32_t line = instruction.position.line;
    fmt::format_to(std::back_inserter(out), "{:>6}{}  {:>5}  {}\n", pressure.behind[i].bytes,
                   i == pressure.greatest ? "*" : " ", line != 0 ? line : i, printer.print(instruction));
  }
  const std::uint32_t most = pressure.most().bytes;
  return out + fmt::format("most live bytes: {} ({} registers of {} bytes)\n", most, (most + grf_bytes - 1) / grf_bytes,
                           grf_bytes);
}

}  // namespace heddle::tools
