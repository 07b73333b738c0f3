// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/MaskCommand.h"

#include <QObject>

#include <algorithm>
#include <map>

#include "ui/base/SanitizedText.h"
#include "ui/document/InferenceInputs.h"
#include "ui/document/MaskText.h"

namespace headlight {

MaskEdit composeEdits(const MaskEdit& first, const MaskEdit& second) {
  MaskEdit result{second.label, first.changes, first.nameBefore, second.nameAfter};
  for (const MaskChange& change : second.changes) {
    const auto same = std::find_if(
        result.changes.begin(), result.changes.end(),
        [&](const MaskChange& c) { return c.layer == change.layer && c.head == change.head; });
    if (same == result.changes.end())
      result.changes.push_back(change);
    else
      same->after = change.after;
  }
  std::erase_if(result.changes, [](const MaskChange& c) { return c.before == c.after; });
  return result;
}

MaskCommand::MaskCommand(InferenceInputs* inputs, MaskEdit edit, int stroke)
    : m_inputs(inputs), m_edit(std::move(edit)), m_stroke(stroke) {
  setText(displayName(m_edit.label));
}

int MaskCommand::newStroke() {
  static int last = 0;
  return ++last;
}

void MaskCommand::undo() {
  m_inputs->applyEdit(m_edit.inverse());
}

void MaskCommand::redo() {
  m_inputs->applyEdit(m_edit);
}

bool MaskCommand::mergeWith(const QUndoCommand* other) {
  const auto* next = dynamic_cast<const MaskCommand*>(other);
  if (!next || m_stroke == kNoStroke || next->m_stroke != m_stroke) return false;
  m_edit = composeEdits(m_edit, next->m_edit);
  if (m_edit.empty()) {
    setObsolete(true);
    return true;
  }
  std::vector<HeadPlace> cells;
  for (const auto& change : m_edit.changes)
    cells.push_back({change.layer, change.head});
  const HeadMask& mask = m_edit.changes.front().after;
  const bool alike = std::all_of(m_edit.changes.begin(), m_edit.changes.end(),
                                 [&](const MaskChange& c) { return c.after == mask; });
  const QString text = alike ? maskEditText(m_inputs->masks(), cells, mask)
                             : QObject::tr("masks on %1").arg(cellsText(m_inputs->masks(), cells));
  m_edit.label = text.toStdString();
  setText(text);
  return true;
}

}  // namespace headlight
