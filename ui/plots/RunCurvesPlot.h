#pragma once
// One quantity of several runs over steps or epochs, a line a run.

#include <QWidget>

#include <vector>

#include "core/workbench/RunList.h"

class QCustomPlot;
class QCPLegend;

namespace headlight {

class PlotNavigation;

class RunCurvesPlot : public QWidget {
  Q_OBJECT
 public:
  explicit RunCurvesPlot(QWidget* parent = nullptr);

  struct Line {
    QString name;
    RunCurve curve;
  };
  void setLines(const std::vector<Line>& lines, const QString& quantity, const QString& axis);
  QCustomPlot* plot() const { return m_plot; }
  QSize sizeHint() const override { return {480, 260}; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void applyTheme();

  QCustomPlot* m_plot;
  QCPLegend* m_legend;
  PlotNavigation* m_navigation;
  std::vector<Line> m_lines;
};

}  // namespace headlight
