// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures/EvolutionImages.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "core/base/Translation.h"

namespace headlight::cli {
namespace {

Image uniformTile(int width, int height, std::uint8_t gray) {
  return {width, height,
          std::make_shared<const std::vector<std::uint8_t>>(
              std::size_t{3} * static_cast<std::size_t>(width) * height, gray)};
}

/// As a figure of them would be refused, before any of them is made.
void requireTiles(std::size_t count, const Image& ground) {
  const double pixels = static_cast<double>(count) * ground.width * ground.height;
  if (pixels > static_cast<double>(kMaxImagePixels))
    throw Failure(
        {ErrorCode::InvalidArgument,
         tr("the figure would exceed 64 megapixels in ") + std::to_string(count) +
             tr(" tiles; choose fewer with --layer, --head or --steps, or a smaller --tile"),
         "evolution"});
}

/// What the model saw at the width of a tile, or gray (both ends of every color map show on it).
Image groundOfTile(const EvolutionScene& scene, int width) {
  const int height = std::max(1, width * scene.view.height / std::max(1, scene.view.width));
  return scene.plain ? uniformTile(width, height, 128)
                     : resize(scene.view, width, height, Interpolation::Bicubic);
}

Image evolutionTile(const EvolutionScene& scene, std::size_t number, std::size_t moment,
                    const Image& ground, const EvolutionStyle& style, const DrawnMap& shared) {
  const EvolvingMap& map = scene.maps[number];
  const std::vector<float>& values = map.values[moment];
  if (values.empty()) return uniformTile(ground.width, ground.height, 255);
  const ImageStyle& wanted = style.image;
  return imageUnder(
      ground, values, map.rows, map.cols,
      style.ownScale ? drawnMap(values, scene.isSigned, wanted.style, wanted.colorMap) : shared,
      wanted, wanted.smooth && map.smooth);
}

/// Below a tile there is room for one: that its map is uniform, or its number.
std::string scoreText(const EvolutionMoment& moment, const EvolvingMap& map,
                      const std::vector<float>& values) {
  if (isPracticallyUniform(values)) return tr("  uniform");
  const auto layer = static_cast<std::size_t>(map.layer), head = static_cast<std::size_t>(map.head);
  if (map.head < 0 || layer >= moment.locality.size() || head >= moment.locality[layer].size())
    return "";
  char text[32];
  std::snprintf(text, sizeof text, "  ALS %.2f", moment.locality[layer][head]);
  return text;
}

std::string mapLabel(const EvolvingMap& map) {
  if (map.layer < 0) return "";
  return tr("layer ") + std::to_string(map.layer) +
         (map.head < 0 ? "" : tr(", head ") + std::to_string(map.head));
}

std::string subjectOf(const EvolutionScene& scene) {
  return scene.plain ? scene.subject : scene.image + ": " + scene.subject;
}

/// What is the same at every step.
std::string sceneNote(const EvolutionScene& scene, const EvolutionStyle& style) {
  std::string note = style.ownScale ? tr("Each map has its own scale.")
                                    : tr("Each head has one scale for all steps.");
  if (!scene.meaning.empty()) note.append(" ").append(scene.meaning);
  if (!note.ends_with('.')) note += '.';
  return note;
}

std::string predictionNote(const EvolutionScene& scene) {
  const auto at = [&](const EvolutionMoment& moment) {
    return likeliestText(moment, scene.imageNumber) + tr(" at step ") + std::to_string(moment.step);
  };
  if (scene.plain || likeliestText(scene.moments.front(), scene.imageNumber).empty()) return "";
  return " Predicted: " + at(scene.moments.front()) +
         (scene.moments.size() > 1 ? ", " + at(scene.moments.back()) : "") + ".";
}

std::string frameTitle(const EvolutionScene& scene, const EvolutionMoment& now) {
  std::string title =
      tr("step ") + std::to_string(now.step) + tr(", epoch ") + std::to_string(now.epoch);
  const std::string likeliest = likeliestText(now, scene.imageNumber);
  if (!scene.plain && !likeliest.empty()) title.append(": ").append(likeliest);
  return title;
}

/// Maps of one layer follow one another.
int mostOfALayer(const std::vector<EvolvingMap>& maps) {
  int most = 1, count = 0;
  for (std::size_t n = 0; n < maps.size(); ++n) {
    count = n > 0 && maps[n].layer == maps[n - 1].layer ? count + 1 : 1;
    most = std::max(most, count);
  }
  return most;
}

}  // namespace

std::string likeliestText(const EvolutionMoment& moment, std::size_t image) {
  if (image >= moment.top.size() || moment.top[image].empty()) return "";
  char share[24];
  std::snprintf(share, sizeof share, " %.1f %%",
                100 * static_cast<double>(moment.top[image].front().probability));
  return moment.top[image].front().name + share;
}

std::vector<DrawnMap> commonScales(const EvolutionScene& scene, const EvolutionStyle& style) {
  std::vector<DrawnMap> scales;
  for (const EvolvingMap& map : scene.maps) {
    std::vector<float> all;
    for (const std::vector<float>& values : map.values)
      all.insert(all.end(), values.begin(), values.end());
    scales.push_back(drawnMap(all, scene.isSigned, style.image.style, style.image.colorMap));
  }
  return scales;
}

Image evolutionStrip(const EvolutionScene& scene, const EvolutionStyle& style,
                     const std::vector<DrawnMap>& scales) {
  const Image ground = groundOfTile(scene, style.image.tile);
  requireTiles(scene.maps.size() * scene.moments.size(), ground);
  FigureGrid figure;
  figure.title = subjectOf(scene);
  figure.footnote = sceneNote(scene, style) + predictionNote(scene);
  figure.columns = static_cast<int>(scene.moments.size());
  for (std::size_t n = 0; n < scene.maps.size(); ++n) {
    figure.rowLabels.push_back(mapLabel(scene.maps[n]));
    for (std::size_t m = 0; m < scene.moments.size(); ++m)
      figure.tiles.push_back(
          {evolutionTile(scene, n, m, ground, style, scales[n]),
           tr("step ") + std::to_string(scene.moments[m].step) +
               scoreText(scene.moments[m], scene.maps[n], scene.maps[n].values[m])});
  }
  return composeFigure(figure);
}

Image evolutionFrame(const EvolutionScene& scene, std::size_t moment, const EvolutionStyle& style,
                     const std::vector<DrawnMap>& scales) {
  const EvolutionMoment& now = scene.moments[moment];
  const bool few = scene.maps.size() <= 2, alone = scene.maps.size() == 1;
  const Image ground = groundOfTile(scene, few ? style.image.single : style.image.tile);
  requireTiles(scene.maps.size(), ground);
  FigureGrid figure;
  figure.title = frameTitle(scene, now);
  figure.footnote = subjectOf(scene) + "; " + sceneNote(scene, style);
  figure.columns = mostOfALayer(scene.maps);
  int column = 0;
  for (std::size_t n = 0; n < scene.maps.size(); ++n) {
    const EvolvingMap& map = scene.maps[n];
    if (column == 0 && !alone) figure.rowLabels.push_back(tr("layer ") + std::to_string(map.layer));
    figure.tiles.push_back({evolutionTile(scene, n, moment, ground, style, scales[n]),
                            (alone ? mapLabel(map) : tr("head ") + std::to_string(map.head)) +
                                scoreText(now, map, map.values[moment])});
    ++column;
    if (n + 1 < scene.maps.size() && scene.maps[n + 1].layer == map.layer) continue;
    for (; column < figure.columns; ++column)
      figure.tiles.push_back({uniformTile(ground.width, ground.height, 255), ""});
    column = 0;
  }
  return composeFigure(figure);
}

}  // namespace headlight::cli
