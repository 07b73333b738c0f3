// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/SessionKeeper.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include <utility>

#include "core/base/files/Files.h"

namespace headlight {
namespace {

constexpr int kDelayMs = 1200;
constexpr std::uintmax_t kMaxBytes = 32u << 20;

QString writeTo(const QString& path, const QByteArray& text) {
  const auto written =
      writeFileAtomically(path.toStdString(), {text.constData(), std::size_t(text.size())});
  return written ? QString() : QString::fromStdString(written.error().text());
}

QString previousPath(const QString& path) {
  return QFileInfo(path).dir().filePath(QStringLiteral("session.previous.json"));
}

QString startMarkPath(const QString& path) {
  if (path.isEmpty()) return {};
  return QFileInfo(path).dir().filePath(QStringLiteral("session.starting"));
}

bool isTaken(const QString& path) {
  const QFileInfo file(path);
  return file.exists() || file.isSymLink();  // a link that leads nowhere
}

/// Out of the way, under a name of its own; what it is called now, empty where that failed.
QString putAside(const QString& path, const QString& why) {
  const QDir folder = QFileInfo(path).dir();
  QString aside;
  for (int i = 1; aside.isEmpty() || isTaken(aside); ++i)
    aside = folder.filePath(QStringLiteral("session.%1-%2.json").arg(why).arg(i));
  return QFile::rename(path, aside) ? aside : QString();
}

}  // namespace

SessionKeeper::SessionKeeper(QString path, Collect collect, QObject* parent)
    : QObject(parent),
      m_path(std::move(path)),
      m_start(startMarkPath(m_path)),
      m_collect(std::move(collect)) {
  m_timer.setSingleShot(true);
  m_timer.setInterval(kDelayMs);
  connect(&m_timer, &QTimer::timeout, this, &SessionKeeper::saveInBackground);
  if (!m_path.isEmpty()) QDir().mkpath(QFileInfo(m_path).path());
}

QString SessionKeeper::defaultPath() {
  return QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation))
      .filePath(QStringLiteral("session.json"));
}

std::optional<Session> SessionKeeper::load(QString* problem) {
  if (m_path.isEmpty() || !QFile::exists(m_path)) return std::nullopt;
  const QString name = QFileInfo(m_path).fileName();
  if (!m_start.begin()) {
    m_start.end();
    *problem = asideText(tr("The program ended while it restored %1 last time").arg(name),
                         putAside(m_path, QStringLiteral("failed")));
    return std::nullopt;
  }
  QString text;
  if (auto bytes = readFile(m_path.toStdString(), kMaxBytes)) {
    auto session = sessionFromText(QByteArray::fromStdString(*bytes), name);
    if (session) return std::move(*session);
    text = QString::fromStdString(session.error().text());
  } else {
    text = QString::fromStdString(bytes.error().text());
  }
  m_start.end();
  *problem = asideText(text, putAside(m_path, QStringLiteral("damaged")));
  return std::nullopt;
}

void SessionKeeper::startIsOver() {
  m_start.end();
}

/// `aside`: its new name; empty where it has none, and then no session is kept.
QString SessionKeeper::asideText(const QString& problem, const QString& aside) {
  if (!aside.isEmpty())
    return tr("%1. The session was kept as %2; Headlight starts without it.").arg(problem, aside);
  const QString path = std::exchange(m_path, QString());
  return tr("%1. It could not be moved aside either, so this session is not saved, to keep %2 "
            "intact. Move that file away and start Headlight again.")
      .arg(problem, path);
}

void SessionKeeper::changed() {
  if (!m_path.isEmpty() && !m_timer.isActive()) m_timer.start();
}

void SessionKeeper::saveInBackground() {
  const auto session = m_collect();
  if (!session) return;
  m_worker.clear();  // an older state that has not been written yet
  m_worker.post([this, path = m_path, text = sessionToText(*session)](std::stop_token) {
    const QString error = writeTo(path, text);
    callInThread(this, [this, error] {
      if (!error.isEmpty() && !m_complained) Q_EMIT failed(error);
      m_complained = !error.isEmpty();
    });
  });
}

QString SessionKeeper::saveNow() {
  m_start.end();
  m_timer.stop();
  m_worker.clear();
  return m_path.isEmpty() ? QString() : saveTo(m_path);
}

QString SessionKeeper::saveTo(const QString& path) {
  const auto session = m_collect();
  return session ? writeTo(path, sessionToText(*session)) : QString();
}

void SessionKeeper::keepPrevious() {
  if (const auto session = m_collect()) keepPrevious(*session);
}

void SessionKeeper::keepPrevious(const Session& session) {
  m_previous = session;
  if (!m_path.isEmpty()) reportLost(writeTo(previousPath(m_path), sessionToText(session)));
}

void SessionKeeper::reportLost(const QString& error) {
  if (!error.isEmpty())
    Q_EMIT failed(tr("The previous session was not saved to disk: %1").arg(error));
}

std::optional<Session> SessionKeeper::previous() const {
  if (m_previous || m_path.isEmpty()) return m_previous;
  const QString path = previousPath(m_path);
  const auto bytes = readFile(path.toStdString(), kMaxBytes);
  if (!bytes) return std::nullopt;
  auto session = sessionFromText(QByteArray::fromStdString(*bytes), QFileInfo(path).fileName());
  if (!session) return std::nullopt;
  return std::move(*session);
}

}  // namespace headlight
