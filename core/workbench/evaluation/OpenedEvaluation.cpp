// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/OpenedEvaluation.h"

#include <cmath>

#include "core/base/Translation.h"
#include "core/models/Registry.h"
#include "core/models/layers/Device.h"
#include "core/training/TaskEvaluation.h"
#include "core/workbench/loading/TorchRuntime.h"
#include "core/workbench/loading/TrainedData.h"
#include "core/workbench/loading/Weights.h"
#include "core/workbench/session/Datasets.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/RawTensors.h"
#include "core/workbench/session/Segments.h"

namespace headlight {

std::shared_ptr<const Dataset> openImages(const ModelInfo& info, const DataConfig& data,
                                          std::int64_t samples) {
  const Experiment& experiment = info.experiment;
  DatasetSpec spec = makeDatasetSpec(data, experiment.model.imageSize, experiment.seed);
  spec.maxValidationSamples = samples;
  spec.measuredWhole = !trainedOn(info, data);
  auto dataset = valueOrThrow(openDataset(spec, Split::Validation));
  logNotes(dataset->notes());
  return dataset;
}

void requireClasses(const ModelInfo& info) {
  if (detectsObjects(info.experiment.model))
    throw Failure({ErrorCode::InvalidArgument,
                   tr("the model is a detector, which has no accuracy; headlight-cli evaluate "
                      "measures its average precision on annotations of boxes (COCO's JSON)"),
                   "model"});
  if (info.experiment.model.classes == 0)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("the model has no classifier, so there are no predictions to measure; choose "
                      "a model with classes, or train this one on the data"),
                   "model"});
}

void requireAccuracy(const ModelInfo& info) {
  if (segmentsImages(info.experiment.model))
    throw Failure({ErrorCode::InvalidArgument,
                   tr("the model gives every pixel a class and has no accuracy of images; "
                      "headlight-cli evaluate measures its mIoU on data with label images"),
                   "model"});
  requireClasses(info);
}

namespace {

/// Whether average precision is what the data can say of the model.
bool measuresBoxes(const OpenedEvaluation& opened) {
  return opened.dataset->hasBoxes() && detectsInCells(opened.loaded.info.experiment.model);
}

/// Whether a reconstruction loss is what the data can say of the model: no label is needed.
bool measuresRebuilding(const OpenedEvaluation& opened) {
  return taskOf(opened.loaded.info.experiment.model) == Task::Rebuild;
}

/// Whether pixels are what the data can say of the model.
bool measuresPixels(const OpenedEvaluation& opened) {
  return opened.dataset->hasSegments() &&
         taskOf(opened.loaded.info.experiment.model) == Task::Segment;
}

/// With the images, and nothing of their labels.
OpenedEvaluation openUnmatched(LoadedModel loaded, const ImageSample& sample,
                               const std::string& precision) {
  OpenedEvaluation opened{std::move(loaded), nullptr, {}, sample.data.loaderThreads, {}};
  const ModelInfo& info = opened.loaded.info;
  opened.options.device = at::Device(info.device);
  opened.options.precision = precisionOn(opened.options.device, precision, "--precision");
  opened.dataset = openImages(info, sample.data, sample.samples);
  if (!measuresBoxes(opened) && !measuresPixels(opened) && !measuresRebuilding(opened))
    requireAccuracy(info);
  return opened;
}

void matchLabels(OpenedEvaluation& opened, const ClassMatching& how) {
  if (opened.dataset->hasBoxes())
    throw Failure({ErrorCode::InvalidArgument,
                   tr("the data has boxes in place of a class for each image, so it measures no "
                      "accuracy; choose other data, or a detector"),
                   "data.dataset"});
  if (opened.dataset->hasSegments())
    throw Failure({ErrorCode::InvalidArgument,
                   tr("the data has a class for every pixel in place of one for each image, so it "
                      "measures no accuracy; choose other data, or a segmenter"),
                   "data.dataset"});
  opened.classes = matchedClasses(*opened.dataset, opened.loaded.info, how);
  opened.options.labelMap = opened.classes.order;
}

/// What cells and queries find is counted by the classes of the model.
void matchBoxes(OpenedEvaluation& opened, const ClassMatching& how) {
  opened.classes = valueOrThrow(
      matchClasses(opened.dataset->classNames(), readModelClasses(opened.loaded.info), how));
  opened.options.labelMap = opened.classes.order;
}

void matchTruth(OpenedEvaluation& opened, const ClassMatching& how) {
  if (measuresRebuilding(opened)) return;
  if (measuresBoxes(opened) || measuresPixels(opened))
    matchBoxes(opened, how);
  else
    matchLabels(opened, how);
}

}  // namespace

ClassMatch matchedClasses(const Dataset& dataset, const ModelInfo& info, const ClassMatching& how) {
  requireClasses(info);
  return valueOrThrow(matchClasses(dataset.classNames(), readModelClasses(info), how));
}

std::unique_ptr<Loader> OpenedEvaluation::loader() const {
  const Experiment& experiment = loaded.info.experiment;
  return evaluationLoader(dataset, makePreprocessing(experiment.model),
                          experiment.training.batchSize, loaderThreads);
}

Result<EvaluationResult> OpenedEvaluation::measure(const ProgressCallback& progress,
                                                   std::stop_token stop) const {
  SharedBatches batches(loader());
  auto result = evaluateByTask(*loaded.model, batches, options, progress, stop);
  if (result && std::isnan(result->loss)) return noNumbers(loaded.info, "these images");
  return result;
}

OpenedEvaluation openEvaluation(LoadedModel loaded, const ImageSample& sample,
                                const std::string& precision) {
  OpenedEvaluation opened = openUnmatched(std::move(loaded), sample, precision);
  matchTruth(opened, sample.matching);
  return opened;
}

OpenedEvaluation openEvaluation(const EvaluationRequest& request, bool labeled) {
  configureCompute(request.source.threads);
  // Before a model is opened, which may take long and is reported.
  precisionOn(deviceFromConfig(request.source.device), request.precision, "--precision");
  LoadedModel loaded = loadModel(request.source);
  if (request.masks) loaded.model->setMasks(*request.masks);
  if (request.opened) request.opened(loaded.info);
  OpenedEvaluation opened =
      openUnmatched(std::move(loaded), {request.data, request.samples, {}}, request.precision);
  if (!labeled) return opened;
  matchTruth(opened, request.matching);
  if (request.matched) request.matched(opened.classes.text);
  return opened;
}

}  // namespace headlight
