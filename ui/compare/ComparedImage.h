// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The images of a comparison: each side with its map, and the difference of the two.

#include "core/workbench/session/PredictionComparison.h"
#include "ui/canvas/Canvas.h"

namespace headlight {

class ComparedHeatmap;
class CompareLoader;

/// The canvas of one side; its map shares the other side's scale.
class ComparedImage : public Canvas {
  Q_OBJECT
 public:
  /// All outlive it.
  ComparedImage(Document* side, const Document* other, const CompareLoader* bridge,
                QWidget* parent);

 protected:
  std::optional<MapOverlay> currentMap() const override;
  Legend currentLegend() const override;
  QString hint() const override;

 private:
  const Document* m_other;
  const CompareLoader* m_bridge;
};

/// right − left over the right image. A click chooses the token, as on the sides.
class DifferenceImage : public ImageView {
  Q_OBJECT
 public:
  DifferenceImage(const Document* left, Document* right, QWidget* parent);

  /// The difference of both heatmaps in place of attention; null: of attention. They outlive its
  /// last use.
  void setHeatmaps(const ComparedHeatmap* left, const ComparedHeatmap* right);
  /// A side has a new result.
  void refresh() { refreshMap(); }

  /// The difference shown; empty while a side has no map or the grids differ.
  const std::optional<MapDifference>& difference() const { return m_difference; }

 protected:
  std::optional<MapOverlay> currentMap() const override;
  Legend currentLegend() const override;
  QString legendNote() const override;
  QString hint() const override;
  void paintMarks(QPainter& painter) override;
  void patchPressed(int patch) override;

 private:
  std::optional<MapOverlay> mapOf(bool left) const;

  const Document* m_left;
  const ComparedHeatmap *m_leftHeatmap = nullptr, *m_rightHeatmap = nullptr;
  // Of the newest map.
  mutable std::optional<MapDifference> m_difference;
  mutable QString m_problem;
};

}  // namespace headlight
