// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/attribution/RelativeMaps.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cmath>

#include "core/base/Text.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/session/InferenceHook.h"
#include "core/workbench/session/ModelCopy.h"
#include "core/workbench/session/ModelPass.h"

namespace headlight {
namespace {

using LayerSums = std::vector<RelativeMeans>;
using ReportShare = std::function<void(double)>;

void addModelMaps(LayerSums& sums, const LoadedModel& own, const Image& image,
                  const ReportShare& notify, const std::stop_token& stop) {
  Model& model = *own.model;
  const bool byRows = mapBytes(model) > kMostMapBytes;
  at::Tensor tokens = model.embed(modelInput(own.info, rawImage(own.info, image)));
  for (int l = 0; l < model.layers(); ++l) {
    throwIfFeedStopped(stop);
    InferenceHook tap(model.grid(l), byRows);
    tokens = model.block(l, tokens, &tap);
    sums[static_cast<std::size_t>(l)].add(tap.maps());
    notify((l + 1.0) / model.layers());
  }
}

void addFileMaps(LayerSums& sums, InferenceSession& session, const Image& image,
                 const MaskScheme& masks, const std::stop_token& stop) {
  const InferenceResult inference = valueOrThrow(session.infer(image, masks, {}, stop));
  for (std::size_t l = 0; l < sums.size(); ++l)
    sums[l].add(inference.maps.layers[l]);
}

}  // namespace

Result<RelativeMaps> measureRelative(InferenceSession& session, const ImageSource& feed,
                                     const MaskScheme& masks, const ProgressCallback& progress,
                                     std::stop_token stop) {
  return guarded("relative", [&] {
    const at::NoGradGuard noGrad;
    at::init_num_threads();  // counts are per thread
    const ModelInfo& info = session.info();
    LayerSums sums(info.heads.size());
    LoadedModel own;
    if (!info.isPrecomputed) {
      own = copyModel(session);
      own.model->setMasks(masks);
    }
    RelativeMaps result;
    result.title = "mean attention by offset";
    result.meaning = info.mapMeaning;
    if (info.mapIsSigned) result.scale = RelativeScale::AboutZero;
    result.fed = eachSourceImage(feed, "averaging maps", progress, stop,
                                 [&](const SourceImage& image, const ReportShare& notify) {
                                   if (info.isPrecomputed)
                                     addFileMaps(sums, session, image.image, masks, stop);
                                   else
                                     addModelMaps(sums, own, image.image, notify, stop);
                                 });
    for (const RelativeMeans& layer : sums)
      result.layers.push_back(layer.means());
    return result;
  });
}

std::string relativeCsv(const RelativeMaps& maps) {
  std::string csv = "layer,head,row,column,value\n";
  for (std::size_t l = 0; l < maps.layers.size(); ++l) {
    const RelativeLayer& layer = maps.layers[l];
    const Grid& grid = layer.grid;
    for (int h = 0; h < layer.heads; ++h)
      for (int dr = 1 - grid.rows; dr < grid.rows; ++dr)
        for (int dc = 1 - grid.cols; dc < grid.cols; ++dc) {
          csv.append(std::to_string(l)).append(",").append(std::to_string(h)).append(",");
          csv.append(std::to_string(dr)).append(",").append(std::to_string(dc)).append(",");
          csv.append(std::isfinite(layer.at(h, dr, dc)) ? numberText(layer.at(h, dr, dc)) : "");
          csv.append("\n");
        }
  }
  return csv;
}

std::vector<RawArray> relativeArrays(const RelativeMaps& maps, const std::string& name) {
  std::vector<RawArray> arrays;
  for (std::size_t l = 0; l < maps.layers.size(); ++l) {
    const RelativeLayer& layer = maps.layers[l];
    arrays.push_back({name + "." + std::to_string(l),
                      {layer.heads, layer.rows(), layer.cols()},
                      {layer.values.begin(), layer.values.end()}});
  }
  return arrays;
}

}  // namespace headlight
