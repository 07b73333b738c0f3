// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The readings of a training run as lines over steps, kept up with a history that grows: what was
// taken from it is not looked at again.

#include <QString>
#include <QVector>

#include <cstddef>
#include <string>
#include <vector>

#include "ui/document/HeadHistory.h"

namespace headlight {

struct ReadingLine {
  QString name;  ///< "L3"
  QVector<double> keys, values;
};

class ReadingTracks {
 public:
  /// `history` must outlive them.
  explicit ReadingTracks(const HeadHistory* history) : m_history(history) {}

  /// Takes what is new in the history.
  void take();
  /// Names in the order in which mechanisms gave them.
  std::vector<std::string> readings() const;
  /// A line a layer that has finite values of it.
  std::vector<ReadingLine> linesOf(const std::string& reading) const;

 private:
  struct Layer {
    ReadingLine line;
    std::vector<std::size_t> points;  ///< where in m_taken each value stands
  };
  struct Track {
    std::string reading;
    std::vector<Layer> layers;
  };

  void forgetFrom(std::size_t point);
  void takePoint(const HeadPoint& point);
  Layer& layerOf(const std::string& reading, std::size_t layer);

  const HeadHistory* m_history;
  std::vector<HeadHistory::Point> m_taken;
  std::vector<Track> m_tracks;
};

}  // namespace headlight
