// SPDX-License-Identifier: GPL-3.0-or-later

// ExplanationRows.h: patches that are an object, without labels: DINO's mask (Caron et al. 2021),
// LOST (Siméoni et al. 2021) and TokenCut (Wang et al. 2022).

#include "core/workbench/attribution/ExplanationRows.h"
#include "core/workbench/objects/ObjectPass.h"

namespace headlight {
namespace {

/// Of dino the share of heads that keep a patch; else 1 for patches of the object.
std::vector<float> markedValues(const DiscoveredObject& found) {
  if (!found.heads.empty()) return {found.region.scores.begin(), found.region.scores.end()};
  return {found.region.mask.begin(), found.region.mask.end()};
}

PatchHeatmap markedObject(const ExplainedPass& asked, const char* method) {
  ObjectOptions options = asked.objects;
  options.method = method;
  const DiscoveredObject found = objectInLayer(
      asked.model, asked.layer, asked.pass.tokens[static_cast<std::size_t>(asked.layer)], options);
  PatchHeatmap heatmap{markedValues(found), found.grid, found.note};
  heatmap.box = found.box();
  return heatmap;
}

}  // namespace

ExplanationRow dinoMaskRow() {
  return {
      .info = {.name = "dino-mask",
               .title = "DINO's attention mask",
               .help = "Patches that get most of the class token's attention in each head (60 % "
                       "of it), and a box around them: an object, without labels.",
               .source = "Caron et al. 2021",
               .keys = "Ctrl+W, J",
               .ofLayer = true,
               .marksObject = true},
      .heatmap = [](const ExplainedPass& asked) { return markedObject(asked, "dino"); }};
}

ExplanationRow lostRow() {
  return {.info = {.name = "lost",
                   .title = "LOST",
                   .help = "Patches whose keys resemble those of the patch that resembles fewest "
                           "others, and a box around them: an object, without labels.",
                   .source = "Siméoni et al. 2021",
                   .keys = "Ctrl+W, U",
                   .ofLayer = true,
                   .marksObject = true},
          .heatmap = [](const ExplainedPass& asked) { return markedObject(asked, "lost"); }};
}

ExplanationRow tokenCutRow() {
  return {.info = {.name = "tokencut",
                   .title = "TokenCut",
                   .help = "One side of the best cut between two groups of patches with similar "
                           "keys, and a box around it: an object, without labels.",
                   .source = "Wang et al. 2022",
                   .keys = "Ctrl+W, X",
                   .ofLayer = true,
                   .marksObject = true},
          .heatmap = [](const ExplainedPass& asked) { return markedObject(asked, "tokencut"); }};
}

}  // namespace headlight
