// SPDX-License-Identifier: GPL-3.0-or-later

// Explanations.h: the features of a picture's tokens and their colours.

#include <ATen/ATen.h>

#include "core/analysis/FeatureColors.h"
#include "core/models/backbones/FinalNorm.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/attribution/PrincipalComponents.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/session/ModelAccess.h"
#include "core/workbench/session/ModelPass.h"

namespace headlight {
namespace {

constexpr int kColors = 3;

/// The rows of all patches, [Σ N × D], that `shown` (empty: all) has.
std::vector<float> patchRows(const std::vector<TokenFeatures>& pictures,
                             const std::vector<char>& shown) {
  std::vector<float> rows;
  std::size_t patch = 0;
  for (const TokenFeatures& picture : pictures)
    for (int t = picture.grid.prefix; t < picture.grid.tokens(); ++t)
      if (const bool kept = shown.empty() || shown[patch]; ++patch, kept)
        rows.insert(rows.end(), picture.of(t), picture.of(t) + picture.width);
  return rows;
}

void requireAlike(const std::vector<TokenFeatures>& pictures) {
  if (pictures.empty())
    throw Failure({ErrorCode::InvalidArgument, "there is no picture", "features"});
  for (const TokenFeatures& picture : pictures)
    if (picture.width != pictures.front().width || picture.layer != pictures.front().layer)
      throw Failure(
          {ErrorCode::InvalidArgument, "features of different layers or models", "features"});
}

std::string colorsNote(const std::vector<TokenFeatures>& pictures, bool foreground) {
  std::string note = featuresText(pictures.front());
  if (pictures.size() > 1) note += ", of " + std::to_string(pictures.size()) + " pictures together";
  if (foreground) note += ", of the patches that the first component of all calls foreground";
  return note;
}

}  // namespace

Result<TokenFeatures> tokenFeatures(InferenceSession& session, const RawImages& picture,
                                    const MaskScheme& masks, int layer, std::stop_token stop) {
  return guarded("features", [&] {
    TokenFeatures features;
    withModel(session, [&](Model& model) {
      features.layer = layerOrLast(layer, model.layers());
      model.setMasks(masks);
      at::Tensor tokens = model.embed(modelInput(session.info(), picture));
      for (int l = 0; l <= features.layer; ++l) {
        throwIfPassStopped(stop);
        tokens = model.block(l, tokens, nullptr);
      }
      const NormedTokens normed = finalNormed(model, tokens);
      features.normed = normed.normed;
      features.grid = model.grid(features.layer);
      features.width = static_cast<int>(normed.tokens.size(2));
      features.values = plainValues(normed.tokens[0]);
    });
    return features;
  });
}

Result<FeatureColors> featureColors(const std::vector<TokenFeatures>& pictures, bool foreground,
                                    std::stop_token stop) {
  return guarded("features", [&] {
    requireAlike(pictures);
    const int width = pictures.front().width;
    std::vector<Grid> grids;
    for (const TokenFeatures& picture : pictures)
      grids.push_back(picture.grid);
    std::vector<char> shown;
    PrincipalComponents found = principalComponents(patchRows(pictures, {}), width, kColors);
    throwIfPassStopped(stop);
    if (foreground) {
      shown = foregroundOf(found.scores, found.count, grids);
      found = principalComponents(patchRows(pictures, shown), width, kColors);
    }
    if (found.count == 0)
      throw Failure(
          {ErrorCode::InvalidArgument, "there are no two patches to compare", "features"});
    const std::vector<float> colors = colorsOfScores(found.scores, found.count, shown);
    FeatureColors result;
    result.shares = found.shares;
    result.note = colorsNote(pictures, foreground);
    auto next = colors.begin();
    for (const Grid& grid : grids) {
      const auto end = next + kColors * grid.patches();
      result.pictures.push_back({grid, {next, end}});
      next = end;
    }
    return result;
  });
}

}  // namespace headlight
