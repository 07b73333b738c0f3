// SPDX-License-Identifier: GPL-3.0-or-later

// ExplanationRows.h: patch similarity (Caron et al. 2021), the cosine of every patch's features
// with those of one token; 0 where one of them is all zero.

#include <cmath>

#include "core/workbench/attribution/ExplanationRows.h"
#include "core/workbench/session/MapRendering.h"

namespace headlight {
namespace {

double productOf(const TokenFeatures& features, int a, int b) {
  double sum = 0;
  for (int i = 0; i < features.width; ++i)
    sum += double{features.of(a)[i]} * features.of(b)[i];
  return sum;
}

PatchHeatmap cosinesWith(const TokenFeatures& features, int token) {
  PatchHeatmap heatmap{{}, features.grid};
  if (!features.normed) heatmap.note = "unchanged features, without a final norm";
  const double own = productOf(features, token, token);
  for (int t = features.grid.prefix; t < features.grid.tokens(); ++t) {
    const double lengths = std::sqrt(own * productOf(features, t, t));
    heatmap.values.push_back(
        lengths > 0 ? static_cast<float>(productOf(features, token, t) / lengths) : 0.0f);
  }
  return heatmap;
}

std::string similarityTitle(const Heatmap& heatmap) {
  return "similarity with the " + tokenText(heatmap.token, heatmap.grid) + ", features of layer " +
         std::to_string(heatmap.layer);
}

}  // namespace

ExplanationRow similarityRow() {
  return {
      .info = {.name = "similarity",
               .title = "patch similarity",
               .help = "Similarity of each patch's features to those of one token: their cosine.",
               .source = "Caron et al. 2021",
               .keys = "Ctrl+W, S",
               .ofLayer = true,
               .ofToken = true,
               .isSigned = true},
      .tokenHeatmap = cosinesWith,
      .title = similarityTitle};
}

}  // namespace headlight
