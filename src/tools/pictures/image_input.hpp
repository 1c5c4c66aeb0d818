#pragma once
// What the image commands share: the image as a surface, its sampler, lists of numbers.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "image/object.hpp"
#include "image/surface.hpp"
#include "texture/context.hpp"
#include "tools/commands.hpp"

namespace heddle::tools {

/// A usage error: printed, then exit code 2.
struct UsageError {
  std::string message;
};

struct ImageInput {
  image::Surface surface;
  image::SamplerMembers sampler;
  texture::OperationContext context;
};

/// Loads the image (mips generated on request), reads the sampler words and the context. nullopt after printing; `code`
/// is the exit code.
std::optional<ImageInput> open_image(const ImageOptions& options, base::ExitCode& code);

/// "0.5,0.25": between `least` and `most` numbers. Throws UsageError, which names `flag`.
std::vector<float> numbers(const std::string& flag, std::string_view text, std::size_t least, std::size_t most);
/// "512x256".
std::pair<std::uint32_t, std::uint32_t> size_of(const std::string& flag, std::string_view text);
/// Prints the reports of a context; true when there was an error.
bool print_reports(const texture::OperationContext& context, bool quiet);
/// Number of coordinates that the surface takes (the array index not counted).
unsigned coordinate_count(const image::Surface& surface);

}  // namespace heddle::tools
