// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The program's messages, for Help → Messages. One per program; any thread may add.

#include <QObject>
#include <QString>
#include <QStringList>

#include "core/base/Log.h"

namespace headlight {

class MessageLog : public QObject {
  Q_OBJECT
 public:
  static constexpr int kMaxLines = 2000;

  /// Takes over core's log and, with `alsoQt`, Qt's messages; both still go to standard error.
  explicit MessageLog(bool alsoQt, QObject* parent = nullptr);
  ~MessageLog() override;

  /// Adds what was shown elsewhere; emits nothing.
  void keep(LogLevel level, const QString& text);
  /// The same, and on standard error.
  void notify(LogLevel level, const QString& text);
  const QStringList& lines() const { return m_lines; }

 Q_SIGNALS:
  /// In the window's thread.
  void added(headlight::LogLevel level, const QString& text);

 private:
  void add(LogLevel level, const QString& text);
  QStringList m_lines;
};

}  // namespace headlight
