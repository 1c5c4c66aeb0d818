// Directives, declarations, name scopes and labels (visa 1.2).
// Rules: ENC-12, TXT-9, TXT-10, TXT-16, TXT-17, TXT-27, TXT-35.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "text/comments.hpp"
#include "text/directive_table.hpp"
#include "text/parser.hpp"
#include "text/vocabulary.hpp"

namespace heddle::text {
namespace {

isa::Position position(Span span, std::size_t offset) { return {span.line, span.column, offset}; }

}  // namespace

bool Parser::end_of_statement() {
  if (in_.line_over()) return true;
  return expected("the end of the line");
}

bool Parser::equals(std::string_view key) {
  in_.space();
  if (!in_.looking_at(key) || is_name_char(in_.peek(key.size()))) return false;
  const Scanner::Mark start = in_.mark();
  in_.skip(key.size());
  if (in_.accept('=')) {
    in_.space();
    return true;
  }
  in_.rewind(start);
  return false;
}

bool Parser::need_object(Span span) {
  if (object_ != nullptr) return true;
  error("visa-text-order", span, "statement before .kernel");
  note("the first statements of a file are .version and .kernel");
  begin_object(isa::ObjectKind::Kernel, span);  // so that the rest is still checked
  return false;
}

bool Parser::version(Span span) {
  if (version_seen_) return error("visa-text-order", span, "a second .version");
  if (object_ != nullptr) error("visa-text-order", span, "'.version' must be the first statement of the file");
  version_seen_ = true;
  // TXT-9: spaces may stand around the point; 4.1 is written, whatever was read.
  std::int64_t part = 0, major = 0;
  in_.space();
  const Scanner::Mark begin = in_.mark();
  for (int n = 0; n < 2; ++n) {
    in_.space();
    const Scanner::Mark start = in_.mark();
    if (!is_digit(in_.peek())) return expected("a version like 4.1");
    for (part = 0; is_digit(in_.peek()); in_.skip())
      part = std::min<std::int64_t>(part * 10 + (in_.peek() - '0'), 1 << 20);
    if (part > 255) return error("visa-text-number", in_.span_from(start), "version number is larger than 255");
    if (n == 0 && !in_.accept('.')) return expected("'.' of a version like 4.1");
    if (n == 0) major = part;
  }
  if (major < 3 || major > 4 || (major == 4 && part > 2))
    return error("visa-text-number", in_.span_from(begin),
                 fmt::format("there is no vISA {}.{}: the versions are 3.0 to 4.2", major, part));
  return true;
}

bool Parser::begin_object(isa::ObjectKind kind, Span span) {
  end_object();
  program_.objects.emplace_back();
  object_ = &program_.objects.back();
  object_->kind = kind;
  object_->position = position(span, in_.offset());
  names_ = Scopes();
  labels_ = NameMap<LabelState>();
  strings_ = NameMap<std::uint32_t>();
  uses_.clear();
  first_mention_.clear();
  label_subroutine_.clear();
  scope_spans_.clear();
  undeclared_.clear();
  subroutine_ = 0;
  absorb_ = {};
  std::uint32_t index = 0;
  for (const isa::Predefined& p : isa::predefined_variables())
    names_.declare(p.name, {SymbolKind::General, true, index++, 0});
  index = 0;
  for (const std::string_view name : isa::predefined_surfaces())
    names_.declare(name, {SymbolKind::Surface, true, index++, 0});
  names_.declare("S31", {SymbolKind::Sampler, true, isa::kBindlessSampler, 0});
  return true;
}

/// "// linkage=1 input=2 return=3" behind .global_function: bytes of the container that no directive has (TXT-35).
void Parser::function_fields() {
  const auto field = [&](std::string_view key, std::uint8_t& out) {
    const std::string_view value = comment_field(in_.comment(), key);
    std::from_chars(value.data(), value.data() + value.size(), out);
  };
  field("linkage", object_->linkage);
  field("input", object_->input_size);
  field("return", object_->return_size);
}

void Parser::end_object() {
  if (object_ == nullptr) return;
  if (stopped_) {  // the rest was not read
    object_ = nullptr;
    return;
  }
  for (const Span& open : scope_spans_) error("visa-text-syntax", open, "name scope is not closed");
  // visa-text-label: what was mentioned must be defined, and in the same subroutine (calls excepted)
  std::vector<std::string_view> defined;
  for (const isa::Label& l : object_->labels)
    if (l.instruction && defined.size() < 5000) defined.push_back(l.name);
  for (std::size_t n = 0; n < object_->labels.size(); ++n) {
    const isa::Label& l = object_->labels[n];
    const bool mentioned = first_mention_[n].line != 0;
    if (l.instruction || l.kind == isa::LabelKind::FcCall || !mentioned) continue;
    error("visa-text-label", first_mention_[n], silent() ? "" : fmt::format("label {} is not defined", shown(l.name)));
    if (!silent()) suggest(l.name, defined);
    if (problems_.size() > 64) flush();
  }
  for (const LabelUse& use : uses_) {
    const isa::Label& l = object_->labels[use.label];
    if (!l.instruction || l.kind != isa::LabelKind::Block || label_subroutine_[use.label] == use.subroutine) continue;
    error("visa-text-label", use.span, silent() ? "" : fmt::format("label {} is in another subroutine", shown(l.name)));
    if (!silent())
      note("defined here", {l.position.line, l.position.column, static_cast<std::uint32_t>(l.name.size())});
    if (problems_.size() > 64) flush();
  }
  flush();
  object_ = nullptr;
}

bool Parser::directive() {
  const Span span = in_.here(0);
  const Scanner::Mark start = in_.mark();
  in_.skip();
  const std::string_view word = in_.name();
  Span whole = span;
  whole.length = static_cast<std::uint32_t>(word.size()) + 1;
  if (word == "version") return version(whole);
  if (!version_seen_ && !version_reported_) {
    version_reported_ = true;
    error("visa-text-order", whole, "'.version' must be the first statement of the file");
  }
  if (word == "kernel" || word == "global_function") {
    const bool kernel = word == "kernel";
    std::string_view name;
    if (!label_name(name)) return false;
    if (kernel && object_ != nullptr && object_->kind == isa::ObjectKind::Function)
      error("visa-text-order", whole, "kernels stand before functions");
    if (program_.objects.size() >= 0x1fffe)
      return error("visa-text-number", whole, "a file holds at most 65535 kernels and as many functions");
    begin_object(kernel ? isa::ObjectKind::Kernel : isa::ObjectKind::Function, whole);
    object_->name = name;
    if (in_.line_over()) function_fields();
    return true;
  }
  if (word == "funcdecl") {
    std::string_view ignored;
    return label_name(ignored);
  }
  const bool file_like = word == "file" || word == "loc";
  if (word == "function" || word == "kernel_attr" || word == "decl" || word == "input" || word == "parameter" ||
      word.starts_with("implicit_") || file_like) {
    if (!need_object(whole)) return false;
    if (word == "function") return function(whole);
    if (word == "kernel_attr") return kernel_attribute();
    if (word == "decl") return declaration(whole);
    if (!file_like) return input(word, whole);
    in_.rewind(start);
    return instruction(span);  // .file and .loc are spellings of FILE and LOC
  }
  if (silent()) return error("visa-text-syntax", whole, {});
  error("visa-text-syntax", whole, fmt::format("unknown directive {}", shown("." + std::string(word))));
  std::vector<std::string_view> known;
  for (const Directive& d : directives()) known.push_back(d.word);
  suggest(word, known);
  return false;
}

/// The name that ends the statement of a directive.
bool Parser::last_name(std::string_view& name, Span& name_span) {
  in_.space();
  const Scanner::Mark start = in_.mark();
  if (!label_name(name)) return false;
  name_span = in_.span_from(start);
  return end_of_statement();
}

/// .function NAME: a subroutine (opcode 30); the label of the same name right after it is absorbed.
bool Parser::function(Span span) {
  std::string_view name;
  Span name_span;
  if (!last_name(name, name_span)) return false;
  if (!define_label(name, isa::LabelKind::Subroutine, name_span, span)) return false;
  absorb_ = name;
  absorb_fresh_ = true;
  return true;
}

/// LABEL x and SUBROUTINE x of the documents (TXT-27).
bool Parser::document_label(bool subroutine, Span span) {
  std::string_view name;
  Span name_span;
  if (!last_name(name, name_span)) return false;
  remark("visa-text-dialect", span,
         subroutine ? "SUBROUTINE is read as .function" : "LABEL is read as a label definition");
  return define_label(name, subroutine ? isa::LabelKind::Subroutine : isa::LabelKind::Block, name_span, span);
}

bool Parser::label_definition(std::string_view name, Span span) {
  if (!absorb_.empty() && absorb_ == name) {
    absorb_ = {};
    return true;
  }
  return define_label(name, isa::LabelKind::Block, span, span);
}

bool Parser::define_label(std::string_view name, isa::LabelKind kind, Span name_span, Span span) {
  LabelState& state = labels_[name];
  if (state.defined) {
    if (silent()) return error("visa-text-label", name_span, {});
    error("visa-text-label", name_span, fmt::format("label {} is defined twice", shown(name)));
    const isa::Position& at = object_->labels[state.index].position;
    note("first defined here", {at.line, at.column, static_cast<std::uint32_t>(name.size())});
    return false;
  }
  const std::uint32_t index = mention_label(name, kind, name_span);
  isa::Label& label = object_->labels[index];
  if (label.kind != isa::LabelKind::FcCall && !state.listed) label.kind = kind;
  label.position = position(name_span, in_.offset());
  label.instruction = static_cast<std::uint32_t>(object_->instructions.size());
  if (const std::string shown_name = display_name(name); shown_name != name) label.name = shown_name;
  labels_[name].defined = true;
  if (kind == isa::LabelKind::Subroutine) ++subroutine_;
  label_subroutine_[index] = subroutine_;
  const isa::InstructionDescription* description =
      kind == isa::LabelKind::Subroutine ? subroutine_description_ : label_description_;
  if (!room_for_instruction(span)) return false;
  isa::Instruction i;
  i.description = description;
  i.position = position(span, in_.offset());
  i.length = static_cast<std::uint16_t>(std::min<std::uint32_t>(span.length, 0xffff));
  i.first_operand = static_cast<std::uint32_t>(object_->operands.size());
  i.operand_count = 1;
  isa::Operand operand;
  operand.kind = isa::OperandKind::Label;
  operand.id = index;
  operand.at = static_cast<std::uint16_t>(std::min<std::uint32_t>(name_span.column, 0xffff));
  operand.length = static_cast<std::uint16_t>(std::min<std::uint32_t>(name_span.length, 0xffff));
  object_->operands.push_back(operand);
  object_->instructions.push_back(i);
  return true;
}

/// The index of a label, given at its first mention (ENC-12).
std::uint32_t Parser::mention_label(std::string_view name, isa::LabelKind kind, Span span) {
  LabelState& state = labels_[name];
  if (!state.known) {
    state.known = true;
    state.index = static_cast<std::uint32_t>(object_->labels.size());
    isa::Label label;
    label.name = name;
    label.kind = kind == isa::LabelKind::FcCall ? kind : isa::LabelKind::Block;
    object_->labels.push_back(std::move(label));
    first_mention_.push_back(span);
    label_subroutine_.push_back(0);
  } else {
    if (first_mention_[state.index].line == 0) first_mention_[state.index] = span;
    if (kind == isa::LabelKind::FcCall) object_->labels[state.index].kind = kind;
  }
  return state.index;
}

/// The labels of the object in the order of their numbers (TXT-35). What cannot be understood is a comment like others.
void Parser::label_list_comment() {
  if (object_ == nullptr || !object_->labels.empty()) return;
  Scanner outer = in_;
  in_ = Scanner(outer.comment().substr(kLabelsComment.size()));
  quiet_ = true;
  const bool failed = failed_;
  const auto quoted_name = [&](std::string& name) {
    return in_.peek() == '"' && string(name) && !name.empty() && name.find('\0') == std::string::npos;
  };
  for (std::string name;;) {
    in_.space();
    if (object_->labels.size() >= 0xffff || !quoted_name(name)) break;
    auto kind = isa::LabelKind::Block;
    if (in_.peek() == ':' && is_digit(in_.peek(1))) {
      kind = static_cast<isa::LabelKind>(in_.peek(1) - '0');
      in_.skip(2);
    }
    string_store_.push_back(std::make_unique<std::string>(name));
    LabelState& state = labels_[*string_store_.back()];
    if (state.known) break;
    const std::uint32_t index = mention_label(*string_store_.back(), isa::LabelKind::Block, {0, 0, 0});
    object_->labels[index].kind = kind;
    labels_[*string_store_.back()].listed = true;
    if (in_.peek() == '=') {
      in_.skip();
      if (std::string pool; quoted_name(pool)) object_->labels[index].name = pool;
    }
  }
  quiet_ = false;
  failed_ = failed;
  in_ = outer;
}

/// { and }, each on a line of its own.
bool Parser::scope(char brace) {
  const Span span = in_.here();
  in_.skip();
  if (!need_object(span)) return false;
  if (brace == '}') {
    if (names_.depth() == 0) return error("visa-text-syntax", span, "'}' without '{'");
    names_.close();
    scope_spans_.pop_back();
    return true;
  }
  if (names_.depth() >= options_.limits.nesting) {
    error(
        "limit-nesting", span,
        fmt::format("name scopes nest deeper than {} levels; --max-nesting raises the limit", options_.limits.nesting));
    problems_.back().limit = true;
    stopped_ = true;
    return false;
  }
  names_.open();
  scope_spans_.push_back(span);
  return true;
}

}  // namespace heddle::text
