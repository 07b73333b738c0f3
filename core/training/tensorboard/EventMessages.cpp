// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/tensorboard/EventMessages.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace headlight {
namespace {

// Numbers of the fields, by message.
namespace event_field {
constexpr int kWallTime = 1, kStep = 2, kVersion = 3, kSummary = 5, kSession = 7;
}
namespace session_field {
constexpr int kStatus = 1;
constexpr std::int64_t kStart = 1;  // a value of the status
}  // namespace session_field
namespace summary_field {
constexpr int kValue = 1;
}
namespace value_field {
constexpr int kTag = 1, kNumber = 2, kImage = 4, kHistogram = 5, kMetadata = 9;
}
namespace metadata_field {
constexpr int kPlugin = 1, kDescription = 3;
}
namespace plugin_field {
constexpr int kName = 1;
}
namespace image_field {
constexpr int kHeight = 1, kWidth = 2, kColors = 3, kPng = 4;
constexpr std::int64_t kRgb = 3;  // a value of the colors
}  // namespace image_field
namespace histogram_field {
constexpr int kLeast = 1, kGreatest = 2, kCount = 3, kSum = 4, kSquares = 5, kLimits = 6,
              kCounts = 7;
}

/// Before everything else of an event: its time in seconds, and its step.
ProtoMessage eventOf(std::int64_t step) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  ProtoMessage event;
  event.real(event_field::kWallTime, std::chrono::duration<double>(now).count());
  event.integer(event_field::kStep, step);
  return event;
}

ProtoMessage tagged(const std::string& tag) {
  ProtoMessage value;
  value.bytes(value_field::kTag, tag);
  return value;
}

std::vector<double> finiteOf(const std::vector<float>& values) {
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite),
               [](float value) { return std::isfinite(value); });
  return finite;
}

/// The right ends of the bins between `least` and `greatest`, and how many values lie in each.
struct Bins {
  std::vector<double> limits, counts;
};

Bins binsOf(const std::vector<double>& values, double least, double greatest) {
  const int bins = greatest > least ? EventSummary::kHistogramBins : 1;
  const double width = (greatest - least) / bins;
  Bins result{{}, std::vector<double>(static_cast<std::size_t>(bins))};
  for (int bin = 1; bin < bins; ++bin)
    result.limits.push_back(least + bin * width);
  result.limits.push_back(greatest);
  for (const double value : values) {
    const int bin = width > 0 ? std::min(static_cast<int>((value - least) / width), bins - 1) : 0;
    ++result.counts[static_cast<std::size_t>(bin)];
  }
  return result;
}

}  // namespace

void EventSummary::scalar(const std::string& tag, double value) {
  if (!std::isfinite(value)) return;
  m_summary.message(summary_field::kValue,
                    tagged(tag).single(value_field::kNumber, static_cast<float>(value)));
}

void EventSummary::histogram(const std::string& tag, const std::vector<float>& values) {
  const std::vector<double> finite = finiteOf(values);
  if (finite.empty()) return;
  const auto [least, greatest] = std::minmax_element(finite.begin(), finite.end());
  const Bins bins = binsOf(finite, *least, *greatest);
  ProtoMessage histogram;
  histogram.real(histogram_field::kLeast, *least)
      .real(histogram_field::kGreatest, *greatest)
      .real(histogram_field::kCount, static_cast<double>(finite.size()))
      .real(histogram_field::kSum, std::accumulate(finite.begin(), finite.end(), 0.0))
      .real(histogram_field::kSquares,
            std::inner_product(finite.begin(), finite.end(), finite.begin(), 0.0))
      .reals(histogram_field::kLimits, bins.limits)
      .reals(histogram_field::kCounts, bins.counts);
  m_summary.message(summary_field::kValue, tagged(tag).message(value_field::kHistogram, histogram));
}

void EventSummary::image(const EventImage& image) {
  ProtoMessage encoded;
  encoded.integer(image_field::kHeight, image.height)
      .integer(image_field::kWidth, image.width)
      .integer(image_field::kColors, image_field::kRgb)
      .bytes(image_field::kPng, image.png);
  ProtoMessage metadata;
  metadata.message(metadata_field::kPlugin, ProtoMessage().bytes(plugin_field::kName, "images"))
      .bytes(metadata_field::kDescription, image.description);
  m_summary.message(summary_field::kValue, tagged(image.tag)
                                               .message(value_field::kImage, encoded)
                                               .message(value_field::kMetadata, metadata));
}

std::string EventSummary::event(std::int64_t step) const {
  return eventOf(step).message(event_field::kSummary, m_summary).wire();
}

std::string versionEvent() {
  return eventOf(0).bytes(event_field::kVersion, "brain.Event:2").wire();
}

std::string startEvent(std::int64_t step) {
  return eventOf(step)
      .message(event_field::kSession,
               ProtoMessage().integer(session_field::kStatus, session_field::kStart))
      .wire();
}

}  // namespace headlight
