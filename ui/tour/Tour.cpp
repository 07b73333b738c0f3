// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tour/Tour.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QDockWidget>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMainWindow>

#include <utility>

#include "ui/base/Actions.h"
#include "ui/bridge/TrainingBridge.h"
#include "ui/document/Document.h"
#include "ui/tour/TourBalloon.h"
#include "ui/tour/TourRing.h"
#include "ui/tour/WindowAreas.h"
#include "ui/workspace/Docks.h"
#include "ui/workspace/ImageTabs.h"

namespace headlight {
namespace {

/// What moves or hides a widget.
bool changesPlace(QEvent::Type type) {
  switch (type) {
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::Show:
    case QEvent::Hide:
    case QEvent::ParentChange:
    case QEvent::LayoutRequest:
      return true;
    default:
      return false;
  }
}

}  // namespace

Tour::Tour(const TourParts& parts)
    : QObject(parts.window),
      m_parts(parts),
      m_steps(makeTourSteps(parts)),
      m_stage(parts),
      m_edit(parts.document, parts.training) {
  m_soon.setSingleShot(true);
  m_soon.setInterval(0);
  connect(&m_soon, &QTimer::timeout, this, &Tour::refresh);
  makeCommands();
  connectParts();
}

Tour::~Tour() {
  delete m_balloon;
  delete m_ring;
}

void Tour::makeCommands() {
  m_commands << makeCommand(this,
                            {"help.tour",
                             tr("&Tour"),
                             tr("See the window in five steps, with the open model"),
                             "Ctrl+Shift+G",
                             {}},
                            [this] { start(); });
  m_commands << makeCommand(
      this,
      {"help.tourNext", tr("Next step of the tour"), tr("Go on with the tour"), "Alt+Right", {}},
      [this] { next(); });
  m_commands << makeCommand(
      this,
      {"help.tourBack", tr("Previous step of the tour"), tr("Go back in the tour"), "Alt+Left", {}},
      [this] { back(); });
  for (QAction* action : m_commands.mid(1))
    action->setEnabled(false);
}

void Tour::connectParts() {
  Document* document = m_parts.document;
  connect(document, &Document::inferenceChanged, this, &Tour::refreshSoon);
  connect(&document->inputs(), &InferenceInputs::masksChanged, this, &Tour::refreshSoon);
  connect(&document->view(), &ViewState::changed, this, &Tour::refreshSoon);
  connect(&document->reference(), &ReferenceState::changed, this, &Tour::refreshSoon);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, [this] {
    m_edit.forget();
    refreshSoon();
  });
  const CompareSides* sides = m_parts.tabs->compare()->sides();
  for (const Document* side : {&sides->left(), &sides->right()})
    connect(side, &Document::inferenceChanged, this, &Tour::refreshSoon);
  connect(m_parts.training, &TrainingBridge::stateChanged, this, &Tour::refreshSoon);
  connect(m_parts.workspaces, &Workspaces::changed, this, &Tour::refreshSoon);
  connect(m_parts.docks, &Docks::changed, this, &Tour::refreshSoon);
  connect(m_parts.tabs, &ImageTabs::currentChanged, this, &Tour::refreshSoon);
}

void Tour::makeWidgets() {
  if (m_balloon) return;
  m_ring = new TourRing(m_parts.window);
  m_balloon = new TourBalloon(m_parts.window);
  connect(m_balloon, &TourBalloon::next, this, &Tour::next);
  connect(m_balloon, &TourBalloon::back, this, &Tour::back);
  connect(m_balloon, &TourBalloon::left, this, &Tour::leave);
  connect(m_balloon, &TourBalloon::showAgain, this, [this] { showStep(m_step); });
  connect(m_balloon, &TourBalloon::tried, this, [this] { m_edit.apply(); });
}

// --- From step to step -------------------------------------------------------------------------

void Tour::start() {
  if (!m_parts.window->isVisible()) return;
  makeWidgets();
  if (!isRunning()) {
    m_stage.begin();
    qApp->installEventFilter(this);
  }
  showStep(0);
}

void Tour::next() {
  if (!isRunning()) return;
  if (m_step + 1 == static_cast<int>(m_steps.size())) return leave();
  showStep(m_step + 1);
}

void Tour::back() {
  if (m_step > 0) showStep(m_step - 1);
}

/// The focus stays in the balloon where it was there: another workspace gives it to its page.
void Tour::showStep(int step) {
  const QPointer<QWidget> focus =
      m_balloon->isAncestorOf(QApplication::focusWidget()) ? QApplication::focusWidget() : nullptr;
  m_step = step;
  const TourStep& now = m_steps[static_cast<std::size_t>(step)];
  m_stage.show(now);
  m_balloon->showStep(step, static_cast<int>(m_steps.size()), now.title);
  refresh();
  m_balloon->show();
  m_commands[1]->setEnabled(true);
  m_commands[2]->setEnabled(step > 0);
  if (focus) (focus->isVisible() ? focus.data() : m_balloon.data())->setFocus();
}

void Tour::leave() {
  if (!isRunning()) return;
  const bool hadFocus = m_balloon->isAncestorOf(QApplication::focusWidget());
  m_step = -1;
  qApp->removeEventFilter(this);
  m_soon.stop();
  m_balloon->hide();
  m_ring->hide();
  for (QAction* action : m_commands.mid(1))
    action->setEnabled(false);
  m_edit.takeBack();
  m_stage.end();
  if (hadFocus) m_parts.tabs->focusPage();
}

// --- What the balloon says and where it stands -------------------------------------------------

void Tour::refreshSoon() {
  if (isRunning()) m_soon.start();
}

void Tour::refresh() {
  if (!isRunning() || !m_balloon) return;
  const TourStep& now = m_steps[static_cast<std::size_t>(m_step)];
  const bool shown = m_stage.isShown(now);
  m_balloon->setText(now.text());
  m_balloon->setShowAgain(!shown);
  const bool masks = now.workspace == Workspace::Mask && shown;
  m_balloon->setTry(masks ? m_edit.offer() : QString(),
                    tr("Set hard 3 × 3 masks in the middle layer; undone at the end of the tour"));
  place();
}

void Tour::place() {
  QWidget* widget = target();
  watch(widget);
  const TourStep& now = m_steps[static_cast<std::size_t>(m_step)];
  const QRect bounds = findFreeArea(m_parts.window);
  const QRect area = widget ? findArea(widget, now.part(widget), m_parts.window) & bounds : QRect();
  QList<QRect> keepFree;
  if (now.keepFree)
    for (const QWidget* other : now.keepFree())
      if (other && other->isVisible() && other->window() == m_parts.window)
        keepFree << findArea(other, other->rect(), m_parts.window);
  const BalloonPlace found =
      placeBalloon(m_balloon->fittingSize(bounds.size()), area, bounds, keepFree);
  if (found.points)
    m_ring->showAround(area, found);
  else
    m_ring->hide();
  m_balloon->setGeometry(found.balloon);
  m_ring->raise();
  m_balloon->raise();
}

QWidget* Tour::target() const {
  const TourStep& now = m_steps[static_cast<std::size_t>(m_step)];
  if (!m_stage.isShown(now)) return nullptr;
  QWidget* widget = now.widget();
  return widget && widget->isVisible() && widget->window() == m_parts.window ? widget : nullptr;
}

/// The target and all it lies in.
void Tour::watch(QWidget* target) {
  QList<QPointer<QWidget>> chain;
  for (QWidget* each = target; each && each != m_parts.window; each = each->parentWidget())
    chain << each;
  m_watched = chain;
}

// --- Keys, and what moves ----------------------------------------------------------------------

/// Esc anywhere in the window, but for a field that is being edited, a menu or a dialog.
bool Tour::isLeavingKey(const QObject* watched, const QEvent& event) const {
  const QEvent::Type type = event.type();
  if (type != QEvent::KeyPress && type != QEvent::ShortcutOverride) return false;
  const auto* widget = qobject_cast<const QWidget*>(watched);
  if (!widget || widget->window() != m_parts.window || QApplication::activePopupWidget())
    return false;
  const QWidget* focus = QApplication::focusWidget();  // what it does not take, its parents get
  if (qobject_cast<const QLineEdit*>(focus) || qobject_cast<const QAbstractSpinBox*>(focus))
    return false;
  const auto& key = static_cast<const QKeyEvent&>(event);
  return key.key() == Qt::Key_Escape && key.modifiers() == Qt::NoModifier;
}

bool Tour::eventFilter(QObject* watched, QEvent* event) {
  if (!isRunning()) return false;
  if (isLeavingKey(watched, *event)) {
    if (event->type() == QEvent::KeyPress)
      leave();
    else
      event->accept();
    return true;
  }
  const bool moves = changesPlace(event->type()) && watched->isWidgetType();
  if (moves && (watched == m_parts.window || m_watched.contains(static_cast<QWidget*>(watched))))
    refreshSoon();
  return false;
}

}  // namespace headlight
