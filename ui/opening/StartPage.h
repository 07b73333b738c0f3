// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Shown where the images will be while there is neither a model nor an image: what can be
// opened, and what was opened last.

#include <QList>
#include <QWidget>

class QAction;
class QLabel;
class QListWidget;

namespace headlight {

class Document;
class ImageBridge;
class ModelWorker;
class Opener;
class RecentCommands;

class StartPage : public QWidget {
  Q_OBJECT
 public:
  /// `actions` become its buttons, in their order. All outlive it. Hidden until begin().
  StartPage(Document* document, ModelWorker* inference, ImageBridge* images, Opener* opener,
            RecentCommands* recent, const QList<QAction*>& actions, QWidget* parent);

  /// From now on it comes and goes by itself.
  void begin();

 private:
  void addButtons(const QList<QAction*>& actions);
  void makeList();
  void refresh();
  void fillList();

  Document* m_document;
  Opener* m_opener;
  RecentCommands* m_recent;
  QLabel* m_recentTitle;
  QListWidget* m_list;
  bool m_begun = false;
};

}  // namespace headlight
