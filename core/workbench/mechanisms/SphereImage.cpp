// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/mechanisms/SphereImage.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/base/Translation.h"
#include "core/workbench/session/MapRendering.h"
#include "core/workbench/session/ModelPass.h"

namespace headlight {
namespace {

constexpr double kNoLength = 1e-12;

[[noreturn]] void refuseSphere(const std::string& where, const std::string& message) {
  throw Failure({ErrorCode::InvalidArgument, message, where});
}

const LayerPairs& comparedLayer(const ImagePairs& pairs, const SphereOptions& options) {
  const auto found =
      std::find_if(pairs.layers.begin(), pairs.layers.end(),
                   [&](const LayerPairs& layer) { return layer.layer == options.layer; });
  if (options.layer < 0 || options.layer >= pairs.modelLayers)
    refuseSphere("layer",
                 tr("give one layer; they are 0 to ") + std::to_string(pairs.modelLayers - 1));
  if (found == pairs.layers.end())
    refuseSphere("layer", "layer " + std::to_string(options.layer) +
                              tr(" does not compare the tokens of an image with each other"));
  return *found;
}

void checkSphere(const LayerPairs& layer, const ImagePairs& pairs, const SphereOptions& options) {
  if (options.head < -1 || options.head >= layer.heads)
    refuseSphere("head", tr("no head ") + std::to_string(options.head) + tr("; heads are 0 to ") +
                             std::to_string(layer.heads - 1) + tr(", or -1 for all"));
  if (options.dimensions != 2 && options.dimensions != 3)
    refuseSphere("sphere", tr("has 2 or 3 dimensions, not ") + std::to_string(options.dimensions));
  if (options.dimensions > layer.width)
    refuseSphere("sphere", tr("heads of this layer have only ") + std::to_string(layer.width) +
                               tr(" features"));
  if (options.token < -1 || options.token >= pairs.grid.tokens())
    refuseSphere("token", tr("no token ") + std::to_string(options.token) + tr("; the model has ") +
                              std::to_string(pairs.grid.tokens()));
}

/// Queries or keys of a head in all windows, [n, d] in double.
at::Tensor sphereRows(const std::vector<float>& values, const LayerPairs& layer, int rows,
                      int head) {
  return at::from_blob(const_cast<float*>(values.data()),
                       {layer.groups, layer.heads, rows, layer.width}, at::kFloat)
      .select(1, head)
      .reshape({-1, layer.width})
      .to(at::kDouble);
}

at::Tensor unitVectors(const at::Tensor& rows) {
  const at::Tensor lengths = rows.norm(2, {1}, /*keepdim=*/true);
  return at::where(lengths > kNoLength, rows / lengths.clamp_min(kNoLength), at::zeros_like(rows));
}

/// So that signs are the same wherever this runs.
at::Tensor withFixedSigns(const at::Tensor& axes) {
  const at::Tensor largest = axes.gather(1, axes.abs().argmax(1, /*keepdim=*/true));
  return axes * at::where(largest < 0, -at::ones_like(largest), at::ones_like(largest));
}

std::vector<double> doubles(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.contiguous();
  return {plain.data_ptr<double>(), plain.data_ptr<double>() + plain.numel()};
}

SpherePoints pointsOn(const at::Tensor& axes, const at::Tensor& rows) {
  const at::Tensor shown = unitVectors(rows).mm(axes.t());
  return {doubles(rows.mm(axes.t())), doubles(unitVectors(shown)), doubles(shown.square().sum(1))};
}

SphereHead sphereHead(const LayerPairs& layer, int head, int dimensions) {
  const at::Tensor queries = sphereRows(layer.q, layer, layer.queries, head),
                   keys = sphereRows(layer.k, layer, layer.keys, head);
  const at::Tensor units = unitVectors(at::cat({queries, keys}));
  const auto [values, vectors] =
      at::linalg_eigh(units.t().mm(units) / static_cast<double>(units.size(0)), "L");
  const std::int64_t first = layer.width - dimensions;  // eigenvalues rise
  const at::Tensor axes = withFixedSigns(vectors.narrow(1, first, dimensions).t().flip({0}));
  const at::Tensor all = values.clamp_min(0).sum().clamp_min(kNoLength);
  SphereHead shown{layer.layer, head, layer.width, doubles(axes), {}, {}, {}};
  shown.axisShares = doubles(values.narrow(0, first, dimensions).flip({0}).clamp_min(0) / all);
  shown.queries = pointsOn(axes, queries);
  shown.keys = pointsOn(axes, keys);
  return shown;
}

void markToken(SphereTable& table, const ImagePairs& pairs, const LayerPairs& layer, int token) {
  if (token < 0) return;
  table.tokenText = tokenText(token, pairs.grid);
  table.token = layer.tokens ? queryInLayer(token, pairs.grid, layer.grid) : -1;
  if (table.token >= 0) return;
  table.note += (table.note.empty() ? "" : "; ") + std::string("the layer has no query of the ") +
                table.tokenText + " on its own";
}

}  // namespace

Result<SphereTable> sphereTable(const ImagePairs& pairs, const SphereOptions& options,
                                std::stop_token stop) {
  return guarded("sphere", [&] {
    const at::NoGradGuard noGrad;
    const LayerPairs& layer = comparedLayer(pairs, options);
    checkSphere(layer, pairs, options);
    SphereTable table;
    table.dimensions = options.dimensions;
    table.subject = "layer " + std::to_string(options.layer) +
                    (options.head < 0 ? ", each head" : ", head " + std::to_string(options.head));
    if (layer.groups > 1) table.note = "all windows together";
    markToken(table, pairs, layer, options.token);
    const int first = std::max(0, options.head);
    const int last = options.head < 0 ? layer.heads : options.head + 1;
    for (int head = first; head < last; ++head) {
      throwIfPassStopped(stop);
      table.heads.push_back(sphereHead(layer, head, options.dimensions));
    }
    return table;
  });
}

}  // namespace headlight
