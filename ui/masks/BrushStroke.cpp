// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/BrushStroke.h"

#include "ui/document/Document.h"
#include "ui/document/MaskCommand.h"
#include "ui/document/MaskText.h"

namespace headlight {

void BrushStroke::begin(const HeadMask& mask) {
  m_number = MaskCommand::newStroke();
  m_mask = mask;
  m_last.clear();
}

void BrushStroke::paint(const std::vector<HeadPlace>& cells,
                        const std::vector<HeadPlace>& maskable) {
  m_last = cells;
  const MaskScheme& scheme = m_document->inputs().masks();
  const auto edit =
      makeMaskEdit(scheme, maskable, m_mask, maskEditText(scheme, maskable, m_mask).toStdString());
  if (edit) m_document->inputs().pushEdit(*edit, m_number);
}

}  // namespace headlight
