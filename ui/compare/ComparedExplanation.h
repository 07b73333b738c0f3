// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A side of a comparison looked at in another way than by attention: a heatmap on one scale with
// the other side's, colours, or the prediction by depth.

#include <QStackedWidget>

#include "ui/attribution/ExplanationView.h"

namespace headlight {

class CompareLoader;

class ComparedHeatmap : public ExplanationImage {
  Q_OBJECT
 public:
  ComparedHeatmap(Document* side, ExplanationBridge* ways, const CompareLoader* bridge,
                  QWidget* parent);
  /// Whose scale it shares; both outlive each other's last use.
  void setOther(const ComparedHeatmap* other);
  /// By itself, on its own scale.
  std::optional<MapOverlay> ownMap() const { return ExplanationImage::currentMap(); }
  /// The other side has found something.
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

  /// Whose scale and colours it shares; both outlive each other's last use.
  void setOther(ComparedExplanation* other);
  ComparedHeatmap* heat() const { return m_heat; }
  ExplanationBridge* ways() const { return m_ways; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void request();
  void refresh();

  Document* m_document;
  const CompareLoader* m_bridge;
  ExplanationBridge* m_ways;
  ComparedHeatmap* m_heat;
  RunCurvesPlot* m_depth;
  ComparedExplanation* m_other = nullptr;
};

}  // namespace headlight
