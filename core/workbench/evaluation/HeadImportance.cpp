// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/HeadImportance.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <limits>

#include "core/base/Translation.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

/// One layer's columns of a head: a view.
at::Tensor columnsOf(const at::Tensor& projection, int head, int heads) {
  const std::int64_t width = projection.size(1) / heads;
  return projection.detach().narrow(1, head * width, width);
}

HeadTable emptyTable(const Model& model) {
  HeadTable table;
  for (int l = 0; l < model.layers(); ++l)
    table.emplace_back(model.heads(l), kNoValue);
  return table;
}

/// [B] double, larger is better: the probability of `classes`, or minus the loss of them.
at::Tensor worthOf(const Model& model, const at::Tensor& logits, const at::Tensor& classes,
                   bool asLoss) {
  if (!asLoss && hasSigmoidScores(model.config()))
    return logits.to(at::kDouble).gather(1, classes.unsqueeze(1)).sigmoid().squeeze(1);
  const at::Tensor logs = logits.to(at::kDouble).log_softmax(1).gather(1, classes.unsqueeze(1));
  return (asLoss ? logs : logs.exp()).squeeze(1);
}

/// Head importance needs classes.
void requireClassifier(const Model& model) {
  if (model.config().classes == 0)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("head importance needs a classifier, which the model lacks; measure als, "
                      "entropy or distance"),
                   "importance"});
}

void throwIfStopped(const std::stop_token& stop) {
  if (stop.stop_requested())
    throw Failure({ErrorCode::Canceled, tr("measuring the heads was stopped"), ""});
}

/// Lets gradients reach these tensors while it lives.
class WithGradients {
 public:
  explicit WithGradients(const std::vector<at::Tensor>& tensors) : m_enabled(true) {
    for (const at::Tensor& tensor : tensors) {
      if (tensor.requires_grad()) continue;
      m_changed.push_back(tensor);
      m_changed.back().set_requires_grad(true);
    }
  }
  WithGradients(const WithGradients&) = delete;
  WithGradients& operator=(const WithGradients&) = delete;
  ~WithGradients() {
    for (at::Tensor& tensor : m_changed)
      tensor.set_requires_grad(false);
  }

 private:
  at::AutoGradMode m_enabled;
  std::vector<at::Tensor> m_changed;
};

/// The projections that there are, and the layer of each.
struct Projections {
  std::vector<int> layers;
  std::vector<at::Tensor> weights;

  explicit Projections(const Model& model) {
    for (int l = 0; l < model.layers(); ++l)
      if (const at::Tensor weight = model.attention(l).headProjection().weight; weight.defined()) {
        layers.push_back(l);
        weights.push_back(weight);
      }
  }
};

/// Adds |Σ W ⊙ ∂worth/∂W| over each head's columns, of one image.
void addFirstOrder(Model& model, const Projections& found, const at::Tensor& image,
                   const at::Tensor& label, HeadTable& sums) {
  const WithGradients gradients(found.weights);
  const at::Tensor logits = model.forward(image);
  const at::Tensor classes = label.defined() ? label : logits.detach().argmax(1);
  const at::Tensor worth = worthOf(model, logits, classes, label.defined()).sum();
  const auto slopes = torch::autograd::grad({worth}, found.weights);
  for (std::size_t i = 0; i < found.layers.size(); ++i) {
    auto& row = sums[found.layers[i]];
    const int heads = static_cast<int>(row.size());
    const at::Tensor perHead = (found.weights[i].detach() * slopes[i])
                                   .to(at::kDouble)
                                   .sum(0)
                                   .view({heads, -1})
                                   .sum(1)
                                   .abs()
                                   .to(at::kCPU);
    for (int h = 0; h < heads; ++h)
      row[h] += perHead[h].item<double>();
  }
}

}  // namespace

SilentHead::SilentHead(const at::Tensor& projection, int head, int heads)
    : m_columns(columnsOf(projection, head, heads)), m_kept(m_columns.clone()) {
  const at::NoGradGuard noGrad;
  m_columns.zero_();
}

SilentHead::~SilentHead() {
  const at::NoGradGuard noGrad;
  m_columns.copy_(m_kept);
}

HeadTable exactImportance(Model& model, const ImportanceTask& task, std::stop_token stop) {
  requireClassifier(model);
  const at::NoGradGuard noGrad;
  const bool asLoss = task.labels.defined();
  std::vector<at::Tensor> tokens{model.embed(task.images)};
  for (int l = 0; l < model.layers(); ++l) {
    throwIfStopped(stop);
    tokens.push_back(model.block(l, tokens.back(), nullptr));
  }
  const at::Tensor logits = model.classify(tokens.back());
  const at::Tensor classes = asLoss ? task.labels : logits.argmax(1);
  const at::Tensor whole = worthOf(model, logits, classes, asLoss);
  HeadTable table = emptyTable(model);
  for (int l = 0; l < model.layers(); ++l) {
    const at::Tensor projection = model.attention(l).headProjection().weight;
    for (int h = 0; projection.defined() && h < model.heads(l); ++h) {
      const SilentHead silent(projection, h, model.heads(l));
      at::Tensor now = tokens[l];
      for (int k = l; k < model.layers(); ++k) {
        throwIfStopped(stop);
        now = model.block(k, now, nullptr);
      }
      const at::Tensor without = worthOf(model, model.classify(now), classes, asLoss);
      table[l][h] = (whole - without).mean().item<double>();
    }
    if (task.afterStep) task.afterStep();
  }
  return table;
}

HeadTable firstOrderImportance(Model& model, const ImportanceTask& task, std::stop_token stop) {
  requireClassifier(model);
  const Projections found(model);
  HeadTable table = emptyTable(model);
  if (found.weights.empty()) return table;
  for (const int layer : found.layers)
    table[layer].assign(table[layer].size(), 0.0);
  const std::int64_t images = task.images.size(0);
  for (std::int64_t i = 0; i < images; ++i) {
    throwIfStopped(stop);
    addFirstOrder(model, found, task.images.narrow(0, i, 1),
                  task.labels.defined() ? task.labels.narrow(0, i, 1) : at::Tensor(), table);
    if (task.afterStep) task.afterStep();
  }
  for (auto& row : table)
    for (double& value : row)
      value /= static_cast<double>(images);
  return table;
}

}  // namespace headlight
