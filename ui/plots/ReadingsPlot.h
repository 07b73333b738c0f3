// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a mechanism tells of itself while it is trained (the nonzeros of an auxiliary mask) over
// optimiser steps, a line a layer; and how learned masks were fitted to their filter before the
// first step, by step of that fit. replot() draws.

#include <QWidget>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ui/document/HeadHistory.h"
#include "ui/plots/ReadingTracks.h"
#include "ui/plots/StepMark.h"

class QComboBox;
class QCPLegend;
class QCustomPlot;
class QLabel;

namespace headlight {

class PlotNavigation;

class ReadingsPlot : public QWidget {
  Q_OBJECT
 public:
  /// `history` must outlive the plot; its points carry the readings.
  explicit ReadingsPlot(const HeadHistory* history, QWidget* parent = nullptr);

  /// Forgets the fits and what was looked at closer; to be called when the history is cleared.
  void clear();
  void setMaskFits(std::vector<MaskFit> fits);
  void setShownStep(std::optional<std::int64_t> step);  ///< marks it
  void replot();
  /// Whether there is neither a reading nor a fit.
  bool isEmpty();

  QSize sizeHint() const override { return {340, 140}; }
  QCustomPlot* plot() const { return m_plot; }
  PlotNavigation* navigation() const { return m_navigation; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  struct Choice {
    std::string reading;  ///< empty: the mask fits
    bool operator==(const Choice&) const = default;
  };
  void build();
  void applyTheme();
  std::vector<Choice> choices() const;
  void fillChoice();
  void choose(int index);
  const Choice* chosen() const;
  std::vector<ReadingLine> fitLines() const;
  static std::pair<double, double> extentOf(const std::vector<ReadingLine>& lines,
                                            std::pair<double, double> none);
  void drawReading(const std::string& reading);
  void drawFits();
  void draw(const std::vector<ReadingLine>& lines);
  void setLogarithmic(bool on);
  void showMark();

  const HeadHistory* m_history;
  ReadingTracks m_tracks;
  QLabel* m_title;
  QComboBox* m_choice;
  QCustomPlot* m_plot;
  QCPLegend* m_legend = nullptr;
  PlotNavigation* m_navigation = nullptr;
  std::optional<StepMark> m_mark;
  std::optional<std::int64_t> m_shownStep;
  std::vector<MaskFit> m_fits;
  std::vector<Choice> m_choices;  ///< as in the combo box
  bool m_picked = false;          ///< by the person; else the first is shown
  bool m_fitsDrawn = false;       ///< they are long and do not change
  QStringList m_names;            ///< of the lines
};

}  // namespace headlight
