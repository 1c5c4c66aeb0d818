// SPDX-License-Identifier: MIT
// lsc_*: visa-lsc-*, visa-atomic-sources.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "instructions/checks.hpp"
#include "instructions/data_port/lsc_operation.hpp"

namespace heddle::instructions::lsc {
namespace {

using isa::Operand;
using isa::PlatformSet;

constexpr std::uint64_t kTransposed = 2;

class MessageCheck {
 public:
  explicit MessageCheck(Check& check)
      : check_(check), word_(check.description().mnemonic), op_(op_of(check.description())) {
    typed_ = check.description().traits.typed_surface;
    sfid_ = typed_ ? "tgm" : check.code("sfid");
    atomic_ = is_atomic(op_);
    store_ = is_store(op_);
    quad_ = is_quad(op_);
    transposed_ = check.integer("order") == kTransposed;
    size_ = check.code("data_size");
    data_ = check.operand(store_ ? "src1" : "dst");
  }

  void run() {
    cache();
    if (is_block2d(op_)) return typed_ ? rows() : block2d();
    shape();
    address();
    execution();
    if (atomic_) atomic_sources();
    extent();
  }

 private:
  [[nodiscard]] bool converts() const { return size_.find('c') != std::string_view::npos; }
  [[nodiscard]] unsigned element_bytes() const {  // in the registers
    if (size_ == "d64") return 8;
    if (size_ == "d8") return 1;
    return size_ == "d16" ? 2 : 4;
  }
  [[nodiscard]] unsigned vector() const {
    return quad_ ? channels_of(check_.integer("elems")) : std::max(1u, check_.number("elems"));
  }
  void cache();
  void three_levels(const Operand& l1);
  void shape();
  void address();
  void surface();
  void execution();
  void atomic_sources();
  void extent();
  void block2d();
  void block_payload();
  void rows();

  Check& check_;
  std::string_view word_, sfid_, size_;
  Op op_;
  bool typed_ = false, atomic_ = false, store_ = false, quad_ = false, transposed_ = false;
  const Operand* data_ = nullptr;
};

void MessageCheck::cache() {
  // visa-lsc-cache
  const Operand* l1 = check_.operand("l1");
  if (l1 == nullptr || op_ == Op::ReadStateInfo) return;
  if (check_.integer("l2") != 0) return three_levels(*l1);
  const std::string pair = fmt::format("{}.{}", check_.code("l1"), check_.code("l3"));
  const auto one_of = [&](std::initializer_list<std::string_view> list) {
    return std::ranges::find(list, pair) != list.end();
  };
  if (pair == "df.df") return;
  if (typed_ || sfid_ == "ugml")
    check_.error("visa-lsc-cache", l1, fmt::format("{} takes no cache controls, {} is given", sfid_, pair),
                 PlatformSet::before(isa::Platform::XE2));
  if (pair == "uc.uc") return;
  const bool legal = atomic_  ? one_of({"uc.wb"})
                     : store_ ? one_of({"uc.wb", "wt.uc", "wt.wb", "st.uc", "st.wb", "wb.wb"})
                              : one_of({"uc.ca", "ca.uc", "ca.ca", "st.uc", "st.ca", "ri.ca"});
  if (!legal) check_.error("visa-lsc-cache", l1, fmt::format("cache controls {} of {}", pair, word_));
}

/// Levels 1, 2 and 3.
void MessageCheck::three_levels(const Operand& l1) {
  const std::string levels = fmt::format("{}.{}.{}", check_.code("l1"), check_.code("l2"), check_.code("l3"));
  constexpr std::string_view kLoads[] = {"uc.uc.uc", "uc.ca.uc", "uc.ca.ca", "ca.uc.uc", "ca.uc.ca",
                                         "ca.ca.uc", "ca.ca.ca", "uc.uc.ca", "st.uc.uc", "st.uc.ca",
                                         "st.ca.uc", "st.ca.ca", "ri.ri.ri"},
                             kAtomics[] = {"uc.uc.uc", "uc.uc.wb", "uc.wb.uc"},
                             kStores[] = {"uc.uc.uc", "uc.uc.wb", "uc.wb.uc", "uc.wb.wb", "wt.uc.uc",
                                          "wt.uc.wb", "wt.wb.uc", "wt.wb.wb", "st.uc.uc", "st.uc.wb",
                                          "st.wb.uc", "wb.uc.uc", "wb.wb.uc", "wb.uc.wb"};
  const std::span<const std::string_view> legal = atomic_  ? std::span<const std::string_view>(kAtomics)
                                                  : store_ ? std::span<const std::string_view>(kStores)
                                                           : std::span<const std::string_view>(kLoads);
  if (std::ranges::find(legal, levels) == legal.end())
    check_.error("visa-lsc-cache", &l1, fmt::format("cache controls {} of {}", levels, word_));
  else
    check_.error("visa-lsc-cache", &l1, fmt::format("a control of three cache levels, {}, came with XE3P", levels),
                 PlatformSet::before(isa::Platform::XE3P));
}

void MessageCheck::shape() {
  // visa-lsc-shape, visa-lsc-transpose
  if (op_ == Op::ReadStateInfo) return;
  const Operand* where = data_ != nullptr && !data_->is_null() ? data_ : nullptr;
  const unsigned count = vector();
  if (transposed_) {
    if (atomic_ || quad_)
      check_.error("visa-lsc-transpose", where, fmt::format("{} cannot be transposed", word_));
    else if (check_.exec_size() != 1)
      check_.error("visa-lsc-transpose", where,
                   fmt::format("a transposed message has execution size 1, not {}", check_.exec_size()));
  }
  if (quad_) {
    const std::uint64_t mask = check_.integer("elems") & 15u;
    if (mask == 0)
      check_.error("visa-lsc-shape", where, "no channel is moved");
    else if (store_ && !std::has_single_bit(mask + 1))
      check_.error("visa-lsc-shape", where, "a store writes x, xy, xyz or xyzw");
    return;
  }
  if (atomic_) {
    if (is_bf_atomic(op_) && size_ != "d16c32")
      check_.error("visa-lsc-shape", where, fmt::format("atomics of bf16 are of d16u32, not {}", size_));
    else if (size_ != "d16c32" && size_ != "d32" && size_ != "d64")
      check_.error("visa-lsc-shape", where, fmt::format("atomics are of d16c32, d32 or d64, not {}", size_));
    if (count != 1) check_.error("visa-lsc-shape", where, "atomics have no vector");
    const std::string_view name = word_.substr(0, word_.find('.')).substr(std::string_view("lsc_atomic_").size());
    if (sfid_ == "slm" && size_ == "d64" && op_ != Op::AtomicCas)
      check_.error("visa-lsc-shape", where, fmt::format("slm has no atomic {} of d64", name));
    if ((op_ == Op::AtomicFAdd || op_ == Op::AtomicFSub) && sfid_ != "ugm" && sfid_ != "ugml")
      check_.error("visa-lsc-shape", where, fmt::format("{} has no atomic {}", sfid_, name),
                   typed_           ? PlatformSet::before(isa::Platform::XE2)
                   : sfid_ == "slm" ? PlatformSet::before(isa::Platform::XE3P)
                                    : PlatformSet::all());
    return;
  }
  if (count == 1) return;
  if (converts()) {
    check_.error("visa-lsc-shape", where, fmt::format("{} has no vector", size_));
  } else if (!transposed_) {
    const bool legal =
        sfid_ == "ugml" ? count == 2 || count == 4 : count == 2 || count == 3 || count == 4 || count == 8;
    if (size_ != "d32" && size_ != "d64")
      check_.error("visa-lsc-shape", where, fmt::format("vectors are of d32 or d64, not {}", size_));
    else if (!legal)
      check_.error("visa-lsc-shape", where, fmt::format("{} has no vectors of {}", sfid_, count));
  }
}

void MessageCheck::address() {
  // visa-lsc-address
  const std::string_view model = check_.code("addr_type"), bits = check_.code("addr_size");
  const Operand* base = check_.operand(typed_ ? "u" : "src0");
  const auto error = [&](const Operand* where, std::string message) {
    check_.error("visa-lsc-address", where, std::move(message));
  };
  if (sfid_ == "slm" && model != "flat") error(base, fmt::format("slm is flat, not {}", model));
  if (typed_ && model == "flat") error(base, "tgm needs a surface");
  if (bits == "a32u" || bits == "a32s")
    check_.error("visa-lsc-address", base, fmt::format("addresses of {} came with XE3P", bits),
                 PlatformSet::before(isa::Platform::XE3P));
  if (model == "surf" && !typed_ && bits != "a32u") error(base, fmt::format("surf takes a32u, not {}", bits));
  if ((sfid_ == "slm" || typed_) && bits == "a64") error(base, fmt::format("{} has no 64-bit addresses", sfid_));
  const std::uint64_t scale = check_.integer("scale", 1);
  if (!std::has_single_bit(scale))
    error(check_.operand("scale"), fmt::format("address scale {} is no power of two", scale));
  const auto offset = static_cast<std::int64_t>(check_.integer("imm_offset"));
  if (bits == "a16" && (offset < -0x7fff || offset > 0x7fff))
    error(check_.operand("imm_offset"), fmt::format("offset {} of a 16-bit address", offset));
  if (const Operand* pitch = check_.operand("pitch");
      pitch != nullptr && Check::is_immediate(*pitch) && pitch->value > 0xffff)
    error(pitch, fmt::format("pitch {} is more than 65535", pitch->value));
  surface();
  if (base != nullptr && base->is_null() && op_ != Op::ReadStateInfo) error(base, "the address is %null");
}

/// The surface of the models that have one; flat may have a base in its place.
void MessageCheck::surface() {
  const std::string_view model = check_.code("addr_type");
  const Operand* surface = check_.operand("surface");
  const bool null = surface == nullptr || (surface->kind == isa::OperandKind::General && surface->id == 0);
  if (model == "surf" && !null)
    check_.error("visa-lsc-address", surface, "the model surf came with XE3P",
                 PlatformSet::before(isa::Platform::XE3P));
  if ((model == "bss" || model == "ss" || model == "bti" || model == "surf") && null)
    check_.error("visa-lsc-address", surface, fmt::format("the {} surface is %null", model));
  if (model == "flat" && !null && (!Check::is_immediate(*surface) || surface->value != 0))
    check_.error("visa-lsc-address", surface, "a base of flat addresses came with XE3P",
                 PlatformSet::before(isa::Platform::XE3P));
}

void MessageCheck::execution() {
  // visa-lsc-exec
  const unsigned exec = check_.exec_size();
  const PlatformSet wide = platforms_with_simd32();
  if (exec > (typed_ ? 8u : 16u) && exec <= (typed_ ? 16u : 32u))
    check_.error("visa-lsc-exec", nullptr, fmt::format("{} of {} channels needs PVC", word_, exec),
                 PlatformSet::all().without(wide));
  else if (exec > 16)
    check_.error("visa-lsc-exec", nullptr, fmt::format("{} of {} channels", word_, exec));
}

void MessageCheck::atomic_sources() {
  // visa-atomic-sources
  const unsigned wanted = op_ == Op::AtomicInc || op_ == Op::AtomicDec || op_ == Op::AtomicLoad     ? 0
                          : op_ == Op::AtomicCas || op_ == Op::AtomicFCas || op_ == Op::AtomicBfCas ? 2
                                                                                                    : 1;
  unsigned index = 0;
  for (const std::string_view name : {"src1", "src2"}) {
    const Operand* source = check_.operand(name);
    if (source != nullptr && index < wanted && source->is_null())
      check_.error("visa-atomic-sources", source, fmt::format("{} of {} is %null", name, word_));
    if (source != nullptr && index >= wanted && !source->is_null())
      check_.error("visa-atomic-sources", source,
                   fmt::format("{} has no {}, {} is given", word_, name, check_.text(*source)));
    if (source != nullptr && index < wanted)
      check_.raw_bytes(*source, std::uint64_t{check_.exec_size()} * element_bytes());
    ++index;
  }
}

void MessageCheck::extent() {
  const unsigned exec = check_.exec_size();
  if (op_ == Op::ReadStateInfo) return;
  // visa-raw-bounds, visa-lsc-regs
  std::uint64_t bytes =
      transposed_ ? std::uint64_t{vector()} * element_bytes() : check_.channel_bytes(vector(), exec, element_bytes());
  if ((bytes + check_.grf() - 1) / check_.grf() > 8)
    check_.error(
        "visa-lsc-regs", data_ != nullptr && !data_->is_null() ? data_ : nullptr,
        fmt::format("{} moves {} registers, possible are 8", word_, (bytes + check_.grf() - 1) / check_.grf()));
  if (op_ == Op::LoadStatus) bytes = 4;
  if (data_ != nullptr) check_.raw_bytes(*data_, bytes);
  const std::string_view bits = check_.code("addr_size");
  const unsigned address = bits == "a64" ? 8 : bits == "a16" ? 2 : 4;
  const bool one = check_.description().slot("pitch") != nullptr || transposed_;
  for (const std::string_view name : {"src0", "u", "v", "r", "lod"}) {
    const Operand* o = check_.operand(name);
    if (o != nullptr) check_.raw_bytes(*o, (one ? 1ull : exec) * address);
  }
}

void MessageCheck::block2d() {
  // visa-lsc-block2d
  const Operand* where = data_ != nullptr && !data_->is_null() ? data_ : nullptr;
  const auto error = [&](const Operand* at, std::string message) {
    check_.error("visa-lsc-block2d", at, std::move(message));
  };
  const bool vnni = check_.integer("vnni") != 0;
  const std::uint64_t across = check_.integer(transposed_ ? "height" : "width"),
                      down = check_.integer(transposed_ ? "width" : "height"), blocks = check_.integer("blocks");
  const unsigned element = element_bytes();
  if (converts()) error(where, fmt::format("blocks are of d8, d16, d32 or d64, not {}", size_));
  if (across < 1 || across * element > 64)
    error(where, fmt::format("rows of {} bytes, possible are up to 64", across * element));
  if (down < 1 || down > 32) error(where, fmt::format("{} rows, possible are 1 to 32", down));
  if (store_ && vnni) error(where, "a store has no VNNI form");
  const std::uint64_t most = store_ || (transposed_ && !vnni) ? 1 : element <= 2 ? 4 : element == 4 ? 2 : 1;
  if (!std::has_single_bit(blocks) || blocks > most)
    error(where, fmt::format("{} blocks, possible are up to {}", blocks, most));
  if (has_payload(check_.description())) block_payload();
  for (const std::string_view name : {"base", "surf_width", "surf_height", "surf_pitch", "x", "y"})
    if (const Operand* o = check_.operand(name); check_.description().slot(name) != nullptr &&
                                                 (o == nullptr || (o->kind == isa::OperandKind::General && o->id == 0)))
      error(o, fmt::format("{} is %null", name));
  // visa-raw-bounds: rows are padded to a power of two, blocks to registers
  if (data_ == nullptr || across * element > 64 || down > 32 || blocks > 4 || across == 0 || down == 0) return;
  const std::uint64_t rows =
      vnni ? (down + 4 / std::min(element, 4u) - 1) / (4 / std::min(element, 4u)) * (4 / std::min(element, 4u)) : down;
  const std::uint64_t block =
      transposed_ ? std::bit_ceil(across) * down * element : std::bit_ceil(across) * rows * element;
  check_.raw_bytes(
      *data_, blocks == 1 ? block : (blocks - 1) * ((block + check_.grf() - 1) / check_.grf() * check_.grf()) + block);
}

/// One register with the eight dwords of the message (LD-13).
void MessageCheck::block_payload() {
  const Operand* payload = check_.operand("payload");
  if (payload == nullptr || payload->kind != isa::OperandKind::General) return;
  if (payload->id == 0) return check_.error("visa-lsc-block2d", payload, "payload is %null");
  const Storage& s = check_.storage(payload->id);
  constexpr std::uint64_t kPayloadBytes = 32;
  const std::uint64_t start = s.root_offset + std::uint64_t{payload->row} * check_.grf() +
                              std::uint64_t{payload->col} * isa::type_bytes(s.type);
  if (s.valid && start + kPayloadBytes > s.root_bytes)
    check_.error("visa-region-bounds", payload,
                 fmt::format("{} needs {} bytes, {} are there", check_.text(*payload), kPayloadBytes,
                             s.root_bytes > start ? s.root_bytes - start : 0));
}

/// Bytes of an image's rows, in the registers a power of two apart, at least four.
void MessageCheck::rows() {
  const std::uint64_t width = check_.integer("width"), height = check_.integer("height");
  const Operand* where = data_ != nullptr && !data_->is_null() ? data_ : nullptr;
  if (width < 1 || width > 64 || height < 1 || height > 64)
    return check_.error("visa-lsc-block2d", where,
                        fmt::format("{} rows of {} bytes, possible are 1 to 64 of 1 to 64", height, width));
  if (check_.code("addr_type") == "flat") check_.error("visa-lsc-address", check_.operand("x"), "tgm needs a surface");
  surface();
  if (data_ != nullptr) check_.raw_bytes(*data_, std::bit_ceil(std::max<std::uint64_t>(width, 4)) * height);
}

void check(Check& check) { MessageCheck(check).run(); }

void check_fence(Check& check) {
  // visa-lsc-fence
  if (check.code("sfid") == "slm" && (check.code("op") != "none" || check.code("scope") != "group"))
    check.error("visa-lsc-fence", nullptr,
                fmt::format("a fence of slm is none.group, not {}.{}", check.code("op"), check.code("scope")));
}

constexpr CheckHook kHooks[] = {{"lsc", check}, {"lsc_fence", check_fence}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::lsc
