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
                               [this, reference] { m_document->setReference(reference); });
    action->setCheckable(true);
    m_commands << action;
    return action;
  };
  m_lastEdit = choice("masks.compare.lastEdit", tr("Compare with before the last edit"),
                      tr("Prediction and maps beside those of the masks before the last edit"),
                      QStringLiteral("Ctrl+K, E"), Reference::LastEdit);
  m_unmasked = choice("masks.compare.unmasked", tr("Compare with no masks"),
                      tr("Prediction and maps beside those of the same model without any mask"),
                      QStringLiteral("Ctrl+K, U"), Reference::Unmasked);
  m_pinned = choice("masks.compare.pinned", tr("Compare with the pinned state"),
                    tr("Prediction and maps beside those of the masks that were pinned"),
                    QStringLiteral("Ctrl+K, C"), Reference::Pinned);
  auto* group = new QActionGroup(this);
  for (QAction* action : m_commands)
    group->addAction(action);
  m_pin = makeCommand(this,
                      {"masks.compare.pin",
                       tr("Pin these masks to compare with"),
                       tr("What comes is compared with the masks as they are now"),
                       "Ctrl+K, P",
                       {}},
                      [this] { m_document->pinReference(); });
  m_commands << m_pin;
  for (const auto signal : {&Document::modelChanged, &Document::referenceChanged})
    connect(document, signal, this, &ReferenceCommands::refresh);
  refresh();
}

void ReferenceCommands::refresh() {
  const bool open = m_document->hasModel();
  for (QAction* action : m_commands)
    action->setEnabled(open);
  m_pinned->setEnabled(open && m_document->hasPinnedReference());
  const Reference now = m_document->reference();
  m_lastEdit->setChecked(now == Reference::LastEdit);
  m_unmasked->setChecked(now == Reference::Unmasked);
  m_pinned->setChecked(now == Reference::Pinned);
}

}  // namespace headlight
