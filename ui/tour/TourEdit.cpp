// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tour/TourEdit.h"

#include "core/masks/MaskEdit.h"
#include "ui/bridge/TrainingBridge.h"
#include "ui/document/Document.h"

namespace headlight {
namespace {

constexpr const char* kTourMask = "hard:3";

}  // namespace

TourEdit::TourEdit(Document* document, TrainingBridge* training)
    : m_document(document), m_training(training) {}

int TourEdit::layer() const {
  return m_document->inputs().masks().maskableLayers() / 2;
}

QString TourEdit::offer() const {
  const InferenceInputs& inputs = m_document->inputs();
  if (!inputs.canCompute() || inputs.masks().maskableLayers() == 0 || m_training->isRunning() ||
      m_index > 0)
    return {};
  return tr("Mask Layer %1").arg(layer());
}

void TourEdit::apply() {
  if (offer().isEmpty()) return;
  const MaskScheme& masks = m_document->inputs().masks();
  std::vector<HeadPlace> cells;
  for (int head = 0; head < masks.heads(layer()); ++head)
    cells.push_back({layer(), head});
  const auto mask = headMaskFromText(kTourMask);
  if (!mask) return;
  const auto edit =
      makeMaskEdit(masks, cells, *mask, tr("mask layer %1 (tour)").arg(layer()).toStdString());
  if (!edit || edit->empty()) return;
  m_document->inputs().pushEdit(*edit);
  m_index = m_document->inputs().undoStack()->index();
}

/// Later edits stay, and this one below them; a run must not get an edit that nobody asked for.
void TourEdit::takeBack() {
  QUndoStack* stack = m_document->inputs().undoStack();
  if (m_index > 0 && stack->index() == m_index && stack->count() == m_index &&
      !m_training->isRunning())
    stack->undo();
  m_index = 0;
}

}  // namespace headlight
