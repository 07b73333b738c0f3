// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The image of the page Explain.

#include <QImage>

#include <memory>
#include <optional>

#include "core/workbench/attribution/Explanations.h"
#include "ui/canvas/ImageView.h"

namespace headlight {

class ExplanationBridge;
struct ExplanationResult;
struct KnownTruth;

/// A heatmap over the image, or feature colors in place of the image. For similarity, the patch
/// under the pointer is the query, and a click pins it.
class ExplanationImage : public ImageView {
  Q_OBJECT
 public:
  ExplanationImage(Document* document, ExplanationBridge* bridge, QWidget* parent);
  Legend legend() const { return currentLegend(); }
  /// The heatmap shown; empty for colors.
  std::optional<Heatmap> heatmap() const;
  /// "box 12, 8 to 60, 72; IoU 0.62 with cat", in pixels of the image; empty where no object is
  /// marked.
  QString objectText() const;

 protected:
  void addObjectText(Legend& legend) const;
  std::optional<MapOverlay> currentMap() const override;
  Legend currentLegend() const override;
  QString legendNote() const override;
  QString hint() const override;
  void paintMarks(QPainter& painter) override;
  void patchPressed(int patch) override;
  void patchHovered(int patch) override;

 private:
  bool isOfToken() const;

  ExplanationBridge* m_bridge;
  mutable QImage m_colors;  ///< painted last
  mutable std::shared_ptr<const ExplanationResult> m_colorsOf;
  mutable QString m_objectText;  ///< of this result, with this truth
  mutable std::shared_ptr<const ExplanationResult> m_objectOf;
  mutable std::shared_ptr<const KnownTruth> m_objectTruth;
};

}  // namespace headlight
