// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/StackedWidgets.h"

#include <QVBoxLayout>

namespace headlight {

QWidget* stacked(const QList<QWidget*>& widgets, const QWidget* stretched, QWidget* parent) {
  auto* all = new QWidget(parent);
  auto* layout = new QVBoxLayout(all);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  for (QWidget* widget : widgets)
    layout->addWidget(widget, widget == stretched ? 1 : 0);
  return all;
}

}  // namespace headlight
