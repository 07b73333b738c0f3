// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The way from the window to the models on this computer: looks for them on a thread of its own and
// hands them over as they are found.

#include <QList>
#include <QObject>

#include <memory>
#include <stop_token>
#include <vector>

#include "core/workbench/loading/LocalModels.h"
#include "ui/base/WorkerThread.h"

namespace headlight {

class LocalModelsBridge : public QObject {
  Q_OBJECT
 public:
  explicit LocalModelsBridge(QObject* parent = nullptr);
  ~LocalModelsBridge() override;  ///< stops what it looks for, and joins

  /// Starts a new search, which ends the last one: found() for each batch, then ended().
  void poll(const LocalPlaces& places);
  bool isSearching() const { return m_looking; }

  using Batch = std::vector<LocalModel>;

 Q_SIGNALS:
  void found(const headlight::LocalModelsBridge::Batch& models);
  void ended(qulonglong leftOut);  ///< entries of folders that have too many

 private:
  void hand(int search, const std::shared_ptr<Batch>& batch);
  void end(int search, std::size_t leftOut);

  int m_search = 0;
  bool m_looking = false;
  std::stop_source m_stop;
  WorkerThread m_worker;  // last: joined first
};

}  // namespace headlight
