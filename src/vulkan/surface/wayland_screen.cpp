// SPDX-License-Identifier: MIT
// Surfaces of Wayland through libwayland-client, which is loaded when the first one is used. Pictures are buffers of
// memory that is shared with the compositor (wl_shm).

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "vulkan/surface/screen.hpp"

namespace heddle::vulkan {
namespace {

// What Wayland's protocol and libwayland-client's interface have, as far as it is used here.
union Argument {
  std::int32_t i;
  std::uint32_t u;
  const char* s;
  void* o;
  std::uint32_t n;
  std::int32_t h;
};
using Listener = void (*)();
constexpr std::uint32_t kGetRegistry = 1;                       // of wl_display
constexpr std::uint32_t kBind = 0;                              // of wl_registry
constexpr std::uint32_t kCreatePool = 0;                        // of wl_shm
constexpr std::uint32_t kCreateBuffer = 0, kDestroyPool = 1;    // of wl_shm_pool
constexpr std::uint32_t kDestroyBuffer = 0;                     // of wl_buffer
constexpr std::uint32_t kAttach = 1, kDamage = 2, kCommit = 6;  // of wl_surface
constexpr std::uint32_t kXrgb8888 = 1;                          // of wl_shm; every compositor has it

/// The functions of libwayland-client.
struct Wayland {
  void* (*create_queue)(void* display);
  void (*destroy_queue)(void* queue);
  void* (*create_wrapper)(void* proxy);
  void (*destroy_wrapper)(void* wrapper);
  void (*set_queue)(void* proxy, void* queue);
  void (*marshal)(void* proxy, std::uint32_t opcode, Argument* arguments);
  void* (*construct)(void* proxy, std::uint32_t opcode, Argument* arguments, const void* interface,
                     std::uint32_t version);
  int (*listen)(void* proxy, Listener* listeners, void* data);
  void (*destroy)(void* proxy);
  int (*roundtrip)(void* display, void* queue);
  int (*error_of)(void* display);
  const void *registry, *shm, *pool, *buffer;  ///< interfaces
};

template <typename F>
bool load(void* library, const char* name, F*& function) {
  function = reinterpret_cast<F*>(dlsym(library, name));
  return function != nullptr;
}

/// Null where libwayland-client is not there. Loaded once; the library stays.
const Wayland* wayland() {
  static Wayland functions{};
  static const bool good = [] {
    void* library = dlopen("libwayland-client.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    Wayland& f = functions;
    return load(library, "wl_display_create_queue", f.create_queue) &&
           load(library, "wl_event_queue_destroy", f.destroy_queue) &&
           load(library, "wl_proxy_create_wrapper", f.create_wrapper) &&
           load(library, "wl_proxy_wrapper_destroy", f.destroy_wrapper) &&
           load(library, "wl_proxy_set_queue", f.set_queue) && load(library, "wl_proxy_marshal_array", f.marshal) &&
           load(library, "wl_proxy_marshal_array_constructor_versioned", f.construct) &&
           load(library, "wl_proxy_add_listener", f.listen) && load(library, "wl_proxy_destroy", f.destroy) &&
           load(library, "wl_display_roundtrip_queue", f.roundtrip) &&
           load(library, "wl_display_get_error", f.error_of) && load(library, "wl_registry_interface", f.registry) &&
           load(library, "wl_shm_interface", f.shm) && load(library, "wl_shm_pool_interface", f.pool) &&
           load(library, "wl_buffer_interface", f.buffer);
  }();
  return good ? &functions : nullptr;
}

/// A picture that the compositor reads, until it gives it back.
class SharedPicture {
 public:
  explicit SharedPicture(const Wayland& w) : w_(w) {}
  ~SharedPicture() {
    if (buffer_ != nullptr) {
      w_.marshal(buffer_, kDestroyBuffer, nullptr);
      w_.destroy(buffer_);
    }
    if (bytes_ != nullptr) munmap(bytes_, size_);
  }
  SharedPicture(const SharedPicture&) = delete;
  SharedPicture& operator=(const SharedPicture&) = delete;

  bool make(void* shm, std::uint32_t width, std::uint32_t height) {
    width_ = width;
    height_ = height;
    size_ = std::size_t{4} * width * height;
    if (size_ > INT32_MAX) return false;
    const int file = memfd_create("heddle-picture", MFD_CLOEXEC);
    if (file < 0) return false;
    if (ftruncate(file, static_cast<off_t>(size_)) == 0)
      if (void* at = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0); at != MAP_FAILED)
        bytes_ = static_cast<std::uint8_t*>(at);
    if (bytes_ != nullptr) make_buffer(shm, file);
    close(file);
    return buffer_ != nullptr;
  }
  [[nodiscard]] bool fits(std::uint32_t width, std::uint32_t height) const {
    return width == width_ && height == height_;
  }
  [[nodiscard]] std::uint8_t* bytes() const { return bytes_; }
  [[nodiscard]] void* buffer() const { return buffer_; }
  bool shown = false;  ///< the compositor may read it

 private:
  void make_buffer(void* shm, int file) {
    std::array<Argument, 3> pool{Argument{.n = 0}, Argument{.h = file},
                                 Argument{.i = static_cast<std::int32_t>(size_)}};
    void* const from = w_.construct(shm, kCreatePool, pool.data(), w_.pool, 1);
    if (from == nullptr) return;
    std::array<Argument, 6> shape{Argument{.n = 0},
                                  Argument{.i = 0},
                                  Argument{.i = static_cast<std::int32_t>(width_)},
                                  Argument{.i = static_cast<std::int32_t>(height_)},
                                  Argument{.i = static_cast<std::int32_t>(4 * width_)},
                                  Argument{.u = kXrgb8888}};
    buffer_ = w_.construct(from, kCreateBuffer, shape.data(), w_.buffer, 1);
    w_.marshal(from, kDestroyPool, nullptr);  // the buffer keeps its memory
    w_.destroy(from);
    static constexpr void (*kReleased)(void*, void*) = [](void* data, void*) {
      static_cast<SharedPicture*>(data)->shown = false;
    };
    static std::array<Listener, 1> listeners{reinterpret_cast<Listener>(kReleased)};
    if (buffer_ != nullptr) w_.listen(buffer_, listeners.data(), this);
  }

  const Wayland& w_;
  std::uint32_t width_ = 0, height_ = 0;
  std::size_t size_ = 0;
  std::uint8_t* bytes_ = nullptr;
  void* buffer_ = nullptr;
};

class WaylandScreen final : public Screen {
 public:
  WaylandScreen(const Wayland& w, void* display, void* surface) : w_(w), display_(display), surface_(surface) {}

  void release() override {
    pictures_.clear();
    for (void** proxy : {&shm_, &registry_}) {
      if (*proxy != nullptr) w_.destroy(*proxy);
      *proxy = nullptr;
    }
    if (queue_ != nullptr) w_.destroy_queue(queue_);
    queue_ = nullptr;
  }

  /// The pictures decide how large the surface is. Before the first one everything is read that the compositor has
  /// sent: programs rely on a driver that does, and hear only then that their window may be drawn to.
  std::optional<VkExtent2D> size() override {
    if (void* const queue = shows_ ? nullptr : w_.create_queue(display_); queue != nullptr) {
      for (int times = 0; times < 2; ++times)
        w_.roundtrip(display_, queue);  // it answers when it is idle, which is later
      w_.destroy_queue(queue);
    }
    return w_.error_of(display_) == 0 ? std::optional(kAnySize) : std::nullopt;
  }

  bool show(const image::Surface& picture) override {
    if (w_.error_of(display_) != 0) return false;
    if (shm_ == nullptr && !connect()) {
      release();  // the next picture tries again
      return false;
    }
    SharedPicture* const to = take(picture.width, picture.height);
    if (to == nullptr) return false;
    copy(picture, to->bytes());
    std::array<Argument, 3> attach{Argument{.o = to->buffer()}, Argument{.i = 0}, Argument{.i = 0}};
    std::array<Argument, 4> all{Argument{.i = 0}, Argument{.i = 0}, Argument{.i = INT32_MAX}, Argument{.i = INT32_MAX}};
    w_.marshal(surface_, kAttach, attach.data());
    w_.marshal(surface_, kDamage, all.data());
    w_.marshal(surface_, kCommit, nullptr);
    to->shown = shows_ = true;
    // Also hears which pictures the compositor gives back.
    return w_.roundtrip(display_, queue_) >= 0;
  }

 private:
  /// A queue of its own: the application's events are none of the driver's.
  bool connect() {
    queue_ = w_.create_queue(display_);
    void* const wrapper = queue_ != nullptr ? w_.create_wrapper(display_) : nullptr;
    if (wrapper == nullptr) return false;
    w_.set_queue(wrapper, queue_);
    std::array<Argument, 1> made{Argument{.n = 0}};
    registry_ = w_.construct(wrapper, kGetRegistry, made.data(), w_.registry, 1);
    w_.destroy_wrapper(wrapper);
    if (registry_ == nullptr) return false;
    static constexpr void (*kFound)(void*, void*, std::uint32_t, const char*, std::uint32_t) =
        [](void* data, void*, std::uint32_t name, const char* interface, std::uint32_t) {
          if (std::string_view(interface) == "wl_shm") static_cast<WaylandScreen*>(data)->bind(name);
        };
    static constexpr void (*kGone)(void*, void*, std::uint32_t) = [](void*, void*, std::uint32_t) {};
    static std::array<Listener, 2> listeners{reinterpret_cast<Listener>(kFound), reinterpret_cast<Listener>(kGone)};
    w_.listen(registry_, listeners.data(), this);
    return w_.roundtrip(display_, queue_) >= 0 && shm_ != nullptr;
  }

  void bind(std::uint32_t name) {
    if (shm_ != nullptr) return;
    std::array<Argument, 4> what{Argument{.u = name}, Argument{.s = "wl_shm"}, Argument{.u = 1}, Argument{.n = 0}};
    shm_ = w_.construct(registry_, kBind, what.data(), w_.shm, 1);
    static constexpr void (*kFormat)(void*, void*, std::uint32_t) = [](void*, void*, std::uint32_t) {};
    static std::array<Listener, 1> listeners{reinterpret_cast<Listener>(kFormat)};
    if (shm_ != nullptr) w_.listen(shm_, listeners.data(), nullptr);
  }

  /// A picture that nobody reads; of many that a compositor keeps, the one that it has had longest.
  SharedPicture* take(std::uint32_t width, std::uint32_t height) {
    constexpr std::size_t kMax = 8;
    std::erase_if(pictures_, [&](const auto& p) { return !p->shown && !p->fits(width, height); });
    auto free = std::ranges::find_if(pictures_, [](const auto& p) { return !p->shown; });
    if (free == pictures_.end() && pictures_.size() >= kMax)
      free = std::ranges::find_if(pictures_, [&](const auto& p) { return p->fits(width, height); });
    if (free != pictures_.end()) {
      std::rotate(free, free + 1, pictures_.end());  // those that were shown last stand at the end
      return pictures_.back().get();
    }
    auto made = std::make_unique<SharedPicture>(w_);
    if (!made->make(shm_, width, height)) return nullptr;
    pictures_.push_back(std::move(made));
    return pictures_.back().get();
  }

  /// Nothing shines through: compositors pass the byte that they do not look at on to screenshots, as if it were alpha.
  static void copy(const image::Surface& picture, std::uint8_t* to) {
    constexpr std::uint32_t kOpaque = 0xff000000;
    for (std::uint32_t y = 0; y < picture.height; ++y) {
      const std::uint8_t* from = image::element_bytes(picture, 0, 0, 0, y);
      if (from == nullptr) return;
      for (std::uint32_t x = 0; x < picture.width; ++x, from += 4, to += 4) {
        std::uint32_t texel = 0;
        std::memcpy(&texel, from, sizeof texel);
        texel |= kOpaque;
        std::memcpy(to, &texel, sizeof texel);
      }
    }
  }

  const Wayland& w_;
  void *display_, *surface_;
  void *queue_ = nullptr, *registry_ = nullptr, *shm_ = nullptr;
  std::vector<std::unique_ptr<SharedPicture>> pictures_;
  std::atomic<bool> shows_ = false;
};

}  // namespace

std::unique_ptr<Screen> wayland_screen(void* display, void* surface) {
  const Wayland* w = wayland();
  return w == nullptr ? nullptr : std::make_unique<WaylandScreen>(*w, display, surface);
}

}  // namespace heddle::vulkan
