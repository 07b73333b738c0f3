// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/FileInspection.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>

#include "core/base/ForeignContent.h"
#include "core/base/files/Files.h"
#include "core/config/ConfigText.h"
#include "core/config/DatasetKinds.h"
#include "core/models/Registry.h"
#include "core/workbench/hub/HubFolder.h"
#include "core/workbench/loading/FileContent.h"
#include "core/workbench/loading/MapFile.h"
#include "core/workbench/runs/RunFollower.h"
#include "core/workbench/sequences/SequenceTraining.h"
#include "core/workbench/session/Datasets.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/Video.h"
#include "ui/document/Session.h"

namespace headlight {
namespace {

constexpr std::uintmax_t kMaxJsonBytes = 32u << 20;
constexpr qint64 kPeekedBytes = 512;
constexpr std::size_t kMaxFolderEntries =
    200'000;  // looked at, before a folder is called too large

QString text(const char* source) {
  return QCoreApplication::translate("FileInspection", source);
}

FileFinding problem(const QString& path, const QString& what) {
  FileFinding finding;
  finding.path = path;
  finding.problem = what;
  return finding;
}

FileFinding found(const QString& path, FileKind kind) {
  FileFinding finding;
  finding.path = path;
  finding.kind = kind;
  return finding;
}

/// Of the Hugging Face hub: opens as a model.
FileFinding inspectHubFolder(const QString& path) {
  const auto experiment = experimentOf(path.toStdString());
  if (!experiment) return problem(path, QString::fromStdString(experiment.error().text()));
  FileFinding finding;
  finding.path = path;
  finding.kind = FileKind::Checkpoint;
  finding.experiment = *experiment;
  return finding;
}

/// Images below a folder, as the command line takes them, at most kMaxPictures.
void listPictures(const QString& folder, const std::stop_token& stop, FileFinding& finding) {
  const auto listed = guarded(folder.toStdString(), [&] {
    return imageFilesIn(folder.toStdString(), kMaxFolderEntries, stop);
  });
  if (!listed) {
    finding.problem = QString::fromStdString(listed.error().text());
    return;
  }
  const auto shown = std::min<std::size_t>(listed->images.size(), ImageBridge::kMaxPictures);
  for (std::size_t i = 0; i < shown; ++i)
    finding.pictures << QString::fromStdString(listed->images[i].string());
  finding.picturesLeftOut = static_cast<int>(listed->images.size() - shown);
  finding.passedOver = QString::fromStdString(listed->text());
}

bool isRunFolder(const QDir& folder) {
  if (!folder.exists(QStringLiteral("config.json"))) return false;
  // In its first epoch a run has lines of steps, or none yet, and no table.
  for (const char* file : {"metrics.csv", "metrics.jsonl", "last.safetensors"})
    if (folder.exists(QLatin1String(file))) return true;
  return isHeld(folder.path().toStdString());
}

bool isSequenceRun(const QDir& folder) {
  return folder.exists(QStringLiteral("config.json")) &&
         (folder.exists(QStringLiteral("metrics.csv")) ||
          folder.exists(QStringLiteral("last.safetensors"))) &&
         sequenceExperimentOf(folder.path().toStdString());
}

QString emptyFolderText(const QString& passedOver) {
  const QString none = text(
      "There are no images in this folder, and it is no dataset or training run. Headlight opens "
      "folders of JPEG, PNG, WebP, BMP, TIFF and PPM files, tar shards, CIFAR and IDX datasets.");
  return passedOver.isEmpty() ? none : QStringLiteral("%1 (%2.)").arg(none, passedOver);
}

FileFinding inspectFolder(const QString& path, const std::stop_token& stop) {
  FileFinding finding;
  finding.path = path;
  if (isSequenceRun(QDir(path))) {
    finding.kind = FileKind::Sequence;
    return finding;
  }
  if (isRunFolder(QDir(path))) {
    finding.kind = FileKind::RunFolder;
    return finding;
  }
  if (looksLikeHubFolder(path.toStdString())) return inspectHubFolder(path);
  finding.datasetKind = QString::fromStdString(detectDatasetKind(path.toStdString()));
  const bool hasFiles = finding.datasetKind.isEmpty() || finding.datasetKind == kImageFolder;
  if (hasFiles) listPictures(path, stop, finding);
  if (!hasFiles)
    for (int i = 0; i < kDatasetSamples; ++i)
      finding.pictures << ImageBridge::datasetPath(finding.datasetKind, path, i);
  if (finding.pictures.isEmpty() && !finding.problem.isEmpty())
    return problem(path, finding.problem);
  if (finding.pictures.isEmpty()) return problem(path, emptyFolderText(finding.passedOver));
  if (finding.datasetKind.isEmpty())
    if (const auto why = whyNoDataset(path.toStdString(), /*asked=*/false))
      finding.whyNoData = QString::fromStdString(why->text());
  finding.kind = finding.datasetKind.isEmpty() ? FileKind::Folder : FileKind::Dataset;
  return finding;
}

bool isSequenceConfig(const Json& json) {
  return json.is_object() && json.contains("task") && json["task"] == "sequence";
}

bool looksLikeMasks(const Json& json) {
  if (!json.is_object()) return false;
  if (json.contains("model") || json.contains("training") || json.contains("data")) return false;
  return json.contains("masks") || json.contains("cells") || json.contains("scheme");
}

FileFinding inspectJson(const QString& path) {
  if (isHubConfig(path.toStdString())) return inspectHubFolder(QFileInfo(path).absolutePath());
  FileFinding finding;
  finding.path = path;
  auto bytes = readFile(path.toStdString(), kMaxJsonBytes);
  if (!bytes) return problem(path, QString::fromStdString(bytes.error().text()));
  const QByteArray content = QByteArray::fromStdString(*bytes);
  if (isSessionText(content)) {
    finding.kind = FileKind::Session;
    finding.session = content;
    return finding;
  }
  const auto read =
      parseConfigJson(*bytes, QFileInfo(path).fileName().toStdString(), kMaxJsonBytes);
  if (!read) return problem(path, QString::fromStdString(read.error().text()));
  const Json& json = *read;
  if (isSequenceConfig(json)) {
    const auto sequence = sequenceFromText(*bytes, QFileInfo(path).fileName().toStdString());
    if (!sequence) return problem(path, QString::fromStdString(sequence.error().text()));
    finding.kind = FileKind::Sequence;
    return finding;
  }
  if (looksLikeMasks(json)) {
    finding.kind = FileKind::Masks;
    return finding;
  }
  auto experiment =
      experimentFromText(*bytes, QFileInfo(path).fileName().toStdString(), modelCatalogue(),
                         QFileInfo(path).absolutePath().toStdString());
  if (!experiment) return problem(path, QString::fromStdString(experiment.error().text()));
  finding.kind = FileKind::Config;
  finding.experiment = *experiment;
  return finding;
}

/// Maps without a model, whose pictures the gallery shows.
FileFinding inspectMaps(const QString& path) {
  const auto pictures = countMapPictures(path.toStdString());
  if (!pictures) return problem(path, QString::fromStdString(pictures.error().text()));
  FileFinding finding;
  finding.path = path;
  finding.kind = FileKind::Maps;
  for (int i = 0; i < std::min(*pictures, ImageBridge::kMaxPictures); ++i)
    finding.pictures << QString::fromStdString(MapPlace{path.toStdString(), i}.text());
  finding.picturesLeftOut = *pictures - static_cast<int>(finding.pictures.size());
  return finding;
}

FileFinding inspectCheckpoint(const QString& path) {
  if (isMapFile(path.toStdString())) return inspectMaps(path);
  FileFinding finding;
  finding.path = path;
  finding.kind = FileKind::Checkpoint;
  auto experiment = experimentOf(path.toStdString());
  if (experiment) {
    finding.experiment = *experiment;
  } else if (experiment.error().code == ErrorCode::UnsupportedFile) {
    // Read a second time only where it can be a sequence model's.
    const auto sequence = sequenceExperimentOf(path.toStdString());
    if (sequence)
      finding.kind = FileKind::Sequence;
    else if (sequence.error().code != ErrorCode::UnsupportedFile)
      return problem(path, QString::fromStdString(sequence.error().text()));
  } else if (experiment.error().code != ErrorCode::InvalidArgument) {
    return problem(path, QString::fromStdString(experiment.error().text()));
  }
  return finding;  // tensors that make no model by themselves may still fit the one that is open
}

/// A picture, which may carry a session. Its pixels are not decoded here.
FileFinding inspectPicture(const QString& path) {
  FileFinding finding;
  finding.path = path;
  finding.kind = FileKind::Image;
  if (contentOfFile(path.toStdString()) != FileContent::Png) return finding;
  const auto bytes = readFile(path.toStdString(), kMaxImageBytes);
  if (!bytes) return finding;  // decoding will say what is wrong
  for (const auto& [keyword, value] : readPngText(*bytes))
    if (keyword == ImageBridge::kSessionKeyword) {
      finding.session = QByteArray::fromStdString(value);
      if (isSessionText(finding.session)) finding.kind = FileKind::SessionPicture;
    }
  return finding;
}

/// For files whose content says nothing, so that its reader says what is wrong with it.
FileContent contentByName(const QString& path) {
  const QString suffix = QFileInfo(path).suffix().toLower();
  if (suffix == "json") return FileContent::Json;
  if (suffix == "safetensors" || suffix == "pth" || suffix == "pt") return FileContent::Checkpoint;
  return hasImageExtension(path.toStdString()) ? FileContent::OtherPicture : FileContent::Unknown;
}

FileFinding inspectRegularFile(const QString& path) {
  FileContent content = contentOfFile(path.toStdString());
  if (content == FileContent::Unknown) content = contentByName(path);
  switch (content) {
    case FileContent::Json:
      return inspectJson(path);
    case FileContent::Checkpoint:
      return inspectCheckpoint(path);
    case FileContent::Png:
    case FileContent::OtherPicture:
      return inspectPicture(path);
    case FileContent::Video:
      return found(path, FileKind::Video);
    case FileContent::Playlist:
      return problem(path,
                     text("It is %1, which names other files or addresses: it is not opened. "
                          "Open the video file itself.")
                         .arg(QString::fromStdString(playlistKindOfFile(path.toStdString()))));
    case FileContent::Unknown:
      break;
  }
  QFile file(path);
  const QByteArray head = file.open(QIODevice::ReadOnly) ? file.read(kPeekedBytes) : QByteArray();
  if (const std::string other = foreignContent(head.toStdString()); !other.empty())
    return problem(path, QString::fromStdString("It " + other + "."));
  return problem(
      path, text("Headlight does not open this kind of file. It opens pictures (JPEG, "
                 "PNG, WebP, BMP, TIFF, PPM), videos (AVI, MP4, MOV, MKV, WebM, Ogg, MPEG, "
                 "FLV, WMV, Y4M, animated GIF), checkpoints (.safetensors, .pth), configs, mask "
                 "schemes and sessions (.json), and folders."));
}

}  // namespace

FileFinding inspectFile(const QString& path, const std::stop_token& stop) {
  const QFileInfo file(path);
  if (videoPlaceOf(path.toStdString())) return found(path, FileKind::Image);  // a kept frame
  if (!file.exists())
    return problem(path, text("It does not exist (any more). Check the name, or whether its disk "
                              "is connected."));
  if (file.isDir()) return inspectFolder(path, stop);
  if (!file.isFile()) return problem(path, text("It is not a regular file, so it is not opened."));
  if (!file.isReadable())
    return problem(path, text("You may not read it. Change its permissions, or copy it."));
  if (file.size() == 0) return problem(path, text("It is empty (0 bytes)."));
  return inspectRegularFile(path);
}

}  // namespace headlight
