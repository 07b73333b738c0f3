// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What TensorBoard shows of a run, beside its own logs (MetricsLog.h), which stay the complete
// record: a value that could not be written here is not tried again.
//   train/loss, …            a point every metrics_steps steps
//   validation/loss, …       one an epoch
//   als/mean, als/layer_3    ALS: its mean over all heads, and each layer's heads as a histogram
//   alpha/layer_3/head_1     α of soft masks
//   readings/NAME/layer_3    what a mechanism reports of itself
//   probe/…                  images
// Steps are those of metrics.jsonl. A run that goes on writes a file of its own, and readers drop
// what the files before say of the steps that it trains again. Of a run that was killed between a
// validation and the checkpoint after it, that validation stands there twice, with the same
// numbers.

#include <memory>
#include <vector>

#include "core/training/logs/MetricsLog.h"
#include "core/training/tensorboard/EventFile.h"
#include "core/training/tensorboard/EventMessages.h"

namespace headlight {

class EventLog {
 public:
  explicit EventLog(const OpenFolder& folder);

  /// To be called before the first event of a run that goes on: `step` is the first that it tells
  /// of, 0 where it begins again.
  void goOnFrom(std::int64_t step);

  Result<void> step(const StepMetrics& metrics);
  Result<void> epoch(const EpochPoint& point);
  Result<void> heads(const HeadPoint& point);
  Result<void> images(const std::vector<EventImage>& images, std::int64_t step);

 private:
  Result<void> write(const EventSummary& summary, std::int64_t step);

  OpenFolder m_folder;
  EventFile m_file;
};

}  // namespace headlight
