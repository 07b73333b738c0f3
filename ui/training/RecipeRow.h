// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The choice of a paper's recipe for a training, and the values that differ from it.

#include <QWidget>

#include "core/config/Recipes.h"

class QComboBox;

namespace headlight {

class MessageLabel;

class RecipeRow : public QWidget {
  Q_OBJECT
 public:
  explicit RecipeRow(QWidget* parent = nullptr);

  /// Null: the user's own settings.
  const Recipe* recipe() const;
  /// Lists the values of `experiment` (complete, as JSON) that differ from the chosen recipe.
  void compare(const Json& experiment);

 Q_SIGNALS:
  /// Chosen by the user; null: the user's own settings.
  void chosen(const headlight::Recipe* recipe);

 private:
  QComboBox* m_choice;
  MessageLabel* m_note;
};

}  // namespace headlight
