// SPDX-License-Identifier: MIT
// Of a compiler module for programs that an emulator runs, in place of engine/jit/llvm/object.cpp: the kernel's module
// is made into an object by the machine at hand (compiler.cpp), whose LLVM isn't emulated. The code is the same.

#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Support/raw_ostream.h>

#include "emulated/messages.hpp"
#include "engine/jit/llvm/object.hpp"

namespace heddle::engine::jit {
namespace {

using emulated::Bytes;
using emulated::Kind;

/// A thread's own line to the compiler, opened when it first compiles something. A process that this one became by
/// fork() opens another.
class Line {
 public:
  ~Line() { end(); }
  [[nodiscard]] int file() {
    if (file_ >= 0 && process_ != ::getpid()) end();
    if (file_ < 0) start();
    return file_;
  }
  void end() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }

 private:
  void start() {
    process_ = ::getpid();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const char* const path = std::getenv("HEDDLE_COMPILER_SOCKET");
    if (path == nullptr || std::strlen(path) >= sizeof address.sun_path) return;
    std::strcpy(address.sun_path, path);
    file_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file_ >= 0 && ::connect(file_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) end();
  }
  int file_ = -1;
  pid_t process_ = 0;
};

/// The function of a message, and its static state for each set of unread channels.
void write(emulated::Writer& to, const machine::jit::PreparedMessage* message,
           const machine::jit::PreparedMessage::Function& function) {
  to.text(function.entry);
  to.range(function.static_state);
  to.number(function.has_output);
  to.number(function.channel_words);
  to.number(function.one_texel);
  to.number(function.input_bytes);
  to.range(function.inputs);
  for (unsigned unread = 0; unread < 16; ++unread) {
    Bytes state(function.static_state.begin(), function.static_state.end());
    if (message != nullptr) message->complete(state, {.unread_channels = unread, .has_vbmi = false});
    to.range(state);
  }
}

Bytes request_of(const llvm::Module& module, const llvm::TargetMachine& target, const ObjectRequest& request,
                 const CompileOptions& options) {
  emulated::Writer to;
  to.text(target.getTargetTriple().str());
  to.text(target.getTargetCPU());
  to.text(target.getTargetFeatureString());
  to.number(options.tier == Tier::First);
  to.number(options.keep_listing);
  to.number(options.functions != nullptr);
  to.number(request.in_memory);
  to.number(request.functions.size());
  for (const Images::Function& f : request.functions) {
    to.text(f.name);
    to.number(f.open);
    to.number(f.likely != nullptr);
    write(to, f.message.get(), f.kernel);
    if (f.likely != nullptr) write(to, f.likely.get(), f.likely->function());
  }
  llvm::SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream, /*ShouldPreserveUseListOrder=*/true);
  to.range(bitcode);
  return to.all();
}

void answer_find(int file, const Bytes& what, KeptFunctions& functions) {
  const auto code = functions.find(std::string(what.begin(), what.end()));
  if (code != nullptr)
    (void)emulated::send(file, Kind::Found, *code);
  else
    (void)emulated::send(file, Kind::Unknown, {});
}

void keep(const Bytes& message, KeptFunctions& functions) {
  emulated::Reader from(message);
  const std::string what = from.text();
  functions.keep(what, from.range<std::uint8_t>());
}

}  // namespace

void watch_stack(llvm::LLVMContext&, CompileOutput&) {}  // the other side does

void make_object(llvm::Module& module, llvm::TargetMachine& target, const ObjectRequest& request,
                 const CompileOptions& options, CompileOutput& out) {
  thread_local Line line;
  const int file = line.file();
  out.error = "nobody compiles at HEDDLE_COMPILER_SOCKET";
  if (file < 0 || !emulated::send(file, Kind::Compile, request_of(module, target, request, options))) {
    line.end();
    return;
  }
  Kind kind{};
  Bytes message;
  while (emulated::receive(file, kind, message)) {
    if (kind == Kind::Find) answer_find(file, message, *options.functions);
    if (kind == Kind::Keep) keep(message, *options.functions);
    if (kind != Kind::Object) continue;
    emulated::Reader from(message);
    out.error = from.text();
    out.too_much_stack = from.number() != 0;
    out.listing = from.text();
    out.assembly = from.text();
    out.object = from.range<std::uint8_t>();
    const bool canceled = options.cancel != nullptr && options.cancel->load(std::memory_order_relaxed);
    if (canceled && out.error.empty()) out.error = "it is not wanted any more";
    return;
  }
  line.end();
}

}  // namespace heddle::engine::jit
