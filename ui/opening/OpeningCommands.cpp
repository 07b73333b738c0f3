#include "ui/opening/OpeningCommands.h"

#include <QDir>
#include <QFileInfo>
#include <QWidget>

#include "ui/base/Actions.h"
#include "ui/base/Dialogs.h"
#include "ui/bridge/GalleryModel.h"
#include "ui/bridge/LookBridge.h"
#include "ui/document/Document.h"
#include "ui/document/Folders.h"
#include "ui/opening/DemoModel.h"
#include "ui/opening/ModelDialog.h"
#include "ui/opening/Opener.h"

namespace headlight {

OpeningCommands::OpeningCommands(Document* document, LookBridge* look, Opener* opener,
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
  connect(look, &LookBridge::saved, this, [this](const QString& path) {
    Q_EMIT m_document->message(tr("Saved %1").arg(QDir::toNativeSeparators(path)));
  });
  connect(look, &LookBridge::weightsLoaded, this,
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
  m_fileCommands << makeCommand(
      this,
      {"file.openFolder", tr("Open &folder…"),
       tr("Open a folder of pictures, a dataset or a training run"), "Ctrl+Shift+O", "folder"},
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
  m_load = makeCommand(this,
                       {"model.load", tr("&Load weights…"),
                        tr("Load a checkpoint into this model; a report of what fits comes first"),
                        "Ctrl+L", "weights"},
                       [this] { chooseWeights(); });
  m_save = makeCommand(this,
                       {"model.save", tr("&Save weights as…"),
                        tr("Save weights, class names and masks as safetensors"), "Ctrl+S", "save"},
                       [this] { saveWeights(); });
  m_modelCommands << m_load << m_save;
}

QList<QAction*> OpeningCommands::startCommands() const {
  return {m_fileCommands.first(), m_modelCommands[0], m_modelCommands[1]};
}

void OpeningCommands::refresh() {
  m_load->setEnabled(m_document->hasModel());
  m_save->setEnabled(m_document->hasModel());
}

void OpeningCommands::chooseFiles() {
  FileQuestion question;
  question.mode = FileQuestion::Mode::OpenFiles;
  question.title = tr("Open");
  question.start = pictureFolder(*m_document);
  question.filter =
      tr("All that Headlight opens (*.jpg *.jpeg *.png *.webp *.bmp *.tif *.tiff "
         "*.safetensors *.pth *.json);;Pictures (*.jpg *.jpeg *.png *.webp *.bmp "
         "*.tif *.tiff);;Checkpoints (*.safetensors *.pth);;Configs, masks and "
         "sessions (*.json);;All files (*)");
  dialogs().files(m_window, question, [this](const QStringList& paths) { m_opener->open(paths); });
}

void OpeningCommands::chooseFolder() {
  FileQuestion question;
  question.mode = FileQuestion::Mode::OpenFolder;
  question.title = tr("Open a folder of pictures, a dataset or a training run");
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
  FileQuestion question;
  question.mode = FileQuestion::Mode::SaveFile;
  question.title = tr("Save weights");
  const QString name = QString::fromStdString(m_document->model().experiment.model.name);
  question.start = QDir(documentsFolder()).filePath(name + QStringLiteral(".safetensors"));
  question.filter = tr("safetensors (*.safetensors)");
  question.suffix = QStringLiteral("safetensors");
  askForPath(m_window, question, [this](const QString& path) { m_look->saveModel(path); });
}

}  // namespace headlight
