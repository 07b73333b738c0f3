// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/RecentCommands.h"

#include <QDir>
#include <QFileInfo>
#include <QMenu>

#include "core/models/Registry.h"
#include "ui/base/Actions.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/FileInspection.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/document/Document.h"
#include "ui/document/ModelText.h"
#include "ui/opening/DemoModel.h"
#include "ui/opening/Opener.h"

namespace headlight {
namespace {

/// Checkpoints are recent as the models that they open.
bool isRecentFile(InputKind kind) {
  switch (kind) {
    case InputKind::Image:
    case InputKind::VideoFrame:
    case InputKind::Folder:
    case InputKind::Dataset:
    case InputKind::SessionImage:
    case InputKind::Session:
    case InputKind::Config:
    case InputKind::Masks:
    case InputKind::Maps:
    case InputKind::MapImage:
    case InputKind::Video:
      return true;
    default:
      return false;
  }
}

/// By its name: a file of them, or an entry of the hub's cache.
bool isWeights(const QString& path) {
  const QString ending = QFileInfo(path).suffix();
  return path.contains(QStringLiteral("/models--")) || ending == QLatin1String("safetensors") ||
         ending == QLatin1String("pth") || ending == QLatin1String("pt");
}

QString homeShortened(const QString& folder) {
  const QString home = QDir::homePath();
  return folder == home || folder.startsWith(home + QLatin1Char('/'))
             ? QLatin1Char('~') + folder.mid(home.size())
             : folder;
}

}  // namespace

RecentCommands::RecentCommands(RecentPaths* paths, Document* document, ModelWorker* inference,
                               Opener* opener, QWidget* window)
    : QObject(window),
      m_paths(paths),
      m_document(document),
      m_inference(inference),
      m_opener(opener),
      m_menu(new QMenu(window)) {
  m_menu->setObjectName(QStringLiteral("recentMenu"));
  m_action = makeCommand(
      this,
      {"file.recent",
       tr("Open &recent"),
       tr("Open a recent file, model or run again"),
       "Ctrl+Shift+R",
       {}},
      [this, window] { m_menu->popup(window->mapToGlobal(window->rect().center() / 2)); });
  m_action->setMenu(m_menu);
  connect(m_menu, &QMenu::aboutToShow, this, &RecentCommands::fill);
  connect(opener, &Opener::found, this, [this](InputKind kind, const QString& path) {
    if (isRecentFile(kind)) m_paths->add(RecentKind::File, path);
    if (kind == InputKind::RunFolder) addRun(path);
  });
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &RecentCommands::addModel);
}

void RecentCommands::addModel() {
  const ModelInfo& model = m_document->inputs().model();
  if (model.isPrecomputed) return;  // a file, and no model
  const QString weights = QString::fromStdString(model.weights.string());
  const std::string& name = model.experiment.model.name;
  if (weights.isEmpty() && findPublishedModel(name))
    m_paths->add(RecentKind::Model, QString::fromStdString(name));
  else if (!weights.isEmpty() && weights != demoWeights())  // which has a command of its own
    m_paths->add(RecentKind::Model, QFileInfo(weights).absoluteFilePath());
}

void RecentCommands::open(RecentKind kind, const QString& path) {
  if (kind != RecentKind::Model) return m_opener->open({path});
  ModelSource source;
  if (path.startsWith('/'))
    source.weights = path.toStdString();
  else
    source.model = path.toStdString();
  m_inference->openModel(source);
}

QString RecentCommands::titleOf(const QString& path) {
  if (!path.startsWith('/')) return path;
  const QFileInfo file(path);
  if (QString name = weightsName(path.toStdString());
      isWeights(path) && !name.endsWith(file.fileName()))
    return name;
  return displayName(file.fileName() + QStringLiteral(" — ") + homeShortened(file.absolutePath()));
}

void RecentCommands::fill() {
  m_menu->clear();
  addSection(tr("Images and files"), RecentKind::File);
  addSection(tr("Models"), RecentKind::Model);
  addSection(tr("Runs"), RecentKind::Run);
  if (m_menu->isEmpty()) m_menu->addAction(tr("Nothing opened yet"))->setEnabled(false);
}

void RecentCommands::addSection(const QString& title, RecentKind kind) {
  const QStringList paths = m_paths->of(kind);
  if (!paths.isEmpty()) m_menu->addSection(title);
  for (const QString& path : paths) {
    QString text = titleOf(path);
    text.replace(QLatin1Char('&'), QStringLiteral("&&"));
    m_menu->addAction(text, this, [this, kind, path] { open(kind, path); });
  }
}

}  // namespace headlight
