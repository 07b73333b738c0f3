// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/OpenedEvaluation.h"

#include <cmath>

#include "core/models/layers/Device.h"
#include "core/workbench/loading/Compute.h"
#include "core/workbench/loading/TrainedData.h"
#include "core/workbench/loading/Weights.h"
#include "core/workbench/session/Datasets.h"
#include "core/workbench/session/Pictures.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {

std::shared_ptr<const Dataset> openPictures(const ModelInfo& info, const DataConfig& data,
                                            std::int64_t samples) {
  const Experiment& experiment = info.experiment;
  DatasetSpec spec = datasetSpecOf(data, experiment.model.imageSize, experiment.seed);
  spec.maxValidationSamples = samples;
  spec.measuredWhole = !trainedOn(info, data);
  auto dataset = valueOrThrow(openDataset(spec, Split::Validation));
  logNotes(dataset->notes());
  return dataset;
}

std::vector<std::int64_t> labelMapOf(const Dataset& dataset, const ModelInfo& info) {
  const auto& data = dataset.classNames();
  const int modelClasses = info.experiment.model.classes;
  if (modelClasses == 0)
    throw Failure({ErrorCode::InvalidArgument,
                   "the model has no classifier: it gives features and predicts nothing that could "
                   "be measured; choose one with classes, or train this one on the data",
                   "model"});
  auto order = classOrderFor(data, info);
  if (!order)
    throw Failure({order.error().code,
                   "the model " + order.error().message + "; choose the model's own data", "data"});
  if (order->empty() && static_cast<int>(data.size()) > modelClasses)
    throw Failure({ErrorCode::InvalidArgument,
                   "the data has " + std::to_string(data.size()) + " classes, the model " +
                       std::to_string(modelClasses) + "; choose data that fits the model",
                   "data"});
  return *order;
}

std::unique_ptr<Loader> OpenedEvaluation::loader() const {
  const Experiment& experiment = loaded.info.experiment;
  return evaluationLoader(dataset, preprocessingOf(experiment.model), experiment.training.batchSize,
                          loaderThreads);
}

Result<EvaluationResult> OpenedEvaluation::measure(const ProgressCallback& progress,
                                                   std::stop_token stop) const {
  SharedBatches batches(loader());
  auto result = evaluateModel(*loaded.model, batches, options, progress, stop);
  if (result && std::isnan(result->loss)) return noNumbers(loaded.info, "these images");
  return result;
}

OpenedEvaluation openEvaluation(LoadedModel loaded, const PictureSample& sample,
                                const std::string& precision) {
  OpenedEvaluation opened{std::move(loaded), nullptr, {}, sample.data.loaderThreads};
  const ModelInfo& info = opened.loaded.info;
  opened.options.device = at::Device(info.device);
  opened.options.precision = precisionOn(opened.options.device, precision, "--precision");
  opened.dataset = openPictures(info, sample.data, sample.samples);
  opened.options.labelMap = labelMapOf(*opened.dataset, info);
  return opened;
}

OpenedEvaluation openEvaluation(const EvaluationRequest& request) {
  configureCompute(request.source.threads);
  // Before a model is opened, which may take long and is told of.
  precisionOn(deviceFromConfig(request.source.device), request.precision, "--precision");
  LoadedModel loaded = loadModel(request.source);
  if (request.masks) loaded.model->setMasks(*request.masks);
  if (request.opened) request.opened(loaded.info);
  return openEvaluation(std::move(loaded), PictureSample{request.data, request.samples},
                        request.precision);
}

}  // namespace headlight
