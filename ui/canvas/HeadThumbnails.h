// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Small maps of heads, made when they are drawn and kept until something in them changes.

#include <QImage>
#include <QObject>

#include <map>

#include "core/masks/HeadPlace.h"

namespace headlight {

class Document;

class HeadThumbnails : public QObject {
  Q_OBJECT
 public:
  HeadThumbnails(Document* document, QObject* parent);

  /// As the view shows maps, within so many pixels; null where there is no map.
  QImage image(const HeadPlace& head, const QSize& pixels);

 private:
  void forget();
  QImage make(const HeadPlace& head) const;

  Document* m_document;
  QSize m_size;
  std::map<HeadPlace, QImage> m_images;
};

}  // namespace headlight
