// SPDX-License-Identifier: MIT
#include "heddle/trace.hpp"

#include <fmt/format.h>

#include "library/image/impl.hpp"
#include "library/run/trace_impl.hpp"

namespace heddle {

const isa::Program& Trace::Impl::begin(const isa::Program& source) {
  all = std::make_unique<pipeline::Observers>();
  tracer.reset();
  coverage.reset();
  texels.reset();
  program = source;
  if (options.write) {
    pipeline::TraceFilter filter;
    filter.group = options.group;
    filter.thread = options.thread;
    filter.lane = options.lane;
    filter.lines = options.lines;
    tracer = std::make_unique<pipeline::Tracer>(*program, filter, options.write);
    all->add(tracer.get());
  }
  if (options.coverage) {
    coverage = std::make_unique<pipeline::Coverage>();
    all->add(coverage.get());
  }
  if (options.texels) {
    texels = std::make_unique<job::TexelCoverage>();
    all->add(texels.get());
  }
  return *program;
}

Trace::Trace(TraceOptions options) : impl_(std::make_shared<Impl>()) { impl_->options = std::move(options); }

std::string Trace::listing() const {
  return impl_->coverage && impl_->program ? impl_->coverage->listing(*impl_->program) : std::string();
}

std::vector<std::pair<std::string, std::uint64_t>> Trace::counts() const {
  std::vector<std::pair<std::string, std::uint64_t>> list;
  if (!impl_->coverage) return list;
  for (pipeline::Coverage::Sum& sum : impl_->coverage->by_mnemonic())
    list.emplace_back(std::move(sum.mnemonic), sum.executions);
  return list;
}

Result<Image> Trace::texels(const std::string& name, std::uint32_t level, std::uint32_t slice) const {
  if (!impl_->texels) return library::wrong_argument("no run was watched with TraceOptions::texels");
  auto picture = impl_->texels->picture(name, level, slice);
  if (!picture)
    return library::wrong_argument(
        fmt::format("no texel of level {}, slice {} of '{}' was touched", level, slice, name));
  return library::make_image(std::move(*picture));
}

}  // namespace heddle
