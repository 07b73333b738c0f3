// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The images beside the canvas: built-in samples, files and folders that were added. Thumbnails
// are made by ImageBridge when somebody looks at them, and kept within a bound.

#include <QAbstractListModel>
#include <QCache>
#include <QHash>
#include <QPixmap>
#include <QSet>
#include <QStringList>

#include "core/config/DatasetKinds.h"
#include "core/workbench/session/DatasetImages.h"

namespace headlight {

class ImageBridge;

class GalleryModel : public QAbstractListModel {
  Q_OBJECT
 public:
  enum Role { PathRole = Qt::UserRole, ProblemRole, GroupRole };
  static constexpr int kThumbnailSide = 104;  ///< in device-independent pixels
  static constexpr int kMaxImages = 20'000;
  static constexpr int kScenes = kAddressedScenes;  ///< that are drawn

  explicit GalleryModel(ImageBridge* images, QObject* parent = nullptr);

  /// Shows the built-in samples, first in the list.
  void addSamples();
  /// Scenes that the program draws, from no file, with their boxes or segments; what no training
  /// begins with. `kind`: a drawn one (DatasetKinds.h).
  void addScenes(const char* kind = kTextureScenes);
  static QString scenePath(int index, const char* kind = kTextureScenes);  ///< 0 … kScenes − 1
  /// One of them, by its address (scenePath()), as sources() has it.
  void addScene(const QString& path);
  /// Images that are in the list already are left out.
  void addFiles(const QStringList& paths);
  /// A folder or dataset with what inspection found in it. Added again, it is renewed; images of
  /// it that had been added by themselves take their place in it.
  void addFolder(const QString& folder, const QStringList& images);
  void removeImages(const QModelIndexList& indexes);
  void clear();  ///< all but the samples; drawn scenes too

  /// What to add again for the same list: files, folders and addresses of drawn scenes, without the
  /// samples.
  QStringList sources() const;
  QModelIndex indexOf(const QString& path) const;
  QString pathAt(const QModelIndex& index) const { return index.data(PathRole).toString(); }
  void setDevicePixelRatio(double ratio);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  struct Entry {
    QString path, name;
    QString source;  ///< the folder that it came with; empty: added by itself
  };
  void append(QList<Entry> entries);
  void rebuildRows();
  void onThumbnail(const QString& path, const QImage& thumbnail, const QString& problem);

  ImageBridge* m_images;
  QList<Entry> m_entries;
  QHash<QString, int> m_rows;
  double m_ratio = 1;
  mutable QSet<QString> m_requested;
  mutable QCache<QString, QPixmap> m_thumbnails;
  QHash<QString, QString> m_problems;
};

}  // namespace headlight
