// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/SegmentStep.h"

#include <ATen/ATen.h>

#include "core/base/Random.h"
#include "core/base/Translation.h"
#include "core/training/step/AgreedCounts.h"

namespace headlight {
namespace {

constexpr std::uint64_t kPointPurpose = 0x706f696e74ULL;  // "point"

}  // namespace

std::uint64_t stepPointSeed(std::uint64_t runSeed, std::int64_t step) {
  return streamKey({runSeed, kPointPurpose, static_cast<std::uint64_t>(step)});
}

SegmentStep::SegmentStep(const StepInputs& inputs)
    : m_model(inputs.model),
      m_batch(inputs.source),
      m_images(inputs.batch.images),
      m_precision(precisionFromConfig(inputs.config.precision)),
      m_processes(inputs.processes),
      m_points(inputs.config.maskPoints),
      m_seed(stepPointSeed(inputs.seed.seed, inputs.seed.step)) {}

SegmentScores SegmentStep::scores(const BatchPart& part) {
  const AutocastScope autocast(m_precision, m_images.device());
  SegmentScores scores = m_model.forwardSegments(m_images.narrow(0, part.first, part.count));
  if (scores.defined()) return scores;
  throw Failure({ErrorCode::InvalidConfig,
                 tr("finds no segments, but the data has a class for every pixel; choose the "
                    "backbone of a segmenter"),
                 "model.backbone"});
}

PointSeeds SegmentStep::seeds(const BatchPart& part) const {
  PointSeeds seeds{m_seed, {}, m_points};
  for (std::int64_t i = part.first; i < part.first + part.count; ++i)
    seeds.rows.push_back(m_batch.rows.empty() ? i : m_batch.rows[static_cast<std::size_t>(i)]);
  return seeds;
}

void SegmentStep::agree(const SegmentScores& scores) {
  const at::Tensor& classes = scores.classes.front();
  const SegmentDenominators own =
      countSegments(m_batch.segments, classes.size(2) - 1, classes.size(1));
  const auto [masks, weights] =
      agreedCounts({own.masks, own.weights}, m_batch.sharedCount, m_processes);
  m_denominators = {masks, weights};
  m_agreed = true;
}

StepLosses SegmentStep::losses(const BatchPart& part) {
  const SegmentScores found = scores(part);
  if (!m_agreed) agree(found);
  const at::Tensor segments =
      m_batch.segments.narrow(0, part.first, part.count).to(m_images.device());
  const SegmentLosses own = segmentLosses(sumSegmentLosses(found, segments, seeds(part)),
                                          m_denominators.of(part.ofBatch));
  StepLosses losses;
  losses.classes = own.classes;
  losses.masks = own.masks;
  losses.dice = own.dice;
  losses.total = own.total();
  losses.addAuxiliary(m_model);
  return losses;
}

}  // namespace headlight
