// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/MaskMenu.h"

#include <QMenu>

#include <algorithm>

#include "ui/document/Document.h"
#include "ui/document/MaskText.h"
#include "ui/masks/MaskAppearance.h"
#include "ui/masks/MaskMatrix.h"

namespace headlight {
namespace {

constexpr MaskKind kKinds[] = {MaskKind::None,   MaskKind::Hard,   MaskKind::Soft,
                               MaskKind::Strict, MaskKind::Random, MaskKind::Decay};
constexpr int kWindows[] = {1, 3, 5, 7, 9, 11, 13};

void addWhyNot(QMenu* menu, const MaskScheme& scheme) {
  QString why = whyNotMaskableText(scheme);
  why[0] = why[0].toUpper();
  menu->addAction(why)->setEnabled(false);
}

void addKinds(QMenu* menu, MaskMatrix* matrix) {
  for (const MaskKind kind : kKinds) {
    HeadMask shown = matrix->brush();
    shown.kind = kind;
    if (kind == MaskKind::Random) shown.region = {};
    const QString text = kind == MaskKind::None ? QObject::tr("No mask") : maskText(shown);
    QAction* action = menu->addAction(
        maskSwatch(kind, matrix->palette()), QObject::tr("%1\t%2").arg(text, maskLetter(kind)),
        matrix,
        [matrix, kind] { matrix->edits().setKind(matrix->selection(), kind, matrix->brush()); });
    action->setObjectName(
        QStringLiteral("maskMenu.%1").arg(QString::fromStdString(maskKindName(kind))));
  }
}

void addWindows(QMenu* menu, MaskMatrix* matrix) {
  QMenu* windows = menu->addMenu(QObject::tr("Window"));
  for (const int window : kWindows)
    windows->addAction(QObject::tr("%1×%1").arg(window), matrix, [matrix, window] {
      matrix->edits().setWindow(matrix->selection(), window);
    });
}

void addReset(QMenu* menu, MaskMatrix* matrix, const MaskScheme& scheme) {
  const auto selected = matrix->selection();
  const bool soft = std::any_of(selected.begin(), selected.end(), [&](const HeadPlace& cell) {
    return scheme.at(cell.layer, cell.head).kind == MaskKind::Soft;
  });
  QAction* reset =
      menu->addAction(QObject::tr("Reset learned α"), matrix, &MaskMatrix::resetAlphas);
  reset->setObjectName(QStringLiteral("maskMenu.resetAlpha"));
  reset->setEnabled(soft);
}

void addCurrent(QMenu* menu, MaskMatrix* matrix, Document* document, const HeadPlace& cell) {
  if (matrix->edits().isMaskable(cell))
    menu->addAction(QObject::tr("Use as the brush"), matrix, [matrix, document, cell] {
      matrix->setBrush(document->inputs().masks().at(cell.layer, cell.head));
    });
  menu->addAction(QObject::tr("Show this head in the image"), matrix, [document, cell] {
    document->view().change([&](ViewOptions& view) {
      view.layer = cell.layer;
      view.head = cell.head;
    });
  });
  menu->addSeparator();
  menu->addAction(QObject::tr("Select layer %1").arg(cell.layer), matrix,
                  [matrix, cell] { matrix->selectPlace(MatrixPlace::row(cell.layer)); });
  menu->addAction(QObject::tr("Select head %1 of every layer").arg(cell.head), matrix,
                  [matrix, cell] { matrix->selectPlace(MatrixPlace::column(cell.head)); });
}

}  // namespace

void fillMaskMenu(QMenu* menu, MaskMatrix* matrix, Document* document) {
  const MaskScheme& scheme = document->inputs().masks();
  menu->addSection(cellsText(scheme, matrix->selection()));
  if (matrix->edits().keepMaskable(matrix->selection()).empty()) {
    addWhyNot(menu, scheme);
  } else {
    addKinds(menu, matrix);
    addWindows(menu, matrix);
    addReset(menu, matrix, scheme);
  }
  menu->addSeparator();
  if (const auto current = matrix->current()) addCurrent(menu, matrix, document, *current);
  menu->addAction(QObject::tr("Select all\tCtrl+A"), matrix, &MaskMatrix::selectAll);
}

}  // namespace headlight
