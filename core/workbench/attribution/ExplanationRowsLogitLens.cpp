// SPDX-License-Identifier: GPL-3.0-or-later

// ExplanationRows.h: the logit lens (nostalgebraist 2020), the model's final norm and head on what
// each block leaves.

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/workbench/attribution/ExplanationRows.h"
#include "core/workbench/session/ModelPass.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {
namespace {

DepthPrediction predictionsByLayer(const ExplainedPass& asked, int topClasses) {
  DepthPrediction result;
  const int last = asked.model.layers() - 1;
  const bool sigmoid = hasSigmoidScores(asked.model.config());
  for (int l = 0; l <= last; ++l) {
    asked.step();
    const at::Tensor& tokens = asked.pass.tokens[l + 1];
    // A class token that joins later is not there yet; a stage's features are of its own width.
    const bool fits = tokens.size(2) == asked.pass.tokens.back().size(2) &&
                      asked.model.grid(l).prefix == asked.model.grid(last).prefix;
    if (!fits) {
      result.note = "from layer " + std::to_string(l + 1) + " on: before it the head does not fit";
      result.probabilities.emplace_back();
      result.top.emplace_back();
      continue;
    }
    const at::Tensor logits = inFloat32(asked.model.classify(tokens))[0];
    const at::Tensor exact = logits.to(at::kDouble);
    result.probabilities.push_back(plainValues(sigmoid ? exact.sigmoid() : exact.softmax(0)));
    result.top.push_back(
        rankClasses(plainValues(logits), asked.info.classNames, topClasses, sigmoid));
  }
  return result;
}

}  // namespace

ExplanationRow logitLensRow() {
  return {.info = {.name = "logit-lens",
                   .title = "logit lens",
                   .help = "The prediction if the model ended after each layer: the final norm and "
                           "head applied to the layer's output.",
                   .source = "nostalgebraist 2020",
                   .keys = "Ctrl+W, D",
                   .kind = ExplanationKind::Curve,
                   .ofClass = true},
          .curve = predictionsByLayer};
}

}  // namespace headlight
