// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Measures how alike layers look on the dataset that masks are measured on, in the background,
// where the document is to show that, and anew when weights or masks change.

#include "ui/bridge/MeasureBridge.h"

namespace headlight {

class SimilarityBridge : public MeasureBridge {
  Q_OBJECT
 public:
  SimilarityBridge(Document* document, ModelWorker* inference, QObject* parent = nullptr);

  /// The images of the averages; nothing: there are none.
  void setSample(const std::optional<ImageSample>& sample);
  /// Over the dataset, where there is one, or of the image again, which also cancels.
  void average(bool on);

 private:
  using Measured = Result<LayerSimilarity>;
  void onInference();
  void restart() override;
  void measure() override;
  void take(const Measured& measured);

  std::uint64_t m_weights = 0;  ///< that were seen last
};

}  // namespace headlight
