// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/StartupSequence.h"

#include <QApplication>
#include <QBuffer>
#include <QDialog>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>

#include <cstdio>

#include "core/base/Utf8.h"
#include "core/base/files/Files.h"
#include "core/models/Registry.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/schemes/SchemeLibrary.h"
#include "ui/base/CoreText.h"
#include "ui/compare/CompareView.h"
#include "ui/document/Session.h"
#include "ui/opening/Opener.h"
#include "ui/window/CommandPalette.h"
#include "ui/window/HelpBrowser.h"
#include "ui/window/MainWindow.h"

namespace headlight {
namespace {

constexpr int kPollMs = 40;
constexpr int kIdlePolls = 2;
constexpr int kLastIdlePolls = 10;  // before an image: analyses begin when their result is there

QString samplePath(const QString& image) {
  const QString prefix = QStringLiteral("sample:");
  return image.startsWith(prefix) ? QStringLiteral(":/samples/%1.png").arg(image.mid(prefix.size()))
                                  : image;
}

/// The command of an explanation is named after its method, which may have had another name.
QString presentCommand(const QString& id) {
  const QString prefix = QStringLiteral("view.way.");
  if (!id.startsWith(prefix)) return id;
  const ExplanationInfo* method = explanationFromName(id.mid(prefix.size()).toStdString());
  return method ? prefix + QString::fromStdString(method->name) : id;
}

/// For an edit that acts on no head of the model. Head −1 means every head: the layer is missing.
QString missingHeads(const StartEdit& edit) {
  if (edit.head < 0) return StartupSequence::tr("edits: the model has no layer %1").arg(edit.layer);
  return StartupSequence::tr("edits: the model has no head %2 in layer %1")
      .arg(edit.layer)
      .arg(edit.head);
}

/// In the format that the path's ending names; PNG where it names none.
Result<void> saveImage(const QPixmap& image, const QString& path) {
  const QByteArray format = QFileInfo(path).suffix().toLatin1();
  QBuffer bytes;
  bytes.open(QIODevice::WriteOnly);
  if (!image.save(&bytes, format.isEmpty() ? "png" : format.constData()))
    return Error{ErrorCode::InvalidArgument,
                 "cannot be written as an image; give a name that ends in .png",
                 path.toStdString()};
  const QByteArray& data = bytes.data();
  return writeFileAtomically(path.toStdString(),
                             {data.constData(), static_cast<std::size_t>(data.size())});
}

}  // namespace

void sayOnStandardError(const QString& text) {
  const std::string line = "headlight: " + fitForLine(text.toStdString()) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

StartupSequence::StartupSequence(MainWindow* window, StartState state, QStringList files,
                                 ScreenshotRequest screenshot)
    : QObject(window),
      m_window(window),
      m_state(std::move(state)),
      m_files(std::move(files)),
      m_screenshot(std::move(screenshot)) {
  m_timer.setInterval(kPollMs);
  connect(&m_timer, &QTimer::timeout, this, &StartupSequence::poll);
  connect(m_window->document(), &Document::failed, this,
          [this] { fail(kInputExit); });  // the window itself shows the text
  connect(m_window->opener(), &Opener::notice, this, [this](const Notice& notice) {
    if (notice.level == Notice::Level::Error)
      complain(notice.title + QStringLiteral(": ") + notice.text, kInputExit);
  });
  connect(m_window->modelWorker(), &ModelWorker::partlyFits, this,
          [this](const QString& what, const LoadReport& report) {
            complain(tr("%1 fits only in part: ").arg(what) + coreText(report.summary()),
                     kInputExit);
          });
}

void StartupSequence::begin() {
  m_elapsed.start();
  if (qEnvironmentVariableIsSet("HEADLIGHT_VERBOSE"))
    connect(m_window->document(), &Document::inferenceChanged, this, [this] {
      if (m_window->document()->inference() && !std::exchange(m_seen, true))
        std::fprintf(stderr, "headlight: first image %lld ms after the window\n",
                     static_cast<long long>(m_elapsed.elapsed()));
    });
  openModel();
}

void StartupSequence::openModel() {
  if (!m_state.choosesModel()) return whenIdle("the session", [this] { onModel(); });
  ModelSource source;
  source.model = m_state.model.toStdString();
  source.weights = m_state.weights.toStdString();
  m_window->modelWorker()->openModel(source);
  // The image need not wait for what is measured of the model.
  wait(
      "the model", [this] { return isModelOpen(); }, 1, [this] { onModel(); });
}

void StartupSequence::onModel() {
  if (!m_window->document()->inputs().hasModel() && m_state.choosesModel()) m_window->openDemo();
  QStringList paths = m_files;
  if (!m_state.image.isEmpty()) {
    const QString image = samplePath(m_state.image);
    if (image.startsWith(':'))
      m_window->imageBridge()->loadImage(image);
    else
      paths.prepend(image);
  } else if (!m_window->document()->inputs().hasImage() && paths.isEmpty() &&
             m_window->gallery()->rowCount() > 0) {
    m_window->imageBridge()->loadImage(m_window->gallery()->pathAt(m_window->gallery()->index(0)));
  }
  if (!paths.isEmpty()) m_window->openPaths(paths);
  if (!m_state.gallery.isEmpty()) m_window->openPaths(m_state.gallery);
  whenIdle("the image", [this] { applyMasks(); });
}

void StartupSequence::applyMasks() {
  Document* document = m_window->document();
  if (!m_state.masks.isEmpty() && document->inputs().hasModel()) {
    const auto scheme = masksNamed(m_state.masks.toStdString(),
                                   makeMaskShape(document->inputs().model().experiment.model),
                                   SchemeLibrary(SchemeLibrary::defaultFolder()));
    if (!scheme) complain(QString::fromStdString(scheme.error().text()));
    if (scheme)
      if (const auto edit =
              makeMaskEdit(document->inputs().masks(), *scheme, m_state.masks.toStdString()))
        document->inputs().pushEdit(*edit);
  }
  whenIdle("the masks", [this] { applyEdits(); });
}

void StartupSequence::applyEdits() {
  Document* document = m_window->document();
  if (m_edit >= m_state.edits.size() || !document->inputs().hasModel()) return applyView();
  const StartEdit& edit = m_state.edits[m_edit++];
  std::vector<HeadPlace> cells;
  if (edit.layer < document->inputs().masks().layers())
    for (int head = 0; head < document->inputs().masks().heads(edit.layer); ++head)
      if (edit.head < 0 || edit.head == head) cells.push_back({edit.layer, head});
  const auto made = makeMaskEdit(document->inputs().masks(), cells, edit.mask, toText(edit.mask));
  if (cells.empty())
    complain(missingHeads(edit));
  else if (!made)
    complain(tr("edits: ") + QString::fromStdString(made.error().text()));
  else
    document->inputs().pushEdit(*made);
  whenIdle("an edit", [this] { applyEdits(); });
}

void StartupSequence::applyView() {
  Document* document = m_window->document();
  if (!m_state.view.empty()) {
    const auto view = viewFromJson(m_state.view, document->view().options());
    if (view)
      document->view().set(*view);
    else
      complain(QString::fromStdString(view.error().text()));
  }
  if (!m_state.workspace.isEmpty()) m_window->showWorkspace(m_state.workspace);
  if (!m_state.tab.isEmpty()) m_window->showTab(m_state.tab);
  if (!m_state.page.isEmpty())
    if (auto* compare = m_window->findChild<CompareView*>())
      compare->setPage(m_state.page == QStringLiteral("layers") ? CompareView::Page::Layers
                                                                : CompareView::Page::Sides);
  for (const auto& [name, shown] : m_state.docks.items())
    if (auto* dock = m_window->findChild<QDockWidget*>(
            QStringLiteral("dock.%1").arg(QString::fromStdString(name))))
      dock->setVisible(shown.is_boolean() && shown.get<bool>());
  whenIdle("the view", [this] { train(); });
}

void StartupSequence::train() {
  if (!m_state.training) {
    triggerActions();
    return whenIdle("the commands", [this] { showExtras(); });
  }
  const auto& training = *m_state.training;
  TrainingBridge* bridge = m_window->trainingBridge();
  connect(bridge, &TrainingBridge::updated, this, [this](const auto& update) {
    if (update->progress.done < m_state.training->steps || m_trained) return;
    m_trained = true;
    whenIdle("the plots", [this] { showExtras(); });
  });
  connect(bridge, &TrainingBridge::finished, this, [this](const auto&, const QString& error) {
    if (!error.isEmpty()) complain(error);
    if (!std::exchange(m_trained, true)) whenIdle("the end of training", [this] { showExtras(); });
  });
  m_waitingFor = "the training";
  m_next = {};
  m_timer.start();
  m_window->startTraining(training.experiment, training.folder);
  triggerActions();
}

void StartupSequence::trigger(const QString& id) {
  if (QAction* action = m_window->actions()->find(presentCommand(id)))
    action->trigger();
  else
    complain(tr("unknown command %1").arg(id));
}

void StartupSequence::triggerActions() {
  for (const QString& id : m_state.actions)
    trigger(id);
}

void StartupSequence::showExtras() {
  if (!m_state.palette.isEmpty()) m_window->commandPalette()->open(m_state.palette);
  if (!m_state.help.isEmpty()) m_window->showHelp(m_state.help);
  if (!m_state.dialog.isEmpty()) trigger(m_state.dialog);
  if (m_screenshot.path.isEmpty()) {
    m_timer.stop();
    return;
  }
  wait(
      "the window", [this] { return m_window->isIdle(); }, kLastIdlePolls, [this] { takeImage(); });
}

void StartupSequence::takeImage() {
  m_timer.stop();
  QWidget* subject = m_window;
  if (!m_state.help.isEmpty() || !m_state.dialog.isEmpty())
    for (QWidget* widget : QApplication::topLevelWidgets())
      if (widget->isVisible() && qobject_cast<QDialog*>(widget)) subject = widget;
  if (const auto saved = saveImage(subject->grab(), m_screenshot.path); !saved)
    complain(QString::fromStdString(saved.error().text()), kSystemExit);
  disconnect(m_window->trainingBridge(), nullptr, this, nullptr);
  m_window->trainingBridge()->stop();
  Q_EMIT done(m_exitCode);
}

void StartupSequence::whenIdle(const char* waitingFor, std::function<void()> next) {
  wait(
      waitingFor, [this] { return m_window->isIdle(); }, kIdlePolls, std::move(next));
}

void StartupSequence::wait(const char* waitingFor, std::function<bool()> ready, int polls,
                           std::function<void()> next) {
  m_waitingFor = waitingFor;
  m_ready = std::move(ready);
  m_polls = polls;
  m_next = std::move(next);
  m_idlePolls = 0;
  if (!m_timer.isActive()) m_timer.start();
}

bool StartupSequence::isModelOpen() const {
  return !m_window->opener()->isBusy() && m_window->modelWorker()->activity().isEmpty() &&
         !m_window->imageBridge()->isLoading();
}

void StartupSequence::poll() {
  if (!m_screenshot.path.isEmpty() && m_elapsed.elapsed() > m_screenshot.timeoutSeconds * 1000LL) {
    complain(tr("timed out waiting for %1").arg(QLatin1String(m_waitingFor)));
    takeImage();
    return;
  }
  if (!m_next) return;
  m_idlePolls = m_ready() ? m_idlePolls + 1 : 0;
  if (m_idlePolls < m_polls) return;
  const auto next = std::exchange(m_next, {});
  next();
}

void StartupSequence::fail(int exitCode) {
  if (m_exitCode == 0) m_exitCode = exitCode;
}

void StartupSequence::complain(const QString& text, int exitCode) {
  fail(exitCode);
  sayOnStandardError(text);
}

}  // namespace headlight
