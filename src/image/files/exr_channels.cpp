#include "image/files/exr_channels.hpp"

#include <algorithm>
#include <array>

namespace heddle::image {
namespace {

constexpr std::uint32_t kUint = 0, kFloat = 2;

const ExrChannel* find(const ExrHeader& header, std::string_view name) {
  const auto found = std::ranges::find(header.channels, name, &ExrChannel::name);
  return found == header.channels.end() ? nullptr : &*found;
}

/// The names in the order of the surface's channels; empty: there is no way to make a texel.
std::vector<std::string> choose_names(const ExrHeader& header) {
  const auto has = [&](std::string_view name) { return find(header, name) != nullptr; };
  if (has("R") || has("G") || has("B")) {
    if (has("B") || has("A") || (has("G") && !has("R"))) return {"R", "G", "B", "A"};
    return has("G") ? std::vector<std::string>{"R", "G"} : std::vector<std::string>{"R"};
  }
  if (has("Y")) return has("A") ? std::vector<std::string>{"Y", "Y", "Y", "A"} : std::vector<std::string>{"Y"};
  if (header.channels.size() == 1) return {header.channels[0].name};
  return {};
}

/// The surface format of `count` channels that holds every value of the sources.
Format choose_format(const ExrMapping& mapping, bool integers, bool floats) {
  const std::size_t count = mapping.sources.size();
  const auto pick = [&](Format one, Format two, Format four) { return count == 1 ? one : count == 2 ? two : four; };
  if (integers && !floats) return pick(Format::R32_UINT, Format::R32G32_UINT, Format::R32G32B32A32_UINT);
  const bool wide = std::ranges::any_of(mapping.sources, [](const ExrChannel* channel) {
    return channel != nullptr && (channel->type == kFloat || channel->type == kUint);
  });
  return wide ? pick(Format::R32_FLOAT, Format::R32G32_FLOAT, Format::R32G32B32A32_FLOAT)
              : pick(Format::R16_FLOAT, Format::R16G16_FLOAT, Format::R16G16B16A16_FLOAT);
}

/// Says which parts, levels and channels of the file are not in the surface.
void note_left_out(const ExrHeader& header, const std::vector<const ExrChannel*>& used, const std::string& name,
                   base::Diagnostics* notes) {
  const auto note = [&](std::string message, std::size_t at) {
    say(notes, base::remark("exr-format", std::move(message), base::Place::binary(name, at)));
  };
  if (header.parts > 1) note(fmt::format("the file has {} parts: the first one is read", header.parts), 4);
  if (header.has_levels) note("the file has levels: the largest one is read", header.window_at);
  std::string others;
  for (const ExrChannel& channel : header.channels)
    if (std::ranges::find(used, &channel) == used.end()) others += (others.empty() ? "" : ", ") + channel.name;
  if (!others.empty()) note(fmt::format("channels that are not read: {}", others), header.channels_at);
}

base::Result<ExrMapping> map_luminance_chroma(const ExrHeader& header, const std::string& name,
                                              base::Diagnostics* notes) {
  const ExrChannel* luminance = find(header, "Y");
  std::vector<const ExrChannel*> used{luminance, find(header, "A")};
  bool usual = luminance->x_sampling == 1 && luminance->y_sampling == 1;
  for (const char* chroma : {"RY", "BY"}) {
    const ExrChannel* channel = find(header, chroma);
    used.push_back(channel);
    usual = usual && channel->x_sampling == 2 && channel->y_sampling == 2;
  }
  if (!usual)
    return at_byte("exr-format",
                   "channels Y, RY and BY: chroma is read with half the columns and rows of the luminance", name,
                   header.channels_at);
  note_left_out(header, used, name, notes);
  return ExrMapping{{}, Format::R16G16B16A16_FLOAT, true};
}

}  // namespace

base::Result<ExrMapping> map_exr_channels(const ExrHeader& header, const std::string& name, base::Diagnostics* notes) {
  const std::vector<std::string> chosen = choose_names(header);
  if (!chosen.empty() && chosen[0] == "Y" && find(header, "RY") != nullptr && find(header, "BY") != nullptr)
    return map_luminance_chroma(header, name, notes);
  if (chosen.empty()) {
    auto diagnostic =
        at_byte("exr-format", fmt::format("no way to make a texel of the {} channels", header.channels.size()), name,
                header.channels_at);
    for (const ExrChannel& channel : header.channels) diagnostic.note(fmt::format("channel '{}'", channel.name));
    return diagnostic;
  }
  ExrMapping mapping;
  bool integers = false, floats = false;
  for (const std::string& source : chosen) {
    const ExrChannel* channel = find(header, source);
    mapping.sources.push_back(channel);
    if (channel == nullptr) continue;
    integers = integers || channel->type == kUint;
    floats = floats || channel->type != kUint;
  }
  mapping.format = choose_format(mapping, integers, floats);
  if (integers && floats)
    say(notes, base::remark("exr-format", "uint channels beside half or float ones are read as floats",
                            base::Place::binary(name, header.channels_at)));
  note_left_out(header, mapping.sources, name, notes);
  return mapping;
}

}  // namespace heddle::image
