// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which pictures are averaged over: the one that is shown, those of the gallery, or a data set.

#include <QWidget>

#include "ui/bridge/PictureFeeds.h"

class QComboBox;

namespace headlight {

class Document;
class SampleFields;

/// Pictures of the gallery: those that are chosen in it, and all that it lists.
struct GalleryPaths {
  QStringList chosen, listed;
};

class PictureChoice : public QWidget {
  Q_OBJECT
 public:
  enum class Source { Shown, Chosen, Listed, File, Data };

  PictureChoice(const Document* document, const GalleryPaths& gallery, QWidget* parent = nullptr);

  /// Offers what there is now: the choice stays where it can.
  void refresh();
  void setGallery(const GalleryPaths& gallery);
  bool offersAny() const;
  Source source() const;
  void choose(Source source);  ///< nothing happens where it is not offered
  ChosenPictures chosen() const;
  SampleFields* sample() const { return m_sample; }

 Q_SIGNALS:
  void changed();

 private:
  void offer(Source source, const QString& text, const QString& tip);

  const Document* m_document;
  GalleryPaths m_gallery;
  QComboBox* m_sources;
  SampleFields* m_sample;
};

}  // namespace headlight
