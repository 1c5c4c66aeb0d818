// SPDX-License-Identifier: MIT
#pragma once
// Small runs that are explored, and their documents read again.

#include <gtest/gtest.h>
#include <zlib.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "explore/exploration.hpp"
#include "text/text.hpp"

namespace heddle::explore::test {

/// A program and its job; images of the job may be set before it is explored.
struct Small {
  std::optional<isa::Program> program;
  CommandInput input;

  Small(const std::string& visa, const std::string& toml) {
    base::Diagnostics diagnostics;
    program = text::parse(visa, "k.visaasm", {}, diagnostics);
    EXPECT_TRUE(program.has_value()) << (diagnostics.empty() ? "" : diagnostics.all()[0].message);
    auto job = job::read_job("program = \"k.visaasm\"\n" + toml, "job.toml");
    EXPECT_TRUE(job.ok()) << (job.ok() ? "" : job.diagnostics()[0].message);
    if (job.ok()) input.job = std::move(*job);
    input.name = "small";
    input.command_line = "heddle run job.toml";
    if (program) input.program = {&*program, "k.visaasm", {}};
  }
  /// The image's texels, random where nobody says.
  image::Surface& image(const std::string& name, std::shared_ptr<image::Surface> surface) {
    for (job::ImageBinding& b : input.job.images)
      if (b.key.text == name) b.surface = surface;
    return *surface;
  }
};

inline std::vector<std::uint8_t> inflate(std::span<const std::uint8_t> bytes, std::size_t size) {
  std::vector<std::uint8_t> out(size);
  uLongf length = size;
  EXPECT_EQ(uncompress(out.data(), &length, bytes.data(), bytes.size()), Z_OK);
  EXPECT_EQ(length, size);
  return out;
}

/// The document's own bytes.
inline std::vector<std::uint8_t> bytes_of(const Document& document) {
  return document.unpacked != 0 ? inflate(document.bytes, document.unpacked) : document.bytes;
}

inline const Document* find(const Documents& documents, const std::string& name) {
  for (const Document& document : documents)
    if (document.name == name) return &document;
  return nullptr;
}

inline nlohmann::json json_of(const Documents& documents, const std::string& name) {
  const Document* document = find(documents, name);
  EXPECT_NE(document, nullptr) << name;
  return document != nullptr ? nlohmann::json::parse(bytes_of(*document)) : nlohmann::json();
}

/// Words out of planes of bytes.
inline std::vector<std::uint32_t> words_of(const Documents& documents, const std::string& name) {
  const Document* document = find(documents, name);
  EXPECT_NE(document, nullptr) << name;
  if (document == nullptr) return {};
  const std::vector<std::uint8_t> bytes = bytes_of(*document);
  const std::size_t count = bytes.size() / 4;
  std::vector<std::uint32_t> words(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t plane = 0; plane < 4; ++plane) words[i] |= std::uint32_t{bytes[plane * count + i]} << (8 * plane);
  return words;
}

}  // namespace heddle::explore::test
