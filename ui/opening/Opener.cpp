// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/Opener.h"

#include <QFileInfo>

#include "core/config/Experiment.h"
#include "core/models/Registry.h"
#include "core/workbench/loading/Input.h"
#include "core/workbench/loading/MapFile.h"
#include "core/workbench/loading/WeightsPlace.h"
#include "ui/base/BackgroundTask.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/GalleryModel.h"
#include "ui/bridge/ImageBridge.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/document/Document.h"
#include "ui/opening/LoadReportDialog.h"
#include "ui/opening/ModelInFile.h"
#include "ui/widgets/Dialogs.h"

namespace headlight {
namespace {

QString fileName(const QString& path) {
  const QString name = QFileInfo(path).fileName();
  return displayName(name.isEmpty() ? path : name);
}

/// Weights that were trained on images prepared otherwise would predict worse, and nobody would
/// see why.
bool expectsSameImage(const ModelConfig& a, const ModelConfig& b) {
  return a.cropFraction == b.cropFraction && a.cropMode == b.cropMode &&
         a.interpolation == b.interpolation && a.transparency == b.transparency &&
         a.mean == b.mean && a.deviation == b.deviation;
}

/// As a path that names one of the file's models.
QString placeIn(const QString& file, const QString& model) {
  return QString::fromStdString(
      WeightsPlace{file.toStdString(), model.toStdString()}.path().string());
}

}  // namespace

Opener::Opener(Document* document, ModelWorker* inference, ImageBridge* images,
               GalleryModel* gallery, QWidget* window)
    : QObject(window),
      m_document(document),
      m_inference(inference),
      m_images(images),
      m_gallery(gallery),
      m_window(window),
      m_masksReader(new BackgroundTask(this)) {
  connect(images, &ImageBridge::inspected, this, &Opener::onInspected);
  connect(images, &ImageBridge::imageLoaded, this, &Opener::onImageLoaded);
  connect(
      images, &ImageBridge::imageFailed, this, [this](const QString& path, const QString& text) {
        notify(Notice::Level::Error, tr("%1 was not opened").arg(ImageBridge::nameOf(path)), text);
      });
  connect(inference, &ModelWorker::weightsPreviewed, this, &Opener::onReport);
  connect(inference, &ModelWorker::partlyFits, this, &Opener::onPart);
  connect(inference, &ModelWorker::misfits, this, &Opener::onMisfit);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &Opener::showMaps);
}

bool Opener::isBusy() const {
  return m_images->pendingInspections() > 0 || m_images->isLoading() || m_inference->isOpening() ||
         m_masksReader->isBusy();
}

void Opener::open(const QStringList& paths) {
  Q_EMIT opening();
  m_imageOpened = false;
  for (const QString& path : paths.mid(0, kMaxPaths)) {
    m_quiet.remove(path);
    m_images->inspect(path);
  }
  if (paths.size() > kMaxPaths)
    notify(Notice::Level::Warning, tr("Too many files at once"),
           tr("Only the first %1 of %2 were opened. Drop their folder instead.")
               .arg(kMaxPaths)
               .arg(paths.size()));
}

void Opener::addToGallery(const QStringList& paths) {
  for (const QString& path : paths) {
    if (ImageBridge::isDrawnPath(path)) {
      m_gallery->addScene(path);
      continue;
    }
    m_quiet.insert(path);
    m_images->inspect(path);
  }
}

void Opener::openImage(const QString& path) {
  Q_EMIT opening();
  loadImage(path);
}

void Opener::loadImage(const QString& path) {
  m_images->loadImage(path);
}

void Opener::loadWeights(const QString& path) {
  if (m_document->inputs().hasModel()) m_inference->previewWeights(path);
}

void Opener::onInspected(const FileFinding& finding) {
  if (finding.input.kind != InputKind::Unknown && !m_quiet.contains(finding.path))
    Q_EMIT found(finding.input.kind, finding.path);
  switch (finding.input.kind) {
    case InputKind::Image:
    case InputKind::VideoFrame:
      return onImage(finding);
    case InputKind::Folder:
    case InputKind::Dataset:
      return onFolder(finding);
    case InputKind::SessionImage:
      if (m_quiet.contains(finding.path)) return onImage(finding);
      return onSession(finding);
    case InputKind::Session:
      return onSession(finding);
    case InputKind::Config:
      return onConfig(finding);
    case InputKind::Masks:
      return onMasks(finding.path);
    case InputKind::Weights:
    case InputKind::HubFolder:
      return onCheckpoint(finding);
    case InputKind::RunFolder:
      Q_EMIT runFound(finding.path);
      return;
    case InputKind::SequenceRun:
    case InputKind::SequenceWeights:
    case InputKind::SequenceConfig:
      Q_EMIT sequenceFound(finding.path);
      return;
    case InputKind::Maps:
    case InputKind::MapImage:
      return onMaps(finding);
    case InputKind::Video:  // who heard of found() plays it
      m_quiet.remove(finding.path);
      return;
    case InputKind::Unknown:
      break;
  }
  const bool quiet = m_quiet.remove(finding.path);
  notify(quiet ? Notice::Level::Info : Notice::Level::Error,
         quiet ? tr("%1 is not in the gallery any more").arg(fileName(finding.path))
               : tr("%1 was not opened").arg(fileName(finding.path)),
         finding.problem);
}

void Opener::onImage(const FileFinding& finding) {
  m_gallery->addFiles({finding.path});
  if (m_quiet.remove(finding.path)) return;
  if (!m_imageOpened) loadImage(finding.path);
  m_imageOpened = true;
}

/// Also one that a session named.
void Opener::onImageLoaded(const Image& image, const QString& name, const QString& path,
                           std::shared_ptr<const KnownTruth> truth) {
  if (QFileInfo(path).isFile()) m_gallery->addFiles({path});
  m_document->setImage(image, name, path, std::move(truth));
}

/// A folder that holds models or runs and is none itself.
bool Opener::takeModelsOrRuns(const FileFinding& finding) {
  if (finding.runs == 0 && finding.models == 0) return false;
  if (m_quiet.remove(finding.path)) return true;
  if (finding.runs > 0)
    Q_EMIT runsFound(finding.path);
  else if (finding.onlyModel)
    m_inference->openModel(*finding.onlyModel);
  else
    Q_EMIT modelsFound(finding.path);
  return true;
}

void Opener::onFolder(const FileFinding& finding) {
  if (takeModelsOrRuns(finding)) return;
  m_gallery->addFolder(finding.path, finding.images);
  if (finding.imagesLeftOut > 0)
    notify(Notice::Level::Info, {},
           tr("The gallery shows the first %1 images of %2; %3 more are in the folder.")
               .arg(finding.images.size())
               .arg(fileName(finding.path))
               .arg(finding.imagesLeftOut));
  if (m_quiet.remove(finding.path)) return;
  if (!finding.passedOver.isEmpty())
    notify(Notice::Level::Info, {},
           tr("%1: %2.").arg(fileName(finding.path), displayName(finding.passedOver)));
  if (!finding.whyNoData.isEmpty())
    notify(Notice::Level::Info,
           tr("%1 opens as images, not as data to train on").arg(fileName(finding.path)),
           displayName(finding.whyNoData));
  if (finding.input.kind == InputKind::Dataset)
    Q_EMIT dataFound(QString::fromStdString(finding.input.datasetKind), finding.path);
  if (!m_imageOpened) loadImage(finding.images.first());
  m_imageOpened = true;
}

void Opener::onSession(const FileFinding& finding) {
  const auto session =
      sessionFromText(QByteArray::fromStdString(finding.input.text), fileName(finding.path));
  if (session) {
    Q_EMIT sessionFound(*session, finding.path);
    return;
  }
  notify(Notice::Level::Error, tr("The session was not restored"),
         QString::fromStdString(session.error().text()));
  // An image whose session is damaged is still an image.
  if (finding.input.kind == InputKind::SessionImage) onImage(finding);
}

void Opener::onConfig(const FileFinding& finding) {
  const Experiment& experiment = *finding.experiment;
  const QString name = fileName(finding.path);
  Q_EMIT settingsFound(experiment);
  const bool same =
      m_document->inputs().hasModel() && !m_document->inputs().model().isPrecomputed &&
      sameArchitecture(experiment.model, m_document->inputs().model().experiment.model) &&
      experiment.model.grid() == m_document->inputs().model().experiment.model.grid();
  if (same) {
    const auto applied =
        applyMasks(resolveMasks(experiment.masks, m_document->inputs().masks().shape()),
                   tr("masks of %1").arg(name));
    const QString settings = tr("Its data and training settings are in the training dialog.");
    if (!applied)
      return notify(Notice::Level::Error, tr("The masks of %1 were not applied").arg(name),
                    tr("%1. %2").arg(QString::fromStdString(applied.error().text()), settings));
    return notify(
        Notice::Level::Info, {},
        tr("%1 describes the open model, so its masks were applied (undo removes them). %2")
            .arg(name, settings),
        Notice::File | Notice::Model);
  }
  const bool random = experiment.training.weights.empty();
  m_inference->restoreModel(
      experiment, QString::fromStdString(experiment.training.weights), [this, name, random] {
        if (random)
          notify(Notice::Level::Info, {},
                 tr("%1 describes a model without weights, so they are random: train "
                    "it, or load some (Model → Load weights).")
                     .arg(name),
                 Notice::File | Notice::Model);
      });
}

void Opener::onMasks(const QString& path) {
  if (!m_document->inputs().hasModel()) return;
  m_masksReader->run<Result<MaskScheme>>(
      [path, shape = m_document->inputs().masks().shape()](std::stop_token) {
        return guarded(path.toStdString(),
                       [&] { return masksFromNameOrFile(path.toStdString(), shape); });
      },
      [this, path](Result<MaskScheme> scheme) {
        const QString name = fileName(path);
        if (const auto applied = applyMasks(scheme, tr("masks of %1").arg(name)); !applied)
          notify(Notice::Level::Error, tr("The masks of %1 were not applied").arg(name),
                 QString::fromStdString(applied.error().text()));
      });
}

Result<void> Opener::applyMasks(const Result<MaskScheme>& scheme, const QString& label) {
  if (!scheme) return scheme.error();
  const auto edit = makeMaskEdit(m_document->inputs().masks(), *scheme, label.toStdString());
  if (!edit) return edit.error();  // another model was opened meanwhile
  m_document->inputs().pushEdit(*edit);
  return {};
}

void Opener::onCheckpoint(const FileFinding& finding) {
  const auto fits = [&](const ModelConfig& open) {
    return sameArchitecture(finding.experiment->model, open) &&
           expectsSameImage(finding.experiment->model, open);
  };
  // A folder says all of its model: it opens as that, whatever is open.
  const bool folder = finding.input.kind == InputKind::HubFolder;
  if (!folder && m_document->inputs().hasModel() && !m_document->inputs().model().isPrecomputed &&
      (!finding.experiment || fits(m_document->inputs().model().experiment.model)))
    return loadWeights(finding.path);
  openWeights(finding.path);
}

void Opener::openWeights(const QString& path) {
  ModelSource source;
  source.weights = path.toStdString();
  m_inference->openModel(source, [this, path] { sayChoices(path); });
}

/// A trainer's file may hold a student beside its teacher.
void Opener::sayChoices(const QString& path) {
  const auto& choices = m_document->inputs().model().report.choices;
  if (choices.size() < 2) return;
  const QString file = QString::fromStdString(parseWeightsPlace(path.toStdString()).file.string());
  Notice several{Notice::Level::Info,
                 {},
                 tr("%1 holds several models. “%2” is open.")
                     .arg(fileName(file), displayName(takenModel(choices).toStdString())),
                 tr("Choose Another…"),
                 [this, file, choices] {
                   askForModelInFile(
                       choices, fileName(file), m_window,
                       [this, file](const QString& name) { openWeights(placeIn(file, name)); });
                 }};
  several.about = Notice::File | Notice::Model;
  Q_EMIT notice(several);
}

void Opener::onMaps(const FileFinding& finding) {
  const QString file = QString::fromStdString(finding.input.path.string());
  m_gallery->addFolder(file, finding.images);
  if (m_quiet.remove(finding.path)) return;
  ModelSource source;
  source.weights = finding.input.path;
  m_inference->openModel(source, [this, path = file, finding] {
    if (finding.input.kind == InputKind::MapImage) loadImage(finding.path);
    QStringList text{
        tr("%1 contains maps without a model; masks, training and evaluation need a model.")
            .arg(fileName(path))};
    for (const std::string& note : m_document->inputs().model().notes)
      text << coreText(note);
    notify(Notice::Level::Info, {}, text.join(QStringLiteral("\n")), Notice::File | Notice::Model);
  });
}

/// Maps are of images of their own, however they were opened.
void Opener::showMaps() {
  const ModelInfo& info = m_document->inputs().model();
  if (!info.isPrecomputed) return;
  const QString file = QString::fromStdString(info.weights.string());
  QStringList images;
  for (int i = 0; i < std::min(info.images, ImageBridge::kMaxImages); ++i)
    images << QString::fromStdString(MapPlace{info.weights, i}.text());
  if (!m_gallery->indexOf(images.first()).isValid()) m_gallery->addFolder(file, images);
  if (!images.contains(m_document->inputs().imagePath()) && !m_images->isLoading())
    loadImage(images.first());
}

void Opener::onReport(const QString& path, const LoadReport& report, bool ownModel) {
  auto* dialog = new LoadReportDialog(report, fileName(path), m_window, ownModel);
  dialogs().show(dialog, [this, path, choices = report.choices](int result) {
    if (result == QDialog::Accepted) m_inference->loadWeights(path);
    if (result == LoadReportDialog::kChooseOther) {
      const QString file =
          QString::fromStdString(parseWeightsPlace(path.toStdString()).file.string());
      askForModelInFile(choices, fileName(file), m_window, [this, file](const QString& name) {
        m_inference->previewWeights(placeIn(file, name));
      });
    }
    if (result != LoadReportDialog::kOpenOwn) return;
    ModelSource own;
    own.weights = path.toStdString();
    m_inference->openModel(own);
  });
}

void Opener::onPart(const QString& what, const LoadReport& report,
                    const std::function<void()>& openAnyway, const std::function<void()>& openOwn) {
  Notice part{Notice::Level::Error, tr("%1 was not opened").arg(what),
              tr("Its weights do not fit: %1 of the model's tensors would stay random, and so "
                 "would its predictions (%2).")
                  .arg(report.unfilled().size())
                  .arg(coreText(report.summary())),
              tr("Open anyway"), openAnyway};
  if (openOwn) {
    part.other = tr("Open as Its Own Model");
    part.runOther = openOwn;
  }
  Q_EMIT notice(part);
}

void Opener::onMisfit(const QString& what, const QString& error,
                      const std::function<void()>& openOwn) {
  Q_EMIT notice({Notice::Level::Error, tr("%1 was not opened").arg(what),
                 tr("%1. The file describes a model of its own.").arg(error),
                 tr("Open as Its Own Model"), openOwn});
}

void Opener::notify(Notice::Level level, const QString& title, const QString& text,
                    Notice::Abouts about) {
  Notice said{level, title, text, {}, {}};
  said.about = about;
  Q_EMIT notice(said);
}

}  // namespace headlight
