// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/figures/FilmImages.h"

#include <algorithm>
#include <cstdio>

#include "core/workbench/session/Images.h"

namespace headlight {
namespace {

Image litView(const Image& view, const FilmedMap& map, const DrawnMap& drawn,
              const VideoFilmOptions& options) {
  const int height = std::max(1, options.width * view.height / std::max(1, view.width));
  const Image ground = resize(view, options.width, height, Interpolation::Bicubic);
  const bool smooth = options.smooth && map.smooth;
  if (drawn.style == MapStyle::Overlay)
    return overlay(ground, map.values, map.rows, map.cols, drawn.range, drawn.colorMap,
                   options.opacity, smooth);
  return headlightImage(ground, map.values, map.rows, map.cols, drawn.range,
                        {drawn.style == MapStyle::Warm, options.dim}, smooth);
}

}  // namespace

void refuseFilming(const std::string& message, const std::string& where) {
  throw Failure({ErrorCode::InvalidArgument, message, where});
}

void FilmImages::readWords(const InferenceResult& inference) {
  m_words.clear();
  if (inference.masks.maskedHeads() > 0)
    m_words.append("; masks: ").append(schemeTitle(inference.masks));
  if (!inference.maps.meaning.empty()) m_words.append(". ").append(inference.maps.meaning);
}

DrawnMap FilmImages::drawn(const std::vector<float>& values, bool isSigned) const {
  return drawnMap(values, isSigned, m_options.style, m_options.colorMap);
}

DrawnMap FilmImages::drawnTogether(const std::vector<Shot>& shots) const {
  std::vector<float> all;
  for (const Shot& shot : shots)
    all.insert(all.end(), shot.map.values.begin(), shot.map.values.end());
  return drawn(all, shots.front().map.isSigned);
}

std::string FilmImages::title(const FilmedFrame& frame) const {
  if (frame.top.empty()) return m_name;
  char text[32];
  std::snprintf(text, sizeof text, " %.1f %%", 100 * frame.top.front().probability);
  return frame.top.front().name + text;
}

std::string FilmImages::footnote(const FilmedMap& map, const DrawnMap& drawn) const {
  char range[64];
  std::snprintf(range, sizeof range, "%.1e to %.1e", drawn.range.low, drawn.range.high);
  return m_name + ": " + map.subject + ", " + range +
         (m_options.oneScale ? ", one scale for all frames"
                             : ", each frame on a scale of its own") +
         (drawn.style == MapStyle::Overlay ? "" : " that ends at the 98th percentile") + m_words;
}

/// What changes from frame to frame stands in lines that are never broken, or is always as long.
Image FilmImages::of(const Shot& shot, const Image& view, const DrawnMap& drawn) const {
  FigureGrid figure;
  figure.title = title(shot.frame);
  figure.footnote = footnote(shot.map, drawn);
  char when[64];
  std::snprintf(when, sizeof when, "frame %lld, %.2f s; ", static_cast<long long>(shot.frame.index),
                shot.frame.seconds);
  const char* mark = isPracticallyUniform(shot.map.values) ? ", uniform" : "";
  figure.tiles.push_back({litView(view, shot.map, drawn, m_options), when + shot.map.place + mark});
  return composeFigure(figure);
}

}  // namespace headlight
