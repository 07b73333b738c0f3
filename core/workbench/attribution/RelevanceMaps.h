// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What speaks for a class, over the patches of a picture. Torch types: core only.
//
// Chefer, Gur & Wolf 2021, "Generic Attention-model Explainability", Eq. 5 and 6: R starts as the
// identity and becomes R + mean_h((∇A ⊙ A)⁺)·R in every block; ∇A is the gradient of the class's
// logit. Only one row of R is shown, a row vector times factors, so that blocks can be gone through
// from the last to the first, one at a time, as the gradient goes.
// Grad-CAM (Selvaraju et al. 2017) on tokens: (Σ_c w_c F_pc)⁺, F the patch tokens that enter a
// block's attention, w their gradient's mean over the patches.

#include <functional>
#include <string>
#include <vector>

#include "core/workbench/attribution/ClassGradient.h"

namespace headlight {

struct HeatOnPatches {
  std::vector<float> values;  ///< [rows × cols]
  Grid grid;
  bool ofClassToken = false;  ///< its row; else the mean of the patches' rows
  std::string note;           ///< what has to be said of the gradient; often empty
};

/// Of the first layer's patches. `step` is called after every block.
HeatOnPatches classRelevance(Model& model, const KeptPass& pass, int classIndex,
                             const std::function<void()>& step);
/// The factor of one layer alone.
HeatOnPatches attentionTimesGradient(Model& model, const KeptPass& pass, int classIndex, int layer,
                                     const std::function<void()>& step);
/// Works for every mechanism: no map is needed.
HeatOnPatches gradCam(Model& model, const KeptPass& pass, int classIndex, int layer,
                      const std::function<void()>& step);

}  // namespace headlight
