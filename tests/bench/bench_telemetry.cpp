// SPDX-License-Identifier: GPL-3.0-or-later

// What telemetry and recording the evolution cost of a training: the demo preset with neither, with
// telemetry and with both, taking turns; also with the heads measured after every step, so that
// what is too little to be seen beside the noise of a machine is seen as many times over. Prints
// medians of wall and user time and of their ratios, and whether all runs ended in the same
// weights, bit for bit (exit code 1: they did not).

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Functions.h>

#include "core/base/Processor.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/models/Registry.h"
#include "core/workbench/training/TrainingSession.h"
#include "tests/TemporaryFolder.h"

namespace {

using namespace headlight;

struct Times {
  double wall = 0, user = 0, system = 0;  ///< seconds, of all threads
};

/// Since the program began.
Times timesNow() {
  const auto secondsOf = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now().time_since_epoch();
  return {wall.count(), secondsOf(usage.ru_utime), secondsOf(usage.ru_stime)};
}

using Weights = std::map<std::string, at::Tensor>;

struct Run {
  Times times;
  Weights weights;  ///< with the optimizer's moments
  std::int64_t steps = 0;
};

Run runOf(const Experiment& experiment) {
  const TemporaryFolder folder;
  const auto session = valueOrThrow(TrainingSession::begin(experiment, folder / "run"));
  const Times before = timesNow();
  const TrainingOutcome outcome = valueOrThrow(session->run({}));
  const Times after = timesNow();
  const Checkpoint saved = valueOrThrow(readSafetensors(folder / "run/last.safetensors"));
  return {{after.wall - before.wall, after.user - before.user, after.system - before.system},
          {saved.tensors.begin(), saved.tensors.end()},
          outcome.steps};
}

bool areSame(const Weights& a, const Weights& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && at::equal(x.second, y.second);
  });
}

double middleOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// One way to train, and how long its runs took.
struct ExplanationMethod {
  const char* name;
  Experiment experiment;
  std::vector<Times> runs = {};
};

ExplanationMethod explanationOf(const char* name, Experiment experiment, std::int64_t every,
                                bool records) {
  TelemetryConfig telemetry;
  telemetry.alsSteps = every;
  if (every == 0) telemetry.metricsSteps = 1'000'000'000;
  if (!records) telemetry.evolutionMegabytes = 0;
  experiment.telemetry = telemetry;
  return {name, experiment};
}

enum { kNeither, kTelemetry, kBoth, kTelemetryEachStep, kBothEachStep };

std::vector<ExplanationMethod> explanationsOf(const Experiment& experiment) {
  const std::int64_t usual = TelemetryConfig{}.alsSteps;
  return {explanationOf("neither", experiment, 0, false),
          explanationOf("telemetry", experiment, usual, false),
          explanationOf("both", experiment, usual, true),
          explanationOf("telemetry, each step", experiment, 1, false),
          explanationOf("both, each step", experiment, 1, true)};
}

void printMedians(const ExplanationMethod& method) {
  std::array<std::vector<double>, 3> columns;
  for (const Times& times : method.runs) {
    columns[0].push_back(times.wall);
    columns[1].push_back(times.user);
    columns[2].push_back(times.system);
  }
  std::printf("%-21s wall %7.2f s  user %7.2f s  system %6.2f s\n", method.name,
              middleOf(columns[0]), middleOf(columns[1]), middleOf(columns[2]));
}

/// Of each round how much longer the one took than the other, in percent of a run with neither,
/// divided by `times`.
void printRatio(const char* what, const std::vector<ExplanationMethod>& explanations, int one,
                int other, double times = 1) {
  const auto expandRuns = [&](int method) {
    return explanations[static_cast<std::size_t>(method)].runs;
  };
  const auto method = expandRuns(one), against = expandRuns(other), neither = expandRuns(kNeither);
  std::printf("%-36s", what);
  for (const auto& [name, time] :
       {std::pair{"wall", &Times::wall}, std::pair{"user", &Times::user}}) {
    std::vector<double> percent;
    for (std::size_t i = 0; i < method.size(); ++i)
      percent.push_back(100 * (method[i].*time - against[i].*time) / (neither[i].*time * times));
    const auto [least, most] = std::minmax_element(percent.begin(), percent.end());
    std::printf("  %s %+6.3f %% (%+.3f to %+.3f)", name, middleOf(percent), *least, *most);
  }
  std::printf("\n");
}

/// The ways take turns, each round from another one on. Whether all weights were the same.
bool measure(std::vector<ExplanationMethod>& explanations, int rounds) {
  Weights first;
  bool same = true;
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < explanations.size(); ++i) {
      ExplanationMethod& method =
          explanations[(i + static_cast<std::size_t>(round)) % explanations.size()];
      Run run = runOf(method.experiment);
      if (first.empty()) {
        std::printf("%lld steps a run\n", static_cast<long long>(run.steps));
        first = run.weights;
      }
      same = same && areSame(first, run.weights);
      method.runs.push_back(run.times);
      std::fflush(stdout);
    }
  return same;
}

int numberAt(int count, char** arguments, int at, int otherwise) {
  return count > at ? std::atoi(arguments[at]) : otherwise;
}

}  // namespace

int main(int count, char** arguments) {
  prepareProcessor(arguments);
  if (count < 2 || count > 5) {
    std::fprintf(stderr,
                 "usage: bench_telemetry models/presets/demo.json [ROUNDS 5] [EPOCHS 2] "
                 "[THREADS 1]\n");
    return 2;
  }
  Experiment experiment = valueOrThrow(readExperiment(arguments[1], modelCatalog()));
  experiment.training.epochs = numberAt(count, arguments, 3, 2);
  experiment.training.warmupEpochs = 1;
  experiment.threads = numberAt(count, arguments, 4, 1);
  const std::int64_t usual = TelemetryConfig{}.alsSteps;
  std::printf("%s, %lld epochs, threads %d, heads measured every %lld steps\n", arguments[1],
              static_cast<long long>(experiment.training.epochs), experiment.threads,
              static_cast<long long>(usual));
  std::vector<ExplanationMethod> explanations = explanationsOf(experiment);
  const bool same = measure(explanations, numberAt(count, arguments, 2, 5));
  for (const ExplanationMethod& method : explanations)
    printMedians(method);
  const auto times = static_cast<double>(usual);
  printRatio("telemetry", explanations, kTelemetry, kNeither);
  printRatio("recording the evolution", explanations, kBoth, kTelemetry);
  printRatio("both", explanations, kBoth, kNeither);
  std::printf("each step, divided by %lld:\n", static_cast<long long>(usual));
  printRatio("telemetry", explanations, kTelemetryEachStep, kNeither, times);
  printRatio("recording the evolution", explanations, kBothEachStep, kTelemetryEachStep, times);
  printRatio("both", explanations, kBothEachStep, kNeither, times);
  std::printf("weights: %s\n", same ? "the same, bit for bit, in all runs" : "NOT THE SAME");
  return same ? 0 : 1;
}
