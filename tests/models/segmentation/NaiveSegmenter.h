// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The segmenter once more, in double precision and in evaluation mode, straight from the names and
// tensors of a state, with loops where the modules have products: what they are compared with.

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/models/backbones/Model.h"

namespace headlight {

/// Rows and columns of a map.
using NaiveSides = std::pair<std::int64_t, std::int64_t>;

class NaiveSegmenter {
 public:
  NaiveSegmenter(const ModelTensors& state, int heads, int patch = 16)
      : m_heads(heads), m_patch(patch) {
    for (const auto& [name, tensor] : state)
      m_state[name] = tensor.detach().to(at::kDouble).clone();
  }

  at::Tensor of(const std::string& name) const { return m_state.at(name); }
  bool has(const std::string& name) const { return m_state.contains(name); }

  /// [T, width].
  static at::Tensor sines(const NaiveSides& sides, int width) {
    const at::Tensor out = at::zeros({sides.first * sides.second, width}, at::kDouble);
    const int half = width / 2;
    const double turn = 2 * std::acos(-1.0);
    for (std::int64_t r = 0; r < sides.first; ++r)
      for (std::int64_t c = 0; c < sides.second; ++c)
        for (int f = 0; f < width; ++f) {
          const bool across = f >= half;
          const int j = across ? f - half : f;
          const double place =
              across ? (c + 1) / (sides.second + 1e-6) : (r + 1) / (sides.first + 1e-6);
          const double angle = turn * place / std::pow(10000.0, 2.0 * (j / 2) / half);
          out[r * sides.second + c][f] = j % 2 == 0 ? std::sin(angle) : std::cos(angle);
        }
    return out;
  }

  /// Of cells values[start + row · cols + col][feature], read at x and y in cells, whose centers are
  /// at halves; 0 outside.
  static double readAt(const at::TensorAccessor<double, 2>& values, std::int64_t start,
                       const NaiveSides& sides, std::int64_t feature, double x, double y) {
    const double left = std::floor(x - 0.5), top = std::floor(y - 0.5);
    double sum = 0;
    for (const double row : {top, top + 1})
      for (const double col : {left, left + 1}) {
        if (row < 0 || col < 0 || row >= sides.first || col >= sides.second) continue;
        const double weight = (1 - std::abs(y - 0.5 - row)) * (1 - std::abs(x - 0.5 - col));
        sum += weight * values[start + static_cast<std::int64_t>(row) * sides.second +
                               static_cast<std::int64_t>(col)][feature];
      }
    return sum;
  }

  /// All cells of all levels look; both [B, N, C].
  at::Tensor deformable(const at::Tensor& queries, const at::Tensor& cells,
                        const std::vector<NaiveSides>& levels, const std::string& name) const {
    const at::Tensor offsets = linear(queries, name + ".sampling_offsets"),
                     logits = linear(queries, name + ".attention_weights"),
                     values = linear(cells, name + ".value_proj").contiguous(),
                     out = at::zeros_like(values);
    const auto each = logits.size(2) / m_heads,
               points = each / static_cast<std::int64_t>(levels.size()),
               width = values.size(2) / m_heads;
    for (std::int64_t b = 0; b < values.size(0); ++b) {
      const at::Tensor image = values[b];
      const auto from = image.accessor<double, 2>();
      std::int64_t query = 0;
      for (const NaiveSides& own : levels)
        for (std::int64_t cell = 0; cell < own.first * own.second; ++cell, ++query)
          for (int h = 0; h < m_heads; ++h) {
            const at::Tensor weights = logits[b][query].narrow(0, h * each, each).softmax(0);
            std::int64_t start = 0;
            for (std::size_t l = 0; l < levels.size(); ++l) {
              const double x = (cell % own.second + 0.5) / own.second * levels[l].second,
                           y = (cell / own.second + 0.5) / own.first * levels[l].first;
              for (std::int64_t p = 0; p < points; ++p) {
                const std::int64_t place = static_cast<std::int64_t>(l) * points + p;
                const std::int64_t at = 2 * (h * each + place);
                const double dx = offsets[b][query][at].item<double>(),
                             dy = offsets[b][query][at + 1].item<double>(),
                             weight = weights[place].item<double>();
                for (std::int64_t f = h * width; f < (h + 1) * width; ++f)
                  out[b][query][f] += weight * readAt(from, start, levels[l], f, x + dx, y + dy);
              }
              start += levels[l].first * levels[l].second;
            }
          }
    }
    return linear(out, name + ".output_proj");
  }

  /// One query after the other, over the keys that it sees; `seen` [B, Q, T] bool or undefined.
  at::Tensor attention(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                       const at::Tensor& seen, const std::string& name) const {
    const at::Tensor q = linear(queries, name + ".q_proj"), k = linear(keys, name + ".k_proj"),
                     v = linear(values, name + ".v_proj"), out = at::zeros_like(q);
    const std::int64_t width = q.size(2) / m_heads;
    for (std::int64_t b = 0; b < q.size(0); ++b)
      for (std::int64_t i = 0; i < q.size(1); ++i)
        for (int h = 0; h < m_heads; ++h) {
          const auto head = [&](const at::Tensor& x) { return x.narrow(-1, h * width, width); };
          const at::Tensor places =
              seen.defined() ? seen[b][i].nonzero().flatten() : at::arange(k.size(1), at::kLong);
          const at::Tensor looked = head(k[b]).index_select(0, places),
                           taken = head(v[b]).index_select(0, places);
          const at::Tensor weights =
              (at::mv(looked, head(q[b][i])) / std::sqrt(static_cast<double>(width))).softmax(0);
          head(out[b][i]).copy_(at::mv(taken.t(), weights));
        }
    return linear(out, name + ".out_proj");
  }

  /// [B, C, H, W] to other sides, bilinear (`cubic` off) or bicubic (A = −¾), corners not aligned,
  /// edges repeated, not antialiased.
  static at::Tensor resized(const at::Tensor& maps, const NaiveSides& sides, bool cubic = false) {
    const at::Tensor down = weightsOf(maps.size(2), sides.first, cubic),
                     across = weightsOf(maps.size(3), sides.second, cubic);
    return at::matmul(at::matmul(down, maps), across.t());
  }

  /// Where each query may look on a level: [B, Q, T].
  static at::Tensor seenBy(const at::Tensor& masks, const NaiveSides& sides) {
    const at::Tensor small = resized(masks, sides).flatten(2),
                     seen = at::zeros(small.sizes(), at::kBool);
    for (std::int64_t b = 0; b < small.size(0); ++b)
      for (std::int64_t q = 0; q < small.size(1); ++q) {
        bool any = false;
        for (std::int64_t t = 0; t < small.size(2); ++t)
          if (1 / (1 + std::exp(-small[b][q][t].item<double>())) >= 0.5) seen[b][q][t] = any = true;
        if (!any) seen[b][q].fill_(true);
      }
    return seen;
  }

  at::Tensor linear(const at::Tensor& x, const std::string& name) const {
    return at::matmul(x, of(name + ".weight").t()) + of(name + ".bias");
  }

  at::Tensor layerNorm(const at::Tensor& x, const std::string& name, double epsilon = 1e-5) const {
    const at::Tensor centered = x - x.mean({-1}, /*keepdim=*/true);
    const at::Tensor variance = centered.square().mean({-1}, /*keepdim=*/true);
    return centered / (variance + epsilon).sqrt() * of(name + ".weight") + of(name + ".bias");
  }

  /// A convolution with or without bias that keeps the sides, then a group norm.
  at::Tensor normedConv(const at::Tensor& maps, const std::string& name, int groups) const {
    const at::Tensor weight = of(name + ".0.weight");
    at::Tensor x = at::conv2d(maps, weight, {}, 1, (weight.size(2) - 1) / 2);
    if (has(name + ".0.bias")) x = x + of(name + ".0.bias").view({1, -1, 1, 1});
    std::vector<at::Tensor> parts;
    for (const at::Tensor& part : x.chunk(groups, 1)) {
      const at::Tensor centered = part - part.mean({1, 2, 3}, /*keepdim=*/true);
      parts.push_back(centered /
                      (centered.square().mean({1, 2, 3}, /*keepdim=*/true) + 1e-5).sqrt());
    }
    return at::cat(parts, 1) * of(name + ".1.weight").view({1, -1, 1, 1}) +
           of(name + ".1.bias").view({1, -1, 1, 1});
  }

  struct Pixels {
    std::vector<at::Tensor> levels;
    at::Tensor features;
  };

  /// Of maps of strides 4 to 32.
  Pixels pixelDecoder(const std::vector<at::Tensor>& maps, const std::string& name,
                      int groups) const {
    std::vector<NaiveSides> levels;
    std::vector<at::Tensor> cells, positions;
    for (int l = 0; l < 3; ++l) {
      const at::Tensor map =
          normedConv(maps[3 - l], name + ".input_projections." + std::to_string(l), groups);
      levels.emplace_back(map.size(2), map.size(3));
      cells.push_back(map.flatten(2).transpose(1, 2));
      positions.push_back(sines(levels.back(), static_cast<int>(map.size(1))) +
                          of(name + ".level_embed")[l]);
    }
    at::Tensor x = at::cat(cells, 1);
    for (int i = 0; has(name + ".encoder.layers." + std::to_string(i) + ".fc1.weight"); ++i) {
      const std::string layer = name + ".encoder.layers." + std::to_string(i);
      x = layerNorm(x + deformable(x + at::cat(positions), x, levels, layer + ".self_attn"),
                    layer + ".self_attn_layer_norm");
      x = layerNorm(x + linear(linear(x, layer + ".fc1").clamp_min(0), layer + ".fc2"),
                    layer + ".final_layer_norm");
    }
    Pixels found;
    std::int64_t start = 0;
    for (const NaiveSides& sides : levels) {
      const std::int64_t count = sides.first * sides.second;
      found.levels.push_back(x.narrow(1, start, count)
                                 .transpose(1, 2)
                                 .reshape({x.size(0), x.size(2), sides.first, sides.second}));
      start += count;
    }
    const at::Tensor fine = normedConv(maps[0], name + ".adapter_1", groups) +
                            resized(found.levels[2], {maps[0].size(2), maps[0].size(3)});
    const at::Tensor smooth = normedConv(fine, name + ".layer_1", groups).clamp_min(0);
    found.features = at::conv2d(smooth, of(name + ".mask_projection.weight"),
                                of(name + ".mask_projection.bias"));
    return found;
  }

  /// Its predictions.
  SegmentScores decoder(const Pixels& pixels, const std::string& name) const {
    const auto images = pixels.features.size(0);
    const at::Tensor placed = of(name + ".queries_embedder");
    at::Tensor x = of(name + ".queries_features").unsqueeze(0).repeat({images, 1, 1});
    SegmentScores scores;
    predict(x, pixels.features, name, scores);
    for (int i = 0; has(name + ".layers." + std::to_string(i) + ".fc1.weight"); ++i) {
      const std::string layer = name + ".layers." + std::to_string(i);
      const at::Tensor level = pixels.levels[i % 3];
      const NaiveSides sides{level.size(2), level.size(3)};
      const at::Tensor memory = level.flatten(2).transpose(1, 2) + of(name + ".level_embed")[i % 3];
      const at::Tensor keys = memory + sines(sides, static_cast<int>(level.size(1)));
      x = layerNorm(x + attention(x + placed, keys, memory, seenBy(scores.masks.back(), sides),
                                  layer + ".cross_attn"),
                    layer + ".cross_attn_layer_norm");
      x = layerNorm(x + attention(x + placed, x + placed, x, {}, layer + ".self_attn"),
                    layer + ".self_attn_layer_norm");
      x = layerNorm(x + linear(linear(x, layer + ".fc1").clamp_min(0), layer + ".fc2"),
                    layer + ".final_layer_norm");
      predict(x, pixels.features, name, scores);
    }
    return scores;
  }

  /// Each place gives 2 × 2.
  at::Tensor doubledBy(const at::Tensor& maps, const std::string& name) const {
    const at::Tensor weight = of(name + ".weight");
    const at::Tensor out =
        at::zeros({maps.size(0), weight.size(1), 2 * maps.size(2), 2 * maps.size(3)}, at::kDouble);
    for (std::int64_t r = 0; r < maps.size(2); ++r)
      for (std::int64_t c = 0; c < maps.size(3); ++c)
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 2; ++j)
            out.select(3, 2 * c + j)
                .select(2, 2 * r + i)
                .copy_(
                    at::matmul(maps.select(3, c).select(2, r), weight.select(3, j).select(2, i)) +
                    of(name + ".bias"));
    return out;
  }

  static at::Tensor gelu(const at::Tensor& x) { return x * 0.5 * (1 + (x / std::sqrt(2.0)).erf()); }

  /// Strides 4 to 32 of the ViT's map.
  std::vector<at::Tensor> neck(const at::Tensor& map) const {
    const auto channels = [&](const char* what) {
      return of(std::string("neck.fpn1.1.") + what).view({1, -1, 1, 1});
    };
    const at::Tensor once = doubledBy(map, "neck.fpn1.0");
    const at::Tensor normed = (once - channels("running_mean")) /
                                  (channels("running_var") + 1e-5).sqrt() * channels("weight") +
                              channels("bias");
    return {doubledBy(gelu(normed), "neck.fpn1.3"), doubledBy(map, "neck.fpn2.0"), map,
            at::conv2d(map, of("neck.fpn4.0.weight"), of("neck.fpn4.0.bias"), 2, 1)};
  }

  /// The ViT with softmax attention in `heads` heads; positions lie on `side` × `side`.
  at::Tensor vit(const at::Tensor& images, int heads, std::int64_t side) const {
    const at::Tensor map = at::conv2d(images, of("backbone.patch_embed.proj.weight"),
                                      of("backbone.patch_embed.proj.bias"), m_patch);
    const NaiveSides sides{map.size(2), map.size(3)};
    const at::Tensor positions =
        of("backbone.pos_embed").transpose(1, 2).reshape({1, -1, side, side});
    at::Tensor x = (map + resized(positions, sides, /*cubic=*/true)).flatten(2).transpose(1, 2);
    for (int l = 0; has("backbone.blocks." + std::to_string(l) + ".norm1.weight"); ++l) {
      const std::string block = "backbone.blocks." + std::to_string(l);
      x = x + selfAttention(layerNorm(x, block + ".norm1", 1e-6), block + ".attn", heads);
      x = x + linear(gelu(linear(layerNorm(x, block + ".norm2", 1e-6), block + ".mlp.fc1")),
                     block + ".mlp.fc2");
    }
    return layerNorm(x, "backbone.norm", 1e-6)
        .transpose(1, 2)
        .reshape({x.size(0), x.size(2), sides.first, sides.second});
  }

 private:
  static double cubicWeight(double distance) {
    const double a = -0.75, x = std::abs(distance);
    if (x <= 1) return (a + 2) * x * x * x - (a + 3) * x * x + 1;
    return x < 2 ? a * (x * x * x - 5 * x * x + 8 * x - 4) : 0;
  }

  /// [to, from]: what each place is made of along one axis.
  static at::Tensor weightsOf(std::int64_t from, std::int64_t to, bool cubic) {
    const at::Tensor weights = at::zeros({to, from}, at::kDouble);
    for (std::int64_t i = 0; i < to; ++i) {
      double place = (i + 0.5) * from / to - 0.5;
      if (!cubic) place = std::max(place, 0.0);
      const auto low = static_cast<std::int64_t>(std::floor(place));
      for (std::int64_t j = low - 1; j <= low + 2; ++j) {
        const double distance = place - static_cast<double>(j);
        const double weight = cubic ? cubicWeight(distance) : std::max(0.0, 1 - std::abs(distance));
        weights[i][std::clamp<std::int64_t>(j, 0, from - 1)] += weight;
      }
    }
    return weights;
  }

  at::Tensor selfAttention(const at::Tensor& x, const std::string& name, int heads) const {
    const std::int64_t width = x.size(2), each = width / heads;
    const at::Tensor qkv = linear(x, name + ".qkv");
    std::vector<at::Tensor> found;
    for (std::int64_t start = 0; start < width; start += each) {
      const auto part = [&](int which) { return qkv.narrow(2, which * width + start, each); };
      const at::Tensor logits =
          at::matmul(part(0), part(1).transpose(1, 2)) / std::sqrt(static_cast<double>(each));
      found.push_back(at::matmul(logits.softmax(-1), part(2)));
    }
    return linear(at::cat(found, 2), name + ".proj");
  }

  void predict(const at::Tensor& queries, const at::Tensor& features, const std::string& name,
               SegmentScores& scores) const {
    at::Tensor x = layerNorm(queries, name + ".layernorm");
    scores.classes.push_back(linear(x, name + ".class_predictor"));
    x = linear(x, name + ".mask_embedder.0").clamp_min(0);
    x = linear(x, name + ".mask_embedder.1").clamp_min(0);
    x = linear(x, name + ".mask_embedder.2");
    scores.masks.push_back(
        at::matmul(x, features.flatten(2))
            .reshape({x.size(0), x.size(1), features.size(2), features.size(3)}));
  }

  int m_heads;  ///< of the decoders
  int m_patch;
  std::map<std::string, at::Tensor> m_state;
};

}  // namespace headlight
