// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tour/TourStep.h"

#include <QDockWidget>
#include <QFileInfo>
#include <QToolButton>

#include "ui/bridge/TrainingBridge.h"
#include "ui/canvas/ImageView.h"
#include "ui/compare/CompareView.h"
#include "ui/compare/SideChooser.h"
#include "ui/document/Document.h"
#include "ui/masks/MaskMatrix.h"
#include "ui/tour/TourTexts.h"
#include "ui/workspace/Docks.h"
#include "ui/workspace/ImageTabs.h"

namespace headlight {
namespace {

QRect wholeWidget(QWidget* widget) {
  return widget->rect();
}

/// The brightest patch, else the image.
QRect brightestRect(const Document& document, const ImageView& view) {
  const auto brightest = findBrightest(document);
  const Grid grid = view.shownGrid();
  const bool shown =
      brightest && grid.rows == brightest->grid.rows && grid.cols == brightest->grid.cols;
  const QRectF rect = shown ? view.patchRect(brightest->patch) : view.regionRect();
  return (rect & view.imageArea()).toAlignedRect();
}

TourStep makeTokenStep(const TourParts& parts) {
  const auto view = [tabs = parts.tabs]() -> QWidget* { return tabs->image(); };
  return {QStringLiteral("token"),
          QObject::tr("Where a token looks"),
          Workspace::Look,
          QStringLiteral("canvas"),
          nullptr,
          view,
          [document = parts.document](QWidget* widget) {
            const auto* image = qobject_cast<ImageView*>(widget);
            return image ? brightestRect(*document, *image) : QRect();
          },
          [view] { return QList<QWidget*>{view()}; },
          [document = parts.document] { return tokenStepText(*document); }};
}

TourStep makeHeadsStep(const TourParts& parts) {
  return {QStringLiteral("heads"),
          QObject::tr("All heads at once"),
          Workspace::Look,
          QStringLiteral("canvas"),
          parts.docks->heads(),
          [dock = parts.docks->heads()] { return dock->widget(); },
          wholeWidget,
          {},
          [document = parts.document] { return headsStepText(*document); }};
}

TourStep makeMasksStep(const TourParts& parts) {
  const Docks* docks = parts.docks;
  return {QStringLiteral("masks"),
          QObject::tr("Mask heads"),
          Workspace::Mask,
          QStringLiteral("canvas"),
          docks->masks(),
          [docks]() -> QWidget* { return docks->masks()->findChild<MaskMatrix*>(); },
          wholeWidget,
          [docks] {
            return QList<QWidget*>{docks->prediction(), docks->masks()};
          },
          [document = parts.document] { return masksStepText(*document); }};
}

/// The button of a command that is shown within `place`, else the place.
QWidget* findButton(QWidget* place, const QString& command) {
  for (auto* button : place->findChildren<QToolButton*>())
    if (button->isVisible() && button->defaultAction() &&
        button->defaultAction()->objectName() == command)
      return button;
  return place;
}

QString runName(const TrainingBridge& training) {
  return training.isRunning() ? QFileInfo(training.folder()).fileName() : QString();
}

TourStep makeTrainStep(const TourParts& parts) {
  return {QStringLiteral("train"),
          QObject::tr("Train under these masks"),
          Workspace::Train,
          QStringLiteral("canvas"),
          parts.docks->training(),
          [dock = parts.docks->training()] {
            return findButton(dock->widget(), QStringLiteral("train.start"));
          },
          wholeWidget,
          {},
          [document = parts.document, training = parts.training] {
            return trainStepText(*document, runName(*training));
          }};
}

TourStep makeCompareStep(const TourParts& parts) {
  CompareSides* sides = parts.tabs->compare()->sides();
  return {QStringLiteral("compare"),
          QObject::tr("Compare"),
          Workspace::Compare,
          QStringLiteral("compare"),
          nullptr,
          [sides]() -> QWidget* { return sides; },
          [](QWidget* widget) {
            QRect row;
            for (const auto* chooser : widget->findChildren<SideChooser*>())
              row |= QRect(chooser->mapTo(widget, QPoint()), chooser->size());
            return row;
          },
          {},
          [sides] { return compareStepText(sides->left(), sides->right()); }};
}

}  // namespace

std::vector<TourStep> makeTourSteps(const TourParts& parts) {
  return {makeTokenStep(parts), makeHeadsStep(parts), makeMasksStep(parts), makeTrainStep(parts),
          makeCompareStep(parts)};
}

}  // namespace headlight
