// SPDX-License-Identifier: GPL-3.0-or-later

// test_ranks steps FILE: trains small models in double precision as one of several processes, and
// writes the weights that process 0 ends with.

#include <ATen/Parallel.h>

#include <cstdio>
#include <cstring>

#include "core/checkpoint/Checkpoint.h"
#include "core/masks/RandomScheme.h"
#include "core/training/SharedBatches.h"
#include "tests/models/Pairings.h"
#include "tests/training/SharedSteps.h"

namespace headlight {
namespace {

constexpr std::int64_t kImages = 9, kSteps = 50, kEdit = 20;

/// Other masks, and so other parameters, in the middle of the run.
void edit(Model& model, StepRunner& runner) {
  MaskScheme scheme = model.masks();
  for (int layer = 0; layer < scheme.maskableLayers(); ++layer)
    scheme.set(layer, 0, *headMaskFromText("soft:3@0.5"));
  if (guarded("edit", [&] { model.setMasks(scheme); })) runner.refreshParameters();
}

NamedTensors trained(const ModelConfig& config, const std::shared_ptr<Processes>& processes) {
  const auto model = sharedModel(config);
  StepRunner runner(model, at::kCPU, sharedTraining(kSteps, 1e-3), 5, 1, nullptr, processes);
  for (std::int64_t step = 0; step < kSteps; ++step) {
    if (step == kEdit) edit(*model, runner);
    runner.run(ownShare(sharedBatch(config, kImages, step), processes.get()), step);
  }
  return model->state();
}

int runRank(const std::string& file) {
  at::set_num_threads(1);
  const Launch launch = valueOrThrow(launchOfThisProcess());
  std::shared_ptr<Processes> processes;
  if (!launch.alone()) processes = std::make_shared<Processes>(launch, std::chrono::seconds(120));
  NamedTensors all;
  for (const auto& [name, config] : pairings())
    for (const auto& [key, tensor] : trained(config, processes))
      all.emplace_back(name + ":" + key, tensor.detach().clone());
  if (launch.rank == 0) valueOrThrow(writeSafetensors(file, all, {}));
  return 0;
}

}  // namespace
}  // namespace headlight

int main(int count, char** arguments) {
  const auto done = headlight::guarded("", [&] {
    if (count != 3 || std::strcmp(arguments[1], "steps") != 0)
      throw headlight::Failure({headlight::ErrorCode::InvalidArgument, "steps FILE", ""});
    headlight::runRank(arguments[2]);
  });
  if (!done) std::fprintf(stderr, "test_ranks: %s\n", done.error().text().c_str());
  return done ? 0 : 1;
}
