// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How fast models run here, how much memory they take, and which share of a pass each part takes:
// the tables of headlight-cli bench model, and with --parts. Not modal.

#include <QDialog>

#include <vector>

#include "core/workbench/bench/BenchTable.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTableWidget;
class QTabWidget;

namespace headlight {

class Document;
class MessageLabel;
class ProgressLine;
class ProgressTask;
class SpeedFields;

class SpeedDialog : public QDialog {
  Q_OBJECT
 public:
  SpeedDialog(const Document* document, QWidget* parent = nullptr);

  void measure();
  /// At once: what was measured is not shown, and the table stays as it was.
  void cancel();
  bool isMeasuring() const;
  const std::vector<BenchRow>& rows() const { return m_rows; }
  const std::vector<PartReport>& reports() const { return m_reports; }
  /// The page shown, as CSV.
  void save(const QString& path);

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* makeTables();
  QWidget* makeParts();
  QWidget* makeButtons();
  bool showsParts() const;
  void measureSpeed(const BenchOptions& options);
  void measureParts(const BenchOptions& options);
  void report(const Error& error);
  void showReport();
  void choosePath();
  void refresh();

  SpeedFields* m_fields;
  QTabWidget* m_pages = nullptr;
  QTableWidget *m_speed = nullptr, *m_parts = nullptr;
  QComboBox* m_report = nullptr;
  QLabel* m_share = nullptr;
  QPushButton *m_start = nullptr, *m_cancel = nullptr, *m_export = nullptr;
  ProgressLine* m_progress;
  ProgressTask* m_task;
  MessageLabel* m_status;
  std::vector<BenchRow> m_rows;
  std::vector<PartReport> m_reports;
};

}  // namespace headlight
