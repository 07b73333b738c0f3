// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/RecipeRow.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "core/base/Text.h"
#include "ui/base/CoreText.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {

RecipeRow::RecipeRow(QWidget* parent)
    : QWidget(parent), m_choice(new QComboBox(this)), m_note(new MessageLabel(this)) {
  m_choice->setObjectName(QStringLiteral("recipe"));
  m_choice->setToolTip(
      tr("Sets a paper's data and training values. You can change them afterwards; “own settings” "
         "restores your values"));
  m_choice->addItem(tr("own settings"));
  for (const Recipe& recipe : recipes())
    m_choice->addItem(coreText(recipe.title), QString::fromStdString(recipe.name));
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
  const QString note = coreText(chosen->note);
  if (changed.empty())
    return m_note->setMessage(tr("All values match the recipe. %1").arg(note).trimmed());
  m_note->setMessage(tr("Different from the recipe: %1. %2")
                         .arg(QString::fromStdString(joined(changed)), note)
                         .trimmed());
}

}  // namespace headlight
