// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/ReadingChoice.h"

#include <QCoreApplication>

#include "ui/base/CoreText.h"
#include "ui/plots/ReadingsPlot.h"

namespace headlight {
namespace {

/// In words, where there are any; else as the mechanism calls it.
QString readingTitle(const std::string& reading) {
  if (reading == "nonzeros") return ReadingsPlot::tr("nonzeros, fraction of the auxiliary mask");
  if (reading == "epsilon") return ReadingsPlot::tr("epsilon, threshold of the auxiliary mask");
  return coreText(reading);
}

}  // namespace

QString readingChoiceText(const ReadingChoice& choice) {
  switch (choice.kind) {
    case ReadingChoice::Kind::Fits:
      return ReadingsPlot::tr("mask fit: mean squared error of ABᵀ, by step of Algorithm 1");
    case ReadingChoice::Kind::Alpha:
      return choice.layer < 0 ? ReadingsPlot::tr("α by layer, mean of its soft heads")
                              : ReadingsPlot::tr("α, layer %1 by head").arg(choice.layer);
    case ReadingChoice::Kind::Reading:
      break;
  }
  return readingTitle(choice.reading);
}

QString readingChoiceTip(const ReadingChoice& choice) {
  switch (choice.kind) {
    case ReadingChoice::Kind::Fits:
      return ReadingsPlot::tr(
          "How close the product of the sub-masks came to the initial filter of learned masks "
          "before training (IBiT's Algorithm 1).");
    case ReadingChoice::Kind::Alpha:
      return ReadingsPlot::tr(
          "α, the learned factor of logits outside the window of a soft mask: 0 is a hard mask, 1 "
          "none. Dotted lines: mask edits.");
    case ReadingChoice::Kind::Reading:
      break;
  }
  return ReadingsPlot::tr(
             "%1: one line per layer, measured on the probe images. Dotted lines: mask edits.")
      .arg(readingChoiceText(choice));
}

}  // namespace headlight
