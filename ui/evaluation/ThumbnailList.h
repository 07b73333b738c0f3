// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Pictures of a data set as thumbnails with words below; a double click or Enter opens one.

#include <QListWidget>

#include <cstdint>
#include <vector>

#include "core/workbench/session/Pictures.h"

namespace headlight {

class ThumbnailList : public QListWidget {
  Q_OBJECT
 public:
  ThumbnailList(const QString& name, const QString& accessibleName, QWidget* parent = nullptr);

  void addPicture(const QString& text, const QString& tip, const QString& name);
  /// One for each that was added, in that order; those that could not be read are empty.
  void setPictures(const std::vector<Image>& pictures);

 Q_SIGNALS:
  void opened(const headlight::Image& picture, const QString& name);

 private:
  std::vector<Image> m_pictures;
};

}  // namespace headlight
