// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Analyses and image scaling that would hold up the window, done beside it. Of requests that wait
// only the newest counts; one analysis of a kind runs at a time, because none can be stopped
// midway.

#include <QImage>
#include <QObject>

#include <memory>
#include <stop_token>
#include <vector>

#include "ui/base/BackgroundTask.h"
#include "ui/document/Document.h"

namespace headlight {

/// The image at 1, 1/2, 1/4 … of its size, for painting at any zoom without aliasing.
struct ImagePyramid {
  std::vector<QImage> levels;  ///< 0: full size. Empty: no image
  int width = 0;               ///< of the original
  int height = 0;
  /// The smallest level that has at least one pixel for each of `scale` times the original.
  const QImage& levelFor(double scale) const;
};
ImagePyramid makePyramid(const Image& image, std::stop_token stop = {});

struct RolloutResult {
  std::shared_ptr<const InferenceResult> inference;
  RolloutOptions options;  ///< as asked for
  RolloutOptions shown;    ///< as it is: recorded ones are of the mean of heads, nothing dropped
  Grid grid;
  std::vector<float> values;  ///< [rows × cols]; empty on error
  QString error;
};

struct SimilarityResult {
  std::shared_ptr<const InferenceResult> inference;
  int head = 0;  ///< −1: mean over heads
  int layers = 0;
  std::vector<float> values;  ///< [L × L]; empty on error
  QString error;
};
/// One per Document, shared by its widgets. Lives in the window's thread; results arrive there.
class AnalysisBridge : public QObject {
  Q_OBJECT
 public:
  static AnalysisBridge* of(Document* document);
  ~AnalysisBridge() override;

  /// The Document's image that is shown. A coarse one stands in until a large image's is ready.
  const ImagePyramid& pyramid() const { return m_pyramid; }

  /// The newest results; null until there is one. `inference` says what they belong to.
  std::shared_ptr<const RolloutResult> rollout() const { return m_rollout; }
  std::shared_ptr<const SimilarityResult> similarity() const { return m_similarity; }
  /// Asked twice for the same, works once.
  void requestRollout(std::shared_ptr<const InferenceResult> inference,
                      const RolloutOptions& options);
  void requestSimilarity(std::shared_ptr<const InferenceResult> inference, int head);

 Q_SIGNALS:
  void pyramidChanged();
  void rolloutReady();
  void similarityReady();

 private:
  explicit AnalysisBridge(Document* document);
  void imageChanged();
  void startRollout();
  void startSimilarity();

  Document* m_document;
  ImagePyramid m_pyramid;
  std::shared_ptr<const RolloutResult> m_rollout;
  std::shared_ptr<const SimilarityResult> m_similarity;
  RolloutResult m_rolloutAsked;  ///< the newest request, done or not
  SimilarityResult m_similarityAsked;
  bool m_rollingNow = false, m_comparingNow = false;
  BackgroundTask m_scaling, m_rolling, m_comparing;
};

}  // namespace headlight
