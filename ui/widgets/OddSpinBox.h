// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSpinBox>

namespace headlight {

/// Odd numbers from 1: an even one that was typed becomes the next odd one.
class OddSpinBox : public QSpinBox {
 public:
  explicit OddSpinBox(QWidget* parent = nullptr) : QSpinBox(parent) {
    setRange(1, 255);
    setSingleStep(2);
    setValue(3);
  }

  QValidator::State validate(QString& text, int& position) const override {
    const auto state = QSpinBox::validate(text, position);
    const bool even = state == QValidator::Acceptable && valueFromText(text) % 2 == 0;
    return even ? QValidator::Intermediate : state;
  }
  void fixup(QString& text) const override {
    bool isNumber = false;
    const int typed = text.toInt(&isNumber);
    if (isNumber) text = QString::number(qBound(minimum(), typed | 1, maximum()));
  }
};

}  // namespace headlight
