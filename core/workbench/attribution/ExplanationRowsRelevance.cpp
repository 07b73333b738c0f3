// SPDX-License-Identifier: GPL-3.0-or-later

// ExplanationRows.h: class relevance (Chefer, Gur & Wolf 2021, "Generic Attention-model
// Explainability", Eq. 5 and 6). R starts as the identity and becomes R + mean_h((∇A ⊙ A)⁺)·R in
// every block; ∇A is the gradient of the class's logit. Only one row of R is shown, a row vector
// times factors, so that blocks can be gone through from the last to the first, one at a time, as
// the gradient goes.

#include "core/analysis/Rollout.h"
#include "core/workbench/attribution/ExplanationRows.h"
#include "core/workbench/attribution/HeatmapParts.h"

namespace headlight {
namespace {

/// On the first layer's patches.
PatchHeatmap classRelevance(const ExplainedPass& asked) {
  ClassGradient gradient(asked.model, asked.pass, asked.classIndex, asked.cell);
  PatchHeatmap heatmap;
  heatmap.grid = asked.model.grid(asked.model.layers() - 1);
  const bool ofClassToken = gradient.readsClassToken();
  TokenRow row = startingRow(heatmap.grid, ofClassToken);
  std::string note;
  while (gradient.nextBlock() >= 0) {
    const Grid grid = asked.model.grid(gradient.nextBlock());
    row = carriedBack(row, heatmap.grid, grid);
    heatmap.grid = grid;
    const BlockGradient block = gradient.stepBack(/*withMap=*/true);
    const TokenRow more = rowTimes(row, relevanceFactor(block));
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] += more[i];
    note = block.map.note;
    asked.step();
  }
  heatmap.values = patchScores(row, heatmap.grid);
  heatmap.note = attentionNote(ofClassToken, note, asked.info);
  return heatmap;
}

}  // namespace

ExplanationRow relevanceRow() {
  return {.info = {.name = "relevance",
                   .title = "class relevance",
                   .help = "Evidence for a class through all layers: attention times its gradient, "
                           "accumulated from layer to layer.",
                   .source = "Chefer, Gur & Wolf 2021",
                   .keys = "Ctrl+W, R",
                   .ofClass = true},
          .heatmap = classRelevance};
}

}  // namespace headlight
