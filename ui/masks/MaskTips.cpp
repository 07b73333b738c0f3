// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/MaskTips.h"

#include <QObject>

#include "core/workbench/training/TrainingSession.h"
#include "ui/document/Document.h"
#include "ui/document/MaskText.h"

namespace headlight {
namespace {

QString alphaTip(const Document& document, const HeadPlace& cell) {
  if (const auto& recorded = document.recorded()) {
    QString text = QObject::tr("\nAs recorded at training step %1.").arg(recorded->step);
    if (const auto alpha = document.recordedAlpha(cell.layer, cell.head))
      text += QObject::tr(" Its α was %1.").arg(*alpha, 0, 'f', 3);
    return text;
  }
  const auto alpha = document.alpha(cell.layer, cell.head);
  if (!alpha) return {};
  return QObject::tr("\nIts α is %1 now; it began at %2.")
      .arg(*alpha, 0, 'f', 3)
      .arg(document.masks().at(cell.layer, cell.head).alpha, 0, 'g', 4);
}

QString localityTip(const Document& document, const HeadPlace& cell) {
  if (document.numbers().measure != HeadMetric::Locality || document.numbers().averaged) {
    const auto number = document.number(cell.layer, cell.head);
    if (!number) return {};
    const auto chance = document.numberChance(cell.layer);
    return QStringLiteral("\n%1: %2")
               .arg(document.describeNumbers(), document.numberText(*number)) +
           (chance ? QObject::tr(" (uniform attention: %1)").arg(document.numberText(*chance))
                   : QString());
  }
  const auto locality = document.locality(cell.layer, cell.head);
  if (!locality) return {};
  const QString score = QObject::tr("\nLocality score (ALS) %1: ").arg(*locality, 0, 'f', 2);
  // A sum of signed values is no share of anything.
  if (document.model().mapIsSigned)
    return score + QObject::tr(
                       "the sum of this signed map over each patch token's own 3×3 "
                       "neighbourhood, averaged.");
  return score +
         QObject::tr("%1 % of what its patch tokens look at lies in their own 3×3 neighbourhood.")
             .arg(*locality * 100, 0, 'f', 0);
}

}  // namespace

QString cellTip(const Document& document, const HeadPlace& cell) {
  const MaskScheme& scheme = document.shownMasks();
  const HeadMask& mask = scheme.at(cell.layer, cell.head);
  QString text = QObject::tr("Layer %1, head %2: ").arg(cell.layer).arg(cell.head);
  text += cell.layer < scheme.maskableLayers()
              ? QObject::tr("%1. %2").arg(maskText(mask), maskKindHelp(mask.kind))
              : whyNotMaskableText(scheme) + QLatin1Char('.');
  if (const QString reason = document.maskReason(cell); !reason.isEmpty())
    text += QObject::tr("\nFound by search: %1.").arg(reason);
  return text + alphaTip(document, cell) + localityTip(document, cell);
}

QString placeTip(const Document& document, const MatrixPlace& place, const HeadMask& brush) {
  using Part = MatrixPlace::Part;
  const MaskScheme& scheme = document.masks();
  const QString paint = maskText(brush), why = whyNotMaskableText(scheme);
  const bool some = !why.isEmpty() && scheme.maskableLayers() > 0;
  const bool maskable = place.layer < scheme.maskableLayers();
  if (place.part == Part::Nothing) return {};
  if (place.part == Part::Cell) {
    QString tip = cellTip(document, {place.layer, place.head});
    if (!maskable) return tip;
    return tip + QObject::tr(
                     "\nClick or drag: %1; again: no mask. Shift extends the selection, "
                     "Ctrl adds to it.")
                     .arg(paint);
  }
  if (!why.isEmpty() && !some) return QObject::tr("No head can be masked: %1.").arg(why);
  if (place.part == Part::Row && !maskable)
    return QObject::tr("Layer %1: %2.").arg(place.layer).arg(why);
  if (place.part == Part::Row)
    return QObject::tr("Layer %1. Click: %2 on all its heads; again: no mask.")
        .arg(place.layer)
        .arg(paint);
  const QString those = some ? QObject::tr(" that can be masked") : QString();
  if (place.part == Part::Column)
    return QObject::tr("Head %1. Click: %2 on it in every layer%3; again: no mask.")
        .arg(place.head)
        .arg(paint, those);
  return QObject::tr("Click: %1 on every head%2; again: no mask.").arg(paint, those);
}

}  // namespace headlight
