// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/OpeningCommands.h"

#include <QDir>
#include <QFileInfo>
#include <QWidget>

#include "ui/base/Actions.h"
#include "ui/base/CoreText.h"
#include "ui/bridge/GalleryModel.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/document/Document.h"
#include "ui/document/Folders.h"
#include "ui/opening/DemoModel.h"
#include "ui/opening/GetModelDialog.h"
#include "ui/opening/LocalModelsDialog.h"
#include "ui/opening/ModelDialog.h"
#include "ui/opening/Opener.h"
#include "ui/opening/PromptsDialog.h"
#include "ui/opening/ResolutionDialog.h"
#include "ui/widgets/Dialogs.h"

namespace headlight {

OpeningCommands::OpeningCommands(Document* document, ModelWorker* inference, Opener* opener,
                                 GalleryModel* gallery, QWidget* window)
    : QObject(window),
      m_document(document),
      m_inference(inference),
      m_opener(opener),
      m_gallery(gallery),
      m_window(window) {
  makeFileCommands();
  makeModelCommands();
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &OpeningCommands::refresh);
  connect(opener, &Opener::modelsFound, this, &OpeningCommands::chooseModelIn);
  connect(inference, &ModelWorker::saved, this, [this](const QString& path) {
    Q_EMIT m_document->message(tr("Saved %1").arg(QDir::toNativeSeparators(path)));
  });
  connect(inference, &ModelWorker::weightsLoaded, this,
          [this](const QString& path, const LoadReport& report) {
            Q_EMIT m_document->message(
                tr("Loaded %1: %2").arg(QFileInfo(path).fileName(), coreText(report.summary())));
          });
  refresh();
}

void OpeningCommands::makeFileCommands() {
  m_fileCommands << makeCommand(
      this,
      {"file.open", tr("&Open…"), tr("Open images, checkpoints, configs, mask schemes or sessions"),
       "Ctrl+O", "open"},
      [this] { chooseFiles(); });
  m_fileCommands << makeCommand(this,
                                {"file.openFolder", tr("Open &folder…"),
                                 tr("Open a folder of images, a dataset, a model, or a folder "
                                    "with models or training runs"),
                                 "Ctrl+Shift+O", "folder"},
                                [this] { chooseFolder(); });
  m_fileCommands << makeCommand(
      this,
      {"file.drawnScenes",
       tr("Open &drawn scenes"),
       tr("Add images that the program draws, with their true boxes or segments, to the gallery"),
       "Ctrl+Shift+N",
       {}},
      [this] { openScenes(); });
}

void OpeningCommands::makeModelCommands() {
  m_modelCommands << makeCommand(
      this,
      {"model.choose", tr("&Choose model…"),
       tr("Open a published model or your own dimensions, with or without weights"), "Ctrl+M",
       "model"},
      [this] { chooseModel(); });
  m_modelCommands << makeCommand(this,
                                 {"model.demo",
                                  tr("Open the &demo model"),
                                  tr("Open the trained model that comes with Headlight"),
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
                              tr("Read class names from a file: one name per line, or JSON"),
                              "Ctrl+Alt+L",
                              {}},
                             [this] { chooseClassNames(); });
  m_resolution = makeCommand(this,
                             {"model.resolution",
                              tr("&Resolution…"),
                              tr("Use images of another size: a finer or coarser grid of patches, "
                                 "with resampled position embeddings"),
                              "Ctrl+Alt+I",
                              {}},
                             [this] { chooseResolution(); });
  m_prompts = makeCommand(this,
                          {"model.prompts",
                           tr("&Prompts…"),
                           tr("Use texts as classes, such as \"a photo of a cat\" (CLIP, SigLIP)"),
                           "Ctrl+Alt+Q",
                           {}},
                          [this] { choosePrompts(); });
  for (QAction* action : {m_load, m_save, m_resolution, m_prompts})
    action->setStatusTip(action->toolTip());
  m_modelCommands << m_load << m_save << m_resolution << m_classNames << m_prompts;
}

QList<QAction*> OpeningCommands::startCommands() const {
  return {m_fileCommands.first(), m_modelCommands[0], m_modelCommands[1]};
}

void OpeningCommands::refresh() {
  for (QAction* action : {m_load, m_save, m_resolution}) {
    action->setEnabled(m_document->inputs().canCompute());
    action->setToolTip(m_document->inputs().canCompute() ? action->statusTip()
                                                         : m_document->inputs().whyNotComputed());
  }
  refreshPrompts();
  m_classNames->setEnabled(m_document->inputs().hasModel() &&
                           m_document->inputs().model().experiment.model.classes > 0);
}

/// Disabled with the reason, which says what to do.
void OpeningCommands::refreshPrompts() {
  const InferenceInputs& inputs = m_document->inputs();
  const bool takes = inputs.canCompute() && inputs.model().textSide.takesPrompts();
  m_prompts->setEnabled(takes);
  m_prompts->setToolTip(
      takes ? m_prompts->statusTip()
      : !inputs.canCompute()
          ? inputs.whyNotComputed()
          : tr("The model %1").arg(coreText(whyNoPrompts(inputs.model().textSide))));
}

void OpeningCommands::chooseFiles() {
  FileQuestion question;
  question.mode = FileQuestion::Mode::OpenFiles;
  question.title = tr("Open");
  question.start = imageFolder(*m_document);
  question.filter =
      tr("All supported files (%1 *.safetensors *.pth *.json *.avi *.mp4 *.mov *.mkv *.webm *.ogv "
         "*.mpg *.flv *.wmv *.y4m *.gif);;%2;;Checkpoints (*.safetensors *.pth);;Configs, masks "
         "and sessions (*.json);;All files (*)")
          .arg(imagePatterns(), imageFilter());
  dialogs().files(m_window, question, [this](const QStringList& paths) { m_opener->open(paths); });
}

void OpeningCommands::chooseFolder() {
  FileQuestion question;
  question.mode = FileQuestion::Mode::OpenFolder;
  question.title = tr("Open a folder of images, a dataset, a training run or models");
  question.start = imageFolder(*m_document);
  dialogs().files(m_window, question, [this](const QStringList& paths) { m_opener->open(paths); });
}

void OpeningCommands::chooseModel() {
  auto* dialog = new ModelDialog(m_document, m_window);
  dialogs().show(dialog, [this, dialog](int result) {
    if (result != QDialog::Accepted) return;
    if (dialog->isPublished()) {
      m_inference->openModel(dialog->source());
      return;
    }
    const QString weights = QString::fromStdString(dialog->weights().string());
    m_inference->createModel(dialog->experiment(), [this, weights] {
      if (!weights.isEmpty()) m_opener->loadWeights(weights);
    });
  });
}

void OpeningCommands::chooseLocalModel() {
  showModels(new LocalModelsDialog(LocalPlaces::ofThisComputer(),
                                   ModelFolders(ModelFolders::defaultFile()), m_window));
}

void OpeningCommands::chooseModelIn(const QString& folder) {
  showModels(new LocalModelsDialog(folder.toStdString(), m_window));
}

void OpeningCommands::showModels(LocalModelsDialog* dialog) {
  dialogs().show(dialog, [this, dialog](int result) {
    const auto model = dialog->chosen();
    if (result == QDialog::Accepted && model) m_inference->openModel(makeModelSource(*model));
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
  auto* dialog = new ResolutionDialog(m_document->inputs().model().experiment.model, m_window);
  dialogs().show(dialog, [this, dialog](int result) {
    if (result == QDialog::Accepted)
      m_inference->resizeModel(dialog->imageHeight(), dialog->imageWidth(), dialog->transparency());
  });
}

void OpeningCommands::choosePrompts() {
  const QPointer<PromptsDialog> dialog =
      new PromptsDialog(m_document->inputs().model().prompts, m_window);
  connect(dialog, &PromptsDialog::applyRequested, this, [this, dialog](const Prompts& prompts) {
    m_inference->setPrompts(prompts, [dialog](const QString& problem) {
      if (dialog) dialog->finish(problem);
    });
  });
  dialogs().show(dialog, [this](int result) {
    if (result == QDialog::Rejected) m_inference->cancelOpening();
  });
}

void OpeningCommands::chooseClassNames() {
  FileQuestion question;
  question.title = tr("Class names");
  question.start = documentsFolder();
  question.filter = tr("Names (*.txt *.json);;All files (*)");
  askForPath(m_window, question, [this](const QString& path) { m_inference->nameClasses(path); });
}

void OpeningCommands::openDemo() {
  if (!m_document->inputs().hasImage() && m_gallery->rowCount() > 0)
    m_opener->openImage(m_gallery->pathAt(m_gallery->index(0)));
  const QString weights = demoWeights();
  if (weights.isEmpty()) return openStandIn();
  ModelSource source;
  source.weights = weights.toStdString();
  m_inference->openModel(source);
}

void OpeningCommands::openScenes() {
  const bool segments = m_document->inputs().hasModel() &&
                        segmentsImages(m_document->inputs().model().experiment.model);
  const char* kind = segments ? kTextureSegments : kTextureScenes;
  m_gallery->addScenes(kind);
  m_opener->openImage(GalleryModel::scenePath(0, kind));
}

void OpeningCommands::openStandIn() {
  m_inference->createModel(demoStandIn(), [this] {
    Q_EMIT notice({Notice::Level::Warning, tr("The demo model is not here"),
                   tr("models/demo/demo.safetensors is missing. A small model with random weights "
                      "is used instead: its maps and predictions mean nothing."),
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
  const QString name = QString::fromStdString(m_document->inputs().model().experiment.model.name);
  askWhereToSave(m_window, tr("Save weights"),
                 QDir(documentsFolder()).filePath(name + QStringLiteral(".safetensors")),
                 tr("safetensors (*.safetensors)"),
                 [this](const QString& path) { m_inference->saveModel(path); });
}

}  // namespace headlight
