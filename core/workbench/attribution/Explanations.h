// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Explanations of a model's prediction for an image: what speaks for a class,
// what patches have in common, what the model would say if it ended earlier. Formulas and sources:
// resources/help/explanations.md. No torch type here. All block their caller's thread, and the
// session with it, until the next block ends.

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/workbench/objects/ObjectMatch.h"
#include "core/workbench/objects/ObjectOptions.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {

enum class ExplanationKind {
  Heatmap,  ///< a value for every patch
  Colors,   ///< three color channels for every patch, of several images together
  Curve,    ///< class probabilities by layer
};

/// What programs know of a method. To add one: ExplanationRows.h.
struct ExplanationInfo {
  std::string name;    ///< as typed and stored: "grad-cam"
  std::string title;   ///< "Grad-CAM"
  std::string help;    ///< a sentence or two
  std::string source;  ///< "Selvaraju et al. 2017"
  std::string keys;    ///< shortcut of the window: "Ctrl+W, G"; may be empty
  ExplanationKind kind = ExplanationKind::Heatmap;
  bool ofClass = false;      ///< asks about a class: needs a classifier
  bool ofLayer = false;      ///< of one layer, the last unless said otherwise
  bool ofToken = false;      ///< of one token: a heatmap from tokenHeatmap()
  bool isSigned = false;     ///< a heatmap with values below 0
  bool marksObject = false;  ///< a heatmap that is a mask with a box, without labels

  bool isHeatmap() const { return kind == ExplanationKind::Heatmap; }
  /// A heatmap of a class.
  bool isClassHeatmap() const { return isHeatmap() && ofClass; }
  /// A heatmap from imageHeatmap() whose patches have an order: of the image alone, whichever token
  /// is chosen, and no mask.
  bool isImageHeatmap() const { return isHeatmap() && !ofToken && !marksObject; }
};

/// All, in the order in which programs list them; the first is the default.
const std::vector<ExplanationInfo>& explanationMethods();
/// Null for another name. Older names are accepted: "features" is feature-pca, "depth" logit-lens.
const ExplanationInfo* explanationFromName(const std::string& name);
/// As explanationFromName(); throws Failure for another name.
const ExplanationInfo& findInfo(const std::string& method);
/// The first of a kind.
const ExplanationInfo& explanationOfKind(ExplanationKind kind);
/// Throws Failure for a model without a classifier, naming the methods that need none; `name` and
/// `title` are those of what needs one.
void requireClassifier(const ModelInfo& info, const std::string& name, const std::string& title);
/// The names of the methods for which `wanted` holds: "relevance, grad-cam".
std::string explanationNames(const std::function<bool(const ExplanationInfo&)>& wanted);

/// An image as the model takes it: preprocessed as infer() does.
RawImages rawImage(const ModelInfo& info, const Image& image);
/// One of several.
RawImages rawImage(const RawImages& images, std::int64_t index);

/// Whose class, which layer.
struct ExplanationOptions {
  int classIndex = -1;  ///< −1: the predicted one, or the best of `cell`
  int layer = -1;       ///< −1: the last
  /// Of a detector: the cell whose logit of the class is explained (FoundObject::cell); −1: the
  /// greatest over the cells.
  int cell = -1;
  /// Of methods that mark an object; its method and layer are those that are asked for.
  ObjectOptions objects = {};
};

/// A value for every patch.
struct Heatmap {
  std::string method = "relevance";
  std::vector<float> values;         ///< [rows × cols]
  Grid grid;                         ///< its patches; prefix tokens of its layer
  bool isSigned = false;             ///< as its method is
  int layer = -1;                    ///< −1: of all
  int classIndex = -1;               ///< −1: of none
  std::string className;             ///< "class 12" where there are no names
  float probability = 0;             ///< of the class
  int token = -1;                    ///< −1: of none
  int cell = -1;                     ///< of a detector; −1: of none by itself
  std::string note;                  ///< what must be said of it; often empty
  std::optional<BoxSides> box = {};  ///< of a marked object, in [0, 1] of what the model sees
};

/// "class relevance for goldfinch", "attention × gradient in layer 11 for goldfinch", "similarity
/// with patch (4, 7), features of layer 11".
std::string heatmapTitle(const Heatmap& heatmap);
/// What a method shows and where it comes from, in a sentence.
std::string explanationMeaning(const std::string& method);
/// The same for a heatmap, with what must be said of it.
std::string heatmapMeaning(const Heatmap& heatmap);

/// The heatmap of one image under `masks`, for methods that are not of a token. Errors: another
/// method or more images; a method of a class and a model without classifier; a class, layer or cell
/// that there is not; an image of another size; Canceled; a scheme of another shape.
Result<Heatmap> imageHeatmap(InferenceSession& session, const RawImages& image,
                             const MaskScheme& masks, const std::string& method,
                             const ExplanationOptions& options = {},
                             const ProgressCallback& progress = {}, std::stop_token stop = {});

/// The features of all tokens of one image.
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

/// For the last layer, or `layer`. Errors as above; no classifier is needed.
Result<TokenFeatures> tokenFeatures(InferenceSession& session, const RawImages& image,
                                    const MaskScheme& masks, int layer = -1,
                                    std::stop_token stop = {});

/// The heatmap of a method that is of a token, at once. Errors: another method; no such token.
Result<Heatmap> tokenHeatmap(const std::string& method, const TokenFeatures& features, int token);

/// Colors of the patches of images, by the principal components of all of them together.
struct FeatureColors {
  struct Projection {
    Grid grid;
    std::vector<float> colors;  ///< [rows × cols × 3] in [0, 1]; NaN: background
  };
  std::vector<Projection> images;
  std::vector<double> shares;  ///< of the variance, of the components that are shown
  std::string note;            ///< what was done: "features of layer 11, of 5 images together"
};

/// The colors of a method of that kind. `foreground`: the components of those patches alone that
/// the first component of all calls foreground. Errors: another method; no images, features of
/// different widths or layers, no two patches; Canceled.
Result<FeatureColors> explanationColors(const std::string& method,
                                        const std::vector<TokenFeatures>& images, bool foreground,
                                        std::stop_token stop = {});

/// What the model would predict if it ended after each block: its final norm and head on what that
/// block leaves.
struct DepthPrediction {
  std::vector<std::vector<float>> probabilities;  ///< [layer][class]; empty: the head does not fit
  std::vector<std::vector<ClassScore>> top;       ///< [layer], best first
  std::string note;                               ///< why some have none; often empty

  /// For one class, by layer; NaN where there is none.
  std::vector<double> ofClass(int classIndex) const;
};

/// The curves of a method of that kind. Errors: as imageHeatmap().
Result<DepthPrediction> explanationCurve(InferenceSession& session, const RawImages& image,
                                         const MaskScheme& masks, const std::string& method,
                                         int topClasses = 5, std::stop_token stop = {});

/// The class that `text` names: its index, or its name as the model has it, in any case of letters
/// where that is unique. Error: InvalidArgument, with names that come close.
Result<int> classFromText(const std::string& text, const ModelInfo& info);

}  // namespace headlight
