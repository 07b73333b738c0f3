// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/ImageBridge.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <map>
#include <mutex>
#include <tuple>

#include "core/workbench/session/Datasets.h"
#include "ui/base/Images.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/FileInspection.h"

namespace headlight {

struct ImageBridge::Cache {
  /// A small sample of a dataset on disk, opened once.
  Result<std::shared_ptr<const Dataset>> open(const std::string& kind, const std::string& folder) {
    const std::lock_guard lock(mutex);
    auto& known = datasets[{kind, folder}];
    if (known) return known;
    auto opened = openDataset(gallerySample(kind, folder), Split::Train);
    if (!opened) return opened.error();
    known = std::move(*opened);
    return known;
  }

  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const Dataset>> datasets;
};

/// Newest first: what scrolled into sight last is wanted most.
struct ImageBridge::ThumbnailQueue {
  struct Entry {
    QString path;
    int side = 0;
  };
  std::optional<Entry> take() {
    const std::lock_guard lock(mutex);
    if (entries.empty()) return std::nullopt;
    const Entry entry = entries.back();
    entries.pop_back();
    return entry;
  }
  std::mutex mutex;
  std::vector<Entry> entries;
};

namespace {

constexpr const char* kDatasetPrefix = "dataset:";
constexpr int kMaxResourceBytes = 16 << 20;

struct DatasetAddress {
  std::string kind, folder;
  int index = 0;
};

std::optional<DatasetAddress> datasetAddress(const QString& path) {
  if (!path.startsWith(kDatasetPrefix)) return std::nullopt;
  const QString kind = path.section(':', 1, 1);
  bool ok = false;
  const int index = path.section(':', 2, 2).toInt(&ok);
  const QString folder = path.section(':', 3);
  if (!ok || index < 0 || folder.isEmpty()) return std::nullopt;
  return DatasetAddress{kind.toStdString(), folder.toStdString(), index};
}

Result<Image> readResource(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly) || file.size() > kMaxResourceBytes)
    return Error{ErrorCode::NotFound, "is not among the built-in images", path.toStdString()};
  const QByteArray bytes = file.readAll();
  return decodeImage({bytes.constData(), static_cast<std::size_t>(bytes.size())},
                     path.toStdString());
}

template <typename Cache>
Result<Image> readCached(Cache& cache, const QString& path) {
  if (path.startsWith(':')) return readResource(path);
  const auto address = datasetAddress(path);
  if (!address) return readImageAt(path.toStdString());
  const auto dataset = cache.open(address->kind, address->folder);
  if (!dataset) return dataset.error();
  if (address->index >= (*dataset)->size())
    return Error{ErrorCode::NotFound, "the dataset has no such sample", path.toStdString()};
  auto sample = (*dataset)->sample(address->index);
  if (!sample) return sample.error();
  return sample->image;
}

QImage makeThumbnail(const Image& image, int side) {
  const double scale = double(side) / std::max(image.width, image.height);
  const int width = std::max(1, qRound(image.width * scale));
  const int height = std::max(1, qRound(image.height * scale));
  // Small images grow in blocks, so that their pixels stay what they are.
  if (scale > 1)
    return toQImage(image).scaled(width, height, Qt::IgnoreAspectRatio, Qt::FastTransformation);
  return toQImage(resize(image, width, height, Interpolation::Bilinear));
}

}  // namespace

ImageBridge::ImageBridge(QObject* parent)
    : QObject(parent),
      m_cache(std::make_shared<Cache>()),
      m_thumbnails(std::make_shared<ThumbnailQueue>()) {}

ImageBridge::~ImageBridge() {
  cancelInspections();
}

void ImageBridge::loadImage(const QString& path) {
  const int ticket = ++m_loadTicket;
  m_loading = true;
  m_imageWorker.clear();
  m_imageWorker.post([this, cache = m_cache, ticket, path](std::stop_token) {
    auto image = readCached(*cache, path);
    callInThread(this, [this, ticket, path, image] {
      if (ticket != m_loadTicket) return;
      m_loading = false;
      if (image)
        Q_EMIT imageLoaded(*image, nameOf(path), path);
      else
        Q_EMIT imageFailed(path, QString::fromStdString(image.error().text()));
    });
  });
}

void ImageBridge::requestThumbnail(const QString& path, int side) {
  ++m_pendingThumbnails;
  {
    const std::lock_guard lock(m_thumbnails->mutex);
    m_thumbnails->entries.push_back({path, side});
  }
  m_thumbnailWorker.post([this, cache = m_cache, queue = m_thumbnails](std::stop_token) {
    const auto entry = queue->take();
    if (!entry) return;
    const auto image = readCached(*cache, entry->path);
    const QImage thumbnail = image ? makeThumbnail(*image, entry->side) : QImage();
    const QString problem = image ? QString() : QString::fromStdString(image.error().text());
    callInThread(this, [this, path = entry->path, thumbnail, problem] {
      --m_pendingThumbnails;
      Q_EMIT thumbnailReady(path, thumbnail, problem);
    });
  });
}

void ImageBridge::dropThumbnailRequests() {
  const std::lock_guard lock(m_thumbnails->mutex);
  m_pendingThumbnails -= static_cast<int>(m_thumbnails->entries.size());
  m_thumbnails->entries.clear();
}

void ImageBridge::inspect(const QString& path) {
  ++m_pendingInspections;
  m_folderWorker.post([this, path, stop = m_inspectStop.get_token()](std::stop_token) {
    const FileFinding finding = inspectFile(path, stop);
    callInThread(this, [this, finding, stop] {
      --m_pendingInspections;
      if (!stop.stop_requested()) Q_EMIT inspected(finding);
    });
  });
}

void ImageBridge::cancelInspections() {
  m_inspectStop.request_stop();
  m_inspectStop = std::stop_source();
}

QString ImageBridge::datasetPath(const QString& kind, const QString& folder, int index) {
  return QStringLiteral("%1%2:%3:%4").arg(kDatasetPrefix, kind).arg(index).arg(folder);
}

QString ImageBridge::nameOf(const QString& path) {
  if (const auto address = datasetAddress(path))
    return QStringLiteral("%1 #%2").arg(QString::fromStdString(address->kind)).arg(address->index);
  const QFileInfo file(path);
  // A built-in sample, "striped-disc.png", is named as its class is.
  return path.startsWith(':') ? file.completeBaseName().replace('-', ' ')
                              : displayName(file.fileName());
}

}  // namespace headlight
