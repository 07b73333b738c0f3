// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/interventions/InterventionFigure.h"

#include <algorithm>
#include <limits>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/session/Images.h"

namespace headlight {
namespace {

constexpr int kStripHeight = 18, kWidestStrip = 960, kWidestCell = 36, kNarrowestCell = 3;
constexpr int kPairCell = 6;

int cellWidth(std::size_t columns) {
  return std::clamp(kWidestStrip / static_cast<int>(columns), kNarrowestCell, kWidestCell);
}

/// With NaN behind the last column, so that all strips are of one length.
std::vector<float> stripOf(const std::vector<double>& row, std::size_t columns) {
  std::vector<float> strip(row.begin(), row.end());
  strip.resize(columns, std::numeric_limits<float>::quiet_NaN());
  return strip;
}

std::string sweepColumnWords(const InterventionSweep& sweep) {
  const std::string& across = sweep.options.across;
  if (across == "layers") return tr("one value a layer");
  return across == "heads" ? tr("columns: heads from 0") : tr("columns: tokens from 0");
}

std::string effectWords(const InterventionSweep& sweep) {
  if (sweep.hasShares())
    return tr("share of the way from ") + numberText(sweep.facts.base) + tr(" to ") +
           numberText(sweep.facts.target);
  return tr("change from ") + numberText(sweep.facts.base);
}

}  // namespace

Image sweepImage(const InterventionSweep& sweep, const std::string& model) {
  const auto effects = sweep.effects();
  const std::size_t columns = sweep.columns();
  if (columns == 0)
    throw Failure({ErrorCode::InvalidArgument, tr("nothing was replaced"), "interventions"});
  FigureGrid figure;
  figure.title = sweepTitle(sweep) + (model.empty() ? "" : " · " + model);
  figure.footnote = effectWords(sweep) + "; " + sweepColumnWords(sweep);
  figure.colorMap = ColorMap::Diverging;
  figure.colorBar = true;
  std::vector<float> all;
  for (const auto& row : effects)
    all.insert(all.end(), row.begin(), row.end());
  figure.range = valueRange(all, /*aboutZero=*/true);
  const int wide = cellWidth(columns) * static_cast<int>(columns);
  for (std::size_t l = 0; l < effects.size(); ++l) {
    figure.rowLabels.push_back(tr("layer ") + std::to_string(l));
    figure.tiles.push_back({heatmap(stripOf(effects[l], columns), 1, static_cast<int>(columns),
                                    figure.range, figure.colorMap, wide, kStripHeight,
                                    /*smooth=*/false),
                            ""});
  }
  return composeFigure(figure);
}

Image compositionImage(const HeadComposition& composition, CompositionInput input,
                       const std::string& model) {
  const auto& scores = composition.of(input);
  const int heads = composition.total();
  FigureGrid figure;
  figure.title = compositionTitle(input) + (model.empty() ? "" : " · " + model);
  figure.footnote = tr("rows: heads that read, columns: heads that write, by layer and head; "
                       "random matrices: ") +
                    numberText(composition.chance);
  figure.colorBar = true;
  std::vector<float> values(scores.begin(), scores.end());
  figure.range = {composition.chance, std::max(composition.chance, valueRange(values).high)};
  figure.tiles.push_back({heatmap(values, heads, heads, figure.range, figure.colorMap,
                                  heads * kPairCell, heads * kPairCell, /*smooth=*/false),
                          ""});
  return composeFigure(figure);
}

}  // namespace headlight
