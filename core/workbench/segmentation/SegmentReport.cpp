// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/segmentation/SegmentReport.h"

#include "core/base/Result.h"
#include "core/base/Translation.h"
#include "core/workbench/session/Objects.h"

namespace headlight {
namespace {

/// A class that does not occur has no accuracy, but an IoU of 0 where it was found.
SegmentAgreement agreementOf(const SegmentMeasures& measures, std::size_t index,
                             std::int64_t right) {
  SegmentAgreement agreement;
  agreement.right = right;
  agreement.truth = measures.truth[index];
  agreement.predicted = measures.predicted[index];
  agreement.iou = measures.iou[index].value_or(agreement.predicted > 0 ? 0 : kNoAgreement);
  agreement.accuracy = measures.accuracy[index].value_or(kNoAgreement);
  return agreement;
}

/// A class that the model does not have is unknown.
ClassImage knownClasses(ClassImage truth, int classes) {
  for (std::uint8_t& label : truth.classes)
    if (label >= classes) label = kIgnoredClass;
  return truth;
}

}  // namespace

SegmentCounts::SegmentCounts(int classes) : m_confusion(classes, Unpredicted::Count) {}

void SegmentCounts::add(const ClassImage& truth, const ClassImage& predicted) {
  if (truth.width != predicted.width || truth.height != predicted.height)
    throw Failure({ErrorCode::Internal, tr("the true and the found classes differ in size"), ""});
  m_confusion.add(knownClasses(truth, classes()), predicted);
}

SegmentReport measureSegments(const SegmentCounts& counts, const std::vector<std::string>& names) {
  const SegmentMeasures measures = counts.measures();
  SegmentReport report;
  for (int index = 0; index < counts.classes(); ++index) {
    const auto at = static_cast<std::size_t>(index);
    report.classes.push_back(agreementOf(measures, at, counts.at(index, index)));
    report.classes.back().name = objectName(names, at);
  }
  report.pixels = measures.pixels;
  report.miou = measures.miou;
  report.macc = measures.macc;
  report.pacc = measures.pacc;
  return report;
}

}  // namespace headlight
