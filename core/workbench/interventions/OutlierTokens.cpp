// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/interventions/OutlierTokens.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/evaluation/HeadOutputs.h"
#include "core/workbench/interventions/OutlierNorms.h"
#include "core/workbench/interventions/PartsHook.h"
#include "core/workbench/session/ModelCopy.h"
#include "core/workbench/session/ModelPass.h"

namespace headlight {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr int kNormTile = 96, kNormColumns = 6;

std::vector<double> exactValues(const at::Tensor& tensor) {
  const at::Tensor host = tensor.to(at::kCPU, at::kDouble).contiguous();
  return {host.data_ptr<double>(), host.data_ptr<double>() + host.numel()};
}

/// A block whose queries are pooled leaves the grid of the next one.
Grid leavingGrid(const Model& model, int layer, std::int64_t tokens) {
  for (int l = layer; l < std::min(layer + 2, model.layers()); ++l)
    if (model.grid(l).tokens() == tokens) return model.grid(l);
  return {1, static_cast<int>(tokens), /*prefix=*/0};
}

/// Rows of signed maps, and those that sum to something else, in shares of their size.
void addSinks(OutlierLayer& layer, const at::Tensor& map, int prefix) {
  const at::Tensor sizes = map[0].abs().slice(1, prefix).to(at::kDouble);
  const at::Tensor rows = sizes / sizes.sum(-1, /*keepdim=*/true).clamp_min(1e-12);
  const auto [most, where] = rows.mean(1).max(-1);  // [H]
  layer.sink = exactValues(most);
  for (const double token : exactValues(where))
    layer.sinkToken.push_back(static_cast<int>(token));
}

void addValues(OutlierLayer& layer, const at::Tensor& values) {
  const std::size_t heads = layer.sink.size();
  layer.valueNorm =
      medianValueNorms(values.defined() ? values[0] : values, static_cast<int>(heads));
  layer.sinkValue.assign(heads, kNoNumber);
  if (!values.defined()) return;
  const at::Tensor norms = values[0].to(at::kDouble).norm(2, {-1});  // [H, T]
  for (std::size_t h = 0; h < heads && static_cast<std::int64_t>(h) < norms.size(0); ++h) {
    const at::Tensor own = norms[static_cast<std::int64_t>(h)];
    if (layer.sinkToken[h] < own.size(0))
      layer.sinkValue[h] = own[layer.sinkToken[h]].item<double>() / layer.valueNorm[h];
  }
}

Image normTile(const OutlierLayer& layer, const FigureGrid& figure) {
  const std::vector<float> patches(layer.norms.begin() + layer.grid.prefix, layer.norms.end());
  return heatmap(patches, layer.grid.rows, layer.grid.cols, figure.range, figure.colorMap,
                 kNormTile * layer.grid.cols / std::max(layer.grid.rows, layer.grid.cols),
                 kNormTile * layer.grid.rows / std::max(layer.grid.rows, layer.grid.cols),
                 /*smooth=*/false);
}

ValueRange normRange(const OutlierReport& report) {
  ValueRange range{0, 0};
  for (const OutlierLayer& layer : report.layers)
    range.high = std::max<double>(
        range.high, *std::max_element(layer.norms.begin() + layer.grid.prefix, layer.norms.end()));
  return range;
}

}  // namespace

std::size_t OutlierReport::most() const {
  std::size_t most = 0;
  for (const OutlierLayer& layer : layers)
    most = std::max(most, layer.outliers.size());
  return most;
}

Result<OutlierReport> findOutliers(InferenceSession& session, const RawImages& image,
                                   const MaskScheme& masks, double factor,
                                   const ProgressCallback& progress, std::stop_token stop) {
  return guarded("outliers", [&] {
    requireOutlierFactor(factor);
    const at::NoGradGuard noGrad;
    at::init_num_threads();  // counts are per thread
    requireAttention(session.info());
    LoadedModel own = copyModel(session);
    Model& model = *own.model;
    model.setMasks(masks);
    OutlierReport report{factor, {}};
    PassSteps steps(tr("measuring tokens"), progress, stop, model.layers());
    at::Tensor tokens = model.embed(modelInput(own.info, image));
    for (int l = 0; l < model.layers(); ++l) {
      steps();
      PartsHook hook(model.heads(l), PartsHook::Keep::PartsAndPattern);
      hook.wantMap();
      tokens = hook.run(model, l, tokens);
      OutlierLayer layer;
      const at::Tensor leaving = model.gridTokens(l + 1, tokens);
      layer.grid = leavingGrid(model, l, leaving.size(1));
      addOutlierNorms(layer, leaving, factor);
      addSinks(layer, hook.map(), model.grid(l).prefix);
      addValues(layer, hook.kept().values);
      const at::Tensor outputs = hook.kept().heads;
      layer.outputRank = outputRanks(outputs.defined() ? outputs[0] : outputs, model.heads(l));
      report.layers.push_back(std::move(layer));
    }
    return report;
  });
}

Image outlierImage(const OutlierReport& report, const std::string& model) {
  if (report.layers.empty())
    throw Failure({ErrorCode::InvalidArgument, tr("the model has no layers"), "outliers"});
  FigureGrid figure;
  figure.title = tr("norms of patch tokens") + (model.empty() ? std::string() : " · " + model);
  figure.footnote = tr("below each layer: patches longer than ") + numberText(report.factor) +
                    tr(" times the median");
  figure.columns = kNormColumns;
  figure.colorBar = true;
  figure.range = normRange(report);
  const Grid first = report.layers.front().grid;
  for (std::size_t l = 0; l < report.layers.size(); ++l) {
    const OutlierLayer& layer = report.layers[l];
    Image tile = normTile(layer, figure);
    if (layer.grid.rows * first.cols != layer.grid.cols * first.rows) continue;
    figure.tiles.push_back({std::move(tile), tr("layer ") + std::to_string(l) + ": " +
                                                 std::to_string(layer.outliers.size())});
  }
  return composeFigure(figure);
}

std::string outlierCsv(const OutlierReport& report) {
  std::string csv =
      "layer,head,sink,sink_token,value_norm,sink_value,output_rank,outliers,median_norm\n";
  for (std::size_t l = 0; l < report.layers.size(); ++l) {
    const OutlierLayer& layer = report.layers[l];
    for (std::size_t h = 0; h < layer.sink.size(); ++h) {
      csv += std::to_string(l) + "," + std::to_string(h) + "," + numberText(layer.sink[h]) + "," +
             std::to_string(layer.sinkToken[h]);
      for (const double value : {layer.valueNorm[h], layer.sinkValue[h], layer.outputRank[h]})
        csv += "," + (std::isnan(value) ? std::string() : numberText(value));
      csv += "," + std::to_string(layer.outliers.size()) + "," + numberText(layer.median) + "\n";
    }
  }
  return csv;
}

}  // namespace headlight
