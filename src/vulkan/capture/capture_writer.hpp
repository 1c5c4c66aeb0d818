// SPDX-License-Identifier: MIT
#pragma once
// The files of one captured command.

#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "vulkan/pipelines/pipeline.hpp"

namespace heddle::vulkan {

/// Writes the files of one command, and its job's text along with them: first note what is written, then bind.
class CaptureWriter {
 public:
  /// Six digits that no job of the folder has name the files; the folder is made.
  explicit CaptureWriter(const std::string& folder);

  void line(const std::string& text) { job_ += text + '\n'; }
  /// NNNNNN.NAME, in the job's folder.
  [[nodiscard]] std::string name(const std::string& rest) const { return number_ + "." + rest; }
  void file(const std::string& rest, std::span<const std::uint8_t> bytes);
  /// The command can't be a job; the first reason counts.
  void refuse(const std::string& why) {
    if (why_.empty()) why_ = why;
  }
  /// PREFIXvisaasm and PREFIXspv. All of a command's shaders come before the first is bound: the names that they give
  /// their resources are the job's keys, where they are of one mind.
  void program(const std::string& prefix, const Shader& shader);
  void push_constants(const Shader& shader);

  /// What several descriptors show is stored once, under the first one's name, which need not be the one that writes.
  void note_written(const Shader& shader);
  void note_written(const image::Surface& surface);
  void bind(const Shader& shader);
  void image(const std::string& key, const image::Surface& surface);

  /// The job itself comes last: where it is, the rest is complete. What went wrong; empty: nothing.
  [[nodiscard]] std::string finish();

 private:
  void buffer(const std::string& key, shader_interface::ResourceKind kind, const image::Surface& surface);
  void note_overlap(const std::string& key, const std::uint8_t* bytes, std::uint64_t size);
  void members(const image::Surface& surface);
  void sampler(const std::string& key, const image::Sampler& sampler);
  void note_names(const Shader& shader);
  [[nodiscard]] std::string key_of(const Shader::Slot& slot, std::uint32_t k) const;

  std::filesystem::path folder_;
  std::string number_, job_, why_;
  using Bytes = std::tuple<const std::uint8_t*, std::uint64_t, image::Format>;
  std::map<Bytes, std::string> buffers_;  ///< what is bound already, by its bytes
  std::map<const std::uint8_t*, std::string> images_;
  std::set<const std::uint8_t*> written_;                   ///< where what shaders may write begins
  std::set<std::string> resources_, samplers_;              ///< keys that are there already
  using Binding = std::pair<std::uint32_t, std::uint32_t>;  ///< set and binding
  std::map<Binding, std::set<std::string>> names_;          ///< that shaders give a binding
  std::map<std::string, std::set<Binding>> bindings_;       ///< that have a name
};

}  // namespace heddle::vulkan
