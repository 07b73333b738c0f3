#include "core/models/Castling.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/attention/LinearAngular.h"

namespace headlight {
namespace {

/// The branch of a layer, or null.
AuxiliaryBranch* branchOf(Model& model, int layer) {
  auto* castling = dynamic_cast<Castling*>(&model.attention(layer));
  return castling && castling->auxiliary().present() ? &castling->auxiliary() : nullptr;
}

/// Evaluation with every branch in force; what it found is put back.
class WithBranches {
 public:
  explicit WithBranches(Model& model) : m_model(model), m_training(model.is_training()) {
    for (int l = 0; l < model.layers(); ++l)
      if (AuxiliaryBranch* branch = branchOf(model, l)) {
        m_castled.emplace_back(branch, branch->castled());
        branch->setCastled(false);
      }
    m_model.eval();
  }
  ~WithBranches() {
    for (const auto& [branch, castled] : m_castled)
      branch->setCastled(castled);
    m_model.train(m_training);
  }
  WithBranches(const WithBranches&) = delete;
  WithBranches& operator=(const WithBranches&) = delete;

 private:
  Model& m_model;
  bool m_training;
  std::vector<std::pair<AuxiliaryBranch*, bool>> m_castled;
};

}  // namespace

int castlingLayers(const Model& model) {
  int count = 0;
  for (int l = 0; l < model.layers(); ++l)
    if (branchOf(const_cast<Model&>(model), l)) ++count;
  return count;
}

int setCastled(Model& model, bool castled) {
  for (int l = 0; l < model.layers(); ++l)
    if (AuxiliaryBranch* branch = branchOf(model, l)) branch->setCastled(castled);
  return castlingLayers(model);
}

ModelConfig castledConfig(ModelConfig config, bool castled) {
  if (config.mechanism != "linear_angular" || !linearAngularOptions(config.attention).auxiliary)
    throw Failure({ErrorCode::InvalidConfig,
                   "this model has no auxiliary branch that inference could drop: its mechanism is "
                   "not linear_angular, or attention.auxiliary is off",
                   "model.mechanism"});
  config.attention["castled"] = castled;
  return config;
}

std::vector<double> auxiliaryNonzeros(Model& model, const at::Tensor& images) {
  const at::NoGradGuard noGrad;
  const WithBranches withBranches(model);
  model.forward(images);
  std::vector<double> result;
  for (const auto& layer : model.readings()) {
    const auto found = std::find_if(layer.begin(), layer.end(), [](const auto& reading) {
      return reading.first == "nonzeros";
    });
    result.push_back(found == layer.end() ? std::numeric_limits<double>::quiet_NaN()
                                          : found->second);
  }
  return result;
}

bool castlingIsFree(const std::vector<double>& nonzeros) {
  return std::none_of(nonzeros.begin(), nonzeros.end(), [](double n) { return n > 0; });
}

}  // namespace headlight
