// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The choice of a paper's recipe for a training, and what of it was changed since.

#include <QWidget>

#include "core/config/Recipes.h"

class QComboBox;

namespace headlight {

class MessageLabel;

class RecipeRow : public QWidget {
  Q_OBJECT
 public:
  explicit RecipeRow(QWidget* parent = nullptr);

  /// Null: the person's own settings.
  const Recipe* recipe() const;
  /// Says what `experiment` (complete, as JSON) has otherwise than the chosen recipe.
  void compare(const Json& experiment);

 Q_SIGNALS:
  /// By the person; null: their own settings again.
  void chosen(const headlight::Recipe* recipe);

 private:
  QComboBox* m_choice;
  MessageLabel* m_note;
};

}  // namespace headlight
