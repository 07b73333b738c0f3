#pragma once
// Runs beside runs: a table of those in a folder, the curves of the selected ones in one plot, and
// in what their settings differ. Folders are only read, again every few seconds.

#include <QDialog>

#include <map>
#include <memory>
#include <vector>

#include "core/workbench/RecordedRun.h"
#include "core/workbench/RunList.h"

class QComboBox;
class QPushButton;
class QTableWidget;
class QTimer;

namespace headlight {

class BackgroundTask;
class MessageLabel;
class PathRow;
class PlotCommands;
class ProgressLine;
class RunCurvesPlot;

class RunsWindow : public QDialog {
  Q_OBJECT
 public:
  explicit RunsWindow(const QString& folder, QWidget* parent = nullptr);
  ~RunsWindow() override;

  QString folder() const;
  void setFolder(const QString& path);  ///< and reads it
  const std::vector<ListedRun>& runs() const { return m_runs; }
  QTableWidget* table() const { return m_table; }
  QTableWidget* differences() const { return m_differences; }
  RunCurvesPlot* curves() const { return m_curves; }
  void exportTable(const QString& path);

 Q_SIGNALS:
  void listed();    ///< after every look
  void compared();  ///< curves and differences are of what is selected
  void openRequested(const QString& checkpoint);
  void followRequested(const QString& folder);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  using Histories = std::map<std::filesystem::path, RunHistory>;
  QWidget* makeLists();
  QWidget* makeComparison();
  QWidget* makeButtons();
  void look();
  void fill(std::vector<ListedRun> runs);
  std::vector<const ListedRun*> selected() const;
  void compare();
  void draw();
  void showDifferences(const std::vector<const ListedRun*>& chosen);
  void openBest();

  std::vector<ListedRun> m_runs;
  Histories m_histories;  ///< of the selected ones
  BackgroundTask *m_listing, *m_reading, *m_opening;
  QTimer* m_poll;
  PathRow* m_folder;
  QTableWidget *m_table, *m_differences;
  QComboBox *m_quantity, *m_axis;
  RunCurvesPlot* m_curves;
  PlotCommands* m_plotCommands;
  ProgressLine* m_progress;
  MessageLabel* m_status;
  QPushButton *m_open = nullptr, *m_follow = nullptr, *m_export = nullptr;
};

}  // namespace headlight
