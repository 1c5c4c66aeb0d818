// SPDX-License-Identifier: MIT
#include "engine/jit/cache/loader.hpp"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include "engine/jit/cache/relocation.hpp"

namespace heddle::engine::jit {
namespace {

/// Of the system: code and data are on pages of their own.
std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}
constexpr std::size_t kMaxAlignment = 4096;  ///< the least page of any system
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 28;

template <typename T>
bool read(std::span<const std::uint8_t> bytes, std::uint64_t at, T& out) {
  if (at > bytes.size() || sizeof(T) > bytes.size() - at) return false;
  std::memcpy(&out, bytes.data() + at, sizeof(T));
  return true;
}

std::string_view name_at(std::span<const std::uint8_t> bytes, const Elf64_Shdr& strings, std::uint32_t at) {
  if (strings.sh_offset > bytes.size() || strings.sh_size > bytes.size() - strings.sh_offset || at >= strings.sh_size)
    return {};
  const char* begin = reinterpret_cast<const char*>(bytes.data()) + strings.sh_offset + at;
  const std::size_t most = static_cast<std::size_t>(strings.sh_size - at);
  return {begin, strnlen(begin, most)};
}

struct Image {
  std::span<const std::uint8_t> file;
  std::vector<Elf64_Shdr> sections;
  std::vector<std::uint64_t> places;  ///< offset of a section in memory; max: not loaded
  std::vector<Elf64_Sym> symbols;
  Elf64_Shdr symbol_strings{};
  std::uint64_t code_bytes = 0;  ///< executable part, stubs behind it
  std::uint64_t stubs_at = 0, table_at = 0, bytes = 0;
  std::map<std::string, std::uint32_t, std::less<>> outside;  ///< names and their slots
};
constexpr std::uint64_t kNotLoaded = std::numeric_limits<std::uint64_t>::max();

bool read_headers(Image& image) {
  Elf64_Ehdr header{};
  if (!read(image.file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_REL || header.e_machine != elf_machine(kMachine) ||
      header.e_shentsize != sizeof(Elf64_Shdr))
    return false;
  for (std::uint32_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    if (!read(image.file, header.e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr), section)) return false;
    const bool in_file = section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL;
    if (in_file && (section.sh_offset > image.file.size() || section.sh_size > image.file.size() - section.sh_offset))
      return false;
    image.sections.push_back(section);
  }
  for (const Elf64_Shdr& section : image.sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= image.sections.size()) continue;
    image.symbol_strings = image.sections[section.sh_link];
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol{};
      if (!read(image.file, section.sh_offset + at, symbol)) return false;
      image.symbols.push_back(symbol);
    }
  }
  return !image.symbols.empty();
}

/// Code first, then the stubs of outside functions, then data on pages of their own.
bool place_sections(Image& image) {
  image.places.assign(image.sections.size(), kNotLoaded);
  std::uint64_t at = 0;
  const auto place = [&](bool executable) {
    for (std::size_t i = 0; i < image.sections.size(); ++i) {
      const Elf64_Shdr& s = image.sections[i];
      if (s.sh_type == SHT_NULL || (s.sh_flags & SHF_ALLOC) == 0 || ((s.sh_flags & SHF_EXECINSTR) != 0) != executable)
        continue;
      const std::uint64_t alignment = s.sh_addralign == 0 ? 1 : s.sh_addralign;
      if (alignment > kMaxAlignment || (alignment & (alignment - 1)) != 0 || s.sh_size > kMaxBytes) return false;
      at = (at + alignment - 1) & ~(alignment - 1);
      image.places[i] = at;
      at += s.sh_size;
      if (at > kMaxBytes) return false;
    }
    return true;
  };
  if (!place(true)) return false;
  std::uint32_t slots = 0;
  for (const Elf64_Sym& symbol : image.symbols) {
    if (symbol.st_shndx != SHN_UNDEF) continue;
    const std::string_view name = name_at(image.file, image.symbol_strings, symbol.st_name);
    if (!name.empty() && image.outside.try_emplace(std::string(name), slots).second) ++slots;
  }
  image.stubs_at = (at + kStubBytes - 1) & ~(kStubBytes - 1);
  at = image.stubs_at + std::uint64_t{slots} * kStubBytes;
  const std::size_t page = page_bytes();
  image.code_bytes = (at + page - 1) / page * page;
  at = image.code_bytes;
  if (!place(false)) return false;
  image.table_at = (at + 7) & ~std::uint64_t{7};
  image.bytes = (image.table_at + std::uint64_t{slots} * 8 + page) / page * page;
  return image.bytes <= kMaxBytes;
}

/// Where the symbol of a relocation is, or its entry in the table; false: nowhere.
bool find_target(const Image& image, std::uint64_t base, const Elf64_Sym& symbol, bool& through_table,
                 std::uint64_t& target) {
  if (symbol.st_shndx == SHN_UNDEF) {
    const auto found = image.outside.find(name_at(image.file, image.symbol_strings, symbol.st_name));
    if (found == image.outside.end()) return false;
    target =
        base + (through_table ? image.table_at + 8ull * found->second : image.stubs_at + kStubBytes * found->second);
    through_table = false;
    return true;
  }
  if (symbol.st_shndx >= image.sections.size() || image.places[symbol.st_shndx] == kNotLoaded ||
      symbol.st_value > image.sections[symbol.st_shndx].sh_size)
    return false;
  target = base + image.places[symbol.st_shndx] + symbol.st_value;
  return true;
}

bool relocate_section(const Image& image, const Elf64_Shdr& section, std::uint8_t* memory, std::string& error) {
  const auto base = reinterpret_cast<std::uint64_t>(memory);
  const std::uint64_t place = image.places[section.sh_info], bytes = image.sections[section.sh_info].sh_size;
  for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= section.sh_size; at += sizeof(Elf64_Rela)) {
    Elf64_Rela r{};
    if (!read(image.file, section.sh_offset + at, r)) return false;
    const std::uint64_t index = ELF64_R_SYM(r.r_info);
    const RelocationKind kind = relocation_kind(kMachine, ELF64_R_TYPE(r.r_info));
    if (kind.bytes == 0) {
      error = "an unknown relocation";
      return false;
    }
    bool through_table = kind.through_table;
    std::uint64_t target = 0;
    if (index >= image.symbols.size() || r.r_offset > bytes || kind.bytes > bytes - r.r_offset ||
        !find_target(image, base, image.symbols[index], through_table, target))
      return false;
    if (through_table) {
      error = "a relocation through a table of addresses";
      return false;
    }
    if (!relocate(kMachine, ELF64_R_TYPE(r.r_info), memory + place + r.r_offset, base + place + r.r_offset,
                  target + static_cast<std::uint64_t>(r.r_addend)))
      return false;
  }
  return true;
}

bool relocate(const Image& image, std::uint8_t* memory, std::string& error) {
  for (const Elf64_Shdr& section : image.sections)
    if (section.sh_type == SHT_RELA && section.sh_info < image.sections.size() &&
        image.places[section.sh_info] != kNotLoaded && !relocate_section(image, section, memory, error))
      return false;
  return true;
}

}  // namespace

LoadedCode::~LoadedCode() {
  if (memory_ != nullptr) ::munmap(memory_, size_);
}

std::shared_ptr<const LoadedCode> LoadedCode::load(std::span<const std::uint8_t> object, std::string& error) {
  Image image;
  image.file = object;
  error = "the machine code is damaged";
  if (!read_headers(image) || !place_sections(image)) return nullptr;
  std::shared_ptr<LoadedCode> code(new LoadedCode);
  void* memory = ::mmap(nullptr, image.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    error = "no memory for machine code";
    return nullptr;
  }
  code->memory_ = memory;
  code->size_ = image.bytes;
  auto* bytes = static_cast<std::uint8_t*>(memory);
  for (std::size_t i = 0; i < image.sections.size(); ++i)
    if (image.places[i] != kNotLoaded && image.sections[i].sh_type != SHT_NOBITS)
      std::memcpy(bytes + image.places[i], object.data() + image.sections[i].sh_offset, image.sections[i].sh_size);
  for (const auto& [name, slot] : image.outside) {
    const auto address = reinterpret_cast<std::uint64_t>(runtime_symbol(name));
    if (address == 0) {
      error = "the machine code calls '" + name + "', which does not exist";
      return nullptr;
    }
    std::memcpy(bytes + image.table_at + 8ull * slot, &address, 8);
    const std::uint64_t stub = image.stubs_at + kStubBytes * slot;
    write_stub(kMachine, bytes + stub, reinterpret_cast<std::uint64_t>(bytes + stub),
               reinterpret_cast<std::uint64_t>(bytes + image.table_at) + 8ull * slot);
  }
  if (!relocate(image, bytes, error)) return nullptr;
  std::uint64_t entry = kNotLoaded;
  for (const Elf64_Sym& symbol : image.symbols)
    if (symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < image.sections.size() &&
        image.places[symbol.st_shndx] < image.code_bytes && symbol.st_value < image.sections[symbol.st_shndx].sh_size &&
        name_at(object, image.symbol_strings, symbol.st_name) == "heddle_kernel")
      entry = image.places[symbol.st_shndx] + symbol.st_value;
  if (entry == kNotLoaded || ::mprotect(memory, image.code_bytes, PROT_READ | PROT_EXEC) != 0) return nullptr;
  // Processors whose instructions are read past the caches of data.
  __builtin___clear_cache(reinterpret_cast<char*>(bytes), reinterpret_cast<char*>(bytes + image.code_bytes));
  code->function_ = reinterpret_cast<Function>(bytes + entry);
  error.clear();
  return code;
}

}  // namespace heddle::engine::jit
