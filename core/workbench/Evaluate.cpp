#include <algorithm>

#include "core/models/Device.h"
#include "core/training/Evaluation.h"
#include "core/workbench/Datasets.h"
#include "core/workbench/LoadedModel.h"
#include "core/workbench/Pictures.h"
#include "core/workbench/TrainingSession.h"

namespace headlight {
namespace {

/// The model's class of every label of the data. By name where both have names (class folders are
/// sorted one way by timm and another by torchvision), else by number.
std::vector<std::int64_t> labelMap(const std::vector<std::string>& data,
                                   const std::vector<std::string>& model, int modelClasses) {
  if (data == model) return {};
  std::vector<std::int64_t> map;
  for (const std::string& name : data) {
    const auto found = std::find(model.begin(), model.end(), name);
    if (found == model.end()) break;
    map.push_back(found - model.begin());
  }
  if (map.size() == data.size()) return map;
  if (!map.empty())
    throw Failure({ErrorCode::InvalidArgument,
                   "the data has a class \"" + data[map.size()] +
                       "\" that the model was not trained on; choose the model's own data",
                   "data"});
  if (static_cast<int>(data.size()) > modelClasses)
    throw Failure({ErrorCode::InvalidArgument,
                   "the data has " + std::to_string(data.size()) + " classes, the model " +
                       std::to_string(modelClasses) + "; choose data that fits the model",
                   "data"});
  return {};
}

}  // namespace

Result<EvaluationResult> evaluate(const ModelSource& source, const DataConfig& data,
                                  const MaskScheme* masks, const ProgressCallback& progress,
                                  std::stop_token stop) {
  return guarded("evaluation", [&]() -> Result<EvaluationResult> {
    configureCompute(source.threads);
    LoadedModel loaded = loadModel(source);
    if (masks) loaded.model->setMasks(*masks);
    const Experiment& experiment = loaded.info.experiment;
    std::shared_ptr<const Dataset> dataset = valueOrThrow(openDataset(
        datasetSpecOf(data, experiment.model.imageSize, experiment.seed), Split::Validation));
    EvaluationOptions options;
    options.device = at::Device(loaded.info.device);
    options.labelMap =
        labelMap(dataset->classNames(), loaded.info.classNames, experiment.model.classes);
    const auto loader = evaluationLoader(dataset, preprocessingOf(experiment.model),
                                         experiment.training.batchSize, data.loaderThreads);
    return evaluateModel(*loaded.model, *loader, options, progress, stop);
  });
}

}  // namespace headlight
