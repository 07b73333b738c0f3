// The commands of the View menu.

#include <QAction>
#include <QActionGroup>
#include <QDockWidget>
#include <QTabWidget>

#include "ui/base/Theme.h"
#include "ui/maps/Canvas.h"
#include "ui/maps/ViewedMap.h"
#include "ui/window/MainWindow.h"

namespace headlight {
namespace {

constexpr double kOpacityStep = 0.1, kZoomStep = 1.25;

}  // namespace

void MainWindow::changeView(const std::function<void(ViewOptions&)>& change) {
  ViewOptions view = m_document->view();
  change(view);
  m_document->setView(view);
}

PictureView* MainWindow::pictureInTab() const {
  QWidget* page = m_tabs->currentWidget();
  if (auto* picture = qobject_cast<PictureView*>(page)) return picture;
  return page->findChild<PictureView*>();
}

void MainWindow::addViewCommands() {
  const QString menu = tr("View");
  for (int i = 0; i < m_tabs->count(); ++i) {
    const QString title = m_tabs->tabText(i);
    const QString name = m_tabs->widget(i)->property("tab").toString();
    m_actions->add(menu, QStringLiteral("view.tab.") + name, tr("Show %1").arg(title),
                   m_tabs->tabToolTip(i), QKeySequence(QStringLiteral("Ctrl+%1").arg(i + 1)),
                   [this, name] { showTab(name); });
  }
  for (int i = 0; i < m_docks.size(); ++i) {
    QAction* toggle = m_docks[i]->toggleViewAction();
    toggle->setText(tr("%1 dock").arg(m_docks[i]->windowTitle()));
    toggle->setToolTip(tr("Show or hide the %1 dock").arg(m_docks[i]->windowTitle()));
    m_actions->adopt(menu, QStringLiteral("view.") + m_docks[i]->objectName(), toggle,
                     QKeySequence(QStringLiteral("Ctrl+Shift+%1").arg(i + 1)));
  }
  m_actions->add(menu, "view.resetLayout", tr("Put the docks &back"),
                 tr("Docks as they were at the first start"), keys("Ctrl+Shift+0"),
                 [this] { resetLayout(); });
  m_actions->add(menu, "view.fullScreen", tr("&Full screen"), tr("Fill the screen, or go back"),
                 keys("F11"), [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
  addStepCommands();
  m_actions->add(
      menu, "view.nextShown", tr("Attention or what was learned"),
      tr("Show attention, or the next map that the mechanism has learned"), keys("L"), [this] {
        const auto look = m_document->look();
        if (!look) return;
        changeView([&](ViewOptions& view) { view.learned = nextShown(*look, view.learned); });
      });
  m_actions->limitTo("view.nextShown", m_tabs);
  addZoomCommands();
}

void MainWindow::addStepCommands() {
  const QString menu = tr("View");
  struct Step {
    const char* id;
    QString text, tip;
    const char* key;
    std::function<void(ViewOptions&)> change;
  };
  const Step steps[] = {
      {"view.nextLayer", tr("Next layer"), tr("Look at the layer above"), "]",
       [](ViewOptions& view) { ++view.layer; }},
      {"view.previousLayer", tr("Previous layer"), tr("Look at the layer below"), "[",
       [](ViewOptions& view) { --view.layer; }},
      {"view.nextHead", tr("Next head"),
       tr("Look at the next head; before the first comes their mean"), ".",
       [](ViewOptions& view) { ++view.head; }},
      {"view.previousHead", tr("Previous head"),
       tr("Look at the previous head, or the mean of all"), ",",
       [](ViewOptions& view) { --view.head; }},
      {"view.classToken", tr("Look from the class token"), tr("The class token becomes the query"),
       "C", [](ViewOptions& view) { view.query = 0; }},
      {"view.overlay", tr("Show or hide the map"), tr("The attention map over the picture"), "O",
       [](ViewOptions& view) { view.showOverlay = !view.showOverlay; }},
      {"view.smooth", tr("Smooth or blocky map"), tr("Interpolate between patches, or show each"),
       "S", [](ViewOptions& view) { view.smooth = !view.smooth; }},
      {"view.sharedRange", tr("One colour scale for all heads"),
       tr("All heads on one scale, or each on its own"), "R",
       [](ViewOptions& view) { view.sharedRange = !view.sharedRange; }},
      {"view.moreOpaque", tr("Stronger map"), tr("The map covers more of the picture"), "Ctrl+]",
       [](ViewOptions& view) { view.opacity += kOpacityStep; }},
      {"view.lessOpaque", tr("Weaker map"), tr("The map covers less of the picture"), "Ctrl+[",
       [](ViewOptions& view) { view.opacity -= kOpacityStep; }},
  };
  for (const Step& step : steps) {
    m_actions->add(menu, step.id, step.text, step.tip, keys(step.key),
                   [this, change = step.change] { changeView(change); });
    if (qstrlen(step.key) == 1) m_actions->limitTo(step.id, m_tabs);
  }
}

void MainWindow::addZoomCommands() {
  const QString menu = tr("View");
  const auto zoom = [this](double factor) {
    if (PictureView* picture = pictureInTab())
      picture->setZoom(picture->zoom() * factor, picture->rect().center());
  };
  m_actions->add(menu, "view.zoomIn", tr("Zoom &in"), tr("Enlarge the picture"), keys("Ctrl++"),
                 [zoom] { zoom(kZoomStep); });
  m_actions->add(menu, "view.zoomOut", tr("Zoom o&ut"), tr("Reduce the picture"), keys("Ctrl+-"),
                 [zoom] { zoom(1 / kZoomStep); });
  m_actions->add(menu, "view.zoomFit", tr("Fit the picture"), tr("The whole picture in the tab"),
                 keys("Ctrl+0"), [this] {
                   if (PictureView* picture = pictureInTab()) picture->fit();
                 });
}

void MainWindow::addColorCommands() {
  for (const ColorMapInfo& info : colorMaps()) {
    const QString title = QString::fromStdString(info.name);
    m_actions->add(
        tr("View"), QStringLiteral("view.colors.") + title, tr("Colours: %1").arg(title),
        tr("Show maps in the %1 colours").arg(title),
        QKeySequence(QStringLiteral("Ctrl+J, %1").arg(QLatin1Char(info.key))),
        [this, map = info.map] { changeView([map](ViewOptions& view) { view.colorMap = map; }); });
  }
}

void MainWindow::addThemeCommands() {
  auto* group = new QActionGroup(this);
  struct Choice {
    ThemeChoice theme;
    QString text, tip;
    const char* key;
  };
  const Choice choices[] = {
      {ThemeChoice::System, tr("Theme: as the system"), tr("Light or dark as the desktop is"),
       "Ctrl+J, 0"},
      {ThemeChoice::Light, tr("Theme: light"), tr("Dark text on a light ground"), "Ctrl+J, 1"},
      {ThemeChoice::Dark, tr("Theme: dark"), tr("Light text on a dark ground"), "Ctrl+J, 2"},
  };
  for (const Choice& choice : choices) {
    const ThemeChoice theme = choice.theme;
    QAction* action = m_actions->addToggle(
        tr("View"), QStringLiteral("view.theme.") + themeName(theme), choice.text, choice.tip,
        keys(choice.key), m_theme->choice() == theme, [this, theme](bool on) {
          if (on) m_theme->setChoice(theme);
        });
    group->addAction(action);
    connect(m_theme, &Theme::changed, action,
            [this, action, theme] { action->setChecked(m_theme->choice() == theme); });
  }
}

}  // namespace headlight
