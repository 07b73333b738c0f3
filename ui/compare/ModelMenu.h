// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The models that a side of a comparison can have, by name: the open one, the one before training,
// the demo, recent models, the weights that recent runs have kept, and any file.

#include <QHash>
#include <QObject>
#include <QPointer>
#include <QStringList>

class QAction;
class QMenu;

namespace headlight {

class BackgroundTask;
class Document;
class RecentPaths;

class ModelMenu : public QObject {
  Q_OBJECT
 public:
  /// `recent` may be null. All outlive it.
  ModelMenu(QMenu* menu, Document* window, RecentPaths* recent);

  /// Each model once; `shown` (CompareSide::model) has a mark. Steps of runs' weights follow when
  /// their files have been read.
  void fill(const QString& shown);

 Q_SIGNALS:
  void chosen(const QString& model);  ///< as CompareSide::model
  void fileWanted();

 private:
  QAction* add(const QString& text, const QString& model);  ///< null: it is offered already
  void addOpen();
  void addBeforeTraining();
  void addRecent();
  void addCheckpoints(const QString& run);
  void readSteps();

  QMenu* m_menu;
  Document* m_window;
  RecentPaths* m_recent;
  BackgroundTask* m_reader;
  QString m_shown, m_open;  ///< m_open: the file of the open model, which is offered by itself
  QStringList m_offered;
  QHash<QString, QPointer<QAction>> m_ofRuns;  ///< whose files say their step
};

}  // namespace headlight
