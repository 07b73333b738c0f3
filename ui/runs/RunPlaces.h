// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The folders whose runs are listed (found, added or dropped), and the runs removed from the list.
// Kept over restarts; only its own file is written.

#include <QObject>
#include <QStringList>

#include <filesystem>
#include <set>
#include <vector>

#include "ui/base/StateFileWriter.h"

namespace headlight {

class RunPlaces : public QObject {
  Q_OBJECT
 public:
  /// `file`: where the list is kept; empty: nowhere. If it cannot be read, the list begins with
  /// `first`.
  RunPlaces(const QString& file, const QString& first, QObject* parent = nullptr);

  const QStringList& folders() const { return m_folders; }
  const QStringList& removedRuns() const { return m_removed; }
  std::vector<std::filesystem::path> paths() const;
  std::set<std::filesystem::path> removedPaths() const;

  void setFolders(const QStringList& folders);
  /// Restores removed runs in these folders.
  void add(const QStringList& folders);
  void remove(const QString& folder);
  /// A run that was added itself is dropped; one found in a folder is remembered as removed.
  void removeRuns(const QStringList& folders);
  void bringBackRuns();

 Q_SIGNALS:
  void changed();

 private:
  void read(const QString& first);
  void notify();

  QString m_file;
  QStringList m_folders, m_removed;
  StateFileWriter m_writer;
};

}  // namespace headlight
