// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/BoxStep.h"

#include <ATen/ATen.h>

#include "core/base/Translation.h"
#include "core/training/step/AgreedCounts.h"

namespace headlight {
namespace {

/// Puts the buffers of a model back as they were: batch norms count every image once.
class BufferKeeper {
 public:
  explicit BufferKeeper(const Model& model) {
    for (const auto& item : model.named_buffers(/*recurse=*/true))
      m_kept.emplace_back(item.value(), item.value().clone());
  }
  BufferKeeper(const BufferKeeper&) = delete;
  BufferKeeper& operator=(const BufferKeeper&) = delete;
  ~BufferKeeper() {
    for (auto& [buffer, before] : m_kept)
      buffer.copy_(before);
  }

 private:
  std::vector<std::pair<at::Tensor, at::Tensor>> m_kept;
};

}  // namespace

BoxStep::BoxStep(const StepInputs& inputs)
    : m_model(inputs.model),
      m_batch(inputs.source),
      m_images(inputs.batch.images),
      m_precision(precisionFromConfig(inputs.config.precision)),
      m_processes(inputs.processes) {}

CellScores BoxStep::scores(const BatchPart& part) {
  const AutocastScope autocast(m_precision, m_images.device());
  return m_model.forwardCells(m_images.narrow(0, part.first, part.count));
}

BoxLossSums BoxStep::sums(const BatchPart& part) {
  const CellScores scores = this->scores(part);
  if (!scores.defined())
    throw Failure({ErrorCode::InvalidConfig,
                   tr("finds no boxes, but the data has boxes; choose the backbone of a detector"),
                   "model.backbone"});
  const auto begin = m_batch.boxes.begin() + part.first;
  return sumBoxLosses(scores, BatchBoxes(begin, begin + part.count));
}

void BoxStep::note(const BoxLossSums& sums) {
  m_denominators.positives += sums.positives;
  m_denominators.weights += sums.weights.to(at::kCPU).item<double>();
}

void BoxStep::count(const BatchPart& part) {
  const at::NoGradGuard noGrad;
  const BufferKeeper buffers(m_model);
  note(sums(part));
}

void BoxStep::agree() {
  const auto [positives, weights] = agreedCounts({m_denominators.positives, m_denominators.weights},
                                                 m_batch.sharedCount, m_processes);
  m_denominators = {positives, weights};
  m_agreed = true;
}

StepLosses BoxStep::losses(const BatchPart& part) {
  const BoxLossSums found = sums(part);
  if (!m_agreed) {
    note(found);
    agree();
  }
  const BoxLosses boxes = boxLosses(found, m_denominators.of(part.ofBatch));
  StepLosses losses;
  losses.classes = boxes.classes;
  losses.overlap = boxes.overlap;
  losses.sides = boxes.sides;
  losses.total = boxes.total();
  losses.addAuxiliary(m_model);
  return losses;
}

}  // namespace headlight
