// SPDX-License-Identifier: MIT
// heddle/trace.hpp: which instructions a pixel kernel executed, and which texels it read.
#include <heddle/run.hpp>
#include <heddle/trace.hpp>
#include <iostream>

const char* const kKernel = R"(.version 4.1
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
  const auto program = heddle::Program::parse(kKernel, "negative.visaasm");
  const auto image = heddle::Image::create({.width = 8, .height = 8});
  const auto target = heddle::Image::create({.width = 8, .height = 8});
  if (!program.ok() || !image.ok() || !target.ok()) return 1;

  std::string lines;
  heddle::TraceOptions what;
  what.write = [&](const std::string& line) { lines += line; };
  what.lane = 0;
  what.coverage = what.texels = true;
  heddle::Trace trace(what);
  heddle::RunOptions options;
  options.trace = &trace;
  heddle::Run run(*program, options);
  run.bind("T6", *image).bind("T7", *target).bind("S0", heddle::Sampler());
  heddle::Drawing drawing;
  drawing.targets = {"T7"};
  drawing.inputs = {{"u", "uv.x"}, {"v", "uv.y"}};
  const auto report = run.draw(drawing);
  if (!report.ok()) return std::cerr << heddle::to_text(report.diagnostics()), 1;

  std::cout << lines.substr(0, lines.find('\n') + 1);
  for (const auto& [name, count] : trace.counts()) std::cout << count << " x " << name << "\n";
  const auto touched = trace.texels("T6");
  if (!touched.ok()) return std::cerr << heddle::to_text(touched.diagnostics()), 1;
  return touched->texel({.x = 7, .y = 7})[0] > 0 && *report->texels_read == 64 && !trace.listing().empty() ? 0 : 1;
}
