#include "ui/document/SessionKeeper.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include "core/base/Files.h"

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

bool isTaken(const QString& path) {
  const QFileInfo file(path);
  return file.exists() || file.isSymLink();  // a link that leads nowhere
}

/// Out of the way, under a name of its own; what it is called now, empty where that failed.
QString putAside(const QString& path) {
  const QDir folder = QFileInfo(path).dir();
  QString aside;
  for (int i = 1; aside.isEmpty() || isTaken(aside); ++i)
    aside = folder.filePath(QStringLiteral("session.damaged-%1.json").arg(i));
  return QFile::rename(path, aside) ? aside : QString();
}

}  // namespace

SessionKeeper::SessionKeeper(QString path, Collect collect, QObject* parent)
    : QObject(parent), m_path(std::move(path)), m_collect(std::move(collect)) {
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
  QString text;
  if (auto bytes = readFile(m_path.toStdString(), kMaxBytes)) {
    auto session = sessionFromText(QByteArray::fromStdString(*bytes), QFileInfo(m_path).fileName());
    if (session) return std::move(*session);
    text = QString::fromStdString(session.error().text());
  } else {
    text = QString::fromStdString(bytes.error().text());
  }
  const QString aside = putAside(m_path);
  if (aside.isEmpty()) {
    *problem =
        tr("%1. It could not be put aside either: to spare %2, this session is not kept. Move "
           "that file away and start Headlight again.")
            .arg(text, m_path);
    m_path.clear();
  } else {
    *problem = tr("%1. It was kept as %2; Headlight begins anew.").arg(text, aside);
  }
  return std::nullopt;
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
    inThreadOf(this, [this, error] {
      if (!error.isEmpty() && !m_complained) Q_EMIT failed(error);
      m_complained = !error.isEmpty();
    });
  });
}

QString SessionKeeper::saveNow() {
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
  if (!m_path.isEmpty()) tellLost(writeTo(previousPath(m_path), sessionToText(session)));
}

void SessionKeeper::tellLost(const QString& error) {
  if (!error.isEmpty())
    Q_EMIT failed(tr("What was open before this was not kept on the disk: %1").arg(error));
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
