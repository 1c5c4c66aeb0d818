// SPDX-License-Identifier: MIT
// Windows of X through libxcb, which is loaded when the first one is used. Pictures go through memory that is shared
// with the server (MIT-SHM) where that can be, else through the connection.

#include <dlfcn.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "vulkan/surface/screen.hpp"

namespace heddle::vulkan {
namespace {

// What X's protocol and libxcb's interface have, as far as it is used here.
struct Cookie {
  unsigned sequence;
};
struct Geometry {  // of GetGeometry's reply
  std::uint8_t response_type, depth;
  std::uint16_t sequence;
  std::uint32_t length, root;
  std::int16_t x, y;
  std::uint16_t width, height, border_width;
};
struct QueryExtension {  // of QueryExtension's reply
  std::uint8_t response_type, pad;
  std::uint16_t sequence;
  std::uint32_t length;
  std::uint8_t present, major_opcode, first_event, first_error;
};
constexpr std::uint8_t kZPixmap = 2;

/// The functions of libxcb and libxcb-shm.
struct Xcb {
  Cookie (*get_geometry)(void*, std::uint32_t);
  Geometry* (*get_geometry_reply)(void*, Cookie, void**);
  std::uint32_t (*generate_id)(void*);
  Cookie (*create_gc_checked)(void*, std::uint32_t id, std::uint32_t drawable, std::uint32_t mask, const void* values);
  Cookie (*free_gc)(void*, std::uint32_t id);
  Cookie (*put_image_checked)(void*, std::uint8_t format, std::uint32_t drawable, std::uint32_t gc, std::uint16_t width,
                              std::uint16_t height, std::int16_t x, std::int16_t y, std::uint8_t left_pad,
                              std::uint8_t depth, std::uint32_t length, const std::uint8_t* data);
  std::uint32_t (*get_maximum_request_length)(void*);
  int (*flush)(void*);
  void* (*request_check)(void*, Cookie);
  const QueryExtension* (*get_extension_data)(void*, void* extension);
  // MIT-SHM; null where the library is not there
  void* shm_id;
  Cookie (*shm_attach_checked)(void*, std::uint32_t segment, std::uint32_t id, std::uint8_t read_only);
  Cookie (*shm_detach)(void*, std::uint32_t segment);
  Cookie (*shm_put_image_checked)(void*, std::uint32_t drawable, std::uint32_t gc, std::uint16_t total_width,
                                  std::uint16_t total_height, std::uint16_t src_x, std::uint16_t src_y,
                                  std::uint16_t width, std::uint16_t height, std::int16_t x, std::int16_t y,
                                  std::uint8_t depth, std::uint8_t format, std::uint8_t send_event,
                                  std::uint32_t segment, std::uint32_t offset);
};

template <typename F>
bool load(void* library, const char* name, F*& function) {
  function = reinterpret_cast<F*>(dlsym(library, name));
  return function != nullptr;
}

/// Null where libxcb is not there. Loaded once; the library stays.
const Xcb* xcb() {
  static Xcb functions{};
  static const bool good = [] {
    void* library = dlopen("libxcb.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    Xcb& f = functions;
    const bool all = load(library, "xcb_get_geometry", f.get_geometry) &&
                     load(library, "xcb_get_geometry_reply", f.get_geometry_reply) &&
                     load(library, "xcb_generate_id", f.generate_id) &&
                     load(library, "xcb_create_gc_checked", f.create_gc_checked) &&
                     load(library, "xcb_free_gc", f.free_gc) &&
                     load(library, "xcb_put_image_checked", f.put_image_checked) &&
                     load(library, "xcb_get_maximum_request_length", f.get_maximum_request_length) &&
                     load(library, "xcb_flush", f.flush) && load(library, "xcb_request_check", f.request_check) &&
                     load(library, "xcb_get_extension_data", f.get_extension_data);
    if (void* shm = dlopen("libxcb-shm.so.0", RTLD_NOW | RTLD_LOCAL); all && shm != nullptr) {
      f.shm_id = dlsym(shm, "xcb_shm_id");
      if (!load(shm, "xcb_shm_attach_checked", f.shm_attach_checked) || !load(shm, "xcb_shm_detach", f.shm_detach) ||
          !load(shm, "xcb_shm_put_image_checked", f.shm_put_image_checked))
        f.shm_id = nullptr;
    }
    return all;
  }();
  return good ? &functions : nullptr;
}

/// Memory that the server reads too, as long as the connection knows it.
class SharedMemories {
 public:
  SharedMemories(const Xcb& x, void* connection) : x_(x), connection_(connection) {
    if (x.shm_id == nullptr) return;
    const QueryExtension* there = x.get_extension_data(connection, x.shm_id);
    possible_ = there != nullptr && there->present != 0;
  }

  /// So many bytes; null where there is no sharing, as with a server on another machine, or was none before.
  [[nodiscard]] std::shared_ptr<image::Memory> make(std::size_t bytes) {
    forget_unused();
    if (!possible_) return nullptr;
    const int id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
    if (id < 0) return fail();
    void* at = shmat(id, nullptr, 0);
    const std::uint32_t segment = x_.generate_id(connection_);
    void* error =
        x_.request_check(connection_, x_.shm_attach_checked(connection_, segment, static_cast<std::uint32_t>(id), 1));
    shmctl(id, IPC_RMID, nullptr);  // goes with the last who has it
    const bool attached = error == nullptr;
    std::free(error);
    std::shared_ptr<void> owner;
    if (at != reinterpret_cast<void*>(-1)) owner = {at, shmdt};
    if (attached && owner == nullptr) x_.shm_detach(connection_, segment);
    if (!attached || owner == nullptr) return fail();
    auto memory = std::make_shared<image::Memory>(std::move(owner), std::span(static_cast<std::uint8_t*>(at), bytes));
    all_.push_back({memory, segment});
    return memory;
  }
  /// Where the server finds a byte.
  struct Place {
    std::uint32_t segment;
    std::size_t offset;
  };
  /// Nothing for other memory.
  [[nodiscard]] std::optional<Place> place_of(const std::uint8_t* byte) const {
    for (const Shared& s : all_) {
      const std::shared_ptr<image::Memory> memory = s.memory.lock();
      if (memory && byte >= memory->data() && byte < memory->data() + memory->size())
        return Place{s.segment, static_cast<std::size_t>(byte - memory->data())};
    }
    return std::nullopt;
  }
  /// The server forgets what nobody has any more.
  void forget_unused() {
    std::erase_if(all_, [&](const Shared& s) {
      const bool unused = s.memory.expired();
      if (unused) x_.shm_detach(connection_, s.segment);
      return unused;
    });
  }
  /// The server forgets them all; whoever has them keeps the bytes.
  void detach() {
    for (const Shared& s : all_) x_.shm_detach(connection_, s.segment);
    all_.clear();
  }

 private:
  struct Shared {
    std::weak_ptr<image::Memory> memory;
    std::uint32_t segment;
  };
  std::nullptr_t fail() {
    possible_ = false;
    return nullptr;
  }
  const Xcb& x_;
  void* connection_;
  bool possible_ = false;
  std::vector<Shared> all_;
};

class XcbScreen final : public Screen {
 public:
  XcbScreen(const Xcb& x, void* connection, std::uint32_t window) : x_(x), connection_(connection), window_(window) {}
  void release() override {
    const std::lock_guard guard(mutex_);
    copy_.reset();
    if (shared_) shared_->detach();
    shared_.reset();
    if (gc_ != 0) x_.free_gc(connection_, gc_);  // which the server keeps without its window, too
    gc_ = 0;
    x_.flush(connection_);
  }
  void forget_unused() override {
    const std::lock_guard guard(mutex_);
    if (!shared_) return;
    shared_->forget_unused();
    x_.flush(connection_);
  }

  std::optional<VkExtent2D> size() override { return size_of(geometry()); }

  std::shared_ptr<image::Memory> memory(std::size_t bytes) override {
    const std::lock_guard guard(mutex_);
    return shared(bytes);
  }

  bool show(const image::Surface& picture) override {
    const std::lock_guard guard(mutex_);
    if (depth_ == 0) {  // a window keeps its depth
      const std::optional<Geometry> g = geometry();
      if (!g || (g->depth != 24 && g->depth != 32)) return false;
      depth_ = g->depth;
    }
    std::vector<Cookie> sent;
    const bool fresh = gc_ == 0;
    if (fresh) {
      gc_ = x_.generate_id(connection_);
      sent.push_back(x_.create_gc_checked(connection_, gc_, window_, 0, nullptr));
    }
    if (!show_in_place(picture, sent)) send(picture, sent);
    // The server has read it when it answers.
    const bool there = size_of(geometry()).has_value();
    bool good = there;
    for (const Cookie cookie : sent) {  // errors of a window that is gone are none of the application's
      void* error = x_.request_check(connection_, cookie);
      good = good && error == nullptr;
      std::free(error);
    }
    if (fresh && !good) gc_ = 0;  // perhaps it was not made
    return good;
  }

 private:
  std::shared_ptr<image::Memory> shared(std::size_t bytes) {
    if (!shared_) shared_.emplace(x_, connection_);
    return shared_->make(bytes);
  }

  /// Asks the server.
  [[nodiscard]] std::optional<Geometry> geometry() const {
    void* error = nullptr;
    Geometry* reply = x_.get_geometry_reply(connection_, x_.get_geometry(connection_, window_), &error);
    std::free(error);
    if (reply == nullptr) return std::nullopt;
    const Geometry found = *reply;
    std::free(reply);
    return found;
  }
  std::optional<VkExtent2D> size_of(const std::optional<Geometry>& g) {
    return know(g ? std::optional(VkExtent2D{g->width, g->height}) : std::nullopt);
  }

  /// The server reads the picture's own memory, or that of a copy. False where it reads none of ours.
  bool show_in_place(const image::Surface& picture, std::vector<Cookie>& sent) {
    const std::uint32_t width = shown(picture.width), height = shown(picture.height);
    const std::size_t row = std::size_t{width} * kTexelBytes;
    const std::uint8_t *first = row_of(picture, 0), *second = row_of(picture, 1);
    std::optional<SharedMemories::Place> place = shared_ ? shared_->place_of(first) : std::nullopt;
    std::size_t pitch = place && second != nullptr ? static_cast<std::size_t>(second - first) : row;
    if (!place || pitch % kTexelBytes != 0 || pitch / kTexelBytes > UINT16_MAX || place->offset > UINT32_MAX) {
      if (!copy_ || copy_->size() < row * height) {
        copy_.reset();
        copy_ = shared(row * height);
      }
      if (!copy_) return false;
      copy(picture, 0, height, copy_->data());
      place = shared_->place_of(copy_->data());
      pitch = row;
    }
    sent.push_back(x_.shm_put_image_checked(connection_, window_, gc_, static_cast<std::uint16_t>(pitch / kTexelBytes),
                                            static_cast<std::uint16_t>(height), 0, 0, static_cast<std::uint16_t>(width),
                                            static_cast<std::uint16_t>(height), 0, 0, depth_, kZPixmap, 0,
                                            place->segment, static_cast<std::uint32_t>(place->offset)));
    return true;
  }

  /// The picture goes through the connection, in as many requests as it takes.
  void send(const image::Surface& picture, std::vector<Cookie>& sent) {
    constexpr std::size_t kHeader = 64;
    const std::uint32_t width = shown(picture.width), height = shown(picture.height);
    const std::size_t row = std::size_t{width} * kTexelBytes,
                      most = std::size_t{x_.get_maximum_request_length(connection_)} * 4 - kHeader;
    const auto rows = static_cast<std::uint32_t>(std::max<std::size_t>(1, most / row));
    std::vector<std::uint8_t> bytes;
    for (std::uint32_t y = 0; y < height; y += rows) {
      const std::uint32_t count = std::min(rows, height - y);
      bytes.resize(row * count);
      copy(picture, y, count, bytes.data());
      sent.push_back(x_.put_image_checked(connection_, kZPixmap, window_, gc_, static_cast<std::uint16_t>(width),
                                          static_cast<std::uint16_t>(count), 0, static_cast<std::int16_t>(y), 0, depth_,
                                          static_cast<std::uint32_t>(bytes.size()), bytes.data()));
    }
  }

  static constexpr std::size_t kTexelBytes = 4;
  static std::uint32_t shown(std::uint32_t size) { return std::min<std::uint32_t>(size, UINT16_MAX); }
  static const std::uint8_t* row_of(const image::Surface& picture, std::uint32_t y) {
    return y < picture.height ? image::element_bytes(picture, 0, 0, 0, y) : nullptr;
  }
  static void copy(const image::Surface& picture, std::uint32_t first, std::uint32_t rows, std::uint8_t* to) {
    const std::size_t bytes = shown(picture.width) * kTexelBytes;
    for (std::uint32_t y = 0; y < rows; ++y, to += bytes) {
      const std::uint8_t* from = row_of(picture, first + y);
      if (from == nullptr) return;
      std::memcpy(to, from, bytes);
    }
  }

  const Xcb& x_;
  void* connection_;
  const std::uint32_t window_;
  std::mutex mutex_;  ///< the application's threads make and end swapchains, the queue's thread shows pictures
  std::uint32_t gc_ = 0;
  std::uint8_t depth_ = 0;
  std::optional<SharedMemories> shared_;
  std::shared_ptr<image::Memory> copy_;  ///< of pictures that the server can't read where they lie
};

class Headless final : public Screen {
 public:
  std::optional<VkExtent2D> size() override { return kAnySize; }
  bool show(const image::Surface&) override { return true; }
};

}  // namespace

std::unique_ptr<Screen> headless_screen() { return std::make_unique<Headless>(); }

std::unique_ptr<Screen> xcb_screen(void* connection, std::uint32_t window) {
  const Xcb* x = xcb();
  return x == nullptr ? nullptr : std::make_unique<XcbScreen>(*x, connection, window);
}

void* xcb_connection_of(void* display) {
  static void* const library = dlopen("libX11-xcb.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  void* (*connection)(void*) = nullptr;
  return load(library, "XGetXCBConnection", connection) ? connection(display) : nullptr;
}

}  // namespace heddle::vulkan
