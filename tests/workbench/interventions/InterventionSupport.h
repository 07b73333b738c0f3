// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Interventions on a plain ViT by hand: what a part gave in another run, put into this one.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/workbench/interventions/Interventions.h"
#include "tests/workbench/ExplanationSupport.h"
#include "tests/workbench/NaiveVit.h"

namespace headlight {

/// What every part of a naive run gave, by name and layer.
using NaiveParts = std::map<std::pair<std::string, int>, at::Tensor>;

inline NaiveParts naiveParts(NaiveVit vit, const at::Tensor& image) {
  NaiveParts parts;
  vit.replace = [&](const std::string& part, int layer, const at::Tensor& value) {
    parts[{part, layer}] = value.clone();
    return value;
  };
  vit.logits(image);
  return parts;
}

/// A piece of `value` from `source` (undefined: 0), by plain loops.
inline at::Tensor naivePiece(const at::Tensor& value, const at::Tensor& source,
                             const Intervention& part, int heads) {
  const at::Tensor given = source.defined() ? source : at::zeros_like(value);
  at::Tensor result = value.clone();
  const bool pattern = part.site == InterventionSite::Pattern;
  const std::int64_t tokens = value.size(pattern ? 1 : 0);
  const std::int64_t width = pattern ? 0 : value.size(1) / heads;
  for (int h = 0; h < heads; ++h)
    for (std::int64_t t = 0; t < tokens; ++t) {
      if (part.head >= 0 && part.head != h) continue;
      if (part.token >= 0 && part.token != t) continue;
      if (pattern)
        result[h][t].copy_(given[h][t]);
      else
        result[t]
            .slice(0, h * width, (h + 1) * width)
            .copy_(given[t].slice(0, h * width, (h + 1) * width));
    }
  return result;
}

/// Logits with parts taken from `source`; empty: 0.
inline at::Tensor naiveIntervention(NaiveVit vit, const at::Tensor& image,
                                    const std::vector<Intervention>& parts,
                                    const NaiveParts& source) {
  const int heads = vit.heads;
  vit.replace = [&, heads](const std::string& name, int layer, const at::Tensor& value) {
    at::Tensor now = value;
    for (const Intervention& part : parts) {
      if (part.layer != layer || interventionSiteName(part.site) != name) continue;
      const auto found = source.find({name, layer});
      now = naivePiece(now, found == source.end() ? at::Tensor() : found->second, part, heads);
    }
    return now;
  };
  return vit.logits(image);
}

/// A tiny ViT, two images, and the same in double precision.
struct InterventionModel {
  explicit InterventionModel(const ModelConfig& given = microVit())
      : config(given),
        session(explanationSession(config)),
        image(explanationImage(config, 5)),
        other(explanationImage(config, 6)),
        masks(explanationMasks(*session)) {}

  NaiveVit naive() const {
    std::vector<NaiveVit> made;
    withModel(*session, [&](Model& model) { made.emplace_back(model); });
    return made.front();
  }
  InterventionRequest request(const InterventionOptions& options) const {
    InterventionRequest request;
    request.image = image;
    request.other = other;
    request.options = options;
    return request;
  }

  ModelConfig config;
  std::unique_ptr<InferenceSession> session;
  RawImages image, other;
  MaskScheme masks;
};

}  // namespace headlight
