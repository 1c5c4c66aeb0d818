// SPDX-License-Identifier: MIT
#include "tools/inputs/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "spirv/module.hpp"
#include "tools/command_line/flags.hpp"

namespace heddle::tools {
namespace {

using namespace std::string_view_literals;
using isa::ShaderStage;

constexpr std::array kWords{
    std::pair{"visa"sv, Language::Visa},   std::pair{"isa"sv, Language::Container},
    std::pair{"spirv"sv, Language::Spirv}, std::pair{"spirv-text"sv, Language::SpirvText},
    std::pair{"glsl"sv, Language::Glsl},   std::pair{"hlsl"sv, Language::Hlsl},
    std::pair{"job"sv, Language::Job},
};

constexpr std::array kExtensions{
    std::pair{".visaasm"sv, Language::Visa},     std::pair{".isaasm"sv, Language::Visa},
    std::pair{".isa"sv, Language::Container},    std::pair{".spv"sv, Language::Spirv},
    std::pair{".spvasm"sv, Language::SpirvText}, std::pair{".hlsl"sv, Language::Hlsl},
    std::pair{".fx"sv, Language::Hlsl},          std::pair{".glsl"sv, Language::Glsl},
    std::pair{".toml"sv, Language::Job},
};  // and .vert ..., by the stages that are compiled

/// What Heddle does not read, by its first bytes, and what to do about it.
struct Foreign {
  std::string_view magic, what, way;
};
constexpr std::string_view kOcloc =
    "ocloc writes the vISA text of a kernel into ./dump: "
    "IGC_ShaderDumpEnable=1 IGC_DumpToCustomDir=$PWD/dump ocloc compile -file k.cl -device skl -out_dir bin --format "
    "zebin; then: heddle run dump --kernel NAME";
constexpr std::array kForeign{
    Foreign{"\x7f"
            "ELF"sv,
            "an ELF file: a compiled binary (of ocloc: a zebin), which holds machine code, no vISA", kOcloc},
    Foreign{"DXBC"sv, "a Direct3D container (DXBC or DXIL)",
            "compile the HLSL to SPIR-V (dxc -spirv), or give the .hlsl itself"},
    Foreign{"BC\xc0\xde"sv, "LLVM bitcode", kOcloc},
    Foreign{"\x89PNG"sv, "a PNG picture",
            "heddle info shows images; a program or a job takes them by --image NAME=FILE"},
    Foreign{"\xabKTX"sv, "a KTX image", "heddle info shows images; a program or a job takes them by --image NAME=FILE"},
    Foreign{"DDS "sv, "a DDS image", "heddle info shows images; a program or a job takes them by --image NAME=FILE"},
};

/// Words of GLSL and HLSL that only shaders of one stage have; of a text with those of several the first one counts.
struct StageMark {
  std::string_view word;
  ShaderStage stage;
};
constexpr std::array kStageMarks{
    StageMark{"SetMeshOutputsEXT"sv, ShaderStage::Mesh},  // those name gl_Position or a local size too
    StageMark{"EmitMeshTasksEXT"sv, ShaderStage::Task},
    StageMark{"SetMeshOutputCounts"sv, ShaderStage::Mesh},
    StageMark{"DispatchMesh"sv, ShaderStage::Task},
    StageMark{"EmitVertex"sv, ShaderStage::Geometry},
    StageMark{"EmitStreamVertex"sv, ShaderStage::Geometry},
    StageMark{"[maxvertexcount"sv, ShaderStage::Geometry},
    StageMark{"local_size_x"sv, ShaderStage::Compute},
    StageMark{"[numthreads"sv, ShaderStage::Compute},
    StageMark{"gl_GlobalInvocationID"sv, ShaderStage::Compute},
    StageMark{"gl_TessCoord"sv, ShaderStage::TessellationEvaluation},
    StageMark{"gl_TessLevelOuter"sv, ShaderStage::TessellationControl},
    StageMark{"[patchconstantfunc"sv, ShaderStage::TessellationControl},
    StageMark{"[domain"sv, ShaderStage::TessellationEvaluation},
    StageMark{"gl_FragCoord"sv, ShaderStage::Fragment},
    StageMark{"discard"sv, ShaderStage::Fragment},
    StageMark{"SV_Target"sv, ShaderStage::Fragment},
    StageMark{"SV_Target0"sv, ShaderStage::Fragment},
    StageMark{"SV_TARGET"sv, ShaderStage::Fragment},
    StageMark{"SV_TARGET0"sv, ShaderStage::Fragment},
    StageMark{"gl_Position"sv, ShaderStage::Vertex},
    StageMark{"gl_VertexIndex"sv, ShaderStage::Vertex},
    StageMark{"SV_VertexID"sv, ShaderStage::Vertex},
};
/// What has no row among the stages, by the name of the file or by what only such shaders say.
struct ForeignStage {
  std::string_view extension, word, what;
};
constexpr std::array kForeignStages{
    ForeignStage{".rgen"sv, "traceRayEXT"sv, "a ray generation shader"sv},
    ForeignStage{".rchit"sv, {}, "a closest hit shader"sv},
    ForeignStage{".rahit"sv, {}, "an any hit shader"sv},
    ForeignStage{".rmiss"sv, {}, "a miss shader"sv},
    ForeignStage{".rint"sv, {}, "an intersection shader"sv},
    ForeignStage{".rcall"sv, {}, "a callable shader"sv},
};

/// "x.vert" for the word "vert".
bool has_extension(std::string_view path, std::string_view word) {
  return path.ends_with(word) && path.substr(0, path.size() - word.size()).ends_with('.');
}

/// No text: it has control characters.
bool is_binary(std::string_view bytes) {
  return std::ranges::any_of(bytes.substr(0, 4096), [](char c) {
    return static_cast<unsigned char>(c) < 32 && std::string_view("\t\n\v\f\r").find(c) == std::string_view::npos;
  });
}

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// `word` stands in `text`, not as a part of a longer word.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0) {
  for (std::size_t at = text.find(word, from); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word_character(text[at - 1]) || !is_word_character(word.front());
    const std::size_t end = at + word.size();
    if (begins && (end == text.size() || !is_word_character(text[end]) || !is_word_character(word.back()))) return at;
  }
  return std::string_view::npos;
}
bool has_word(std::string_view text, std::string_view word) { return find_word(text, word) != std::string_view::npos; }

/// Comments of C become spaces.
std::string without_comments(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
      out += ' ';
    } else {
      out += text[at++];
    }
  }
  return out;
}

std::string_view first_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front())) != 0) line.remove_prefix(1);
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.remove_suffix(1);
  return line;
}

bool is_toml_line(std::string_view line) {
  if (line.starts_with('[')) {
    const std::size_t end = line.find(']');
    return end != std::string_view::npos && end > 1 &&
           std::all_of(line.begin() + 1, line.begin() + static_cast<std::ptrdiff_t>(end),
                       [](char c) { return is_word_character(c) || c == '.' || c == '"'; });
  }
  std::size_t at = 0;
  while (at < line.size() && (is_word_character(line[at]) || line[at] == '.')) ++at;
  if (at == 0) return false;
  while (at < line.size() && line[at] == ' ') ++at;
  return at + 1 < line.size() && line[at] == '=' && line[at + 1] != '=' && !line.ends_with(';');
}

bool is_spirv_line(std::string_view line) {
  if (line.starts_with("; SPIR-V")) return true;
  if (line.starts_with('%')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return false;
    line.remove_prefix(equals + 1);
    while (line.starts_with(' ')) line.remove_prefix(1);
  }
  return line.size() > 2 && line.starts_with("Op") && line[2] >= 'A' && line[2] <= 'Z';
}

constexpr std::array kHlslWords{"[numthreads"sv,
                                "cbuffer"sv,
                                "Texture2D"sv,
                                "RWTexture2D"sv,
                                "RWBuffer"sv,
                                "StructuredBuffer"sv,
                                "RWStructuredBuffer"sv,
                                "ByteAddressBuffer"sv,
                                "RWByteAddressBuffer"sv,
                                "SamplerState"sv,
                                "SV_Target"sv,
                                "SV_Target0"sv,
                                "SV_Position"sv,
                                "SV_POSITION"sv,
                                "SV_TARGET"sv,
                                "SV_DispatchThreadID"sv,
                                "SV_VertexID"sv,
                                "SV_GroupThreadID"sv,
                                "SV_GroupIndex"sv,
                                "float4"sv};
constexpr std::array kGlslWords{"layout"sv,   "uniform"sv,     "vec4"sv,         "vec2"sv,
                                "vec3"sv,     "gl_Position"sv, "gl_FragCoord"sv, "gl_GlobalInvocationID"sv,
                                "void main"sv};

std::optional<Language> shading_language(std::string_view text) {
  const auto count = [&](const auto& words) {
    return std::ranges::count_if(words, [&](std::string_view word) { return has_word(text, word); });
  };
  const auto hlsl = count(kHlslWords), glsl = count(kGlslWords);
  if (hlsl == 0 && glsl == 0) return std::nullopt;
  return hlsl > glsl ? Language::Hlsl : Language::Glsl;
}

/// What only one of the two languages can hold; nothing where the text leaves it open.
std::optional<Language> certain_language(std::string_view text) {
  static constexpr std::array kOnlyHlsl{"[numthreads"sv,  "cbuffer"sv,    "RWStructuredBuffer"sv,  "StructuredBuffer"sv,
                                        "SV_Target"sv,    "SV_Target0"sv, "SV_DispatchThreadID"sv, "SV_Position"sv,
                                        "SV_POSITION"sv,  "SV_TARGET"sv,  "RWTexture2D"sv,         "SamplerState"sv,
                                        "SV_GroupIndex"sv};
  static constexpr std::array kOnlyGlsl{"#version"sv, "gl_GlobalInvocationID"sv, "gl_FragCoord"sv, "gl_Position"sv};
  const std::string bare = without_comments(text.substr(0, 1 << 20));
  const auto any = [&](const auto& words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return has_word(bare, word); });
  };
  const bool hlsl = any(kOnlyHlsl), glsl = any(kOnlyGlsl) || has_word(bare, "layout");
  if (hlsl == glsl) return std::nullopt;
  return hlsl ? Language::Hlsl : Language::Glsl;
}

/// What text is, by the first line that means something.
std::optional<Language> language_of_text(std::string_view text) {
  const std::string bare = without_comments(text.substr(0, 1 << 20));
  std::string_view rest = bare;
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
  while (!rest.empty()) {
    const std::string_view line = first_line(rest);
    if (line.empty()) continue;
    if (line.starts_with("#version")) return Language::Glsl;
    if (line.size() > 1 && line[0] == '.' && std::isalpha(static_cast<unsigned char>(line[1])) != 0)
      return Language::Visa;
    if (is_spirv_line(line)) return Language::SpirvText;
    if (line.starts_with(';')) continue;  // a comment of SPIR-V's assembly
    for (const char* word : {"#extension", "#define", "#include", "#if", "#pragma"})
      if (line.starts_with(word)) return shading_language(bare);
    if (line.starts_with('#')) continue;  // a comment of TOML
    if (is_toml_line(line)) return Language::Job;
    return shading_language(bare);
  }
  return std::nullopt;
}

std::optional<Language> language_of_name(std::string_view path) {
  for (const auto& [extension, language] : kExtensions)
    if (path.ends_with(extension)) return language;
  for (const isa::ShaderStageInfo& stage : isa::kShaderStages)
    if (stage.compiled && has_extension(path, stage.word)) return Language::Glsl;
  return std::nullopt;
}

base::Diagnostic unknown(const std::string& path, const std::string& what, std::string_view way) {
  return base::error("input-unknown", what, base::Place::in_file(path == "-" ? "<stdin>" : path))
      .note(std::string(way));
}

/// A shader of a stage that is not compiled; empty where it may be one that is. HLSL may hold several stages in a file.
std::string foreign_stage(std::string_view path, std::string_view text) {
  const auto words = [](ShaderStage stage) { return fmt::format("a {} shader", isa::stage_info(stage).name); };
  for (const std::string_view language : {".glsl"sv, ".hlsl"sv})
    if (path.ends_with(language)) path.remove_suffix(language.size());
  for (const isa::ShaderStageInfo& stage : isa::kShaderStages)
    if (!stage.compiled && has_extension(path, stage.word)) return words(stage.stage);
  for (const ForeignStage& stage : kForeignStages)
    if (!stage.extension.empty() && path.ends_with(stage.extension)) return std::string(stage.what);
  if (is_binary(text)) return {};
  const std::string bare = without_comments(text.substr(0, 1 << 20));
  for (const std::string_view other : {"[numthreads"sv, "SV_Target"sv, "SV_Target0"sv, "SV_TARGET"sv, "gl_FragCoord"sv})
    if (has_word(bare, other)) return {};
  if (!shading_language(bare)) return {};
  for (const StageMark& mark : kStageMarks)
    if (!isa::stage_info(mark.stage).compiled && has_word(bare, mark.word)) return words(mark.stage);
  for (const ForeignStage& stage : kForeignStages)
    if (!stage.word.empty() && has_word(bare, stage.word)) return std::string(stage.what);
  return {};
}

/// What Heddle does not read; nothing where it may be something that it does.
std::optional<base::Diagnostic> foreign(const std::string& path, std::string_view bytes, const SourceOptions& options) {
  for (const Foreign& f : kForeign)
    if (bytes.starts_with(f.magic)) return unknown(path, fmt::format("this is {}", f.what), f.way);
  if (path.ends_with(".cl") || (!language_of_text(bytes) && has_word(bytes.substr(0, 1 << 16), "__kernel")))
    return unknown(path, "this is OpenCL C", kOcloc);
  if (options.stage.empty())
    if (const std::string stage = foreign_stage(path, bytes); !stage.empty())
      return unknown(path, fmt::format("this is {}", stage),
                     fmt::format("{} shaders are compiled; --stage says which of them a file of another name is",
                                 isa::compiled_stage_names("and")));
  return std::nullopt;
}

}  // namespace

void source_options(Command& command, SourceOptions& options) {
  std::vector<std::string> words, stages;
  for (const auto& [word, language] : kWords) words.emplace_back(word);
  for (const isa::ShaderStageInfo& stage : isa::kShaderStages)
    if (stage.compiled) stages.emplace_back(stage.word);
  command.option("--language", options.language, "of the input, where content and name leave it open")
      .one_of(words)
      .group("Shaders");
  command
      .option("--stage", options.stage,
              isa::compiled_stage_words("or") +
                  ": of GLSL and HLSL (default: by name, then by content), and which entry point of SPIR-V")
      .one_of(stages)
      .group("Shaders");
  command.repeated("-D,--define", options.defines, "NAME or NAME=VALUE: a macro of GLSL and HLSL").group("Shaders");
  command.repeated("-I,--include", options.includes, "folder of #include in GLSL and HLSL")
      .value_name("DIR")
      .group("Shaders");
  command.option("--target-env", options.target_env, "of shaders: vulkan1.0 ... vulkan1.3, universal1.0 ...")
      .offers(spirv::target_env_words())
      .shows_default()
      .group("Shaders");
}

bool is_shader(Language language) {
  return language == Language::Spirv || language == Language::SpirvText || language == Language::Glsl ||
         language == Language::Hlsl;
}

std::string useless_source_flag(const SourceOptions& options, const std::set<Language>& inputs) {
  const bool shaders = std::ranges::any_of(inputs, is_shader);
  const bool texts = inputs.contains(Language::Glsl) || inputs.contains(Language::Hlsl);
  if (!options.defines.empty() && !texts) return "--define is for GLSL and HLSL, and the input is neither";
  if (!options.includes.empty() && !texts) return "--include is for GLSL and HLSL, and the input is neither";
  if (shaders) return {};
  if (!options.stage.empty()) return "--stage is for shaders, and the input is vISA";
  if (options.target_env != kTargetEnvironment) return "--target-env is for shaders, and the input is vISA";
  return {};
}

base::Result<Language> language_of(const std::string& path, std::string_view bytes, const SourceOptions& options) {
  for (const auto& [word, language] : kWords)
    if (options.language == word) return language;
  if (bytes.starts_with("CISA")) return Language::Container;
  if (bytes.starts_with("\x03\x02\x23\x07"sv) || bytes.starts_with("\x07\x23\x02\x03"sv)) return Language::Spirv;
  if (const auto other = foreign(path, bytes, options)) return *other;
  const auto named = language_of_name(path);
  // Damaged binary files keep the reader that their name asks for: it says what is wrong.
  const bool visa = named == Language::Visa || named == Language::Container;
  if (visa && is_binary(bytes))
    return unknown(path, "this is neither text nor a vISA container, which begins with CISA",
                   "it may be damaged, or machine code: heddle as makes containers of vISA text");
  if (named && is_binary(bytes)) return *named;
  auto found = language_of_text(bytes);
  if (!found) found = named;
  if (!found && bytes.empty()) return unknown(path, "the input is empty", "a program, a shader or a job is expected");
  if (!found)
    return unknown(path, "this is neither vISA, SPIR-V, GLSL, HLSL nor a job, as far as its content and its name say",
                   "--language says what it is");
  // GLSL without #version looks like HLSL where it has few words, and the other way round: the name knows better.
  const bool shading = *found == Language::Glsl || *found == Language::Hlsl;
  const bool named_shading = named == Language::Glsl || named == Language::Hlsl;
  return shading && named_shading ? certain_language(bytes).value_or(*named) : *found;
}

base::Result<base::Done> expect_visa(const std::string& path, std::string_view bytes) {
  if (const auto other = foreign(path, bytes, {})) return *other;
  const auto language = language_of(path, bytes, {});
  // What has neither a name nor first words that are known may be vISA with an error in them.
  if (!language.ok() && !is_binary(bytes)) return base::Done{};
  if (!language.ok()) return language.failure();
  if (*language == Language::Job)
    return unknown(path, "this is a job, no vISA", "heddle run and heddle compile take jobs");
  if (!is_shader(*language)) return base::Done{};
  const std::string_view word = *language == Language::Glsl ? "GLSL" : *language == Language::Hlsl ? "HLSL" : "SPIR-V";
  return unknown(path, fmt::format("this is {}, no vISA", word), "heddle compile makes vISA of shaders");
}

namespace {

/// The stages that a text has words of.
std::vector<ShaderStage> stages_of_text(std::string_view text) {
  std::vector<ShaderStage> found;
  for (const auto& [word, stage] : kStageMarks)
    if (isa::stage_info(stage).compiled && has_word(text, word) && std::ranges::find(found, stage) == found.end())
      found.push_back(stage);
  return found;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

/// The stage that the outputs of a function or the members of a structure are of.
std::optional<ShaderStage> stage_of_semantics(std::string_view text) {
  std::string upper;
  for (const char c : text) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (upper.find("SV_TARGET") != std::string::npos || upper.find("SV_DEPTH") != std::string::npos)
    return ShaderStage::Fragment;
  if (upper.find("SV_POSITION") != std::string::npos) return ShaderStage::Vertex;
  return std::nullopt;
}

/// The stage of a function of HLSL: by its attribute, by the semantic behind it, or by those of the structure that it
/// returns. Nothing where it says none of that.
std::optional<ShaderStage> stage_of_function(std::string_view text, std::string_view name) {
  for (std::size_t at = find_word(text, name); at != std::string_view::npos; at = find_word(text, name, at + 1)) {
    const std::size_t open = text.find_first_not_of(" \t\r\n", at + name.size());
    if (open == std::string_view::npos || text[open] != '(') continue;
    const std::size_t before = text.find_last_of("};", at), begin = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view head = trimmed(text.substr(begin, at - begin));
    const bool has_threads = head.find("[numthreads") != std::string_view::npos;
    if (has_threads && head.find("[outputtopology") != std::string_view::npos) return ShaderStage::Mesh;
    if (has_threads) return ShaderStage::Compute;
    if (head.find("[maxvertexcount") != std::string_view::npos) return ShaderStage::Geometry;
    if (head.find("[patchconstantfunc") != std::string_view::npos) return ShaderStage::TessellationControl;
    if (head.find("[domain") != std::string_view::npos) return ShaderStage::TessellationEvaluation;
    const std::size_t body = text.find_first_of("{;", open);
    const std::string_view signature = text.substr(open, body == std::string_view::npos ? body : body - open);
    if (const std::size_t close = signature.rfind(')'); close != std::string_view::npos)
      if (const auto own = stage_of_semantics(signature.substr(close))) return own;
    const std::string_view type = head.substr(head.find_last_of(" \t\r\n]") + 1);
    const std::size_t made = type.empty() ? std::string_view::npos : text.find("struct " + std::string(type));
    if (made != std::string_view::npos)
      if (const auto own = stage_of_semantics(text.substr(made, text.find('}', made) - made))) return own;
  }
  return std::nullopt;
}

}  // namespace

ShaderStage stage_of(const std::string& path, std::string_view text, const SourceOptions& options,
                     std::optional<ShaderStage> wanted) {
  if (const auto given = isa::stage_of_word(options.stage)) return *given;
  // a.frag, a.frag.hlsl, a.ps.hlsl
  std::string_view rest = path;
  for (int part = 0; part < 2; ++part) {
    const std::size_t dot = rest.rfind('.');
    if (dot == std::string_view::npos || rest.find('/', dot) != std::string_view::npos) break;
    if (const auto named = isa::stage_of_word(rest.substr(dot + 1))) return *named;
    rest = rest.substr(0, dot);
  }
  const std::string bare = without_comments(text);
  if (const auto own = options.entry.empty() ? std::nullopt : stage_of_function(bare, options.entry)) return *own;
  const std::vector<ShaderStage> found = stages_of_text(bare);
  if (wanted && (found.empty() || std::ranges::find(found, *wanted) != found.end())) return *wanted;
  if (found.empty()) return has_word(bare, "SV_Position") ? ShaderStage::Vertex : ShaderStage::Fragment;
  return found.front();
}

namespace {

/// The attributes of a function that begin at `at`, "[domain("tri")] [partitioning("integer")]".
std::string_view attributes_from(std::string_view text, std::size_t at) {
  std::size_t end = at;
  for (std::size_t next = at; next != std::string_view::npos && text[next] == '[';) {
    end = text.find(']', next);
    if (end == std::string_view::npos) return {};
    next = text.find_first_not_of(" \t\r\n", ++end);
  }
  return text.substr(at, end - at);
}

/// The name of the function whose attributes begin there: "[ATTRIBUTE] TYPE NAME(".
std::string function_after(std::string_view text, std::size_t at) {
  const std::size_t open = text.find('(', at + attributes_from(text, at).size());
  if (open == std::string_view::npos) return {};
  std::size_t end = open;
  while (end > 0 && text[end - 1] == ' ') --end;
  std::size_t begin = end;
  while (begin > 0 && is_word_character(text[begin - 1])) --begin;
  return std::string(text.substr(begin, end - begin));
}

/// The function with that attribute, but without the other one among those behind it.
std::string function_with(std::string_view text, std::string_view attribute, std::string_view without = {}) {
  for (std::size_t at = text.find(attribute); at != std::string_view::npos; at = text.find(attribute, at + 1))
    if (without.empty() || attributes_from(text, at).find(without) == std::string_view::npos)
      return function_after(text, at);
  return {};
}

/// "TYPE NAME(...) : SEMANTIC"
std::string function_before(std::string_view text, std::string_view semantic) {
  for (std::size_t at = find_word(text, semantic); at != std::string_view::npos;
       at = find_word(text, semantic, at + 1)) {
    std::size_t close = text.find_last_not_of(" \t\r\n:", at == 0 ? 0 : at - 1);
    if (close == std::string_view::npos || text[close] != ')') continue;
    int depth = 0;
    std::size_t open = close;
    for (;; --open) {
      depth += text[open] == ')' ? 1 : text[open] == '(' ? -1 : 0;
      if (depth == 0 || open == 0) break;
    }
    std::size_t end = open;
    while (end > 0 && text[end - 1] == ' ') --end;
    std::size_t begin = end;
    while (begin > 0 && is_word_character(text[begin - 1])) --begin;
    if (begin != end) return std::string(text.substr(begin, end - begin));
  }
  return {};
}

}  // namespace

std::string hlsl_entry(std::string_view text, const SourceOptions& options, ShaderStage stage) {
  if (!options.entry.empty()) return options.entry;
  const std::string bare = without_comments(text);
  for (std::size_t at = find_word(bare, "main"); at != std::string::npos; at = find_word(bare, "main", at + 1)) {
    const std::size_t next = bare.find_first_not_of(" \t\r\n", at + 4);
    if (next != std::string::npos && bare[next] == '(') return "main";
  }
  std::string name;
  if (stage == ShaderStage::Compute) {
    name = function_with(bare, "[numthreads");
  } else if (stage == ShaderStage::Geometry) {
    name = function_with(bare, "[maxvertexcount");
  } else if (stage == ShaderStage::TessellationControl) {
    name = function_with(bare, "[patchconstantfunc");
  } else if (stage == ShaderStage::TessellationEvaluation) {
    name = function_with(bare, "[domain", "[patchconstantfunc");
  } else {
    const std::array words =
        stage == ShaderStage::Vertex ? std::array{"SV_Position", "SV_POSITION"} : std::array{"SV_Target", "SV_TARGET"};
    for (const char* word : words)
      if (name.empty()) name = function_before(bare, word);
  }
  return name.empty() ? "main" : name;
}

}  // namespace heddle::tools
