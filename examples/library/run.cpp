// SPDX-License-Identifier: MIT
// heddle/run.hpp: a pixel kernel inverts an image, once with each engine; the same bits come out. Bindings go by name
// or by number.
#include <heddle/run.hpp>
#include <iostream>

const char* const kNegative = R"(.version 4.1
.kernel "negative"
.decl u v_type=G type=f num_elts=16 align=GRF
.decl v v_type=G type=f num_elts=16 align=GRF
.decl c v_type=G type=f num_elts=64 align=GRF
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.input u offset=64 size=64
.input v offset=128 size=64
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "negative_main"
negative_main:
    sample_lz.RGBA (M1, 16) 0x0:uw S0 T6 c.0 u.0 v.0
    add (M1, 16) c(0,0)<1> (-)c(0,0)<1;1,0> 1.0:f
    add (M1, 16) c(2,0)<1> (-)c(2,0)<1;1,0> 1.0:f
    add (M1, 16) c(4,0)<1> (-)c(4,0)<1;1,0> 1.0:f
    rt_write_3d.<LRTW> (M1, 16) T7 %null.0 c.0 c.64 c.128 c.192
    ret (M1_NM, 1)
)";

int main() {
  const auto program = heddle::Program::parse(kNegative, "negative.visaasm");
  const auto sampler = heddle::Sampler::parse("linear,repeat");
  auto source = heddle::Image::create({.width = 64, .height = 64});
  if (!program.ok()) return std::cerr << heddle::to_text(program.diagnostics(), kNegative), 1;
  if (!sampler.ok() || !source.ok()) return 1;
  source->set_texel({.x = 3, .y = 5}, {1, 0.5f, 0.25f, 1});

  std::vector<std::uint8_t> bytes[2];
  for (const heddle::Engine engine : {heddle::Engine::Automatic, heddle::Engine::Reference}) {
    const auto target = heddle::Image::create({.width = 64, .height = 64});
    if (!target.ok()) return 1;
    heddle::RunOptions options;
    options.engine = engine;
    options.limits.seconds = 60;
    heddle::Run run(*program, options);
    run.bind("T6", *source).bind("T7", *target).bind(heddle::Slot{0}, *sampler);  // S0
    heddle::Drawing drawing;
    drawing.targets = {"T7"};
    drawing.inputs = {{"u", "uv.x"}, {"v", "uv.y"}};
    const auto report = run.draw(drawing);
    if (!report.ok()) return std::cerr << heddle::to_text(report.diagnostics(), program->source()), 1;
    std::cout << (report->engine == heddle::Engine::Fast ? "fast: " : "reference: ") << report->instructions
              << " instructions; red of (3, 5) is " << target->texel({.x = 3, .y = 5})[0] << "\n";
    bytes[engine == heddle::Engine::Reference] = target->packed();
    if (target->texel({.x = 3, .y = 5})[0] != 0 || target->texel({.x = 4, .y = 5})[0] != 1) return 1;
  }
  return bytes[0] == bytes[1] ? 0 : 1;
}
