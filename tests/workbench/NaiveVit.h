// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A plain ViT as the paper writes it, in double precision, with explicit matrices and nothing of
// core's: what gradients are checked against by finite differences.

#include <ATen/ATen.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/models/backbones/Model.h"

namespace headlight {

class NaiveVit {
 public:
  explicit NaiveVit(const Model& model)
      : heads(model.config().heads), depth(model.config().depth), patch(model.config().patchSize) {
    for (const auto& [name, tensor] : model.state())
      m_weights[name] = tensor.detach().to(at::kDouble);
    m_classToken = model.config().classToken;
  }

  /// Added to A of a layer [H, T, T], and to what enters the attention of a layer [T, D].
  std::map<int, at::Tensor> addedToMap, addedToEntering;
  /// Added to the logits S of a layer [H, T, T]; and IBiT's mask of every layer [H, T, T], which
  /// multiplies the weights, whose rows are then divided by their sums of absolute values.
  std::map<int, at::Tensor> addedToLogits, weightMasks;

  /// What goes on in place of a part of a layer: "residual" [T, D], "pattern" [H, T, T], "heads"
  /// [T, D] (heads side by side), "attention" and "mlp" [T, D]; "values" [H, T, e] and "hidden"
  /// [T, M], what the MLP's second layer reads. Empty: the part itself.
  std::function<at::Tensor(const std::string& part, int layer, const at::Tensor& value)> replace;

  /// Tokens of zeros behind the class token, after the embedding; nothing reads them at the end.
  int extraTokens = 0;

  struct Pass {
    std::vector<at::Tensor> maps;      ///< [H, T, T]
    std::vector<at::Tensor> entering;  ///< [T, D]
    std::vector<at::Tensor> leaving;   ///< [T, D]
    std::vector<at::Tensor> logitsAfter;
  };

  at::Tensor logits(const at::Tensor& image) const {
    Pass pass;
    return run(image, pass);
  }
  Pass pass(const at::Tensor& image) const {
    Pass pass;
    run(image, pass);
    return pass;
  }
  at::Tensor finalNorm(const at::Tensor& tokens) const { return norm(tokens, "norm"); }

  int heads, depth, patch;

 private:
  at::Tensor through(const std::string& part, int layer, const at::Tensor& value) const {
    return replace ? replace(part, layer, value) : value;
  }
  const at::Tensor& w(const std::string& name) const { return m_weights.at(name); }

  at::Tensor norm(const at::Tensor& x, const std::string& name) const {
    const at::Tensor centerd = x - x.mean(-1, true);
    const at::Tensor deviation = (centerd.square().mean(-1, true) + 1e-6).sqrt();
    return centerd / deviation * w(name + ".weight") + w(name + ".bias");
  }
  at::Tensor linear(const at::Tensor& x, const std::string& name) const {
    return x.matmul(w(name + ".weight").t()) + w(name + ".bias");
  }
  static at::Tensor gelu(const at::Tensor& x) { return 0.5 * x * (1 + (x / std::sqrt(2.0)).erf()); }

  at::Tensor embed(const at::Tensor& image) const {
    const at::Tensor cells = at::conv2d(image.to(at::kDouble), w("patch_embed.proj.weight"),
                                        w("patch_embed.proj.bias"), patch)[0]
                                 .flatten(1)
                                 .t();
    const at::Tensor all = m_classToken ? at::cat({w("cls_token")[0], cells}, 0) : cells;
    at::Tensor placed = all + w("pos_embed")[0];
    if (extraTokens == 0) return placed;
    const std::int64_t first = m_classToken ? 1 : 0;
    return at::cat({placed.slice(0, 0, first),
                    at::zeros({extraTokens, placed.size(1)}, at::kDouble), placed.slice(0, first)},
                   0);
  }

  at::Tensor classify(const at::Tensor& tokens) const {
    const at::Tensor normed = norm(tokens, "norm");
    return linear(m_classToken ? normed[0] : normed.slice(0, extraTokens).mean(0), "head");
  }

  at::Tensor run(const at::Tensor& image, Pass& pass) const {
    at::Tensor x = embed(image);
    const std::int64_t tokens = x.size(0), width = x.size(1), each = width / heads;
    for (int l = 0; l < depth; ++l) {
      const std::string block = "blocks." + std::to_string(l) + ".";
      x = through("residual", l, x);
      at::Tensor entering = norm(x, block + "norm1");
      if (addedToEntering.count(l)) entering = entering + addedToEntering.at(l);
      const at::Tensor qkv =
          linear(entering, block + "attn.qkv").view({tokens, 3, heads, each}).permute({1, 2, 0, 3});
      at::Tensor s = qkv[0].matmul(qkv[1].transpose(-2, -1)) / std::sqrt(double(each));
      if (addedToLogits.count(l)) s = s + addedToLogits.at(l);
      at::Tensor a = s.softmax(-1);
      if (weightMasks.count(l)) a = a * weightMasks.at(l);
      if (weightMasks.count(l)) a = a / a.abs().sum(-1, true);
      pass.maps.push_back(a);
      if (addedToMap.count(l)) a = a + addedToMap.at(l);
      a = through("pattern", l, a);
      const at::Tensor values = through("values", l, qkv[2]);
      const at::Tensor mixed = a.matmul(values).transpose(0, 1).reshape({tokens, width});
      x = x + through("attention", l, linear(through("heads", l, mixed), block + "attn.proj"));
      const at::Tensor hidden =
          through("hidden", l, gelu(linear(norm(x, block + "norm2"), block + "mlp.fc1")));
      x = x + through("mlp", l, linear(hidden, block + "mlp.fc2"));
      pass.entering.push_back(entering);
      pass.leaving.push_back(x);
      pass.logitsAfter.push_back(classify(x));
    }
    return pass.logitsAfter.back();
  }

  std::map<std::string, at::Tensor> m_weights;
  bool m_classToken = true;
};

}  // namespace headlight
