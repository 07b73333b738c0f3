// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The best validations of a sweep over a setting, with deviations over seeds: a line for the variants
// that are otherwise alike; over names, which have no order, points alone. The axis has 0 or chance
// in sight.

#include <QWidget>

#include <optional>

#include "core/workbench/sweeps/SweepDesign.h"
#include "ui/plots/ChanceLine.h"

class QCustomPlot;
class QCPLegend;

namespace headlight {

class PlotNavigation;

class SweepPlot : public QWidget {
  Q_OBJECT
 public:
  explicit SweepPlot(QWidget* parent = nullptr);

  /// `valueTitle` and `scale` as sweepQuantityTitle() and sweepValueScale() have them.
  void setCurves(const SweepCurves& curves, const QString& valueTitle, double scale);
  QCustomPlot* plot() const { return m_plot; }
  QSize sizeHint() const override { return {480, 240}; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void applyTheme();
  void showKeys();
  void addDeviations(int line, const SweepSeries& series);
  void showReference();
  void showRange();

  QCustomPlot* m_plot;
  QCPLegend* m_legend;
  PlotNavigation* m_navigation;
  std::optional<ChanceLine> m_chance;
  SweepCurves m_curves;
  double m_scale = 1;
};

}  // namespace headlight
