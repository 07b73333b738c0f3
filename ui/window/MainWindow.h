// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window: puts the parts together. What the parts do is theirs.

#include <QMainWindow>
#include <QPointer>

#include <memory>
#include <optional>

#include "ui/base/Actions.h"
#include "ui/bridge/FollowBridge.h"
#include "ui/bridge/GalleryModel.h"
#include "ui/bridge/ImageBridge.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/bridge/TrainingBridge.h"
#include "ui/document/Document.h"
#include "ui/document/Session.h"
#include "ui/widgets/NoticeBar.h"

namespace headlight {

class AverageCommands;
class CenterPage;
class CommandPalette;
class EffectController;
class Docks;
class FigureCommands;
class FollowController;
class GalleryDock;
class HelpBrowser;
class HelpCommands;
class MaskPanel;
class MessageLog;
class ModelOffer;
class Opener;
class OpeningCommands;
class RecentCommands;
class RecentPaths;
class ReferenceCommands;
class SequenceWindow;
class SessionController;
class StartPage;
class StatusLine;
class Theme;
class Tour;
class TrainingController;
class TrainingDock;
class VideoController;
class PageUse;
class ViewCommands;
class Workspaces;

struct MainWindowOptions {
  QString sessionPath;       ///< empty: no session is kept or restored
  bool openDemo = true;      ///< where there is no session
  bool restoreModel = true;  ///< false: of the session only docks, theme and gallery
  int threads = 0;           ///< of LibTorch; 0: as many as cores
};

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  MainWindow(Theme* theme, MessageLog* log, const MainWindowOptions& options);
  ~MainWindow() override;

  /// Restores the session, or opens the demo model and a sample. Once, after the constructor.
  void start();
  void openPaths(const QStringList& paths);
  void openDemo();
  void restoreSession(const Session& session);
  std::optional<Session> session() const;  ///< nothing before the first model is open

  /// Begins a training run; the window stays usable.
  void startTraining(const Experiment& experiment, const QString& folder);
  /// The document's Experiment with the data and training settings that were used last.
  Experiment trainingExperiment() const;

  void showTab(const QString& name);  ///< as ImageTabs::showPage
  QString currentTab() const;
  void showWorkspace(const QString& name);  ///< look, mask, train, compare
  QString currentWorkspace() const;
  /// Nothing is being opened, read or computed: the image is final.
  bool isIdle() const;

  Document* document() { return m_document.get(); }
  Opener* opener() { return m_opener; }
  ModelWorker* modelWorker() { return m_inference.get(); }
  ImageBridge* imageBridge() { return m_images.get(); }
  TrainingBridge* trainingBridge() { return m_training.get(); }
  FollowBridge* followBridge() { return m_follow.get(); }
  GalleryModel* gallery() { return m_gallery.get(); }
  EffectController* effect() { return m_effect; }
  Actions* actions() { return m_actions; }
  NoticeBar* noticeBar() const;
  CommandPalette* commandPalette() { return m_palette; }
  HelpBrowser* showHelp(const QString& page);
  SequenceWindow* showSequences();

 protected:
  void closeEvent(QCloseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void buildPanels();
  void buildControllers();
  void adoptCommands();
  void connectControllers();
  void connectNotices();
  void connectStatus();
  void askToStopTraining();
  void updateTitle();
  void reportError(const QString& title, const QString& text, Notice::Abouts about);
  void notify(Notice notice, Notice::Abouts about);

  MainWindowOptions m_options;
  Theme* m_theme;
  MessageLog* m_log;

  std::unique_ptr<Document> m_document;
  std::unique_ptr<ImageBridge> m_images;
  std::unique_ptr<ModelWorker> m_inference;
  std::unique_ptr<TrainingBridge> m_training;
  std::unique_ptr<FollowBridge> m_follow;
  std::unique_ptr<GalleryModel> m_gallery;

  Actions* m_actions;
  Opener* m_opener;

  StatusLine* m_status = nullptr;
  QPointer<CenterPage> m_center;  ///< which goes before a dialog that is open does
  GalleryDock* m_galleryDock = nullptr;
  MaskPanel* m_maskPanel = nullptr;
  TrainingDock* m_trainingDock = nullptr;
  ReferenceCommands* m_references = nullptr;
  EffectController* m_effect = nullptr;
  Docks* m_docks = nullptr;
  Workspaces* m_workspaces = nullptr;
  CommandPalette* m_palette = nullptr;

  OpeningCommands* m_opening = nullptr;
  RecentPaths* m_recentPaths = nullptr;
  RecentCommands* m_recent = nullptr;
  StartPage* m_start = nullptr;
  ModelOffer* m_offer = nullptr;
  FigureCommands* m_figures = nullptr;
  AverageCommands* m_averages = nullptr;
  PageUse* m_pageUse = nullptr;
  ViewCommands* m_viewCommands = nullptr;
  HelpCommands* m_help = nullptr;
  TrainingController* m_trainings = nullptr;
  FollowController* m_following = nullptr;
  VideoController* m_video = nullptr;
  std::unique_ptr<SessionController> m_session;
  std::unique_ptr<Tour> m_tour;
  bool m_closing = false;  ///< once the training has stopped
};

}  // namespace headlight
