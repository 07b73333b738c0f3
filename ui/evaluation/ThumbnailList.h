// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Images of a dataset as thumbnails with captions; a double-click or Enter opens one.

#include <QListWidget>

#include <cstdint>
#include <vector>

#include "core/workbench/session/Images.h"

namespace headlight {

class ThumbnailList : public QListWidget {
  Q_OBJECT
 public:
  ThumbnailList(const QString& name, const QString& accessibleName, QWidget* parent = nullptr);

  void addImage(const QString& text, const QString& tip, const QString& name);
  /// One image per entry, in the same order; unreadable ones are empty.
  void setImages(const std::vector<Image>& images);

 Q_SIGNALS:
  void opened(const headlight::Image& image, const QString& name);

 private:
  std::vector<Image> m_images;
};

}  // namespace headlight
