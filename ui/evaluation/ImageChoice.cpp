// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/ImageChoice.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/base/SanitizedText.h"
#include "ui/document/Document.h"
#include "ui/evaluation/SampleFields.h"

namespace headlight {

ImageChoice::ImageChoice(const Document* document, const GalleryPaths& gallery, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_gallery(gallery),
      m_label(new QLabel(this)),
      m_sources(new QComboBox(this)),
      m_sample(new SampleFields(QStringLiteral("average"), makeImageSample(*document), this)) {
  m_sources->setObjectName(QStringLiteral("averageSource"));
  m_label->setObjectName(QStringLiteral("averageLabel"));
  m_label->setBuddy(m_sources);
  setLabel(tr("&Average over"), tr("Images to average over"));
  auto* row = new QHBoxLayout;
  row->addWidget(m_label);
  row->addWidget(m_sources, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(row);
  layout->addWidget(m_sample);
  connect(m_sources, &QComboBox::currentIndexChanged, this, [this] {
    m_sample->setVisible(source() == Source::Data);
    Q_EMIT changed();
  });
  connect(m_sample, &SampleFields::changed, this, &ImageChoice::changed);
  refresh();
}

void ImageChoice::setLabel(const QString& label, const QString& name) {
  m_label->setText(label);
  m_sources->setAccessibleName(name);
}

void ImageChoice::offer(Source source, const QString& text, const QString& tip) {
  m_sources->addItem(text, static_cast<int>(source));
  m_sources->setItemData(m_sources->count() - 1, tip, Qt::ToolTipRole);
}

void ImageChoice::refresh() {
  const int before = m_sources->count() > 0 ? m_sources->currentData().toInt() : 0;
  {
    const QSignalBlocker quiet(m_sources);
    m_sources->clear();
    if (m_document->inputs().hasImage())
      offer(Source::Shown,
            tr("the image shown, %1").arg(displayName(m_document->inputs().imageName())),
            tr("Measure only this image"));
    const bool maps = m_document->inputs().hasModel() && m_document->inputs().model().isPrecomputed;
    if (maps)
      offer(Source::File,
            tr("all %n in the map file", nullptr, m_document->inputs().model().images),
            tr("Measure every image of the open map file"));
    if (m_gallery.chosen.size() > 1)
      offer(Source::Chosen, tr("%n chosen in the gallery", nullptr, int(m_gallery.chosen.size())),
            tr("Measure the images selected with Ctrl or Shift"));
    if (m_gallery.listed.size() > 1 && !maps)
      offer(Source::Listed, tr("all %n in the gallery", nullptr, int(m_gallery.listed.size())),
            tr("Measure every image in the gallery"));
    if (!maps)
      offer(Source::Data, tr("a dataset"), tr("Measure the validation split of a dataset"));
    m_sources->setCurrentIndex(std::max(0, m_sources->findData(before)));
  }
  m_sample->setVisible(source() == Source::Data);
  Q_EMIT changed();
}

void ImageChoice::setGallery(const GalleryPaths& gallery) {
  m_gallery = gallery;
  refresh();
}

bool ImageChoice::offersAny() const {
  return m_sources->count() > 0;
}

ImageChoice::Source ImageChoice::source() const {
  return static_cast<Source>(m_sources->currentData().toInt());
}

void ImageChoice::choose(Source source) {
  const int index = m_sources->findData(static_cast<int>(source));
  if (index >= 0) m_sources->setCurrentIndex(index);
}

ImageSelection ImageChoice::chosen() const {
  ImageSelection chosen;
  switch (source()) {
    case Source::Shown:
      chosen.image = m_document->inputs().image();
      chosen.path = m_document->inputs().imagePath();
      break;
    case Source::Chosen:
      chosen.paths = m_gallery.chosen;
      break;
    case Source::Listed:
      chosen.paths = m_gallery.listed;
      break;
    case Source::File:
      chosen.wholeFile = true;
      break;
    case Source::Data:
      chosen.sample = m_sample->sample();
      break;
  }
  return chosen;
}

}  // namespace headlight
