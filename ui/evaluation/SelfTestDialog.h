// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whether this machine's device computes what the CPU computes, and how fast: headlight-cli
// selftest in the window. Rows appear as they are measured. Not modal.

#include <QDialog>
#include <QTimer>

#include <memory>
#include <mutex>
#include <vector>

#include "core/workbench/selftest/SelfTest.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QTableWidget;

namespace headlight {

class Document;
class MessageLabel;
class ProgressLine;
class ProgressTask;

class SelfTestDialog : public QDialog {
  Q_OBJECT
 public:
  explicit SelfTestDialog(const Document* document, QWidget* parent = nullptr);

  void check();
  /// At once. What was checked stays in the table; there is no report of it.
  void cancel();
  bool isChecking() const;
  /// The newest that came to its end; without rows: none.
  const SelfTestReport& report() const { return m_report; }
  /// Writes it as JSON, as headlight-cli selftest --json.
  void save(const QString& path);

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  /// Rows on their way from the thread that measures.
  struct Arrived {
    std::mutex mutex;
    std::vector<SelfTestRow> rows;
  };

  QWidget* makeFields();
  QWidget* makeButtons();
  SelfTestOptions options() const;
  void showArrived();
  void showFinished(const Result<SelfTestReport>& finished);
  void selectFirstFailure();
  void choosePath();
  void refresh();

  const Document* m_document;
  QComboBox* m_device = nullptr;
  QCheckBox* m_quick = nullptr;
  QTableWidget* m_table;
  QLabel* m_machine;
  QPushButton *m_start = nullptr, *m_cancel = nullptr, *m_export = nullptr;
  ProgressLine* m_progress;
  ProgressTask* m_task;
  MessageLabel* m_status;
  QTimer m_poll;
  std::shared_ptr<Arrived> m_arrived;  ///< shared with a check that may outlive this
  SelfTestReport m_report;
};

}  // namespace headlight
