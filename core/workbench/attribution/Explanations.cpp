// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/attribution/Explanations.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/Text.h"
#include "core/config/Parameter.h"
#include "core/workbench/session/MapView.h"
#include "core/workbench/session/Pictures.h"

namespace headlight {
namespace {

Error noSuchClass(const std::string& text, const ModelInfo& info) {
  const std::string close = closestName(text, info.classNames);
  const std::string range =
      "an index from 0 to " + std::to_string(info.experiment.model.classes - 1);
  return {ErrorCode::InvalidArgument,
          "is no class of this model; give " +
              (close.empty() ? range + (info.classNames.empty() ? "" : ", or a class's name")
                             : "\"" + close + "\", or " + range),
          "class " + text};
}

/// What the ways of a class have in common.
std::string forClass(const Heatmap& heat) {
  return heat.className.empty() ? "" : " for " + heat.className;
}

}  // namespace

const std::vector<ExplanationInfo>& waysOfLooking() {
  static const std::vector<ExplanationInfo> all{
      {.way = ExplanationMethod::Relevance,
       .name = "relevance",
       .title = "class relevance",
       .help = "What speaks for a class, through all layers: attention times its gradient, "
               "accumulated from layer to layer.",
       .source = "Chefer, Gur & Wolf 2021",
       .ofClass = true},
      {.way = ExplanationMethod::AttentionGradient,
       .name = "attention-gradient",
       .title = "attention × gradient",
       .help = "What speaks for a class in one layer: the positive part of attention times its "
               "gradient, averaged over heads.",
       .source = "Chefer, Gur & Wolf 2021",
       .ofClass = true,
       .ofLayer = true},
      {.way = ExplanationMethod::GradCam,
       .name = "grad-cam",
       .title = "Grad-CAM",
       .help =
           "What speaks for a class among the tokens that enter a layer's attention, weighed by "
           "their gradient; works for every mechanism.",
       .source = "Selvaraju et al. 2017",
       .ofClass = true,
       .ofLayer = true},
      {.way = ExplanationMethod::Similarity,
       .name = "similarity",
       .title = "patch similarity",
       .help = "How alike each patch's features are to those of one token: their cosine.",
       .source = "Caron et al. 2021",
       .ofLayer = true},
      {.way = ExplanationMethod::Features,
       .name = "features",
       .title = "feature colours",
       .help = "The first three principal components of patch features as red, green and blue, of "
               "one picture or of several together.",
       .source = "Oquab et al. 2023",
       .ofLayer = true,
       .isHeatmap = false},
      {.way = ExplanationMethod::Depth,
       .name = "depth",
       .title = "prediction by depth",
       .help = "What the model would predict if it ended after each layer: its norm and head on "
               "what that layer leaves.",
       .source = "nostalgebraist 2020, the logit lens",
       .ofClass = true,
       .isHeatmap = false},
  };
  return all;
}

const ExplanationInfo& infoOf(ExplanationMethod way) {
  return waysOfLooking()[static_cast<std::size_t>(way)];
}

const ExplanationInfo* wayFromName(const std::string& name) {
  for (const ExplanationInfo& info : waysOfLooking())
    if (info.name == name) return &info;
  return nullptr;
}

RawImages rawPicture(const ModelInfo& info, const Image& image) {
  const Preprocessing preprocessing = preprocessingOf(info.experiment.model);
  return {1, preprocessing.height, preprocessing.width, preprocess(image, preprocessing)};
}

RawImages rawPicture(const RawImages& pictures, std::int64_t index) {
  const std::int64_t each = 3 * pictures.height * pictures.width;
  const auto begin = pictures.values.begin() + index * each;
  return {1, pictures.height, pictures.width, {begin, begin + each}};
}

std::string heatTitle(const Heatmap& heat) {
  const ExplanationInfo& info = infoOf(heat.way);
  if (heat.way == ExplanationMethod::Similarity)
    return "similarity with the " + tokenText(heat.token, heat.grid) + ", features of layer " +
           std::to_string(heat.layer);
  const std::string layer = heat.layer < 0 ? "" : " in layer " + std::to_string(heat.layer);
  return info.title + layer + forClass(heat);
}

std::string heatMeaning(const Heatmap& heat) {
  return wayMeaning(heat.way) + (heat.note.empty() ? "" : " Here: " + heat.note + ".");
}

std::string wayMeaning(ExplanationMethod way) {
  const ExplanationInfo& info = infoOf(way);
  return info.help.substr(0, info.help.size() - 1) + " (" + info.source + ").";
}

std::string featuresText(const TokenFeatures& features) {
  return "features of layer " + std::to_string(features.layer) +
         (features.normed ? "" : ", without a final norm");
}

Result<Heatmap> similarityHeat(const TokenFeatures& features, int token) {
  if (token < 0 || token >= features.grid.tokens())
    return Error{ErrorCode::InvalidArgument,
                 "the features have no token " + std::to_string(token) + "; choose a patch",
                 "similarity"};
  const auto product = [&](int a, int b) {
    double sum = 0;
    for (int i = 0; i < features.width; ++i)
      sum += double{features.of(a)[i]} * features.of(b)[i];
    return sum;
  };
  Heatmap heat;
  heat.way = ExplanationMethod::Similarity;
  heat.grid = features.grid;
  heat.isSigned = true;
  heat.layer = features.layer;
  heat.token = token;
  if (!features.normed) heat.note = "features as they are, without a final norm";
  const double own = product(token, token);
  for (int t = features.grid.prefix; t < features.grid.tokens(); ++t) {
    const double lengths = std::sqrt(own * product(t, t));
    heat.values.push_back(lengths > 0 ? static_cast<float>(product(token, t) / lengths) : 0.0f);
  }
  return heat;
}

std::vector<double> DepthPrediction::ofClass(int classIndex) const {
  std::vector<double> result;
  for (const auto& layer : probabilities) {
    const bool there = classIndex >= 0 && classIndex < static_cast<int>(layer.size());
    result.push_back(there ? layer[classIndex] : std::numeric_limits<double>::quiet_NaN());
  }
  return result;
}

Result<int> classFromText(const std::string& text, const ModelInfo& info) {
  const int classes = info.experiment.model.classes;
  if (classes == 0)
    return Error{ErrorCode::InvalidArgument,
                 "this model has no classifier, and so no classes; similarity and features work "
                 "without one",
                 "class " + text};
  std::vector<int> found;
  for (int i = 0; i < static_cast<int>(info.classNames.size()); ++i) {
    if (info.classNames[i] == text) return i;
    if (lowered(info.classNames[i]) == lowered(text)) found.push_back(i);
  }
  if (found.size() == 1) return found.front();
  int index = -1;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, index);
  if (!text.empty() && error == std::errc() && stopped == end && index >= 0 && index < classes)
    return index;
  return noSuchClass(text, info);
}

}  // namespace headlight
