// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/SegmentEvaluation.h"

#include <algorithm>
#include <cstdio>

#include "app/cli/reports/EvaluationText.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight::cli {
namespace {

Json measureJson(double measure) {
  return measure == kNoAgreement ? Json() : Json(measure);
}

/// "  28.71 %"; a hyphen where nothing counts.
std::string measureText(double measure) {
  char text[16];
  std::snprintf(text, sizeof text, "%7.2f %%", 100 * measure);
  return measure == kNoAgreement ? "        -" : text;
}

std::string measureCell(double measure) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", measure);
  return measure == kNoAgreement ? "" : text;
}

bool counts(const SegmentAgreement& agreement) {
  return agreement.truth > 0 || agreement.predicted > 0;
}

void printSegmentClasses(const SegmentReport& report, Terminal& terminal) {
  std::size_t width = 5;
  for (const SegmentAgreement& agreement : report.classes)
    width = std::max(width, agreement.name.size());
  terminal.print(tr("class") + std::string(width - 5, ' ') +
                 tr("  true pixels       IoU  accuracy"));
  for (const SegmentAgreement& agreement : report.classes) {
    if (!counts(agreement)) continue;
    char pixels[24];
    std::snprintf(pixels, sizeof pixels, "  %11lld ", static_cast<long long>(agreement.truth));
    terminal.print(agreement.name + std::string(width - agreement.name.size(), ' ') + pixels +
                   measureText(agreement.iou) + " " + measureText(agreement.accuracy));
  }
}

}  // namespace

Json segmentReportJson(const SegmentReport& report) {
  Json classes = Json::array();
  for (std::size_t i = 0; i < report.classes.size(); ++i) {
    const SegmentAgreement& agreement = report.classes[i];
    classes.push_back({{"index", i},
                       {"name", agreement.name},
                       {"truth", agreement.truth},
                       {"predicted", agreement.predicted},
                       {"iou", measureJson(agreement.iou)},
                       {"accuracy", measureJson(agreement.accuracy)}});
  }
  return {{"images", report.images},
          {"pixels", report.pixels},
          {"miou", measureJson(report.miou)},
          {"macc", measureJson(report.macc)},
          {"pacc", measureJson(report.pacc)},
          {"classes", classes},
          {"class_match", classMatchJson(report.classMatch)},
          {"images_per_second", report.imagesPerSecond},
          {"skipped", report.skipped}};
}

void printSegmentReport(const SegmentReport& report, bool classes, Terminal& terminal) {
  char speed[48];
  std::snprintf(speed, sizeof speed, tr("  %.1f images/s"), report.imagesPerSecond);
  terminal.print(countText(report.images, tr("image"), tr("images")) + "  mIoU" +
                 measureText(report.miou) + "  mAcc" + measureText(report.macc) + "  pAcc" +
                 measureText(report.pacc) + speed);
  if (classes) printSegmentClasses(report, terminal);
}

std::string segmentReportCsv(const SegmentReport& report) {
  std::string text = "class,name,truth,predicted,iou,accuracy\n";
  for (std::size_t i = 0; i < report.classes.size(); ++i) {
    const SegmentAgreement& agreement = report.classes[i];
    text += std::to_string(i) + "," + csvQuoted(agreement.name) + "," +
            std::to_string(agreement.truth) + "," + std::to_string(agreement.predicted) + "," +
            measureCell(agreement.iou) + "," + measureCell(agreement.accuracy) + "\n";
  }
  return text;
}

}  // namespace headlight::cli
