// SPDX-License-Identifier: MIT
#include "job/opencl/zebin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

namespace heddle::job {
namespace {

constexpr std::uint32_t kSymbolTable = 2, kRelocationsWithAddend = 4, kZeroed = 8, kRelocations = 9;
constexpr std::uint64_t kMaxZeroedBytes = std::uint64_t{1} << 28;
/// Far above the buffers (which lie from the bottom of the address space on) and below the functions.
constexpr std::uint64_t kFirstAddress = 0x7fff'0000'0000u;

struct Section {
  std::string name;
  std::uint32_t type = 0, link = 0, info = 0;
  std::uint64_t size = 0;
  std::span<const std::uint8_t> bytes;
};

struct Reader {
  std::span<const std::uint8_t> bytes;

  /// Little endian; 0 outside the file.
  [[nodiscard]] std::uint64_t number(std::uint64_t at, unsigned size) const {
    std::uint64_t value = 0;
    if (at <= bytes.size() && size <= bytes.size() - at) std::memcpy(&value, bytes.data() + at, size);
    return value;
  }
  [[nodiscard]] std::string text(std::uint64_t at) const {
    if (at >= bytes.size()) return {};
    const auto* begin = reinterpret_cast<const char*>(bytes.data() + at);
    return {begin, strnlen(begin, bytes.size() - at)};
  }
};

std::vector<Section> sections_of(const Reader& file) {
  const std::uint64_t table = file.number(40, 8), entry = file.number(58, 2), count = file.number(60, 2),
                      names = file.number(62, 2);
  std::vector<Section> sections;
  if (entry < 64 || table > file.bytes.size() || count * entry > file.bytes.size() - table) return sections;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = table + i * entry, offset = file.number(at + 24, 8);
    Section s;
    s.type = static_cast<std::uint32_t>(file.number(at + 4, 4));
    s.size = file.number(at + 32, 8);
    s.link = static_cast<std::uint32_t>(file.number(at + 40, 4));
    s.info = static_cast<std::uint32_t>(file.number(at + 44, 4));
    if (s.type != kZeroed && offset <= file.bytes.size() && s.size <= file.bytes.size() - offset)
      s.bytes = file.bytes.subspan(offset, s.size);
    sections.push_back(s);
  }
  if (names < sections.size())
    for (std::uint64_t i = 0; i < count; ++i)
      sections[i].name = Reader{sections[names].bytes}.text(file.number(table + i * entry, 4));
  return sections;
}

/// ELF notes: sizes of name and content, type, name, content, each padded to four bytes. Type 1 is the product family.
std::uint32_t product_of(const Reader& notes) {
  constexpr std::uint64_t kProductFamily = 1;
  for (std::uint64_t at = 0; at + 12 <= notes.bytes.size();) {
    const std::uint64_t name = notes.number(at, 4), content = notes.number(at + 4, 4), type = notes.number(at + 8, 4),
                        data = at + 12 + (name + 3) / 4 * 4;
    if (type == kProductFamily && content >= 4) return static_cast<std::uint32_t>(notes.number(data, 4));
    at = data + (content + 3) / 4 * 4;
  }
  return 0;
}

}  // namespace

bool fits_product(isa::Platform platform, std::uint32_t product, std::string& name) {
  using enum isa::Platform;
  struct Product {
    std::uint32_t number;
    std::string_view name;
    isa::Platform platform, other;  ///< of the same generation, whose ABI is the same
  };
  static constexpr Product kProducts[] = {{16, "BDW", BDW, CHV},
                                          {17, "CHV", CHV, BDW},
                                          {18, "SKL", SKL, BXT},
                                          {19, "KBL", SKL, BXT},
                                          {20, "CFL", SKL, BXT},
                                          {22, "APL", BXT, SKL},
                                          {23, "GLK", BXT, SKL},
                                          {26, "ICLLP", ICLLP, ICLLP},
                                          {27, "LKF", ICLLP, ICLLP},
                                          {28, "EHL", ICLLP, ICLLP},
                                          {29, "TGLLP", TGLLP, TGLLP},
                                          {30, "RKL", TGLLP, TGLLP},
                                          {31, "ADL-S", TGLLP, TGLLP},
                                          {32, "ADL-P", TGLLP, TGLLP},
                                          {33, "ADL-N", TGLLP, TGLLP},
                                          {1210, "DG1", TGLLP, TGLLP},
                                          {1250, "XeHP_SDV", XeHP_SDV, XeHP_SDV},
                                          {1270, "DG2", DG2, DG2},
                                          {1271, "PVC", PVC, PVCXT},
                                          {1272, "MTL", MTL, ARL},
                                          {1273, "ARL", ARL, MTL},
                                          {1274, "BMG", XE2, XE2},
                                          {1275, "LNL", XE2, XE2},
                                          {1300, "PTL", XE3, XE3}};
  const auto found = std::ranges::find(kProducts, product, &Product::number);
  if (found == std::end(kProducts)) return true;
  name = found->name;
  return platform == found->platform || platform == found->other;
}

bool is_zebin(std::span<const std::uint8_t> bytes) {
  constexpr std::uint8_t kMagic[] = {0x7f, 'E', 'L', 'F', 2, 1};
  return bytes.size() >= 64 && std::equal(std::begin(kMagic), std::end(kMagic), bytes.begin());
}

std::optional<std::uint32_t> product_family(std::span<const std::uint8_t> bytes) {
  constexpr std::uint32_t kNotes = 7, kProductFamily = 1;
  if (!is_zebin(bytes)) return std::nullopt;
  for (const Section& s : sections_of({bytes})) {
    if (s.type != kNotes) continue;
    const Reader notes{s.bytes};
    const auto padded = [](std::uint64_t size) { return (size + 3) / 4 * 4; };
    for (std::uint64_t at = 0; at + 12 <= s.bytes.size();) {
      const std::uint64_t name = notes.number(at, 4), size = notes.number(at + 4, 4), type = notes.number(at + 8, 4);
      const std::uint64_t content = at + 12 + padded(name);
      if (notes.text(at + 12) == "IntelGT" && type == kProductFamily && size == 4 && content + 4 <= s.bytes.size())
        return static_cast<std::uint32_t>(notes.number(content, 4));
      at = content + padded(size);
    }
  }
  return std::nullopt;
}

base::Result<Zebin> parse_zebin(std::span<const std::uint8_t> bytes, const std::string& file) {
  const auto invalid = [&](std::string message) {
    return base::error("zebin-invalid", std::move(message), base::Place::in_file(file));
  };
  if (!is_zebin(bytes)) return invalid("the file is no 64-bit ELF");
  const std::vector<Section> sections = sections_of({bytes});
  Zebin result;
  std::map<std::size_t, std::uint32_t> data_of;  // by section index
  const Section* table = nullptr;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Section& s = sections[i];
    if (s.name == ".ze_info") result.zeinfo.assign(reinterpret_cast<const char*>(s.bytes.data()), s.bytes.size());
    if (s.name == ".note.intelgt.compat") result.product = product_of({s.bytes});
    if (s.type == kSymbolTable) table = &s;
    const bool zeroed = s.type == kZeroed && s.name.starts_with(".bss");
    if (!zeroed && !s.name.starts_with(".data")) continue;
    if (s.size > kMaxZeroedBytes) return invalid(fmt::format("section '{}' has {} bytes", s.name, s.size));
    data_of[i] = static_cast<std::uint32_t>(result.data.size());
    auto content = std::make_shared<std::vector<std::uint8_t>>(s.bytes.begin(), s.bytes.end());
    if (zeroed) content->resize(s.size);
    result.data.push_back(std::move(content));
  }
  if (result.zeinfo.empty())
    return invalid("the file has no section '.ze_info'")
        .note("ocloc writes such binaries with --format zebin; its older format describes no arguments");
  std::map<std::uint64_t, std::uint32_t> symbol_of;  // by index in the symbol table
  if (table != nullptr && table->link < sections.size()) {
    const Reader symbols{table->bytes}, names{sections[table->link].bytes};
    for (std::uint64_t i = 0; i < table->bytes.size() / 24; ++i) {
      const auto data = data_of.find(symbols.number(i * 24 + 6, 2));
      if (data == data_of.end()) continue;
      symbol_of[i] = static_cast<std::uint32_t>(result.symbols.size());
      result.symbols.push_back({names.text(symbols.number(i * 24, 4)), data->second, symbols.number(i * 24 + 8, 8)});
    }
  }
  for (const Section& s : sections) {
    const auto data = data_of.find(s.info);
    if ((s.type != kRelocations && s.type != kRelocationsWithAddend) || data == data_of.end()) continue;
    const Reader reader{s.bytes};
    const std::uint64_t entry = s.type == kRelocations ? 16 : 24;
    for (std::uint64_t at = 0; at + entry <= s.bytes.size(); at += entry) {
      const std::uint64_t kind = reader.number(at + 8, 4);  // 1: 64 bits, 2 and 3: low and high half
      const auto symbol = symbol_of.find(reader.number(at + 12, 4));
      if (kind < 1 || kind > 3 || symbol == symbol_of.end()) continue;
      ZebinRelocation r;
      r.section = data->second;
      r.offset = reader.number(at, 8);
      r.symbol = symbol->second;
      r.bytes = kind == 1 ? 8 : 4;
      r.high = kind == 3;
      if (entry == 24) r.addend = static_cast<std::int64_t>(reader.number(at + 16, 8));
      result.relocations.push_back(r);
    }
  }
  return result;
}

void Zebin::bind(machine::Bindings& bindings) const {
  std::vector<std::uint64_t> address;
  std::uint64_t next = kFirstAddress;
  for (const auto& section : data) {
    address.push_back(next);
    if (!section->empty())
      (void)bindings.memory.add({next, section->size(), section->data(), section, "program-scope variables"});
    next += (section->size() + 0xffffu) / 0x10000u * 0x10000u + 0x10000u;  // a gap: what runs over an end is seen
  }
  for (const ZebinSymbol& s : symbols)
    if (!s.name.empty()) bindings.symbols.try_emplace(s.name, address[s.section] + s.offset);
  for (const ZebinRelocation& r : relocations) {
    std::vector<std::uint8_t>& bytes = *data[r.section];
    if (r.offset > bytes.size() || r.bytes > bytes.size() - r.offset) continue;
    const ZebinSymbol& s = symbols[r.symbol];
    const auto own = bindings.symbols.find(s.name);
    std::uint64_t value = (own != bindings.symbols.end() ? own->second : address[s.section] + s.offset) +
                          static_cast<std::uint64_t>(r.addend);
    if (r.high) value >>= 32;
    std::memcpy(bytes.data() + r.offset, &value, r.bytes);
  }
}

}  // namespace heddle::job
