// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/OpenWindow.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QLocalSocket>
#include <QStandardPaths>
#include <QTimer>

#include <optional>

namespace headlight {
namespace {

constexpr qint64 kMostBytes = 1 << 20;
constexpr int kConnectMs = 1000, kAnswerMs = 5000, kMessageMs = 10'000;
constexpr int kLongestAddress = 100;  // of 108 that the system has room for
constexpr const char* kTaken = "ok\n";
constexpr const char* kRefused = "no\n";

/// The folder of the user's session where there is one, since it is always local.
QString folderOfSockets() {
  QString runtime = qEnvironmentVariable("XDG_RUNTIME_DIR");
  if (QDir::isAbsolutePath(runtime) && QDir(runtime).exists()) return runtime;
  const QString data = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
  return QDir().mkpath(data) ? data : QString();
}

/// A window on another display would not be seen.
QString nameOfDisplay() {
  QCryptographicHash hash(QCryptographicHash::Sha256);
  for (const char* variable : {"WAYLAND_DISPLAY", "DISPLAY", "QT_QPA_PLATFORM"})
    hash.addData(qgetenv(variable) + '\n');
  return QString::fromLatin1(hash.result().toHex().left(8));
}

QByteArray messageOf(const QStringList& files) {
  QByteArray message;
  for (const QString& file : files)
    message += QFile::encodeName(file) + '\0';
  return message + '\0';
}

/// Nothing for what no start sends.
std::optional<QStringList> filesIn(const QByteArray& message) {
  QStringList files;
  for (const QByteArray& name : message.chopped(2).split('\0')) {
    files << QFile::decodeName(name);
    if (!QDir::isAbsolutePath(files.last())) return std::nullopt;
  }
  return files;
}

}  // namespace

QString openWindowAddress() {
  const QString folder = folderOfSockets();
  const QString address =
      QDir(folder).filePath(QStringLiteral("headlight-%1.socket").arg(nameOfDisplay()));
  return folder.isEmpty() || QFile::encodeName(address).size() > kLongestAddress ? QString()
                                                                                 : address;
}

bool handToOpenWindow(const QString& address, const QStringList& files) {
  const QByteArray message = messageOf(files);
  if (address.isEmpty() || files.isEmpty() || message.size() > kMostBytes) return false;
  QLocalSocket socket;
  socket.connectToServer(address);
  if (!socket.waitForConnected(kConnectMs)) return false;
  socket.write(message);
  while (socket.bytesAvailable() < 3)
    if (!socket.waitForReadyRead(kAnswerMs)) return false;
  return socket.readAll() == kTaken;
}

OpenWindow::OpenWindow(Take take, QObject* parent) : QObject(parent), m_take(std::move(take)) {
  m_server.setSocketOptions(QLocalServer::UserAccessOption);
  connect(&m_server, &QLocalServer::newConnection, this, &OpenWindow::accept);
}

bool OpenWindow::listen(const QString& address) {
  if (address.isEmpty()) return false;
  if (m_server.listen(address)) return true;
  QLocalSocket other;
  other.connectToServer(address);
  if (other.waitForConnected(kConnectMs)) return false;
  QLocalServer::removeServer(address);  // of a window that was killed
  return m_server.listen(address);
}

void OpenWindow::accept() {
  while (QLocalSocket* socket = m_server.nextPendingConnection()) {
    connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
    connect(socket, &QLocalSocket::readyRead, this, [this, socket] { read(socket); });
    QTimer::singleShot(kMessageMs, socket, [socket] { socket->abort(); });
    read(socket);
  }
}

void OpenWindow::read(QLocalSocket* socket) {
  const QByteArray message = socket->peek(kMostBytes + 1);
  if (message.size() > kMostBytes) return socket->abort();
  if (message.size() < 3 || !message.endsWith(QByteArray(2, '\0'))) return;
  socket->readAll();
  const auto files = filesIn(message);
  socket->write(files && m_take(*files) ? kTaken : kRefused);
  socket->disconnectFromServer();
}

}  // namespace headlight
