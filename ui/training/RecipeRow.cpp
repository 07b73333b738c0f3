// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/RecipeRow.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "core/base/Text.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {

RecipeRow::RecipeRow(QWidget* parent)
    : QWidget(parent), m_choice(new QComboBox(this)), m_note(new MessageLabel(this)) {
  m_choice->setObjectName(QStringLiteral("recipe"));
  m_choice->setToolTip(
      tr("Sets what a paper's recipe says of data and training; everything can be "
         "changed afterwards, and “own settings” brings back what was there"));
  m_choice->addItem(tr("own settings"));
  for (const Recipe& recipe : recipes())
    m_choice->addItem(QString::fromStdString(recipe.title), QString::fromStdString(recipe.name));
  m_note->setObjectName(QStringLiteral("recipeNote"));
  auto* label = new QLabel(tr("Reci&pe"), this);
  label->setBuddy(m_choice);
  auto* row = new QHBoxLayout;
  row->addWidget(label);
  row->addWidget(m_choice, 1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addLayout(row);
  column->addWidget(m_note);
  connect(m_choice, &QComboBox::activated, this, [this] { Q_EMIT chosen(recipe()); });
}

const Recipe* RecipeRow::recipe() const {
  return findRecipe(m_choice->currentData().toString().toStdString());
}

void RecipeRow::compare(const Json& experiment) {
  const Recipe* chosen = recipe();
  if (!chosen) return m_note->clear();
  const auto changed = changedFromRecipe(experiment, *chosen);
  const QString note = QString::fromStdString(chosen->note);
  if (changed.empty()) return m_note->setMessage(tr("All as there. %1").arg(note).trimmed());
  m_note->setMessage(tr("Otherwise than there: %1. %2")
                         .arg(QString::fromStdString(joined(changed)), note)
                         .trimmed());
}

}  // namespace headlight
