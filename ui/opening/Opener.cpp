// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/Opener.h"

#include <QFileInfo>

#include "core/config/Experiment.h"
#include "core/models/Registry.h"
#include "core/workbench/loading/MapFile.h"
#include "ui/base/BackgroundTask.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/GalleryModel.h"
#include "ui/bridge/ImageBridge.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/document/Document.h"
#include "ui/opening/LoadReportDialog.h"
#include "ui/widgets/Dialogs.h"

namespace headlight {
namespace {

QString fileName(const QString& path) {
  const QString name = QFileInfo(path).fileName();
  return displayName(name.isEmpty() ? path : name);
}

/// Weights that were trained on pictures prepared otherwise would predict worse, and nobody would
/// see why.
bool expectsSamePicture(const ModelConfig& a, const ModelConfig& b) {
  return a.cropFraction == b.cropFraction && a.cropMode == b.cropMode &&
         a.interpolation == b.interpolation && a.mean == b.mean && a.deviation == b.deviation;
}

}  // namespace

Opener::Opener(Document* document, ModelWorker* look, ImageBridge* images, GalleryModel* gallery,
               QWidget* window)
    : QObject(window),
      m_document(document),
      m_look(look),
      m_images(images),
      m_gallery(gallery),
      m_window(window),
      m_masksReader(new BackgroundTask(this)) {
  connect(images, &ImageBridge::inspected, this, &Opener::onInspected);
  connect(images, &ImageBridge::imageLoaded, this, &Opener::onImageLoaded);
  connect(
      images, &ImageBridge::imageFailed, this, [this](const QString& path, const QString& text) {
        tell(Notice::Level::Error, tr("%1 was not opened").arg(ImageBridge::nameOf(path)), text);
      });
  connect(look, &ModelWorker::weightsPreviewed, this, &Opener::onReport);
  connect(look, &ModelWorker::partlyFits, this, &Opener::onPart);
  connect(document, &Document::modelChanged, this, &Opener::showMaps);
}

bool Opener::isBusy() const {
  return m_images->pendingInspections() > 0 || m_images->isLoading() || m_look->isOpening() ||
         m_masksReader->isBusy();
}

void Opener::open(const QStringList& paths) {
  m_imageOpened = false;
  for (const QString& path : paths.mid(0, kMaxPaths)) {
    m_quiet.remove(path);
    m_images->inspect(path);
  }
  if (paths.size() > kMaxPaths)
    tell(Notice::Level::Warning, tr("Too many files at once"),
         tr("Only the first %1 of %2 were taken. Drop their folder instead.")
             .arg(kMaxPaths)
             .arg(paths.size()));
}

void Opener::addToGallery(const QStringList& paths) {
  for (const QString& path : paths) {
    m_quiet.insert(path);
    m_images->inspect(path);
  }
}

void Opener::openImage(const QString& path) {
  m_images->loadImage(path);
}

void Opener::loadWeights(const QString& path) {
  if (m_document->hasModel()) m_look->previewWeights(path);
}

void Opener::onInspected(const FileFinding& finding) {
  if (finding.kind != FileKind::Unknown && !m_quiet.contains(finding.path))
    Q_EMIT found(finding.kind, finding.path);
  switch (finding.kind) {
    case FileKind::Image:
      return onImage(finding);
    case FileKind::Folder:
    case FileKind::Dataset:
      return onFolder(finding);
    case FileKind::SessionPicture:
      if (m_quiet.contains(finding.path)) return onImage(finding);
      return onSession(finding);
    case FileKind::Session:
      return onSession(finding);
    case FileKind::Config:
      return onConfig(finding);
    case FileKind::Masks:
      return onMasks(finding.path);
    case FileKind::Checkpoint:
      return onCheckpoint(finding);
    case FileKind::RunFolder:
      Q_EMIT runFound(finding.path);
      return;
    case FileKind::Sequence:
      Q_EMIT sequenceFound(finding.path);
      return;
    case FileKind::Maps:
      return onMaps(finding);
    case FileKind::Video:  // who heard of found() plays it
      m_quiet.remove(finding.path);
      return;
    case FileKind::Unknown:
      break;
  }
  const bool quiet = m_quiet.remove(finding.path);
  tell(quiet ? Notice::Level::Info : Notice::Level::Error,
       quiet ? tr("%1 is not in the gallery any more").arg(fileName(finding.path))
             : tr("%1 was not opened").arg(fileName(finding.path)),
       finding.problem);
}

void Opener::onImage(const FileFinding& finding) {
  m_gallery->addFiles({finding.path});
  if (m_quiet.remove(finding.path)) return;
  if (!m_imageOpened) openImage(finding.path);
  m_imageOpened = true;
}

/// Also one that a session named.
void Opener::onImageLoaded(const Image& image, const QString& name, const QString& path) {
  if (QFileInfo(path).isFile()) m_gallery->addFiles({path});
  m_document->setImage(image, name, path);
}

void Opener::onFolder(const FileFinding& finding) {
  m_gallery->addFolder(finding.path, finding.pictures);
  if (finding.picturesLeftOut > 0)
    tell(Notice::Level::Info, {},
         tr("The gallery shows the first %1 pictures of %2; %3 more are in the folder.")
             .arg(finding.pictures.size())
             .arg(fileName(finding.path))
             .arg(finding.picturesLeftOut));
  if (m_quiet.remove(finding.path)) return;
  if (!finding.passedOver.isEmpty())
    tell(Notice::Level::Info, {},
         tr("%1: %2.").arg(fileName(finding.path), displayName(finding.passedOver)));
  if (!finding.whyNoData.isEmpty())
    tell(Notice::Level::Info,
         tr("%1 opens as images, not as data to train on").arg(fileName(finding.path)),
         displayName(finding.whyNoData));
  if (finding.kind == FileKind::Dataset) Q_EMIT dataFound(finding.datasetKind, finding.path);
  if (!m_imageOpened) openImage(finding.pictures.first());
  m_imageOpened = true;
}

void Opener::onSession(const FileFinding& finding) {
  const auto session = sessionFromText(finding.session, fileName(finding.path));
  if (session) {
    Q_EMIT sessionFound(*session, finding.path);
    return;
  }
  tell(Notice::Level::Error, tr("The session was not restored"),
       QString::fromStdString(session.error().text()));
  // A picture whose session is damaged is still a picture.
  if (finding.kind == FileKind::SessionPicture) onImage(finding);
}

void Opener::onConfig(const FileFinding& finding) {
  const Experiment& experiment = *finding.experiment;
  const QString name = fileName(finding.path);
  Q_EMIT settingsFound(experiment);
  const bool same = m_document->hasModel() && !m_document->model().isPrecomputed &&
                    sameArchitecture(experiment.model, m_document->model().experiment.model) &&
                    experiment.model.grid() == m_document->model().experiment.model.grid();
  if (same) {
    const auto applied = applyMasks(resolveMasks(experiment.masks, m_document->masks().shape()),
                                    tr("masks of %1").arg(name));
    const QString settings = tr("Its data and training settings stand in the training dialog.");
    if (!applied)
      return tell(Notice::Level::Error, tr("The masks of %1 were not applied").arg(name),
                  tr("%1. %2").arg(QString::fromStdString(applied.error().text()), settings));
    return tell(Notice::Level::Info, {},
                tr("%1 is for the model that is open: its masks were applied (undo takes them "
                   "back). %2")
                    .arg(name, settings));
  }
  const bool random = experiment.training.weights.empty();
  m_look->restoreModel(
      experiment, QString::fromStdString(experiment.training.weights), [this, name, random] {
        if (random)
          tell(Notice::Level::Info, {},
               tr("%1 describes a model without weights, so they are random: train "
                  "it, or load some (Model → Load weights).")
                   .arg(name));
      });
}

void Opener::onMasks(const QString& path) {
  if (!m_document->hasModel()) return;
  m_masksReader->run<Result<MaskScheme>>(
      [path, shape = m_document->masks().shape()](std::stop_token) {
        return guarded(path.toStdString(),
                       [&] { return masksFromNameOrFile(path.toStdString(), shape); });
      },
      [this, path](Result<MaskScheme> scheme) {
        const QString name = fileName(path);
        if (const auto applied = applyMasks(scheme, tr("masks of %1").arg(name)); !applied)
          tell(Notice::Level::Error, tr("The masks of %1 were not applied").arg(name),
               QString::fromStdString(applied.error().text()));
      });
}

Result<void> Opener::applyMasks(const Result<MaskScheme>& scheme, const QString& label) {
  if (!scheme) return scheme.error();
  const auto edit = makeMaskEdit(m_document->masks(), *scheme, label.toStdString());
  if (!edit) return edit.error();  // another model was opened meanwhile
  m_document->pushEdit(*edit);
  return {};
}

void Opener::onCheckpoint(const FileFinding& finding) {
  const auto fits = [&](const ModelConfig& open) {
    return sameArchitecture(finding.experiment->model, open) &&
           expectsSamePicture(finding.experiment->model, open);
  };
  // A folder says all of its model: it opens as that, whatever is open.
  const bool folder = QFileInfo(finding.path).isDir();
  if (!folder && m_document->hasModel() && !m_document->model().isPrecomputed &&
      (!finding.experiment || fits(m_document->model().experiment.model)))
    return loadWeights(finding.path);
  ModelSource source;
  source.weights = finding.path.toStdString();
  m_look->openModel(source);
}

void Opener::onMaps(const FileFinding& finding) {
  m_gallery->addFolder(finding.path, finding.pictures);
  if (m_quiet.remove(finding.path)) return;
  ModelSource source;
  source.weights = finding.path.toStdString();
  m_look->openModel(source, [this, path = finding.path] {
    QStringList text{tr("%1 holds maps without a model: masks, training and evaluating need one.")
                         .arg(fileName(path))};
    for (const std::string& note : m_document->model().notes)
      text << QString::fromStdString(note);
    tell(Notice::Level::Info, {}, text.join(QStringLiteral("\n")));
  });
}

/// Maps are of pictures of their own, however they were opened.
void Opener::showMaps() {
  const ModelInfo& info = m_document->model();
  if (!info.isPrecomputed) return;
  const QString file = QString::fromStdString(info.weights.string());
  QStringList pictures;
  for (int i = 0; i < std::min(info.pictures, ImageBridge::kMaxPictures); ++i)
    pictures << QString::fromStdString(MapPlace{info.weights, i}.text());
  if (!m_gallery->indexOf(pictures.first()).isValid()) m_gallery->addFolder(file, pictures);
  if (!pictures.contains(m_document->imagePath()) && !m_images->isLoading())
    openImage(pictures.first());
}

void Opener::onReport(const QString& path, const LoadReport& report) {
  auto* dialog = new LoadReportDialog(report, fileName(path), m_window);
  dialogs().show(dialog, [this, path](int result) {
    if (result == QDialog::Accepted) m_look->loadWeights(path);
  });
}

void Opener::onPart(const QString& what, const LoadReport& report,
                    const std::function<void()>& openAnyway) {
  Q_EMIT notice({Notice::Level::Error, tr("%1 was not opened").arg(what),
                 tr("Its weights do not fit: %1 of the model's tensors would stay random, and with "
                    "them what it predicts (%2).")
                     .arg(report.unfilled().size())
                     .arg(QString::fromStdString(report.summary())),
                 tr("Open anyway"), openAnyway});
}

void Opener::tell(Notice::Level level, const QString& title, const QString& text) {
  Q_EMIT notice({level, title, text, {}, {}});
}

}  // namespace headlight
