// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/RecentPaths.h"

#include <QDir>
#include <QFileInfo>

#include "core/base/files/Files.h"
#include "core/config/ConfigText.h"
#include "core/models/Registry.h"
#include "core/workbench/loading/MapFile.h"

namespace headlight {
namespace {

constexpr std::uintmax_t kMaxRecentBytes = 1 << 20;
constexpr std::array<const char*, 3> kKinds{"files", "models", "runs"};

bool isStillThere(const QString& path) {
  if (!path.startsWith('/')) return findPublishedModel(path.toStdString()) != nullptr;
  const auto place = parseMapPlace(path.toStdString());  // a frame is named like an image of maps
  return QFileInfo::exists(path) ||
         (place && QFileInfo::exists(QString::fromStdString(place->file.string())));
}

QStringList listAt(const Json& json, const char* kind) {
  QStringList list;
  if (!json.is_object() || !json.contains(kind) || !json[kind].is_array()) return list;
  for (const Json& entry : json[kind])
    if (entry.is_string() && list.size() < RecentPaths::kMost)
      list << QString::fromStdString(entry.get<std::string>());
  return list;
}

}  // namespace

RecentPaths::RecentPaths(const QString& sessionPath, QObject* parent) : QObject(parent) {
  if (sessionPath.isEmpty()) return;
  m_path = QFileInfo(sessionPath).dir().filePath(QStringLiteral("recent.json"));
  read();
}

void RecentPaths::read() {
  const auto bytes = readFile(m_path.toStdString(), kMaxRecentBytes);
  if (!bytes) return;
  const auto json = parseConfigJson(*bytes, m_path.toStdString());
  if (!json) return;
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind)
    m_lists[kind] = listAt(*json, kKinds[kind]);
}

void RecentPaths::add(RecentKind kind, const QString& path) {
  QStringList& list = m_lists[static_cast<std::size_t>(kind)];
  if (!list.isEmpty() && list.first() == path) return;
  list.removeAll(path);
  list.prepend(path);
  list = list.mid(0, kMost);
  write();
  Q_EMIT changed();
}

QStringList RecentPaths::of(RecentKind kind) const {
  QStringList there;
  for (const QString& path : m_lists[static_cast<std::size_t>(kind)])
    if (isStillThere(path)) there << path;
  return there;
}

void RecentPaths::write() {
  Json json = Json::object();
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    json[kKinds[kind]] = Json::array();
    for (const QString& path : m_lists[kind])
      json[kKinds[kind]].push_back(path.toStdString());
  }
  m_writer.write(m_path.toStdString(), json.dump(2) + "\n");
}

}  // namespace headlight
