// SPDX-License-Identifier: MIT
// Rules: ENC-3, ENC-5, ENC-11 to ENC-14.
#include "binary/writer.hpp"

#include <fmt/format.h>

namespace heddle::binary {
namespace {

class ObjectWriter {
 public:
  ObjectWriter(const isa::Program& program, const isa::Object& object, const WriteOptions& options,
               base::ByteWriter& out, base::Diagnostics& diagnostics)
      : program_(program),
        object_(object),
        names_(program, object, options),
        out_(out),
        diagnostics_(diagnostics),
        start_(out.size()) {}

  /// Offset of num_inputs in the file (kernels).
  std::size_t run() {
    string_pool();
    out_.u32(names_.pool_index(object_.name));
    variables();
    plain(object_.addresses, 2, "address variables");
    plain(object_.predicates, 2, "predicates");
    labels();
    plain(object_.samplers, 1, "samplers");
    plain(object_.surfaces, 1, "surfaces");
    out_.u8(0);  // VME variables
    const std::size_t inputs_at = out_.size();
    if (object_.kind == isa::ObjectKind::Kernel) inputs();
    code();
    return inputs_at;
  }

 private:
  void range(std::string what, std::uint64_t value, std::uint64_t high, const isa::Position& position) {
    if (value > high)
      diagnostics_.add(base::error("visa-bin-range",
                                   fmt::format("{} {} does not fit its field: at most {}", what, value, high),
                                   isa::place_of(program_, position)));
  }

  void string_pool() {
    out_.u32(names_.pool().size());
    for (const std::string_view name : names_.pool()) {
      if (name.find('\0') != std::string_view::npos)
        diagnostics_.add(base::error("visa-text-string", "a name with a zero byte cannot be written",
                                     isa::place_of(program_, object_.position)));
      out_.bytes(name);
      out_.u8(0);
    }
  }

  void attributes(const std::vector<isa::Attribute>& list, unsigned count_bytes, const isa::Position& position) {
    range("number of attributes", list.size(), count_bytes == 1 ? 255 : 65535, position);
    if (count_bytes == 1)
      out_.u8(list.size());
    else
      out_.u16(list.size());
    for (const isa::Attribute& a : list) {
      range("length of attribute " + a.name, a.value.size(), 255, a.position);
      out_.u32(names_.pool_index(a.name));
      out_.u8(a.value.size());
      out_.bytes(a.value);
    }
  }

  void variables() {
    out_.u32(object_.variables.size());
    for (const isa::GeneralVariable& v : object_.variables) {
      range(v.name + ": elements", v.elements, 0xffff, v.position);
      range(v.name + ": alias offset", v.alias_offset, 0xffff, v.position);
      out_.u32(names_.pool_index(v.name));
      out_.u8(static_cast<unsigned>(v.type) | static_cast<unsigned>(v.align) << 4);
      out_.u16(v.elements);
      out_.u32(v.alias);
      out_.u16(v.alias_offset);
      out_.u8(v.alias_scope);
      attributes(v.attributes, 1, v.position);
    }
  }

  void plain(const std::vector<isa::PlainVariable>& list, unsigned count_bytes, std::string_view what) {
    range(fmt::format("number of {}", what), list.size(), count_bytes == 1 ? 255 : 65535, object_.position);
    if (count_bytes == 1)
      out_.u8(list.size());
    else
      out_.u16(list.size());
    for (const isa::PlainVariable& v : list) {
      range(v.name + ": elements", v.elements, 0xffff, v.position);
      out_.u32(names_.pool_index(v.name));
      out_.u16(v.elements);
      attributes(v.attributes, 1, v.position);
    }
  }

  void labels() {
    range("number of labels", object_.labels.size(), 0xffff, object_.position);
    out_.u16(object_.labels.size());
    for (const isa::Label& label : object_.labels) {
      out_.u32(names_.pool_index(label.name));
      out_.u8(static_cast<unsigned>(label.kind));
      attributes(label.attributes, 1, label.position);
    }
  }

  void inputs() {
    out_.u32(object_.inputs.size());
    for (const isa::Input& input : object_.inputs) {
      range("input offset", input.offset, 0xffff, input.position);
      range("input size", input.size, 0xffff, input.position);
      out_.u8(input.kind_bits);
      out_.u32(input.id);
      out_.u16(input.offset);
      out_.u16(input.size);
    }
  }

  void code() {
    const std::size_t sizes_at = out_.size();
    out_.u32(0);
    out_.u32(0);
    if (object_.kind == isa::ObjectKind::Function) {
      out_.u8(object_.input_size);
      out_.u8(object_.return_size);
    }
    attributes(object_.attributes, 2, object_.position);
    const std::size_t code_at = out_.size();
    // About what it takes.
    out_.reserve(object_.instructions.size() * 8 + object_.operands.size() * 5);
    for (const isa::Instruction& instruction : object_.instructions)
      names_.encode(instruction, out_, diagnostics_, nullptr);
    range("bytes of code", out_.size() - code_at, 0xffffffff, object_.position);
    out_.patch(sizes_at, static_cast<std::uint32_t>(out_.size() - code_at));
    out_.patch(sizes_at + 4, static_cast<std::uint32_t>(code_at - start_));
  }

  const isa::Program& program_;
  const isa::Object& object_;
  ObjectEncoder names_;
  base::ByteWriter& out_;
  base::Diagnostics& diagnostics_;
  std::size_t start_;
};

struct Header {
  const isa::Object* object;
  std::size_t place_at;  ///< where offset, size (and input_offset) stand
};

}  // namespace

base::Result<std::vector<std::uint8_t>> write(const isa::Program& program, const WriteOptions& options) {
  base::Diagnostics diagnostics;
  base::ByteWriter out;
  out.bytes("CISA");
  out.u8(4);
  out.u8(1);
  std::vector<Header> headers;
  for (const isa::ObjectKind kind : {isa::ObjectKind::Kernel, isa::ObjectKind::Function}) {
    std::vector<const isa::Object*> objects;
    for (const isa::Object& object : program.objects)
      if (object.kind == kind) objects.push_back(&object);
    if (objects.size() > 0xffff)
      return base::error("visa-bin-range", fmt::format("{} objects of one kind: at most 65535", objects.size()));
    if (kind == isa::ObjectKind::Function) out.u16(0);  // file-scope variables
    out.u16(objects.size());
    for (const isa::Object* object : objects) {
      if (object->name.size() > 0xffff)
        diagnostics.add(base::error("visa-bin-range", "a name of more than 65535 bytes cannot be written",
                                    isa::place_of(program, object->position)));
      if (kind == isa::ObjectKind::Function) out.u8(object->linkage);
      out.u16(object->name.size());
      out.bytes(object->name);
      headers.push_back({object, out.size()});
      for (int i = 0; i < (kind == isa::ObjectKind::Kernel ? 3 : 2); ++i) out.u32(0);
      out.u32(0);                                      // no relocations of variables and functions
      if (kind == isa::ObjectKind::Kernel) out.u8(0);  // no Gen binaries
    }
  }
  for (const Header& header : headers) {
    const std::size_t at = out.size();
    const std::size_t inputs_at = ObjectWriter(program, *header.object, options, out, diagnostics).run();
    out.patch(header.place_at, static_cast<std::uint32_t>(at));
    out.patch(header.place_at + 4, static_cast<std::uint32_t>(out.size() - at));
    if (header.object->kind == isa::ObjectKind::Kernel)
      out.patch(header.place_at + 8, static_cast<std::uint32_t>(inputs_at));
  }
  if (out.size() > 0xffffffffu)
    diagnostics.add(base::error("visa-bin-range", "the container would have more than 4 GiB"));
  if (diagnostics.has_errors()) return base::Failure(diagnostics.all());
  return out.take();
}

}  // namespace heddle::binary
