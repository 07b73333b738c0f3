// SPDX-License-Identifier: GPL-3.0-or-later

// ExplanationRows.h: attention × gradient, the factor that class relevance has in one layer,
// mean_h((∇A ⊙ A)⁺) (Chefer, Gur & Wolf 2021, Eq. 5): its class token's row, or the mean of its
// patches' rows.

#include "core/workbench/attribution/ExplanationRows.h"
#include "core/workbench/attribution/HeatmapParts.h"

namespace headlight {
namespace {

PatchHeatmap attentionTimesGradient(const ExplainedPass& asked) {
  ClassGradient gradient(asked.model, asked.pass, asked.classIndex, asked.cell);
  PatchHeatmap heatmap;
  heatmap.grid = asked.model.grid(asked.layer);
  // A class token that joins later has no row yet.
  const bool ofClassToken = gradient.readsClassToken() && heatmap.grid.prefix > 0;
  goBackTo(gradient, asked.layer, asked.step);
  const BlockGradient block = gradient.stepBack(/*withMap=*/true);
  asked.step();
  heatmap.values = patchScores(
      rowTimes(startingRow(heatmap.grid, ofClassToken), relevanceFactor(block)), heatmap.grid);
  heatmap.note = attentionNote(ofClassToken, block.map.note, asked.info);
  return heatmap;
}

}  // namespace

ExplanationRow attentionGradientRow() {
  return {.info = {.name = "attention-gradient",
                   .title = "attention × gradient",
                   .help = "Evidence for a class in one layer: the positive part of attention "
                           "times its gradient, averaged over heads.",
                   .source = "Chefer, Gur & Wolf 2021",
                   .keys = "Ctrl+W, A",
                   .ofClass = true,
                   .ofLayer = true},
          .heatmap = attentionTimesGradient};
}

}  // namespace headlight
