// SPDX-License-Identifier: MIT
#include "job/job.hpp"

namespace heddle::job {

const std::vector<std::string_view>& payload_words() {
  static const std::vector<std::string_view> kWords{"perspective_pixel",
                                                    "perspective_centroid",
                                                    "perspective_sample",
                                                    "linear_pixel",
                                                    "linear_centroid",
                                                    "linear_sample",
                                                    "depth",
                                                    "w",
                                                    "sample_position",
                                                    "coverage"};
  return kWords;
}

ElementType element_type(const BufferBinding& buffer) {
  if (buffer.type) return *buffer.type;
  const unsigned bytes = buffer.format ? image::format_info(*buffer.format)->bytes_per_element() : 1;
  return bytes == 2   ? ElementType::U16
         : bytes == 4 ? ElementType::U32
         : bytes == 8 ? ElementType::U64
                      : ElementType::U8;
}

ElementType fill_type(const image::FormatInfo& format) {
  return format.value_class == image::ValueClass::Float  ? ElementType::F32
         : format.value_class == image::ValueClass::Uint ? ElementType::U32
                                                         : ElementType::I32;
}

}  // namespace heddle::job
