// SPDX-License-Identifier: MIT
// Job files, zeinfo and meshes: the first byte chooses.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "job/formats/mesh_files.hpp"
#include "job/job.hpp"
#include "job/opencl/zeinfo.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0] & 3u) {
    case 0:
      (void)heddle::job::read_job(text, "job.toml");
      break;
    case 1:
      (void)heddle::job::parse_zeinfo(text, "zeinfo");
      break;
    case 2:
      (void)heddle::job::parse_obj(text, "mesh.obj");
      break;
    default:
      (void)heddle::job::parse_mesh_json(text, "mesh.json");
      break;
  }
  return 0;
}
