#pragma once
// The window: puts the parts together and keeps the session. What the parts do is theirs.

#include <QHash>
#include <QMainWindow>
#include <QPointer>
#include <QTimer>

#include <memory>
#include <optional>

#include "ui/base/Actions.h"
#include "ui/base/NoticeBar.h"
#include "ui/bridge/GalleryModel.h"
#include "ui/bridge/ImageBridge.h"
#include "ui/bridge/LookBridge.h"
#include "ui/bridge/TrainingBridge.h"
#include "ui/document/Document.h"
#include "ui/document/SessionKeeper.h"

class QActionGroup;
class QDockWidget;
class QSplitter;
class QTabWidget;

namespace headlight {

class BackgroundTask;
class CommandPalette;
class GalleryDock;
class HelpBrowser;
class MaskPanel;
class MessageLog;
class Opener;
class PictureView;
class SequenceWindow;
class StatusLine;
class Theme;
class TrainingDock;

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

  void showTab(const QString& name);  ///< canvas, heads, rollout, compare
  QString currentTab() const;
  /// Nothing is being opened, read or looked at: the picture is what it will be.
  bool isIdle() const;

  Document* document() { return m_document.get(); }
  Opener* opener() { return m_opener; }
  LookBridge* lookBridge() { return m_look.get(); }
  ImageBridge* imageBridge() { return m_images.get(); }
  TrainingBridge* trainingBridge() { return m_training.get(); }
  GalleryModel* gallery() { return m_gallery.get(); }
  Actions* actions() { return m_actions; }
  NoticeBar* noticeBar() { return m_notices; }
  CommandPalette* commandPalette() { return m_palette; }
  HelpBrowser* showHelp(const QString& page);
  SequenceWindow* showSequences();

 protected:
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  // MainWindow.cpp: parts and how they are joined
  void buildCentre();
  void buildDocks();
  QDockWidget* addDock(const QString& name, const QString& title, QWidget* content,
                       Qt::DockWidgetArea area);
  void resetLayout();
  void takeNoDropsInside();
  void updateTitle();
  void sessionChanged();
  void applySession(const Session& session);
  void applyLayout(const Session& session);
  void restorePrevious();
  void rememberSettings(const Experiment& experiment);
  void openRandomModel();

  // MainWindowWiring.cpp: who hears of what
  void connectParts();
  void connectLook();
  void connectOpener();
  void connectTraining();
  bool isTraining() const;  ///< a model of this window, or one of sequences
  void showActivity();
  void onFailed(const QString& title, const QString& text);

  // MainWindowCommands.cpp, MainWindowViewCommands.cpp: the menus and what their commands do
  void buildCommands();
  void addFileCommands();
  void addEditCommands();
  void addModelCommands();
  void addMaskCommands();
  void addTrainCommands();
  void addViewCommands();
  void addStepCommands();
  void addZoomCommands();
  void addColorCommands();
  void addThemeCommands();
  void addHelpCommands();
  void buildMenus();
  void updateCommands();
  void changeView(const std::function<void(ViewOptions&)>& change);
  PictureView* pictureInTab() const;

  // MainWindowDialogs.cpp: dialogs and long commands
  void chooseFiles();
  void chooseFolder();
  void chooseModel();
  void chooseWeights();
  void saveWeights();
  void saveSessionAs();
  void openSessionFile();
  void exportFigure();
  void exportConfig(const Experiment& experiment, QWidget* parent);
  void chooseTraining();
  void chooseRunToResume();
  void copyPicture();

  MainWindowOptions m_options;
  Theme* m_theme;
  MessageLog* m_log;

  std::unique_ptr<Document> m_document;
  std::unique_ptr<ImageBridge> m_images;
  std::unique_ptr<LookBridge> m_look;
  std::unique_ptr<TrainingBridge> m_training;
  std::unique_ptr<GalleryModel> m_gallery;
  std::unique_ptr<SessionKeeper> m_keeper;

  Actions* m_actions = nullptr;
  Opener* m_opener = nullptr;
  BackgroundTask* m_writer = nullptr;
  NoticeBar* m_notices = nullptr;
  StatusLine* m_status = nullptr;
  QTabWidget* m_tabs = nullptr;
  QSplitter* m_centre = nullptr;
  GalleryDock* m_galleryDock = nullptr;
  MaskPanel* m_maskPanel = nullptr;
  TrainingDock* m_trainingDock = nullptr;
  QList<QDockWidget*> m_docks;
  CommandPalette* m_palette = nullptr;
  QPointer<HelpBrowser> m_help;
  QPointer<SequenceWindow> m_sequences;  ///< null until it is wanted
  QWidget* m_dropHint = nullptr;
  QByteArray m_defaultLayout;
  QTimer m_enableTimer;

  std::optional<Experiment> m_settings;  ///< data, training and telemetry as used last
  bool m_started = false;
  bool m_restoring = false;
  std::optional<Session> m_restored;  ///< that is being restored
  bool m_closing = false;
};

/// The weights of the demo model: beside the program, in the source tree or installed. Empty if
/// there are none.
QString demoWeights();

}  // namespace headlight
