// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/ViewCommands.h"

#include <QAction>
#include <QActionGroup>

#include "ui/base/Actions.h"
#include "ui/canvas/PictureView.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/document/Document.h"
#include "ui/workspace/PictureTabs.h"

namespace headlight {
namespace {

constexpr double kOpacityStep = 0.1, kZoomStep = 1.25;

}  // namespace

ViewCommands::ViewCommands(Document* document, PictureTabs* tabs, QObject* parent)
    : QObject(parent), m_document(document), m_tabs(tabs) {
  addChoices();
  addAppearance();
  addNextShown();
  addStyles();
  addZoom();
  addColors();
  for (const auto signal : {&Document::modelChanged, &Document::lookChanged})
    connect(document, signal, this, &ViewCommands::refresh);
  connect(document, &Document::viewChanged, this, &ViewCommands::readView);
  refresh();
  readView();
}

QAction* ViewCommands::addChange(const QString& id, const QString& text, const QString& tip,
                                 const QString& keys,
                                 const std::function<void(ViewOptions&)>& change) {
  QAction* action = makeCommand(this, {id, text, tip, keys, {}}, [this, change] {
    m_document->changeView(change);
    readView();  // where nothing has changed, the mark has
  });
  if (keys.size() == 1) limitTo(m_tabs, action);
  m_commands << action;
  return action;
}

void ViewCommands::mark(QAction* action, std::function<bool(const ViewOptions&)> isShown) {
  action->setCheckable(true);
  m_marks.emplace_back(action, std::move(isShown));
}

void ViewCommands::readView() {
  for (const auto& [action, isShown] : m_marks)
    action->setChecked(isShown(m_document->view()));
}

void ViewCommands::addChoices() {
  addChange("view.nextLayer", tr("Next layer"), tr("Look at the layer above"), "]",
            [](ViewOptions& view) { ++view.layer; });
  addChange("view.previousLayer", tr("Previous layer"), tr("Look at the layer below"), "[",
            [](ViewOptions& view) { --view.layer; });
  addChange("view.nextHead", tr("Next head"),
            tr("Look at the next head; before the first comes their mean"), ".",
            [](ViewOptions& view) { ++view.head; });
  addChange("view.previousHead", tr("Previous head"),
            tr("Look at the previous head, or the mean of all"), ",",
            [](ViewOptions& view) { --view.head; });
  m_classToken = addChange("view.classToken", tr("Look from the class token"),
                           tr("The class token becomes the query"), "C",
                           [](ViewOptions& view) { view.query = 0; });
}

void ViewCommands::addAppearance() {
  const auto addSwitch = [this](const QString& id, const QString& text, const QString& tip,
                                const QString& keys, bool ViewOptions::*option) {
    mark(addChange(id, text, tip, keys,
                   [option](ViewOptions& view) { view.*option = !(view.*option); }),
         [option](const ViewOptions& view) { return view.*option; });
  };
  addSwitch("view.overlay", tr("Show the map"), tr("The attention map over the picture, or not"),
            "O", &ViewOptions::showOverlay);
  addSwitch("view.smooth", tr("Smooth map"), tr("Interpolate between patches, or show each"), "S",
            &ViewOptions::smooth);
  addSwitch("view.sharedRange", tr("One colour scale for all heads"),
            tr("All heads on one scale, or each on its own"), "R", &ViewOptions::sharedRange);
  addChange("view.moreOpaque", tr("Stronger map"), tr("Less of the picture is seen beside the map"),
            "Ctrl+]", [](ViewOptions& view) { strengthOf(view) += kOpacityStep; });
  addChange("view.lessOpaque", tr("Weaker map"), tr("More of the picture is seen beside the map"),
            "Ctrl+[", [](ViewOptions& view) { strengthOf(view) -= kOpacityStep; });
  addChange("view.nextStyle", tr("Headlight, warm or overlay"),
            tr("The next way of drawing maps: lit, lit warmly, or in colours laid over"), "H",
            [](ViewOptions& view) { view.style = nextMapStyle(view.style); });
}

void ViewCommands::addNextShown() {
  m_nextShown = makeCommand(this,
                            {"view.nextShown",
                             tr("Attention or what was learned"),
                             tr("Show attention, or the next map that the mechanism has learned"),
                             "L",
                             {}},
                            [this] {
                              const auto look = m_document->look();
                              if (!look) return;
                              m_document->changeView([&](ViewOptions& view) {
                                view.learned = nextShown(*look, view.learned);
                              });
                            });
  limitTo(m_tabs, m_nextShown);
  m_commands << m_nextShown;
}

void ViewCommands::addStyles() {
  auto* group = new QActionGroup(this);
  for (const MapStyleInfo& info : mapStyles()) {
    const QString title = QString::fromStdString(info.name);
    QAction* action = addChange(QStringLiteral("view.style.") + title, tr("Style: %1").arg(title),
                                tr("How maps are drawn: %1").arg(QString::fromStdString(info.help)),
                                QStringLiteral("Ctrl+J, Shift+%1").arg(title[0].toUpper()),
                                [style = info.style](ViewOptions& view) { view.style = style; });
    mark(action, [style = info.style](const ViewOptions& view) { return view.style == style; });
    group->addAction(action);
  }
}

void ViewCommands::addZoom() {
  m_commands << makeCommand(
      this, {"view.zoomIn", tr("Zoom &in"), tr("Enlarge the picture"), "Ctrl++", {}},
      [this] { zoomBy(kZoomStep); });
  m_commands << makeCommand(
      this, {"view.zoomOut", tr("Zoom o&ut"), tr("Reduce the picture"), "Ctrl+-", {}},
      [this] { zoomBy(1 / kZoomStep); });
  m_commands << makeCommand(
      this,
      {"view.zoomFit", tr("Fit the picture"), tr("The whole picture in the tab"), "Ctrl+0", {}},
      [this] {
        if (PictureView* picture = m_tabs->picture()) picture->fit();
      });
}

void ViewCommands::zoomBy(double factor) {
  if (PictureView* picture = m_tabs->picture())
    picture->setZoom(picture->zoom() * factor, picture->rect().center());
}

void ViewCommands::addColors() {
  auto* group = new QActionGroup(this);
  for (const ColorMapInfo& info : colorMaps()) {
    const QString title = QString::fromStdString(info.name);
    QAction* action =
        addChange(QStringLiteral("view.colors.") + title, tr("Colours: %1").arg(title),
                  tr("Show maps in the %1 colours").arg(title),
                  QStringLiteral("Ctrl+J, %1").arg(QLatin1Char(info.key)),
                  [map = info.map](ViewOptions& view) {
                    view.colorMap = map;
                    view.style = MapStyle::Overlay;
                  });
    mark(action, [map = info.map](const ViewOptions& view) { return view.colorMap == map; });
    group->addAction(action);
  }
}

void ViewCommands::refresh() {
  const bool model = m_document->hasModel();
  m_classToken->setEnabled(model && m_document->model().grid.hasClassToken());
  const auto look = m_document->look();
  m_nextShown->setEnabled(look && !look->learned.empty());
}

}  // namespace headlight
