// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/interventions/LogitAttribution.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cmath>
#include <functional>
#include <map>

#include "core/attention/base/MixedPrecision.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/interventions/InterventionMetric.h"
#include "core/workbench/interventions/PartsHook.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/session/ModelAccess.h"
#include "core/workbench/session/ModelPass.h"

namespace headlight {
namespace {

constexpr double kLogitTolerance = 1e-3;  ///< of the sum, in shares of the logit's size

using StateTensors = std::map<std::string, at::Tensor>;

at::Tensor exactTensor(const StateTensors& tensors, const std::string& name) {
  const auto found = tensors.find(name);
  return found == tensors.end() ? at::Tensor() : found->second.detach().to(at::kCPU, at::kDouble);
}

[[noreturn]] void refuseLogit() {
  throw Failure({ErrorCode::InvalidArgument,
                 tr("direct logit attribution needs a ViT with one linear classifier behind its "
                    "final norm that reads the class token or the mean of the patches"),
                 "attribution"});
}

std::string attributedPooling(const ModelConfig& config) {
  const std::string pooling = config.layout.value("pooling", std::string("auto"));
  return pooling == "auto" ? (config.classToken ? "token" : "mean") : pooling;
}

void requireLinearEnd(const ModelConfig& config) {
  const Json& layout = config.layout;
  const std::string pooling = attributedPooling(config);
  const bool linear = config.backbone == "vit" && config.classes > 0 && !config.distilled &&
                      (pooling == "token" || pooling == "mean") &&
                      !layout.value("pool_norm", false) && layout.value("final_norm", true) &&
                      layout.value("pre_logits", 0) == 0 && !layout.value("cosine", false);
  if (!linear) refuseLogit();
}

/// The logit as a sum over final tokens: constant + Σ slopes ⊙ tokens.
struct LinearEnd {
  at::Tensor slopes;  ///< [T, D], double
  double constant = 0;
};

/// [T, 1]: how much the classifier reads of each token.
at::Tensor readShares(const Model& model, std::int64_t tokens) {
  at::Tensor shares = at::zeros({tokens, 1}, at::kDouble);
  const std::int64_t prefix = model.config().grid().prefix;
  if (attributedPooling(model.config()) == "token")
    shares[0].fill_(1);
  else
    shares.slice(0, prefix).fill_(1.0 / static_cast<double>(tokens - prefix));
  return shares;
}

/// [1, D] or [D] of the class, less the one that it is set against.
at::Tensor classRow(const at::Tensor& rows, const InterventionMetric& metric) {
  const at::Tensor row = rows[metric.classIndex];
  return metric.against < 0 ? row : row - rows[metric.against];
}

LinearEnd linearEnd(const Model& model, const StateTensors& tensors, const at::Tensor& last,
                    const InterventionMetric& metric) {
  const bool centered = model.config().layout.value("norm", std::string("layer")) != "rms";
  const at::Tensor shares = readShares(model, last.size(0));
  const at::Tensor weight = exactTensor(tensors, "norm.weight"),
                   shift = exactTensor(tensors, "norm.bias");
  const at::Tensor row = classRow(exactTensor(tensors, "head.weight"), metric);
  at::Tensor slope = row * weight;
  at::Tensor tokens = last;
  if (centered) {
    slope = slope - slope.mean();
    tokens = tokens - tokens.mean(-1, /*keepdim=*/true);
  }
  const at::Tensor scale =
      (tokens.square().mean(-1, /*keepdim=*/true) + model.config().normEpsilon).sqrt();
  LinearEnd end{slope.unsqueeze(0) * shares / scale,
                classRow(exactTensor(tensors, "head.bias"), metric).item<double>()};
  if (shift.defined())
    end.constant += (row * shift).sum().item<double>() * shares.sum().item<double>();
  return end;
}

double addedBy(const at::Tensor& slopes, const at::Tensor& part) {
  return (slopes * part[0].to(at::kCPU, at::kDouble)).sum().item<double>();
}

at::Tensor attentionScale(const StateTensors& tensors, int layer) {
  const std::string block = "blocks." + std::to_string(layer) + ".";
  for (const char* name : {"ls1.gamma", "gamma_1"})
    if (at::Tensor scale = exactTensor(tensors, block + name); scale.defined()) return scale;
  return at::ones({1}, at::kDouble);
}

/// What passed one block, and what left it.
struct BlockParts {
  PartActivations parts;
  at::Tensor leaving;
};

class AttributionPass {
 public:
  AttributionPass(Model& model, const ModelInfo& info) : m_model(model), m_info(info) {
    const ModelTensors state = model.state();
    m_state = StateTensors(state.begin(), state.end());
  }

  void run(const at::Tensor& image, const std::function<void()>& step) {
    at::Tensor tokens = m_model.embed(image);
    for (int l = 0; l < m_model.layers(); ++l) {
      step();
      PartsHook hook(m_model.heads(l), PartsHook::Keep::Parts);
      tokens = hook.run(m_model, l, tokens);
      m_blocks.push_back({hook.kept(), tokens});
    }
    m_logits = inFloat32(m_model.classify(tokens));
  }

  LogitAttribution attribution(const AttributionClasses& classes) {
    const InterventionMetric metric =
        chooseMetric(m_info, classes.against < 0 ? "logit" : "difference", classes.classIndex,
                     classes.against, m_logits, {});
    LogitAttribution result;
    result.metric = metricTitle(metric, m_info);
    result.classIndex = metric.classIndex;
    result.against = metric.against;
    result.logit = metric.of(m_logits)[0];
    const LinearEnd end =
        linearEnd(m_model, m_state, m_blocks.back().leaving[0].to(at::kCPU, at::kDouble), metric);
    result.constant = end.constant;
    result.embedding = addedBy(end.slopes, m_blocks.front().parts.entering);
    for (int l = 0; l < m_model.layers(); ++l)
      addLayer(result, end.slopes, l);
    requireSum(result);
    return result;
  }

 private:
  void addLayer(LogitAttribution& result, const at::Tensor& slopes, int layer) const {
    const BlockParts& block = m_blocks[static_cast<std::size_t>(layer)];
    const PartActivations& parts = block.parts;
    result.attention.push_back(addedBy(slopes, parts.attention));
    result.mlp.push_back(addedBy(slopes, parts.mlp));
    const double whole = addedBy(slopes, block.leaving - parts.entering);
    result.rest.push_back(whole - result.attention.back() - result.mlp.back());
    result.heads.push_back(headParts(slopes, parts.heads, layer));
  }

  std::vector<double> headParts(const at::Tensor& slopes, const at::Tensor& outputs,
                                int layer) const {
    const at::Tensor weight = m_model.attention(layer).headProjection().weight;
    if (!weight.defined() || !outputs.defined() ||
        m_model.config().layout.value("post_norm", false))
      return {};
    const at::Tensor reading = at::matmul(slopes * attentionScale(m_state, layer),
                                          weight.detach().to(at::kCPU, at::kDouble));
    const at::Tensor parts = (reading * outputs[0].to(at::kCPU, at::kDouble))
                                 .view({reading.size(0), m_model.heads(layer), -1})
                                 .sum(2)
                                 .sum(0)
                                 .contiguous();
    return {parts.data_ptr<double>(), parts.data_ptr<double>() + parts.numel()};
  }

  static void requireSum(const LogitAttribution& result) {
    double sum = result.constant + result.embedding;
    for (std::size_t l = 0; l < result.mlp.size(); ++l)
      sum += result.attention[l] + result.mlp[l] + result.rest[l];
    if (!(std::abs(sum - result.logit) <= kLogitTolerance * (1 + std::abs(result.logit))))
      refuseLogit();
  }

  Model& m_model;
  const ModelInfo& m_info;
  StateTensors m_state;
  std::vector<BlockParts> m_blocks;
  at::Tensor m_logits;
};

std::string attributionLine(const char* part, const std::string& layer, const std::string& head,
                            double value) {
  return std::string(part) + "," + layer + "," + head + "," + numberText(value) + "\n";
}

}  // namespace

Result<LogitAttribution> attributeLogit(InferenceSession& session, const RawImages& image,
                                        const MaskScheme& masks, const AttributionClasses& classes,
                                        const ProgressCallback& progress, std::stop_token stop) {
  return guarded("attribution", [&] {
    const at::NoGradGuard noGrad;
    at::init_num_threads();  // counts are per thread
    LogitAttribution result;
    withModel(session, [&](Model& model) {
      requireLinearEnd(model.config());
      model.setMasks(masks);
      PassSteps steps(tr("attributing the logit"), progress, stop, model.layers());
      AttributionPass pass(model, session.info());
      pass.run(modelInput(session.info(), image), [&] { steps(); });
      result = pass.attribution(classes);
    });
    return result;
  });
}

std::string attributionCsv(const LogitAttribution& attribution) {
  std::string csv = "part,layer,head,value\n" +
                    attributionLine("constant", "", "", attribution.constant) +
                    attributionLine("embedding", "", "", attribution.embedding);
  for (std::size_t l = 0; l < attribution.mlp.size(); ++l) {
    const std::string layer = std::to_string(l);
    csv += attributionLine("attention", layer, "", attribution.attention[l]) +
           attributionLine("mlp", layer, "", attribution.mlp[l]) +
           attributionLine("rest", layer, "", attribution.rest[l]);
  }
  for (std::size_t l = 0; l < attribution.heads.size(); ++l)
    for (std::size_t h = 0; h < attribution.heads[l].size(); ++h)
      csv += attributionLine("head", std::to_string(l), std::to_string(h), attribution.heads[l][h]);
  return csv;
}

}  // namespace headlight
