// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Restores the last session, saves the present one, and
// the one before it to go back to.

#include <QList>
#include <QObject>

#include <optional>

#include "ui/document/Session.h"
#include "ui/document/SessionKeeper.h"
#include "ui/widgets/NoticeBar.h"

class QAction;
class QMainWindow;

namespace headlight {

class Docks;
class FollowController;
class GalleryModel;
class ModelWorker;
class OpeningCommands;
class Opener;
class ImageTabs;
class Theme;
class TrainingController;
class Workspaces;

/// The parts whose state a session holds; all of them outlive the controller.
struct SessionParts {
  QMainWindow* window;
  Document* document;
  ModelWorker* inference;
  GalleryModel* gallery;
  Theme* theme;
  ImageTabs* tabs;
  Docks* docks;
  Workspaces* workspaces;
  Opener* opener;
  OpeningCommands* opening;
  TrainingController* training;
  FollowController* following;
};

class SessionController : public QObject {
  Q_OBJECT
 public:
  /// `path` empty: no session is kept or restored.
  SessionController(const SessionParts& parts, const QString& path);

  /// Restores the last session (without `restoreModel` only docks, theme and gallery of it), or
  /// opens the demo model where there is none and it is wanted. From now on changes are kept.
  void start(bool restoreModel, bool openDemo);
  void restore(const Session& session);
  bool isRestoring() const { return m_restoring.has_value(); }
  std::optional<Session> session() const;  ///< nothing before the first model is open
  /// Before the window closes; nothing before start().
  void saveNow();

  /// Open, save and go back, for the File menu.
  const QList<QAction*>& commands() const { return m_commands; }

 Q_SIGNALS:
  void notice(const headlight::Notice& notice);
  void failed(const QString& title, const QString& text);

 private:
  void makeCommands();
  void connectParts();
  void changed();
  void viewChanged();
  void onFound(const Session& found, const QString& path);
  void onOpeningFailed();
  void onReplacing(const ModelInfo& next);
  void apply(const Session& session);
  void applyLayout(const Session& session);
  void sayDamaged(const QStringList& parts);
  void startIsOver();
  void restorePrevious();
  void chooseToOpen();
  void chooseToSave();

  SessionParts m_parts;
  SessionKeeper m_keeper;
  QList<QAction*> m_commands;
  QAction* m_save = nullptr;
  ViewOptions m_view;  ///< as it was kept last
  bool m_started = false;
  std::optional<Session> m_restoring;  ///< until its model is open
};

}  // namespace headlight
