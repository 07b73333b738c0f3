// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/GalleryModel.h"

#include <QDir>
#include <QFileInfo>

#include "core/config/DatasetKinds.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/ImageBridge.h"

namespace headlight {
namespace {

constexpr int kThumbnailBytes = 96 << 20;
constexpr const char* kSamples = ":/samples";
constexpr const char* kDrawn = "drawn";  ///< in place of the folder that scenes do not have

/// "striped_disc/0001.png" in a folder of class folders, else the file's name.
QString nameIn(const QString& folder, const QString& path) {
  if (folder.isEmpty() || path.startsWith(QStringLiteral("dataset:")) ||
      path.startsWith(folder + QLatin1Char('[')))  // of a file of maps
    return ImageBridge::nameOf(path);
  return QDir(folder).relativeFilePath(path);
}

}  // namespace

GalleryModel::GalleryModel(ImageBridge* images, QObject* parent)
    : QAbstractListModel(parent), m_images(images) {
  m_thumbnails.setMaxCost(kThumbnailBytes);
  connect(images, &ImageBridge::thumbnailReady, this, &GalleryModel::onThumbnail);
}

void GalleryModel::addSamples() {
  const QDir folder(kSamples);
  QList<Entry> entries;
  for (const QString& name : folder.entryList(QDir::Files, QDir::Name))
    entries << Entry{folder.filePath(name), ImageBridge::nameOf(folder.filePath(name)), kSamples};
  append(entries);
}

QString GalleryModel::scenePath(int index, const char* kind) {
  return ImageBridge::datasetPath(QLatin1String(kind), kDrawn, index);
}

void GalleryModel::addScenes(const char* kind) {
  QStringList scenes;
  for (int i = 0; i < kScenes; ++i)
    scenes << scenePath(i, kind);
  addFolder(kDrawn, scenes);
}

void GalleryModel::addScene(const QString& path) {
  if (!m_rows.contains(path)) append({Entry{path, ImageBridge::nameOf(path), kDrawn}});
}

void GalleryModel::addFiles(const QStringList& paths) {
  QList<Entry> entries;
  for (const QString& path : paths)
    if (!m_rows.contains(path)) entries << Entry{path, ImageBridge::nameOf(path), {}};
  append(entries);
}

void GalleryModel::addFolder(const QString& folder, const QStringList& images) {
  QSet<QString> ofFolder(images.begin(), images.end());
  QModelIndexList old;
  for (int row = 0; row < m_entries.size(); ++row)
    if (m_entries[row].source == folder ||
        (m_entries[row].source.isEmpty() && ofFolder.contains(m_entries[row].path)))
      old << index(row);
  removeImages(old);
  QList<Entry> entries;
  for (const QString& path : images)
    if (!m_rows.contains(path)) entries << Entry{path, nameIn(folder, path), folder};
  append(entries);
}

void GalleryModel::append(QList<Entry> entries) {
  entries = entries.mid(0, std::max<qsizetype>(0, kMaxImages - m_entries.size()));
  if (entries.isEmpty()) return;
  const int first = static_cast<int>(m_entries.size());
  beginInsertRows({}, first, first + static_cast<int>(entries.size()) - 1);
  m_entries += entries;
  rebuildRows();
  endInsertRows();
}

void GalleryModel::removeImages(const QModelIndexList& indexes) {
  QList<int> rows;
  for (const QModelIndex& index : indexes)
    rows << index.row();
  std::sort(rows.begin(), rows.end(), std::greater<>());
  // Neighbors at once, from the end: each time, rows are counted anew before anybody is told.
  for (qsizetype i = 0; i < rows.size();) {
    const int last = rows[i];
    int first = last;
    for (++i; i < rows.size() && rows[i] >= first - 1; ++i)
      first = rows[i];
    beginRemoveRows({}, first, last);
    m_entries.remove(first, last - first + 1);
    rebuildRows();
    endRemoveRows();
  }
}

void GalleryModel::clear() {
  beginResetModel();
  m_entries.removeIf([](const Entry& entry) { return entry.source != kSamples; });
  m_images->dropThumbnailRequests();
  m_requested.clear();
  rebuildRows();
  endResetModel();
}

void GalleryModel::rebuildRows() {
  m_rows.clear();
  for (int row = 0; row < m_entries.size(); ++row)
    m_rows.insert(m_entries[row].path, row);
}

QStringList GalleryModel::sources() const {
  QStringList sources;
  for (const Entry& entry : m_entries) {
    if (entry.source == kSamples) continue;
    const bool alone = entry.source.isEmpty() || entry.source == kDrawn;
    const QString& source = alone ? entry.path : entry.source;
    if (sources.isEmpty() || sources.last() != source) sources << source;
  }
  sources.removeDuplicates();
  return sources;
}

QModelIndex GalleryModel::indexOf(const QString& path) const {
  const auto row = m_rows.constFind(path);
  return row == m_rows.constEnd() ? QModelIndex() : index(*row);
}

void GalleryModel::setDevicePixelRatio(double ratio) {
  if (qFuzzyCompare(ratio, m_ratio)) return;
  m_ratio = ratio;
  m_thumbnails.clear();
  m_requested.clear();
  if (!m_entries.isEmpty())
    Q_EMIT dataChanged(index(0), index(rowCount() - 1), {Qt::DecorationRole});
}

int GalleryModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}

QVariant GalleryModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= m_entries.size()) return {};
  const Entry& entry = m_entries[index.row()];
  switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
      return entry.name;
    case PathRole:
      return entry.path;
    case GroupRole:
      return entry.source;
    case ProblemRole:
      return m_problems.value(entry.path);
    case Qt::ToolTipRole: {
      const QString place = entry.source == kSamples ? tr("A built-in sample")
                            : entry.source == kDrawn ? tr("Drawn by the program, with its truth")
                                                     : QDir::toNativeSeparators(entry.path);
      const QString problem = m_problems.value(entry.path);
      return plainToolTip(problem.isEmpty() ? QStringLiteral("%1\n%2").arg(entry.name, place)
                                            : problem);
    }
    case Qt::DecorationRole: {
      if (const QPixmap* thumbnail = m_thumbnails.object(entry.path)) return *thumbnail;
      if (!m_problems.contains(entry.path) && !m_requested.contains(entry.path)) {
        m_requested.insert(entry.path);
        m_images->requestThumbnail(entry.path, qRound(kThumbnailSide * m_ratio));
      }
      return {};
    }
    default:
      return {};
  }
}

void GalleryModel::onThumbnail(const QString& path, const QImage& thumbnail,
                               const QString& problem) {
  m_requested.remove(path);
  if (thumbnail.isNull()) {
    m_problems.insert(path, problem);
  } else {
    auto* pixmap = new QPixmap(QPixmap::fromImage(thumbnail));
    pixmap->setDevicePixelRatio(m_ratio);
    m_thumbnails.insert(path, pixmap, static_cast<int>(thumbnail.sizeInBytes()));
  }
  const QModelIndex changed = indexOf(path);
  if (changed.isValid())
    Q_EMIT dataChanged(changed, changed, {Qt::DecorationRole, ProblemRole, Qt::ToolTipRole});
}

}  // namespace headlight
