// MaskMatrix: the context menu, and what tooltips say.

#include <QContextMenuEvent>
#include <QMenu>

#include <algorithm>

#include "core/workbench/TrainingSession.h"
#include "ui/document/Document.h"
#include "ui/masks/MaskAppearance.h"
#include "ui/masks/MaskMatrix.h"

namespace headlight {
namespace {

const std::vector<MaskKind>& allKinds() {
  static const std::vector<MaskKind> kinds{MaskKind::None, MaskKind::Hard, MaskKind::Soft,
                                           MaskKind::Strict, MaskKind::Random};
  return kinds;
}

}  // namespace

void MaskMatrix::contextMenuEvent(QContextMenuEvent* event) {
  const bool byMouse = event->reason() == QContextMenuEvent::Mouse;
  const auto under = byMouse ? cellsOf(hitAt(event->pos())) : selection();
  if (under.empty()) return;
  if (!std::all_of(under.begin(), under.end(),
                   [&](const HeadCell& cell) { return m_selection.contains(cell); }))
    select(under);
  if (under.size() == 1) m_current = under.front();
  auto* menu = new QMenu(this);
  menu->setObjectName(QStringLiteral("maskMenu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  fillMenu(menu);
  menu->popup(byMouse || !m_current ? event->globalPos()
                                    : viewport()->mapToGlobal(cellRect(*m_current).center()));
}

void MaskMatrix::fillKinds(QMenu* menu) {
  const bool any = std::any_of(m_selection.begin(), m_selection.end(),
                               [&](const HeadCell& cell) { return isMaskable(cell); });
  if (!any) {
    QString why = whyNotMaskableText(m_document->masks());
    why[0] = why[0].toUpper();
    menu->addAction(why)->setEnabled(false);
    return;
  }
  for (const MaskKind kind : allKinds()) {
    HeadMask shown = m_brush;
    shown.kind = kind;
    QAction* action =
        menu->addAction(maskSwatch(kind, palette()),
                        tr("%1\t%2").arg(kind == MaskKind::None ? tr("No mask") : maskText(shown),
                                         maskLetter(kind)),
                        this, [this, kind] { setKindOfSelection(kind); });
    action->setObjectName(
        QStringLiteral("maskMenu.%1").arg(QString::fromStdString(maskKindName(kind))));
  }
  QMenu* windows = menu->addMenu(tr("Window"));
  for (const int window : {1, 3, 5, 7, 9, 11, 13})
    windows->addAction(tr("%1×%1").arg(window), this,
                       [this, window] { setWindowOfSelection(window); });
  const bool soft = std::any_of(m_selection.begin(), m_selection.end(), [&](const HeadCell& cell) {
    return m_document->masks().at(cell.first, cell.second).kind == MaskKind::Soft;
  });
  QAction* reset = menu->addAction(tr("Reset learned α"), this, &MaskMatrix::resetAlphas);
  reset->setObjectName(QStringLiteral("maskMenu.resetAlpha"));
  reset->setEnabled(soft);
}

void MaskMatrix::fillMenu(QMenu* menu) {
  menu->addSection(cellsText(m_document->masks(), selection()));
  fillKinds(menu);
  menu->addSeparator();
  if (m_current) {
    const auto [layer, head] = *m_current;
    if (isMaskable(*m_current))
      menu->addAction(tr("Use as the brush"), this, [this, layer = layer, head = head] {
        setBrush(m_document->masks().at(layer, head));
      });
    menu->addAction(tr("Show this head in the picture"), this, [this, layer = layer, head = head] {
      ViewOptions view = m_document->view();
      view.layer = layer;
      view.head = head;
      m_document->setView(view);
    });
    menu->addSeparator();
    menu->addAction(tr("Select layer %1").arg(layer), this, [this, layer = layer] {
      select(cellsOf({Part::RowHeader, layer, -1}));
    });
    menu->addAction(tr("Select head %1 of every layer").arg(head), this, [this, head = head] {
      select(cellsOf({Part::ColumnHeader, -1, head}));
    });
  }
  menu->addAction(tr("Select all\tCtrl+A"), this, &MaskMatrix::selectAll);
}

QString MaskMatrix::describeCell(const HeadCell& cell) const {
  const HeadMask& mask = m_document->masks().at(cell.first, cell.second);
  QString text = tr("Layer %1, head %2: ").arg(cell.first).arg(cell.second);
  text += isMaskable(cell) ? tr("%1. %2").arg(maskText(mask), maskKindHelp(mask.kind))
                           : whyNotMaskableText(m_document->masks()) + QLatin1Char('.');
  if (const auto& recorded = m_document->recorded()) {
    text += tr("\nAs recorded at training step %1.").arg(recorded->step);
    if (const auto alpha = m_document->recordedAlpha(cell.first, cell.second))
      text += tr(" Its α was %1.").arg(*alpha, 0, 'f', 3);
  } else if (const auto alpha = m_document->alpha(cell.first, cell.second)) {
    text +=
        tr("\nIts α is %1 now; it began at %2.").arg(*alpha, 0, 'f', 3).arg(mask.alpha, 0, 'g', 4);
  }
  if (const auto locality = m_document->locality(cell.first, cell.second)) {
    text += tr("\nLocality score (ALS) %1: ").arg(*locality, 0, 'f', 2);
    // A sum of signed values is no share of anything.
    text += m_document->model().mapIsSigned
                ? tr("the sum of this signed map over each patch token's own 3×3 neighbourhood, "
                     "averaged.")
                : tr("%1 % of what its patch tokens look at lies in their own 3×3 neighbourhood.")
                      .arg(*locality * 100, 0, 'f', 0);
  }
  return text;
}

QString MaskMatrix::describeHit(const Hit& hit) const {
  const QString brush = maskText(m_brush), why = whyNotMaskableText(m_document->masks());
  const bool some = !why.isEmpty() && m_document->masks().maskableLayers() > 0;
  if (!why.isEmpty() && !some && hit.part != Part::Cell && hit.part != Part::Nothing)
    return tr("No head can be masked: %1.").arg(why);
  switch (hit.part) {
    case Part::Cell:
      if (!isMaskable({hit.layer, 0})) return describeCell({hit.layer, hit.head});
      return describeCell({hit.layer, hit.head}) + tr("\nClick or drag: %1; again: no mask. Shift "
                                                      "extends the selection, Ctrl adds to it.")
                                                       .arg(brush);
    case Part::RowHeader:
      if (!isMaskable({hit.layer, 0})) return tr("Layer %1: %2.").arg(hit.layer).arg(why);
      return tr("Layer %1. Click: %2 on all its heads; again: no mask.").arg(hit.layer).arg(brush);
    case Part::ColumnHeader:
      return tr("Head %1. Click: %2 on it in every layer%3; again: no mask.")
          .arg(hit.head)
          .arg(brush, some ? tr(" that can be masked") : QString());
    case Part::Corner:
      return tr("Click: %1 on every head%2; again: no mask.")
          .arg(brush, some ? tr(" that can be masked") : QString());
    case Part::Nothing:
      break;
  }
  return {};
}

}  // namespace headlight
