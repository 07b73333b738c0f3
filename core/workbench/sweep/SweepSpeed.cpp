#include "core/workbench/sweep/SweepSpeed.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "core/workbench/Compute.h"
#include "core/workbench/opening/LoadedModel.h"

namespace headlight {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTurns = 7;
constexpr double kSecondsPerTurn = 0.25;

struct Runner {
  std::size_t index = 0;
  std::shared_ptr<Model> model;
  at::Tensor images;
  std::vector<double> rates;

  /// Waits for the device: the numbers are wanted here.
  void pass() const { model->forward(images).sum().item<float>(); }

  void turn() {
    const auto started = Clock::now();
    std::int64_t passes = 0;
    double seconds = 0;
    do {
      pass();
      ++passes;
      seconds = std::chrono::duration<double>(Clock::now() - started).count();
    } while (seconds < kSecondsPerTurn);
    rates.push_back(static_cast<double>(passes * images.size(0)) / seconds);
  }

  double median() {
    std::sort(rates.begin(), rates.end());
    return rates[rates.size() / 2];
  }
};

/// Random images [batch, 3, height, width] on a device: the same ones for all models of that size.
class Images {
 public:
  explicit Images(std::int64_t batch) : m_batch(batch) {}

  at::Tensor of(const ModelConfig& model, const at::Device& device) {
    at::Tensor& images = m_bySize[{model.imageHeightPixels(), model.imageWidthPixels()}];
    if (!images.defined())
      images = at::randn({m_batch, 3, model.imageHeightPixels(), model.imageWidthPixels()});
    if (images.device() != device) images = images.to(device);
    return images;
  }

 private:
  std::int64_t m_batch;
  std::map<std::pair<int, int>, at::Tensor> m_bySize;
};

Runner open(std::size_t index, const std::filesystem::path& checkpoint,
            const SpeedSettings& settings, Images& images) {
  ModelSource source;
  source.weights = checkpoint;
  source.device = settings.device;
  const LoadedModel loaded = loadModel(source);
  return {index,
          loaded.model,
          images.of(loaded.info.experiment.model, at::Device(loaded.info.device)),
          {}};
}

}  // namespace

std::vector<double> inferenceSpeeds(const std::vector<std::filesystem::path>& checkpoints,
                                    const SpeedSettings& settings, const ProgressCallback& progress,
                                    std::stop_token stop) {
  configureCompute(settings.threads);
  const at::NoGradGuard noGrad;
  std::vector<Runner> runners;
  Images images(settings.batch);
  for (std::size_t i = 0; i < checkpoints.size(); ++i)
    if (!checkpoints[i].empty()) runners.push_back(open(i, checkpoints[i], settings, images));
  for (const Runner& runner : runners)
    runner.pass();  // buffers and caches
  std::vector<double> speeds(checkpoints.size(), 0.0);
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
