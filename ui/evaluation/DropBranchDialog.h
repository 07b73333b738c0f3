// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The effect of dropping the auxiliary branch of a Castling-ViT on a dataset: accuracy with and
// without it, nonzero entries per layer, the verdict, and the model without the branch as a file.
// Not modal; results stay while the window is open.

#include <QDialog>

#include <memory>
#include <optional>

#include "core/workbench/results/CachedMetrics.h"
#include "ui/base/BackgroundTask.h"

class QLabel;
class QPushButton;

namespace headlight {

class DropBranchTables;
class Document;
class ModelWorker;
class MessageLabel;
class ProgressLine;
class ProgressTask;
class SampleFields;

/// Why the branch of a model cannot be dropped; empty if it can.
QString whyBranchStays(const Document& document);

class DropBranchDialog : public QDialog {
  Q_OBJECT
 public:
  /// `cache`: of the results; null: none.
  DropBranchDialog(const Document* document, ModelWorker* inference,
                   std::shared_ptr<const ResultCache> cache, const ImageSample& proposed,
                   QWidget* parent = nullptr);

  void measure();  ///< again, ignoring the cache
  void cancel();
  bool isMeasuring() const;
  /// The report of the current model; empty if not measured.
  const std::optional<BranchReport>& report() const { return m_report; }
  SampleFields* fields() const { return m_fields; }
  void exportTable(const QString& path);
  void save(const QString& path);

 Q_SIGNALS:
  void openRequested(const QString& path);  ///< a model saved without the branch

 private:
  using Measured = Result<BranchReport>;
  QWidget* makeButtons();
  void run(CachePolicy::Use use);
  void take(const Measured& measured, CachePolicy::Use use);
  void lookForKept();
  void refresh();
  void fill();
  void askToSave();
  void askForName();

  const Document* m_document;
  ModelWorker* m_inference;
  std::shared_ptr<const ResultCache> m_cache;
  std::optional<BranchReport> m_report;
  bool m_measuring = false;
  QString m_saved;
  QLabel *m_headline, *m_verdict;
  SampleFields* m_fields;
  DropBranchTables* m_tables;
  ProgressLine* m_progress;
  MessageLabel* m_status;
  QPushButton *m_measure = nullptr, *m_cancel = nullptr, *m_export = nullptr, *m_save = nullptr,
              *m_open = nullptr;
  ProgressTask* m_task;
  BackgroundTask m_saving;
};

}  // namespace headlight
