// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/FileInspection.h"

#include <algorithm>

#include "core/config/DatasetKinds.h"
#include "core/models/Registry.h"
#include "core/workbench/loading/MapFile.h"
#include "core/workbench/loading/ModelInfo.h"
#include "core/workbench/loading/ModelsInFolder.h"
#include "core/workbench/runs/RunsInFolder.h"
#include "core/workbench/sequences/SequenceTraining.h"
#include "core/workbench/session/DatasetImages.h"
#include "ui/base/CoreText.h"
#include "ui/bridge/GalleryModel.h"

namespace headlight {
namespace {

constexpr std::size_t kMostModels = 200;  // in a folder, before the list of them is shown anyway
constexpr std::size_t kMaxFolderEntries = 200'000;  // scanned before a folder is called too large

QString textOfError(const Error& error) {
  return QString::fromStdString(error.text());
}

void refuseFinding(FileFinding& finding, const QString& what) {
  finding.input.kind = InputKind::Unknown;
  finding.problem = what;
}

/// An error of the path itself, whose name is in the notice's title.
QString textOfInput(const Error& error, const std::string& path) {
  if (error.where != path || error.code == ErrorCode::Internal) return textOfError(error);
  return QObject::tr("It %1.").arg(QString::fromStdString(error.message));
}

/// Images below a folder, as the command line takes them, at most kMaxImages.
void listImages(const std::stop_token& stop, FileFinding& finding) {
  const std::filesystem::path& folder = finding.input.path;
  const auto listed =
      guarded(folder.string(), [&] { return imageFilesIn(folder, kMaxFolderEntries, stop); });
  if (!listed) {
    finding.problem = textOfError(listed.error());
    return;
  }
  const auto shown = std::min<std::size_t>(listed->images.size(), ImageBridge::kMaxImages);
  for (std::size_t i = 0; i < shown; ++i)
    finding.images << QString::fromStdString(listed->images[i].string());
  finding.imagesLeftOut = static_cast<int>(listed->images.size() - shown);
  finding.passedOver = coreText(listed->text());
}

/// By number, as many as there are.
void listSamples(FileFinding& finding) {
  const std::string& kind = finding.input.datasetKind;
  const auto sample = openDataset(gallerySample(kind, finding.path.toStdString()), Split::Train);
  if (!sample) {
    finding.problem = textOfError(sample.error());
    return;
  }
  for (int i = 0; i < static_cast<int>((*sample)->size()); ++i)
    finding.images << ImageBridge::datasetPath(QString::fromStdString(kind), finding.path, i);
}

QString emptyFolderText(const QString& passedOver) {
  const QString none = QObject::tr(
      "This folder has no images and is neither a dataset nor a training run. Headlight opens "
      "folders of JPEG, PNG, WebP, BMP, TIFF and PPM files, tar shards, CIFAR and IDX datasets.");
  return passedOver.isEmpty() ? none : QStringLiteral("%1 (%2.)").arg(none, passedOver);
}

/// What `headlight-cli models --folder` and `runs` read. True where it holds any.
bool findModels(const std::stop_token& stop, FileFinding& finding) {
  std::vector<LocalModel> models = findModelsIn(finding.input.path, kMostModels, stop);
  finding.models = models.size();
  std::erase_if(models, [](const LocalModel& model) { return !model.canOpen(); });
  if (models.size() == 1) finding.onlyModel = makeModelSource(models.front());
  return finding.models > 0;
}

/// A folder that is plainly of models or runs, whatever else lies in it.
bool isOfModelsOrRuns(const std::stop_token& stop, FileFinding& finding) {
  if (finding.input.kind != InputKind::Folder) return false;
  finding.runs = countRunsIn(finding.input.path, stop);
  return finding.runs > 0 || (holdsHubEntries(finding.input.path) && findModels(stop, finding));
}

void describeFolder(const std::stop_token& stop, FileFinding& finding) {
  if (isOfModelsOrRuns(stop, finding)) return;
  const Input& input = finding.input;
  std::error_code unknown;
  const bool hasFiles = std::filesystem::is_directory(input.path, unknown) &&
                        (input.kind == InputKind::Folder || input.datasetKind == kImageFolder);
  if (hasFiles)
    listImages(stop, finding);
  else
    listSamples(finding);
  if (finding.images.isEmpty() && input.kind == InputKind::Folder && findModels(stop, finding))
    return;
  if (finding.images.isEmpty())
    return refuseFinding(
        finding, finding.problem.isEmpty() ? emptyFolderText(finding.passedOver) : finding.problem);
  if (input.kind == InputKind::Folder)
    if (const auto why = whyNoDataset(input.path, /*asked=*/false))
      finding.whyNoData = textOfError(*why);
}

/// Maps without a model, whose images the gallery shows.
void describeMaps(FileFinding& finding) {
  const auto images = countMapImages(finding.input.path);
  if (!images) return refuseFinding(finding, textOfError(images.error()));
  for (int i = 0; i < std::min(*images, ImageBridge::kMaxImages); ++i)
    finding.images << QString::fromStdString(MapPlace{finding.input.path, i}.text());
  finding.imagesLeftOut = *images - static_cast<int>(finding.images.size());
}

void describeConfig(FileFinding& finding) {
  const Input& input = finding.input;
  const auto experiment =
      experimentFromText(input.text, input.path.filename().string(), modelCatalog(),
                         std::filesystem::absolute(input.path).parent_path());
  if (!experiment) return refuseFinding(finding, textOfError(experiment.error()));
  finding.experiment = *experiment;
}

void describeSequence(FileFinding& finding) {
  const Input& input = finding.input;
  const auto sequence = input.kind == InputKind::SequenceConfig
                            ? sequenceFromText(input.text, input.path.filename().string())
                            : loadSequenceExperiment(input.path);
  if (!sequence) refuseFinding(finding, textOfError(sequence.error()));
}

/// Tensors that make no model by themselves may still fit the one that is open.
void describeWeights(FileFinding& finding) {
  const auto experiment = loadExperiment(finding.input);
  if (experiment) {
    finding.experiment = *experiment;
    return;
  }
  const ErrorCode code = experiment.error().code;
  const bool mayFit = finding.input.kind == InputKind::Weights &&
                      (code == ErrorCode::UnsupportedFile || code == ErrorCode::InvalidArgument);
  if (!mayFit) refuseFinding(finding, textOfError(experiment.error()));
}

/// The finding for each kind.
void describeFinding(const std::stop_token& stop, FileFinding& finding) {
  switch (finding.input.kind) {
    case InputKind::Folder:
    case InputKind::Dataset:
      return describeFolder(stop, finding);
    case InputKind::HubFolder:
    case InputKind::Weights:
      return describeWeights(finding);
    case InputKind::Maps:
    case InputKind::MapImage:
      return describeMaps(finding);
    case InputKind::Config:
      return describeConfig(finding);
    case InputKind::SequenceConfig:
    case InputKind::SequenceWeights:
      return describeSequence(finding);
    default:
      return;
  }
}

}  // namespace

DatasetSpec gallerySample(const std::string& kind, const std::string& path) {
  return addressedSamples(kind, path);
}

FileFinding inspectFile(const QString& path, const std::stop_token& stop) {
  FileFinding finding;
  finding.path = path;
  auto input = identify(path.toStdString());
  if (!input) {
    finding.problem = textOfInput(input.error(), path.toStdString());
    return finding;
  }
  finding.input = std::move(input).value();
  if (finding.input.kind == InputKind::HubFolder)
    finding.path = QString::fromStdString(finding.input.path.string());
  if (finding.input.problem)
    refuseFinding(finding, textOfError(*finding.input.problem));
  else
    describeFinding(stop, finding);
  return finding;
}

}  // namespace headlight
