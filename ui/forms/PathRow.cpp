// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/PathRow.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace headlight {

PathRow::PathRow(const Words& words, QWidget* parent)
    : QWidget(parent), m_field(new QLineEdit(this)) {
  m_field->setObjectName(words.name);
  m_field->setAccessibleName(words.accessibleName);
  m_field->setToolTip(words.tip);
  m_field->setPlaceholderText(words.placeholder);
  m_field->setClearButtonEnabled(!words.placeholder.isEmpty());
  auto* label = new QLabel(words.label, this);
  label->setBuddy(m_field);
  auto* browse = new QPushButton(words.browse, this);
  browse->setObjectName(words.browseName);
  browse->setToolTip(words.browseTip);
  connect(browse, &QPushButton::clicked, this, &PathRow::browseRequested);
  connect(m_field, &QLineEdit::textEdited, this, &PathRow::edited);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(label);
  layout->addWidget(m_field, 1);
  layout->addWidget(browse);
}

QString PathRow::path() const {
  return m_field->text();
}

void PathRow::setPath(const QString& path) {
  if (m_field->text() != path) m_field->setText(path);
}

}  // namespace headlight
