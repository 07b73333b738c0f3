// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Readings that a mechanism reports in training (the nonzeros of an auxiliary mask) over
// optimizer steps, a line a layer; α of soft masks likewise, or of one layer head by head; and how
// learned masks were fitted to their filter before the first step, by step of that fit. replot()
// draws.

#include <QWidget>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ui/document/HeadHistory.h"
#include "ui/plots/ReadingChoice.h"
#include "ui/plots/ReadingTracks.h"
#include "ui/plots/StepMark.h"

class QComboBox;
class QCPLegend;
class QCustomPlot;
class QLabel;

namespace headlight {

class EditMarks;
class PlotNavigation;

class ReadingsPlot : public QWidget {
  Q_OBJECT
 public:
  /// `history` must outlive the plot; its points carry the readings and α.
  explicit ReadingsPlot(const HeadHistory* history, QWidget* parent = nullptr);

  /// Forgets the fits and what was looked at closer; to be called when the history is cleared.
  void clear();
  void setMaskFits(std::vector<MaskFit> fits);
  void setShownStep(std::optional<std::int64_t> step);  ///< marks it
  void replot();
  /// Whether there is no reading, no soft mask and no fit.
  bool isEmpty();

  QSize sizeHint() const override { return {340, 140}; }
  QCustomPlot* plot() const { return m_plot; }
  PlotNavigation* navigation() const { return m_navigation; }
  EditMarks* edits() const { return m_edits; }  ///< by step of the run; none over a fit's steps

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void build();
  void applyTheme();
  std::vector<ReadingChoice> choices() const;
  void fillChoice();
  void choose(int index);
  const ReadingChoice* chosen() const;
  std::vector<ReadingLine> fitLines() const;
  static std::pair<double, double> findExtent(const std::vector<ReadingLine>& lines,
                                              std::pair<double, double> none);
  void drawReading(const std::string& reading);
  void drawAlpha(int layer);
  void drawOverSteps(const std::vector<ReadingLine>& lines, const QString& quantity);
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
  EditMarks* m_edits = nullptr;
  std::optional<StepMark> m_mark;
  std::optional<std::int64_t> m_shownStep;
  std::vector<MaskFit> m_fits;
  std::vector<ReadingChoice> m_choices;  ///< as in the combo box
  bool m_picked = false;                 ///< by the person; else the first is shown
  bool m_fitsDrawn = false;              ///< they are long and do not change
  QStringList m_names;                   ///< of the lines
};

}  // namespace headlight
