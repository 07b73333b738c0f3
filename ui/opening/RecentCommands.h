// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Opening again what was opened last: a menu, and what the start page lists.

#include <QList>
#include <QObject>
#include <QString>

#include "ui/document/RecentPaths.h"

class QAction;
class QMenu;
class QWidget;

namespace headlight {

class Document;
class ModelWorker;
class Opener;

class RecentCommands : public QObject {
  Q_OBJECT
 public:
  /// Hears by itself what is opened, but for runs. All outlive it.
  RecentCommands(RecentPaths* paths, Document* document, ModelWorker* inference, Opener* opener,
                 QWidget* window);

  void addRun(const QString& folder) { m_paths->add(RecentKind::Run, folder); }
  void open(RecentKind kind, const QString& path);
  const RecentPaths& paths() const { return *m_paths; }
  /// "goldfinch.jpg — ~/photos"; a published model's name.
  static QString titleOf(const QString& path);

  /// The menu of all, for the File menu.
  QList<QAction*> commands() const { return {m_action}; }

 private:
  void fill();
  void addSection(const QString& title, RecentKind kind);
  void addModel();

  RecentPaths* m_paths;
  Document* m_document;
  ModelWorker* m_inference;
  Opener* m_opener;
  QMenu* m_menu;
  QAction* m_action;
};

}  // namespace headlight
