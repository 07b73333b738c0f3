// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model that is downloaded away from the window's thread, and what it says meanwhile.

#include <QObject>
#include <QTimer>

#include <memory>
#include <stop_token>

#include "core/workbench/hub/ModelFetch.h"
#include "ui/base/BackgroundTask.h"

namespace headlight {

class FetchJob : public QObject {
  Q_OBJECT
 public:
  explicit FetchJob(QObject* parent = nullptr);

  bool isRunning() const { return m_task.isBusy(); }
  bool isStopping() const { return m_stopping.stop_requested(); }
  void start(const PublishedWeights& weights, const FetchOptions& options);
  void stop();  ///< at once; then `ended`. What has arrived is kept

 Q_SIGNALS:
  void progressed(const headlight::FetchProgress& progress);
  void ended(const headlight::Result<headlight::FetchedModel>& fetched);

 private:
  struct Reported;
  void collect();

  std::shared_ptr<Reported> m_reported;  ///< by the download, from its thread
  std::stop_source m_stopping;
  QTimer m_poll;
  BackgroundTask m_task;  // last: its end asks the download to stop, and does not wait
};

}  // namespace headlight
