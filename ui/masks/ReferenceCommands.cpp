// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/ReferenceCommands.h"

#include <QActionGroup>

#include "ui/base/Actions.h"
#include "ui/document/Document.h"

namespace headlight {

ReferenceCommands::ReferenceCommands(Document* document, QObject* parent)
    : QObject(parent), m_document(document) {
  const auto choice = [&](const char* id, const QString& text, const QString& tip,
                          const QString& keys, Reference reference) {
    auto* action = makeCommand(this, {QLatin1String(id), text, tip, keys, {}},
                               [this, reference] { m_document->reference().set(reference); });
    action->setCheckable(true);
    m_commands << action;
    return action;
  };
  m_lastEdit = choice("masks.compare.lastEdit", tr("Compare with the masks before the last edit"),
                      tr("Show prediction and maps side by side: now and before the last edit"),
                      QStringLiteral("Ctrl+K, E"), Reference::LastEdit);
  m_unmasked = choice("masks.compare.unmasked", tr("Compare with no masks"),
                      tr("Show prediction and maps side by side: with and without masks"),
                      QStringLiteral("Ctrl+K, U"), Reference::Unmasked);
  m_pinned = choice("masks.compare.pinned", tr("Compare with the pinned state"),
                    tr("Show prediction and maps side by side: now and with the pinned masks"),
                    QStringLiteral("Ctrl+K, C"), Reference::Pinned);
  auto* group = new QActionGroup(this);
  for (QAction* action : m_commands)
    group->addAction(action);
  m_pin = makeCommand(this,
                      {"masks.compare.pin",
                       tr("Pin these masks to compare with"),
                       tr("Later edits are compared with the present masks"),
                       "Ctrl+K, P",
                       {}},
                      [this] { m_document->reference().pin(); });
  m_commands << m_pin;
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &ReferenceCommands::refresh);
  connect(&document->reference(), &ReferenceState::changed, this, &ReferenceCommands::refresh);
  refresh();
}

void ReferenceCommands::refresh() {
  const bool open = m_document->inputs().hasModel();
  for (QAction* action : m_commands)
    action->setEnabled(open);
  m_pinned->setEnabled(open && m_document->reference().hasPinned());
  const Reference now = m_document->reference().kind();
  m_lastEdit->setChecked(now == Reference::LastEdit);
  m_unmasked->setChecked(now == Reference::Unmasked);
  m_pinned->setChecked(now == Reference::Pinned);
}

}  // namespace headlight
