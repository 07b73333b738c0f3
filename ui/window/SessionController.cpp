// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/SessionController.h"

#include <QDir>
#include <QFileInfo>
#include <QMainWindow>
#include <QTimer>

#include <utility>

#include "core/base/Log.h"
#include "core/workbench/loading/WeightsName.h"
#include "ui/base/Actions.h"
#include "ui/base/SanitizedText.h"
#include "ui/base/Theme.h"
#include "ui/bridge/GalleryModel.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/compare/CompareView.h"
#include "ui/document/Folders.h"
#include "ui/document/ModelText.h"
#include "ui/opening/DemoModel.h"
#include "ui/opening/Opener.h"
#include "ui/opening/OpeningCommands.h"
#include "ui/widgets/Dialogs.h"
#include "ui/window/FollowController.h"
#include "ui/window/TrainingController.h"
#include "ui/workspace/Arranging.h"
#include "ui/workspace/Docks.h"
#include "ui/workspace/ImageTabs.h"
#include "ui/workspace/Workspaces.h"

namespace headlight {
namespace {

constexpr int kSettledMs = 2000;

/// Other classes on what was open, and not the same model for images of another size.
bool isJustTaught(const ModelInfo& next, const ModelInfo& before) {
  const bool taught =
      next.weights.empty() ? !next.randomWeights : !keptTaughtName(next.weights).empty();
  return taught && (next.weights != before.weights || next.weightsName != before.weightsName ||
                    next.classNames != before.classNames);
}

/// What a person should know of what takes the place of `before`; empty: nothing.
QString replacedText(const ModelInfo& next, const ModelInfo& before) {
  if (isJustTaught(next, before))
    return SessionController::tr("The window uses the new classes. Before them, %1 was open.")
        .arg(modelTitle(before));
  if (!next.weights.empty() || !next.randomWeights) return {};
  return SessionController::tr(
             "%1 has random weights: what it shows means nothing until it is "
             "trained. Before it, %2 was open.")
      .arg(displayName(next.experiment.model.name), modelTitle(before));
}

}  // namespace

SessionController::SessionController(const SessionParts& parts, const QString& path)
    : m_parts(parts), m_keeper(path, [this] { return session(); }) {
  makeCommands();
  connectParts();
}

void SessionController::makeCommands() {
  m_commands << makeCommand(this,
                            {"file.openSession",
                             tr("Open &session…"),
                             tr("Restore a saved session, or the one that a PNG figure contains"),
                             "Ctrl+Alt+O",
                             {}},
                            [this] { chooseToOpen(); });
  m_save = makeCommand(
      this,
      {"file.saveSession",
       tr("Save session &as…"),
       tr("Save everything that the window shows; Headlight also saves it automatically"),
       "Ctrl+Shift+S",
       {}},
      [this] { chooseToSave(); });
  m_save->setEnabled(false);
  m_commands << m_save;
  m_commands << makeCommand(
      this,
      {"file.previousSession",
       tr("R&estore the previous session"),
       tr("Show again what the window showed before another session or model was opened"),
       "Ctrl+Alt+Z",
       {}},
      [this] { restorePrevious(); });
}

void SessionController::connectParts() {
  Document* document = m_parts.document;
  for (const auto signal : {&InferenceInputs::modelChanged, &InferenceInputs::imageChanged,
                            &InferenceInputs::masksChanged})
    connect(&document->inputs(), signal, this, &SessionController::changed);
  connect(&document->view(), &ViewState::changed, this, &SessionController::viewChanged);
  connect(m_parts.tabs->compare()->sides(), &CompareSides::changed, this,
          &SessionController::changed);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this,
          [this] { m_save->setEnabled(m_parts.document->inputs().hasModel()); });
  connect(m_parts.gallery, &GalleryModel::rowsInserted, this, &SessionController::changed);
  connect(m_parts.gallery, &GalleryModel::rowsRemoved, this, &SessionController::changed);
  connect(m_parts.tabs, &ImageTabs::currentChanged, this, &SessionController::changed);
  connect(m_parts.docks, &Docks::changed, this, &SessionController::changed);
  connect(m_parts.workspaces, &Workspaces::changed, this, &SessionController::changed);
  connect(m_parts.theme, &Theme::changed, this, &SessionController::changed);
  connect(m_parts.training, &TrainingController::settingsChanged, this,
          &SessionController::changed);
  connect(m_parts.following, &FollowController::changed, this, &SessionController::changed);
  connect(m_parts.opener, &Opener::sessionFound, this, &SessionController::onFound);
  connect(m_parts.inference, &ModelWorker::openingFailed, this,
          &SessionController::onOpeningFailed);
  connect(m_parts.inference, &ModelWorker::replacing, this, &SessionController::onReplacing);
  connect(&m_keeper, &SessionKeeper::failed, this,
          [this](const QString& text) { Q_EMIT failed(tr("The session cannot be saved"), text); });
}

void SessionController::start(bool restoreModel, bool openDemo) {
  QString problem;
  const auto last = m_keeper.load(&problem);
  if (!problem.isEmpty())
    Q_EMIT notice(
        {Notice::Level::Warning, tr("The last session was not restored"), problem, {}, {}});
  m_started = true;
  if (last && restoreModel) {
    apply(*last);
  } else if (last) {
    m_keeper.keepPrevious(*last);
    applyLayout(*last);
    startIsOver();
  } else if (openDemo) {
    m_parts.opening->openDemo();
  }
}

/// Once what was restored has been drawn and computed for a moment.
void SessionController::startIsOver() {
  QTimer::singleShot(kSettledMs, this, [this] { m_keeper.startIsOver(); });
}

std::optional<Session> SessionController::session() const {
  if (!m_parts.document->inputs().hasModel()) return std::nullopt;
  Session session = recordSession(*m_parts.document);
  m_parts.training->applySettings(session.experiment);
  session.comparison = m_parts.tabs->compare()->sides()->comparison();
  session.gallery = m_parts.gallery->sources();
  session.theme = themeName(m_parts.theme->choice());
  session.place = placeOf(*m_parts.window);
  session.figures = lastFigureFolder();
  const QString followed = m_parts.following->folder();
  session.run = followed.isEmpty() ? m_parts.training->runFolder() : followed;
  session.workspace = workspaceName(m_parts.workspaces->current());
  session.arrangements = m_parts.workspaces->arrangements();
  return session;
}

void SessionController::saveNow() {
  if (!m_started) return;
  const QString error = m_keeper.saveNow();
  if (!error.isEmpty()) logError(error.toStdString());
}

void SessionController::changed() {
  // Until the model is open, what is on the disk is newer than what the window shows.
  if (m_started && !m_restoring) m_keeper.changed();
}

/// State that only follows the pointer is not saved.
void SessionController::viewChanged() {
  const ViewOptions view = m_parts.document->view().steady();
  if (view == m_view) return;
  m_view = view;
  changed();
}

void SessionController::restore(const Session& session) {
  m_keeper.keepPrevious();
  Notice gone;  // the present model goes, and what is said of it
  gone.about = Notice::Model;
  Q_EMIT notice(gone);
  apply(session);
}

void SessionController::restorePrevious() {
  if (const auto previous = m_keeper.previous()) restore(*previous);
}

void SessionController::onFound(const Session& found, const QString& path) {
  restore(found);
  Q_EMIT notice({Notice::Level::Info,
                 {},
                 tr("The session of %1 was restored.").arg(QFileInfo(path).fileName()),
                 tr("Go back"),
                 [this] { restorePrevious(); }});
}

/// A session that is being restored has kept what was before it already.
void SessionController::onReplacing(const ModelInfo& next) {
  if (m_restoring) return;
  m_keeper.keepPrevious();
  Notice about;
  about.topic = QStringLiteral("model");
  about.text = replacedText(next, m_parts.document->inputs().model());
  if (!about.text.isEmpty()) {
    about.action = tr("Go back");
    about.run = [this] { restorePrevious(); };
  }
  Q_EMIT notice(about);
}

void SessionController::onOpeningFailed() {
  const auto lost = std::exchange(m_restoring, std::nullopt);
  if (!lost) return;
  startIsOver();
  m_keeper.keepPrevious(*lost);
  if (!m_parts.document->inputs().hasModel()) m_parts.opening->openDemo();
}

void SessionController::apply(const Session& session) {
  m_restoring = session;
  applyLayout(session);
  m_parts.training->setSettings(session.experiment);
  if (!session.imagePath.isEmpty()) m_parts.opener->openImage(session.imagePath);
  const auto whenOpen = [this, session] {
    Document* document = m_parts.document;
    const auto masks = resolveMasks(session.experiment.masks, document->inputs().masks().shape());
    if (masks) document->inputs().replaceMasks(*masks);
    document->view().set(session.view);
    m_restoring.reset();
    changed();
    startIsOver();
  };
  m_parts.inference->restoreModel(session.experiment, weightsHere(session.weights), whenOpen,
                                  session.partial, session.prompts);
}

void SessionController::applyLayout(const Session& session) {
  if (const auto choice = themeFromName(session.theme)) m_parts.theme->setChoice(*choice);
  if (session.place) putAt(m_parts.window, *session.place);
  m_parts.workspaces->restore(session.arrangements, session.workspace);
  if (!session.damaged.isEmpty()) sayDamaged(session.damaged);
  m_parts.tabs->compare()->sides()->setComparison(session.comparison);
  m_parts.opener->addToGallery(session.gallery);
  m_parts.training->showRecorded(session.run);
  if (!session.figures.isEmpty()) rememberFigureFolder(session.figures);
}

void SessionController::sayDamaged(const QStringList& parts) {
  Q_EMIT notice({Notice::Level::Warning,
                 {},
                 tr("The session's arrangement of the window is damaged (%1) and was not used. "
                    "Everything else was restored.")
                     .arg(shownText(parts.join(QStringLiteral(", ")))),
                 {},
                 {}});
}

void SessionController::chooseToOpen() {
  FileQuestion question;
  question.title = tr("Open session");
  question.start = documentsFolder();
  question.filter = tr("Sessions (*.json *.png);;All files (*)");
  dialogs().files(m_parts.window, question,
                  [this](const QStringList& paths) { m_parts.opener->open(paths); });
}

void SessionController::chooseToSave() {
  askWhereToSave(
      m_parts.window, tr("Save session"),
      QDir(documentsFolder()).filePath(QStringLiteral("headlight-session.json")),
      tr("Sessions (*.json)"), [this](const QString& path) {
        const QString error = m_keeper.saveTo(path);
        if (error.isEmpty())
          Q_EMIT m_parts.document->message(tr("Saved %1").arg(QDir::toNativeSeparators(path)));
        else
          Q_EMIT failed(tr("The session was not saved"), error);
      });
}

}  // namespace headlight
