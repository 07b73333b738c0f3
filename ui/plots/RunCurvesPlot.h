// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One quantity of several runs over steps, epochs or time, a line a run, with marks at mask edits.

#include <QWidget>

#include <optional>
#include <utility>
#include <vector>

#include "core/workbench/figures/RunFigure.h"

class QCPItemText;
class QCPLegend;
class QCustomPlot;

namespace headlight {

class EditMarks;
class PlotNavigation;

class RunCurvesPlot : public QWidget {
  Q_OBJECT
 public:
  explicit RunCurvesPlot(QWidget* parent = nullptr);

  /// `note` stands in the plot where no line has a point: why there is nothing to see. What is
  /// drawn already is not drawn again.
  void setLines(const std::vector<NamedCurve>& lines, const QString& quantity, const QString& axis,
                const QString& note = {});
  /// For a quantity from `low` to `high`, all of which is shown, over whole numbers.
  void setWhole(double low, double high);
  QString note() const { return m_note; }  ///< that stands there; empty: none
  QCustomPlot* plot() const { return m_plot; }
  EditMarks* edits() const { return m_edits; }
  QSize sizeHint() const override { return {480, 260}; }

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void applyTheme();
  void draw();
  void fitRanges();
  void markEdits();
  void placeWords();

  QCustomPlot* m_plot;
  QCPItemText* m_words;
  QCPLegend* m_legend;
  EditMarks* m_edits;
  PlotNavigation* m_navigation;
  std::vector<NamedCurve> m_lines;
  QString m_quantity, m_axis, m_note;
  std::optional<std::pair<double, double>> m_whole;
};

}  // namespace headlight
