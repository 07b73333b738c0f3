// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Bits a byte of a sequence model over optimizer steps: training (smoothed) and validation. add()
// is cheap; replot() draws.

#include <QWidget>

#include <cstdint>

#include "ui/plots/BoundedSeries.h"
#include "ui/plots/StepAverage.h"

class QCustomPlot;
class QCPAxisRect;
class QCPGraph;

namespace headlight {

class PlotNavigation;

class BitsPlot : public QWidget {
  Q_OBJECT
 public:
  explicit BitsPlot(QWidget* parent = nullptr);

  void clear();
  void setUnit(const QString& unit);  ///< "bits/dim", "bits/char"
  void addStep(std::int64_t step, double bits);
  void addValidation(std::int64_t step, double bits);
  void replot();

  const BoundedSeries& train() const { return m_smooth; }
  const BoundedSeries& validation() const { return m_validation; }
  QSize sizeHint() const override { return {480, 320}; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void build();
  void applyTheme();

  QCustomPlot* m_plot;
  QCPAxisRect* m_rect = nullptr;
  QCPGraph *m_rawGraph = nullptr, *m_smoothGraph = nullptr, *m_validationGraph = nullptr;
  BoundedSeries m_raw, m_smooth, m_validation;
  PlotNavigation* m_navigation = nullptr;
  StepAverage m_average;
};

}  // namespace headlight
