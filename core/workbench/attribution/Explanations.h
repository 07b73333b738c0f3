// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What else can be asked of a model and a picture than where heads look: what speaks for a class,
// what patches have in common, what the model would say if it ended earlier. Formulas and sources:
// resources/help/ways-of-looking.md. No torch type here. All block their caller's thread, and the
// session with it, until the next block ends.

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {

enum class ExplanationMethod {
  Relevance,          ///< Chefer, Gur & Wolf 2021
  AttentionGradient,  ///< its factor of one layer
  GradCam,            ///< Selvaraju et al. 2017, on tokens
  Similarity,         ///< cosines of patch features with those of one token
  Features,           ///< patch features as colours
  Depth,              ///< the prediction after every block
};

struct ExplanationInfo {
  ExplanationMethod way;
  std::string name;       ///< as typed and stored: "grad-cam"
  std::string title;      ///< "Grad-CAM"
  std::string help;       ///< a sentence or two
  std::string source;     ///< "Selvaraju et al. 2017"
  bool ofClass = false;   ///< asks about a class: needs a classifier
  bool ofLayer = false;   ///< of one layer, the last unless said otherwise
  bool isHeatmap = true;  ///< a value for every patch
};

/// All, in the order in which programs list them.
const std::vector<ExplanationInfo>& waysOfLooking();
const ExplanationInfo& infoOf(ExplanationMethod way);
/// Null for another name.
const ExplanationInfo* wayFromName(const std::string& name);

/// A picture as the model takes it: preprocessed as look() does.
RawImages rawPicture(const ModelInfo& info, const Image& image);
/// One of several.
RawImages rawPicture(const RawImages& pictures, std::int64_t index);

/// Whose class, which layer.
struct ExplanationOptions {
  int classIndex = -1;  ///< −1: the predicted one
  int layer = -1;       ///< −1: the last
};

/// A value for every patch.
struct Heatmap {
  ExplanationMethod way = ExplanationMethod::Relevance;
  std::vector<float> values;  ///< [rows × cols]
  Grid grid;                  ///< its patches; prefix tokens of its layer
  bool isSigned = false;      ///< cosines are
  int layer = -1;             ///< −1: of all
  int classIndex = -1;        ///< −1: of none
  std::string className;      ///< "class 12" where there are no names
  float probability = 0;      ///< of the class
  int token = -1;             ///< of similarity: whose
  std::string note;           ///< what must be said of it; often empty
};

/// "class relevance for goldfinch", "attention × gradient in layer 11 for goldfinch", "similarity
/// with patch (4, 7), features of layer 11".
std::string heatTitle(const Heatmap& heat);
/// What a way shows and where it comes from, in a sentence.
std::string wayMeaning(ExplanationMethod way);
/// The same of a heat, with what must be said of it.
std::string heatMeaning(const Heatmap& heat);

/// Relevance, AttentionGradient or GradCam of one picture under `masks`. Errors: another way or
/// more pictures; a model without classifier; a class or layer that there is not; a picture of
/// another size; Canceled; a scheme of another shape.
Result<Heatmap> classHeat(InferenceSession& session, const RawImages& picture,
                          const MaskScheme& masks, ExplanationMethod way,
                          const ExplanationOptions& options = {},
                          const ProgressCallback& progress = {}, std::stop_token stop = {});

/// The features of all tokens of one picture.
struct TokenFeatures {
  Grid grid;
  int width = 0;              ///< D
  std::vector<float> values;  ///< [T × D], row-major
  int layer = 0;              ///< that they leave
  bool normed = true;         ///< by the model's final norm; else as they are

  const float* of(int token) const {
    return values.data() + static_cast<std::size_t>(token) * width;
  }
};

/// "features of layer 11", and whether no norm was applied.
std::string featuresText(const TokenFeatures& features);

/// Of the last layer, or `layer`. Errors as above; no classifier is needed.
Result<TokenFeatures> tokenFeatures(InferenceSession& session, const RawImages& picture,
                                    const MaskScheme& masks, int layer = -1,
                                    std::stop_token stop = {});

/// The cosine of every patch's features with those of `token`; 0 where one of them is all zero. At
/// once. Error: no such token.
Result<Heatmap> similarityHeat(const TokenFeatures& features, int token);

/// Colours of the patches of pictures, by the principal components of all of them together.
struct FeatureColors {
  struct Picture {
    Grid grid;
    std::vector<float> colors;  ///< [rows × cols × 3] in [0, 1]; NaN: background
  };
  std::vector<Picture> pictures;
  std::vector<double> shares;  ///< of the variance, of the components that are shown
  std::string note;            ///< what was done: "features of layer 11, of 5 pictures together"
};

/// `foreground`: the components of those patches alone that the first component of all calls
/// foreground. Errors: no pictures, features of different widths or layers, no two patches.
Result<FeatureColors> featureColors(const std::vector<TokenFeatures>& pictures, bool foreground,
                                    std::stop_token stop = {});

/// What the model would predict if it ended after each block: its final norm and head on what that
/// block leaves.
struct DepthPrediction {
  std::vector<std::vector<float>> probabilities;  ///< [layer][class]; empty: the head does not fit
  std::vector<std::vector<ClassScore>> top;       ///< [layer], best first
  std::string note;                               ///< why some have none; often empty

  /// Of one class, by layer; NaN where there is none.
  std::vector<double> ofClass(int classIndex) const;
};

/// Errors as of classHeat().
Result<DepthPrediction> predictionByDepth(InferenceSession& session, const RawImages& picture,
                                          const MaskScheme& masks, int topClasses = 5,
                                          std::stop_token stop = {});

/// The class that `text` names: its index, or its name as the model has it, in any case of letters
/// where that is unique. Error: InvalidArgument, with names that come close.
Result<int> classFromText(const std::string& text, const ModelInfo& info);

}  // namespace headlight
