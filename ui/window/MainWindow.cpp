#include "ui/window/MainWindow.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDesktopServices>
#include <QDir>
#include <QDockWidget>
#include <QDropEvent>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QSplitter>
#include <QTabWidget>
#include <QUrl>
#include <QVBoxLayout>

#include "ui/base/BackgroundTask.h"
#include "ui/base/Dialogs.h"
#include "ui/base/Icons.h"
#include "ui/base/MessageLog.h"
#include "ui/base/PlainLabels.h"
#include "ui/base/ShownText.h"
#include "ui/base/Theme.h"
#include "ui/maps/Canvas.h"
#include "ui/maps/CompareView.h"
#include "ui/maps/HeadsGrid.h"
#include "ui/maps/PredictionPanel.h"
#include "ui/maps/RolloutView.h"
#include "ui/maps/ViewControls.h"
#include "ui/masks/MaskPanel.h"
#include "ui/opening/GalleryDock.h"
#include "ui/opening/Opener.h"
#include "ui/sequences/SequenceWindow.h"
#include "ui/training/TrainingDock.h"
#include "ui/window/CommandPalette.h"
#include "ui/window/HelpBrowser.h"
#include "ui/window/StatusLine.h"

namespace headlight {
namespace {

constexpr int kGalleryWidth = 158, kMasksWidth = 330, kTrainingHeight = 212;
constexpr int kPredictionHeight = 132;

QStringList localPaths(const QMimeData* data) {
  QStringList paths;
  for (const QUrl& url : data->urls())
    if (url.isLocalFile()) paths << url.toLocalFile();
  return paths;
}

QWidget* makeDropHint(QWidget* parent) {
  auto* hint = new QLabel(
      QObject::tr("Drop pictures, folders, checkpoints, configs, mask schemes or sessions"),
      parent);
  hint->setObjectName(QStringLiteral("dropHint"));
  hint->setAlignment(Qt::AlignCenter);
  hint->setAutoFillBackground(true);
  hint->setFrameShape(QFrame::Box);
  hint->setAttribute(Qt::WA_TransparentForMouseEvents);
  hint->hide();
  return hint;
}

}  // namespace

MainWindow::MainWindow(Theme* theme, MessageLog* log, const MainWindowOptions& options)
    : m_options(options),
      m_theme(theme),
      m_log(log),
      m_document(std::make_unique<Document>()),
      m_images(std::make_unique<ImageBridge>()),
      m_look(std::make_unique<LookBridge>(m_document.get())),
      m_training(std::make_unique<TrainingBridge>()),
      m_gallery(std::make_unique<GalleryModel>(m_images.get())),
      m_keeper(std::make_unique<SessionKeeper>(options.sessionPath, [this] { return session(); })) {
  setObjectName(QStringLiteral("mainWindow"));
  new PlainLabels(this);
  setWindowIcon(applicationIcon());
  setAcceptDrops(true);
  setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
  resize(1280, 800);
  m_writer = new BackgroundTask(this);
  m_status = new StatusLine(m_document.get(), this);
  setStatusBar(m_status);
  m_opener = new Opener(m_document.get(), m_look.get(), m_images.get(), m_gallery.get(), this);
  buildCentre();
  buildDocks();
  m_actions = new Actions(this);
  buildCommands();
  m_palette = new CommandPalette(m_actions, this);
  m_dropHint = makeDropHint(this);
  connectParts();
  connectTraining();
  takeNoDropsInside();
  m_gallery->addSamples();
  updateTitle();
  updateCommands();
  m_defaultLayout = saveState();
}

MainWindow::~MainWindow() {
  // Widgets first: they read the document until they are gone. Then the bridges join their threads.
  m_started = false;
  const auto children = findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
  qDeleteAll(children);
}

void MainWindow::buildCentre() {
  auto* centre = new QWidget(this);
  m_notices = new NoticeBar(centre);
  auto* controls = new ViewControls(m_document.get(), centre);
  m_tabs = new QTabWidget(centre);
  m_tabs->setObjectName(QStringLiteral("tabs"));
  m_tabs->setAccessibleName(tr("Pictures"));
  m_tabs->setDocumentMode(true);
  const auto addTab = [this](QWidget* page, const QString& name, const QString& icon,
                             const QString& title, const QString& tip) {
    const int index = m_tabs->addTab(page, lineIcon(icon), title);
    m_tabs->setTabToolTip(index, tip);
    page->setProperty("tab", name);
  };
  auto* heads = new HeadsGrid(m_document.get(), m_tabs);
  addTab(new Canvas(m_document.get(), m_tabs), QStringLiteral("canvas"), QStringLiteral("image"),
         tr("Canvas"), tr("The picture and where one head looks"));
  addTab(heads, QStringLiteral("heads"), QStringLiteral("heads"), tr("Heads"),
         tr("Every layer and head at once"));
  addTab(new RolloutView(m_document.get(), m_tabs), QStringLiteral("rollout"),
         QStringLiteral("rollout"), tr("Rollout"), tr("Attention through all layers"));
  addTab(new CompareView(m_document.get(), m_tabs), QStringLiteral("compare"),
         QStringLiteral("compare"), tr("Compare"),
         tr("How alike layers look; a map before and after an edit"));
  connect(heads, &HeadsGrid::openRequested, this, [this] { showTab(QStringLiteral("canvas")); });

  m_centre = new QSplitter(Qt::Vertical, centre);
  m_centre->addWidget(m_tabs);
  m_centre->addWidget(new PredictionPanel(m_document.get(), m_centre));
  m_centre->setStretchFactor(0, 1);
  m_centre->setChildrenCollapsible(false);
  m_centre->setSizes({400, kPredictionHeight});
  auto* layout = new QVBoxLayout(centre);
  layout->setContentsMargins(2, 2, 2, 2);
  layout->setSpacing(2);
  layout->addWidget(m_notices);
  layout->addWidget(controls);
  layout->addWidget(m_centre, 1);
  setCentralWidget(centre);
}

void MainWindow::buildDocks() {
  m_galleryDock = new GalleryDock(m_document.get(), m_gallery.get(), this);
  m_maskPanel = new MaskPanel(m_document.get(), this);
  m_trainingDock = new TrainingDock(m_document.get(), m_training.get(), this);
  auto* gallery =
      addDock(QStringLiteral("dock.gallery"), tr("Gallery"), m_galleryDock, Qt::LeftDockWidgetArea);
  auto* masks =
      addDock(QStringLiteral("dock.masks"), tr("Masks"), m_maskPanel, Qt::RightDockWidgetArea);
  auto* training = addDock(QStringLiteral("dock.training"), tr("Training"), m_trainingDock,
                           Qt::BottomDockWidgetArea);
  resizeDocks({gallery, masks}, {kGalleryWidth, kMasksWidth}, Qt::Horizontal);
  resizeDocks({training}, {kTrainingHeight}, Qt::Vertical);
}

QDockWidget* MainWindow::addDock(const QString& name, const QString& title, QWidget* content,
                                 Qt::DockWidgetArea area) {
  auto* dock = new QDockWidget(title, this);
  dock->setObjectName(name);
  dock->setAccessibleName(title);
  dock->setWidget(content);
  addDockWidget(area, dock);
  m_docks << dock;
  connect(dock, &QDockWidget::visibilityChanged, this, &MainWindow::sessionChanged);
  connect(dock, &QDockWidget::dockLocationChanged, this, &MainWindow::sessionChanged);
  return dock;
}

void MainWindow::takeNoDropsInside() {
  // A file dropped on a text field is for the window, not to be typed in.
  for (auto* field : findChildren<QLineEdit*>())
    field->setAcceptDrops(false);
  for (auto* area : findChildren<QAbstractScrollArea*>()) {
    area->setAcceptDrops(false);
    area->viewport()->setAcceptDrops(false);
  }
}

void MainWindow::resetLayout() {
  restoreState(m_defaultLayout);
  for (QDockWidget* dock : m_docks)
    dock->show();
  resizeDocks({m_docks[0], m_docks[1]}, {kGalleryWidth, kMasksWidth}, Qt::Horizontal);
  resizeDocks({m_docks[2]}, {kTrainingHeight}, Qt::Vertical);
  m_centre->setSizes({m_centre->height() - kPredictionHeight, kPredictionHeight});
}

void MainWindow::updateTitle() {
  QStringList parts;
  if (m_document->hasModel()) {
    parts << shownName(m_document->model().experiment.model.name);
    if (m_document->hasImage()) parts << m_document->imageName();
    parts << tr("scheme “%1”").arg(shownName(m_document->masks().name()));
  }
  setWindowTitle(parts.isEmpty() ? tr("Headlight")
                                 : tr("Headlight — %1").arg(parts.join(QStringLiteral(" · "))));
}

void MainWindow::showTab(const QString& name) {
  for (int i = 0; i < m_tabs->count(); ++i)
    if (m_tabs->widget(i)->property("tab").toString() == name) m_tabs->setCurrentIndex(i);
}

QString MainWindow::currentTab() const {
  return m_tabs->currentWidget()->property("tab").toString();
}

bool MainWindow::isIdle() const {
  const bool imageDue =
      !m_document->hasImage() && m_gallery->rowCount() > 0 && m_images->isLoading();
  return !m_opener->isBusy() && !m_document->isStale() && !imageDue &&
         m_images->pendingThumbnails() == 0 && m_look->activity().isEmpty();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (isTraining() && !m_closing) {
    event->ignore();
    dialogs().confirm(this, tr("A training is running"),
                      tr("Closing stops it after the present step and writes a checkpoint, so that "
                         "it can be resumed from there."),
                      tr("Stop and close"), [this](bool yes) {
                        if (!yes) return;
                        m_closing = true;
                        m_training->stop();
                        if (m_sequences) m_sequences->stopTraining();
                        if (!isTraining()) close();
                      });
    return;
  }
  if (isTraining()) {  // stopping; its end closes
    // One may have begun since the question was answered.
    m_training->stop();
    if (m_sequences) m_sequences->stopTraining();
    event->ignore();
    return;
  }
  if (m_started) {
    const QString error = m_keeper->saveNow();
    if (!error.isEmpty()) logError(error.toStdString());
  }
  event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (localPaths(event->mimeData()).isEmpty()) return;
  event->acceptProposedAction();
  m_dropHint->setGeometry(centralWidget()->geometry().adjusted(20, 20, -20, -20));
  m_dropHint->show();
  m_dropHint->raise();
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent*) {
  m_dropHint->hide();
}

void MainWindow::dropEvent(QDropEvent* event) {
  m_dropHint->hide();
  const QStringList paths = localPaths(event->mimeData());
  if (paths.isEmpty()) return;
  event->acceptProposedAction();
  openPaths(paths);
}

void MainWindow::openPaths(const QStringList& paths) {
  m_opener->open(paths);
}

}  // namespace headlight
