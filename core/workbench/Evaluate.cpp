#include "core/workbench/Evaluate.h"

#include <cmath>
#include <cstdio>
#include <limits>

#include "core/models/Castling.h"
#include "core/models/Device.h"
#include "core/training/Evaluation.h"
#include "core/workbench/ClassOrder.h"
#include "core/workbench/Datasets.h"
#include "core/workbench/LoadedModel.h"
#include "core/workbench/Pictures.h"

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

/// A model and the validation split that it is measured on.
struct Opened {
  LoadedModel loaded;
  std::shared_ptr<const Dataset> dataset;
  EvaluationOptions options;
  int loaderThreads;

  Result<EvaluationResult> measure(const ProgressCallback& progress, std::stop_token stop) const {
    const Experiment& experiment = loaded.info.experiment;
    const auto loader = evaluationLoader(dataset, preprocessingOf(experiment.model),
                                         experiment.training.batchSize, loaderThreads);
    return evaluateModel(*loaded.model, *loader, options, progress, stop);
  }
};

Opened openAll(const EvaluationRequest& request) {
  configureCompute(request.source.threads);
  Opened opened{loadModel(request.source), nullptr, {}, request.data.loaderThreads};
  if (request.masks) opened.loaded.model->setMasks(*request.masks);
  if (request.opened) request.opened(opened.loaded.info);
  const ModelInfo& info = opened.loaded.info;
  const Experiment& experiment = info.experiment;
  opened.dataset = valueOrThrow(openDataset(
      datasetSpecOf(request.data, experiment.model.imageSize, experiment.seed), Split::Validation));
  opened.options.device = at::Device(info.device);
  opened.options.labelMap =
      labelMap(opened.dataset->classNames(), info.classNames, experiment.model.classes);
  return opened;
}

/// Nonzeros of the auxiliary masks over batches of any size. Every mechanism with such a branch has
/// as many keys as queries, those of the layer's grid.
class NonzeroCount {
 public:
  explicit NonzeroCount(const Model& model)
      : m_sums(model.layers(), std::numeric_limits<double>::quiet_NaN()) {}

  /// After a forward pass of this many images.
  void add(const Model& model, std::int64_t images) {
    const auto readings = model.readings();
    for (std::size_t l = 0; l < readings.size(); ++l)
      for (const auto& [name, value] : readings[l])
        if (name == "nonzeros")
          m_sums[l] = (std::isnan(m_sums[l]) ? 0 : m_sums[l]) + value * static_cast<double>(images);
    m_images += images;
  }

  std::vector<CastlingReport::Layer> layers(const Model& model) const {
    std::vector<CastlingReport::Layer> result;
    for (int l = 0; l < model.layers(); ++l) {
      const double fraction = m_sums[l] / static_cast<double>(m_images),
                   tokens = model.grid(l).tokens();
      result.push_back({fraction, fraction * model.heads(l) * tokens * tokens});
    }
    return result;
  }

 private:
  std::vector<double> m_sums;  ///< fraction times images; NaN: no branch was seen
  std::int64_t m_images = 0;
};

std::string verdictOf(const CastlingReport& report) {
  int branches = 0, left = 0;
  std::size_t fullest = 0;
  for (std::size_t l = 0; l < report.layers.size(); ++l) {
    const double nonzeros = report.layers[l].nonzeros;
    branches += !std::isnan(nonzeros);
    left += nonzeros > 0;
    if (nonzeros > 0 && !(report.layers[fullest].nonzeros >= nonzeros)) fullest = l;
  }
  const std::string images = std::to_string(report.with.images) + " images";
  if (report.free)
    return "free: the auxiliary branch had no nonzero in any layer on these " + images +
           "; without it every output is the same";
  char most[120];
  std::snprintf(most, sizeof most, "most in layer %zu, %.3g %% or %.6g an image", fullest,
                100 * report.layers[fullest].nonzeros, report.layers[fullest].perImage);
  return "not free: nonzeros of the auxiliary branch remain in " + std::to_string(left) + " of " +
         std::to_string(branches) + " layers on these " + images + " (" + most + ")";
}

/// Progress that says which of the two passes it is.
ProgressCallback labelled(const ProgressCallback& progress, const std::string& label) {
  if (!progress) return {};
  return [progress, label](Progress step) {
    step.stage += label;
    progress(step);
  };
}

}  // namespace

Result<EvaluationResult> evaluate(const EvaluationRequest& request,
                                  const ProgressCallback& progress, std::stop_token stop) {
  return guarded("evaluation", [&] { return openAll(request).measure(progress, stop); });
}

Result<CastlingReport> evaluateCastling(const EvaluationRequest& request,
                                        const ProgressCallback& progress, std::stop_token stop) {
  return guarded("castling", [&] {
    Opened opened = openAll(request);
    Model& model = *opened.loaded.model;
    castledConfig(model.config(), true);  // refuses where there is no branch
    if (castlingLayers(model) == 0)
      throw Failure({ErrorCode::InvalidConfig,
                     "no layer of this model has an auxiliary branch that inference could drop",
                     "model.mechanism"});
    CastlingReport report;
    NonzeroCount count(model);
    setCastled(model, false);
    opened.options.afterBatch = [&](std::int64_t images) { count.add(model, images); };
    report.with = valueOrThrow(opened.measure(labelled(progress, " with the branch"), stop));
    setCastled(model, true);
    opened.options.afterBatch = {};
    report.castled = valueOrThrow(opened.measure(labelled(progress, " castled"), stop));
    report.layers = count.layers(model);
    std::vector<double> nonzeros;
    for (const auto& layer : report.layers)
      nonzeros.push_back(layer.nonzeros);
    report.free = castlingIsFree(nonzeros);
    report.verdict = verdictOf(report);
    return report;
  });
}

}  // namespace headlight
