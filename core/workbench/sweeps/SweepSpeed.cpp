// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/sweeps/SweepSpeed.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <chrono>

namespace headlight {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTurns = 7;
constexpr double kSecondsPerTurn = 0.25;

struct Runner {
  std::size_t index = 0;
  const SpeedContender& contender;
  std::vector<double> rates = {};

  void turn() {
    const auto started = Clock::now();
    std::int64_t passes = 0;
    double seconds = 0;
    do {
      contender.pass();
      ++passes;
      seconds = std::chrono::duration<double>(Clock::now() - started).count();
    } while (seconds < kSecondsPerTurn);
    rates.push_back(static_cast<double>(passes * contender.batch) / seconds);
  }

  double median() {
    std::sort(rates.begin(), rates.end());
    return rates[rates.size() / 2];
  }
};

}  // namespace

std::vector<double> inferenceSpeeds(const std::vector<SpeedContender>& contenders,
                                    const ProgressCallback& progress, std::stop_token stop) {
  const at::NoGradGuard noGrad;
  std::vector<Runner> runners;
  for (std::size_t i = 0; i < contenders.size(); ++i)
    if (contenders[i].pass) runners.push_back({i, contenders[i]});
  for (const Runner& runner : runners)
    runner.contender.pass();  // buffers and caches
  std::vector<double> speeds(contenders.size(), 0.0);
  const auto total = static_cast<std::int64_t>(kTurns * runners.size());
  RemainingTime remaining;
  remaining.start(0);
  std::int64_t done = 0;
  for (int turn = 0; turn < kTurns; ++turn)
    for (Runner& runner : runners) {
      if (stop.stop_requested()) return speeds;
      runner.turn();
      ++done;
      if (progress)
        progress({"measuring inference", done, total, remaining.secondsRemaining(done, total)});
    }
  for (Runner& runner : runners)
    speeds[runner.index] = runner.median();
  return speeds;
}

}  // namespace headlight
