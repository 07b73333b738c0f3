// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs beside runs: a table of those in some folders, the curves of the selected ones in one plot,
// and in what their settings differ. Folders are only read, again every few seconds.

#include <QDialog>

#include <cstdint>
#include <vector>

#include "core/workbench/runs/FollowedRuns.h"

namespace headlight {

class MessageLabel;
class ProgressLine;
class RunPlaces;
class RunsBridge;
class RunsButtons;
class RunsComparison;
class RunsTable;

class RunsWindow : public QDialog {
  Q_OBJECT
 public:
  /// `places` outlives it.
  explicit RunsWindow(RunPlaces* places, QWidget* parent = nullptr);
  ~RunsWindow() override;

  RunsTable* table() const { return m_table; }
  RunsComparison* comparison() const { return m_comparison; }
  RunsBridge* bridge() const { return m_bridge; }
  MessageLabel* status() const { return m_status; }
  /// The rows as they are shown.
  void exportTable(const QString& path);

 Q_SIGNALS:
  void listed();    ///< after every round, when all runs were looked at
  void compared();  ///< curves and differences are of what is selected
  void openRequested(const QString& checkpoint);
  void followRequested(const QString& folder);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void layOut();
  void connectParts();
  void lookInPlaces();
  void take(const RunListUpdate& news);
  void showProgress(const Progress& progress);  ///< of none it is not known how long it takes
  void finishRound();
  QString summary() const;  ///< how many there are
  void choose();
  void tellCompared();
  void removeChosen();
  void askWhereToExport();
  void tell(const QString& text, bool problem = false);

  RunPlaces* m_places;
  RunsBridge* m_bridge;
  RunsTable* m_table;
  RunsComparison* m_comparison;
  ProgressLine* m_progress;
  MessageLabel* m_status;
  RunsButtons* m_buttons;
  std::vector<std::uint64_t> m_compared;  ///< ids of those whose curves were asked for
  std::size_t m_leftOut = 0;
  QString m_said;          ///< the summary that was shown last
  bool m_telling = false;  ///< `compared` is owed
};

}  // namespace headlight
