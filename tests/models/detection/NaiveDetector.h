// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The detectors once more, in double precision and in evaluation mode, straight from the names and
// tensors of a state: what the modules are compared with.

#include <ATen/ATen.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/models/backbones/Model.h"

namespace headlight {

class NaiveDetector {
 public:
  NaiveDetector(const ModelTensors& state, int headWidth) : m_headWidth(headWidth) {
    for (const auto& [name, tensor] : state)
      m_state[name] = tensor.detach().to(at::kDouble).clone();
  }

  at::Tensor of(const std::string& name) const { return m_state.at(name); }
  bool has(const std::string& name) const { return m_state.contains(name); }

  static at::Tensor hardSwish(const at::Tensor& x) { return x * (x + 3).clamp(0, 6) / 6; }

  /// Batch norm of maps by what it remembers; ε 1e-5.
  at::Tensor normed(const at::Tensor& x, const std::string& name) const {
    const auto channels = [&](const char* what) {
      return of(name + "." + what).view({1, -1, 1, 1});
    };
    return (x - channels("running_mean")) / (channels("running_var") + 1e-5).sqrt() *
               channels("weight") +
           channels("bias");
  }

  /// A convolution without bias, a norm, and hard-swish.
  at::Tensor conv(const at::Tensor& x, const std::string& name, int stride = 1,
                  bool activation = true) const {
    const at::Tensor weight = of(name + ".conv.weight");
    const bool depthwise = weight.size(1) == 1;
    const std::int64_t pad = (weight.size(2) - 1) / 2;
    const at::Tensor y =
        normed(at::conv2d(x, weight, {}, stride, pad, 1, depthwise ? x.size(1) : 1), name + ".bn");
    return activation ? hardSwish(y) : y;
  }

  at::Tensor separable(const at::Tensor& x, const std::string& name, int stride = 1) const {
    return conv(conv(x, name + ".depthwise", stride), name + ".pointwise");
  }

  at::Tensor squeeze(const at::Tensor& x, const std::string& name) const {
    const auto linear = [&](const at::Tensor& y, const char* layer) {
      const at::Tensor weight = of(name + "." + layer + ".weight").flatten(1);
      return at::matmul(y, weight.t()) + of(name + "." + layer + ".bias");
    };
    const at::Tensor gate = linear(linear(x.mean({2, 3}), "reduce").clamp_min(0), "expand");
    return x * ((gate + 3).clamp(0, 6) / 6).unsqueeze(-1).unsqueeze(-1);
  }

  at::Tensor lcLayer(const at::Tensor& x, const std::string& name, int stride) const {
    const at::Tensor y = conv(x, name + ".depthwise", stride);
    return conv(has(name + ".se.reduce.weight") ? squeeze(y, name + ".se") : y,
                name + ".pointwise");
  }

  at::Tensor esBlock(const at::Tensor& x, const std::string& name) const {
    const std::int64_t half = x.size(1) / 2;
    const at::Tensor u = conv(x.narrow(1, half, half), name + ".expand");
    const at::Tensor v = conv(u, name + ".depthwise", 1, false);
    const at::Tensor y = conv(squeeze(at::cat({u, v}, 1), name + ".se"), name + ".project");
    std::vector<at::Tensor> turns;  // a0 b0 a1 b1 …
    for (std::int64_t c = 0; c < half; ++c)
      for (const at::Tensor& part : {x, y})
        turns.push_back(part.narrow(1, c, 1));
    return at::cat(turns, 1);
  }

  at::Tensor esDownsample(const at::Tensor& x, const std::string& name) const {
    const at::Tensor left =
        conv(conv(x, name + ".left.depthwise", 2, false), name + ".left.project");
    const at::Tensor right =
        conv(squeeze(conv(conv(x, name + ".right.expand"), name + ".right.depthwise", 2, false),
                     name + ".right.se"),
             name + ".right.project");
    return separable(at::cat({left, right}, 1), name + ".joined");
  }

  /// Softmax attention and the MLP, on a map.
  at::Tensor transformer(const at::Tensor& map, const std::string& name) const {
    const std::int64_t rows = map.size(2), cols = map.size(3);
    at::Tensor x = map.flatten(2).transpose(1, 2);
    x = x + attention(layerNorm(x, name + ".norm1"), name + ".attn");
    at::Tensor hidden = linear(layerNorm(x, name + ".norm2"), name + ".mlp.fc1");
    if (has(name + ".mlp.dconv.weight")) {
      const at::Tensor filter = of(name + ".mlp.dconv.weight");
      const at::Tensor image =
          hidden.transpose(1, 2).reshape({hidden.size(0), hidden.size(2), rows, cols});
      hidden = normed(at::conv2d(image, filter, {}, 1, filter.size(2) / 2, 1, hidden.size(2)),
                      name + ".mlp.bn")
                   .flatten(2)
                   .transpose(1, 2);
    }
    x = x + linear(hardSwish(hidden), name + ".mlp.fc2");
    return x.transpose(1, 2).reshape({map.size(0), map.size(1), rows, cols});
  }

  /// Strides 8, 16 and 32.
  std::vector<at::Tensor> lcnetVit(const at::Tensor& images) const {
    at::Tensor x = conv(images, "backbone.stem", 2);
    std::vector<at::Tensor> maps;
    for (int s = 0; s < 5; ++s) {
      for (int i = 0; has(place("backbone.stages", s, i) + ".depthwise.conv.weight"); ++i)
        x = lcLayer(x, place("backbone.stages", s, i), s > 0 && i == 0 ? 2 : 1);
      if (s >= 3 && hasBlock(s - 3)) x = transformer(x, "backbone.blocks." + std::to_string(s - 3));
      if (s >= 2) maps.push_back(x);
    }
    return maps;
  }

  std::vector<at::Tensor> esnetVit(const at::Tensor& images) const {
    at::Tensor x = at::max_pool2d(conv(images, "backbone.stem", 2), 3, 2, 1);
    std::vector<at::Tensor> maps;
    for (int s = 0; s < 3; ++s) {
      x = esDownsample(x, place("backbone.stages", s, 0));
      for (int i = 1; has(place("backbone.stages", s, i) + ".expand.conv.weight"); ++i)
        x = esBlock(x, place("backbone.stages", s, i));
      for (int l = 0; s == 2 && hasBlock(l); ++l)
        x = transformer(x, "backbone.blocks." + std::to_string(l));
      maps.push_back(x);
    }
    return maps;
  }

  /// Strides 8, 16, 32 and 64.
  std::vector<at::Tensor> neck(const std::vector<at::Tensor>& in) const {
    std::vector<at::Tensor> lateral;
    for (int i = 0; i < 3; ++i)
      lateral.push_back(conv(in[i], "neck.lateral." + std::to_string(i)));
    const auto up = [](const at::Tensor& x) {
      return x.repeat_interleave(2, 2).repeat_interleave(2, 3);
    };
    const at::Tensor middle = fused({up(lateral[2]), lateral[1]}, "neck.top_down.0");
    const at::Tensor fine = fused({up(middle), lateral[0]}, "neck.top_down.1");
    const at::Tensor outMiddle =
        fused({separable(fine, "neck.down.0", 2), middle}, "neck.bottom_up.0");
    const at::Tensor outCoarse =
        fused({separable(outMiddle, "neck.down.1", 2), lateral[2]}, "neck.bottom_up.1");
    return {fine, outMiddle, outCoarse,
            separable(lateral[2], "neck.coarse.lateral", 2) +
                separable(outCoarse, "neck.coarse.output", 2)};
  }

  /// [B, N, K + 32].
  at::Tensor head(const std::vector<at::Tensor>& maps) const {
    std::vector<at::Tensor> rows;
    for (std::size_t level = 0; level < maps.size(); ++level) {
      const std::string name = "head." + std::to_string(level);
      at::Tensor x = maps[level];
      for (int i = 0; has(name + ".layers." + std::to_string(i) + ".depthwise.conv.weight"); ++i)
        x = separable(x, name + ".layers." + std::to_string(i));
      const at::Tensor weight = of(name + ".predict.weight").flatten(1);
      rows.push_back(at::matmul(x.flatten(2).transpose(1, 2), weight.t()) +
                     of(name + ".predict.bias"));
    }
    return at::cat(rows, 1);
  }

 private:
  bool hasBlock(int layer) const {
    return has("backbone.blocks." + std::to_string(layer) + ".norm1.weight");
  }

  static std::string place(const std::string& name, int stage, int index) {
    return name + "." + std::to_string(stage) + "." + std::to_string(index);
  }

  at::Tensor linear(const at::Tensor& x, const std::string& name) const {
    return at::matmul(x, of(name + ".weight").t()) + of(name + ".bias");
  }

  at::Tensor layerNorm(const at::Tensor& x, const std::string& name) const {
    const at::Tensor centered = x - x.mean({-1}, /*keepdim=*/true);
    const at::Tensor variance = centered.square().mean({-1}, /*keepdim=*/true);
    return centered / (variance + 1e-6).sqrt() * of(name + ".weight") + of(name + ".bias");
  }

  /// Head by head.
  at::Tensor attention(const at::Tensor& x, const std::string& name) const {
    const std::int64_t width = x.size(2);
    const at::Tensor qkv = linear(x, name + ".qkv");
    std::vector<at::Tensor> heads;
    for (std::int64_t start = 0; start < width; start += m_headWidth) {
      const auto part = [&](int which) {
        return qkv.narrow(2, which * width + start, m_headWidth);
      };
      const at::Tensor logits =
          at::matmul(part(0), part(1).transpose(1, 2)) / std::sqrt(double(m_headWidth));
      heads.push_back(at::matmul(logits.softmax(-1), part(2)));
    }
    return linear(at::cat(heads, 2), name + ".proj");
  }

  at::Tensor fused(const std::vector<at::Tensor>& parts, const std::string& name) const {
    const at::Tensor x = at::cat(parts, 1);
    if (!has(name + ".main.conv.weight")) return separable(separable(x, name + ".0"), name + ".1");
    const at::Tensor main =
        separable(conv(conv(x, name + ".main"), name + ".inner.0"), name + ".inner.1");
    return conv(at::cat({main, conv(x, name + ".shortcut")}, 1), name + ".join");
  }

  int m_headWidth;
  std::map<std::string, at::Tensor> m_state;
};

}  // namespace headlight
