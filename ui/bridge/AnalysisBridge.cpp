// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/AnalysisBridge.h"

#include <algorithm>

#include "ui/base/Images.h"
#include "ui/document/RecordedView.h"

namespace headlight {
namespace {

constexpr std::int64_t kScaledAtOnce = 1'200'000;  ///< pixels: under 10 ms
constexpr std::int64_t kConvertedWhole = 16'000'000;
constexpr int kCoarseSide = 1024;
constexpr int kSmallestSide = 256;

std::int64_t pixelsOf(const Image& image) {
  return static_cast<std::int64_t>(image.width) * image.height;
}

/// Every n-th pixel: at once, whatever the size.
ImagePyramid coarsePyramid(const Image& image) {
  const QImage whole = wrapImage(image);
  const QSize size = whole.size().scaled(kCoarseSide, kCoarseSide, Qt::KeepAspectRatio);
  ImagePyramid pyramid;
  pyramid.width = image.width;
  pyramid.height = image.height;
  pyramid.levels.push_back(
      whole.scaled(size.expandedTo({1, 1}), Qt::IgnoreAspectRatio, Qt::FastTransformation)
          .convertToFormat(QImage::Format_RGB32));
  return pyramid;
}

bool same(const RolloutOptions& a, const RolloutOptions& b) {
  return a.fusion == b.fusion && a.discardRatio == b.discardRatio;
}

/// The rows that a rollout needs are not kept: it was worked out when the step was recorded.
RolloutResult recordedRollout(RolloutResult result, const RecordedView& recorded) {
  result.shown = RolloutOptions();
  result.grid = recorded.rolloutGrid;
  result.values = recorded.rollout;
  if (result.values.empty())
    result.error = AnalysisBridge::tr("The run recorded no rollout of this model.");
  return result;
}

RolloutResult workOutRollout(RolloutResult result) {
  result.shown = result.options;
  const AttentionMaps& maps = result.inference->maps;
  if (!maps.layers.empty()) result.grid = maps.layers.front().grid;
  const auto values = guarded("rollout", [&] { return rollout(maps, result.options); });
  if (!values)
    result.error = QString::fromStdString(values.error().text());
  else
    result.values = *values;
  return result;
}

SimilarityResult workOutSimilarity(SimilarityResult result) {
  const AttentionMaps& maps = result.inference->maps;
  result.layers = static_cast<int>(maps.layers.size());
  const auto values = guarded("similarity", [&] { return computeSimilarity(maps, result.head); });
  if (!values)
    result.error = QString::fromStdString(values.error().text());
  else
    result.values = *values;
  return result;
}

}  // namespace

const QImage& ImagePyramid::levelFor(double scale) const {
  std::size_t best = 0;
  for (std::size_t i = 0; i < levels.size(); ++i)
    if (levels[i].width() + 1 >= scale * width && levels[i].height() + 1 >= scale * height)
      best = i;
  return levels[best];
}

ImagePyramid makePyramid(const Image& image, std::stop_token stop) {
  ImagePyramid pyramid;
  pyramid.width = image.width;
  pyramid.height = image.height;
  QImage level = wrapImage(image);
  if (level.isNull()) return pyramid;
  // 32 bits a pixel paint faster; of the largest images the memory is not worth it.
  if (pixelsOf(image) <= kConvertedWhole) level = level.convertToFormat(QImage::Format_RGB32);
  pyramid.levels.push_back(level);
  while (std::max(level.width(), level.height()) > kSmallestSide && !stop.stop_requested()) {
    const QSize half = QSize(level.width() / 2, level.height() / 2).expandedTo({1, 1});
    level = level.scaled(half, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
                .convertToFormat(QImage::Format_RGB32);
    pyramid.levels.push_back(level);
  }
  return pyramid;
}

AnalysisBridge* AnalysisBridge::of(Document* document) {
  if (auto* found = document->findChild<AnalysisBridge*>({}, Qt::FindDirectChildrenOnly))
    return found;
  return new AnalysisBridge(document);
}

AnalysisBridge::AnalysisBridge(Document* document) : QObject(document), m_document(document) {
  setObjectName("analysisBridge");
  connect(&document->recorded(), &RecordedStep::shownImageChanged, this,
          &AnalysisBridge::imageChanged);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, [this] {
    m_rollout.reset();
    m_similarity.reset();
  });
  imageChanged();
}

AnalysisBridge::~AnalysisBridge() = default;

void AnalysisBridge::imageChanged() {
  m_rollout.reset();
  m_similarity.reset();
  const Image image = m_document->recorded().shownImage();
  m_scaling.cancel();
  if (image.empty()) {
    m_pyramid = {};
  } else if (pixelsOf(image) <= kScaledAtOnce) {
    m_pyramid = makePyramid(image);
  } else {
    m_pyramid = coarsePyramid(image);
    m_scaling.run<ImagePyramid>([image](std::stop_token stop) { return makePyramid(image, stop); },
                                [this](ImagePyramid pyramid) {
                                  m_pyramid = std::move(pyramid);
                                  Q_EMIT pyramidChanged();
                                });
  }
  Q_EMIT pyramidChanged();
}

void AnalysisBridge::requestRollout(std::shared_ptr<const InferenceResult> inference,
                                    const RolloutOptions& options) {
  if (inference == m_rolloutAsked.inference && same(options, m_rolloutAsked.options) &&
      (m_rollingNow || m_rollout || !inference))
    return;
  m_rolloutAsked = {};
  m_rolloutAsked.inference = std::move(inference);
  m_rolloutAsked.options = options;
  if (!m_rolloutAsked.inference || m_rolloutAsked.inference->maps.layers.empty()) {
    m_rollout.reset();
    Q_EMIT rolloutReady();
  } else if (const auto& recorded = m_document->recorded().view();
             recorded && recorded->inference == m_rolloutAsked.inference) {
    m_rollout = std::make_shared<const RolloutResult>(recordedRollout(m_rolloutAsked, *recorded));
    Q_EMIT rolloutReady();
  } else if (!m_rollingNow) {
    startRollout();
  }
}

void AnalysisBridge::startRollout() {
  m_rollingNow = true;
  m_rolling.run<RolloutResult>(
      [asked = m_rolloutAsked](std::stop_token) { return workOutRollout(asked); },
      [this](RolloutResult result) {
        m_rollingNow = false;
        const bool newest = result.inference == m_rolloutAsked.inference &&
                            same(result.options, m_rolloutAsked.options);
        // While a slider moves, results of its earlier places are worth showing; those of another
        // image are not.
        if (result.inference == m_rolloutAsked.inference) {
          m_rollout = std::make_shared<const RolloutResult>(std::move(result));
          Q_EMIT rolloutReady();
        }
        if (!newest && m_rolloutAsked.inference && !m_rolloutAsked.inference->maps.layers.empty())
          startRollout();
      });
}

void AnalysisBridge::requestSimilarity(std::shared_ptr<const InferenceResult> inference, int head) {
  if (inference == m_similarityAsked.inference && head == m_similarityAsked.head &&
      (m_comparingNow || m_similarity || !inference))
    return;
  m_similarityAsked = {};
  m_similarityAsked.inference = std::move(inference);
  m_similarityAsked.head = head;
  if (!m_similarityAsked.inference || m_similarityAsked.inference->maps.layers.empty()) {
    m_similarity.reset();
    Q_EMIT similarityReady();
  } else if (const auto& recorded = m_document->recorded().view();
             recorded && recorded->inference == m_similarityAsked.inference && !recorded->whole) {
    SimilarityResult result = m_similarityAsked;
    result.error =
        tr("The run recorded only some rows of its maps; comparing layers needs all of them.");
    m_similarity = std::make_shared<const SimilarityResult>(std::move(result));
    Q_EMIT similarityReady();
  } else if (!m_comparingNow) {
    startSimilarity();
  }
}

void AnalysisBridge::startSimilarity() {
  m_comparingNow = true;
  m_comparing.run<SimilarityResult>(
      [asked = m_similarityAsked](std::stop_token) { return workOutSimilarity(asked); },
      [this](SimilarityResult result) {
        m_comparingNow = false;
        const bool newest = result.inference == m_similarityAsked.inference &&
                            result.head == m_similarityAsked.head;
        if (newest) {
          m_similarity = std::make_shared<const SimilarityResult>(std::move(result));
          Q_EMIT similarityReady();
        } else if (m_similarityAsked.inference &&
                   !m_similarityAsked.inference->maps.layers.empty()) {
          startSimilarity();
        }
      });
}

}  // namespace headlight
