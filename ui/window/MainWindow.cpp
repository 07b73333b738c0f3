// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/MainWindow.h"

#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QMenuBar>

#include "core/base/Log.h"
#include "core/workbench/loading/WeightsName.h"
#include "ui/attribution/ExplanationView.h"
#include "ui/base/Icons.h"
#include "ui/base/MessageLog.h"
#include "ui/base/SanitizedText.h"
#include "ui/base/Theme.h"
#include "ui/canvas/HeadThumbnails.h"
#include "ui/canvas/ViewControls.h"
#include "ui/compare/CompareSides.h"
#include "ui/compare/CompareView.h"
#include "ui/compare/SimilarityPage.h"
#include "ui/evaluation/EffectLine.h"
#include "ui/evaluation/PredictionPanel.h"
#include "ui/heads/HeadsGrid.h"
#include "ui/heads/NumberChooser.h"
#include "ui/masks/MaskMatrix.h"
#include "ui/masks/MaskPanel.h"
#include "ui/masks/ReferenceCommands.h"
#include "ui/opening/GalleryDock.h"
#include "ui/opening/ModelOffer.h"
#include "ui/opening/Opener.h"
#include "ui/opening/OpeningCommands.h"
#include "ui/opening/RecentCommands.h"
#include "ui/opening/StartPage.h"
#include "ui/tour/Tour.h"
#include "ui/training/RunLine.h"
#include "ui/training/TrainingDock.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/FieldKeys.h"
#include "ui/widgets/PlainTextLabels.h"
#include "ui/widgets/StackedWidgets.h"
#include "ui/widgets/ToolTipWrapping.h"
#include "ui/window/AnglesCommands.h"
#include "ui/window/AverageCommands.h"
#include "ui/window/CommandPalette.h"
#include "ui/window/ContextMenus.h"
#include "ui/window/EffectController.h"
#include "ui/window/FigureCommands.h"
#include "ui/window/FileDrops.h"
#include "ui/window/FollowController.h"
#include "ui/window/HelpCommands.h"
#include "ui/window/MechanismPlotCommands.h"
#include "ui/window/Menus.h"
#include "ui/window/NoticeStates.h"
#include "ui/window/RunImage.h"
#include "ui/window/SessionController.h"
#include "ui/window/SpeedCommands.h"
#include "ui/window/StatusLine.h"
#include "ui/window/ThemeCommands.h"
#include "ui/window/TrainingController.h"
#include "ui/window/VideoController.h"
#include "ui/workspace/CenterPage.h"
#include "ui/workspace/Docks.h"
#include "ui/workspace/ImageKeys.h"
#include "ui/workspace/ImageTabs.h"
#include "ui/workspace/PageUse.h"
#include "ui/workspace/ViewCommands.h"
#include "ui/workspace/Workspaces.h"

namespace headlight {

MainWindow::MainWindow(Theme* theme, MessageLog* log, const MainWindowOptions& options)
    : m_options(options),
      m_theme(theme),
      m_log(log),
      m_document(std::make_unique<Document>()),
      m_images(std::make_unique<ImageBridge>()),
      m_inference(std::make_unique<ModelWorker>(m_document.get())),
      m_training(std::make_unique<TrainingBridge>()),
      m_follow(std::make_unique<FollowBridge>()),
      m_gallery(std::make_unique<GalleryModel>(m_images.get())),
      m_actions(new Actions(this)),
      m_opener(
          new Opener(m_document.get(), m_inference.get(), m_images.get(), m_gallery.get(), this)) {
  setObjectName(QStringLiteral("mainWindow"));
  new PlainTextLabels(this);
  new ToolTipWrapping(this);
  setWindowIcon(applicationIcon());
  // Not animated: an arrangement that is restored while a dock is still on its way crashes in Qt.
  setDockOptions(AllowNestedDocks | AllowTabbedDocks);
  resize(1280, 800);
  buildPanels();
  buildControllers();
  adoptCommands();
  connectControllers();
  connectNotices();
  connectStatus();
  auto* drops = new FileDrops(this);
  connect(drops, &FileDrops::dropped, this, [this](const QStringList& paths) {
    m_center->tabs()->focusPage();
    openPaths(paths);
  });
  m_gallery->addSamples();
  updateTitle();
}

MainWindow::~MainWindow() {
  // What the session holds is going, and must not be kept. Then the widgets: they read the document
  // until they are gone. Then the bridges join their threads.
  m_session.reset();
  m_tour.reset();
  const auto children = findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
  qDeleteAll(children);
}

void MainWindow::buildPanels() {
  m_status = new StatusLine(m_document.get(), this);
  setStatusBar(m_status);
  auto* controls = new ViewControls(m_document.get(), this);
  addToolBar(Qt::TopToolBarArea, controls);
  m_recentPaths = new RecentPaths(m_options.sessionPath, this);
  m_center =
      new CenterPage(m_document.get(), m_inference.get(), {m_recentPaths, m_gallery.get()}, this);
  setCentralWidget(m_center);
  new NoticeStates({noticeBar(), m_inference.get(), m_training.get(), m_follow.get(), m_opener,
                    [this] { return m_session && m_session->isRestoring(); }},
                   this);
  m_pageUse = new PageUse(m_document.get(), m_center->tabs(), this);
  controls->setUse(m_pageUse->use());
  connect(m_pageUse, &PageUse::changed, controls, &ViewControls::setUse);
  m_galleryDock = new GalleryDock(m_document.get(), m_gallery.get(), this);
  m_maskPanel = new MaskPanel(m_document.get(), this);
  auto* thumbnails = new HeadThumbnails(m_document.get(), this);
  m_maskPanel->matrix()->setThumbnails([thumbnails](const HeadPlace& head, const QSize& pixels) {
    return thumbnails->image(head, pixels);
  });
  m_trainingDock = new TrainingDock(m_document.get(), m_training.get(), this);
  m_trainingDock->setFollower(m_follow.get());
  auto* prediction = new PredictionPanel(m_document.get(), this);
  m_references = new ReferenceCommands(m_document.get(), this);
  m_effect = new EffectController(m_document.get(), m_inference.get(), this);
  if (const QFileInfo session(m_options.sessionPath); !m_options.sessionPath.isEmpty())
    m_effect->keepIn(session.dir().filePath(QStringLiteral("results")).toStdString());
  m_center->tabs()->compare()->layers()->setAverages(m_effect->layers());
  auto* tiles = new HeadsGrid(m_document.get(), this);
  const auto numbers = [this] {
    return new NumberChooser(m_document.get(), m_effect->heads(), this);
  };
  m_docks = new Docks(this, {m_galleryDock, stacked({numbers(), tiles}, tiles, this),
                             stacked({prediction, m_effect->line()}, prediction, this),
                             stacked({m_maskPanel, numbers()}, m_maskPanel, this), m_trainingDock});
  m_workspaces = new Workspaces(this, m_docks, m_center->tabs());
  menuBar()->setCornerWidget(m_workspaces->makeSwitch(menuBar()));
  auto* run = new RunLine(m_training.get(), this);
  run->setFollower(m_follow.get());
  addToolBar(Qt::BottomToolBarArea, run);
  connect(run, &RunLine::opened, this, [this] { m_workspaces->show(Workspace::Train); });
  connect(m_docks->training(), &QDockWidget::visibilityChanged, run, &RunLine::setShownElsewhere);
  connect(m_workspaces, &Workspaces::changed, run, &RunLine::showWhereNeeded);
  m_palette = new CommandPalette(m_actions, this);
}

void MainWindow::buildControllers() {
  Document* document = m_document.get();
  m_opening = new OpeningCommands(document, m_inference.get(), m_opener, m_gallery.get(), this);
  m_recent = new RecentCommands(m_recentPaths, document, m_inference.get(), m_opener, this);
  m_start = new StartPage(document, m_inference.get(), m_images.get(), m_opener, m_recent,
                          m_opening->startCommands(), m_center);
  m_center->setStartPage(m_start);
  m_offer = new ModelOffer(document, m_training.get(), m_options.sessionPath, this);
  m_tour = std::make_unique<Tour>(
      TourParts{this, document, m_training.get(), m_workspaces, m_docks, m_center->tabs()});
  m_figures = new FigureCommands(document, m_center->tabs(), m_workspaces, this);
  m_figures->setEvolution(m_trainingDock->images());
  m_averages = new AverageCommands(document, m_inference.get(), m_galleryDock, this);
  m_viewCommands = new ViewCommands(document, m_center->tabs(), this);
  m_viewCommands->setUse(m_pageUse->use());
  connect(m_pageUse, &PageUse::changed, m_viewCommands, &ViewCommands::setUse);
  m_help = new HelpCommands(document, m_actions, m_log, this);
  m_trainings = new TrainingController(document, m_training.get(), m_inference.get(), m_opener,
                                       m_trainingDock, this);
  new RunImage(document, m_training.get(), m_inference.get(), m_workspaces, this);
  if (!m_options.sessionPath.isEmpty()) {
    const QDir beside = QFileInfo(m_options.sessionPath).absoluteDir();
    m_trainings->setPlacesFile(beside.filePath(QStringLiteral("runs.json")));
    m_inference->keepTaughtIn(beside.filePath(QLatin1String(kTaughtFolder)).toStdString());
  }
  m_following = new FollowController({document, m_follow.get(), m_training.get(), m_inference.get(),
                                      m_opener, m_trainingDock, this});
  m_video = new VideoController({document, m_inference.get(), m_gallery.get(), m_opener,
                                 m_center->tabs(), m_workspaces, this});
  m_session = std::make_unique<SessionController>(
      SessionParts{this, document, m_inference.get(), m_gallery.get(), m_theme, m_center->tabs(),
                   m_docks, m_workspaces, m_opener, m_opening, m_trainings, m_following},
      m_options.sessionPath);
}

/// The menus and the palette show them in this order.
void MainWindow::adoptCommands() {
  auto* quit = makeCommand(
      this, {"file.quit", tr("&Quit"), tr("Save the session and close the window"), "Ctrl+Q", {}},
      [this] { close(); });
  m_actions->adopt(tr("File"), m_opening->fileCommands() + m_video->fileCommands());
  m_actions->adopt(tr("File"), m_recent->commands());
  m_actions->adopt(tr("File"), m_galleryDock->commands());
  const QString pageFile =
      m_options.sessionPath.isEmpty()
          ? QString()
          : QFileInfo(m_options.sessionPath).dir().filePath(QStringLiteral("figure-page.json"));
  m_actions->adopt(tr("File"), {m_figures->exportAction(),
                                m_figures->makePages(m_inference.get(), m_galleryDock, pageFile)});
  m_actions->adopt(tr("File"), m_trainings->fileCommands() + m_session->commands());
  m_actions->adopt(tr("File"), {quit});
  m_actions->adopt(tr("Edit"), m_maskPanel->editCommands());
  m_actions->adopt(tr("Edit"), {m_figures->copyAction()});
  m_actions->adopt(tr("Edit"), m_palette->commands() + noticeBar()->commands());
  m_actions->adopt(tr("Model"),
                   m_opening->modelCommands() + m_offer->commands() + m_help->modelCommands());
  m_actions->adopt(tr("Model"), m_effect->modelCommands());
  m_actions->adopt(tr("Model"),
                   (new AnglesCommands(m_document.get(), m_inference.get(), this))->commands());
  m_actions->adopt(
      tr("Model"),
      (new MechanismPlotCommands(m_document.get(), m_inference.get(), this))->commands());
  m_actions->adopt(tr("Model"), (new SpeedCommands(m_document.get(), this))->commands());
  m_actions->adopt(tr("Model"), m_trainings->modelCommands());
  m_actions->adopt(tr("Masks"), m_maskPanel->commands() + m_references->commands());
  m_actions->adopt(tr("Masks"), m_effect->commands() + m_trainings->maskCommands());
  m_actions->adopt(tr("Train"), m_trainingDock->commands());
  m_actions->adopt(tr("Train"), QList<QAction*>{m_figures->filmAction()});
  m_actions->adopt(tr("Train"), m_trainings->trainCommands());
  m_actions->adopt(tr("View"), m_workspaces->commands() + m_center->tabs()->commands());
  m_actions->adopt(tr("View"), m_center->tabs()->compare()->sides()->commands());
  m_actions->adopt(tr("View"), m_center->tabs()->explanations()->commands());
  m_actions->adopt(tr("View"), {m_figures->headsAction()});
  m_actions->adopt(tr("View"), m_video->viewCommands());
  m_actions->adopt(tr("View"), m_averages->commands());
  m_actions->adopt(tr("View"), m_docks->commands());
  m_actions->adopt(tr("View"), m_viewCommands->commands() + themeCommands(m_theme, this));
  m_actions->adopt(tr("Help"), m_help->commands() + m_tour->commands());
  fillMenuBar(menuBar(), *m_actions);
  new FieldKeys(m_actions, this);
  new ImageKeys(this, m_center->tabs());
  addContextMenus(m_actions, m_center->tabs(), m_docks);
}

// --- Who hears of what -------------------------------------------------------------------------

void MainWindow::connectControllers() {
  connect(m_galleryDock, &GalleryDock::chosen, m_opener, &Opener::openImage);
  connect(m_offer, &ModelOffer::openRequested, m_opener,
          [this](const QString& folder) { m_opener->open({folder}); });
  connect(m_offer, &ModelOffer::othersWanted, m_opening, &OpeningCommands::getModel);
  connect(m_offer, &ModelOffer::tourWanted, m_tour.get(), &Tour::start);
  connect(m_workspaces, &Workspaces::changed, m_offer, &ModelOffer::refresh);
  connect(m_effect, &EffectController::openRequested, this, [this](const QString& path) {
    ModelSource source;  // a model of its own: its weights alone would keep the branch here
    source.weights = path.toStdString();
    m_inference->openModel(source);
  });
  connect(m_galleryDock, &GalleryDock::colorsRequested, m_center->tabs()->explanations(),
          &ExplanationView::showTogether);
  connect(m_images.get(), &ImageBridge::imageFailed, m_galleryDock, &GalleryDock::markShown);
  connect(m_galleryDock, &GalleryDock::addRequested, m_opening, &OpeningCommands::chooseFiles);
  connect(m_maskPanel, &MaskPanel::neededInView, this, [this] {
    if (!m_docks->masks()->isVisible()) m_workspaces->show(Workspace::Mask);
    m_docks->masks()->show();
  });
  connect(m_workspaces, &Workspaces::changed, m_center->tabs(), &ImageTabs::focusPage);
  connect(m_trainings, &TrainingController::runOpened, m_recent, &RecentCommands::addRun);
  connect(m_following, &FollowController::began, m_recent, &RecentCommands::addRun);
  connect(m_trainings, &TrainingController::showRequested, this,
          [this] { m_workspaces->show(Workspace::Train); });
  connect(m_trainingDock, &TrainingDock::compareRequested, this,
          [this](const QString& start, const QString& trained) {
            Comparison comparison = m_center->tabs()->compare()->sides()->comparison();
            comparison.sides = {CompareSide{start, SideMasks::Own, {}, {}},
                                CompareSide{trained, SideMasks::Own, {}, {}}};
            m_workspaces->show(Workspace::Compare);
            m_center->tabs()->compare()->sides()->showComparison(comparison);
          });
  connect(m_trainings, &TrainingController::followRequested, m_following,
          &FollowController::follow);
  connect(m_following, &FollowController::showRequested, this,
          [this] { m_workspaces->show(Workspace::Train); });
  connect(m_following, &FollowController::resumeOffered, m_trainings,
          &TrainingController::offerToResume);
  connect(m_trainings, &TrainingController::helpRequested, m_help, &HelpCommands::showPage);
  connect(m_trainings, &TrainingController::ended, this, [this] {
    if (m_closing) close();
  });
  connect(&m_document->inputs(), &InferenceInputs::modelChanged, this, &MainWindow::updateTitle);
  connect(&m_document->inputs(), &InferenceInputs::imageChanged, this, &MainWindow::updateTitle);
  connect(&m_document->inputs(), &InferenceInputs::masksChanged, this, &MainWindow::updateTitle);
  connect(m_document.get(), &Document::sourceNoteChanged, this, &MainWindow::updateTitle);
  connect(&m_document->recorded(), &RecordedStep::changed, this, &MainWindow::updateTitle);
  connect(m_document.get(), &Document::inferenceChanged, this, &MainWindow::updateTitle);
}

void MainWindow::connectNotices() {
  const auto errorsAbout = [this](Notice::Abouts about) {
    return [this, about](const QString& title, const QString& text) {
      reportError(title, text, about);
    };
  };
  connect(m_document.get(), &Document::failed, this, errorsAbout(Notice::File | Notice::Model));
  connect(m_inference.get(), &ModelWorker::notKept, this, errorsAbout(Notice::Model));
  connect(m_session.get(), &SessionController::failed, this, errorsAbout(Notice::File));
  connect(m_trainings, &TrainingController::failed, this, errorsAbout(Notice::Run));
  connect(m_figures, &FigureCommands::failed, this, errorsAbout(Notice::File | Notice::Model));
  connect(m_trainings, &TrainingController::sequencesReported, this,
          [this](const QString& text, bool problem) {
            m_log->keep(problem ? LogLevel::Error : LogLevel::Info,
                        tr("Sequence models: %1").arg(text));
          });
  const auto about = [this](Notice::Abouts about) {
    return [this, about](const Notice& notice) { notify(notice, about); };
  };
  connect(m_opener, &Opener::notice, this, about(Notice::File));
  connect(m_opening, &OpeningCommands::notice, this, about(Notice::File | Notice::Model));
  connect(m_video, &VideoController::notice, this, about(Notice::File));
  connect(m_session.get(), &SessionController::notice, this, about(Notice::File));
  connect(m_trainings, &TrainingController::notice, this, about(Notice::Run));
  connect(m_following, &FollowController::notice, this, about(Notice::Run));
  connect(m_document.get(), &Document::message, m_log,
          [this](const QString& text) { m_log->keep(LogLevel::Info, shownText(text)); });
  connect(m_log, &MessageLog::added, this, [this](LogLevel level, const QString& text) {
    if (level == LogLevel::Info) return;
    const bool warning = level == LogLevel::Warning;
    Notice notice{warning ? Notice::Level::Warning : Notice::Level::Error, {}, text, {}, {}};
    if (m_training->isRunning()) notice.about = Notice::Run;
    noticeBar()->add(notice);
  });
}

void MainWindow::connectStatus() {
  const auto showActivity = [this] {
    m_status->setActivity(m_inference->activity(), m_inference->isOpening());
  };
  connect(m_inference.get(), &ModelWorker::activityChanged, this, showActivity);
  connect(m_figures, &FigureCommands::activityChanged, this,
          [this, showActivity](const QString& text) {
            if (text.isEmpty()) return showActivity();
            m_status->setActivity(text, false);
          });
  connect(m_inference.get(), &ModelWorker::computeDescribed, m_status,
          &StatusLine::setComputeDescription);
  connect(m_status, &StatusLine::cancelRequested, this, [this] {
    m_inference->cancelOpening();
    m_images->cancelInspections();
  });
}

void MainWindow::reportError(const QString& title, const QString& text, Notice::Abouts about) {
  m_log->notify(LogLevel::Error, shownText(title + QStringLiteral(": ") + text));
  Notice error{Notice::Level::Error, title, text, {}, {}};
  error.about = about;
  noticeBar()->add(error);
}

/// Help → Messages keeps it when it is closed. `about`: unless the notice says it itself.
void MainWindow::notify(Notice notice, Notice::Abouts about) {
  if (!notice.hasWords()) return noticeBar()->add(notice);
  if (!notice.about) notice.about = about;
  const LogLevel level = notice.level == Notice::Level::Info      ? LogLevel::Info
                         : notice.level == Notice::Level::Warning ? LogLevel::Warning
                                                                  : LogLevel::Error;
  m_log->keep(
      level, shownText(notice.title.isEmpty() ? notice.text
                                              : notice.title + QStringLiteral(": ") + notice.text));
  noticeBar()->add(notice);
}

void MainWindow::updateTitle() {
  QStringList parts;
  if (m_document->inputs().hasModel()) {
    const RecordedStep& shown = m_document->recorded();
    parts << m_document->modelTitle();
    if (m_document->inputs().hasImage()) parts << shown.shownImageName();
    parts << tr("scheme “%1”").arg(displayName(schemeTitle(shown.shownMasks())));
    if (const QString note = m_document->runNote(); !parts.first().contains(note)) parts << note;
  }
  // The system adds the program's name.
  setWindowTitle(parts.isEmpty() ? tr("Headlight") : parts.join(QStringLiteral(" · ")));
}

// --- What programs and tests ask of it ---------------------------------------------------------

void MainWindow::start() {
  m_inference->configure(m_options.threads);
  m_offer->begin(m_options.openDemo && !QFileInfo::exists(m_options.sessionPath));
  m_session->start(m_options.restoreModel, m_options.openDemo);
  m_start->begin();
  m_center->tabs()->focusPage();
}

void MainWindow::openPaths(const QStringList& paths) {
  m_opener->open(paths);
}

void MainWindow::openDemo() {
  m_opening->openDemo();
}

void MainWindow::restoreSession(const Session& session) {
  m_session->restore(session);
}

std::optional<Session> MainWindow::session() const {
  return m_session->session();
}

void MainWindow::startTraining(const Experiment& experiment, const QString& folder) {
  m_trainings->start(experiment, folder);
}

Experiment MainWindow::trainingExperiment() const {
  return m_trainings->experiment();
}

void MainWindow::showTab(const QString& name) {
  m_center->tabs()->showPage(name);
}

void MainWindow::showWorkspace(const QString& name) {
  m_workspaces->showNamed(name);
}

QString MainWindow::currentWorkspace() const {
  return workspaceName(m_workspaces->current());
}

QString MainWindow::currentTab() const {
  return m_center->tabs()->page();
}

NoticeBar* MainWindow::noticeBar() const {
  return m_center->notices();
}

HelpBrowser* MainWindow::showHelp(const QString& page) {
  return m_help->showPage(page);
}

SequenceWindow* MainWindow::showSequences() {
  return m_trainings->showSequences();
}

bool MainWindow::isIdle() const {
  const bool imageDue =
      !m_document->inputs().hasImage() && m_gallery->rowCount() > 0 && m_images->isLoading();
  return !m_opener->isBusy() && !m_document->isStale() && !imageDue &&
         m_images->pendingThumbnails() == 0 && m_inference->activity().isEmpty() &&
         !m_effect->bridge()->isDue() && !m_effect->heads()->isDue() &&
         !m_center->tabs()->compare()->sides()->isBusy() && !m_video->isBusy();
}

/// Keys work on the image when a dialog has gone.
bool MainWindow::event(QEvent* event) {
  if (event->type() == QEvent::WindowUnblocked && m_center) m_center->tabs()->focusPage();
  return QMainWindow::event(event);
}

// --- Closing -----------------------------------------------------------------------------------

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!m_trainings->isRunning()) {
    m_tour->leave();  // the session is the person's arrangement
    m_session->saveNow();
    event->accept();
    return;
  }
  event->ignore();
  if (m_closing)
    m_trainings->stop();  // one may have begun since the question was answered; its end closes
  else
    askToStopTraining();
}

void MainWindow::askToStopTraining() {
  dialogs().confirm(this, tr("A training is running"),
                    tr("Closing stops it after the present step and writes a checkpoint, so that "
                       "it can be resumed from there."),
                    tr("Stop and close"), [this](bool yes) {
                      if (!yes) return;
                      m_closing = true;
                      m_trainings->stop();
                      if (!m_trainings->isRunning()) close();
                    });
}

}  // namespace headlight
