// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What was opened last: images and other files, models, runs. Kept beside the session.

#include <QObject>
#include <QStringList>

#include <array>

#include "ui/base/StateFileWriter.h"

namespace headlight {

enum class RecentKind { File, Model, Run };

class RecentPaths : public QObject {
  Q_OBJECT
 public:
  static constexpr int kMost = 10;  ///< of each kind

  /// Lies in `sessionPath`'s folder; empty: kept only while the program runs. A file that cannot be
  /// read is as none: nothing is lost by it that a person made.
  explicit RecentPaths(const QString& sessionPath, QObject* parent = nullptr);

  /// Becomes the newest of its kind. A model is a checkpoint's path or a published name.
  void add(RecentKind kind, const QString& path);
  /// Newest first; without those that have vanished.
  QStringList of(RecentKind kind) const;

 Q_SIGNALS:
  void changed();

 private:
  void read();
  void write();

  QString m_path;
  std::array<QStringList, 3> m_lists;
  StateFileWriter m_writer;
};

}  // namespace headlight
