// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One side of a comparison with an explanation: a heatmap on one scale with the other side's,
// feature colors, or the logit lens.

#include <QStackedWidget>

#include "ui/attribution/ExplanationImage.h"

namespace headlight {

class CompareLoader;
class RunCurvesPlot;

class ComparedHeatmap : public ExplanationImage {
  Q_OBJECT
 public:
  ComparedHeatmap(Document* side, ExplanationBridge* explanations, const CompareLoader* bridge,
                  QWidget* parent);
  /// The side whose scale it shares; both outlive each other's last use.
  void setOther(const ComparedHeatmap* other);
  /// The map on its own scale.
  std::optional<MapOverlay> ownMap() const { return ExplanationImage::currentMap(); }
  /// The other side has a new result.
  void refresh() { refreshMap(); }

 protected:
  std::optional<MapOverlay> currentMap() const override;
  Legend currentLegend() const override;
  QString hint() const override;

 private:
  bool sharesScale() const;

  const ComparedHeatmap* m_other = nullptr;
  const CompareLoader* m_bridge;
};

class ComparedExplanation : public QStackedWidget {
  Q_OBJECT
 public:
  /// All outlive it.
  ComparedExplanation(Document* side, CompareLoader* bridge, QWidget* parent);

  /// The side whose scale and colors it shares; both outlive each other's last use.
  void setOther(ComparedExplanation* other);
  ComparedHeatmap* heatmap() const { return m_heatmap; }
  ExplanationBridge* explanations() const { return m_explanations; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void request();
  void refresh();

  Document* m_document;
  const CompareLoader* m_bridge;
  ExplanationBridge* m_explanations;
  ComparedHeatmap* m_heatmap;
  RunCurvesPlot* m_depth;
  ComparedExplanation* m_other = nullptr;
};

}  // namespace headlight
