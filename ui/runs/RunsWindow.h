// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Compares runs: a table of the runs in some folders, the curves of the selected ones in one plot,
// and the settings that differ. Folders are only read, every few seconds.

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
  /// The rows in the order shown.
  void exportTable(const QString& path);

 Q_SIGNALS:
  void listed();    ///< after every round, when all runs were read
  void compared();  ///< curves and differences match the selection
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
  void showProgress(const Progress& progress);  ///< total 0: unknown duration
  void finishRound();
  QString summary() const;  ///< number of runs
  void choose();
  void reportCompared();
  void removeChosen();
  void askWhereToExport();
  void notify(const QString& text, bool problem = false);

  RunPlaces* m_places;
  RunsBridge* m_bridge;
  RunsTable* m_table;
  RunsComparison* m_comparison;
  ProgressLine* m_progress;
  MessageLabel* m_status;
  RunsButtons* m_buttons;
  std::vector<std::uint64_t> m_compared;  ///< ids of the runs whose curves were requested
  std::size_t m_leftOut = 0;
  QString m_said;          ///< the summary shown last
  bool m_telling = false;  ///< `compared` is still to be emitted
};

}  // namespace headlight
