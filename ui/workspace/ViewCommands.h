// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is shown of the pictures, by keyboard and menu: layer, head and token, the map and its
// colours, zoom.

#include <QList>
#include <QObject>

#include <functional>
#include <utility>
#include <vector>

class QAction;

namespace headlight {

class Document;
class PictureTabs;
struct ViewOptions;

class ViewCommands : public QObject {
  Q_OBJECT
 public:
  /// Single letters work while the focus is inside `tabs`.
  ViewCommands(Document* document, PictureTabs* tabs, QObject* parent);

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

  Document* m_document;
  PictureTabs* m_tabs;
  QList<QAction*> m_commands;
  std::vector<std::pair<QAction*, std::function<bool(const ViewOptions&)>>> m_marks;
  QAction *m_classToken = nullptr, *m_nextShown = nullptr;
};

}  // namespace headlight
