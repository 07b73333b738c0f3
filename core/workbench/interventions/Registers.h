// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Test-time registers (Jiang, Dravid, Efros & Gandelsman 2025, "Vision Transformers Don't Need
// Trained Registers", after Darcet et al. 2024): extra tokens that were never trained take the
// outliers of patch tokens. Few units of MLPs write those outliers; where their activations move to
// the extra tokens, outliers do. An intervention: it works on a copy of the model, and nothing of
// the session changes. No torch type here.

#include <stop_token>
#include <string>
#include <vector>

#include "core/config/Parameter.h"
#include "core/workbench/evaluation/ImageSource.h"
#include "core/workbench/interventions/OutlierTokens.h"

namespace headlight {

struct RegisterOptions {
  int registers = 0;  ///< extra tokens; 0: off
  int neurons = 50;   ///< units of MLPs whose activations move; 0: none
};
/// For flags, the form and the checks.
const ParameterTable& registerParameters();

struct RegisterRequest {
  RawImages image;     ///< one (rawImage()): what is shown
  ImageSource images;  ///< over which neurons are found; not read where there are to be none
  RegisterOptions options;
  double factor = kOutlierFactor;  ///< outliers are longer than this times the median
};

/// A unit of an MLP: what goes into its last layer.
struct RegisterNeuron {
  int layer = 0, unit = 0;
  double activation = 0;  ///< at outliers, the mean over their positions, then over images
  bool operator==(const RegisterNeuron&) const = default;
};

/// One run of the image.
struct RegisterRun {
  OutlierReport norms;          ///< of the model's own tokens: norms, medians and outliers alone
  std::vector<float> logits;    ///< empty without a classifier
  std::vector<ClassScore> top;  ///< best first
  /// [layer][patch]: what the class token gives to every patch, the mean over heads; without one
  /// the mean over patches that look.
  std::vector<std::vector<float>> maps;
};

struct RegisterReport {
  RegisterOptions options;
  SourceCount fed;        ///< what neurons were found over; no images where there are none
  int outlierLayer = -1;  ///< that outliers leave first: neurons lie in it and before; −1: none
  std::vector<RegisterNeuron> neurons;  ///< most active first
  RegisterRun before, after;
  std::vector<std::vector<float>> registerNorms;  ///< [layer][register]
};

/// Errors: InvalidArgument: no registers, a factor of at most 1, a model without a place for extra
/// tokens (another backbone than ViT, a mechanism or positions that belong to a grid), no outliers
/// in the images, an image of another size; Canceled; a scheme of another shape; those of
/// eachSourceImage().
Result<RegisterReport> applyRegisters(InferenceSession& session, const RegisterRequest& request,
                                      const MaskScheme& masks,
                                      const ProgressCallback& progress = {},
                                      std::stop_token stop = {});

/// The images of a report: norms of patches, or maps.
enum class RegisterImageKind { Norms, Maps };

/// What was done, in a sentence that says that it is an intervention.
std::string registersTitle(const RegisterReport& report);
/// Two rows, before and after, of a layer each on one scale. Throws Failure without layers.
Image registersImage(const RegisterReport& report, RegisterImageKind kind,
                     const std::string& model);
/// layer,outliers_before,outliers_after,max_before,max_after,registers: a line for every layer, with
/// the norm of the longest register.
std::string registersCsv(const RegisterReport& report);

}  // namespace headlight
