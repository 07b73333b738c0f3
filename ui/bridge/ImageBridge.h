// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reads files for the window: images, thumbnails, folders, and what a dropped file is. Everything
// happens on its own threads; results arrive as signals.

#include <QImage>
#include <QObject>
#include <QString>
#include <QStringList>

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/config/Experiment.h"
#include "core/workbench/loading/Input.h"
#include "core/workbench/loading/ModelInfo.h"
#include "core/workbench/session/Images.h"
#include "ui/base/WorkerThread.h"

namespace headlight {

/// What a path turned out to be, and what the window shows of it.
struct FileFinding {
  QString path;                          ///< as it was given; of a model of the hub its folder
  Input input;                           ///< InputKind::Unknown: `problem` says why
  std::optional<Experiment> experiment;  ///< of a Config; of Weights and a HubFolder that carry one
  /// The gallery's images for Folder, Dataset and Maps; bounded.
  QStringList images;
  int imagesLeftOut = 0;  ///< beyond the bound
  /// For Folder and Dataset: files that are not read, by kind, and why a Folder that looks as if it
  /// were meant as data is none. Empty: nothing to be said.
  QString passedOver, whyNoData;
  /// For a Folder of neither images nor data: how many models or training runs are in it.
  std::size_t models = 0, runs = 0;
  std::optional<ModelSource> onlyModel;  ///< where one of them opens
  QString problem;                       ///< Unknown: what is wrong and what to do
};

struct KnownTruth;

class ImageBridge : public QObject {
  Q_OBJECT
 public:
  static constexpr int kMaxImages = 2000;  ///< of one folder, in the gallery

  explicit ImageBridge(QObject* parent = nullptr);
  ~ImageBridge() override;

  /// Decodes an image: imageLoaded or failed. A later call supersedes an earlier one. Paths may be
  /// files, resources (":/samples/…"), samples of a dataset (see datasetPath), images of a file
  /// of maps ("maps.safetensors[2]") or frames of a video ("clip.avi[120]").
  void loadImage(const QString& path);
  bool isLoading() const { return m_loading; }

  /// A thumbnail of at most `side` × `side` device pixels: thumbnailReady (a null image for an
  /// image that cannot be read, with what is wrong). Newest requests are served first.
  void requestThumbnail(const QString& path, int side);
  void dropThumbnailRequests();
  int pendingThumbnails() const { return m_pendingThumbnails; }

  /// Finds out what a file or folder is: inspected.
  void inspect(const QString& path);
  int pendingInspections() const { return m_pendingInspections; }
  void cancelInspections();

  /// "dataset:cifar10:12:/path": the path of sample 12 of a dataset on disk.
  static QString datasetPath(const QString& kind, const QString& folder, int index);
  /// Whether the path is of a scene that the program draws, from no file.
  static bool isDrawnPath(const QString& path);
  /// The name of an image for people: "goldfinch.jpg", "cifar10 #12".
  static QString nameOf(const QString& path);

 Q_SIGNALS:
  /// `truth`: of a sample whose dataset has boxes or segments; else null.
  void imageLoaded(const headlight::Image& image, const QString& name, const QString& path,
                   std::shared_ptr<const headlight::KnownTruth> truth);
  void imageFailed(const QString& path, const QString& text);
  void thumbnailReady(const QString& path, const QImage& thumbnail, const QString& problem);
  void inspected(const headlight::FileFinding& finding);

 private:
  struct Cache;  ///< datasets that are open; touched by worker threads under its own lock
  struct ThumbnailQueue;

  std::shared_ptr<Cache> m_cache;
  std::shared_ptr<ThumbnailQueue> m_thumbnails;
  int m_loadTicket = 0;
  bool m_loading = false;
  int m_pendingThumbnails = 0, m_pendingInspections = 0;
  std::stop_source m_inspectStop;
  // Last: joined first. Separate, so that a slow folder does not keep an image waiting.
  WorkerThread m_imageWorker, m_thumbnailWorker, m_folderWorker;
};

}  // namespace headlight

Q_DECLARE_METATYPE(headlight::FileFinding)
