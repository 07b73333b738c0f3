// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/SelectionFields.h"

#include <optional>
#include <utility>

#include "ui/document/Document.h"
#include "ui/document/MaskCommand.h"
#include "ui/document/MaskText.h"
#include "ui/masks/BrushEditor.h"
#include "ui/masks/MaskMatrix.h"

namespace headlight {
namespace {

/// The window of the first head that has one, and the α of the first that is soft.
std::optional<HeadMask> shownParameters(const MaskScheme& scheme,
                                        const std::vector<HeadPlace>& heads) {
  std::optional<HeadMask> shown;
  for (const HeadPlace& head : heads) {
    const HeadMask& mask = scheme.at(head.layer, head.head);
    if (mask.kind == MaskKind::None) continue;
    if (!shown) shown = mask;
    if (mask.kind == MaskKind::Decay && shown->kind != MaskKind::Decay) shown->gamma = mask.gamma;
    if (mask.kind != MaskKind::Soft || shown->kind == MaskKind::Soft) continue;
    shown->kind = MaskKind::Soft;
    shown->alpha = mask.alpha;
  }
  return shown;
}

}  // namespace

SelectionFields::SelectionFields(Document* document, BrushEditor* brush, MaskMatrix* matrix,
                                 QObject* parent)
    : QObject(parent), m_document(document), m_brush(brush), m_matrix(matrix) {
  connect(brush, &BrushEditor::windowEdited, this, [this](int window) {
    m_matrix->edits().setWindow(m_matrix->selection(), window, strokeOf(Field::Window));
  });
  connect(brush, &BrushEditor::alphaEdited, this, [this](double alpha) {
    m_matrix->edits().setAlpha(m_matrix->selection(), alpha, strokeOf(Field::Alpha));
  });
  connect(brush, &BrushEditor::gammaEdited, this, [this](double gamma) {
    m_matrix->edits().setGamma(m_matrix->selection(), gamma, strokeOf(Field::Gamma));
  });
  connect(matrix, &MaskMatrix::selectionChanged, this, [this] {
    m_edited = Field::None;
    refresh();
  });
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &SelectionFields::refresh);
  connect(&document->inputs(), &InferenceInputs::masksChanged, this, &SelectionFields::refresh);
  connect(&document->view(), &ViewState::changed, this, &SelectionFields::refresh);
  refresh();
}

void SelectionFields::refresh() {
  const MaskScheme& scheme = m_document->inputs().masks();
  const auto selected = m_matrix->selection();
  if (!m_document->inputs().hasModel() || m_matrix->paintsOnClick())
    return m_brush->setSubject({}, {});
  m_brush->setSubject(shownParameters(scheme, selected), cellsText(scheme, selected));
}

int SelectionFields::strokeOf(Field field) {
  if (std::exchange(m_edited, field) != field) m_stroke = MaskCommand::newStroke();
  return m_stroke;
}

}  // namespace headlight
