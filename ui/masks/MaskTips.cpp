// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/MaskTips.h"

#include <QObject>

#include "core/workbench/session/MaskSight.h"
#include "core/workbench/training/TrainingSession.h"
#include "ui/base/CoreText.h"
#include "ui/document/Document.h"
#include "ui/document/MaskText.h"

namespace headlight {
namespace {

QString alphaTip(const Document& document, const HeadPlace& cell) {
  if (const auto& recorded = document.recorded().point()) {
    QString text = QObject::tr("\nAs recorded at training step %1.").arg(recorded->step);
    if (const auto alpha = document.recorded().alpha(cell.layer, cell.head))
      text += QObject::tr(" Its α was %1.").arg(*alpha, 0, 'f', 3);
    return text;
  }
  const auto alpha = document.numbers().alpha(cell.layer, cell.head);
  if (!alpha) return {};
  return QObject::tr("\nIts α is now %1; it started at %2.")
      .arg(*alpha, 0, 'f', 3)
      .arg(document.inputs().masks().at(cell.layer, cell.head).alpha, 0, 'g', 4);
}

QString localityTip(const Document& document, const HeadPlace& cell) {
  if (document.numbers().heads().measure != HeadMetric::Locality ||
      document.numbers().heads().averaged) {
    const auto number = document.numbers().value(cell.layer, cell.head);
    if (!number) return {};
    const auto chance = document.numbers().chance(cell.layer);
    return QStringLiteral("\n%1: %2")
               .arg(document.numbers().describe(), document.numbers().text(*number)) +
           (chance ? QObject::tr(" (uniform attention: %1)").arg(document.numbers().text(*chance))
                   : QString());
  }
  const auto locality = document.numbers().locality(cell.layer, cell.head);
  if (!locality) return {};
  const QString score = QObject::tr("\nLocality score (ALS) %1: ").arg(*locality, 0, 'f', 2);
  // A sum of signed values is no share of anything.
  if (document.inputs().model().mapIsSigned)
    return score + QObject::tr(
                       "the sum of this signed map over each patch token's own 3×3 "
                       "neighborhood, averaged.");
  return score +
         QObject::tr(
             "%1 % of the attention of its patch tokens lies in their own 3×3 neighborhood.")
             .arg(*locality * 100, 0, 'f', 0);
}

}  // namespace

QString cellTip(const Document& document, const HeadPlace& cell) {
  const MaskScheme& scheme = document.recorded().shownMasks();
  const HeadMask& mask = scheme.at(cell.layer, cell.head);
  QString text = QObject::tr("Layer %1, head %2: ").arg(cell.layer).arg(cell.head);
  text += cell.layer < scheme.maskableLayers()
              ? QObject::tr("%1. %2").arg(maskText(mask), maskKindHelp(mask.kind))
              : whyNotMaskableText(scheme) + QLatin1Char('.');
  if (const std::string why =
          whyNoMaskEffect(document.inputs().model().experiment.model, cell.layer);
      !why.empty() && cell.layer < scheme.maskableLayers())
    text += QObject::tr("\nNo effect on the prediction: %1.").arg(coreText(why));
  if (const QString reason = document.inputs().maskReason(cell); !reason.isEmpty())
    text += QObject::tr("\nFound by search: %1.").arg(reason);
  return text + alphaTip(document, cell) + localityTip(document, cell);
}

QString placeTip(const Document& document, const MatrixPlace& place, const HeadMask& brush) {
  using Part = MatrixPlace::Part;
  const MaskScheme& scheme = document.inputs().masks();
  const QString paint = maskText(brush), why = whyNotMaskableText(scheme);
  const bool some = !why.isEmpty() && scheme.maskableLayers() > 0;
  const bool maskable = place.layer < scheme.maskableLayers();
  const bool paints = document.view().options().paintsOnClick;
  if (place.part == Part::Nothing) return {};
  if (place.part == Part::Cell) {
    QString tip = cellTip(document, {place.layer, place.head});
    if (!maskable) return tip;
    return tip + (paints ? QObject::tr("\nClick or drag: %1; again: no mask. Shift extends the "
                                       "selection, Ctrl adds to it.")
                         : QObject::tr("\nClick: show this head. Drag, or Space: %1; again: no "
                                       "mask. Shift extends the selection, Ctrl adds to it."))
                     .arg(paint);
  }
  if (!why.isEmpty() && !some) return QObject::tr("No head can be masked: %1.").arg(why);
  if (place.part == Part::Row && !maskable)
    return QObject::tr("Layer %1: %2.").arg(place.layer).arg(why);
  if (place.part == Part::Row)
    return (paints ? QObject::tr("Layer %1. Click: %2 on all its heads; again: no mask.")
                   : QObject::tr("Layer %1. Click: select its heads and show their mean. Drag "
                                 "over layers: %2; again: no mask."))
        .arg(place.layer)
        .arg(paint);
  const QString those = some ? QObject::tr(" that can be masked") : QString();
  if (place.part == Part::Column)
    return (paints ? QObject::tr("Head %1. Click: %2 on it in every layer%3; again: no mask.")
                   : QObject::tr("Head %1. Click: select it in every layer and show it. Drag over "
                                 "heads: %2%3; again: no mask."))
        .arg(place.head)
        .arg(paint, those);
  return (paints ? QObject::tr("Click: %1 on every head%2; again: no mask.")
                 : QObject::tr("Click: select every head. Space: %1 on all of them%2; again: no "
                               "mask."))
      .arg(paint, those);
}

}  // namespace headlight
