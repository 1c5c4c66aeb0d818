// SPDX-License-Identifier: MIT
#pragma once
// The memory of a job: its buffers, images and samplers, filled from files and values before the run, written out after
// it.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "image/sampler.hpp"
#include "image/surface.hpp"
#include "job/job.hpp"

namespace heddle::job {

struct Buffer {
  const BufferBinding* binding = nullptr;
  std::shared_ptr<image::Memory> bytes;
  std::uint64_t address = 0;                ///< in the 64-bit address space
  std::shared_ptr<image::Surface> surface;  ///< the bytes as a buffer surface (RAW, or typed by `format`)
};

struct Image {
  const ImageBinding* binding = nullptr;
  std::shared_ptr<image::Surface> surface;
};

struct SamplerResource {
  const SamplerBinding* binding = nullptr;
  std::shared_ptr<image::Sampler> sampler;         ///< what a vISA kernel binds: the state as given
  std::shared_ptr<image::Sampler> vulkan_sampler;  ///< what a SPIR-V program binds: cubes are seamless by default
};

/// Everything that a job names. The job must outlive it.
struct Resources {
  std::vector<Buffer> buffers;
  std::vector<Image> images;
  std::vector<SamplerResource> samplers;
  std::vector<base::Diagnostic> notes;  ///< warnings and notes about the files that were read

  [[nodiscard]] const Buffer* buffer(std::string_view key) const;
  [[nodiscard]] const Image* image(std::string_view key) const;
  [[nodiscard]] const SamplerResource* sampler(std::string_view key) const;
};

/// A buffer surface over shared bytes: RAW (entries = bytes), or of a format (entries = elements).
[[nodiscard]] std::shared_ptr<image::Surface> buffer_surface(std::shared_ptr<image::Memory> bytes, image::Format format,
                                                             std::string name);

/// Allocates and fills. All problems are reported. Ids: job-value, job-missing, limit-memory, and those of the files
/// read.
[[nodiscard]] base::Result<Resources> load_resources(const Job& job);

}  // namespace heddle::job
