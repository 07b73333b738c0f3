// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/HeadThumbnails.h"

#include "ui/base/Images.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/document/Document.h"

namespace headlight {

HeadThumbnails::HeadThumbnails(Document* document, QObject* parent)
    : QObject(parent), m_document(document) {
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &HeadThumbnails::forget);
  connect(document, &Document::inferenceChanged, this, &HeadThumbnails::forget);
  connect(&document->view(), &ViewState::changed, this, &HeadThumbnails::forget);
}

void HeadThumbnails::forget() {
  m_images.clear();
}

QImage HeadThumbnails::image(const HeadPlace& head, const QSize& pixels) {
  if (pixels != m_size) forget();
  m_size = pixels;
  const auto known = m_images.find(head);
  if (known != m_images.end()) return known->second;
  return m_images[head] = make(head);
}

QImage HeadThumbnails::make(const HeadPlace& head) const {
  const auto inference = m_document->inference();
  if (!inference || !m_document->inputs().hasModel()) return {};
  const ViewOptions& view = m_document->view().options();
  const Grid& grid = m_document->inputs().model().grid;
  const AttentionMaps& maps = shownMaps(*inference, view);
  const auto shared = sharedDrawing(maps, grid, view);
  const auto map = viewedMap(maps, grid, view, head.layer, head.head, shared ? &*shared : nullptr);
  if (!map) return {};
  if (map->isLight() && !inference->view.empty())
    return litImage(wrapImage(inference->view).scaled(m_size, Qt::KeepAspectRatio), *map, view.dim);
  return mapImage(*map).scaled(m_size, Qt::KeepAspectRatio);
}

}  // namespace headlight
