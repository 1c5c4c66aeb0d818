// SPDX-License-Identifier: MIT
#include "support/rates.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <map>

namespace heddle::bench {
namespace {

class Collector : public benchmark::ConsoleReporter {
 public:
  Collector() : ConsoleReporter(OO_Tabular) {}
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      const auto counter = run.counters.find("items_per_second");
      if (run.run_type != Run::RT_Iteration || run.error_occurred || counter == run.counters.end()) continue;
      const std::string name = run.run_name.function_name;
      if (!values.contains(name)) order.emplace(run.family_index, Rate{name, run.report_label, 0});
      values[name].push_back(1.0 / counter->second.value);
    }
  }
  std::map<std::int64_t, Rate> order;  ///< as registered; the runs come interleaved
  std::map<std::string, std::vector<double>> values;
};

}  // namespace

std::vector<Rate> run_rates(const Options& options, const char* program) {
  std::vector<std::string> words{program, "--benchmark_min_time=0.1", "--benchmark_repetitions=3",
                                 "--benchmark_enable_random_interleaving=true"};
  words.insert(words.end(), options.rest.begin(), options.rest.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  std::vector<Rate> rates;
  for (auto& [index, rate] : collector.order) {
    rate.seconds = median(collector.values[rate.name]);
    rates.push_back(std::move(rate));
  }
  return rates;
}

void add_rates(Section& section, const std::vector<Rate>& rates) {
  std::vector<std::vector<std::string>> rows{{"what", "for each", "CPU time", "million a second"}};
  for (const Rate& rate : rates)
    rows.push_back({rate.name, rate.item, format_seconds(rate.seconds), format_number(1e-6 / rate.seconds)});
  section.table(rows);
}

}  // namespace heddle::bench
