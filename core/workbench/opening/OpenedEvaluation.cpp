#include "core/workbench/opening/OpenedEvaluation.h"

#include "core/models/Device.h"
#include "core/workbench/Compute.h"
#include "core/workbench/Datasets.h"
#include "core/workbench/Pictures.h"
#include "core/workbench/opening/ClassOrder.h"

namespace headlight {
namespace {

/// The model's class of every label of the data; empty where they are the same.
std::vector<std::int64_t> labelMap(const std::vector<std::string>& data,
                                   const std::vector<std::string>& model, int modelClasses) {
  auto order = classOrder(data, model);
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

}  // namespace

std::unique_ptr<Loader> OpenedEvaluation::loader() const {
  const Experiment& experiment = loaded.info.experiment;
  return evaluationLoader(dataset, preprocessingOf(experiment.model), experiment.training.batchSize,
                          loaderThreads);
}

Result<EvaluationResult> OpenedEvaluation::measure(const ProgressCallback& progress,
                                                   std::stop_token stop) const {
  const auto batches = loader();
  return evaluateModel(*loaded.model, *batches, options, progress, stop);
}

OpenedEvaluation openEvaluation(const EvaluationRequest& request) {
  configureCompute(request.source.threads);
  OpenedEvaluation opened{loadModel(request.source), nullptr, {}, request.data.loaderThreads};
  if (request.masks) opened.loaded.model->setMasks(*request.masks);
  if (request.opened) request.opened(opened.loaded.info);
  const ModelInfo& info = opened.loaded.info;
  const Experiment& experiment = info.experiment;
  DatasetSpec spec = datasetSpecOf(request.data, experiment.model.imageSize, experiment.seed);
  spec.maxValidationSamples = request.samples;
  opened.dataset = valueOrThrow(openDataset(spec, Split::Validation));
  opened.options.device = at::Device(info.device);
  opened.options.labelMap =
      labelMap(opened.dataset->classNames(), info.classNames, experiment.model.classes);
  return opened;
}

}  // namespace headlight
