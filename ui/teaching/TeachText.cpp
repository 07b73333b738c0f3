// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/teaching/TeachText.h"

#include <QObject>

#include "ui/base/CoreText.h"

namespace headlight {
namespace {

QString scoreText(const AdaptScore& score) {
  return coreText(adaptScoreText(score));
}

QString percentText(const AdaptScore& score) {
  return QStringLiteral("%1 %").arg(100 * score.top1, 0, 'f', 1);
}

}  // namespace

QString taughtText(const AdaptReport& report) {
  const auto classes = static_cast<qlonglong>(report.classes.size());
  if (report.score.images == 0)
    return QObject::tr(
               "%1 classes were learned; no image was held out, so their accuracy is unknown.")
        .arg(classes);
  return QObject::tr("Linear probe: %1. k-NN: %2. Measured on %3 held-out images of %4 classes.")
      .arg(scoreText(report.score), scoreText(report.neighbors))
      .arg(report.score.images)
      .arg(classes);
}

QString editText(const AdaptReport& taught, const AdaptReport& edited, const QString& masks) {
  if (!edited.previous || edited.score.images == 0) return {};
  return QObject::tr("Masks “%1”: this probe %2 → %3; fitted again %4.")
      .arg(masks, percentText(taught.score), percentText(*edited.previous),
           percentText(edited.score));
}

}  // namespace headlight
