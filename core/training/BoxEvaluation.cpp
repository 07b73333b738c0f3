// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/BoxEvaluation.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/base/Translation.h"
#include "core/models/detection/FoundInCells.h"
#include "core/training/BoxRecords.h"
#include "core/training/EvaluationPass.h"
#include "core/training/LossTotals.h"
#include "core/training/detection/BoxLosses.h"

namespace headlight {
namespace {

using Map = std::vector<std::int64_t>;

int mappedLabel(int label, const Map& map) {
  return map.empty() ? label : static_cast<int>(map.at(static_cast<std::size_t>(label)));
}

BatchBoxes mappedBoxes(BatchBoxes boxes, const Map& map) {
  for (LabeledBoxes& list : boxes)
    for (LabeledBox& box : list)
      box.label = mappedLabel(box.label, map);
  return boxes;
}

/// Of all images as one batch.
double boxLossOf(const LossTotals& totals) {
  const BoxDenominators denominators{totals.divisor(0), totals.divisor(1)};
  const BoxLossSums sums{totals.loss(0), totals.loss(1), totals.loss(2), denominators.positives,
                         at::scalar_tensor(denominators.weights, at::kDouble)};
  return boxLosses(sums, denominators.of(1)).total().item<double>();
}

class BoxEvaluation {
 public:
  BoxEvaluation(Model& model, SharedBatches& batches, const EvaluationOptions& options)
      : m_model(model), m_batches(batches), m_options(options) {}

  void add(const Batch& batch) {
    requireTruth(batch);
    const CellScores scores = scoresOf(batch.images);
    addLosses(scores, batch);
    const auto found = findBoxes(scores, batch.images.size(2), batch.images.size(3));
    for (std::size_t row = 0; row < found.size(); ++row) {
      addTruth(batch, row);
      addFound(batch, row, found[row]);
    }
  }

  BoxEvaluationResult result() {
    m_totals.exchange(m_batches);
    m_records.exchange(m_batches.processes());
    requireReadImages(m_totals.images());
    BoxEvaluationResult result;
    result.images = m_totals.images();
    result.skipped = m_totals.skipped();
    result.loss = boxLossOf(m_totals);
    result.precision = measurePrecision(std::move(m_records.truth), std::move(m_records.found),
                                        m_model.config().classes);
    return result;
  }

 private:
  static void requireTruth(const Batch& batch) {
    const auto rows = static_cast<std::size_t>(batch.images.size(0));
    if (batch.truth.size() == rows && batch.boxes.size() == rows) return;
    throw Failure({ErrorCode::InvalidConfig,
                   tr("the data has no boxes to compare with what a detector finds; choose data "
                      "with boxes"),
                   "data.dataset"});
  }

  CellScores scoresOf(const at::Tensor& images) {
    const AutocastScope autocast(m_options.precision, m_options.device);
    CellScores scores = m_model.forwardCells(images.to(m_options.device, true));
    if (scores.defined()) return scores;
    throw Failure({ErrorCode::InvalidConfig,
                   tr("finds no boxes; choose the backbone of a detector"), "model.backbone"});
  }

  void addLosses(const CellScores& scores, const Batch& batch) {
    const BoxLossSums sums = sumBoxLosses(scores, mappedBoxes(batch.boxes, m_options.labelMap));
    m_totals.add({sums.classes, sums.overlap, sums.sides},
                 {sums.positives, sums.weights.item<double>()}, batch.images.size(0));
  }

  int imageOf(const Batch& batch, std::size_t row) const {
    return static_cast<int>(placeInDataset(batch, static_cast<std::int64_t>(row), m_batches));
  }

  void addTruth(const Batch& batch, std::size_t row) {
    for (const LabeledBox& box : batch.truth[row].boxes) {
      TrueBox truth;
      truth.image = imageOf(batch, row);
      truth.category = mappedLabel(box.label, m_options.labelMap);
      truth.box = box.box;
      truth.area = box.area;
      truth.crowd = box.crowd;
      m_records.truth.push_back(truth);
    }
  }

  void addFound(const Batch& batch, std::size_t row, const std::vector<CellBox>& found) {
    const ImageTruth& image = batch.truth[row];
    const double x = double(image.width) / static_cast<double>(batch.images.size(3));
    const double y = double(image.height) / static_cast<double>(batch.images.size(2));
    for (const auto& [box, label, score, cell] : found)
      m_records.found.push_back({imageOf(batch, row),
                                 label,
                                 {box.x * x, box.y * y, box.width * x, box.height * y},
                                 score});
  }

  Model& m_model;
  SharedBatches& m_batches;
  const EvaluationOptions& m_options;
  LossTotals m_totals;
  BoxRecords m_records;
};

}  // namespace

EvaluationResult BoxEvaluationResult::summary() const {
  EvaluationResult result;
  result.images = images;
  result.loss = loss;
  result.imagesPerSecond = imagesPerSecond;
  result.skipped = skipped;
  result.ap = std::max(precision.all[0], 0.0);
  result.ap50 = std::max(precision.all[1], 0.0);
  result.ap75 = std::max(precision.all[2], 0.0);
  return result;
}

Result<BoxEvaluationResult> evaluateBoxes(Model& model, SharedBatches& batches,
                                          const EvaluationOptions& options,
                                          const ProgressCallback& progress, std::stop_token stop) {
  return evaluateInOnePass(model, batches, options, progress, stop,
                           [&] { return BoxEvaluation(model, batches, options); });
}

}  // namespace headlight
