// SPDX-License-Identifier: GPL-3.0-or-later

// ExplanationRows.h: feature PCA (Oquab et al. 2023), the first three principal components of patch
// features as red, green and blue.

#include "core/analysis/FeatureColors.h"
#include "core/base/Translation.h"
#include "core/workbench/attribution/ExplanationRows.h"
#include "core/workbench/attribution/PrincipalComponents.h"
#include "core/workbench/session/ModelPass.h"

namespace headlight {
namespace {

constexpr int kColors = 3;

/// The rows of all patches, [Σ N × D], that `shown` (empty: all) has.
std::vector<float> patchRows(const std::vector<TokenFeatures>& images,
                             const std::vector<char>& shown) {
  std::vector<float> rows;
  std::size_t patch = 0;
  for (const TokenFeatures& image : images)
    for (int t = image.grid.prefix; t < image.grid.tokens(); ++t)
      if (const bool kept = shown.empty() || shown[patch]; ++patch, kept)
        rows.insert(rows.end(), image.of(t), image.of(t) + image.width);
  return rows;
}

std::string colorsNote(const std::vector<TokenFeatures>& images, bool foreground) {
  std::string note = featuresText(images.front());
  if (images.size() > 1) note += ", of " + std::to_string(images.size()) + " images together";
  if (foreground) note += ", only foreground patches (by the first component of all patches)";
  return note;
}

FeatureColors principalColors(const std::vector<TokenFeatures>& images, bool foreground,
                              const std::stop_token& stop) {
  const int width = images.front().width;
  std::vector<Grid> grids;
  for (const TokenFeatures& image : images)
    grids.push_back(image.grid);
  std::vector<char> shown;
  PrincipalComponents found = principalComponents(patchRows(images, {}), width, kColors);
  throwIfPassStopped(stop);
  if (foreground) {
    shown = splitForeground(found.scores, found.count, grids);
    found = principalComponents(patchRows(images, shown), width, kColors);
  }
  if (found.count == 0)
    throw Failure(
        {ErrorCode::InvalidArgument, tr("at least two patches are needed"), "feature-pca"});
  const std::vector<float> colors = colorsOfScores(found.scores, found.count, shown);
  FeatureColors result;
  result.shares = found.shares;
  result.note = colorsNote(images, foreground);
  auto next = colors.begin();
  for (const Grid& grid : grids) {
    const auto end = next + kColors * grid.patches();
    result.images.push_back({grid, {next, end}});
    next = end;
  }
  return result;
}

}  // namespace

ExplanationRow featurePcaRow() {
  return {.info = {.name = "feature-pca",
                   .title = "feature PCA",
                   .help = "The first three principal components of patch features as red, green "
                           "and blue, for one image or several together.",
                   .source = "Oquab et al. 2023",
                   .keys = "Ctrl+W, F",
                   .kind = ExplanationKind::Colors,
                   .ofLayer = true},
          .colors = principalColors};
}

}  // namespace headlight
