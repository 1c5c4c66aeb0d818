// SPDX-License-Identifier: MIT
#include "spirv/compile/writer/program_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "spirv/compile/writer/declarations.hpp"
#include "text/print/canonical_names.hpp"

namespace heddle::spirv::compiler {
namespace {

constexpr std::size_t kMaxFileName = 1000;

}  // namespace

void ProgramText::interface_line(std::string text) {
  for (const std::string_view prefix : {kBindlessSurface, kBindlessSampler})  // handles are B0, B1 ... there
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
      text.replace(at, prefix.size(), "B");
  interface_text(text);
}

void ProgramText::interface_text(std::string_view text) {
  interface_ += fmt::format("    FILE {}\n", text::quoted(fmt::format("heddle: {}", text)));
}

void ProgramText::kernel_attribute(const std::string& text) {
  const std::string line = ".kernel_attr " + text + "\n";
  if (attributes_.find(line) == std::string::npos) attributes_ += line;
}

void ProgramText::comment(std::string_view text) {
  std::string& out = section();
  out += "    // ";
  for (const char c : text.substr(0, 300)) out += static_cast<unsigned char>(c) < 0x20 || c == '\\' ? ' ' : c;
  out += '\n';
}

void ProgramText::remark(std::string_view text) { section() += fmt::format("    FILE \"heddle: {}\"\n", text); }

void ProgramText::source_line(std::string_view file, std::uint32_t line, std::uint32_t column) {
  if (in_start_ || (file == file_ && place_ == std::pair(line, column))) return;
  if (file != file_) {
    file_ = file;
    // A name that no string of vISA holds, or that would be taken for a line of the interface, is cut.
    std::string name(file.substr(0, kMaxFileName));
    std::ranges::replace_if(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
    code_ += fmt::format("    FILE {}\n", text::quoted(name.starts_with("heddle: ") ? "./" + name : name));
  }
  place_ = {line, column};
  columns_.push_back(column);
  code_ += fmt::format("    LOC {}\n", line);
}

void ProgramText::at_start(const std::function<void()>& write) {
  const bool before = in_start_;
  in_start_ = true;
  write();
  in_start_ = before;
}

void ProgramText::put_instruction(std::string_view text) {
  std::string& out = section();
  out += "    ";
  out += text;
  out += '\n';
  ++instructions_;
}

void ProgramText::put_label(std::string_view label) {
  code_ += label;
  code_ += ":\n";
  ++instructions_;
}

/// The columns of all LOC, in strings that are not too long.
std::string ProgramText::column_lines() const {
  constexpr std::size_t kPerLine = 64;
  std::string out;
  if (std::ranges::all_of(columns_, [](std::uint32_t column) { return column == 0; })) return out;
  for (std::size_t first = 0; first < columns_.size(); first += kPerLine)
    out += fmt::format("    FILE \"heddle: columns {}\"\n",
                       fmt::join(std::span(columns_).subspan(first, std::min(kPerLine, columns_.size() - first)), " "));
  return out;
}

void ProgramText::append_body(std::string& out) const {
  out += interface_;
  out += column_lines();
  out += start_;
  for (std::size_t at = 0; at < code_.size();) {
    const std::size_t end = code_.find('\n', at) + 1;
    const std::string_view line(code_.data() + at, end - at);
    const bool unused_label = line.front() != ' ' && targets_.find(line.substr(0, line.size() - 2)) == targets_.end();
    if (!unused_label) out += line;
    at = end;
  }
}

}  // namespace heddle::spirv::compiler
