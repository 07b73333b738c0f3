// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the session lies, and that it is never lost: written soon after every change and on
// closing, atomically; a damaged one is put aside, not overwritten, and so is one that the program
// did not survive restoring.

#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>
#include <optional>

#include "ui/base/WorkerThread.h"
#include "ui/document/Session.h"
#include "ui/document/StartMark.h"

namespace headlight {

class SessionKeeper : public QObject {
  Q_OBJECT
 public:
  using Collect = std::function<std::optional<Session>()>;

  /// `path` empty: nothing is kept (--no-session).
  SessionKeeper(QString path, Collect collect, QObject* parent = nullptr);

  /// AppData's session.json.
  static QString defaultPath();

  /// The session of last time. Nothing if there is none, or if it is damaged: then it was renamed,
  /// and `problem` says so. The same where the program ended while it restored this session the
  /// last time. One that cannot be renamed is not written over: nothing is kept then.
  std::optional<Session> load(QString* problem);
  /// What load() gave is restored: if the program ends now, that is not why.
  void startIsOver();
  /// Writes a little later, in the background; more changes until then cost nothing.
  void changed();
  /// Writes now and waits; an error's text, or empty.
  QString saveNow();
  QString saveTo(const QString& path);

  /// Keeps what the window shows now, before another session or model takes its place; failed()
  /// where the disk does not: it is kept for as long as the program runs.
  void keepPrevious();
  /// The same for a session that could not be shown.
  void keepPrevious(const Session& session);
  std::optional<Session> previous() const;

 Q_SIGNALS:
  void failed(const QString& text);  ///< a disk that is full; said once until it works again, and
                                     ///< each time that a session before is lost

 private:
  void saveInBackground();
  void reportLost(const QString& error);
  QString asideText(const QString& problem, const QString& aside);

  QString m_path;
  StartMark m_start;
  Collect m_collect;
  QTimer m_timer;
  std::optional<Session> m_previous;  ///< of this run of the program
  bool m_complained = false;
  WorkerThread m_worker;
};

}  // namespace headlight
