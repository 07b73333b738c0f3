#include "ui/models/SessionKeeper.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include "core/base/Files.h"

namespace headlight {
namespace {

constexpr int kDelayMs = 1200;
constexpr std::uintmax_t kMaxBytes = 32u << 20;
constexpr int kMaxDamagedKept = 20;

QString writeTo(const QString& path, const QByteArray& text) {
  const auto written =
      writeFileAtomically(path.toStdString(), {text.constData(), std::size_t(text.size())});
  return written ? QString() : QString::fromStdString(written.error().text());
}

QString previousPath(const QString& path) {
  return QFileInfo(path).dir().filePath(QStringLiteral("session.previous.json"));
}

/// Out of the way, under a name of its own; what it is called now.
QString putAside(const QString& path) {
  const QDir folder = QFileInfo(path).dir();
  for (int i = 1; i <= kMaxDamagedKept; ++i) {
    const QString aside = folder.filePath(QStringLiteral("session.damaged-%1.json").arg(i));
    if (!QFile::exists(aside) && QFile::rename(path, aside)) return aside;
  }
  return path;
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
  *problem = tr("%1. It was kept as %2; Headlight begins anew.").arg(text, putAside(m_path));
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
  if (!m_path.isEmpty()) saveTo(previousPath(m_path));
}

void SessionKeeper::keepPrevious(const Session& session) {
  if (!m_path.isEmpty()) writeTo(previousPath(m_path), sessionToText(session));
}

std::optional<Session> SessionKeeper::previous() const {
  if (m_path.isEmpty()) return std::nullopt;
  const QString path = previousPath(m_path);
  const auto bytes = readFile(path.toStdString(), kMaxBytes);
  if (!bytes) return std::nullopt;
  auto session = sessionFromText(QByteArray::fromStdString(*bytes), QFileInfo(path).fileName());
  if (!session) return std::nullopt;
  return std::move(*session);
}

}  // namespace headlight
