// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/RunPlaces.h"

#include <QDir>
#include <QSet>

#include "core/base/files/Files.h"
#include "core/config/ConfigText.h"

namespace headlight {
namespace {

constexpr std::uintmax_t kMostPlacesBytes = 16u << 20;

QStringList textsAt(const Json& json, const char* key) {
  QStringList texts;
  if (!json.is_object() || !json.contains(key) || !json[key].is_array()) return texts;
  for (const Json& entry : json[key])
    if (entry.is_string()) texts << QString::fromStdString(entry.get<std::string>());
  return texts;
}

Json jsonList(const QStringList& texts) {
  Json list = Json::array();
  for (const QString& text : texts)
    list.push_back(text.toStdString());
  return list;
}

bool liesIn(const QString& run, const QString& folder) {
  return run == folder || run.startsWith(folder + QLatin1Char('/'));
}

}  // namespace

RunPlaces::RunPlaces(const QString& file, const QString& first, QObject* parent)
    : QObject(parent), m_file(file) {
  read(QDir::cleanPath(first));
}

void RunPlaces::read(const QString& first) {
  m_folders = {first};
  const auto bytes = m_file.isEmpty() ? Result<std::string>(std::string())
                                      : readFile(m_file.toStdString(), kMostPlacesBytes);
  const auto json = bytes && !bytes->empty() ? parseConfigJson(*bytes, m_file.toStdString())
                                             : Result<Json>(Json());
  if (!json || !json->is_object()) return;
  m_folders = textsAt(*json, "folders");
  m_removed = textsAt(*json, "removed_runs");
}

std::vector<std::filesystem::path> RunPlaces::paths() const {
  std::vector<std::filesystem::path> paths;
  for (const QString& folder : m_folders)
    paths.emplace_back(folder.toStdString());
  return paths;
}

std::set<std::filesystem::path> RunPlaces::removedPaths() const {
  std::set<std::filesystem::path> paths;
  for (const QString& run : m_removed)
    paths.insert(run.toStdString());
  return paths;
}

void RunPlaces::setFolders(const QStringList& folders) {
  m_folders.clear();
  add(folders);
}

void RunPlaces::add(const QStringList& folders) {
  for (const QString& named : folders) {
    const QString folder = QDir::cleanPath(named);
    if (!m_folders.contains(folder)) m_folders << folder;
    m_removed.removeIf([&](const QString& run) { return liesIn(run, folder); });
  }
  notify();
}

void RunPlaces::remove(const QString& folder) {
  if (m_folders.removeAll(folder) > 0) notify();
}

void RunPlaces::removeRuns(const QStringList& folders) {
  QSet<QString> removed(m_removed.begin(), m_removed.end());
  for (const QString& run : folders)
    if (m_folders.removeAll(run) == 0) removed.insert(run);
  m_removed = QStringList(removed.begin(), removed.end());
  m_removed.sort();
  if (!folders.isEmpty()) notify();
}

void RunPlaces::bringBackRuns() {
  m_removed.clear();
  notify();
}

void RunPlaces::notify() {
  Q_EMIT changed();
  const Json json = {{"folders", jsonList(m_folders)}, {"removed_runs", jsonList(m_removed)}};
  m_writer.write(m_file.toStdString(), json.dump(2) + "\n");
}

}  // namespace headlight
