// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/Workspaces.h"

#include <QActionGroup>
#include <QDockWidget>
#include <QEvent>
#include <QHBoxLayout>
#include <QLayout>
#include <QMainWindow>
#include <QTimer>
#include <QToolButton>

#include <algorithm>
#include <array>

#include "ui/base/Actions.h"
#include "ui/workspace/Arranging.h"
#include "ui/workspace/Docks.h"
#include "ui/workspace/ImageTabs.h"

namespace headlight {
namespace {

struct WorkspaceWords {
  const char *name, *title, *tip, *page;
};

constexpr std::array<WorkspaceWords, 4> kWorkspaces{{
    {"look", QT_TRANSLATE_NOOP("headlight::Workspaces", "Look"),
     QT_TRANSLATE_NOOP("headlight::Workspaces", "The image, large, and all heads beside it"),
     "canvas"},
    {"mask", QT_TRANSLATE_NOOP("headlight::Workspaces", "Mask"),
     QT_TRANSLATE_NOOP("headlight::Workspaces",
                       "The mask of every head, and the effect of each edit"),
     "canvas"},
    {"train", QT_TRANSLATE_NOOP("headlight::Workspaces", "Train"),
     QT_TRANSLATE_NOOP("headlight::Workspaces",
                       "The curves of a run, and an image with its newest weights"),
     "canvas"},
    {"compare", QT_TRANSLATE_NOOP("headlight::Workspaces", "Compare"),
     QT_TRANSLATE_NOOP("headlight::Workspaces", "Compare two models, mask schemes or images"),
     "compare"},
}};

const WorkspaceWords& workspaceWords(Workspace workspace) {
  return kWorkspaces[static_cast<std::size_t>(workspace)];
}

/// F1 is the help's.
QString workspaceKeys(int number) {
  const QString keys = QStringLiteral("Ctrl+%1").arg(number);
  return number == 1 ? keys : keys + QStringLiteral("; F%1").arg(number);
}

constexpr int kSettlingMs = 1000;
constexpr int kStripWidth = 160;
constexpr int kPredictionHeight = 218;

/// Docks that leave and docks that come share the window for a moment, which grows where it has too
/// little room for both.
void keepSize(QWidget* window, const QSize& size) {
  if (window->windowState() != Qt::WindowNoState) return;
  window->layout()->activate();
  window->resize(size);
}

}  // namespace

QString workspaceName(Workspace workspace) {
  return QLatin1String(workspaceWords(workspace).name);
}

Workspaces::Workspaces(QMainWindow* window, Docks* docks, ImageTabs* tabs)
    : QObject(window), m_window(window), m_docks(docks), m_tabs(tabs) {
  makeCommands();
  arrange();
  window->installEventFilter(this);
}

void Workspaces::makeCommands() {
  auto* group = new QActionGroup(this);
  for (std::size_t i = 0; i < kWorkspaces.size(); ++i) {
    const WorkspaceWords& words = kWorkspaces[i];
    auto* action = makeCommand(this,
                               {QStringLiteral("view.workspace.") + QLatin1String(words.name),
                                tr(words.title),
                                tr(words.tip),
                                workspaceKeys(static_cast<int>(i) + 1),
                                {}},
                               [this, i] { show(static_cast<Workspace>(i)); });
    action->setCheckable(true);
    group->addAction(action);
    m_choices << action;
  }
  m_choices.first()->setChecked(true);
  m_commands = m_choices;
  m_commands << makeCommand(this,
                            {"view.workspace.next",
                             tr("Next workspace"),
                             tr("Look, Mask, Train, Compare, and Look again"),
                             "Ctrl+Tab",
                             {}},
                            [this] { step(1); });
  m_commands << makeCommand(this,
                            {"view.workspace.previous",
                             tr("Previous workspace"),
                             tr("Go back to the workspace before this one"),
                             "Ctrl+Shift+Tab",
                             {}},
                            [this] { step(-1); });
  m_commands << makeCommand(this,
                            {"view.workspace.putBack",
                             tr("Reset works&pace"),
                             tr("Restore the initial arrangement of the present workspace"),
                             "Ctrl+Shift+0",
                             {}},
                            [this] { putBack(); });
}

QWidget* Workspaces::makeSwitch(QWidget* parent) const {
  auto* bar = new QWidget(parent);
  bar->setObjectName(QStringLiteral("workspaceSwitch"));
  bar->setAccessibleName(tr("Workspace"));
  auto* layout = new QHBoxLayout(bar);
  layout->setContentsMargins(0, 0, 8, 0);
  layout->setSpacing(2);
  for (QAction* action : m_choices) {
    auto* button = new QToolButton(bar);
    button->setDefaultAction(action);
    button->setObjectName(action->objectName() + QStringLiteral(".button"));
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::NoFocus);  // keys go on working where they did
    layout->addWidget(button);
  }
  return bar;
}

// --- Going from one to another -----------------------------------------------------------------

void Workspaces::show(Workspace workspace) {
  m_choices[static_cast<int>(workspace)]->setChecked(true);
  if (workspace == m_current) return;
  keep();
  m_current = workspace;
  apply();
  Q_EMIT changed();
}

void Workspaces::showNamed(const QString& name) {
  for (std::size_t i = 0; i < kWorkspaces.size(); ++i)
    if (name == QLatin1String(kWorkspaces[i].name)) show(static_cast<Workspace>(i));
}

void Workspaces::step(int by) {
  const int count = static_cast<int>(kWorkspaces.size());
  show(static_cast<Workspace>((static_cast<int>(m_current) + by + count) % count));
}

void Workspaces::putBack() {
  m_left.remove(workspaceName(m_current));
  apply();
  Q_EMIT changed();
}

void Workspaces::keep() {
  if (m_pending) return;  // what is not shown yet is as it was
  m_left[workspaceName(m_current)] = present();
}

/// While a dock is dragged, which is in two places then, docks are as they were kept last.
Arrangement Workspaces::present() const {
  auto docks = recordLayout(*m_window);
  if (!docks) docks = m_left.value(workspaceName(m_current)).docks;
  return {std::move(docks), m_tabs->page()};
}

void Workspaces::apply() {
  m_pending = !m_window->isVisible();
  if (m_pending) return;
  const QSize size = m_window->size();
  const Arrangement left = m_left.value(workspaceName(m_current));
  if (!left.docks || !arrangeDocks(m_window, *left.docks)) arrange();
  m_tabs->showPage(left.page.isEmpty() ? QLatin1String(workspaceWords(m_current).page) : left.page);
  keepSize(m_window, size);
}

Arrangements Workspaces::arrangements() const {
  Arrangements all = m_left;
  if (!m_pending) all[workspaceName(m_current)] = present();
  return all;
}

Arrangements Workspaces::page() const {
  return {{workspaceName(m_current), {{}, m_tabs->page()}}};
}

void Workspaces::restore(const Arrangements& arrangements, const QString& current) {
  keep();
  for (auto item = arrangements.begin(); item != arrangements.end(); ++item) {
    Arrangement& left = m_left[item.key()];
    if (item->docks) left.docks = item->docks;
    left.page = item->page;
  }
  for (std::size_t i = 0; i < kWorkspaces.size(); ++i)
    if (current == QLatin1String(kWorkspaces[i].name)) m_current = static_cast<Workspace>(i);
  m_choices[static_cast<int>(m_current)]->setChecked(true);
  apply();
  Q_EMIT changed();
}

/// Sizes of docks mean something only once the window has its own. The window manager may give a
/// maximized window its size a moment later.
bool Workspaces::eventFilter(QObject* watched, QEvent* event) {
  const auto applyIf = [this](const bool& wanted) {
    QTimer::singleShot(0, this, [this, &wanted] {
      if (wanted) apply();
    });
  };
  if (m_pending && event->type() == QEvent::Show) {
    m_settling = m_window->isMaximized();
    QTimer::singleShot(kSettlingMs, this, [this] { m_settling = false; });
    applyIf(m_pending);
  }
  if (m_settling && event->type() == QEvent::Resize) applyIf(m_settling);
  return QObject::eventFilter(watched, event);
}

// --- As at the first start ---------------------------------------------------------------------

void Workspaces::arrange() {
  for (QDockWidget* dock : m_docks->all()) {
    dock->setFloating(false);
    dock->hide();
  }
  switch (m_current) {
    case Workspace::Look:
      return arrangeInference();
    case Workspace::Mask:
      return arrangeMask();
    case Workspace::Train:
      return arrangeTrain();
    case Workspace::Compare:
      return arrangeCompare();
  }
}

void Workspaces::arrangeInference() {
  const int heads = std::clamp(m_window->width() * 34 / 100, 300, 620);
  m_window->addDockWidget(Qt::LeftDockWidgetArea, m_docks->gallery());
  m_window->addDockWidget(Qt::RightDockWidgetArea, m_docks->heads());
  m_window->splitDockWidget(m_docks->heads(), m_docks->prediction(), Qt::Vertical);
  for (QDockWidget* dock : {m_docks->gallery(), m_docks->heads(), m_docks->prediction()})
    dock->show();
  m_window->resizeDocks({m_docks->gallery(), m_docks->heads()}, {kStripWidth, heads},
                        Qt::Horizontal);
  m_window->resizeDocks({m_docks->heads(), m_docks->prediction()},
                        {m_window->height(), kPredictionHeight}, Qt::Vertical);
}

void Workspaces::arrangeMask() {
  const int matrix = std::clamp(m_window->width() * 50 / 100, 360, 1000);
  m_window->addDockWidget(Qt::LeftDockWidgetArea, m_docks->gallery());
  m_window->addDockWidget(Qt::RightDockWidgetArea, m_docks->masks());
  m_window->splitDockWidget(m_docks->masks(), m_docks->prediction(), Qt::Vertical);
  for (QDockWidget* dock : {m_docks->gallery(), m_docks->masks(), m_docks->prediction()})
    dock->show();
  m_window->resizeDocks({m_docks->gallery(), m_docks->masks()}, {kStripWidth, matrix},
                        Qt::Horizontal);
  m_window->resizeDocks({m_docks->masks(), m_docks->prediction()},
                        {m_window->height(), kPredictionHeight}, Qt::Vertical);
}

void Workspaces::arrangeTrain() {
  m_window->addDockWidget(Qt::RightDockWidgetArea, m_docks->training());
  m_docks->training()->show();
  m_window->resizeDocks({m_docks->training()}, {m_window->width() * 62 / 100}, Qt::Horizontal);
}

void Workspaces::arrangeCompare() {
  m_window->addDockWidget(Qt::LeftDockWidgetArea, m_docks->gallery());
  m_docks->gallery()->show();
  m_window->resizeDocks({m_docks->gallery()}, {kStripWidth}, Qt::Horizontal);
}

}  // namespace headlight
