// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What bridges that measure in the background have in common: the dataset that averages are taken
// of, where they are kept, how far it is and what is wrong.

#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>

#include "core/base/Progress.h"
#include "core/workbench/results/CachedMetrics.h"
#include "ui/base/BackgroundTask.h"

namespace headlight {

class Document;
class ModelWorker;

class MeasureBridge : public QObject {
  Q_OBJECT
 public:
  bool canAverage() const { return m_sample.has_value(); }
  /// Where averages are kept; null: nowhere.
  void setShelf(std::shared_ptr<const ResultCache> shelf) { m_shelf = std::move(shelf); }
  /// Measures the averages again, ignoring cached results.
  void measureAnew();

  bool isBusy() const { return m_task.isBusy(); }
  /// Something is measured, or will be at once.
  bool isDue() const { return isBusy() || m_settled.isActive(); }
  const Progress& progress() const { return m_progress; }
  const QString& problem() const { return m_problem; }  ///< empty where nothing is wrong

 Q_SIGNALS:
  void changed();  ///< busy, progress or problem

 protected:
  /// measure() is called when nothing has restarted it for `settleMs`.
  MeasureBridge(Document* document, ModelWorker* inference, int settleMs, QObject* parent);

  virtual void restart() = 0;
  virtual void measure() = 0;

  /// Discards the running measurement.
  void forget();
  CachePolicy keeping();
  ProgressCallback teller();  ///< to be called from any thread
  /// What came of it in place of a result; one that was canceled says nothing.
  void takeError(const Error& error);

  Document* m_document;
  ModelWorker* m_inference;
  std::optional<ImageSample> m_sample;
  QTimer m_settled;
  Progress m_progress;
  QString m_problem;
  BackgroundTask m_task;

 private:
  std::shared_ptr<const ResultCache> m_shelf;
  bool m_anew = false;
};

}  // namespace headlight
