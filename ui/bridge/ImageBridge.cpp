// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/ImageBridge.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <mutex>
#include <optional>

#include "core/workbench/session/DatasetImages.h"
#include "ui/base/Images.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/FileInspection.h"
#include "ui/document/KnownTruth.h"

namespace headlight {

/// Small samples of datasets on disk, opened once.
struct ImageBridge::Cache : AddressedDatasets {};

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

constexpr int kMaxResourceBytes = 16 << 20;

std::optional<DatasetAddress> datasetAddress(const QString& path) {
  return datasetAddressFrom(path.toStdString());
}

Result<Image> readResource(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly) || file.size() > kMaxResourceBytes)
    return Error{ErrorCode::NotFound, "is not among the built-in images", path.toStdString()};
  const QByteArray bytes = file.readAll();
  return decodeImage({bytes.constData(), static_cast<std::size_t>(bytes.size())},
                     path.toStdString());
}

struct ReadImage {
  Image image;
  std::shared_ptr<const KnownTruth> truth;
};

Result<ReadImage> withoutTruth(Result<Image> image) {
  if (!image) return image.error();
  return ReadImage{std::move(*image), nullptr};
}

ReadImage withTruth(Sample sample, const Dataset& dataset) {
  if (!dataset.hasBoxes() && !dataset.hasSegments()) return {std::move(sample.image), nullptr};
  KnownTruth truth{std::move(sample.boxes), dataset.classNames(), std::move(sample.segments)};
  return {std::move(sample.image), std::make_shared<const KnownTruth>(std::move(truth))};
}

template <typename Cache>
Result<ReadImage> readCached(Cache& cache, const QString& path) {
  if (path.startsWith(':')) return withoutTruth(readResource(path));
  const auto address = datasetAddress(path);
  if (!address) return withoutTruth(readImageAt(path.toStdString()));
  const auto dataset = cache.open(address->kind, address->folder);
  if (!dataset) return dataset.error();
  auto sample = cache.sample(*address);
  if (!sample) return sample.error();
  return withTruth(std::move(*sample), **dataset);
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
    auto read = readCached(*cache, path);
    callInThread(this, [this, ticket, path, read] {
      if (ticket != m_loadTicket) return;
      m_loading = false;
      if (read)
        Q_EMIT imageLoaded(read->image, nameOf(path), path, read->truth);
      else
        Q_EMIT imageFailed(path, QString::fromStdString(read.error().text()));
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
    const auto read = readCached(*cache, entry->path);
    const QImage thumbnail = read ? makeThumbnail(read->image, entry->side) : QImage();
    const QString problem = read ? QString() : QString::fromStdString(read.error().text());
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
  return QString::fromStdString(
      toText(DatasetAddress{kind.toStdString(), folder.toStdString(), index}));
}

bool ImageBridge::isDrawnPath(const QString& path) {
  const auto address = datasetAddress(path);
  return address && isDrawnData(address->kind);
}

QString ImageBridge::nameOf(const QString& path) {
  const auto address = datasetAddress(path);
  if (address && isDrawnData(address->kind)) return tr("drawn scene %1").arg(address->index);
  if (address)
    return QStringLiteral("%1 #%2").arg(QString::fromStdString(address->kind)).arg(address->index);
  const QFileInfo file(path);
  // A built-in sample, "striped-disc.png", is named as its class is.
  return path.startsWith(':') ? file.completeBaseName().replace('-', ' ')
                              : displayName(file.fileName());
}

}  // namespace headlight
