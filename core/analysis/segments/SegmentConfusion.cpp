// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/segments/SegmentConfusion.h"

#include <algorithm>
#include <functional>
#include <string>

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

[[noreturn]] void refuseSegments(const std::string& message, const char* where) {
  throw Failure({ErrorCode::InvalidArgument, message, where});
}

void requireClassBelow(int label, int classes, const char* where) {
  if (label < classes) return;
  refuseSegments(tr("have the class ") + std::to_string(label) + tr(", but there are only ") +
                     std::to_string(classes),
                 where);
}

bool isImage(const ClassImage& image) {
  return image.width >= 0 && image.height >= 0 &&
         image.classes.size() ==
             static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
}

double share(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

double meanOf(const std::vector<std::optional<double>>& numbers) {
  double sum = 0;
  int count = 0;
  for (const auto& number : numbers)
    if (number) {
      sum += *number;
      ++count;
    }
  return count > 0 ? sum / count : kNoSegmentNumber;
}

}  // namespace

SegmentConfusion::SegmentConfusion(int classes, Unpredicted unpredicted)
    : m_classes(classes), m_columns(unpredicted == Unpredicted::Count ? classes + 1 : classes) {
  if (classes < 1 || classes > kMaxPixelClasses)
    refuseSegments(
        "is " + std::to_string(classes) + tr("; choose 1 to ") + std::to_string(kMaxPixelClasses),
        "classes");
  m_counts.resize(static_cast<std::size_t>(classes) * static_cast<std::size_t>(m_columns));
}

void SegmentConfusion::require(const ClassImage& truth, const ClassImage& predicted) const {
  if (truth.width != predicted.width || truth.height != predicted.height || !isImage(truth) ||
      !isImage(predicted))
    refuseSegments(tr("have another size than the truth"), "predicted segments");
  for (std::size_t i = 0; i < truth.classes.size(); ++i) {
    if (truth.classes[i] == kIgnoredClass) continue;
    requireClassBelow(truth.classes[i], m_classes, "true segments");
    if (m_columns == m_classes)
      requireClassBelow(predicted.classes[i], m_classes, "predicted segments");
  }
}

std::size_t SegmentConfusion::placeOf(int truth, int predicted) const {
  return static_cast<std::size_t>(truth) * static_cast<std::size_t>(m_columns) +
         static_cast<std::size_t>(predicted);
}

void SegmentConfusion::add(const ClassImage& truth, const ClassImage& predicted) {
  require(truth, predicted);
  for (std::size_t i = 0; i < truth.classes.size(); ++i)
    if (truth.classes[i] != kIgnoredClass)
      ++m_counts[placeOf(truth.classes[i], std::min<int>(predicted.classes[i], m_columns - 1))];
}

void SegmentConfusion::add(const std::vector<std::int64_t>& counts) {
  if (counts.size() != m_counts.size())
    refuseSegments(tr("are of another number of classes"), "counts");
  std::transform(counts.begin(), counts.end(), m_counts.begin(), m_counts.begin(), std::plus<>());
}

std::int64_t SegmentConfusion::at(int truth, int predicted) const {
  return m_counts.at(placeOf(truth, predicted));
}

SegmentMeasures SegmentConfusion::measures() const {
  SegmentMeasures found;
  std::int64_t right = 0;
  for (int k = 0; k < m_classes; ++k) {
    std::int64_t truth = 0, predicted = 0;
    for (int column = 0; column < m_columns; ++column)
      truth += at(k, column);
    for (int row = 0; row < m_classes; ++row)
      predicted += at(row, k);
    const std::int64_t both = at(k, k);
    found.truth.push_back(truth);
    found.predicted.push_back(predicted);
    const bool occurs = truth > 0;
    found.iou.push_back(occurs ? std::optional(share(both, truth + predicted - both))
                               : std::nullopt);
    found.accuracy.push_back(occurs ? std::optional(share(both, truth)) : std::nullopt);
    found.pixels += truth;
    right += both;
  }
  found.miou = meanOf(found.iou);
  found.macc = meanOf(found.accuracy);
  if (found.pixels > 0) found.pacc = share(right, found.pixels);
  return found;
}

}  // namespace headlight
