// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// ALS (MaiT Eq. 3) over optimizer steps: a line per layer (mean over heads) or, for one layer, a
// line per head; beside it every head now, or at a step that was chosen, as a layer × head strip.
// add() is cheap; replot() draws.

#include <QWidget>

#include <optional>

#include "core/masks/Grid.h"
#include "ui/document/HeadHistory.h"
#include "ui/plots/ChanceLine.h"
#include "ui/plots/StepMark.h"

class QComboBox;
class QCustomPlot;
class QCPColorMap;
class QCPColorScale;
class QCPLegend;

namespace headlight {

class EditMarks;
class PlotNavigation;

class LocalityPlot : public QWidget {
  Q_OBJECT
 public:
  explicit LocalityPlot(QWidget* parent = nullptr);

  void clear();
  void add(const HeadPoint& point);
  void replot();
  /// A line at the ALS of uniform attention; nothing: its layers have no grid in common.
  void setUniform(std::optional<double> locality);
  std::optional<double> uniform() const { return m_uniform->value(); }
  /// The measurement in the strip and marked on the lines; null: the newest.
  void setShown(HeadHistory::Point point);
  const HeadHistory& history() const { return m_history; }

  int shownLayer() const { return m_layer; }  ///< −1: every layer, mean over heads
  void setShownLayer(int layer);
  QCustomPlot* lines() const { return m_lines; }
  QCustomPlot* strip() const { return m_strip; }
  PlotNavigation* lineNavigation() const { return m_lineNavigation; }
  PlotNavigation* stripNavigation() const { return m_stripNavigation; }
  EditMarks* edits() const { return m_edits; }  ///< in the lines

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void buildLines();
  void buildStrip();
  void applyTheme();
  void rebuildGraphs();
  void fillLayerChoice();
  void drawLines();
  void drawStrip();
  void fitColors();
  double valueAt(const HeadPoint& point, int line) const;
  int lineCount() const;
  QString lineName(int line) const;

  QComboBox* m_choice;
  QCustomPlot* m_lines;
  QCustomPlot* m_strip;
  QCPColorMap* m_map = nullptr;
  QCPColorScale* m_scale = nullptr;
  QCPLegend* m_legend = nullptr;
  HeadHistory m_history;
  HeadHistory::Point m_shown;
  std::optional<StepMark> m_mark;
  std::optional<ChanceLine> m_uniform;
  EditMarks* m_edits = nullptr;
  PlotNavigation *m_lineNavigation = nullptr, *m_stripNavigation = nullptr;
  std::size_t m_layers = 0;
  int m_layer = -1;
  int m_graphsFor = -2;  ///< the layer that the graphs were made for
};

}  // namespace headlight
