// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/ReferenceState.h"

#include <utility>

#include "ui/document/Document.h"
#include "ui/document/MaskCommand.h"

namespace headlight {

void ReferenceState::set(Reference kind) {
  if (kind == m_kind) return;
  m_kind = kind;
  Q_EMIT changed();
}

void ReferenceState::pin() {
  m_pinned = m_document.inputs().masks();
  m_kind = Reference::Pinned;
  Q_EMIT changed();
}

std::optional<MaskScheme> ReferenceState::masks() const {
  if (!m_document.inputs().hasModel()) return std::nullopt;
  const MaskScheme& present = m_document.inputs().masks();
  switch (m_kind) {
    case Reference::LastEdit:
      return m_beforeEdit;
    case Reference::Unmasked:
      return present.maskedHeads() > 0 ? std::optional(MaskScheme(present.shape())) : std::nullopt;
    case Reference::Pinned:
      return m_pinned;
  }
  return std::nullopt;
}

std::shared_ptr<const InferenceResult> ReferenceState::inference() const {
  const auto reference = masks();
  const auto present = m_document.liveInference();
  const bool is = reference && !m_document.recorded().view() && present && m_inference &&
                  m_inference->weights == present->weights && m_inferredMasks == *reference &&
                  m_inference->view.pixels == present->view.pixels;
  return is ? m_inference : nullptr;
}

bool ReferenceState::needsInference() const {
  return m_document.liveInference() && !m_document.isStale() && masks() && !inference();
}

void ReferenceState::setInference(std::shared_ptr<const InferenceResult> inference) {
  m_inferredMasks = inference->masks;
  m_inference = std::move(inference);
  Q_EMIT changed();
}

QString ReferenceState::describe() const {
  switch (m_kind) {
    case Reference::LastEdit:
      return tr("before the last edit");
    case Reference::Unmasked:
      return tr("unmasked");
    case Reference::Pinned:
      return tr("pinned state");
  }
  return {};
}

void ReferenceState::keepBefore(const MaskScheme& before, int stroke) {
  // The edits of a stroke share the image from before the first, and so do those that come before
  // there is an image of the last.
  const bool goesOn = stroke != MaskCommand::kNoStroke && stroke == m_strokeOfBefore;
  m_strokeOfBefore = stroke;
  if (goesOn || (m_document.isStale() && m_beforeEdit)) return;
  m_beforeEdit = before;
  if (m_kind != Reference::LastEdit) return;
  const auto present = m_document.liveInference();
  const bool seen = present && (present->masks.layers() == 0 || present->masks == before);
  m_inference = seen ? present : nullptr;
  m_inferredMasks = before;
}

void ReferenceState::forgetModel() {
  forgetEdits();
  m_pinned.reset();
  if (m_kind == Reference::Pinned) m_kind = Reference::LastEdit;
}

void ReferenceState::forgetEdits() {
  m_beforeEdit.reset();
  m_inference.reset();
}

}  // namespace headlight
