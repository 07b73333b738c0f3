// SPDX-License-Identifier: GPL-3.0-or-later

// Explanations.h: the features of an image's tokens, and the methods that ask them alone.

#include <ATen/ATen.h>

#include "core/base/Translation.h"
#include "core/models/backbones/FinalNorm.h"
#include "core/workbench/attribution/ExplanationRows.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/session/ModelAccess.h"
#include "core/workbench/session/ModelPass.h"

namespace headlight {
namespace {

void requireAlike(const std::vector<TokenFeatures>& images, const std::string& method) {
  if (images.empty()) throw Failure({ErrorCode::InvalidArgument, tr("no image given"), method});
  for (const TokenFeatures& image : images)
    if (image.width != images.front().width || image.layer != images.front().layer)
      throw Failure({ErrorCode::InvalidArgument,
                     tr("the features come from different layers or models"), method});
}

}  // namespace

Result<TokenFeatures> tokenFeatures(InferenceSession& session, const RawImages& image,
                                    const MaskScheme& masks, int layer, std::stop_token stop) {
  return guarded("features", [&] {
    TokenFeatures features;
    withModel(session, [&](Model& model) {
      features.layer = layerOrLast(layer, model.layers());
      model.setMasks(masks);
      at::Tensor tokens = model.embed(modelInput(session.info(), image));
      for (int l = 0; l <= features.layer; ++l) {
        throwIfPassStopped(stop);
        tokens = model.block(l, tokens, nullptr);
      }
      const NormedTokens normed = finalNormed(model, model.gridTokens(features.layer + 1, tokens));
      features.normed = normed.normed;
      features.grid = model.grid(features.layer);
      features.width = static_cast<int>(normed.tokens.size(2));
      features.values = plainValues(normed.tokens[0]);
    });
    return features;
  });
}

Result<Heatmap> tokenHeatmap(const std::string& method, const TokenFeatures& features, int token) {
  return guarded(method, [&] {
    const ExplanationRow& row = explanationRow(method);
    if (!row.tokenHeatmap)
      throw Failure({ErrorCode::InvalidArgument, tr("does not explain a token"), row.info.name});
    if (token < 0 || token >= features.grid.tokens())
      throw Failure(
          {ErrorCode::InvalidArgument,
           tr("the features have no token ") + std::to_string(token) + tr("; choose a patch"),
           row.info.name});
    PatchHeatmap found = row.tokenHeatmap(features, token);
    Heatmap heatmap;
    heatmap.method = row.info.name;
    heatmap.values = std::move(found.values);
    heatmap.grid = found.grid;
    heatmap.note = std::move(found.note);
    heatmap.isSigned = row.info.isSigned;
    heatmap.layer = features.layer;
    heatmap.token = token;
    return heatmap;
  });
}

Result<FeatureColors> explanationColors(const std::string& method,
                                        const std::vector<TokenFeatures>& images, bool foreground,
                                        std::stop_token stop) {
  return guarded(method, [&] {
    const ExplanationRow& row = explanationRow(method);
    if (!row.colors)
      throw Failure({ErrorCode::InvalidArgument, tr("has no colors"), row.info.name});
    requireAlike(images, row.info.name);
    return row.colors(images, foreground, stop);
  });
}

}  // namespace headlight
