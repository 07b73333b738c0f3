// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Commands for what the images show: layer, head and token, the map and its
// colors, zoom.

#include <QList>
#include <QObject>

#include <functional>
#include <utility>
#include <vector>

#include "ui/canvas/ViewUse.h"

class QAction;

namespace headlight {

class Document;
class ImageTabs;
struct ViewOptions;

class ViewCommands : public QObject {
  Q_OBJECT
 public:
  /// Single letters work while the focus is inside `tabs`.
  ViewCommands(Document* document, ImageTabs* tabs, QObject* parent);

  /// Turns off what does nothing on the present page.
  void setUse(const ViewUse& use);

  /// For the View menu, in its order.
  const QList<QAction*>& commands() const { return m_commands; }

 private:
  void addChoices();
  void addAppearance();
  void addNextShown();
  void addZoom();
  void addColors();
  QAction* addChange(const QString& id, const QString& text, const QString& tip,
                     const QString& keys, const std::function<void(ViewOptions&)>& change);
  /// A command that says whether it is what the view shows.
  void mark(QAction* action, std::function<bool(const ViewOptions&)> isShown);
  void addStyles();
  void zoomBy(double factor);
  void readView();
  void refresh();
  void stepLayer(ViewOptions& view, int by) const;

  Document* m_document;
  ImageTabs* m_tabs;
  QList<QAction*> m_commands;
  std::vector<std::pair<QAction*, std::function<bool(const ViewOptions&)>>> m_marks;
  ViewUse m_use;
  QList<QAction*> m_layers, m_heads, m_segmentStrength, m_boxCount;
  QAction *m_classToken = nullptr, *m_nextShown = nullptr, *m_sharedScale = nullptr,
          *m_mask = nullptr, *m_objects = nullptr, *m_truth = nullptr;
};

}  // namespace headlight
