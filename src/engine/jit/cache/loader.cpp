// SPDX-License-Identifier: MIT
#include "engine/jit/cache/loader.hpp"

#include <elf.h>
#include <sys/mman.h>

#include <cstring>
#include <limits>
#include <map>
#include <vector>

namespace heddle::engine::jit {
namespace {

constexpr std::size_t kPage = 4096, kStub = 16;
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
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_REL || header.e_machine != EM_X86_64 ||
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
      if (alignment > kPage || (alignment & (alignment - 1)) != 0 || s.sh_size > kMaxBytes) return false;
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
  image.stubs_at = (at + kStub - 1) & ~(kStub - 1);
  at = image.stubs_at + std::uint64_t{slots} * kStub;
  image.code_bytes = (at + kPage - 1) / kPage * kPage;
  at = image.code_bytes;
  if (!place(false)) return false;
  image.table_at = (at + 7) & ~std::uint64_t{7};
  image.bytes = (image.table_at + std::uint64_t{slots} * 8 + kPage) / kPage * kPage;
  return image.bytes <= kMaxBytes;
}

bool relocate(const Image& image, std::uint8_t* memory, std::string& error) {
  const auto base = reinterpret_cast<std::uint64_t>(memory);
  for (const Elf64_Shdr& section : image.sections) {
    if (section.sh_type != SHT_RELA || section.sh_info >= image.sections.size()) continue;
    const std::uint64_t place = image.places[section.sh_info], family = image.sections[section.sh_info].sh_size;
    if (place == kNotLoaded) continue;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= section.sh_size; at += sizeof(Elf64_Rela)) {
      Elf64_Rela r{};
      if (!read(image.file, section.sh_offset + at, r)) return false;
      const std::uint64_t index = ELF64_R_SYM(r.r_info), kind = ELF64_R_TYPE(r.r_info);
      const std::uint64_t bytes = kind == R_X86_64_64 || kind == R_X86_64_PC64 ? 8 : 4;
      if (index >= image.symbols.size() || r.r_offset > family || bytes > family - r.r_offset) return false;
      const Elf64_Sym& symbol = image.symbols[index];
      const std::string_view name = name_at(image.file, image.symbol_strings, symbol.st_name);
      std::uint64_t target = 0;
      bool through_table = kind == R_X86_64_GOTPCREL || kind == R_X86_64_GOTPCRELX || kind == R_X86_64_REX_GOTPCRELX;
      if (symbol.st_shndx == SHN_UNDEF) {
        const auto found = image.outside.find(name);
        if (found == image.outside.end()) return false;
        target =
            base + (through_table ? image.table_at + 8ull * found->second : image.stubs_at + kStub * found->second);
        through_table = false;
      } else if (symbol.st_shndx < image.sections.size() && image.places[symbol.st_shndx] != kNotLoaded) {
        if (symbol.st_value > image.sections[symbol.st_shndx].sh_size) return false;
        target = base + image.places[symbol.st_shndx] + symbol.st_value;
      } else {
        return false;
      }
      if (through_table) {
        error = "a relocation through a table of addresses";
        return false;
      }
      const std::uint64_t here = base + place + r.r_offset;
      const std::uint64_t value = target + static_cast<std::uint64_t>(r.r_addend);
      std::uint8_t* patch = memory + place + r.r_offset;
      switch (kind) {
        case R_X86_64_64:
          std::memcpy(patch, &value, 8);
          break;
        case R_X86_64_PC64: {
          const std::uint64_t distance = value - here;
          std::memcpy(patch, &distance, 8);
          break;
        }
        case R_X86_64_PC32:
        case R_X86_64_PLT32:
        case R_X86_64_GOTPCREL:
        case R_X86_64_GOTPCRELX:
        case R_X86_64_REX_GOTPCRELX: {
          const auto distance = static_cast<std::int64_t>(value - here);
          if (distance > INT32_MAX || distance < INT32_MIN) return false;
          const auto word = static_cast<std::int32_t>(distance);
          std::memcpy(patch, &word, 4);
          break;
        }
        default:
          error = "an unknown relocation";
          return false;
      }
    }
  }
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
    std::uint8_t* stub = bytes + image.stubs_at + kStub * slot;  // jmp *table(%rip)
    const auto distance = static_cast<std::int32_t>(static_cast<std::int64_t>(image.table_at + 8ull * slot) -
                                                    static_cast<std::int64_t>(image.stubs_at + kStub * slot + 6));
    stub[0] = 0xff;
    stub[1] = 0x25;
    std::memcpy(stub + 2, &distance, 4);
  }
  if (!relocate(image, bytes, error)) return nullptr;
  std::uint64_t entry = kNotLoaded;
  for (const Elf64_Sym& symbol : image.symbols)
    if (symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < image.sections.size() &&
        image.places[symbol.st_shndx] < image.code_bytes && symbol.st_value < image.sections[symbol.st_shndx].sh_size &&
        name_at(object, image.symbol_strings, symbol.st_name) == "heddle_kernel")
      entry = image.places[symbol.st_shndx] + symbol.st_value;
  if (entry == kNotLoaded || ::mprotect(memory, image.code_bytes, PROT_READ | PROT_EXEC) != 0) return nullptr;
  code->function_ = reinterpret_cast<Function>(bytes + entry);
  error.clear();
  return code;
}

}  // namespace heddle::engine::jit
