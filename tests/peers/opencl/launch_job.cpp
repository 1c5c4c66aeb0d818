// SPDX-License-Identifier: MIT
#include "peers/opencl/launch_job.hpp"

#include "support/process.hpp"

namespace heddle::peers {
namespace {

std::string hex(const std::vector<std::uint8_t>& bytes) {
  static const char* digits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t b : bytes) {
    text += digits[b >> 4];
    text += digits[b & 15];
  }
  return text;
}

std::string format_name(const std::string& type) {
  return type == "unorm8"    ? "R8G8B8A8_UNORM"
         : type == "uint8"   ? "R8G8B8A8_UINT"
         : type == "sint8"   ? "R8G8B8A8_SINT"
         : type == "float32" ? "R32G32B32A32_FLOAT"
                             : "R32G32B32A32_UINT";
}

std::string sizes(const std::vector<std::size_t>& values) {
  std::string text = "[";
  for (const std::size_t v : values) text += (text.size() > 1 ? "," : "") + std::to_string(v);
  return text + "]";
}

}  // namespace

std::string job_of(const Launch& launch, const std::filesystem::path& folder) {
  std::string args = "[args]\n", rest;
  for (const Argument& a : launch.arguments) {
    switch (a.kind) {
      case Argument::Kind::Value:
        args += a.name + " = { bytes = \"" + hex(a.bytes) + "\" }\n";
        break;
      case Argument::Kind::Local:
        args += a.name + " = " + std::to_string(a.bytes.size()) + "\n";
        break;
      case Argument::Kind::Buffer:
        heddle::test::write_bytes(folder / (a.name + ".in"), a.bytes);
        rest += "[buffers." + a.name + "]\nfile = \"" + (folder / (a.name + ".in")).string() + "\"\n" +
                (a.output ? "save = \"" + a.name + ".bin\"\n" : "");
        break;
      case Argument::Kind::Image:
        heddle::test::write_bytes(folder / (a.name + ".raw"), a.bytes);
        rest += "[images." + a.name + "]\nformat = \"" + format_name(a.type) + "\"\n" +
                (a.depth != 0 ? "type = \"3d\"\n" : "") + "size = [" + std::to_string(a.width) + ", " +
                std::to_string(a.height) + (a.depth != 0 ? ", " + std::to_string(a.depth) : "") + "]\n" +
                (a.levels > 1 ? "levels = " + std::to_string(a.levels) + "\n" : "") + "raw = \"" +
                (folder / (a.name + ".raw")).string() + "\"\n" + (a.output ? "save = \"" + a.name + ".bin\"\n" : "");
        break;
      case Argument::Kind::Sampler:
        rest += "[samplers." + a.name + "]\nfilter = \"" + (a.linear ? "linear" : "nearest") + "\"\n" +
                (a.normalized ? "mip = \"nearest\"\n" : "") + "address = \"" + a.address +
                "\"\nunnormalized = " + (a.normalized ? "false" : "true") + "\n";
        break;
    }
  }
  return "global = " + sizes(launch.global) + "\nlocal = " + sizes(launch.local) + "\n" +
         (launch.offset.empty() ? "" : "offset = " + sizes(launch.offset) + "\n") + args + rest;
}

}  // namespace heddle::peers
