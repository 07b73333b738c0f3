// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which folders' runs are listed: found, added, dropped; and runs that were taken out of the list.
// Kept over restarts; nothing on the disk is touched by it but its own file.

#include <QObject>
#include <QStringList>

#include <filesystem>
#include <set>
#include <vector>

#include "ui/base/WorkerThread.h"

namespace headlight {

class RunPlaces : public QObject {
  Q_OBJECT
 public:
  /// `file`: where it is kept; empty: nowhere. What cannot be read there is as nothing, and then
  /// the list is of `first`.
  RunPlaces(const QString& file, const QString& first, QObject* parent = nullptr);

  const QStringList& folders() const { return m_folders; }
  const QStringList& removedRuns() const { return m_removed; }
  std::vector<std::filesystem::path> paths() const;
  std::set<std::filesystem::path> removedPaths() const;

  void setFolders(const QStringList& folders);
  /// Runs in them that were removed are back.
  void add(const QStringList& folders);
  void remove(const QString& folder);
  /// One that was added itself goes; of one that was found in a folder it is remembered.
  void removeRuns(const QStringList& folders);
  void bringBackRuns();

 Q_SIGNALS:
  void changed();

 private:
  void read(const QString& first);
  void tell();

  QString m_file;
  QStringList m_folders, m_removed;
  WorkerThread m_writer;  // last: joined first
};

}  // namespace headlight
