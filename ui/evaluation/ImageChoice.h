// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The choice of images to measure, mostly averages over them: the image shown, the gallery, or a
// dataset.

#include <QWidget>

#include "ui/bridge/ImageFeeds.h"

class QComboBox;
class QLabel;

namespace headlight {

class Document;
class SampleFields;

/// Images of the gallery: the selected ones, and all.
struct GalleryPaths {
  QStringList chosen, listed;
};

class ImageChoice : public QWidget {
  Q_OBJECT
 public:
  enum class Source { Shown, Chosen, Listed, File, Data };

  ImageChoice(const Document* document, const GalleryPaths& gallery, QWidget* parent = nullptr);

  /// What the images are for, unless averages; `name` is what a screen reader says.
  void setLabel(const QString& label, const QString& name);
  /// Updates the offered sources; the choice stays if it is still offered.
  void refresh();
  void setGallery(const GalleryPaths& gallery);
  bool offersAny() const;
  Source source() const;
  void choose(Source source);  ///< ignored if not offered
  ImageSelection chosen() const;
  SampleFields* sample() const { return m_sample; }

 Q_SIGNALS:
  void changed();

 private:
  void offer(Source source, const QString& text, const QString& tip);

  const Document* m_document;
  GalleryPaths m_gallery;
  QLabel* m_label;
  QComboBox* m_sources;
  SampleFields* m_sample;
};

}  // namespace headlight
