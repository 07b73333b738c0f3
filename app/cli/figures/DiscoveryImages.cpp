// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures/DiscoveryImages.h"

#include <algorithm>

#include "app/cli/figures/MapImages.h"
#include "app/cli/options/Inputs.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/objects/ObjectDrawing.h"
#include "core/workbench/session/Objects.h"

namespace headlight::cli {
namespace {

constexpr int kDiscoveryWidth = 448;  ///< of a tile, in pixels
constexpr int kDiscoveryColumns = 4;

Image viewOfScene(const DiscoveryScene& scene, const ModelConfig& model) {
  const Image view = evaluationPixels(scene.image, makePreprocessing(model));
  const int height = std::max(1, kDiscoveryWidth * view.height / std::max(1, view.width));
  return resize(view, kDiscoveryWidth, height, Interpolation::Bicubic);
}

Image maskOver(const Image& view, const std::vector<char>& mask, const Grid& grid) {
  const std::vector<float> values(mask.begin(), mask.end());
  const ImageStyle style;
  const DrawnMap drawn = drawnMap(values, /*isSigned=*/false, style.style, style.colorMap);
  return imageUnder(view, values, grid.rows, grid.cols, drawn, style, /*smooth=*/false);
}

std::vector<DrawnBox> boxesOfScene(const DiscoveryScene& scene, const Image& view,
                                   const ModelConfig& model) {
  std::vector<DrawnBox> boxes{objectOutline(scene.found.box(), view.width, view.height)};
  if (!scene.truth) return boxes;
  for (const LabeledBox& one : scene.truth->boxes) {
    const PixelBox& box = one.box;
    boxes.push_back(
        truthOutline(boxInView({box.x, box.y, box.x + box.width, box.y + box.height},
                               scene.image.width, scene.image.height, model),
                     view.width, view.height,
                     objectName(scene.truth->classNames, static_cast<std::size_t>(one.label))));
  }
  return boxes;
}

}  // namespace

DiscoveryImages::DiscoveryImages(std::filesystem::path folder, const ModelConfig& model)
    : m_folder(std::move(folder)), m_model(model) {
  makeOutputFolder(m_folder);
}

Image DiscoveryImages::compose(const DiscoveryScene& scene) const {
  const Image view = viewOfScene(scene, m_model);
  const DiscoveredObject& found = scene.found;
  FigureGrid figure;
  figure.title = std::filesystem::path(scene.name).filename().string();
  figure.footnote = scene.caption;
  figure.tiles.push_back(
      {drawBoxes(maskOver(view, found.region.mask, found.grid), boxesOfScene(scene, view, m_model)),
       found.heads.size() > 1 ? tr("all heads") : ""});
  for (std::size_t h = 0; h < found.heads.size() && found.heads.size() > 1; ++h)
    figure.tiles.push_back(
        {maskOver(view, found.heads[h], found.grid), tr("head ") + std::to_string(h)});
  figure.columns = std::min(static_cast<int>(figure.tiles.size()), kDiscoveryColumns);
  return composeFigure(figure);
}

std::string DiscoveryImages::write(const DiscoveryScene& scene) {
  const std::filesystem::path file = m_folder / (unusedStem(m_stems, scene.name) + "-object.png");
  valueOrThrow(writeFileAtomically(
      file, valueOrThrow(encodePng(compose(scene), {{"Software", "Headlight"}}))));
  return file.string();
}

}  // namespace headlight::cli
