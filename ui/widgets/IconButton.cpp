// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/IconButton.h"

#include <QHBoxLayout>
#include <QToolButton>

#include "ui/base/Icons.h"

namespace headlight {

QPushButton* iconButton(QWidget* parent, const char* name, const QString& text, const char* icon,
                        const QString& tip) {
  auto* button = new QPushButton(lineIcon(QLatin1String(icon)), text, parent);
  button->setObjectName(QLatin1String(name));
  button->setToolTip(tip);
  return button;
}

QToolButton* iconToolButton(QWidget* parent, const QString& name, const QString& icon,
                            const QString& tip) {
  auto* button = new QToolButton(parent);
  button->setObjectName(name);
  button->setIcon(lineIcon(icon));
  button->setAutoRaise(true);
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  return button;
}

QHBoxLayout* layOutButtons(QWidget* row, std::initializer_list<QPushButton*> buttons) {
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  for (QPushButton* button : buttons)
    layout->addWidget(button);
  return layout;
}

}  // namespace headlight
