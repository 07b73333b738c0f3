// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/NumberBox.h"

#include <QLineEdit>

#include <algorithm>
#include <cmath>

#include "core/base/Text.h"

namespace headlight {

QString numberText(const Json& value) {
  if (value.is_string()) return QString::fromStdString(value.get<std::string>());
  if (!value.is_number_float()) return QString::fromStdString(value.dump());
  return QString::fromStdString(numberText(value.get<double>()));
}

NumberBox::NumberBox(const Parameter& parameter, QWidget* parent)
    : QAbstractSpinBox(parent), m_parameter(parameter) {
  setFocusPolicy(Qt::StrongFocus);
  connect(lineEdit(), &QLineEdit::textChanged, this, [this] {
    if (!m_setting) Q_EMIT changed();
  });
}

void NumberBox::setValue(const Json& value) {
  m_setting = true;
  lineEdit()->setText(shownText(value));
  m_setting = false;
}

void NumberBox::setMinimumText(const QString& text) {
  const Json before = value();
  m_minimumText = text;
  setValue(before);
  // The number that the word stands for may have been typed.
  connect(this, &QAbstractSpinBox::editingFinished, this, [this] {
    if (!wordFor(value()).isEmpty()) setValue(value());
  });
}

QString NumberBox::wordFor(const Json& value) const {
  return value.is_number() && value.get<double>() == m_parameter.minimum ? m_minimumText
                                                                         : QString();
}

QString NumberBox::shownText(const Json& value) const {
  const QString word = wordFor(value);
  return word.isEmpty() ? numberText(value) : word;
}

Json NumberBox::value() const {
  QString trimmed = text().trimmed();
  if (!m_minimumText.isEmpty() && trimmed.compare(m_minimumText, Qt::CaseInsensitive) == 0)
    trimmed = QString::number(m_parameter.minimum);
  bool isWhole = false, isNumber = false;
  const qlonglong whole = trimmed.toLongLong(&isWhole);
  const double number = trimmed.toDouble(&isNumber);
  if (m_parameter.type == ParameterType::Integer) {
    if (isWhole) return static_cast<std::int64_t>(whole);
    constexpr double kExact = 9e15;  // doubles below it are whole numbers exactly
    if (isNumber && std::abs(number) < kExact && number == std::floor(number))
      return static_cast<std::int64_t>(number);
  }
  if (isNumber) return number;
  return trimmed.toStdString();
}

QValidator::State NumberBox::validate(QString&, int&) const {
  return QValidator::Acceptable;  // a wrong text is explained by the form, not swallowed
}

double NumberBox::stepAt(double value) const {
  if (m_parameter.type == ParameterType::Integer) return 1;
  if (value == 0) return m_parameter.maximum <= 1 ? 0.01 : 0.1;
  return std::pow(10.0, std::floor(std::log10(std::abs(value)) + 1e-9) - 1);
}

void NumberBox::stepBy(int steps) {
  const Json now = value();
  const double from = now.is_number() ? now.get<double>() : m_parameter.defaultValue.get<double>();
  const double step = stepAt(from);
  // Onto a multiple of the step, without the dust of binary fractions.
  const double to = std::clamp(std::round((from + steps * step) / step) * step, m_parameter.minimum,
                               m_parameter.maximum);
  const QString word = wordFor(to);
  lineEdit()->setText(!word.isEmpty() ? word
                      : m_parameter.type == ParameterType::Integer
                          ? QString::number(static_cast<qlonglong>(to))
                          : QString::number(to, 'g', 12));
  selectAll();
}

QAbstractSpinBox::StepEnabled NumberBox::stepEnabled() const {
  const Json now = value();
  if (isReadOnly()) return StepNone;
  if (!now.is_number()) return StepUpEnabled | StepDownEnabled;
  StepEnabled enabled = StepNone;
  if (now.get<double>() < m_parameter.maximum) enabled |= StepUpEnabled;
  if (now.get<double>() > m_parameter.minimum) enabled |= StepDownEnabled;
  return enabled;
}

QSize NumberBox::sizeHint() const {
  return {130, QAbstractSpinBox::sizeHint().height()};
}

}  // namespace headlight
