// SPDX-License-Identifier: MIT
#include "scaling/symbols.hpp"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

namespace heddle::bench {
namespace {

/// "DrawRun::work" of "heddle::pipeline::DrawRun::work(unsigned int)".
std::string shorten(std::string name) {
  std::size_t depth = 0, end = 0;
  for (; end < name.size(); ++end) {
    if (name[end] == '<') ++depth;
    if (name[end] == '>' && depth != 0) --depth;
    if (name[end] == '(' && depth == 0 && !name.substr(end).starts_with("(anonymous")) break;
  }
  name.resize(end);
  std::string kept;  // without arguments of templates
  depth = 0;
  for (const char c : name) {
    if (c == '<') ++depth;
    if (depth == 0) kept += c;
    if (c == '>' && depth != 0) --depth;
  }
  for (const char* outer : {"heddle::", "(anonymous namespace)::", "vulkan::", "pipeline::", "engine::", "jit::",
                            "machine::", "base::", "entry::", "detail::", "r1::"})
    for (std::size_t at = kept.find(outer); at != std::string::npos; at = kept.find(outer))
      kept.erase(at, std::strlen(outer));
  if (const std::size_t space = kept.rfind(' '); space != std::string::npos) kept.erase(0, space + 1);
  return kept;
}

std::string demangle(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return text ? shorten(text.get()) : name;
}

}  // namespace

const Symbols::Table& Symbols::table(const std::string& file) {
  const auto [at, added] = tables_.try_emplace(file);
  if (!added) return at->second;
  Table& table = at->second;
  std::ifstream stream(file, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
  if (bytes.size() < sizeof(Elf64_Ehdr) || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) return table;
  const auto read = [&](auto& to, std::uint64_t offset) {
    const bool there = offset <= bytes.size() && bytes.size() - offset >= sizeof to;
    if (there) std::memcpy(&to, bytes.data() + offset, sizeof to);
    return there;
  };
  Elf64_Ehdr head;
  (void)read(head, 0);
  for (unsigned s = 0; s < head.e_shnum; ++s) {
    Elf64_Shdr section, names;
    if (!read(section, head.e_shoff + std::uint64_t{s} * head.e_shentsize)) break;
    if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
    if (!read(names, head.e_shoff + std::uint64_t{section.sh_link} * head.e_shentsize)) break;
    Elf64_Sym symbol;
    for (std::uint64_t k = 0;
         k < section.sh_size / sizeof symbol && read(symbol, section.sh_offset + k * sizeof symbol); ++k)
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value != 0 && symbol.st_name < names.sh_size &&
          names.sh_offset + names.sh_size <= bytes.size())
        table.emplace_back(symbol.st_value, bytes.data() + names.sh_offset + symbol.st_name);
  }
  std::ranges::sort(table);
  return table;
}

std::string Symbols::function(const std::string& file, std::uint64_t offset) {
  const std::string library = std::filesystem::path(file).filename().string();
  const Table& all = table(file);
  const auto next = std::ranges::upper_bound(all, offset, {}, &Table::value_type::first);
  // Of other libraries only what they give to others has a name.
  if (next == all.begin() || library.find("heddle") == std::string::npos) return library.substr(0, library.find(".so"));
  return demangle(std::prev(next)->second.c_str());
}

void Maps::add(const std::string& line) {
  std::istringstream words(line);
  Range range{};
  char dash = 0;
  std::string rights, device, file;
  std::uint64_t offset = 0, node = 0;
  words >> std::hex >> range.begin >> dash >> range.end >> rights >> offset >> device >> std::dec >> node;
  std::getline(words >> std::ws, range.file);
  if (range.file.starts_with('/')) loaded_.try_emplace(range.file, range.begin - offset);
  ranges_.push_back(std::move(range));
}

std::string Maps::name(std::uint64_t address, Symbols& symbols) const {
  for (const Range& range : ranges_) {
    if (address < range.begin || address >= range.end) continue;
    const auto at = loaded_.find(range.file);
    if (at != loaded_.end()) return symbols.function(range.file, address - at->second);
    return range.file.empty() ? "compiled shaders" : range.file;
  }
  return "compiled shaders";
}

}  // namespace heddle::bench
