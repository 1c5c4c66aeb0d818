// SPDX-License-Identifier: MIT
#include "image/files/exr/exr_channels.hpp"

#include <algorithm>
#include <array>

namespace heddle::image {
namespace {

constexpr std::uint32_t kUint = 0, kFloat = 2;

const ExrChannel* find(const ExrHeader& header, std::string_view name) {
  const auto found = std::ranges::find(header.channels, name, &ExrChannel::name);
  return found == header.channels.end() ? nullptr : &*found;
}

/// The part of a name that says its layer, with its dot.
std::string_view layer_of(std::string_view name) { return name.substr(0, name.rfind('.') + 1); }

/// The names in the order of the surface's channels, without their layer; empty: there is no way to make a texel.
std::vector<std::string> choose_names(const ExrHeader& header, const std::string& layer) {
  const auto has = [&](std::string_view name) { return find(header, layer + std::string(name)) != nullptr; };
  if (has("R") || has("G") || has("B")) {
    if (has("B") || has("A") || (has("G") && !has("R"))) return {"R", "G", "B", "A"};
    return has("G") ? std::vector<std::string>{"R", "G"} : std::vector<std::string>{"R"};
  }
  if (has("RY") && has("BY")) return {"RY", "Y", "BY", "A"};
  if (has("Y")) return has("A") ? std::vector<std::string>{"Y", "Y", "Y", "A"} : std::vector<std::string>{"Y"};
  if (has("A")) return {"R", "G", "B", "A"};
  return {};
}

struct Choice {
  std::string layer;               ///< with its dot
  std::vector<std::string> names;  ///< whole
};

/// IMF-10: channels without a layer, else those of the first layer, else a channel that is alone.
Choice choose(const ExrHeader& header) {
  std::vector<std::string> layers{""};
  for (const ExrChannel& channel : header.channels)
    if (const std::string layer(layer_of(channel.name)); std::ranges::find(layers, layer) == layers.end())
      layers.push_back(layer);
  for (const std::string& layer : layers) {
    Choice choice{layer, choose_names(header, layer)};
    for (std::string& name : choice.names) name.insert(0, layer);
    if (!choice.names.empty()) return choice;
  }
  if (header.channels.size() != 1) return {};
  const std::string& only = header.channels[0].name;
  return {std::string(layer_of(only)), {only}};
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

/// The mapping for Y, RY, BY, whose channels are `mapping.sources`.
ExrMapping map_chroma(const ExrHeader& header, ExrMapping mapping, const std::string& name, base::Diagnostics* notes) {
  const ExrChannel *red = mapping.sources[0], *luminance = mapping.sources[1], *blue = mapping.sources[2];
  const auto sampled = [](const ExrChannel* channel, std::int32_t step) {
    return channel->x_sampling == step && channel->y_sampling == step;
  };
  const bool halved = sampled(red, 2) && sampled(blue, 2);
  note_left_out(header, mapping.sources, name, notes);
  const auto note = [&](std::string message) {
    say(notes, base::remark("exr-format", std::move(message), base::Place::binary(name, header.channels_at)));
  };
  if (luminance == nullptr) note("chroma without luminance: the luminance is 0.5 everywhere");
  if (halved && !header.deep && (luminance == nullptr || sampled(luminance, 1))) {
    mapping.chroma = ExrChroma::Filtered;
    mapping.format = Format::R16G16B16A16_FLOAT;
    mapping.sources.clear();
    return mapping;
  }
  mapping.chroma = ExrChroma::Plain;
  mapping.format = Format::R32G32B32A32_FLOAT;
  if (!sampled(red, 1) || !sampled(blue, 1))
    note("chroma that does not have half the columns and rows of the luminance is repeated, not filtered");
  return mapping;
}

}  // namespace

base::Result<ExrMapping> map_exr_channels(const ExrHeader& header, const std::string& name, base::Diagnostics* notes) {
  const Choice choice = choose(header);
  if (choice.names.empty()) {
    auto diagnostic =
        at_byte("exr-format", fmt::format("no way to make a texel of the {} channels", header.channels.size()), name,
                header.channels_at);
    for (const ExrChannel& channel : header.channels) diagnostic.note(fmt::format("channel '{}'", channel.name));
    return diagnostic;
  }
  ExrMapping mapping;
  mapping.front = find(header, choice.layer + "Z");
  mapping.back = find(header, choice.layer + "ZBack");
  if (!choice.layer.empty()) {
    mapping.layer = choice.layer.substr(0, choice.layer.size() - 1);
    say(notes, base::remark("exr-format", fmt::format("the channels of the layer '{}' are read", mapping.layer),
                            base::Place::binary(name, header.channels_at)));
  }
  bool integers = false, floats = false;
  for (const std::string& source : choice.names) {
    const ExrChannel* channel = find(header, source);
    mapping.sources.push_back(channel);
    if (channel == nullptr) continue;
    integers = integers || channel->type == kUint;
    floats = floats || channel->type != kUint;
  }
  const bool chroma = choice.names[0] == choice.layer + "RY";
  if (header.deep && (chroma || (integers && !floats)))
    return at_byte(
        "exr-format",
        chroma ? "deep luminance and chroma are not laid over each other" : "deep integers have no transparency", name,
        header.channels_at);
  if (chroma) return map_chroma(header, std::move(mapping), name, notes);
  mapping.format = choose_format(mapping, integers, floats);
  if (integers && floats)
    say(notes, base::remark("exr-format", "uint channels beside half or float ones are read as floats",
                            base::Place::binary(name, header.channels_at)));
  std::vector<const ExrChannel*> used = mapping.sources;
  if (header.deep) {
    used.push_back(mapping.front);
    used.push_back(mapping.back);
    say(notes, base::remark("exr-format", "the samples of each texel are laid over each other, the nearest first",
                            base::Place::binary(name, header.channels_at)));
  }
  note_left_out(header, used, name, notes);
  return mapping;
}

}  // namespace heddle::image
