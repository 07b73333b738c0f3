// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/DisplayedHeadNumbers.h"

#include <cmath>

#include "ui/base/CoreText.h"

namespace headlight {

QString headNumberText(const HeadMeasureInfo& info, double value) {
  const bool coarse = std::abs(value) >= 10;
  const bool fine = value != 0 && std::abs(value) < 0.01;
  QString text =
      fine ? QString::number(value, 'g', 2) : QString::number(value, 'f', coarse ? 0 : 2);
  text.replace(QLatin1Char('-'), QStringLiteral("−"));
  return info.unit.empty() ? text : text + QLatin1Char(' ') + coreText(info.unit);
}

}  // namespace headlight
