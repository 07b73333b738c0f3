// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/adapt/HeadPlacement.h"

#include <ATen/ATen.h>

#include "core/base/Translation.h"
#include "core/models/Registry.h"
#include "core/workbench/adapt/LinearHead.h"
#include "core/workbench/loading/LearnedAlphas.h"
#include "core/workbench/loading/MapFile.h"

namespace headlight {
namespace {

constexpr double kBatchNormEpsilon = 1e-5;  // LeViT's (LevitParts.h)

[[noreturn]] void refuseHead(const std::string& why, const std::string& where) {
  throw Failure({ErrorCode::InvalidArgument, why, where});
}

std::string poolingOf(const ModelConfig& model) {
  std::string pooling = model.layout.value("pooling", "auto");
  if (pooling != "auto") return pooling;
  return model.classToken ? "token" : "mean";
}

/// Two heads read two tokens; their mean counts (DeiT). LeViT's two read the same.
bool readsTwoTokens(const ModelConfig& model) {
  return model.backbone == "vit" && model.distilled;
}

std::string tokenOfModel(const ModelConfig& model) {
  if (model.backbone != "vit" || model.distilled) return "model";
  const std::string pooling = poolingOf(model);
  if (pooling == "token_mean") return "both";
  return pooling == "attention" ? "model" : pooling;
}

void requireTeachable(const ModelInfo& info) {
  if (info.isPrecomputed) throw Failure(needsModel(info.weights.string()));
  if (isTeachable(info)) return;
  refuseHead(tr("the model does not classify images (it detects, segments or rebuilds them), so "
                "it can be taught no classes; open a classifier, or a model that gives features"),
             "model");
}

void requireToken(const ModelConfig& model, const std::string& token) {
  if (token == "model") return;
  if (model.backbone != "vit")
    refuseHead(tr("can be chosen for plain vision transformers (backbone vit) only; use model"),
               "token");
  if (model.distilled)
    refuseHead(tr("cannot be chosen for a distilled model, which reads its class and its "
                  "distillation token; use model"),
               "token");
  if (token != "mean" && !model.classToken)
    refuseHead(tr("needs a class token, which the model does not have; use mean"), "token");
  if (token == "both" && model.layout.value("pool_norm", false))
    refuseHead(tr("cannot be chosen for a model whose final norm comes after pooling; use token "
                  "or mean"),
               "token");
}

void requireLayers(const ModelConfig& model, const HeadChoice& choice) {
  if (choice.layers == 1) return;
  if (choice.token == "model")
    refuseHead(tr("need a plain vision transformer that reads its class token or its patches; "
                  "use 1"),
               "layers");
  if (choice.layers > model.depth)
    refuseHead(tr("are more than the model's blocks, ") + std::to_string(model.depth), "layers");
}

bool belongsToHead(const std::string& name) {
  return name.starts_with("head.") || name.starts_with("head_dist.") ||
         name.starts_with("pre_logits.");
}

/// What only the former classifier had.
bool belongsToFormerPooling(const std::string& name, const ModelConfig& headed) {
  return name.starts_with("attn_pool.") && headed.layout.value("pooling", "auto") != "attention";
}

void requireBackbone(const LoadReport& report) {
  for (const std::string& name : report.unfilled())
    if (!belongsToHead(name))
      throw Failure({ErrorCode::Internal, tr("the backbone could not be copied"), name});
}

/// The value of one tensor of a head that reads `weight`; `normed`: behind a batch norm.
at::Tensor headValue(const std::string& name, const HeadTensors& head, const at::Tensor& weight,
                     bool normed) {
  const at::Tensor deviation = (head.variance + kBatchNormEpsilon).sqrt();
  if (name.find(".bn.") != std::string::npos) {
    if (name.ends_with("running_mean")) return head.mean;
    if (name.ends_with("running_var")) return head.variance;
    return name.ends_with("weight") ? at::ones_like(head.mean) : at::zeros_like(head.mean);
  }
  if (name.ends_with("weight")) return normed ? weight * deviation : weight;
  return normed ? head.bias + at::mv(weight, head.mean) : head.bias;
}

bool hasBatchNorm(const ModelTensors& state) {
  for (const auto& [name, tensor] : state)
    if (name.starts_with("head.bn.")) return true;
  return false;
}

/// Of two tokens the half that this head reads, twice, because the mean of both heads counts.
at::Tensor ownPart(const std::string& name, const at::Tensor& weight, bool pairs) {
  if (!pairs) return weight;
  const std::int64_t half = weight.size(1) / 2;
  const std::int64_t from = name.starts_with("head_dist.") ? half : 0;
  return 2 * weight.slice(1, from, from + half);
}

}  // namespace

HeadChoice resolvedChoice(const ModelInfo& info, const HeadChoice& wanted) {
  requireTeachable(info);
  const ModelConfig& model = info.experiment.model;
  HeadChoice choice = wanted;
  if (choice.token == "model") choice.token = tokenOfModel(model);
  requireToken(model, choice.token);
  requireLayers(model, choice);
  return choice;
}

bool hasTokenAndMean(const ModelConfig& model) {
  return model.backbone == "vit" && !model.distilled && model.classToken &&
         !model.layout.value("pool_norm", false);
}

ModelConfig headedConfig(ModelConfig model, const std::string& token, int classes) {
  model.classes = classes;
  if (model.backbone != "vit") return checkedAndCompleted(model);
  if (token == "token" || token == "mean") model.layout["pooling"] = token;
  if (token == "both") model.layout["pooling"] = "token_mean";
  model.layout["pre_logits"] = 0;
  model.layout["cosine"] = false;
  model.layout["scores"] = "softmax";
  return checkedAndCompleted(model);
}

std::int64_t headInputWidth(const ModelConfig& headed) {
  const std::int64_t width =
      headed.staged() ? headed.stageWidth(headed.stages() - 1) : headed.width;
  const bool both = headed.backbone == "vit" && poolingOf(headed) == "token_mean";
  return both || readsTwoTokens(headed) ? 2 * width : width;
}

LoadedModel withNewHead(const LoadedModel& from, const std::string& token, int classes,
                        const MaskScheme& masks) {
  Experiment experiment = from.info.experiment;
  experiment.model = headedConfig(experiment.model, token, classes);
  LoadedModel loaded = buildModel(experiment, from.info.device);
  Checkpoint backbone;
  for (const auto& [name, tensor] : from.model->state())
    if (!belongsToHead(name) && !belongsToFormerPooling(name, experiment.model))
      backbone.tensors.emplace_back(name, tensor.detach().to(at::kCPU));
  const std::vector<LearnedAlpha> learned = from.model->learnedAlphas();
  loaded.model->setMasks(from.model->masks());
  loaded.model->setLearnedAlphas(learned);  // so that their parameters exist
  const LoadPlan plan = planFor(*loaded.model, backbone);
  requireBackbone(plan.report);
  applyWeights(*loaded.model, plan, learned);
  loaded.model->setProgress(from.model->progress());
  loaded.model->setMasks(masks);
  loaded.model->to(at::Device(from.info.device));
  loaded.model->eval();
  loaded.info.experiment.masks = describeMasks(masks);
  loaded.info.alphas = readSoftAlphas(*loaded.model);
  return loaded;
}

void fillHead(Model& model, const HeadTensors& head) {
  const at::NoGradGuard noGrad;
  const ModelTensors state = model.state();
  const bool pairs = readsTwoTokens(model.config()), normed = hasBatchNorm(state);
  for (const auto& [name, tensor] : state)
    if (belongsToHead(name) && !name.ends_with("num_batches_tracked"))
      at::Tensor(tensor).copy_(headValue(name, head, ownPart(name, head.weight, pairs), normed));
}

}  // namespace headlight
