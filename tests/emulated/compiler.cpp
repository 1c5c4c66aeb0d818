// SPDX-License-Identifier: MIT
// heddle_emulated_compiler SOCKET BITCODE: makes modules of programs that an emulator runs (object_elsewhere.cpp) into
// objects, by this machine's LLVM and the passes of engine/jit/llvm. BITCODE: the texture unit's kernels, compiled for
// those programs' processor. One process for each that asks, until the terminal or whoever started it ends it.

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>

#include "emulated/messages.hpp"
#include "engine/jit/llvm/kernel_bitcode.hpp"
#include "engine/jit/llvm/object.hpp"
#include "engine/jit/llvm/target.hpp"

namespace heddle::engine::jit {
namespace {

using emulated::Bytes;
using emulated::Kind;

std::string bitcode;

/// A message as the program described it.
class SentMessage final : public machine::jit::PreparedMessage {
 public:
  explicit SentMessage(emulated::Reader& from) {
    function_.entry = from.text();
    static_state_ = from.range<std::uint8_t>();
    function_.static_state = static_state_;
    function_.has_output = from.number() != 0;
    function_.channel_words = static_cast<unsigned>(from.number());
    function_.one_texel = from.number() != 0;
    function_.input_bytes = static_cast<std::uint32_t>(from.number());
    function_.inputs = from.range<std::uint32_t>();
    for (Bytes& state : complete_) state = from.range<std::uint8_t>();
  }
  Function function() const override { return function_; }
  void complete(std::span<std::uint8_t> state, const LinkFacts& facts) const override {
    const Bytes& complete = complete_[facts.unread_channels & 15];
    std::memcpy(state.data(), complete.data(), std::min(state.size(), complete.size()));
  }
  const void* dynamic_state() const override { return nullptr; }
  std::size_t dynamic_bytes() const override { return 0; }
  std::size_t bytes() const override { return 0; }
  bool emit(machine::jit::CodegenContext&) const override { return false; }

 private:
  Function function_;
  Bytes static_state_, complete_[16];
};

/// The program's.
class SentFunctions final : public KeptFunctions {
 public:
  explicit SentFunctions(int file) : file_(file) {}
  std::shared_ptr<const Code> find(const std::string& what) override {
    Kind kind{};
    Bytes code;
    if (!emulated::send(file_, Kind::Find, {what.begin(), what.end()}) || !emulated::receive(file_, kind, code))
      return nullptr;
    return kind == Kind::Found ? std::make_shared<const Code>(std::move(code)) : nullptr;
  }
  void keep(const std::string& what, Code code) override {
    emulated::Writer to;
    to.text(what);
    to.range(code);
    (void)emulated::send(file_, Kind::Keep, to.all());
  }

 private:
  int file_;
};

std::vector<Images::Function> functions_from(emulated::Reader& from) {
  std::vector<Images::Function> functions(from.number());
  for (Images::Function& f : functions) {
    f.name = from.text();
    f.open = from.number() != 0;
    const bool likely = from.number() != 0;
    f.message = std::make_shared<SentMessage>(from);
    f.kernel = f.message->function();
    if (likely) f.likely = std::make_shared<SentMessage>(from);
  }
  return functions;
}

CompileOutput compile(emulated::Reader& from, int file) {
  CompileOutput out;
  const std::string triple = from.text(), cpu = from.text(), features = from.text();
  const Tier tier = from.number() != 0 ? Tier::First : Tier::Second;
  const bool keep_listing = from.number() != 0;
  CompileOptions options{.cpu = cpu, .keep_listing = keep_listing, .tier = tier, .translated = {}};
  SentFunctions kept(file);
  if (from.number() != 0) options.functions = &kept;
  const bool in_memory = from.number() != 0;
  const std::vector<Images::Function> functions = functions_from(from);
  const std::vector<char> bytes = from.range<char>();

  llvm::LLVMContext context;
  context.setDiscardValueNames(!options.keep_listing);
  watch_stack(context, out);
  const auto level = options.tier == Tier::First ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
  const auto target = machine_for(triple, cpu, features, level, out.error);
  if (target == nullptr) return out;
  auto module =
      llvm::parseBitcodeFile(llvm::MemoryBufferRef(llvm::StringRef(bytes.data(), bytes.size()), "heddle"), context);
  if (module)
    make_object(**module, *target, {functions, in_memory}, options, out);
  else
    out.error = llvm::toString(module.takeError());
  return out;
}

void serve(int file) {
  Kind kind{};
  Bytes message;
  while (emulated::receive(file, kind, message) && kind == Kind::Compile) {
    emulated::Reader from(message);
    const CompileOutput out = compile(from, file);
    emulated::Writer to;
    to.text(out.error);
    to.number(out.too_much_stack);
    to.text(out.listing);
    to.text(out.assembly);
    to.range(out.object);
    if (!emulated::send(file, Kind::Object, to.all())) return;
  }
}

int listen_at(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (std::strlen(path) >= sizeof address.sun_path) return -1;
  std::strcpy(address.sun_path, path);
  ::unlink(path);
  const int file = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool bound = ::bind(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  return bound && ::listen(file, 64) == 0 ? file : -1;
}

int run(const char* path, const char* kernels) {
  std::ifstream stream(kernels, std::ios::binary);
  bitcode.assign(std::istreambuf_iterator<char>(stream), {});
  const int door = listen_at(path);
  if (bitcode.empty() || door < 0) {
    std::fprintf(stderr, "heddle_emulated_compiler: %s cannot be %s\n", bitcode.empty() ? kernels : path,
                 bitcode.empty() ? "read" : "listened at");
    return 1;
  }
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  std::signal(SIGCHLD, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  for (;;) {
    const int file = ::accept4(door, nullptr, nullptr, SOCK_CLOEXEC);
    if (file < 0) continue;
    if (::fork() == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      ::close(door);
      serve(file);
      ::_exit(0);
    }
    ::close(file);
  }
}

}  // namespace

std::string_view kernel_bitcode(bool) { return bitcode; }

}  // namespace heddle::engine::jit

int main(int count, char** arguments) {
  if (count == 3) return heddle::engine::jit::run(arguments[1], arguments[2]);
  std::fputs("usage: heddle_emulated_compiler SOCKET BITCODE\n", stderr);
  return 2;
}
