// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a Castling-ViT loses without its auxiliary branch, on a data set: accuracy with it and
// without, what is left of it in every layer, the verdict, and the castled model as a file. Not
// modal; what was measured stays while the window lives.

#include <QDialog>

#include <memory>
#include <optional>

#include "core/workbench/results/CachedMetrics.h"
#include "ui/base/BackgroundTask.h"

class QLabel;
class QPushButton;

namespace headlight {

class CastleTables;
class Document;
class ModelWorker;
class MessageLabel;
class ProgressLine;
class ProgressTask;
class SampleFields;

/// Why a model cannot be castled; empty where it can.
QString whyNotCastled(const Document& document);

class CastleDialog : public QDialog {
  Q_OBJECT
 public:
  /// `shelf` keeps what is measured; null: nothing is kept.
  CastleDialog(const Document* document, ModelWorker* look,
               std::shared_ptr<const ResultCache> shelf, const PictureSample& proposed,
               QWidget* parent = nullptr);

  void measure();  ///< anew, whatever is kept
  void cancel();
  bool isMeasuring() const;
  /// Of the model as it is now; nothing where it was not measured.
  const std::optional<CastlingReport>& report() const { return m_report; }
  SampleFields* fields() const { return m_fields; }
  void exportTable(const QString& path);
  void save(const QString& path);

 Q_SIGNALS:
  void openRequested(const QString& path);  ///< of a castled model that was saved

 private:
  using Measured = Result<CastlingReport>;
  QWidget* makeButtons();
  void run(Keeping::Use use);
  void take(const Measured& measured, Keeping::Use use);
  void lookForKept();
  void refresh();
  void fill();
  void askToSave();
  void askForName();

  const Document* m_document;
  ModelWorker* m_look;
  std::shared_ptr<const ResultCache> m_shelf;
  std::optional<CastlingReport> m_report;
  bool m_measuring = false;
  QString m_saved;
  QLabel *m_headline, *m_verdict;
  SampleFields* m_fields;
  CastleTables* m_tables;
  ProgressLine* m_progress;
  MessageLabel* m_status;
  QPushButton *m_measure = nullptr, *m_cancel = nullptr, *m_export = nullptr, *m_save = nullptr,
              *m_open = nullptr;
  ProgressTask* m_task;
  BackgroundTask m_saving;
};

}  // namespace headlight
