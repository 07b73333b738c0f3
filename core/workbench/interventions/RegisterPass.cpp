// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/interventions/RegisterPass.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/attention/base/MixedPrecision.h"
#include "core/base/Translation.h"
#include "core/workbench/interventions/OutlierNorms.h"

namespace headlight {
namespace {

constexpr int kTopWithRegisters = 5;

/// Whose weights belong to no place among the tokens, so that there may be more of them.
constexpr std::array kFreeMechanisms{"softmax",       "talking_heads", "differential",
                                     "gated_softmax", "taylor_shift",  "linear_transformer",
                                     "performer",     "aft_simple"};

[[noreturn]] void refuseRegisters(const std::string& why) {
  throw Failure({ErrorCode::InvalidArgument,
                 why + tr("; test-time registers need a ViT with a mechanism such as softmax"),
                 "registers"});
}

bool isFreeMechanism(const std::string& name) {
  return std::find(kFreeMechanisms.begin(), kFreeMechanisms.end(), name) != kFreeMechanisms.end();
}

/// What fc2 reads, with the largest activation over patches at `units` in every register, and 0 in
/// the patches; all else as it was.
at::Tensor movedToRegisters(const at::Tensor& hidden, const at::Tensor& units, int firstPatch,
                            int registers) {
  const at::Tensor index = units.to(hidden.device());
  at::Tensor chosen = hidden.index_select(2, index);  // [B, T, K], a copy
  const at::Tensor largest = std::get<0>(chosen.slice(1, firstPatch).max(1, /*keepdim=*/true));
  chosen.slice(1, firstPatch - registers, firstPatch).copy_(largest.expand({-1, registers, -1}));
  chosen.slice(1, firstPatch).zero_();
  return hidden.index_copy(2, index, chosen);
}

std::map<int, std::vector<std::int64_t>> unitsByLayer(const std::vector<RegisterNeuron>& neurons) {
  std::map<int, std::vector<std::int64_t>> units;
  for (const RegisterNeuron& neuron : neurons)
    units[neuron.layer].push_back(neuron.unit);
  return units;
}

}  // namespace

VisionTransformer& requireRegisterPlace(Model& model) {
  const ModelConfig& config = model.config();
  auto* vit = dynamic_cast<VisionTransformer*>(&model);
  if (!vit)
    refuseRegisters(tr("the backbone ") + config.backbone +
                    tr(" has no place for extra tokens: its layers are bound to its own"));
  if (!isFreeMechanism(config.mechanism))
    refuseRegisters(tr("the mechanism ") + config.mechanism +
                    tr(" is bound to the grid of patches and takes no extra tokens"));
  if (config.attention.value("relative_positions", false))
    refuseRegisters(tr("relative position biases belong to the model's own tokens"));
  if (config.layout.value("mid_positions", false))
    refuseRegisters(tr("positions that are added between blocks belong to the model's own tokens"));
  return *vit;
}

HiddenEdits::~HiddenEdits() {
  for (int l = 0; l < m_model.layers(); ++l)
    set(l, {});
}

RegisterPass::RegisterPass(LoadedModel& own, const RegisterRequest& request,
                           const ProgressCallback& progress, const std::stop_token& stop)
    : m_info(own.info),
      m_model(requireRegisterPlace(*own.model)),
      m_factor(request.factor),
      m_input(modelInput(own.info, request.image)),
      m_grid(m_model.grid(0)),
      m_edits(m_model),
      m_steps(tr("adding registers"), progress, stop, 2 * std::int64_t{m_model.layers()}) {}

void RegisterPass::addRegisters(int count, const std::vector<RegisterNeuron>& neurons) {
  m_registers = count;
  Grid grid = m_grid;
  grid.prefix += count;
  grid.registers += count;
  for (int l = 0; l < m_model.layers(); ++l)
    m_model.blockAt(l).setGrid(grid);
  for (const auto& [layer, list] : unitsByLayer(neurons)) {
    const at::Tensor units = at::tensor(list, at::kLong);
    m_edits.set(layer, [units, first = firstPatch(), count](const at::Tensor& hidden) {
      return movedToRegisters(hidden, units, first, count);
    });
  }
}

at::Tensor RegisterPass::withRegisters(const at::Tensor& tokens) const {
  if (m_registers == 0) return tokens;
  const at::Tensor zeros =
      at::zeros({tokens.size(0), m_registers, tokens.size(2)}, tokens.options());
  return at::cat({tokens.slice(1, 0, m_grid.prefix), zeros, tokens.slice(1, m_grid.prefix)}, 1);
}

at::Tensor RegisterPass::withoutRegisters(const at::Tensor& tokens) const {
  if (m_registers == 0) return tokens;
  return at::cat({tokens.slice(1, 0, m_grid.prefix), tokens.slice(1, firstPatch())}, 1);
}

std::vector<float> RegisterPass::seenPatches(const at::Tensor& map) const {
  const at::Tensor rows = m_grid.hasClassToken() ? map[0].select(1, 0)
                                                 : map[0].slice(1, firstPatch()).mean(1);  // [H, T]
  return plainValues(rows.slice(1, firstPatch()).mean(0));
}

void RegisterPass::addLayer(RegisterRun& run, const at::Tensor& tokens) {
  OutlierLayer layer;
  layer.grid = m_grid;
  addOutlierNorms(layer, withoutRegisters(tokens), m_factor);
  run.norms.layers.push_back(std::move(layer));
  m_registerNorms.push_back(
      plainValues(tokens[0].slice(0, m_grid.prefix, firstPatch()).to(at::kDouble).norm(2, {-1})));
}

void RegisterPass::classify(RegisterRun& run, const at::Tensor& tokens) {
  const at::Tensor logits = inFloat32(m_model.classify(withoutRegisters(tokens)));
  if (logits.size(1) == 0) return;
  run.logits = plainValues(logits[0]);
  run.top = rankClasses(run.logits, m_info.classNames, kTopWithRegisters,
                        hasSigmoidScores(m_info.experiment.model));
}

RegisterRun RegisterPass::run() {
  RegisterRun run;
  run.norms.factor = m_factor;
  m_registerNorms.clear();
  at::Tensor tokens = withRegisters(m_model.embed(m_input));
  for (int l = 0; l < m_model.layers(); ++l) {
    m_steps();
    CollectingHook tap;
    tokens = m_model.block(l, tokens, &tap);
    run.maps.push_back(seenPatches(tap.maps.at(l)));
    addLayer(run, tokens);
  }
  classify(run, tokens);
  return run;
}

}  // namespace headlight
