// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// TensorBoard's events as messages (TensorFlow, core/util/event.proto and
// core/framework/summary.proto).

#include <cstdint>
#include <string>
#include <vector>

#include "core/training/tensorboard/Protobuf.h"

namespace headlight {

/// An image that a run shows.
struct EventImage {
  std::string tag;
  std::string description;  ///< what it shows, in words
  int width = 0, height = 0;
  std::string png;
};

/// The values of one step, under their tags.
class EventSummary {
 public:
  /// What is no finite number is left out.
  void scalar(const std::string& tag, double value);
  /// Counts finite values, in kHistogramBins bins of equal width; omitted if there are none.
  void histogram(const std::string& tag, const std::vector<float>& values);
  void image(const EventImage& image);

  bool empty() const { return m_summary.wire().empty(); }
  /// The event that says all this of `step`, now.
  std::string event(std::int64_t step) const;

  static constexpr int kHistogramBins = 30;  ///< as many as TensorBoard draws

 private:
  ProtoMessage m_summary;
};

/// The first event of a file.
std::string versionEvent();
/// Follows it. Readers forget what earlier files of the run say of `step` and of later ones, but
/// take the first such event that they meet for the beginning of the run: every file needs one.
std::string startEvent(std::int64_t step);

}  // namespace headlight
