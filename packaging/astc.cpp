// SPDX-License-Identifier: MIT
// libastcenc's functions for a library that brings its own copy along: opened when the first ASTC image is decoded,
// beside this one (by its RUNPATH), so that its symbols meet nobody else's.
#include <astcenc.h>
#include <dlfcn.h>

namespace {

template <typename Function>
Function* find(const char* name) {
  static void* library = ::dlopen("libheddle_astcenc.so", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  return library != nullptr ? reinterpret_cast<Function*>(::dlsym(library, name)) : nullptr;
}

}  // namespace

#define HEDDLE_FIND(name) static auto* const found = find<decltype(name)>(#name)

extern "C" {

astcenc_error astcenc_config_init(astcenc_profile profile, unsigned x, unsigned y, unsigned z, float quality,
                                  unsigned flags, astcenc_config* config) {
  HEDDLE_FIND(astcenc_config_init);
  return found != nullptr ? found(profile, x, y, z, quality, flags, config) : ASTCENC_ERR_NOT_IMPLEMENTED;
}

astcenc_error astcenc_context_alloc(const astcenc_config* config, unsigned threads, astcenc_context** context) {
  HEDDLE_FIND(astcenc_context_alloc);
  return found != nullptr ? found(config, threads, context) : ASTCENC_ERR_NOT_IMPLEMENTED;
}

astcenc_error astcenc_decompress_image(astcenc_context* context, const std::uint8_t* data, std::size_t length,
                                       astcenc_image* image, const astcenc_swizzle* swizzle, unsigned thread) {
  HEDDLE_FIND(astcenc_decompress_image);
  return found != nullptr ? found(context, data, length, image, swizzle, thread) : ASTCENC_ERR_NOT_IMPLEMENTED;
}

astcenc_error astcenc_decompress_reset(astcenc_context* context) {
  HEDDLE_FIND(astcenc_decompress_reset);
  return found != nullptr ? found(context) : ASTCENC_ERR_NOT_IMPLEMENTED;
}

void astcenc_context_free(astcenc_context* context) {
  HEDDLE_FIND(astcenc_context_free);
  if (found != nullptr) found(context);
}

}  // extern "C"
