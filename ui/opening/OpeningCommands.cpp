// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/OpeningCommands.h"

#include <QDir>
#include <QFileInfo>
#include <QWidget>

#include "ui/base/Actions.h"
#include "ui/bridge/GalleryModel.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/document/Document.h"
#include "ui/document/Folders.h"
#include "ui/opening/DemoModel.h"
#include "ui/opening/GetModelDialog.h"
#include "ui/opening/LocalModelsDialog.h"
#include "ui/opening/ModelDialog.h"
#include "ui/opening/Opener.h"
#include "ui/opening/ResolutionDialog.h"
#include "ui/widgets/Dialogs.h"

namespace headlight {

OpeningCommands::OpeningCommands(Document* document, ModelWorker* look, Opener* opener,
                                 GalleryModel* gallery, QWidget* window)
    : QObject(window),
      m_document(document),
      m_look(look),
      m_opener(opener),
      m_gallery(gallery),
      m_window(window) {
  makeFileCommands();
  makeModelCommands();
  connect(document, &Document::modelChanged, this, &OpeningCommands::refresh);
  connect(look, &ModelWorker::saved, this, [this](const QString& path) {
    Q_EMIT m_document->message(tr("Saved %1").arg(QDir::toNativeSeparators(path)));
  });
  connect(look, &ModelWorker::weightsLoaded, this,
          [this](const QString& path, const LoadReport& report) {
            Q_EMIT m_document->message(
                tr("Loaded %1: %2")
                    .arg(QFileInfo(path).fileName(), QString::fromStdString(report.summary())));
          });
  refresh();
}

void OpeningCommands::makeFileCommands() {
  m_fileCommands << makeCommand(
      this,
      {"file.open", tr("&Open…"),
       tr("Open pictures, checkpoints, configs, mask schemes or sessions"), "Ctrl+O", "open"},
      [this] { chooseFiles(); });
  m_fileCommands << makeCommand(this,
                                {"file.openFolder", tr("Open &folder…"),
                                 tr("Open a folder of pictures, a dataset, a training run or a "
                                    "model of the Hugging Face hub"),
                                 "Ctrl+Shift+O", "folder"},
                                [this] { chooseFolder(); });
}

void OpeningCommands::makeModelCommands() {
  m_modelCommands << makeCommand(
      this,
      {"model.choose", tr("&Choose model…"),
       tr("A published model, or a shape of your own, with or without weights"), "Ctrl+M", "model"},
      [this] { chooseModel(); });
  m_modelCommands << makeCommand(this,
                                 {"model.demo",
                                  tr("Open the &demo model"),
                                  tr("The trained model that comes with Headlight"),
                                  "Ctrl+Shift+D",
                                  {}},
                                 [this] { openDemo(); });
  m_modelCommands << makeCommand(
      this,
      {"model.local",
       tr("Models on this c&omputer…"),
       tr("Open one of the models in the caches of Hugging Face and torch hub, or in a folder"),
       "Ctrl+Alt+M",
       {}},
      [this] { chooseLocalModel(); });
  m_modelCommands << makeCommand(this,
                                 {"model.get",
                                  tr("&Get a model…"),
                                  tr("Download published weights from the Hugging Face hub"),
                                  "Ctrl+Shift+M",
                                  {}},
                                 [this] { getModel(); });
  m_load = makeCommand(this,
                       {"model.load", tr("&Load weights…"),
                        tr("Load a checkpoint into this model; a report of what fits comes first"),
                        "Ctrl+L", "weights"},
                       [this] { chooseWeights(); });
  m_save = makeCommand(this,
                       {"model.save", tr("&Save weights as…"),
                        tr("Save weights, class names and masks as safetensors"), "Ctrl+S", "save"},
                       [this] { saveWeights(); });
  m_classNames = makeCommand(this,
                             {"model.classNames",
                              tr("Class &names…"),
                              tr("Name the classes by a file: a name a line, or JSON"),
                              "Ctrl+Alt+L",
                              {}},
                             [this] { chooseClassNames(); });
  m_resolution = makeCommand(this,
                             {"model.resolution",
                              tr("&Resolution…"),
                              tr("Look at pictures of another size: finer or coarser grids of "
                                 "patches, position embeddings resampled"),
                              "Ctrl+Alt+I",
                              {}},
                             [this] { chooseResolution(); });
  for (QAction* action : {m_load, m_save, m_resolution})
    action->setStatusTip(action->toolTip());
  m_modelCommands << m_load << m_save << m_resolution << m_classNames;
}

QList<QAction*> OpeningCommands::startCommands() const {
  return {m_fileCommands.first(), m_modelCommands[0], m_modelCommands[1]};
}

void OpeningCommands::refresh() {
  for (QAction* action : {m_load, m_save, m_resolution}) {
    action->setEnabled(m_document->canCompute());
    action->setToolTip(m_document->canCompute() ? action->statusTip()
                                                : m_document->whyNotComputed());
  }
  m_classNames->setEnabled(m_document->hasModel() &&
                           m_document->model().experiment.model.classes > 0);
}

void OpeningCommands::chooseFiles() {
  FileQuestion question;
  question.mode = FileQuestion::Mode::OpenFiles;
  question.title = tr("Open");
  question.start = pictureFolder(*m_document);
  question.filter =
      tr("All that Headlight opens (*.jpg *.jpeg *.png *.webp *.bmp *.tif *.tiff *.ppm *.pgm *.pbm "
         "*.pnm *.safetensors *.pth *.json *.avi *.mp4 *.mov *.mkv *.webm *.ogv *.mpg *.flv *.wmv "
         "*.y4m *.gif);;Pictures (*.jpg *.jpeg *.png *.webp *.bmp *.tif *.tiff *.ppm *.pgm *.pbm "
         "*.pnm);;Checkpoints (*.safetensors *.pth);;Configs, masks and "
         "sessions (*.json);;All files (*)");
  dialogs().files(m_window, question, [this](const QStringList& paths) { m_opener->open(paths); });
}

void OpeningCommands::chooseFolder() {
  FileQuestion question;
  question.mode = FileQuestion::Mode::OpenFolder;
  question.title = tr("Open a folder of pictures, a dataset, a training run or a model");
  question.start = pictureFolder(*m_document);
  dialogs().files(m_window, question, [this](const QStringList& paths) { m_opener->open(paths); });
}

void OpeningCommands::chooseModel() {
  auto* dialog = new ModelDialog(m_document, m_window);
  dialogs().show(dialog, [this, dialog](int result) {
    if (result != QDialog::Accepted) return;
    if (dialog->isPublished()) {
      m_look->openModel(dialog->source());
      return;
    }
    const QString weights = QString::fromStdString(dialog->weights().string());
    m_look->createModel(dialog->experiment(), [this, weights] {
      if (!weights.isEmpty()) m_opener->loadWeights(weights);
    });
  });
}

void OpeningCommands::chooseLocalModel() {
  auto* dialog = new LocalModelsDialog(LocalPlaces::ofThisComputer(),
                                       ModelFolders(ModelFolders::defaultFile()), m_window);
  dialogs().show(dialog, [this, dialog](int result) {
    const auto model = dialog->chosen();
    if (result == QDialog::Accepted && model) m_look->openModel(sourceOf(*model));
  });
}

GetModelDialog* OpeningCommands::getModel() {
  if (!m_getting) {
    m_getting = new GetModelDialog(fetchOptionsOfEnvironment(), m_window);
    connect(m_getting, &GetModelDialog::openRequested, m_opener,
            [this](const QString& folder) { m_opener->open({folder}); });
  }
  m_getting->show();
  m_getting->raise();
  m_getting->activateWindow();
  return m_getting;
}

void OpeningCommands::chooseResolution() {
  auto* dialog = new ResolutionDialog(m_document->model().experiment.model, m_window);
  dialogs().show(dialog, [this, dialog](int result) {
    if (result == QDialog::Accepted)
      m_look->resizeModel(dialog->pictureHeight(), dialog->pictureWidth());
  });
}

void OpeningCommands::chooseClassNames() {
  FileQuestion question;
  question.title = tr("Class names");
  question.start = documentsFolder();
  question.filter = tr("Names (*.txt *.json);;All files (*)");
  askForPath(m_window, question, [this](const QString& path) { m_look->nameClasses(path); });
}

void OpeningCommands::openDemo() {
  if (!m_document->hasImage() && m_gallery->rowCount() > 0)
    m_opener->openImage(m_gallery->pathAt(m_gallery->index(0)));
  const QString weights = demoWeights();
  if (weights.isEmpty()) return openStandIn();
  ModelSource source;
  source.weights = weights.toStdString();
  m_look->openModel(source);
}

void OpeningCommands::openStandIn() {
  m_look->createModel(demoStandIn(), [this] {
    Q_EMIT notice({Notice::Level::Warning, tr("The demo model is not here"),
                   tr("models/demo/demo.safetensors is missing. A small model with random weights "
                      "stands in: its maps and predictions mean nothing."),
                   tr("Choose a model…"), [this] { chooseModel(); }});
  });
}

void OpeningCommands::chooseWeights() {
  FileQuestion question;
  question.title = tr("Load weights");
  question.start = documentsFolder();
  question.filter = tr("Checkpoints (*.safetensors *.pth *.pt);;All files (*)");
  askForPath(m_window, question, [this](const QString& path) { m_opener->loadWeights(path); });
}

void OpeningCommands::saveWeights() {
  const QString name = QString::fromStdString(m_document->model().experiment.model.name);
  askWhereToSave(m_window, tr("Save weights"),
                 QDir(documentsFolder()).filePath(name + QStringLiteral(".safetensors")),
                 tr("safetensors (*.safetensors)"),
                 [this](const QString& path) { m_look->saveModel(path); });
}

}  // namespace headlight
