// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/LabeledFields.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace headlight {

QLabel* addLabeledField(QHBoxLayout* row, const QString& text, QWidget* field) {
  auto* label = new QLabel(text, field->parentWidget());
  label->setBuddy(field);
  row->addWidget(label);
  row->addWidget(field);
  return label;
}

QPushButton* addDialogButton(QDialogButtonBox* buttons, const QString& text, const char* name,
                             const QString& tip) {
  auto* button = buttons->addButton(text, QDialogButtonBox::ActionRole);
  button->setObjectName(QString::fromLatin1(name));
  button->setToolTip(tip);
  button->setAutoDefault(false);
  return button;
}

void setUsable(QWidget* widget, const QString& tip, const QString& why) {
  widget->setEnabled(why.isEmpty());
  widget->setToolTip(why.isEmpty() ? tip : why);
}

}  // namespace headlight
