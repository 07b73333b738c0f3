// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/ModelMenu.h"

#include <QDir>
#include <QMenu>

#include "core/workbench/loading/WeightsName.h"
#include "ui/base/BackgroundTask.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/Document.h"
#include "ui/document/ModelText.h"
#include "ui/document/RecentPaths.h"
#include "ui/opening/DemoModel.h"

namespace headlight {
namespace {

constexpr int kMostRuns = 3, kMostCheckpoints = 12;

/// Escapes mnemonics in names.
QString withoutMnemonics(QString text) {
  return text.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

/// A path, or a published model, whose weights are random.
QString makeMenuName(const QString& model) {
  if (model.startsWith(QLatin1Char('/'))) return weightsName(model.toStdString());
  return ModelMenu::tr("%1 · random weights").arg(displayName(model));
}

using Names = QHash<QString, QString>;

Names readNames(const QStringList& files, const std::stop_token& stop) {
  Names names;
  for (const QString& file : files)
    if (!stop.stop_requested())
      names[file] = displayName(coreText(readWeightsName(file.toStdString())));
  return names;
}

}  // namespace

ModelMenu::ModelMenu(QMenu* menu, Document* window, RecentPaths* recent)
    : QObject(menu),
      m_menu(menu),
      m_window(window),
      m_recent(recent),
      m_reader(new BackgroundTask(this)) {}

void ModelMenu::fill(const QString& shown) {
  m_menu->clear();
  m_offered.clear();
  m_ofRuns.clear();
  m_shown = shown;
  m_open.clear();
  if (m_window->inputs().hasModel())
    m_open = QString::fromStdString(m_window->inputs().model().weights.string());
  addOpen();
  addRecent();
  if (!m_offered.contains(shown)) add(makeMenuName(shown), shown);
  m_menu->addSeparator();
  m_menu->addAction(tr("Checkpoint or run file…"), this, &ModelMenu::fileWanted);
  readSteps();
}

QAction* ModelMenu::add(const QString& text, const QString& model) {
  const bool isOpen = !model.isEmpty() && model == m_open && model != m_shown;
  if (isOpen || m_offered.contains(model)) return nullptr;
  m_offered << model;
  QAction* action =
      m_menu->addAction(withoutMnemonics(text), this, [this, model] { Q_EMIT chosen(model); });
  action->setCheckable(true);
  action->setChecked(model == m_shown);
  return action;
}

/// The open model, the one that it was trained from, and the demo.
void ModelMenu::addOpen() {
  const QString title = m_window->modelTitle();
  add(title.isEmpty() ? tr("This model") : tr("This model: %1").arg(title), {});
  if (m_window->inputs().hasModel()) addBeforeTraining();
  m_menu->addSeparator();
  if (const QString demo = demoWeights(); !demo.isEmpty()) add(makeMenuName(demo), demo);
}

void ModelMenu::addBeforeTraining() {
  const auto start = readTrainingOrigin(m_window->inputs().model().weights);
  if (!start) return;
  const QString model = QString::fromStdString(start->model.string());
  const QString name =
      start->random ? tr("random weights, seed %1").arg(start->seed) : weightsName(start->model);
  add(tr("Before training: %1").arg(name), model);
}

void ModelMenu::addRecent() {
  if (!m_recent) return;
  for (const QString& model : m_recent->of(RecentKind::Model))
    add(makeMenuName(model), model);
  m_menu->addSeparator();
  for (const QString& run : m_recent->of(RecentKind::Run).mid(0, kMostRuns))
    addCheckpoints(run);
}

void ModelMenu::addCheckpoints(const QString& run) {
  const QDir folder(run);
  const QStringList files =
      folder.entryList({QStringLiteral("*.safetensors")}, QDir::Files, QDir::Name);
  for (const QString& name : files.mid(0, kMostCheckpoints)) {
    const QString file = folder.filePath(name);
    if (QAction* action = add(makeMenuName(file), file)) m_ofRuns[file] = action;
  }
}

/// Away from the window's thread: a network drive may take a while.
void ModelMenu::readSteps() {
  if (m_ofRuns.isEmpty()) return m_reader->cancel();
  m_reader->run<Names>(
      [files = m_ofRuns.keys()](const std::stop_token& stop) { return readNames(files, stop); },
      [this](const Names& names) {
        for (auto name = names.begin(); name != names.end(); ++name)
          if (QAction* action = m_ofRuns.value(name.key()))
            action->setText(withoutMnemonics(*name));
      });
}

}  // namespace headlight
