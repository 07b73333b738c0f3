// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/SegmentEvaluation.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/Translation.h"
#include "core/models/segmentation/PixelClasses.h"
#include "core/training/EvaluationPass.h"
#include "core/training/LossTotals.h"
#include "core/training/segmentation/SegmentLosses.h"

namespace headlight {
namespace {

constexpr std::uint64_t kMeasuringSeed = 0x6d656173ULL;  // "meas"

/// From every class of the data to the model's, kIgnoredClass to itself.
class LabelTable {
 public:
  explicit LabelTable(const std::vector<std::int64_t>& map) {
    m_classes.fill(kIgnoredClass);
    const std::size_t labels = map.empty() ? kIgnoredClass : map.size();
    for (std::size_t label = 0; label < std::min<std::size_t>(labels, kIgnoredClass); ++label)
      m_classes[label] = static_cast<std::uint8_t>(map.empty() ? label : std::size_t(map[label]));
  }
  at::Tensor mapped(const at::Tensor& segments) const {
    at::Tensor mapped = segments.to(at::kCPU).contiguous().clone();
    replace(mapped.data_ptr<std::uint8_t>(), static_cast<std::size_t>(mapped.numel()));
    return mapped;
  }
  ClassImage mapped(ClassImage image) const {
    replace(image.classes.data(), image.classes.size());
    return image;
  }

 private:
  void replace(std::uint8_t* values, std::size_t count) const {
    std::transform(values, values + count, values,
                   [&](std::uint8_t value) { return m_classes[value]; });
  }

  std::array<std::uint8_t, 256> m_classes{};
};

/// Of all images as one batch.
double segmentLossOf(const LossTotals& totals) {
  const SegmentDenominators counts{totals.divisor(0), totals.divisor(1)};
  return segmentLosses({totals.loss(0), totals.loss(1), totals.loss(2)}, counts.of(1))
      .total()
      .item<double>();
}

/// Where the picture lies in what the model saw of it: squashed it fills all, else the upper left.
SeenPicture seenPicture(const ImageTruth& truth, std::int64_t height, std::int64_t width,
                        const ModelConfig& model) {
  SeenPicture seen{height, width, height, width, truth.height, truth.width};
  if (model.cropMode != kPadMode) return seen;
  Preprocessing asked;
  asked.height = model.imageHeightPixels();
  asked.width = model.imageWidthPixels();
  const PaddedSize size = paddedSize(truth.width, truth.height, asked);
  if (size.wholeHeight != height || size.wholeWidth != width) return seen;
  seen.shownHeight = size.height;
  seen.shownWidth = size.width;
  return seen;
}

class SegmentEvaluation {
 public:
  SegmentEvaluation(Model& model, SharedBatches& batches, const EvaluationOptions& options)
      : m_model(model),
        m_batches(batches),
        m_options(options),
        m_labels(options.labelMap),
        m_confusion(model.config().classes) {}

  void add(const Batch& batch) {
    requireTruth(batch);
    const SegmentScores scores = scoresOf(batch.images);
    addLosses(scores, batch);
    for (std::int64_t row = 0; row < batch.images.size(0); ++row)
      addPixels(scores, batch, row);
  }

  SegmentEvaluationResult result() {
    m_totals.exchange(m_batches);
    exchangeConfusion();
    requireReadImages(m_totals.images());
    SegmentEvaluationResult result;
    result.images = m_totals.images();
    result.skipped = m_totals.skipped();
    result.loss = segmentLossOf(m_totals);
    result.measures = m_confusion.measures();
    return result;
  }

 private:
  static void requireTruth(const Batch& batch) {
    const auto rows = static_cast<std::size_t>(batch.images.size(0));
    if (batch.segments.defined() && batch.truth.size() == rows &&
        std::none_of(batch.truth.begin(), batch.truth.end(),
                     [](const ImageTruth& truth) { return truth.segments.empty(); }))
      return;
    throw Failure({ErrorCode::InvalidConfig,
                   tr("the data has no class for every pixel to compare with what a segmenter "
                      "finds; choose data with label images"),
                   "data.dataset"});
  }

  SegmentScores scoresOf(const at::Tensor& images) {
    const AutocastScope autocast(m_options.precision, m_options.device);
    SegmentScores scores = m_model.forwardSegments(images.to(m_options.device, true));
    if (scores.defined()) return scores;
    throw Failure({ErrorCode::InvalidConfig,
                   tr("finds no segments; choose the backbone of a segmenter"), "model.backbone"});
  }

  void addLosses(const SegmentScores& scores, const Batch& batch) {
    const at::Tensor segments = m_labels.mapped(batch.segments);
    PointSeeds seeds{kMeasuringSeed, {}, kMostMaskPoints};
    for (std::int64_t row = 0; row < segments.size(0); ++row)
      seeds.rows.push_back(placeInDataset(batch, row, m_batches));
    const at::Tensor& classes = scores.classes.front();
    const SegmentLossSums sums = sumSegmentLosses(scores, segments.to(m_options.device), seeds);
    const SegmentDenominators counts =
        countSegments(segments, classes.size(2) - 1, classes.size(1));
    m_totals.add({sums.classes, sums.masks, sums.dice}, {counts.masks, counts.weights},
                 batch.images.size(0));
  }

  void addPixels(const SegmentScores& scores, const Batch& batch, std::int64_t row) {
    const ImageTruth& truth = batch.truth[static_cast<std::size_t>(row)];
    const SeenPicture seen =
        seenPicture(truth, batch.images.size(2), batch.images.size(3), m_model.config());
    m_confusion.add(m_labels.mapped(truth.segments), pixelClasses(scores, row, seen));
  }

  void exchangeConfusion() {
    if (!m_batches.processes()) return;
    std::vector<std::int64_t>& counts = m_confusion.counts();
    at::Tensor sum = at::tensor(at::ArrayRef<std::int64_t>(counts), at::kLong);
    m_batches.processes()->sum(sum);
    std::copy_n(sum.data_ptr<std::int64_t>(), counts.size(), counts.begin());
  }

  Model& m_model;
  SharedBatches& m_batches;
  const EvaluationOptions& m_options;
  LabelTable m_labels;
  LossTotals m_totals;
  SegmentConfusion m_confusion;
};

}  // namespace

EvaluationResult SegmentEvaluationResult::summary() const {
  EvaluationResult result;
  result.images = images;
  result.loss = loss;
  result.imagesPerSecond = imagesPerSecond;
  result.skipped = skipped;
  // No numbers where no pixel has a known class.
  result.miou = std::max(0.0, measures.miou);
  result.macc = std::max(0.0, measures.macc);
  result.pacc = std::max(0.0, measures.pacc);
  return result;
}

Result<SegmentEvaluationResult> evaluateSegments(Model& model, SharedBatches& batches,
                                                 const EvaluationOptions& options,
                                                 const ProgressCallback& progress,
                                                 std::stop_token stop) {
  return evaluateInOnePass(model, batches, options, progress, stop,
                           [&] { return SegmentEvaluation(model, batches, options); });
}

}  // namespace headlight
