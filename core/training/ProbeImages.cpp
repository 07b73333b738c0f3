// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/ProbeImages.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/imaging/drawing/Figure.h"
#include "core/training/step/EvaluationMode.h"

namespace headlight {
namespace {

constexpr int kTilePixels = 112;  // the longer side of each

/// Keeps what is drawn of a layer's map; no map is kept.
class PatchesHook : public AttentionHook {
 public:
  explicit PatchesHook(const Model& model) : m_model(model) {}
  bool wants(int layer) const override { return true; }

  /// `map`: of one image.
  void take(int layer, const at::Tensor& map) override {
    const Grid grid = m_model.grid(layer);
    if (map.dim() != 4 || map.size(2) != grid.tokens() || map.size(3) != grid.tokens()) return;
    const at::Tensor toPatches = map[0].mean(0).narrow(1, grid.prefix, grid.patches());
    const at::Tensor drawn =
        (grid.hasClassToken() ? toPatches[0] : toPatches.slice(0, grid.prefix).mean(0))
            .to(at::kCPU, at::kFloat)
            .contiguous();
    const float* values = drawn.data_ptr<float>();
    seen[layer].emplace_back(values, values + drawn.numel());
  }

  std::map<int, std::vector<std::vector<float>>> seen;  ///< by layer: [image][patch]

 private:
  const Model& m_model;
};

/// The size of an image of these sides whose longer one becomes `longest`.
std::pair<int, int> tileSize(int width, int height, int longest = kTilePixels) {
  const double scale = static_cast<double>(longest) / std::max(width, height);
  return {std::max(1, static_cast<int>(width * scale)),
          std::max(1, static_cast<int>(height * scale))};
}

Image drawnMap(const std::vector<float>& values, const Grid& grid, bool isSigned) {
  const auto [width, height] = tileSize(grid.cols, grid.rows);
  const ColorMap colors = isSigned ? ColorMap::Diverging : ColorMap::Viridis;
  return heatmap(values, grid.rows, grid.cols, valueRange(values, isSigned), colors, width, height,
                 /*smooth=*/false);
}

EventImage rowOfTiles(const std::string& tag, const std::string& title,
                      const std::string& description, std::vector<Image> images) {
  FigureGrid figure;
  figure.title = title;
  figure.footnote = description;
  figure.columns = static_cast<int>(images.size());
  for (Image& image : images)
    figure.tiles.push_back({std::move(image), ""});
  const Image drawn = composeFigure(figure);
  return {"probe/" + tag, title + ": " + description, drawn.width, drawn.height,
          valueOrThrow(encodePng(drawn))};
}

std::string describeMaps(const Model& model, const Grid& grid) {
  return std::string(grid.hasClassToken() ? "from the class token" : "mean over all patches") +
         ", mean of heads; each map is scaled from its minimum to its maximum" +
         (model.mapIsSigned() ? ", 0 in the middle" : "") + "; map: " + model.mapMeaning();
}

EventImage drawnLayer(const Model& model, int layer, const std::vector<std::vector<float>>& seen) {
  const Grid grid = model.grid(layer);
  std::vector<Image> images;
  for (const std::vector<float>& values : seen)
    images.push_back(drawnMap(values, grid, model.mapIsSigned()));
  const std::string number = std::to_string(layer);
  return rowOfTiles("layer_" + number, "layer " + number, describeMaps(model, grid),
                    std::move(images));
}

/// One image [3, H, W] as it was before it was normalized.
Image imageOf(const at::Tensor& image, const Preprocessing& preprocessing) {
  const auto column = [](const std::array<float, 3>& values) {
    return at::tensor(at::ArrayRef<float>(values.data(), values.size())).view({3, 1, 1});
  };
  const at::Tensor pixels =
      ((image * column(preprocessing.deviation) + column(preprocessing.mean)) * 255)
          .round()
          .clamp(0, 255)
          .to(at::kByte)
          .permute({1, 2, 0})
          .contiguous();
  const std::uint8_t* data = pixels.data_ptr<std::uint8_t>();
  return {static_cast<int>(pixels.size(1)), static_cast<int>(pixels.size(0)),
          std::make_shared<const std::vector<std::uint8_t>>(data, data + pixels.numel())};
}

}  // namespace

Image seenImage(const at::Tensor& image, const Preprocessing& preprocessing, int longest) {
  Image seen = imageOf(image.to(at::kCPU, at::kFloat), preprocessing);
  if (longest <= 0 || std::max(seen.width, seen.height) <= longest) return seen;
  const auto [width, height] = tileSize(seen.width, seen.height, longest);
  return resize(seen, width, height, Interpolation::Bicubic);
}

std::vector<EventImage> mapImages(Model& model, const at::Tensor& images) {
  const at::NoGradGuard noGrad;
  const EvaluationMode mode(model);
  PatchesHook tap(model);
  for (std::int64_t image = 0; image < images.size(0); ++image)
    model.forward(images.narrow(0, image, 1), &tap);  // one by one: maps may be large
  std::vector<EventImage> events;
  for (const auto& [layer, seen] : tap.seen)
    events.push_back(drawnLayer(model, layer, seen));
  return events;
}

EventImage probeImages(const at::Tensor& images, const Preprocessing& preprocessing) {
  const at::Tensor plain = images.to(at::kCPU, at::kFloat);
  const auto [width, height] = tileSize(preprocessing.width, preprocessing.height);
  std::vector<Image> shown;
  for (std::int64_t i = 0; i < plain.size(0); ++i)
    shown.push_back(
        resize(imageOf(plain[i], preprocessing), width, height, Interpolation::Bilinear));
  return rowOfTiles("images", "probe images", "the validation images of the maps",
                    std::move(shown));
}

}  // namespace headlight
