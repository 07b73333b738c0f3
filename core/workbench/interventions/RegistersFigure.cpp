// SPDX-License-Identifier: GPL-3.0-or-later

// Registers.h: images and a table of what registers do.

#include <algorithm>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/interventions/Registers.h"

namespace headlight {
namespace {

constexpr int kWidestRegisterRow = 1440, kWidestRegisterTile = 96, kNarrowestRegisterTile = 32;

std::vector<float> patchesOf(const RegisterRun& run, std::size_t layer, RegisterImageKind kind) {
  if (kind == RegisterImageKind::Maps) return run.maps[layer];
  const OutlierLayer& norms = run.norms.layers[layer];
  return {norms.norms.begin() + norms.grid.prefix, norms.norms.end()};
}

/// Of both runs, from 0: before and after are compared.
ValueRange rangeOfBoth(const RegisterReport& report, RegisterImageKind kind) {
  ValueRange range{0, 0};
  for (std::size_t l = 0; l < report.before.maps.size(); ++l)
    for (const RegisterRun* run : {&report.before, &report.after})
      for (const float value : patchesOf(*run, l, kind)) {
        range.low = std::min<double>(range.low, value);
        range.high = std::max<double>(range.high, value);
      }
  return range;
}

Image registerTile(const std::vector<float>& patches, const Grid& grid, const FigureGrid& figure) {
  const int longer = std::max(grid.rows, grid.cols);
  const int side =
      std::clamp(kWidestRegisterRow / figure.columns, kNarrowestRegisterTile, kWidestRegisterTile);
  return heatmap(patches, grid.rows, grid.cols, figure.range, figure.colorMap,
                 std::max(side * grid.cols / longer, 1), std::max(side * grid.rows / longer, 1),
                 /*smooth=*/false);
}

void addRegisterRow(FigureGrid& figure, const RegisterRun& run, RegisterImageKind kind) {
  for (std::size_t l = 0; l < run.maps.size(); ++l) {
    const OutlierLayer& layer = run.norms.layers[l];
    std::string caption = tr("layer ") + std::to_string(l);
    if (kind == RegisterImageKind::Norms) caption += ": " + std::to_string(layer.outliers.size());
    figure.tiles.push_back({registerTile(patchesOf(run, l, kind), layer.grid, figure), caption});
  }
}

float longestPatch(const OutlierLayer& layer) {
  return *std::max_element(layer.norms.begin() + layer.grid.prefix, layer.norms.end());
}

}  // namespace

std::string registersTitle(const RegisterReport& report) {
  return tr("intervention: test-time registers ") + std::to_string(report.options.registers) +
         tr(", moved neurons ") + std::to_string(report.neurons.size());
}

Image registersImage(const RegisterReport& report, RegisterImageKind kind,
                     const std::string& model) {
  if (report.before.maps.empty())
    throw Failure({ErrorCode::InvalidArgument, tr("the model has no layers"), "registers"});
  FigureGrid figure;
  figure.title = registersTitle(report) + (model.empty() ? std::string() : " · " + model);
  figure.footnote = kind == RegisterImageKind::Norms
                        ? tr("norms of patch tokens; below each layer: patches longer than ") +
                              numberText(report.before.norms.factor) + tr(" times the median")
                        : std::string(tr("what the class token (else the mean patch) attends to, "
                                         "mean of the heads"));
  figure.columns = static_cast<int>(report.before.maps.size());
  figure.colorBar = true;
  figure.range = rangeOfBoth(report, kind);
  figure.rowLabels = {tr("before"), tr("after")};
  addRegisterRow(figure, report.before, kind);
  addRegisterRow(figure, report.after, kind);
  return composeFigure(figure);
}

std::string registersCsv(const RegisterReport& report) {
  std::string csv = "layer,outliers_before,outliers_after,max_before,max_after,registers\n";
  for (std::size_t l = 0; l < report.before.norms.layers.size(); ++l) {
    const OutlierLayer &before = report.before.norms.layers[l],
                       &after = report.after.norms.layers[l];
    const auto& own = report.registerNorms[l];
    csv += std::to_string(l) + "," + std::to_string(before.outliers.size()) + "," +
           std::to_string(after.outliers.size()) + "," + numberText(longestPatch(before)) + "," +
           numberText(longestPatch(after)) + "," +
           numberText(*std::max_element(own.begin(), own.end())) + "\n";
  }
  return csv;
}

}  // namespace headlight
