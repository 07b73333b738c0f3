// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/ReadingTracks.h"

#include <QObject>

#include <algorithm>
#include <cmath>

namespace headlight {

/// The history grows at its end, where the newest point may be replaced by the next, and when it is
/// thinned all but its first point move: what stands where it stood was taken, and all before it.
void ReadingTracks::take() {
  const std::vector<HeadHistory::Point>& points = m_history->points();
  std::size_t same = std::min(points.size(), m_taken.size());
  while (same > 0 && points[same - 1] != m_taken[same - 1])
    --same;
  if (same < m_taken.size()) forgetFrom(same);
  for (std::size_t i = same; i < points.size(); ++i) {
    takePoint(*points[i]);
    m_taken.push_back(points[i]);
  }
}

void ReadingTracks::forgetFrom(std::size_t point) {
  m_taken.resize(point);
  if (point == 0) m_tracks.clear();
  for (Track& track : m_tracks)
    for (Layer& layer : track.layers)
      while (!layer.points.empty() && layer.points.back() >= point) {
        layer.points.pop_back();
        layer.line.keys.removeLast();
        layer.line.values.removeLast();
      }
}

void ReadingTracks::takePoint(const HeadPoint& point) {
  for (std::size_t index = 0; index < point.readings.size(); ++index)
    for (const auto& [name, value] : point.readings[index]) {
      Layer& layer = layerOf(name, index);
      const bool twice = !layer.points.empty() && layer.points.back() == m_taken.size();
      if (twice || !std::isfinite(value)) continue;
      layer.points.push_back(m_taken.size());
      layer.line.keys.append(static_cast<double>(point.step));
      layer.line.values.append(value);
    }
}

ReadingTracks::Layer& ReadingTracks::layerOf(const std::string& reading, std::size_t layer) {
  auto track = std::find_if(m_tracks.begin(), m_tracks.end(),
                            [&](const Track& known) { return known.reading == reading; });
  if (track == m_tracks.end()) track = m_tracks.insert(track, {reading, {}});
  while (track->layers.size() <= layer)
    track->layers.push_back({{QObject::tr("L%1").arg(track->layers.size()), {}, {}}, {}});
  return track->layers[layer];
}

std::vector<std::string> ReadingTracks::readings() const {
  std::vector<std::string> names;
  for (const Track& track : m_tracks)
    names.push_back(track.reading);
  return names;
}

std::vector<ReadingLine> ReadingTracks::linesOf(const std::string& reading) const {
  std::vector<ReadingLine> lines;
  for (const Track& track : m_tracks)
    for (const Layer& layer : track.layers)
      if (track.reading == reading && !layer.points.empty()) lines.push_back(layer.line);
  return lines;
}

}  // namespace headlight
