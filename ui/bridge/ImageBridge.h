// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reads files for the window: pictures, thumbnails, folders, and what a dropped file is. Everything
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
#include "core/workbench/session/Pictures.h"
#include "ui/base/WorkerThread.h"

namespace headlight {

enum class FileKind {
  Image,
  SessionPicture,  ///< a PNG that carries a session
  Session,         ///< a session saved as JSON
  Config,          ///< an Experiment
  Masks,           ///< a mask scheme, or the `masks` section alone
  Checkpoint,      ///< .safetensors or .pth, or a folder of the Hugging Face hub
  Folder,          ///< of pictures, with or without class folders
  Dataset,         ///< a folder that training can use (class folders, CIFAR, IDX)
  RunFolder,       ///< of a training that can be resumed
  Sequence,        ///< of a sequence model: a run's folder, weights or a config
  Maps,            ///< a file of maps without a model
  Video,           ///< told by its content
  Unknown,
};

/// What a path turned out to be.
struct FileFinding {
  QString path;
  FileKind kind = FileKind::Unknown;
  QByteArray session;                    ///< JSON text of SessionPicture and Session
  std::optional<Experiment> experiment;  ///< of a Config; of a Checkpoint that carries one
  QString datasetKind;                   ///< of a Dataset: image-folder, cifar10, …
  /// Of Folder, Dataset and Maps: what the gallery shows; bounded.
  QStringList pictures;
  int picturesLeftOut = 0;  ///< beyond the bound
  /// Of Folder and Dataset: files that are not read, by kind, and why a Folder that looks as if it
  /// were meant as data is none. Empty: nothing to be said.
  QString passedOver, whyNoData;
  QString problem;  ///< Unknown: what is wrong and what to do
};

class ImageBridge : public QObject {
  Q_OBJECT
 public:
  static constexpr int kMaxPictures = 2000;  ///< of one folder, in the gallery
  /// The keyword of the PNG text that carries a session.
  static constexpr const char* kSessionKeyword = "headlight.session";

  explicit ImageBridge(QObject* parent = nullptr);
  ~ImageBridge() override;

  /// Decodes a picture: imageLoaded or failed. A later call supersedes an earlier one. Paths may be
  /// files, resources (":/samples/…"), samples of a dataset (see datasetPath), pictures of a file
  /// of maps ("maps.safetensors[2]") or frames of a video ("clip.avi[120]").
  void loadImage(const QString& path);
  bool isLoading() const { return m_loading; }

  /// A thumbnail of at most `side` × `side` device pixels: thumbnailReady (a null image for a
  /// picture that cannot be read, with what is wrong). Newest requests are served first.
  void requestThumbnail(const QString& path, int side);
  void dropThumbnailRequests();
  int pendingThumbnails() const { return m_pendingThumbnails; }

  /// Finds out what a file or folder is: inspected.
  void inspect(const QString& path);
  int pendingInspections() const { return m_pendingInspections; }
  void cancelInspections();

  /// "dataset:cifar10:12:/path": the path of sample 12 of a dataset on disk.
  static QString datasetPath(const QString& kind, const QString& folder, int index);
  /// The name of a picture for people: "goldfinch.jpg", "cifar10 #12".
  static QString nameOf(const QString& path);

 Q_SIGNALS:
  void imageLoaded(const headlight::Image& image, const QString& name, const QString& path);
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
  // Last: joined first. Separate, so that a slow folder does not keep a picture waiting.
  WorkerThread m_pictureWorker, m_thumbnailWorker, m_folderWorker;
};

}  // namespace headlight

Q_DECLARE_METATYPE(headlight::FileFinding)
