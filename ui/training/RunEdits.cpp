// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/RunEdits.h"

#include <QFileInfo>
#include <QUndoStack>

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/workbench/training/TrainingSession.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/TrainingBridge.h"
#include "ui/document/Document.h"
#include "ui/document/MaskCommand.h"

namespace headlight {
namespace {

constexpr int kEditRestMs = 150;  ///< edits in quick succession (a stroke) go to the run as one

/// `edit` without the changes that `masks` already has.
MaskEdit effectiveEdit(const MaskScheme& masks, MaskEdit edit) {
  for (MaskChange& change : edit.changes)
    change.before = masks.at(change.layer, change.head);
  std::erase_if(edit.changes, [](const MaskChange& c) { return c.before == c.after; });
  std::sort(edit.changes.begin(), edit.changes.end(), [](const auto& a, const auto& b) {
    return std::tie(a.layer, a.head) < std::tie(b.layer, b.head);
  });
  edit.nameBefore = masks.name();
  return edit;
}

}  // namespace

RunEdits::RunEdits(Document* document, TrainingBridge* bridge, QObject* parent)
    : QObject(parent), m_document(document), m_bridge(bridge) {
  m_rest.setSingleShot(true);
  m_rest.setInterval(kEditRestMs);
  connect(&m_rest, &QTimer::timeout, this, &RunEdits::send);
  m_reported.setSingleShot(true);
  m_reported.setInterval(kEditRestMs);
  connect(&m_reported, &QTimer::timeout, this, &RunEdits::reportCached);
  connect(&document->inputs(), &InferenceInputs::editApplied, this, &RunEdits::onEdit);
  connect(&document->inputs(), &InferenceInputs::masksChanged, this, &RunEdits::onMasksChanged);
}

void RunEdits::begin() {
  m_active = true;
  m_asked = m_decided = false;
  m_edits = {};
  m_runMasks.reset();
}

void RunEdits::end() {
  m_active = false;
}

bool RunEdits::runIsThere() {
  if (m_runMasks) return false;
  m_runMasks = m_bridge->masks();
  if (m_runMasks && m_following) m_rest.start();
  return true;
}

void RunEdits::setFollowing(bool on) {
  m_following = on;
  m_decided = true;
  if (on) send();
}

bool RunEdits::runHasDocumentsHeads() const {
  return !m_runMasks || m_runMasks->shape() == m_document->inputs().masks().shape();
}

QString RunEdits::whyNotSent() const {
  const auto run = m_active ? m_bridge->experiment() : std::nullopt;
  if (!run) return {};
  const auto takes = TrainingSession::takesEdits(*run);
  return takes ? QString() : coreText(takes.error().message);
}

void RunEdits::onEdit(const MaskEdit& edit) {
  if (!m_active || !runHasDocumentsHeads()) return;
  m_edits = composeEdits(m_edits, edit);
  const bool taken = whyNotSent().isEmpty();
  if (m_following && taken) return;
  m_reported.start();
  if (taken && !m_decided && !std::exchange(m_asked, true)) Q_EMIT undecided();
}

/// Reports which model an edit changed.
void RunEdits::reportCached() {
  const QString why = whyNotSent();
  if (!m_active || (m_following && why.isEmpty())) return;
  const QString label = m_document->inputs().undoStack()->undoText();
  const QString text = tr("%1: changes the open model only; run “%2” keeps its masks")
                           .arg(label.isEmpty() ? tr("Masks changed") : label,
                                displayName(QFileInfo(m_bridge->folder()).fileName()));
  Q_EMIT m_document->message(why.isEmpty() ? text : text + QStringLiteral(": ") + why);
}

void RunEdits::onMasksChanged() {
  if (m_active && m_following) m_rest.start();
}

MaskEdit RunEdits::outstanding() const {
  const MaskScheme& wanted = m_document->inputs().masks();
  MaskScheme edited = *m_runMasks;
  MaskEdit edit = m_edits;
  if (!applyMaskEdit(edited, edit)) edit = {};  // it belongs to a model opened before
  if (const auto rest = makeMaskEdit(edited, wanted, {})) edit = composeEdits(edit, *rest);
  return effectiveEdit(*m_runMasks, std::move(edit));
}

void RunEdits::send() {
  if (!m_active || !m_following || !m_runMasks || !runHasDocumentsHeads()) return;
  if (!whyNotSent().isEmpty()) return;
  MaskEdit edit = outstanding();
  if (edit.empty()) return;
  const QString label = m_document->inputs().undoStack()->undoText();
  edit.label = label.isEmpty() ? "the window's masks" : label.toStdString();
  edit.nameAfter = m_document->inputs().masks().name();
  if (m_bridge->submit(edit)) {
    m_runMasks = m_document->inputs().masks();
    m_edits = {};
  } else {
    Q_EMIT m_document->message(
        tr("The training did not accept the mask edit. It is sent again with the next edit."));
  }
}

}  // namespace headlight
