// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The command that shows the figure page, and where the page is kept from one time to the next.

#include <QObject>
#include <QPointer>

#include <functional>

class QAction;
class QWidget;

namespace headlight {

class Document;
class FigurePageDialog;
class GalleryDock;
class ModelWorker;

class FigurePageCommand : public QObject {
  Q_OBJECT
 public:
  struct Parts {
    Document* document;
    ModelWorker* inference;
    GalleryDock* gallery;
    std::function<QByteArray()> session;  ///< that a PNG carries
    QString file;                         ///< where the page is kept; empty: nowhere
  };
  FigurePageCommand(const Parts& parts, QWidget* window);
  ~FigurePageCommand() override;

  QAction* action() const { return m_action; }
  /// The page that was made last, else what is useful; made on first use.
  void show();

 private:
  void make();
  void restore();
  void keep();
  void refresh();
  QStringList marked() const;

  Parts m_parts;
  QWidget* m_window;
  QAction* m_action;
  QPointer<FigurePageDialog> m_dialog;  ///< the window's child: it goes with its widgets
  bool m_changed = false;               ///< since it was kept
};

}  // namespace headlight
