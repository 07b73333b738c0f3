// What the window opens with, and what it remembers.

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QSplitter>

#include "core/base/Log.h"
#include "ui/base/Theme.h"
#include "ui/opening/Opener.h"
#include "ui/training/TrainDialog.h"
#include "ui/window/MainWindow.h"

#ifndef HEADLIGHT_SOURCE_MODELS
#define HEADLIGHT_SOURCE_MODELS ""
#endif

namespace headlight {
namespace {

constexpr const char* kDemo = "demo/demo.safetensors";

/// What stands in for the demo model where its weights are missing: small enough to open at once.
Experiment smallModel() {
  Experiment experiment;
  experiment.name = "small";
  experiment.model.name = "small-random";
  experiment.model.imageSize = 96;
  experiment.model.patchSize = 8;
  experiment.model.width = 96;
  experiment.model.depth = 6;
  experiment.model.heads = 3;
  experiment.model.classes = 9;
  return experiment;
}

}  // namespace

QString demoWeights() {
  const QString program = QCoreApplication::applicationDirPath();
  for (const QString& folder :
       {program + QStringLiteral("/models"), program + QStringLiteral("/../models"),
        program + QStringLiteral("/../share/headlight/models"),
        QStringLiteral(HEADLIGHT_SOURCE_MODELS)}) {
    if (folder.isEmpty()) continue;
    const QFileInfo file(QDir(folder).filePath(kDemo));
    if (file.isFile()) return file.canonicalFilePath();
  }
  return {};
}

void MainWindow::start() {
  m_look->configure(m_options.threads);
  QString problem;
  const auto last = m_keeper->load(&problem);
  if (!problem.isEmpty())
    m_notices->add(
        {Notice::Level::Warning, tr("The last session was not restored"), problem, {}, {}});
  m_started = true;
  if (last && m_options.restoreModel)
    applySession(*last);
  else if (last) {
    m_keeper->keepPrevious(*last);
    applyLayout(*last);
  } else if (m_options.openDemo)
    openDemo();
}

void MainWindow::openDemo() {
  if (!m_document->hasImage() && m_gallery->rowCount() > 0)
    m_opener->openImage(m_gallery->pathAt(m_gallery->index(0)));
  const QString weights = demoWeights();
  if (weights.isEmpty()) {
    openRandomModel();
    return;
  }
  ModelSource source;
  source.weights = weights.toStdString();
  m_look->openModel(source);
}

void MainWindow::openRandomModel() {
  m_look->createModel(smallModel(), [this] {
    m_notices->add({Notice::Level::Warning, tr("The demo model is not here"),
                    tr("models/demo/demo.safetensors is missing. A small model with random weights "
                       "stands in: its maps and predictions mean nothing."),
                    tr("Choose a model…"), [this] { chooseModel(); }});
  });
}

std::optional<Session> MainWindow::session() const {
  if (!m_document->hasModel()) return std::nullopt;
  Session session = sessionOf(*m_document);
  if (m_settings) {
    session.experiment.data = m_settings->data;
    session.experiment.training = m_settings->training;
    session.experiment.telemetry = m_settings->telemetry;
  }
  session.gallery = m_gallery->sources();
  session.tab = currentTab();
  session.theme = themeName(m_theme->choice());
  session.geometry = saveGeometry();
  session.docks = saveState();
  return session;
}

void MainWindow::sessionChanged() {
  if (m_started && !m_restoring) m_keeper->changed();
}

void MainWindow::restoreSession(const Session& wanted) {
  m_keeper->keepPrevious();
  applySession(wanted);
}

void MainWindow::restorePrevious() {
  if (const auto previous = m_keeper->previous()) restoreSession(*previous);
}

void MainWindow::applySession(const Session& session) {
  // Until the model is open, what is on the disk is newer than what the window shows.
  m_restoring = true;
  m_restored = session;
  applyLayout(session);
  m_settings = session.experiment;
  if (!session.imagePath.isEmpty()) m_opener->openImage(session.imagePath);

  // A figure from another machine: the demo model lies elsewhere there.
  const bool demoMoved = session.weights.endsWith(QLatin1String(kDemo)) &&
                         !QFileInfo::exists(session.weights) && !demoWeights().isEmpty();
  const QString weights = demoMoved ? demoWeights() : session.weights;
  const auto whenOpen = [this, session] {
    const auto masks = resolveMasks(session.experiment.masks, m_document->masks().shape());
    if (masks) m_document->replaceMasks(*masks);
    m_document->setView(session.view);
    m_restoring = false;
    m_restored.reset();
    sessionChanged();
  };
  m_look->restoreModel(session.experiment, weights, whenOpen, session.partial);
}

void MainWindow::applyLayout(const Session& session) {
  if (const auto choice = themeFromName(session.theme)) m_theme->setChoice(*choice);
  if (!session.geometry.isEmpty()) restoreGeometry(session.geometry);
  if (!session.docks.isEmpty()) restoreState(session.docks);
  if (!session.tab.isEmpty()) showTab(session.tab);
  m_opener->addToGallery(session.gallery);
}

Experiment MainWindow::trainingExperiment() const {
  Experiment experiment = trainingExperimentOf(*m_document);
  if (m_settings) {
    experiment.data = m_settings->data;
    experiment.training = m_settings->training;
    experiment.telemetry = m_settings->telemetry;
  }
  return experiment;
}

void MainWindow::startTraining(const Experiment& experiment, const QString& folder) {
  rememberSettings(experiment);
  m_training->start(experiment, folder);
}

void MainWindow::rememberSettings(const Experiment& experiment) {
  m_settings = experiment;
  m_settings->training.weights.clear();  // where one run began is not where the next one must
  sessionChanged();
}

}  // namespace headlight
