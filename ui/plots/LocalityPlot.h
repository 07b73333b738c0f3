#pragma once
// ALS (MaiT Eq. 3) over optimiser steps: a line per layer (mean over heads) or, for one layer, a
// line per head; beside it every head now, as a layer × head strip. add() is cheap; replot() draws.

#include <QWidget>

#include "core/workbench/TrainingSession.h"

class QComboBox;
class QCustomPlot;
class QCPColorMap;
class QCPColorScale;
class QCPLegend;

namespace headlight {

class LocalityPlot : public QWidget {
  Q_OBJECT
 public:
  static constexpr int kCapacity = 512;  ///< measurements kept; then every second is dropped

  explicit LocalityPlot(QWidget* parent = nullptr);

  void clear();
  void add(const HeadPoint& point);
  void replot();

  int shownLayer() const { return m_layer; }  ///< −1: every layer, mean over heads
  void setShownLayer(int layer);
  int measurements() const { return static_cast<int>(m_history.size()); }
  QCustomPlot* lines() const { return m_lines; }
  QCustomPlot* strip() const { return m_strip; }

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
  double valueAt(const HeadPoint& point, int line) const;
  int lineCount() const;
  QString lineName(int line) const;

  QComboBox* m_choice;
  QCustomPlot* m_lines;
  QCustomPlot* m_strip;
  QCPColorMap* m_map = nullptr;
  QCPColorScale* m_scale = nullptr;
  QCPLegend* m_legend = nullptr;
  std::vector<HeadPoint> m_history;
  std::int64_t m_stride = 1, m_seen = 0;
  bool m_lastIsExtra = false;  ///< the newest is kept beside those on the stride
  std::size_t m_layers = 0;
  int m_layer = -1;
  int m_graphsFor = -2;  ///< the layer that the graphs were made for
};

}  // namespace headlight
