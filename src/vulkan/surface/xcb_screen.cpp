// SPDX-License-Identifier: MIT
// Windows of X through libxcb, which is loaded when the first one is used. Pictures go through memory that is shared
// with the server (MIT-SHM) where that can be, else through the connection.

#include <dlfcn.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
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
  Cookie (*create_gc)(void*, std::uint32_t id, std::uint32_t drawable, std::uint32_t mask, const void* values);
  Cookie (*free_gc)(void*, std::uint32_t id);
  Cookie (*put_image)(void*, std::uint8_t format, std::uint32_t drawable, std::uint32_t gc, std::uint16_t width,
                      std::uint16_t height, std::int16_t x, std::int16_t y, std::uint8_t left_pad, std::uint8_t depth,
                      std::uint32_t length, const std::uint8_t* data);
  std::uint32_t (*get_maximum_request_length)(void*);
  int (*flush)(void*);
  Cookie (*get_input_focus)(void*);
  void* (*get_input_focus_reply)(void*, Cookie, void**);
  void* (*request_check)(void*, Cookie);
  const QueryExtension* (*get_extension_data)(void*, void* extension);
  // MIT-SHM; null where the library is not there
  void* shm_id;
  Cookie (*shm_attach_checked)(void*, std::uint32_t segment, std::uint32_t id, std::uint8_t read_only);
  Cookie (*shm_detach)(void*, std::uint32_t segment);
  Cookie (*shm_put_image)(void*, std::uint32_t drawable, std::uint32_t gc, std::uint16_t total_width,
                          std::uint16_t total_height, std::uint16_t src_x, std::uint16_t src_y, std::uint16_t width,
                          std::uint16_t height, std::int16_t x, std::int16_t y, std::uint8_t depth, std::uint8_t format,
                          std::uint8_t send_event, std::uint32_t segment, std::uint32_t offset);
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
                     load(library, "xcb_generate_id", f.generate_id) && load(library, "xcb_create_gc", f.create_gc) &&
                     load(library, "xcb_free_gc", f.free_gc) && load(library, "xcb_put_image", f.put_image) &&
                     load(library, "xcb_get_maximum_request_length", f.get_maximum_request_length) &&
                     load(library, "xcb_flush", f.flush) && load(library, "xcb_get_input_focus", f.get_input_focus) &&
                     load(library, "xcb_get_input_focus_reply", f.get_input_focus_reply) &&
                     load(library, "xcb_request_check", f.request_check) &&
                     load(library, "xcb_get_extension_data", f.get_extension_data);
    if (void* shm = dlopen("libxcb-shm.so.0", RTLD_NOW | RTLD_LOCAL); all && shm != nullptr) {
      f.shm_id = dlsym(shm, "xcb_shm_id");
      if (!load(shm, "xcb_shm_attach_checked", f.shm_attach_checked) || !load(shm, "xcb_shm_detach", f.shm_detach) ||
          !load(shm, "xcb_shm_put_image", f.shm_put_image))
        f.shm_id = nullptr;
    }
    return all;
  }();
  return good ? &functions : nullptr;
}

/// Memory that the server reads.
class SharedPicture {
 public:
  SharedPicture(const Xcb& x, void* connection) : x_(x), connection_(connection) {
    if (x.shm_id == nullptr) return;
    const QueryExtension* there = x.get_extension_data(connection, x.shm_id);
    possible_ = there != nullptr && there->present != 0;
  }
  ~SharedPicture() { release(); }
  SharedPicture(const SharedPicture&) = delete;
  SharedPicture& operator=(const SharedPicture&) = delete;

  /// Room for so many bytes; null where there is no sharing, as with a server on another machine.
  std::uint8_t* take(std::size_t bytes) {
    if (!possible_ || bytes <= size_) return possible_ ? bytes_ : nullptr;
    release();
    const int id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
    if (id < 0) return fail();
    void* at = shmat(id, nullptr, 0);
    segment_ = x_.generate_id(connection_);
    void* error =
        x_.request_check(connection_, x_.shm_attach_checked(connection_, segment_, static_cast<std::uint32_t>(id), 0));
    shmctl(id, IPC_RMID, nullptr);  // goes with the last who has it
    if (at == reinterpret_cast<void*>(-1)) return fail();
    bytes_ = static_cast<std::uint8_t*>(at);
    if (error != nullptr) {
      std::free(error);
      shmdt(bytes_);
      bytes_ = nullptr;
      return fail();
    }
    size_ = bytes;
    return bytes_;
  }
  [[nodiscard]] std::uint32_t segment() const { return segment_; }

 private:
  std::uint8_t* fail() {
    possible_ = false;
    return nullptr;
  }
  void release() {
    if (bytes_ == nullptr) return;
    x_.shm_detach(connection_, segment_);
    x_.flush(connection_);
    shmdt(bytes_);
    bytes_ = nullptr;
    size_ = 0;
  }
  const Xcb& x_;
  void* connection_;
  bool possible_ = false;
  std::uint32_t segment_ = 0;
  std::uint8_t* bytes_ = nullptr;
  std::size_t size_ = 0;
};

class XcbScreen final : public Screen {
 public:
  XcbScreen(const Xcb& x, void* connection, std::uint32_t window) : x_(x), connection_(connection), window_(window) {}
  void release() override {
    shared_.reset();
    if (gc_ == 0) return;
    if (geometry()) {  // with the window the server has forgotten it
      x_.free_gc(connection_, gc_);
      x_.flush(connection_);
    }
    gc_ = 0;
  }

  std::optional<VkExtent2D> size() override {
    const std::optional<Geometry> g = geometry();
    return g ? std::optional(VkExtent2D{g->width, g->height}) : std::nullopt;
  }

  bool show(const image::Surface& picture) override {
    const std::optional<Geometry> g = geometry();
    if (!g || (g->depth != 24 && g->depth != 32)) return false;
    if (gc_ == 0) {
      gc_ = x_.generate_id(connection_);
      x_.create_gc(connection_, gc_, window_, 0, nullptr);
    }
    if (!shared_) shared_.emplace(x_, connection_);
    const std::uint32_t width = std::min<std::uint32_t>(picture.width, UINT16_MAX),
                        height = std::min<std::uint32_t>(picture.height, UINT16_MAX);
    const std::size_t row = std::size_t{width} * 4;
    if (std::uint8_t* to = shared_->take(row * height)) {
      copy(picture, 0, height, to);
      x_.shm_put_image(connection_, window_, gc_, static_cast<std::uint16_t>(width), static_cast<std::uint16_t>(height),
                       0, 0, static_cast<std::uint16_t>(width), static_cast<std::uint16_t>(height), 0, 0, g->depth,
                       kZPixmap, 0, shared_->segment(), 0);
    } else {
      constexpr std::size_t kHeader = 64;
      const std::size_t most = std::size_t{x_.get_maximum_request_length(connection_)} * 4 - kHeader;
      const auto rows = static_cast<std::uint32_t>(std::max<std::size_t>(1, most / row));
      std::vector<std::uint8_t> bytes;
      for (std::uint32_t y = 0; y < height; y += rows) {
        const std::uint32_t count = std::min(rows, height - y);
        bytes.resize(row * count);
        copy(picture, y, count, bytes.data());
        x_.put_image(connection_, kZPixmap, window_, gc_, static_cast<std::uint16_t>(width),
                     static_cast<std::uint16_t>(count), 0, static_cast<std::int16_t>(y), 0, g->depth,
                     static_cast<std::uint32_t>(bytes.size()), bytes.data());
      }
    }
    // The server has read it when it answers.
    void* answer = x_.get_input_focus_reply(connection_, x_.get_input_focus(connection_), nullptr);
    std::free(answer);
    return answer != nullptr;
  }

 private:
  [[nodiscard]] std::optional<Geometry> geometry() const {
    void* error = nullptr;
    Geometry* reply = x_.get_geometry_reply(connection_, x_.get_geometry(connection_, window_), &error);
    std::free(error);
    if (reply == nullptr) return std::nullopt;
    const Geometry found = *reply;
    std::free(reply);
    return found;
  }

  static void copy(const image::Surface& picture, std::uint32_t first, std::uint32_t rows, std::uint8_t* to) {
    const std::size_t bytes = std::size_t{std::min<std::uint32_t>(picture.width, UINT16_MAX)} * 4;
    for (std::uint32_t y = 0; y < rows; ++y, to += bytes) {
      const std::uint8_t* from = image::element_bytes(picture, 0, 0, 0, first + y);
      if (from == nullptr) return;
      std::memcpy(to, from, bytes);
    }
  }

  const Xcb& x_;
  void* connection_;
  const std::uint32_t window_;
  std::uint32_t gc_ = 0;
  std::optional<SharedPicture> shared_;
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
