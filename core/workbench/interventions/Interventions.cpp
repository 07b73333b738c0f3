// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/interventions/Interventions.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/base/Translation.h"
#include "core/workbench/interventions/InterventionRun.h"

namespace headlight {
namespace {

constexpr int kTopAfterward = 5;

bool anyPattern(const std::vector<Intervention>& parts) {
  for (const Intervention& part : parts)
    if (part.site == InterventionSite::Pattern) return true;
  return false;
}

void checkParts(const std::vector<Intervention>& parts, int layers) {
  if (parts.empty())
    throw Failure({ErrorCode::InvalidArgument, tr("give a part to replace"), "interventions"});
  for (const Intervention& part : parts)
    layerOrLast(part.layer, layers);
}

PartReplacement replacementOf(const Intervention& part, const PartActivations& source) {
  return {part.site, source.of(part.site), {{0, part.head, part.token}}};
}

/// [heads]: half the sum of |A − A'| over a row, its mean over rows.
std::vector<double> mapDistance(const at::Tensor& before, const at::Tensor& after) {
  const at::Tensor change =
      ((after - before).abs().sum(-1).mean(-1)[0] / 2).to(at::kCPU, at::kDouble).contiguous();
  return {change.data_ptr<double>(), change.data_ptr<double>() + change.numel()};
}

double tokenDistance(const at::Tensor& before, const at::Tensor& after) {
  const double length = before.norm().item<double>();
  return (after - before).norm().item<double>() / (length > 0 ? length : 1);
}

/// Both runs side by side.
class PairedRun {
 public:
  PairedRun(InterventionRun& run, InterventionEffect& effect)
      : m_run(run), m_effect(effect), m_before(run.model().embed(run.input())), m_after(m_before) {}

  void step(int layer, const std::vector<Intervention>& parts) {
    Model& model = m_run.model();
    PartsHook plain(model.heads(layer), PartsHook::Keep::Nothing),
        changed(model.heads(layer), PartsHook::Keep::Nothing);
    plain.wantMap();
    changed.wantMap();
    const PartActivations source = m_run.source().block(layer);
    for (const Intervention& part : parts)
      if (part.layer == layer) changed.replace(replacementOf(part, source));
    m_before = plain.run(model, layer, m_before);
    m_after = changed.run(model, layer, m_after);
    m_effect.mapChange.push_back(mapDistance(plain.map(), changed.map()));
    m_effect.tokenChange.push_back(tokenDistance(m_before, m_after));
  }
  void finish() {
    m_effect.logitsBefore = classified(m_before);
    const at::Tensor logits = inFloat32(m_run.model().classify(m_after));
    m_effect.logitsAfter = plainValues(logits[0]);
    m_effect.value = m_run.metric().of(logits)[0];
  }

 private:
  std::vector<float> classified(const at::Tensor& tokens) {
    return plainValues(inFloat32(m_run.model().classify(tokens))[0]);
  }

  InterventionRun& m_run;
  InterventionEffect& m_effect;
  at::Tensor m_before, m_after;
};

}  // namespace

Result<InterventionEffect> intervene(InferenceSession& session, const MaskScheme& masks,
                                     const InterventionRequest& request,
                                     const std::vector<Intervention>& parts,
                                     const ProgressCallback& progress, std::stop_token stop) {
  return guarded("interventions", [&] {
    const at::NoGradGuard noGrad;
    at::init_num_threads();  // counts are per thread
    const ModelInfo& info = session.info();
    checkParts(parts, static_cast<int>(info.heads.size()));
    InterventionRun run(session, masks, request, anyPattern(parts), progress, stop);
    InterventionEffect effect;
    effect.facts = run.facts();
    PairedRun pair(run, effect);
    PassSteps steps(tr("replacing parts"), progress, stop, run.model().layers());
    for (int l = 0; l < run.model().layers(); ++l) {
      steps();
      pair.step(l, parts);
    }
    pair.finish();
    const auto top = [&](const std::vector<float>& logits) {
      return rankClasses(logits, info.classNames, kTopAfterward, run.metric().sigmoid);
    };
    effect.topBefore = top(effect.logitsBefore);
    effect.topAfter = top(effect.logitsAfter);
    return effect;
  });
}

}  // namespace headlight
