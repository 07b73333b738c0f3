// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/OpenedEvaluation.h"

#include <cmath>

#include "core/base/Translation.h"
#include "core/models/layers/Device.h"
#include "core/workbench/loading/TorchRuntime.h"
#include "core/workbench/loading/TrainedData.h"
#include "core/workbench/loading/Weights.h"
#include "core/workbench/session/Datasets.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/RawTensors.h"

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

namespace {

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

/// With the images, and nothing of their labels.
OpenedEvaluation openUnmatched(LoadedModel loaded, const ImageSample& sample,
                               const std::string& precision) {
  OpenedEvaluation opened{std::move(loaded), nullptr, {}, sample.data.loaderThreads, {}};
  const ModelInfo& info = opened.loaded.info;
  opened.options.device = at::Device(info.device);
  opened.options.precision = precisionOn(opened.options.device, precision, "--precision");
  opened.dataset = openImages(info, sample.data, sample.samples);
  requireClasses(info);
  return opened;
}

void matchLabels(OpenedEvaluation& opened, const ClassMatching& how) {
  opened.classes = matchedClasses(*opened.dataset, opened.loaded.info, how);
  opened.options.labelMap = opened.classes.order;
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
  auto result = evaluateModel(*loaded.model, batches, options, progress, stop);
  if (result && std::isnan(result->loss)) return noNumbers(loaded.info, "these images");
  return result;
}

OpenedEvaluation openEvaluation(LoadedModel loaded, const ImageSample& sample,
                                const std::string& precision) {
  OpenedEvaluation opened = openUnmatched(std::move(loaded), sample, precision);
  matchLabels(opened, sample.matching);
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
  matchLabels(opened, request.matching);
  if (request.matched) request.matched(opened.classes.text);
  return opened;
}

}  // namespace headlight
