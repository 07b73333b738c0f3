// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One window for several starts: `headlight --reuse FILE…` hands its files to the window that the
// user already has open on this display. They meet at a local socket in a folder that only the user
// can write to. A message is paths, each ended by a zero byte, and one more zero byte.

#include <QLocalServer>
#include <QStringList>

#include <functional>

namespace headlight {

/// Where windows of this user on this display listen; empty where no such path is short enough.
QString openWindowAddress();

/// Whether an open window took `files` (absolute paths). Waits for it for a few seconds at most.
bool handToOpenWindow(const QString& address, const QStringList& files);

/// The window's side. What comes is checked as a drop on the window is.
class OpenWindow : public QObject {
  Q_OBJECT

 public:
  /// Opens absolute paths; false where the window cannot now, so that another is started.
  using Take = std::function<bool(const QStringList& files)>;

  explicit OpenWindow(Take take, QObject* parent = nullptr);

  /// False where another window listens there, or nobody can.
  bool listen(const QString& address);

 private:
  void accept();
  void read(QLocalSocket* socket);

  Take m_take;
  QLocalServer m_server;
};

}  // namespace headlight
