// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Measures what the document wants to show of every head, in the background, whenever image,
// weights or masks change.

#include <functional>

#include "ui/bridge/MeasureBridge.h"
#include "ui/document/DisplayedHeadNumbers.h"

namespace headlight {

class HeadValuesBridge : public MeasureBridge {
  Q_OBJECT
 public:
  HeadValuesBridge(Document* document, ModelWorker* inference, QObject* parent = nullptr);

  /// The images of the averages; nothing: there are none.
  void setSample(const std::optional<ImageSample>& sample);
  void choose(HeadMetric measure, bool averaged);

 private:
  using Measured = Result<HeadValues>;
  void onInference();
  void restart() override;
  void measure() override;
  std::function<Measured(std::stop_token)> job();
};

}  // namespace headlight
