// SPDX-License-Identifier: MIT
#include "job/opencl/zeinfo.hpp"

#include <fmt/format.h>

namespace heddle::job {
namespace {

using base::Node;
using base::NodeContext;

// A binding-table index, argument index or size beyond this is no kernel's: tables made from them stay small.
constexpr std::int64_t kMaxIndex = 4096;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 30;

struct Fields {
  const Node& table;
  const NodeContext& context;

  std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high, std::int64_t missing) const {
    const Node* node = table.find(key);
    if (node == nullptr) return missing;
    if (node->kind == Node::Kind::Integer && node->integer >= low && node->integer <= high) return node->integer;
    context.error("value", fmt::format("'{}' must be an integer between {} and {}", key, low, high), *node);
    return missing;
  }
  std::string text(std::string_view key) const {
    const Node* node = table.find(key);
    return node == nullptr ? std::string() : node->text;
  }
  bool boolean(std::string_view key) const {
    const Node* node = table.find(key);
    return node != nullptr && node->kind == Node::Kind::Boolean && node->boolean;
  }
  template <typename F>
  void each(std::string_view key, F f) const {
    const Node* list = table.find(key);
    if (list == nullptr || list->kind != Node::Kind::Array) return;
    for (const Node& item : list->items) {
      if (item.kind != Node::Kind::Table)
        context.error("value", fmt::format("an entry of '{}' must be a table", key), item);
      else
        f(Fields{item, context});
    }
  }
  std::array<std::uint32_t, 3> triple(std::string_view key, std::int64_t high,
                                      std::array<std::uint32_t, 3> missing) const {
    const Node* list = table.find(key);
    if (list == nullptr) return missing;
    std::array<std::uint32_t, 3> result{};
    if (list->kind != Node::Kind::Array || list->items.size() != 3) {
      context.error("value", fmt::format("'{}' must have three numbers", key), *list);
      return missing;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const Node& item = list->items[i];
      if (item.kind != Node::Kind::Integer || item.integer < 0 || item.integer > high) {
        context.error("value", fmt::format("'{}' must have three numbers from 0 to {}", key, high), item);
        return missing;
      }
      result[i] = static_cast<std::uint32_t>(item.integer);
    }
    return result;
  }
};

ZeArgument read_argument(const Fields& f) {
  ZeArgument a;
  a.type = f.text("arg_type");
  a.offset = static_cast<std::uint32_t>(f.integer("offset", 0, kMaxBytes, 0));
  a.size = static_cast<std::uint32_t>(f.integer("size", 0, 65536, 0));
  a.index = static_cast<std::int32_t>(f.integer("arg_index", 0, kMaxIndex, -1));
  a.address_mode = f.text("addrmode");
  a.address_space = f.text("addrspace");
  a.access = f.text("access_type");
  a.source_offset = static_cast<std::uint32_t>(f.integer("source_offset", 0, kMaxBytes, 0));
  a.sampler_index = static_cast<std::int32_t>(f.integer("sampler_index", 0, kMaxIndex, -1));
  a.slm_alignment = static_cast<std::uint32_t>(f.integer("slm_alignment", 1, 65536, 4));
  if (a.offset + a.size > 65536) f.context.error("value", "the payload is larger than a register file", f.table);
  return a;
}

ZeKernel read_kernel(const Fields& f) {
  ZeKernel k;
  k.name = f.text("name");
  if (const Node* environment = f.table.find("execution_env")) {
    const Fields e{*environment, f.context};
    k.simd = static_cast<std::uint32_t>(e.integer("simd_size", 1, 32, 0));
    k.slm_size = static_cast<std::uint64_t>(e.integer("slm_size", 0, kMaxBytes, 0));
    k.required_group = e.triple("required_work_group_size", kMaxIndex, {});
    k.walk_order = e.triple("work_group_walk_order_dimensions", 2, {0, 1, 2});
    if ((1u << k.walk_order[0] | 1u << k.walk_order[1] | 1u << k.walk_order[2]) != 7u) {
      f.context.error("value", "the walk order must name each dimension once", *environment);
      k.walk_order = {0, 1, 2};
    }
  }
  f.each("payload_arguments", [&](const Fields& a) { k.payload.push_back(read_argument(a)); });
  f.each("per_thread_payload_arguments", [&](const Fields& a) {
    if (a.text("arg_type") == "local_id" || a.text("arg_type") == "packed_local_ids")
      k.local_id_bytes = static_cast<std::uint32_t>(a.integer("size", 0, 4096, 0));
  });
  f.each("binding_table_indices", [&](const Fields& b) {
    k.bindings.emplace_back(static_cast<std::uint32_t>(b.integer("bti_value", 0, 239, 0)),
                            static_cast<std::uint32_t>(b.integer("arg_index", 0, kMaxIndex, 0)));
  });
  f.each("inline_samplers", [&](const Fields& s) {
    k.samplers.push_back({static_cast<std::uint32_t>(s.integer("sampler_index", 0, kMaxIndex, 0)), s.text("addrmode"),
                          s.text("filtermode"), s.boolean("normalized")});
  });
  f.each("per_thread_memory_buffers", [&](const Fields& m) {
    k.memory.push_back({m.text("type"), m.text("usage"), static_cast<std::uint64_t>(m.integer("size", 0, kMaxBytes, 0)),
                        m.boolean("is_simt_thread")});
  });
  return k;
}

}  // namespace

std::optional<std::uint32_t> ZeKernel::bti_of(std::uint32_t argument) const {
  for (const auto& [bti, index] : bindings)
    if (index == argument) return bti;
  return std::nullopt;
}

const ZeKernel* ZeInfo::find(std::string_view name) const {
  for (const ZeKernel& kernel : kernels)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

base::Result<ZeInfo> parse_zeinfo(std::string_view text, const std::string& file, const base::Limits& limits) {
  const base::Result<Node> root = parse_yaml(text, file, limits);
  if (!root.ok()) return root.failure();
  base::Diagnostics diagnostics(limits.diagnostics);
  const NodeContext context{file, "zeinfo", &diagnostics};
  if (root->kind != Node::Kind::Table)
    return base::error("zeinfo-syntax", "the file holds no table, so it is no ABI description (.zeinfo) and no zebin",
                       base::Place::in_file(file));
  ZeInfo info;
  const Fields f{*root, context};
  f.each("kernels", [&](const Fields& kernel) { info.kernels.push_back(read_kernel(kernel)); });
  f.each("kernels_misc_info", [&](const Fields& misc) {
    const std::string name = misc.text("name");
    for (ZeKernel& kernel : info.kernels) {
      if (kernel.name != name) continue;
      misc.each("args_info", [&](const Fields& a) {
        const auto index = static_cast<std::size_t>(a.integer("index", 0, kMaxIndex, 0));
        if (kernel.names.size() <= index) kernel.names.resize(index + 1);
        kernel.names[index] = {a.text("name"), a.text("type_name"), a.text("access_qualifier")};
      });
    }
  });
  if (info.kernels.empty())
    diagnostics.add(base::error("zeinfo-value", "the file describes no kernel", base::Place::in_file(file)));
  if (diagnostics.has_errors()) return base::Failure(diagnostics.all());
  return info;
}

}  // namespace heddle::job
