// SPDX-License-Identifier: GPL-3.0-or-later

// One batch at a time, on request: reads "infer" or "train" from standard input, answers with the
// milliseconds that it took. peers.py drives it, turn by turn with timm.

#include <ATen/ATen.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

#include "core/base/Processor.h"
#include "core/data/Loader.h"
#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "core/models/layers/Precision.h"
#include "core/training/step/StepRunner.h"
#include "core/workbench/loading/TorchRuntime.h"
#include "core/workbench/session/InferenceSession.h"

int main(int count, char** arguments) {
  using namespace headlight;
  prepareProcessor(arguments);
  if (count == 2 && std::string(arguments[1]) == "--core") {
    std::cout << blasCore() << std::endl;
    return 0;
  }
  if (count != 4 && count != 5) {
    std::cerr
        << "usage: bench_model MODEL BATCH THREADS [PRECISION], or --core: OpenBLAS's kernels\n";
    return 2;
  }
  const PublishedModel* published = findPublishedModel(arguments[1]);
  if (!published) return std::cerr << "no such model\n", 2;
  const std::int64_t batchSize = std::atoi(arguments[2]);
  configureCompute(std::atoi(arguments[3]));
  const auto model = makeModel(published->config, 0);
  model->setMasks(valueOrThrow(makeMaskPreset(published->scheme, model->masks().shape())));
  const Preprocessing size{published->config.imageHeightPixels(),
                           published->config.imageWidthPixels()};
  Batch batch;
  batch.images = at::randn({batchSize, 3, size.height, size.width});
  if (published->config.classes > 0)  // the others do not train
    batch.labels = at::randint(0, published->config.classes, {batchSize}, at::kLong);
  TrainingConfig config;
  if (count == 5) config.precision = arguments[4];
  const auto precision =
      guarded("precision", [&] { return precisionOn(at::kCPU, config.precision, "PRECISION"); });
  if (!precision) return std::cerr << precision.error().message << "\n", 2;
  StepRunner runner(model, at::kCPU, config, 0, 1000);
  std::int64_t step = 0;
  std::cout << "ready " << computeDescription() << std::endl;
  for (std::string what; std::getline(std::cin, what);) {
    const auto started = std::chrono::steady_clock::now();
    if (what == "train") {
      model->train();
      runner.run(batch, step++);
    } else {
      model->eval();
      const at::NoGradGuard noGrad;
      const AutocastScope scope(*precision, at::kCPU);
      if (model->forward(batch.images).sum().item<float>() == 0.5f) std::cerr << "";
    }
    std::cout << std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() -
                                                           started)
                     .count()
              << std::endl;
  }
}
