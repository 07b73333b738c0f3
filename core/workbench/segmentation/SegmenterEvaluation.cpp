// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/segmentation/SegmenterEvaluation.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/base/Translation.h"
#include "core/workbench/classes/ClassMatch.h"
#include "core/workbench/evaluation/OpenedEvaluation.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {
namespace {

void requireSegmenter(const ModelInfo& info) {
  if (segmentsImages(info.experiment.model)) return;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("the model gives pixels no classes; choose a segmenter"), "model"});
}

void requireSegments(const Dataset& dataset) {
  if (dataset.hasSegments()) return;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("the data has no class for every pixel, so it does not measure a segmenter; "
                    "choose data with segments"),
                 "data.dataset"});
}

/// Labels of the data as classes of the model.
ClassImage matchedImage(ClassImage image, const std::vector<std::int64_t>& order) {
  if (order.empty()) return image;
  for (std::uint8_t& label : image.classes) {
    if (label == kIgnoredClass) continue;
    const std::int64_t index = label < order.size() ? order[label] : std::int64_t{kIgnoredClass};
    label = index < 0 ? kIgnoredClass : static_cast<std::uint8_t>(index);
  }
  return image;
}

class SegmenterPass {
 public:
  SegmenterPass(InferenceSession& session, const MaskScheme& masks, const Dataset& dataset,
                std::vector<std::int64_t> order)
      : m_session(session),
        m_masks(masks),
        m_dataset(dataset),
        m_order(std::move(order)),
        m_counts(session.info().experiment.model.classes) {}

  SegmentReport run(const ProgressCallback& progress, std::stop_token stop) {
    RemainingTime time;
    const std::int64_t total = m_dataset.size();
    for (std::int64_t i = 0; i < total; ++i) {
      add(i, stop);
      if (progress) progress({tr("images"), i + 1, total, time.secondsRemaining(i + 1, total)});
    }
    if (m_images == 0)
      throw Failure(
          {ErrorCode::InvalidFile, tr("no image of the validation split can be read"), ""});
    SegmentReport report = measureSegments(m_counts, m_session.info().classNames);
    report.images = m_images;
    report.skipped = m_skipped;
    return report;
  }

 private:
  void add(std::int64_t index, std::stop_token stop) {
    constexpr std::int64_t kWholeImage = 0;
    if (stop.stop_requested())
      throw Failure({ErrorCode::Canceled, tr("the evaluation was stopped"), ""});
    Result<Sample> sample = m_dataset.sample(index);
    if (!sample) return static_cast<void>(++m_skipped);
    const InferenceResult inference =
        valueOrThrow(m_session.infer(sample->image, m_masks, {false, 1, kWholeImage}, stop));
    if (std::any_of(inference.logits.begin(), inference.logits.end(),
                    [](float logit) { return std::isnan(logit); }))
      throw Failure(noNumbers(m_session.info(), m_dataset.describe(index)));
    m_counts.add(matchedImage(std::move(sample->segments), m_order), inference.segments->image);
    ++m_images;
  }

  InferenceSession& m_session;
  const MaskScheme& m_masks;
  const Dataset& m_dataset;
  std::vector<std::int64_t> m_order;  ///< of each label the model's class; empty: the same
  SegmentCounts m_counts;
  std::int64_t m_images = 0, m_skipped = 0;
};

SegmentReport evaluatedSegmenter(InferenceSession& session, const MaskScheme& masks,
                                 const SegmenterRequest& request, const ProgressCallback& progress,
                                 std::stop_token stop) {
  requireSegmenter(session.info());
  const auto dataset = openImages(session.info(), request.data, request.samples);
  requireSegments(*dataset);
  const ClassMatch match = matchedClasses(*dataset, session.info(), request.matching);
  if (request.matched) request.matched(match.text);
  const auto begin = std::chrono::steady_clock::now();
  SegmentReport report = SegmenterPass(session, masks, *dataset, match.order).run(progress, stop);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  report.classMatch = match.text;
  report.imagesPerSecond = static_cast<double>(report.images) / std::max(elapsed.count(), 1e-9);
  return report;
}

}  // namespace

Result<SegmentReport> evaluateSegmenter(InferenceSession& session, const MaskScheme& masks,
                                        const SegmenterRequest& request,
                                        const ProgressCallback& progress, std::stop_token stop) {
  return guarded("evaluation",
                 [&] { return evaluatedSegmenter(session, masks, request, progress, stop); });
}

}  // namespace headlight
