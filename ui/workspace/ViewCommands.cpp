// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/ViewCommands.h"

#include <QAction>
#include <QActionGroup>

#include <algorithm>

#include "ui/base/Actions.h"
#include "ui/base/CoreText.h"
#include "ui/canvas/ImageView.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/canvas/ViewedObjects.h"
#include "ui/canvas/ViewedSegments.h"
#include "ui/document/Document.h"
#include "ui/workspace/ImageTabs.h"

namespace headlight {
namespace {

constexpr double kOpacityStep = 0.1, kScoreStep = 0.05, kZoomStep = 1.25;

}  // namespace

ViewCommands::ViewCommands(Document* document, ImageTabs* tabs, QObject* parent)
    : QObject(parent), m_document(document), m_tabs(tabs) {
  addChoices();
  addAppearance();
  addNextShown();
  addStyles();
  addZoom();
  addColors();
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &ViewCommands::refresh);
  connect(document, &Document::inferenceChanged, this, &ViewCommands::refresh);
  connect(&document->view(), &ViewState::changed, this, &ViewCommands::readView);
  refresh();
  readView();
}

QAction* ViewCommands::addChange(const QString& id, const QString& text, const QString& tip,
                                 const QString& keys,
                                 const std::function<void(ViewOptions&)>& change) {
  QAction* action = makeCommand(this, {id, text, tip, keys, {}}, [this, change] {
    m_document->view().change(change);
    readView();  // where nothing has changed, the mark has
  });
  m_commands << action;
  return action;
}

void ViewCommands::mark(QAction* action, std::function<bool(const ViewOptions&)> isShown) {
  action->setCheckable(true);
  m_marks.emplace_back(action, std::move(isShown));
}

void ViewCommands::readView() {
  for (const auto& [action, isShown] : m_marks)
    action->setChecked(isShown(m_document->view().options()));
}

void ViewCommands::addChoices() {
  m_layers << addChange("view.nextLayer", tr("Next layer"), tr("Show the maps of the next layer"),
                        "]", [this](ViewOptions& view) { stepLayer(view, 1); })
           << addChange("view.previousLayer", tr("Previous layer"),
                        tr("Show the maps of the previous layer"), "[",
                        [this](ViewOptions& view) { stepLayer(view, -1); });
  m_heads << addChange("view.nextHead", tr("Next head"),
                       tr("Show the next head; the mean comes before the first head"), ".",
                       [](ViewOptions& view) { ++view.head; })
          << addChange("view.previousHead", tr("Previous head"),
                       tr("Show the previous head, or the mean of all heads"), ",",
                       [](ViewOptions& view) { --view.head; });
  m_classToken = addChange("view.classToken", tr("Use the class token as query"),
                           tr("Show the map of the class token"), "C",
                           [](ViewOptions& view) { view.query = 0; });
}

void ViewCommands::addAppearance() {
  const auto addSwitch = [this](const QString& id, const QString& text, const QString& tip,
                                const QString& keys, bool ViewOptions::*option) {
    QAction* action = addChange(id, text, tip, keys,
                                [option](ViewOptions& view) { view.*option = !(view.*option); });
    mark(action, [option](const ViewOptions& view) { return view.*option; });
    return action;
  };
  addSwitch("view.overlay", tr("Show the map"), tr("Show or hide the map over the image"), "O",
            &ViewOptions::showOverlay);
  addSwitch("view.smooth", tr("Smooth map"),
            tr("Interpolate between patches, or show one block per patch"), "S",
            &ViewOptions::smooth);
  m_sharedScale =
      addSwitch("view.sharedRange", tr("One color scale for all heads"),
                tr("All heads on one scale, or each on its own"), "R", &ViewOptions::sharedRange);
  m_mask = addSwitch("view.maskOutline", tr("Outline the mask"),
                     tr("Outline what the shown head's mask lets the token look at"), "M",
                     &ViewOptions::maskOutline);
  m_objects = addSwitch("view.objectBoxes", tr("Draw what was found"),
                        tr("Box the objects of a detector, color the segments of a segmenter"),
                        "Shift+O", &ViewOptions::objectBoxes);
  m_truth = addSwitch("view.trueBoxes", tr("Draw the truth"),
                      tr("Draw the boxes, dashed, or the borders of the segments that the dataset "
                         "of the image has"),
                      "Ctrl+Shift+B", &ViewOptions::trueBoxes);
  addChange("view.moreOpaque", tr("Stronger map"), tr("Show more of the map and less of the image"),
            "Ctrl+]", [](ViewOptions& view) { overlayStrength(view) += kOpacityStep; });
  addChange("view.lessOpaque", tr("Weaker map"), tr("Show less of the map and more of the image"),
            "Ctrl+[", [](ViewOptions& view) { overlayStrength(view) -= kOpacityStep; });
  m_segmentStrength << addChange("view.moreSegments", tr("Stronger segments"),
                                 tr("Show more of the segments' colors and less of the image"),
                                 "Ctrl+J, ]",
                                 [](ViewOptions& view) { view.segmentOpacity += kOpacityStep; })
                    << addChange("view.lessSegments", tr("Weaker segments"),
                                 tr("Show less of the segments' colors and more of the image"),
                                 "Ctrl+J, [",
                                 [](ViewOptions& view) { view.segmentOpacity -= kOpacityStep; });
  m_boxCount << addChange("view.moreBoxes", tr("More boxes"),
                          tr("Draw boxes down to a score that is 5 % lower"), "Ctrl+J, +",
                          [](ViewOptions& view) { view.objectThreshold -= kScoreStep; })
             << addChange("view.fewerBoxes", tr("Fewer boxes"),
                          tr("Draw boxes down to a score that is 5 % higher"), "Ctrl+J, -",
                          [](ViewOptions& view) { view.objectThreshold += kScoreStep; });
  addChange("view.nextStyle", tr("Next map style"),
            tr("Switch between headlight, warm and overlay"), "H",
            [](ViewOptions& view) { view.style = nextMapStyle(view.style); });
}

void ViewCommands::addNextShown() {
  m_nextShown =
      makeCommand(this,
                  {"view.nextShown",
                   tr("Show the next kind of map"),
                   tr("Switch between attention and the maps that the mechanism has learned"),
                   "L",
                   {}},
                  [this] {
                    const auto inference = m_document->inference();
                    if (!inference) return;
                    m_document->view().change([&](ViewOptions& view) {
                      view.learned = nextShown(*inference, view.learned);
                    });
                  });
  m_commands << m_nextShown;
}

void ViewCommands::addStyles() {
  auto* group = new QActionGroup(this);
  for (const MapStyleInfo& info : mapStyles()) {
    const QString title = QString::fromStdString(info.name);
    QAction* action = addChange(QStringLiteral("view.style.") + title, tr("Style: %1").arg(title),
                                tr("How maps are drawn: %1").arg(coreText(info.help)),
                                QStringLiteral("Ctrl+J, Shift+%1").arg(title[0].toUpper()),
                                [style = info.style](ViewOptions& view) { view.style = style; });
    mark(action, [style = info.style](const ViewOptions& view) { return view.style == style; });
    group->addAction(action);
  }
}

void ViewCommands::addZoom() {
  m_commands << makeCommand(this,
                            {"view.zoomIn", tr("Zoom &in"), tr("Enlarge the image"), "Ctrl++", {}},
                            [this] { zoomBy(kZoomStep); });
  m_commands << makeCommand(this,
                            {"view.zoomOut", tr("Zoom o&ut"), tr("Reduce the image"), "Ctrl+-", {}},
                            [this] { zoomBy(1 / kZoomStep); });
  m_commands << makeCommand(
      this, {"view.zoomFit", tr("Fit image"), tr("Show the whole image in the tab"), "Ctrl+0", {}},
      [this] {
        if (ImageView* image = m_tabs->image()) image->fit();
      });
}

void ViewCommands::zoomBy(double factor) {
  if (ImageView* image = m_tabs->image())
    image->setZoom(image->zoom() * factor, image->rect().center());
}

void ViewCommands::addColors() {
  auto* group = new QActionGroup(this);
  for (const ColorMapInfo& info : colorMaps()) {
    const QString title = QString::fromStdString(info.name);
    QAction* action = addChange(QStringLiteral("view.colors.") + title, tr("Colors: %1").arg(title),
                                tr("Show maps in the %1 colors").arg(title),
                                QStringLiteral("Ctrl+J, %1").arg(QLatin1Char(info.key)),
                                [map = info.map](ViewOptions& view) {
                                  view.colorMap = map;
                                  view.style = MapStyle::Overlay;
                                });
    mark(action, [map = info.map](const ViewOptions& view) { return view.colorMap == map; });
    group->addAction(action);
  }
}

void ViewCommands::setUse(const ViewUse& use) {
  m_use = use;
  refresh();
}

/// On a page that explains one layer, that one.
void ViewCommands::stepLayer(ViewOptions& view, int by) const {
  if (!m_use.explainedLayer || !m_document->inputs().hasModel()) {
    view.layer += by;
    return;
  }
  const int last = std::max(static_cast<int>(m_document->inputs().model().heads.size()) - 1, 0);
  const int now = view.method.layer < 0 ? last : view.method.layer;
  view.method.layer = std::clamp(now + by, 0, last);
}

void ViewCommands::refresh() {
  for (QAction* action : m_layers)
    action->setEnabled(m_use.layer || m_use.explainedLayer);
  for (QAction* action : m_heads)
    action->setEnabled(m_use.head);
  m_sharedScale->setEnabled(m_use.sharedScale);
  m_mask->setEnabled(m_use.mask);
  m_objects->setEnabled(m_use.objects && (showsObjects(*m_document) || showsSegments(*m_document)));
  m_truth->setEnabled(
      (m_use.objects && (showsTruth(*m_document) || showsTrueSegments(*m_document))) ||
      (m_use.markedObject && showsTruth(*m_document)));
  for (QAction* action : m_segmentStrength)
    action->setEnabled(m_use.objects && showsSegments(*m_document));
  for (QAction* action : m_boxCount)
    action->setEnabled(m_use.objects && showsObjects(*m_document));
  const bool model = m_document->inputs().hasModel();
  m_classToken->setEnabled(model && m_use.token &&
                           m_document->inputs().model().grid.hasClassToken());
  const auto inference = m_document->inference();
  m_nextShown->setEnabled(m_use.learned && inference && !inference->learned.empty());
}

}  // namespace headlight
