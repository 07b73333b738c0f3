// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What causes a prediction: parts of a model are replaced by nothing (ablation), by their mean over
// images, or by what another image gives (activation patching; Vig et al. 2020, Meng et al. 2022,
// Zhang & Nanda 2024), and all that follows is computed again. No torch type here. All work on a
// copy of the model: they block their caller's thread, and the session only until it is copied.

#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/masks/MaskScheme.h"
#include "core/workbench/evaluation/ImageSource.h"
#include "core/workbench/interventions/InterventionOptions.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {

struct InterventionRequest {
  RawImages image;     ///< one (rawImage())
  RawImages other;     ///< with replace "image": the other one
  ImageSource images;  ///< with replace "mean": those that are averaged
  InterventionOptions options;
  int classIndex = -1;  ///< −1: the one that the model predicts for the image
  int against =
      -1;  ///< of a difference; −1: the one predicted for the other image, else the second
};

/// What is watched, and in which run.
struct InterventionFacts {
  std::string metric;  ///< "logit of cat"
  int classIndex = 0, against = -1;
  double base = 0;         ///< the metric of the run that is changed, as it is
  double target = 0;       ///< of the image whose parts are put into it; NaN: there is none
  bool runsOther = false;  ///< the run that is changed is the other image's (denoising)
};

/// What a set of replacements, all at once, does.
struct InterventionEffect {
  InterventionFacts facts;
  double value = 0;  ///< the metric with the parts replaced
  std::vector<float> logitsBefore, logitsAfter;
  std::vector<ClassScore> topBefore, topAfter;  ///< best first
  /// [layer][head]: half the sum of |A − A'| over a row, its mean over the rows.
  std::vector<std::vector<double>> mapChange;
  std::vector<double> tokenChange;  ///< [layer]: ‖x' − x‖ / ‖x‖ of the tokens that leave it
};

/// Errors: InvalidArgument: no classifier, no such layer, head, token or class, a part that this
/// model does not let be replaced, no other image or no images where they are asked for, an image of
/// another size; Canceled; a scheme of another shape; those of eachSourceImage().
Result<InterventionEffect> intervene(InferenceSession& session, const MaskScheme& masks,
                                     const InterventionRequest& request,
                                     const std::vector<Intervention>& parts,
                                     const ProgressCallback& progress = {},
                                     std::stop_token stop = {});

/// Every part of one kind replaced by itself, one after the other.
struct InterventionSweep {
  InterventionFacts facts;
  InterventionOptions options;              ///< `across` is what the columns are
  std::vector<std::vector<double>> values;  ///< [layer][column]: the metric

  /// Whether effects are shares of the way from base to target.
  bool hasShares() const;
  /// [layer][column]: (value − base) / (target − base), or value − base where there is no target.
  std::vector<std::vector<double>> effects() const;
  std::size_t columns() const;  ///< of the layer that has most
};

/// Errors: as intervene().
Result<InterventionSweep> sweepInterventions(InferenceSession& session, const MaskScheme& masks,
                                             const InterventionRequest& request,
                                             const ProgressCallback& progress = {},
                                             std::stop_token stop = {});

/// "heads:3.1" for a cell of a sweep.
Intervention sweepPart(const InterventionSweep& sweep, int layer, int column);
/// The cells with the largest effect, by its size, at most `count`.
std::vector<Intervention> strongestParts(const InterventionSweep& sweep, std::size_t count);
/// What was done, in a sentence.
std::string sweepTitle(const InterventionSweep& sweep);
/// layer,column,value,effect: a line for every cell; "token" or "head" in the head line.
std::string sweepCsv(const InterventionSweep& sweep);

}  // namespace headlight
