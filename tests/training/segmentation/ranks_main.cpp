// SPDX-License-Identifier: GPL-3.0-or-later

// test_segmentation_ranks FILE: trains the tiny segmenter in double precision as one of several
// processes, and evaluates it; process 0 writes the weights and what was measured.

#include <ATen/Parallel.h>

#include <cstdio>

#include "core/checkpoint/Checkpoint.h"
#include "core/training/SegmentEvaluation.h"
#include "tests/training/segmentation/SegmentDataset.h"
#include "tests/training/segmentation/TinySegmenter.h"

namespace headlight {
namespace {

constexpr std::int64_t kImages = 9, kSteps = 6;

/// Two images for four processes: each computes both.
Batch sharedByAll(Batch whole, const Processes* processes) {
  if (!processes) return whole;
  whole.whole = whole.images.size(0);
  whole.sharedCount = processes->count();
  for (std::int64_t row = 0; row < whole.whole; ++row)
    whole.rows.push_back(row);
  return whole;
}

NamedTensors measured(TinySegmenter& model, const std::shared_ptr<Processes>& processes) {
  model.to(at::kFloat);
  const auto loader = [&](std::shared_ptr<const Dataset> dataset) {
    return evaluationLoader(std::move(dataset), segmentDatasetView(), 4, 1, processes.get());
  };
  SharedBatches batches(loader(std::make_shared<SegmentDataset>(13)), processes);
  const auto result = valueOrThrow(evaluateSegments(model, batches, {}));
  const std::vector<double> numbers{result.measures.miou, result.measures.macc,
                                    result.measures.pacc, result.loss,
                                    static_cast<double>(result.images)};
  return {{"measured", at::tensor(numbers, at::kDouble)}};
}

int runRank(const std::string& file) {
  at::set_num_threads(1);
  const Launch launch = valueOrThrow(launchOfThisProcess());
  std::shared_ptr<Processes> processes;
  if (!launch.alone()) processes = std::make_shared<Processes>(launch, std::chrono::seconds(120));
  const auto model = std::make_shared<TinySegmenter>();
  model->to(at::kDouble);
  model->train();
  StepRunner runner(model, at::kCPU, segmentTraining(kSteps), 5, 1, nullptr, processes);
  for (std::int64_t step = 0; step < kSteps; ++step)
    runner.run(step == 3 ? sharedByAll(segmentBatch(2, step), processes.get())
                         : ownShare(segmentBatch(kImages, step), processes.get()),
               step);
  NamedTensors all;
  for (const auto& [name, tensor] : model->state())
    all.emplace_back(name, tensor.detach().to(at::kDouble).clone());
  for (const auto& entry : measured(*model, processes))
    all.push_back(entry);
  if (launch.rank == 0) valueOrThrow(writeSafetensors(file, all, {}));
  return 0;
}

}  // namespace
}  // namespace headlight

int main(int count, char** arguments) {
  const auto done = headlight::guarded("", [&] {
    if (count != 2) throw headlight::Failure({headlight::ErrorCode::InvalidArgument, "FILE", ""});
    headlight::runRank(arguments[1]);
  });
  if (!done) std::fprintf(stderr, "test_segmentation_ranks: %s\n", done.error().text().c_str());
  return done ? 0 : 1;
}
