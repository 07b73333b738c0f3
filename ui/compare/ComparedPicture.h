// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The pictures of a comparison: each side with its map, and the difference of the two.

#include "core/workbench/session/PredictionComparison.h"
#include "ui/canvas/Canvas.h"

namespace headlight {

class ComparedHeatmap;
class CompareLoader;

/// A canvas on one side; its map shares the scale of the other's.
class ComparedPicture : public Canvas {
  Q_OBJECT
 public:
  /// All outlive it.
  ComparedPicture(Document* side, const Document* other, const CompareLoader* bridge,
                  QWidget* parent);

 protected:
  std::optional<MapOverlay> currentMap() const override;
  Legend currentLegend() const override;
  QString hint() const override;

 private:
  const Document* m_other;
  const CompareLoader* m_bridge;
};

/// right − left over the right picture. A click chooses the token, as on the sides.
class DifferencePicture : public PictureView {
  Q_OBJECT
 public:
  DifferencePicture(const Document* left, Document* right, QWidget* parent);

  /// Of the heat of both in place of attention; null: of attention. They outlive its last use.
  void setHeats(const ComparedHeatmap* left, const ComparedHeatmap* right);
  /// A side has found something.
  void refresh() { refreshMap(); }

  /// What is shown; nothing while a side has no map, or the grids differ.
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
  const ComparedHeatmap *m_leftHeat = nullptr, *m_rightHeat = nullptr;
  // Of the map that was taken last.
  mutable std::optional<MapDifference> m_difference;
  mutable QString m_problem;
};

}  // namespace headlight
