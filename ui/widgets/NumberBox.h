// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A spin box whose text is the number itself ("1e-06", "2000"), so that any double or 64-bit whole
// number goes in and comes out unchanged, and a wrong one can be seen and explained. Steps by 1 for
// whole numbers, by about a tenth of its size for others.

#include <QAbstractSpinBox>

#include "core/config/Parameter.h"

namespace headlight {

class NumberBox : public QAbstractSpinBox {
  Q_OBJECT
 public:
  explicit NumberBox(const Parameter& parameter, QWidget* parent = nullptr);

  void setValue(const Json& value);
  /// The number, or the text where it is none.
  Json value() const;
  /// Shows the least number as a word ("last" for -1), which may be typed as well. Once.
  void setMinimumText(const QString& text);
  /// The word that is shown for a number; empty: the number itself.
  QString wordFor(const Json& value) const;

  QValidator::State validate(QString& input, int& position) const override;
  void stepBy(int steps) override;
  QSize sizeHint() const override;

 Q_SIGNALS:
  void changed();

 protected:
  StepEnabled stepEnabled() const override;

 private:
  double stepAt(double value) const;
  QString shownText(const Json& value) const;

  const Parameter& m_parameter;
  QString m_minimumText;
  bool m_setting = false;
};

/// The shortest text that reads back as the same number.
QString numberText(const Json& value);

}  // namespace headlight
