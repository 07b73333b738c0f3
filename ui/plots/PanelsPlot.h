// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Panels of curves one below the other over one x axis, each with its own legend
// (core/workbench/figures/AngularFigure.h).

#include <QWidget>

#include <vector>

#include "core/workbench/figures/AngularFigure.h"

class QCPAxisRect;
class QCPGraph;
class QCPLegend;
class QCustomPlot;

namespace headlight {

class PlotNavigation;

class PanelsPlot : public QWidget {
  Q_OBJECT
 public:
  /// `axis`: of all panels, with values from `lower` to `upper`.
  PanelsPlot(const QString& axis, double lower, double upper, QWidget* parent = nullptr);

  /// As many panels as there are now are shown. Where curves have deviations, a band is around
  /// them.
  void setPanels(const std::vector<AnglePanel>& panels);
  void setAxisRange(double lower, double upper);
  /// With a logarithmic x axis; before panels are set, `lower` above 0.
  void setLogarithmic();
  QCustomPlot* plot() const { return m_plot; }
  int panels() const { return static_cast<int>(m_panels.size()); }
  QSize sizeHint() const override { return {640, 420}; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  struct Room {
    QCPAxisRect* rect = nullptr;
    QCPLegend* legend = nullptr;
  };
  void build(std::size_t panels);
  Room addRoom(int row);
  void draw();
  void drawPanel(const Room& room, const AnglePanel& panel);
  void drawBand(QCPGraph* line, const PlottedCurve& curve);
  void applyTheme();

  QCustomPlot* m_plot;
  PlotNavigation* m_navigation = nullptr;
  QString m_axis;
  double m_lower, m_upper;
  bool m_logarithmic = false;
  std::vector<Room> m_rooms;
  std::vector<AnglePanel> m_panels;
};

}  // namespace headlight
