// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Downloads published weights beside the window, and opens them. Not modal: that may take a while.

#include <QDialog>

#include <set>
#include <string>

#include "core/workbench/hub/ModelFetch.h"
#include "ui/base/BackgroundTask.h"

class QLabel;
class QPushButton;

namespace headlight {

class FetchJob;
class MessageLabel;
class ProgressLine;
class WeightsList;

class GetModelDialog : public QDialog {
  Q_OBJECT
 public:
  explicit GetModelDialog(FetchOptions options, QWidget* parent = nullptr);

  WeightsList* list() const { return m_list; }
  bool isDownloading() const;
  void download();       ///< what is chosen
  void stop();           ///< what has arrived is kept for the next time
  void open() override;  ///< the chosen model, if it is on this computer

 Q_SIGNALS:
  void openRequested(const QString& folder);
  void ended();

 protected:
  void reject() override;
  void showEvent(QShowEvent* event) override;

 private:
  void makeButtons();
  void findCached();
  void describe();
  void refresh();
  void onProgress(const FetchProgress& progress);
  void onEnded(const Result<FetchedModel>& fetched);
  void say(const FetchedModel& fetched);

  FetchOptions m_options;
  WeightsList* m_list;
  QLabel* m_about;
  QLabel* m_rate;
  ProgressLine* m_progress;
  MessageLabel* m_status;
  QPushButton *m_download = nullptr, *m_stop = nullptr, *m_open = nullptr;
  bool m_closing = false;  ///< once the download has stopped
  BackgroundTask m_looking;
  FetchJob* m_job;
};

}  // namespace headlight
