// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/MessageLog.h"

#include <QTime>

#include <cstdio>

#include "core/base/Utf8.h"
#include "ui/base/SanitizedText.h"
#include "ui/base/WorkerThread.h"

namespace headlight {
namespace {

void toStandardError(const QString& text) {
  const std::string line = "headlight: " + fitForLine(text.toStdString()) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

LogLevel qtLogLevel(QtMsgType type) {
  if (type == QtDebugMsg || type == QtInfoMsg) return LogLevel::Info;
  return type == QtWarningMsg ? LogLevel::Warning : LogLevel::Error;
}

void onQtMessage(QtMsgType type, const QMessageLogContext& context, const QString& text) {
  // What Qt says concerns developers: standard error, not the person's notice bar.
  const char* category =
      context.category && qstrcmp(context.category, "default") != 0 ? context.category : "Qt";
  if (qtLogLevel(type) == LogLevel::Info && !qEnvironmentVariableIsSet("HEADLIGHT_VERBOSE")) return;
  // Without a display there is no window manager to tell such things; that is no news.
  if (text.startsWith(QStringLiteral("This plugin does not support"))) return;
  toStandardError(QStringLiteral("%1: %2").arg(QLatin1String(category), text));
}

}  // namespace

MessageLog::MessageLog(bool alsoQt, QObject* parent) : QObject(parent) {
  if (alsoQt) qInstallMessageHandler(onQtMessage);
  setLogSink([this](LogLevel level, const std::string& message) {
    const QString text = displayName(message);
    toStandardError(text);
    callInThread(this, [this, level, text] { add(level, text); });
  });
}

MessageLog::~MessageLog() {
  setLogSink([](LogLevel, const std::string& message) {
    toStandardError(QString::fromStdString(message));
  });
}

void MessageLog::keep(LogLevel level, const QString& text) {
  const QString mark = level == LogLevel::Info      ? QString()
                       : level == LogLevel::Warning ? tr("warning: ")
                                                    : tr("error: ");
  if (m_lines.size() >= kMaxLines) m_lines.removeFirst();
  m_lines << QTime::currentTime().toString(QStringLiteral("hh:mm:ss  ")) + mark + text;
}

void MessageLog::notify(LogLevel level, const QString& text) {
  toStandardError(text);
  keep(level, text);
}

void MessageLog::add(LogLevel level, const QString& text) {
  keep(level, text);
  Q_EMIT added(level, text);
}

}  // namespace headlight
