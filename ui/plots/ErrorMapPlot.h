// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The error of every frequency after every step of a fit (core/workbench/mechanisms/AngularFit.h).

#include <QWidget>

#include "core/workbench/mechanisms/AngularFit.h"

class QCPColorMap;
class QCPColorScale;
class QCustomPlot;

namespace headlight {

class ErrorMapPlot : public QWidget {
  Q_OBJECT
 public:
  explicit ErrorMapPlot(QWidget* parent = nullptr);

  void setFit(const AngularFit& fit);
  QCustomPlot* plot() const { return m_plot; }
  /// The text under the pointer: "frequency 3 · step 1200: relative error 0.05"; empty: none.
  QString textAt(const QPointF& position) const;

 protected:
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void applyTheme();

  QCustomPlot* m_plot;
  QCPColorMap* m_map;
  QCPColorScale* m_scale;
  AngularFit m_fit;
};

}  // namespace headlight
